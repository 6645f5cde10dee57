"""Precision and recall of each field after reading back, and the records of the self-test's result."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

from fathom.records.documents import Document, Fact, FieldName, NonNegativeInt, Reference
from fathom.records.record import Record


class FieldScore(Record):
    """Agreement between written and read values of one field in one format."""

    written: NonNegativeInt
    """Number of values in the generated documents."""
    read: NonNegativeInt
    """Number of values in the documents read back."""
    precision: float
    """Share of the values read that were written."""
    recall: float
    """Share of the values written that were read. Those of unknown fields are not counted here: they are not wrong."""
    unknown: float = 0.0
    """Share of the values written whose field is unknown in the document that was read."""


class SelfTest(Record):
    """Field scores of each reader on generated documents."""

    documents: NonNegativeInt
    """Generated articles, written in every format except iXBRL."""
    reports: NonNegativeInt = 0
    """Generated company reports, written as iXBRL filings."""
    refused: dict[str, NonNegativeInt]
    """Documents that a reader could not read, by format."""
    formats: dict[str, dict[str, FieldScore]]
    """Scores by format and field."""


MEASURED = (
    *("title", "authors", "abstract", "headings", "paragraphs", "citations", "references", "reference titles"),
    *("reference years", "reference ids", "cells", "captions", "facts"),
)


_FIELDS: dict[str, FieldName] = {
    "title": "title",
    "authors": "authors",
    "abstract": "abstract",
    "headings": "sections",
    "citations": "citations",
    "references": "references",
    "reference titles": "references",
    "reference years": "references",
    "reference ids": "references",
    "cells": "tables",
    "captions": "tables",
}
"""The field of a document whose state says whether a measured value is known."""


@dataclass
class FieldAgreement:
    """Numbers of values written, values read, values in both, and values written whose field is unknown."""

    written: int = 0
    read: int = 0
    same: int = 0
    unknown: int = 0

    def add(self, written: Iterable[Hashable], read: Iterable[Hashable]) -> None:
        """Add the counts of two multisets of values."""
        expected, actual = Counter(written), Counter(read)
        self.written += expected.total()
        self.read += actual.total()
        self.same += (expected & actual).total()

    def add_unknown(self, written: Sequence[Hashable]) -> None:
        """Add values of a field that is unknown in the document that was read."""
        self.written += len(written)
        self.unknown += len(written)

    def score(self) -> FieldScore:
        precision = round(self.same / self.read, 4) if self.read else 1.0
        known = self.written - self.unknown
        recall = round(self.same / known, 4) if known else 1.0
        unknown = round(self.unknown / self.written, 4) if self.written else 0.0
        return FieldScore(written=self.written, read=self.read, precision=precision, recall=recall, unknown=unknown)


def compare(
    written: Document, read: Document | None, counts: dict[str, FieldAgreement], printable: Callable[[str], str] = str
) -> None:
    """Add a document's agreement to `counts`, by field. `printable` reduces a text to what the format can show."""

    def normalize(text: str) -> str:
        return _normalize(printable(text))

    for name in MEASURED:
        expected = _values(written, name, normalize)
        agreement = counts.setdefault(name, FieldAgreement())
        if read is not None and name in _FIELDS and read.state(_FIELDS[name]) == "unknown":
            # Values of an unknown field are not used, so they are neither right nor wrong.
            agreement.add_unknown(expected)
        else:
            agreement.add(expected, _values(read, name, normalize) if read is not None else [])


def _values(document: Document, name: str, normalize: Callable[[str], str]) -> list[Hashable]:
    """Return the values of one field, comparable across formats."""
    text = document.text
    match name:
        case "title":
            return [normalize(document.title_text)]
        case "authors":
            return [(author.position, normalize(author.span.of(text))) for author in document.authors]
        case "abstract":
            return [normalize(document.abstract.of(text))] if document.abstract is not None else []
        case "headings":
            return [
                _HEADING_NUMBER.sub("", normalize(section.heading.of(text)))
                for section in document.sections
                if section.heading is not None and section.role not in ("abstract", "references")
            ]
        case "paragraphs":
            return [normalize(span.of(text)) for span in document.paragraphs]
        case "citations":
            names = [_reference_name(document, reference, normalize) for reference in document.references]
            return [
                names[citation.reference - 1] if citation.reference is not None else None
                for citation in document.citations
            ]
        case "references":
            return ["reference" for _ in document.references]
        case "reference titles":
            return [normalize(r.title.of(text)) for r in document.references if r.title is not None]
        case "reference years":
            return [
                (_reference_name(document, r, normalize), r.year) for r in document.references if r.year is not None
            ]
        case "reference ids":
            return [
                (_reference_name(document, r, normalize), *pair) for r in document.references for pair in r.ids.items()
            ]
        case "cells":
            return [(cell.row, cell.column, normalize(cell.span.of(text))) for t in document.tables for cell in t.cells]
        case "facts":
            # Articles have facts as well, but no format of theirs tags them.
            # A filing tags numbers, and a month is not a number.
            numbers = [fact for fact in document.facts if fact.unit != "month"]
            return [_fact(fact) for fact in numbers] if document.kind == "report" else []
        case _:
            return [normalize(table.caption.of(text)) for table in document.tables if table.caption is not None]


def _fact(fact: Fact) -> Hashable:
    """Return a fact in the generator's terms. Filings have prefixed concepts, dates for periods, and 0.05 for 5%."""
    value, unit = fact.value, fact.unit.partition("/")[0]
    if unit == "pure":
        value, unit = value * 100 if value is not None else None, "%"
    return fact.attribute.rpartition(":")[2], _period(fact.period), value, unit, fact.part.rpartition("=")[2]


def _period(period: str) -> str:
    """Return the year or quarter between two dates. A single date is the last day of its year."""
    start, _, end = period.rpartition("/")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", end):
        return period
    if not start or (start[:4] == end[:4] and start[4:] == "-01-01" and end[4:] == "-12-31"):
        return end[:4]
    return f"{end[:4]}-Q{(int(end[5:7]) + 2) // 3}"


def _reference_name(document: Document, reference: Reference, normalize: Callable[[str], str]) -> str:
    """Return the title of a reference. Its number is not an identity: BibTeX formats sort their bibliographies."""
    return normalize(reference.title.of(document.text)) if reference.title is not None else f"number {reference.number}"


_HEADING_NUMBER = re.compile(r"^(?:\d{1,2}(?: \d{1,2})?|[ivx]{1,5}|[a-z]) ")
"""The number that some layouts print before a heading."""


def _normalize(text: str) -> str:
    """Return letters and digits only: formats differ in line breaks, brackets and dashes."""
    return re.sub(r"[\W_]+", " ", text).strip().casefold()
