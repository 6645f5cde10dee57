"""The order in which the values of a tag are listed."""

from __future__ import annotations

from collections.abc import Sequence


def value_order(value: str, declared: Sequence[str] = ()) -> tuple[int, float, str]:
    """Sort key of a tag's values: declared ones in their order, lengths and ranges by number, others by name."""
    if value in declared:
        return 0, declared.index(value), value
    digits = value.replace("+", "-").split("-")[0].rstrip("KM")
    if digits.replace(".", "", 1).isdigit():
        scale = 1_000_000 if value.endswith("M") else 1_000 if value.endswith("K") else 1
        return 1, float(digits) * scale, value
    return 2, 0.0, value
