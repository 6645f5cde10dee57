"""Publication dates."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

import pytest

from fathom.corpus.publication_dates import Month, publication_month
from fathom.records.documents import FieldName


@dataclass
class Document:
    published: date | None = None
    year: int | None = None
    ids: dict[str, str] = field(default_factory=dict)
    unknown: dict[FieldName, str] = field(default_factory=dict)


@pytest.mark.parametrize(
    ("document", "month"),
    [
        (Document(), None),
        (Document(year=2020), Month(2020)),
        (Document(published=date(2020, 5, 3)), Month(2020, 5)),
        (Document(published=date(2024, 5, 3), ids={"arxiv": "2107.03427"}), Month(2021, 7)),
        (Document(year=2021, ids={"arxiv": "2107.03427v2"}), Month(2021, 7)),
        (Document(year=2019, ids={"arxiv": "2107.03427"}), Month(2019)),
        (Document(ids={"arxiv": "arXiv:0704.0001"}), Month(2007, 4)),
        (Document(ids={"arxiv": "hep-th/9901001"}), None),
        (Document(ids={"arxiv": "2113.00001"}), None),
        (Document(year=2020, published=date(2020, 5, 3), unknown={"year": "two dates"}), None),
    ],
)
def test_uses_the_earliest_publication_date(document: Document, month: Month | None) -> None:
    assert publication_month(document) == month


@pytest.mark.parametrize(
    ("one", "other", "before"),
    [
        (Month(2023), Month(2024, 6), True),
        (Month(2024), Month(2024, 6), False),
        (Month(2024, 5), Month(2024, 6), True),
        (Month(2024, 6), Month(2024, 6), False),
        (Month(2025, 1), Month(2024, 6), False),
    ],
)
def test_compares_months_only_where_certain(one: Month, other: Month, before: bool) -> None:
    assert one.is_before(other) is before
    assert Month.parse("2024-06") == Month(2024, 6)
