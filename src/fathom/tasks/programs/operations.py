"""Comparisons, arithmetic and aggregates on cells, as SQLite computes them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_UP, Decimal
from math import fmod
from typing import Any


def or_null(
    combine: Callable[[Any, Any], Any], undefined: tuple[type[Exception], ...] = (ZeroDivisionError,)
) -> Callable[[Any, Any], Any]:
    """The operation as SQL has it: NULL if an operand is NULL or the result is not defined."""

    def combined(left: Any, right: Any) -> Any:
        try:
            return None if left is None or right is None else combine(left, right)
        except undefined:
            return None

    return combined


def _remainder(left: int, right: int) -> int:
    """The remainder with the sign of the dividend, as in SQLite."""
    if right == 0:
        raise ZeroDivisionError
    return int(fmod(left, right))


COMBINE: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": _remainder,
}
CONTAINS: dict[str, Callable[[str, str], bool]] = {
    "anywhere": operator.contains,
    "start": str.startswith,
    "end": str.endswith,
}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_FUNCTIONS: dict[str, Callable[[list[Any]], Any]] = {
    "MAX": max,
    "MIN": min,
    "SUM": sum,
    "AVG": lambda values: sum(values) / len(values),
}


def aggregate(function: str, values: Iterable[Any]) -> Any:
    known_values = [value for value in values if value is not None]
    return _FUNCTIONS[function](known_values) if known_values else None


def rounded(values: list[Any], digits: int | None) -> list[Any]:
    if digits is None:
        return values
    # SQLite rounds halves away from zero; Python's round() rounds them to even.
    step = Decimal(1).scaleb(-digits)
    return [None if value is None else float(Decimal(value).quantize(step, rounding=ROUND_HALF_UP)) for value in values]
