"""The result of a self-test."""

from __future__ import annotations

from fathom.records.documents import Count
from fathom.records.record import Record


class FieldScore(Record):
    """One field of one format."""

    written: Count
    read: Count
    precision: float
    recall: float


class SelfTest(Record):
    """How much of known truth each reader gives back."""

    documents: Count
    """Generated articles, written in every format except iXBRL."""
    reports: Count = 0
    """Generated company reports, written as iXBRL filings."""
    refused: dict[str, Count]
    """Documents that a reader could not read, by format."""
    formats: dict[str, dict[str, FieldScore]]
