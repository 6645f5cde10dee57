"""Constants of questions that make the answer unambiguous, and the values between which they are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from itertools import pairwise
from random import Random
from statistics import median_low

from fathom.tasks.programs import tree
from fathom.tasks.programs.database import Database
from fathom.tasks.tables.wording import QuantityCondition

CLEAR_MARGIN = Decimal("0.01")
"""A constant differs from every value by this share of the value: rounded figures lead to the same answer."""

BEYOND = 2.0
"""A constant that nothing exceeds is below this multiple of the largest value."""
SELECTIVE = 0.6
"""Conditions that few values meet, so that an extreme constant does not imply an empty answer."""
FEW = 3

MAX_DIGITS = 3
"""Significant digits of a constant: more look contrived."""


def condition_of(tests: Sequence[QuantityCondition]) -> tree.Condition:
    """The condition that all tests are met."""
    first, *others = tests
    condition = _condition(first)
    for test in others:
        condition = tree.And(condition, _condition(test))
    return condition


def _condition(test: QuantityCondition) -> tree.Condition:
    value = to_number(test.value) if isinstance(test.value, Decimal) else test.value.measure
    return tree.Compare(test.quantity.measure, test.sign, value)  # type: ignore[arg-type]


def opposite(test: QuantityCondition) -> tree.Condition:
    """The condition that the test is not met; no value is equal to its constant."""
    assert isinstance(test.value, Decimal)
    return tree.Compare(test.quantity.measure, "<=" if test.sign == ">" else ">=", to_number(test.value))


def to_number(value: Decimal) -> int | float:
    """A constant as a number for programs."""
    return int(value) if value == value.to_integral() else float(value)


def measure_values(database: Database, measure: tree.Measure) -> list[float | None]:
    """The value of each row."""
    return database.evaluation.view(database.schema.main).values(measure)


def rows_where(database: Database, condition: tree.Condition) -> list[bool]:
    """For each row, whether it meets the condition."""
    view = database.evaluation.view(database.schema.main)
    mask = view.mask(condition)
    return [bool(mask >> index & 1) for index in range(len(database.rows[database.schema.main.name]))]


def is_plain_percentage(value: Decimal, values: Sequence[float | None]) -> bool:
    """Whether a percentage has at most one decimal, and is below 100% if all of its values are.

    A constant such as 0.0501% would look artificial, and a share above 100% can be ruled out without the documents.
    """
    return value == round(value, 1) and (value < 100 or any(other is not None and other > 100 for other in values))


def is_close(left: float, right: float, floor: float = 0.0) -> bool:
    """Whether rounded figures may make two values equal; always if they differ by less than `floor`."""
    return abs(left - right) <= max(float(CLEAR_MARGIN) * max(abs(left), abs(right), 1e-9), floor)


def constant_between(
    values: Sequence[float | None],
    rng: Random,
    positive: bool = False,
    least: int = 1,
    floor: float = 0.0,
    sign: str = ">",
    few: int = 0,
) -> Decimal | None:
    """A round number with at least `least` of the values on either side; with `positive`, of the values above zero.

    It differs from every value by at least `floor`. With `few`, it is often one of those that the fewest values are
    above, or below if the sign is "<".
    """
    sides = sorted({value for value in values if value is not None and (not positive or value > 0)})
    positions = list(range(0 if positive else least, len(sides) + 1 - max(least, 1)))
    rng.shuffle(positions)
    if few and rng.random() < SELECTIVE:
        outer = positions and (sorted(positions)[-few:] if sign == ">" else sorted(positions)[:few])
        positions.sort(key=lambda position: position not in outer)
    for position in positions:
        low = sides[position - 1] if position else 0.0
        constant = _round_between(low, sides[position], rng, floor)
        # A bound of 0.005% among values around 1% would look artificial.
        if constant is not None and abs(constant) * 10 >= Decimal(abs(sides[len(sides) // 2])):
            return constant
    return None


def constant_beyond(values: Sequence[float | None], sign: str, rng: Random) -> Decimal | None:
    """A round number that no value is above, or none is below.

    It is as far from the extreme, and so as round, as constants between two neighboring values are from these.
    """
    sides = sorted(value for value in values if value is not None and value > 0)
    lowest = min((value for value in values if value is not None), default=0.0)
    if not sides or (sign == "<" and lowest <= 0):
        return None  # Constants below zero are not used.
    steps = [min(BEYOND, high / low) for low, high in pairwise(sides)]
    rng.shuffle(steps)
    spans = ((sides[-1], sides[-1] * step) if sign == ">" else (lowest / step, lowest) for step in steps)
    return next((constant for span in spans if (constant := _round_between(*span, rng)) is not None), None)


def constant_apart(
    met: Sequence[float], unmet: Sequence[float], sign: str, rng: Random, least: int = 1, floor: float = 0.0
) -> Decimal | None:
    """A positive round number that at least `least` values of `met` are beyond, and none of `unmet` is."""
    if not unmet:  # there is nothing to compare with
        return None
    if sign == ">":
        limit = max(*unmet, 0.0)
        ends = [limit, *sorted(value for value in met if value > limit)]
        gaps = [gap for index, gap in enumerate(pairwise(ends), start=1) if len(ends) - index >= least]
    else:
        limit = min(unmet)
        ends = [0.0, *sorted(value for value in met if 0 < value < limit), max(limit, 0.0)]
        negative = sum(value <= 0 for value in met)
        gaps = [gap for index, gap in enumerate(pairwise(ends)) if negative + index >= least]
    rng.shuffle(gaps)
    constant = next((candidate for gap in gaps if (candidate := _round_between(*gap, rng, floor)) is not None), None)
    # A bound of 0.005% among values around 1% would look artificial.
    return constant if constant is not None and constant * 10 >= Decimal(abs(median_low([*met, *unmet]))) else None


def _round_between(low: float, high: float, rng: Random, floor: float = 0.0) -> Decimal | None:
    """The roundest number that is clearly above `low` and clearly below `high`; None if they are too close."""
    first, last = Decimal(repr(low)), Decimal(repr(high))
    first += max(abs(first) * CLEAR_MARGIN, Decimal(repr(floor)))
    last -= max(abs(last) * CLEAR_MARGIN, Decimal(repr(floor)))
    if first >= last:
        return None
    middle = (first + last) / 2
    for digits in range(1, MAX_DIGITS + 1):
        step = Decimal(1).scaleb(middle.adjusted() - digits + 1) if middle else Decimal(1)
        fits = [candidate for candidate in _steps(middle, step) if first < candidate < last]
        if fits:
            return rng.choice(fits).normalize() + 0
    return None


def _steps(middle: Decimal, step: Decimal) -> Iterator[Decimal]:
    base = (middle / step).to_integral_value(ROUND_HALF_EVEN) * step
    yield from (base - step, base, base + step)
