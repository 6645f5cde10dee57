"""Records of the self-test's result."""

from __future__ import annotations

from fathom.records.documents import Count
from fathom.records.record import Record


class FieldScore(Record):
    """Agreement between written and read values of one field in one format."""

    written: Count
    """Number of values in the generated documents."""
    read: Count
    """Number of values in the documents read back."""
    precision: float
    """Share of the values read that were written."""
    recall: float
    """Share of the values written that were read."""


class SelfTest(Record):
    """Field scores of each reader on generated documents."""

    documents: Count
    """Generated articles, written in every format except iXBRL."""
    reports: Count = 0
    """Generated company reports, written as iXBRL filings."""
    refused: dict[str, Count]
    """Documents that a reader could not read, by format."""
    formats: dict[str, dict[str, FieldScore]]
    """Scores by format and field."""
