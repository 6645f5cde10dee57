"""The figures of an entity: how they are drawn, and which of them were known at the time of each report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, NamedTuple

Status = Literal["reported", "restated", "repeated", "missing"]

FIRST_YEAR = 2019
"""The fiscal year of an entity's first report."""
REPORTS = 5
"""How many yearly reports an entity has."""
YEARS = range(FIRST_YEAR - 2, FIRST_YEAR + REPORTS)
"""The years that are generated: the first report also shows the year before, and its growth needs one year more."""


class FigureKey(NamedTuple):
    """Identifies a figure."""

    metric: str
    period: str
    """A year "2021" or a quarter "2021-Q3"."""
    part: str = ""
    """The part of the entity by its printed name; empty for the whole."""


Inputs = dict[FigureKey, int]
"""Figures that are drawn, not computed; whole numbers in the last printed decimal of their metric."""
Ledger = dict[FigureKey, int | None]
"""Every figure that a report may print, in the same whole numbers; None if it is withheld."""
Derive = Callable[[Inputs, int], Ledger]
"""Computes all figures of one year from the inputs of that year and the one before."""


@dataclass(frozen=True, slots=True)
class Restatement:
    """A correction of last year's figures."""

    year: int
    """The fiscal year of the report that makes it."""
    reason: str
    """Selects the passages of the pack that explain it."""
    changes: Mapping[FigureKey, int]
    """The amounts added to the inputs."""
    words: Mapping[str, str]
    """The names that the explanation mentions."""


@dataclass(frozen=True, slots=True)
class WithheldFigure:
    """A figure that the report of its own year leaves out."""

    key: FigureKey
    until: int
    """The fiscal year of the report that discloses it."""


class LedgerEntry(NamedTuple):
    """A figure as one report gives it."""

    amount: int | None
    status: Status


@dataclass(frozen=True, slots=True)
class KnownFigures:
    """The figures that one report knows, and those of the entity's previous report."""

    now: Mapping[FigureKey, int | None]
    before: Mapping[FigureKey, int | None]

    def entry(self, key: FigureKey) -> LedgerEntry:
        """The figure and its status relative to earlier reports; raises KeyError for an unknown figure."""
        amount, earlier = self.now[key], self.before.get(key)
        if amount is None:
            return LedgerEntry(None, "missing")
        if earlier is None:
            return LedgerEntry(amount, "reported")
        return LedgerEntry(amount, "repeated" if amount == earlier else "restated")

    def earlier(self, key: FigureKey) -> LedgerEntry:
        """The figure as given in the previous report."""
        return LedgerEntry(self.before[key], "repeated")


def figures_as_of(
    inputs: Inputs,
    derive: Derive,
    restatements: Mapping[int, Restatement],
    withheld: tuple[WithheldFigure, ...],
    year: int,
) -> Ledger:
    """Every figure as the report on `year` knows it; empty before the first report."""
    if year < FIRST_YEAR:
        return {}
    corrected = dict(inputs)
    for restated_in, restatement in restatements.items():
        if restated_in <= year:
            for key, change in restatement.changes.items():
                corrected[key] += change
    ledger: Ledger = {}
    for past in range(FIRST_YEAR - 1, year + 1):
        ledger.update(derive(corrected, past))
    for gap in withheld:
        if year < gap.until and gap.key in ledger:
            ledger[gap.key] = None
    return ledger


def walk(rng: Random, start: float, drift: float, noise: float, shocks: Sequence[float] = ()) -> list[float]:
    """A value for each year: it grows by `drift` plus or minus `noise` a year, and by the year's shock."""
    values = [start]
    for step in range(1, len(YEARS)):
        shock = shocks[step] if shocks else 0.0
        values.append(values[-1] * max(0.4, 1 + drift + rng.uniform(-noise, noise) + shock))
    return values


def drift_within(rng: Random, low: float, high: float, step: float) -> list[float]:
    """A value for each year that changes by at most `step` a year and stays between `low` and `high`."""
    values = [rng.uniform(low, high)]
    for _ in YEARS[1:]:
        values.append(min(high, max(low, values[-1] + rng.uniform(-step, step))))
    return values


def shocks(rng: Random, probability: float, size: float) -> list[float]:
    """A shock for each year, mostly zero; likelier in the pandemic year, and half recovered in the next."""
    hit = [rng.random() < (2.5 * probability if year == 2020 else probability) for year in YEARS]
    falls = [-rng.uniform(0.3, 1.0) * size if is_hit else 0.0 for is_hit in hit]
    return [fall - 0.5 * last for fall, last in zip(falls, [0.0, *falls], strict=False)]


def split(total: int, weights: Sequence[int]) -> list[int]:
    """Whole parts of `total` in proportion to `weights` that add up to it exactly."""
    weight_sum, apportioned, shared, parts = sum(weights), 0, 0, []
    for weight in weights:
        shared += weight
        end = rounded(total * shared, weight_sum)
        parts.append(end - apportioned)
        apportioned = end
    return parts


def rounded(numerator: int, denominator: int) -> int:
    """The quotient rounded to a whole number, halves away from zero; `denominator` is positive."""
    sign = -1 if numerator < 0 else 1
    return sign * ((2 * abs(numerator) + denominator) // (2 * denominator))


def growth(now: int, before: int) -> int:
    """The change from `before` to `now` in tenths of a percent."""
    return rounded(1000 * (now - before), before)


def share(part: int, whole: int) -> int:
    """`part` of `whole` in tenths of a percent."""
    return rounded(1000 * part, whole)
