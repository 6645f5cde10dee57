"""Months as figures: 202106 stands for June 2021, which questions and answers write as 2021-06."""

from __future__ import annotations

import re
from calendar import month_abbr
from collections.abc import Iterator
from decimal import Decimal

from fathom.records.spans import Span
from fathom.tasks.tables.labels import MONTH_NAME

MONTH = "month"
"""The unit of a figure that is a month."""

_WRITTEN = re.compile(r"(\d{4})-(\d\d)")
_NAMES = [name.lower() for name in month_abbr]
_PRINTED = re.compile(
    r"(?<![\d/.-])(?P<iso>(?:1[89]|20)\d\d)[-/](?P<number>0[1-9]|1[0-2])(?![\d/-])"
    r"|(?P<chinese>(?:1[89]|20)\d\d) ?年 ?(?P<of>1[0-2]|0?[1-9]) ?月(?!\d|份?\d)"
    rf"|\b(?P<name>{MONTH_NAME})\.?,? (?P<year>(?:1[89]|20)\d\d)(?![\d-])",
    re.IGNORECASE,
)
_DAY_BEFORE = re.compile(r"\d(?:st|nd|rd|th)?(?: of)? ?$")


def month_text(value: Decimal) -> str:
    """The month as YYYY-MM."""
    year, month = divmod(int(value), 100)
    return f"{year:04}-{month:02}"


def month_value(text: str) -> Decimal | None:
    """The figure for a month written as YYYY-MM; None for any other text."""
    match = _WRITTEN.fullmatch(text)
    return Decimal(int(match[1]) * 100 + int(match[2])) if match and 1 <= int(match[2]) <= 12 else None


def printed_months(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[Span, Decimal]]:
    """The months that a part of a text names, as 2021-06, June 2021 or 2021年6月; full dates do not count."""
    for match in _PRINTED.finditer(text, start, len(text) if end is None else end):
        if match["name"] and _DAY_BEFORE.search(text, max(0, match.start() - 8), match.start()):
            continue
        year = match["iso"] or match["chinese"] or match["year"]
        name = (match["name"] or "")[:3].lower()
        month = _NAMES.index(name) if name else int(match["number"] or match["of"])
        yield Span(match.start(), match.end()), Decimal(int(year) * 100 + month)


def parse_month(text: str) -> tuple[Span, Decimal] | None:
    """The month that a text consists of, with its place; None if it has other words."""
    printed = next(printed_months(text), None)
    return printed if printed is not None and printed[0].of(text) == text.strip() else None
