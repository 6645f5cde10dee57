"""Random series of figures, and exact splitting and rounding of whole numbers.

Only sums, products and uniform draws: logarithms and similar functions may differ in the last bit between machines.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from fathom.corpus.generated.reports.ledger import YEARS


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
    whole, given, shared, parts = sum(weights), 0, 0, []
    for weight in weights:
        shared += weight
        end = rounded(total * shared, whole)
        parts.append(end - given)
        given = end
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
