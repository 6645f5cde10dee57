"""Written dates: days and months of a year, in a byline or at the end of a title."""

from __future__ import annotations

import re
from datetime import date
from typing import NamedTuple

from fathom.corpus.readers.parsing.text_cleanup import calendar_date
from fathom.corpus.readers.words import read_words
from fathom.records.names import without_accents

_MONTHS = {
    name: number for number, names in enumerate(read_words("titles")["months"], start=1) for name in names.split()
}
_ACCENTED = ("märz", "février", "août", "décembre", "março")
MONTH = rf"(?i:{'|'.join(sorted((*_MONTHS, *_ACCENTED), key=len, reverse=True))})"
"""A pattern for the name of a month."""
_YEAR = r"(?:1[5-9]|20)\d\d"
DATE = re.compile(
    rf"\b(?P<iso>{_YEAR}[-/.](?:0?[1-9]|1[0-2])[-/.](?:0?[1-9]|[12]\d|3[01]))(?![\d-])"
    rf"|\b(?P<day>[0-3]?\d)(?:st|nd|rd|th|\.)?(?: of| de)?[ -](?P<month>{MONTH})\.?,?(?: de)?[ -](?P<year>{_YEAR})\b"
    rf"|\b(?P<us_month>{MONTH})\.? (?P<us_day>[0-3]?\d)(?:st|nd|rd|th)?,? (?P<us_year>{_YEAR})\b"
    rf"|\b(?P<only_month>{MONTH})\.?,?(?: of| de)? (?P<only_year>{_YEAR})\b"
    r"|(?P<zh_year>\d{4})\s?年\s?(?P<zh_month>\d{1,2})\s?月(?:\s?(?P<zh_day>\d{1,2})\s?日)?"
)
"""A complete date, or a month with its year; `read_date` checks the number of the day."""


class WrittenDate(NamedTuple):
    """A date that may lack its day."""

    year: int
    day: date | None


def read_date(match: re.Match[str]) -> WrittenDate | None:
    """Return the date in a match of `DATE`; None if there is no such day."""
    parts = match.groupdict()
    if parts["iso"]:
        day = calendar_date(*re.split(r"[-/.]", parts["iso"]))
        return WrittenDate(day.year, day) if day else None
    year = next(filter(None, (parts[name] for name in ("year", "us_year", "only_year", "zh_year"))), "")
    word = next(filter(None, (parts[name] for name in ("month", "us_month", "only_month"))), "")
    month = int(parts["zh_month"]) if parts["zh_month"] else _MONTHS.get(without_accents(word).casefold(), 0)
    if not 1 <= month <= 12:
        return None  # in digits, as in 2021年13月
    number = parts["day"] or parts["us_day"] or parts["zh_day"]
    day = calendar_date(year, month, number) if number else None
    return WrittenDate(int(year), day) if day or not number else None


def without_dates(text: str, instead: str) -> str:
    """Return a text with other characters in the place of its dates."""
    return DATE.sub(lambda match: instead if read_date(match) else match[0], text)
