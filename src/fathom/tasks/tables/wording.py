"""The interface for the wording of questions, implemented by `wording_en` and `wording_zh`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from fathom.tasks.tables.pack import Language
from fathom.tasks.tables.quantities import LARGER_UNITS, Quantity


@dataclass(frozen=True)
class QuantityCondition:
    """A condition on one quantity: above or below a value, or above another quantity of the same entity."""

    quantity: Quantity
    sign: str
    value: Decimal | Quantity


_PLURAL_UNIT = re.compile(r"^( ?(?:percentage )?[a-z]{2,})s(?![a-z])")
"""Units that count: "days", "births/1,000 population"."""


class LanguageWording(Protocol):
    """The sentences of a language."""

    def scope(self, left_out: Sequence[str], named: Sequence[str] = ()) -> str: ...
    def definition(self, quantity: Quantity) -> str: ...
    def listing(self, tests: Sequence[QuantityCondition]) -> str: ...
    def counting(self, tests: Sequence[QuantityCondition]) -> str: ...
    def share(self, tests: Sequence[QuantityCondition]) -> str:
        """The percentage of the entities that meet the conditions."""
        ...

    def top(self, quantity: Quantity, count: int, highest: bool) -> str: ...
    def single(self, quantity: Quantity, highest: bool) -> str:
        """The one entity with the highest or lowest value."""
        ...

    def total(self, quantity: Quantity) -> str: ...
    def total_growth(self, quantity: Quantity) -> str:
        """The growth of the sum over all entities."""
        ...

    def pooled(self, quantity: Quantity) -> str:
        """A quotient of two sums over all entities."""
        ...

    def average(self, quantity: Quantity, tests: Sequence[QuantityCondition]) -> str: ...
    def group_difference(self, group: QuantityCondition, quantity: Quantity) -> str:
        """The mean of a group minus the mean of the other entities."""
        ...

    def above_group_average(
        self, group: QuantityCondition, quantity: Quantity, margin: Decimal, counted: bool
    ) -> str: ...
    def month_of_first(self, month: Quantity, quantity: Quantity, highest: bool) -> str:
        """The month of the entity with the highest or lowest value."""
        ...

    def extreme_month(self, month: Quantity, earliest: bool, test: QuantityCondition) -> str:
        """The earliest or latest month of the entities that meet a condition."""
        ...

    def missing(self) -> str: ...


def number(value: Decimal) -> str:
    """A number with thousands separators and no trailing zeros."""
    plain = value.normalize()
    exponent = plain.as_tuple().exponent
    assert isinstance(exponent, int)
    return f"{plain:,f}" if exponent <= 0 else f"{int(plain):,}"


def with_unit(value: Decimal, unit: str) -> str:
    """A constant with its unit; large amounts of money as people write them: 2 billion USD for 2,000 million USD."""
    for small, (large, times) in LARGER_UNITS.items():
        if unit.startswith(small) and abs(value) >= times:
            value, unit = value / times, large + unit.removeprefix(small)
    if abs(value) == 1:
        unit = _PLURAL_UNIT.sub(r"\1", unit)
    tight = unit in ("", "%") or unit.startswith(" ") or "\u4e00" <= unit[0] <= "\u9fff"
    return f"{number(value)}{'' if tight else ' '}{unit}"


def sentences(parts: Iterable[str], language: Language) -> str:
    """The sentences of a question, joined."""
    return ("" if language == "zh" else " ").join(part for part in parts if part)
