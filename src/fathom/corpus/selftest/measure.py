"""Precision and recall of each field after reading back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass

from fathom.records.documents import Document, Fact, Reference

MEASURED = (
    "title",
    "authors",
    "abstract",
    "headings",
    "paragraphs",
    "citations",
    "references",
    "reference titles",
    "reference years",
    "reference ids",
    "cells",
    "captions",
    "facts",
)


@dataclass
class Agreement:
    """How many parts were written, how many were read, how many are the same."""

    written: int = 0
    read: int = 0
    same: int = 0

    def add(self, written: Iterable[Hashable], read: Iterable[Hashable]) -> None:
        """Compare two lists whose order does not matter; repeats count."""
        one, two = Counter(written), Counter(read)
        self.written += one.total()
        self.read += two.total()
        self.same += (one & two).total()

    @property
    def precision(self) -> float:
        return self.same / self.read if self.read else 1.0

    @property
    def recall(self) -> float:
        return self.same / self.written if self.written else 1.0


def compare(
    written: Document, read: Document | None, into: dict[str, Agreement], shown: Callable[[str], str] = str
) -> None:
    """Count what of a document came back; `shown` is what the format can show of a text."""

    def form(text: str) -> str:
        return _form(shown(text))

    for name in MEASURED:
        came = _parts(read, name, form) if read is not None else []
        into.setdefault(name, Agreement()).add(_parts(written, name, form), came)


def _parts(document: Document, name: str, form: Callable[[str], str]) -> list[Hashable]:
    text = document.text
    match name:
        case "title":
            return [form(document.title_text)]
        case "authors":
            return [(author.position, form(author.span.of(text))) for author in document.authors]
        case "abstract":
            return [form(document.abstract.of(text))] if document.abstract is not None else []
        case "headings":
            return [
                form(section.heading.of(text))
                for section in document.sections
                if section.heading is not None and section.role not in ("abstract", "references")
            ]
        case "paragraphs":
            return [form(span.of(text)) for span in document.paragraphs]
        case "citations":
            names = [_name(document, reference, form) for reference in document.references]
            return [names[one.reference - 1] if one.reference is not None else None for one in document.citations]
        case "references":
            return ["an entry" for _ in document.references]
        case "reference titles":
            return [form(r.title.of(text)) for r in document.references if r.title is not None]
        case "reference years":
            return [(_name(document, r, form), r.year) for r in document.references if r.year is not None]
        case "reference ids":
            return [(_name(document, r, form), *pair) for r in document.references for pair in r.ids.items()]
        case "cells":
            return [(cell.row, cell.column, form(cell.span.of(text))) for t in document.tables for cell in t.cells]
        case "facts":
            # Research documents have facts as well, but only filings say them so that a machine can read them.
            return [_fact(fact) for fact in document.facts] if document.kind == "report" else []
        case _:
            return [form(table.caption.of(text)) for table in document.tables if table.caption is not None]


def _fact(fact: Fact) -> Hashable:
    """What a fact says, as the generator says it: filings spell out days and concepts and count in shares of one."""
    value, unit = fact.value, fact.unit.partition("/")[0]
    if unit == "pure":
        value, unit = value * 100 if value is not None else None, "%"
    return fact.attribute.rpartition(":")[2], _period(fact.period), value, unit, fact.part.rpartition("=")[2]


def _period(period: str) -> str:
    """A year or a quarter, told by its days; a day is the last of its year."""
    start, _, end = period.rpartition("/")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", end):
        return period
    if not start or (start[:4] == end[:4] and start[4:] == "-01-01" and end[4:] == "-12-31"):
        return end[:4]
    return f"{end[:4]}-Q{(int(end[5:7]) + 2) // 3}"


def _name(document: Document, reference: Reference, form: Callable[[str], str]) -> str:
    """What a reference is called whatever its place: formats with a bibliography of their own sort it as they like."""
    return form(reference.title.of(document.text)) if reference.title is not None else f"number {reference.number}"


def _form(text: str) -> str:
    """Letters and digits alone: how a format breaks lines, joins brackets or draws dashes is no fault of reading."""
    return re.sub(r"[\W_]+", " ", text).strip().casefold()
