"""Lengths in tokens as strings: 64K is 65,536, 1M is 1,048,576."""

from __future__ import annotations

import re

from fathom.records.errors import FathomError

_POWERS = {"": 0, "K": 1, "M": 2}
_LENGTH = re.compile(r"(\d+(?:\.\d+)?)\s*([KM]?)", re.IGNORECASE | re.ASCII)


def parse_length(text: str, thousand: int = 1024) -> int:
    """The number of tokens of "64K", "1.5M" or "3000"."""
    match = _LENGTH.fullmatch(text.strip())
    if match is None:
        raise FathomError(f"'{text}' is not a length. Give a number of tokens such as 3000, 64K or 1M (K is 1,024).")
    length = float(match[1]) * thousand ** _POWERS[match[2].upper()]
    if not 1 <= length < 2**53:
        raise FathomError(f"The length '{text}' is out of range. Give a number of tokens such as 3000, 64K or 1M.")
    return int(length)


def format_length(tokens: int) -> str:
    """A number of tokens in its shortest form: "64K" for 65,536, "3000" for 3,000."""
    for unit in ("M", "K"):
        size = 1024 ** _POWERS[unit]
        if tokens % size == 0:
            return f"{tokens // size}{unit}"
    return str(tokens)
