"""Shares with what chance leaves open: intervals, and trends over years."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import erfc, sqrt
from typing import NamedTuple

from fathom.records.documents import Count
from fathom.records.record import Record

Z = 1.959964
"""Standard deviations to either side that hold 95 of 100."""


class Rate(Record):
    """A share of a number of tries, with the interval that holds the true one 95 times in 100."""

    hits: Count
    of: Count
    share: float
    low: float
    high: float


class Outcome(NamedTuple):
    """Whether one try hit, and which cluster it belongs to: tries over one context are not independent."""

    cluster: str
    hit: bool


def rate(hits: int, of: int, independent: float | None = None) -> Rate:
    """The share with Wilson's interval, as wide as that many independent tries would make it."""
    share = hits / of if of else 0.0
    low, high = wilson(share, of if independent is None else independent)
    return Rate(hits=hits, of=of, share=share, low=low, high=high)


def wilson(share: float, tries: float) -> tuple[float, float]:
    """Wilson's interval: it stays between nought and one, and is not empty where everything hit."""
    if tries <= 0:
        return 0.0, 1.0
    spread = Z * Z / tries
    middle = (share + spread / 2) / (1 + spread)
    reach = Z * sqrt(share * (1 - share) / tries + spread / (4 * tries)) / (1 + spread)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def clustered(outcomes: Iterable[Outcome]) -> Rate:
    """The share, its interval widened as far as tries of one cluster go together."""
    groups: dict[str, list[bool]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.cluster, []).append(outcome.hit)
    hits, of = sum(map(sum, groups.values())), sum(map(len, groups.values()))
    return rate(hits, of, _independent(list(groups.values()), hits, of))


def _independent(groups: list[list[bool]], hits: int, of: int) -> float:
    """How many independent tries would vary as much as these; never more than there are."""
    share = hits / of if of else 0.0
    if len(groups) < 2 or share in (0.0, 1.0):
        # Nothing varies, which tells nothing of how clusters differ: each is taken for one try.
        return float(len(groups))
    beside = sum((sum(group) - share * len(group)) ** 2 for group in groups)
    variance = beside * len(groups) / (len(groups) - 1) / of**2
    return min(float(of), share * (1 - share) / variance) if variance else float(of)


class Difference(Record):
    """How much higher one share is than another, with its interval."""

    share: float
    low: float
    high: float


def difference(one: Rate, two: Rate) -> Difference:
    """The first less the second, its interval from theirs (Newcombe's way): not empty where nothing varies.

    For shares over the same questions it is wider than it need be, since what they have in common is left aside.
    """
    share = one.share - two.share
    low = share - sqrt((one.share - one.low) ** 2 + (two.high - two.share) ** 2)
    high = share + sqrt((one.high - one.share) ** 2 + (two.share - two.low) ** 2)
    return Difference(share=share, low=max(-1.0, low), high=min(1.0, high))


class Trend(Record):
    """Whether a share rises or falls from year to year (the test of Cochran and Armitage)."""

    slope: float
    """By how much the share changes in a year."""
    z: float
    p: float
    """The chance of a trend as steep as this, either way, where there is none."""


def trend(by_year: Mapping[int, tuple[int, int]]) -> Trend | None:
    """The trend of hits among tries by year; None where one year, or hits or misses alone, leave none to see."""
    tries = sum(of for _, of in by_year.values())
    hits = sum(hit for hit, _ in by_year.values())
    if not 0 < hits < tries:
        return None
    share = hits / tries
    mean = sum(year * of for year, (_, of) in by_year.items()) / tries
    spread = sum(of * (year - mean) ** 2 for year, (_, of) in by_year.items())
    if not spread:
        return None
    leaning = sum((year - mean) * (hit - of * share) for year, (hit, of) in by_year.items())
    z = leaning / sqrt(share * (1 - share) * spread)
    return Trend(slope=leaning / spread, z=z, p=erfc(abs(z) / sqrt(2)))
