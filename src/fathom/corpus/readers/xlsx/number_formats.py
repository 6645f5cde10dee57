"""Numbers of a workbook as they are displayed: dates, times and percentages by number format."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from fathom.corpus.readers.parsing.xml_trees import Element
from fathom.corpus.readers.parsing.zip_parts import attribute, child

_DATES = frozenset((*range(14, 18), *range(27, 32), 34, 35, 36, *range(50, 59)))
"""Numbers of the built-in formats for dates; the others are of East Asian versions."""
_TIMES = frozenset((18, 19, 20, 21, 32, 33, 45, 46, 47))
_PERCENT = {9: 0, 10: 2}
_LITERAL = re.compile(r"\"[^\"]{0,200}\"|\\.|_.|\*.|\[(?!h|hh|m|mm|s|ss)[^\]]{0,100}\]", re.IGNORECASE)


@dataclass(frozen=True)
class NumberFormat:
    """How a cell displays its number."""

    date: bool = False
    time: bool = False
    percent_digits: int | None = None


def cell_formats(styles: Element | None) -> list[NumberFormat]:
    """Return the number format of each cell style."""
    defined = child(styles, "numFmts")
    codes = {
        attribute(one, "numFmtId"): attribute(one, "formatCode") for one in (defined if defined is not None else ())
    }
    cells = child(styles, "cellXfs")
    return [_format(attribute(cell, "numFmtId"), codes) for cell in (cells if cells is not None else ())]


def _format(id: str, codes: dict[str, str]) -> NumberFormat:
    number = int(id) if re.fullmatch(r"\d{1,6}", id) else 0
    if id not in codes:
        return NumberFormat(number in _DATES or number == 22, number in _TIMES or number == 22, _PERCENT.get(number))
    code = _LITERAL.sub("", codes[id][:500].partition(";")[0]).lower()
    if "%" in code:
        decimals = re.search(r"\.([0#?]+)", code)
        return NumberFormat(percent_digits=len(decimals[1]) if decimals else 0)
    if "general" in code:
        return NumberFormat()
    time = "h" in code or "s" in code
    return NumberFormat("y" in code or "d" in code or ("m" in code and not time), time)


_ZERO_1900, _ZERO_1904 = datetime(1899, 12, 30), datetime(1904, 1, 1)
_LAST_DAY = 2_958_465
"""December 31, 9999."""


def displayed(text: str, form: NumberFormat, from_1904: bool) -> str:
    """Return a stored number as text."""
    try:
        number = float(text)
    except ValueError:
        return text
    if form.date or form.time:
        return _moment(number, form, from_1904) or _plain(text, number)
    if form.percent_digits is not None:
        return f"{number * 100:.{min(form.percent_digits, 10)}f}%"
    return _plain(text, number)


def _plain(text: str, number: float) -> str:
    """Return a number without the noise of binary fractions: 0.1 for 0.10000000000000001."""
    if number.is_integer() and abs(number) < 1e15:
        return str(int(number))
    return repr(number) if len(text) > 15 or "e" in text.lower() else text


def _moment(number: float, form: NumberFormat, from_1904: bool) -> str:
    """Return a date, a time or both; empty if the number is neither."""
    if not 0 <= number <= _LAST_DAY:
        return ""
    # The calendar of 1900 has a February 29, so days before it are one later.
    zero = _ZERO_1904 if from_1904 else _ZERO_1900 + timedelta(days=number < 60)
    moment = zero + timedelta(seconds=round(number * 86_400))
    if form.time and (not form.date or number < 1):
        return f"{moment:%H:%M:%S}".removesuffix(":00")
    if form.time:
        return f"{moment:%Y-%m-%d %H:%M:%S}".removesuffix(":00")
    return f"{moment.year:04}-{moment.month:02}-{moment.day:02}"
