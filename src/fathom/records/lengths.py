"""Lengths in tokens as strings: 64K is 65,536, 1M is 1,048,576."""

from __future__ import annotations

import re

from fathom.records.errors import FathomError

_UNITS = {"": 1, "K": 1024, "M": 1024 * 1024}
_LENGTH = re.compile(r"(\d+(?:\.\d+)?)\s*([KM]?)", re.IGNORECASE | re.ASCII)


def parse_length(text: str) -> int:
    """The number of tokens of "64K", "1.5M" or "3000"."""
    match = _LENGTH.fullmatch(text.strip())
    if match is None:
        raise FathomError(f"'{text}' is not a length. Give a number of tokens such as 3000, 64K or 1M (K is 1,024).")
    length = float(match[1]) * _UNITS[match[2].upper()]
    if not 1 <= length < 2**53:
        raise FathomError(f"The length '{text}' is out of range. Give a number of tokens such as 3000, 64K or 1M.")
    return int(length)


def format_length(tokens: int) -> str:
    """A number of tokens in its shortest form: "64K" for 65,536, "3000" for 3,000."""
    for unit in ("M", "K"):
        if tokens % _UNITS[unit] == 0:
            return f"{tokens // _UNITS[unit]}{unit}"
    return str(tokens)
