"""Publication dates of documents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import NamedTuple, Protocol

from fathom.records.documents import FieldName

_ARXIV = re.compile(r"(?:arxiv:)?(?P<year>\d{2})(?P<month>0[1-9]|1[0-2])\.\d{4,5}(?:v\d+)?", re.IGNORECASE)
"""An arXiv identifier since April 2007 contains the month of publication."""


class Month(NamedTuple):
    """A month, or a year without a known month."""

    year: int
    month: int | None = None

    def is_before(self, other: Month) -> bool:
        """Whether it is certainly before the other; false for the same month, and for a year that may include it."""
        if self.year != other.year:
            return self.year < other.year
        return self.month is not None and other.month is not None and self.month < other.month

    @classmethod
    def parse(cls, text: str) -> Month:
        """The month of a string such as "2024-06"."""
        year, _, month = text.partition("-")
        return cls(int(year), int(month))


class PublicationMetadata(Protocol):
    """A record with publication metadata."""

    @property
    def published(self) -> date | None: ...

    @property
    def year(self) -> int | None: ...

    @property
    def ids(self) -> dict[str, str]: ...

    @property
    def unknown(self) -> Mapping[FieldName, str]: ...


def arxiv_month(ids: Mapping[str, str]) -> Month | None:
    """The month of the arXiv identifier; None if there is no identifier, or one of the old form."""
    number = _ARXIV.fullmatch(ids.get("arxiv", "").strip())
    return Month(2000 + int(number["year"]), int(number["month"])) if number else None


def publication_month(document: PublicationMetadata) -> Month | None:
    """The publication month: the earliest of date, arXiv identifier and year; None if there is none."""
    months: list[Month] = []
    dated = "year" not in document.unknown
    if dated and document.published is not None:
        months.append(Month(document.published.year, document.published.month))
    submitted = arxiv_month(document.ids)
    if submitted:
        months.append(submitted)
    if dated and document.year is not None:
        months.append(Month(document.year))
    return min(months, key=lambda month: (month.year, month.month or 13), default=None)
