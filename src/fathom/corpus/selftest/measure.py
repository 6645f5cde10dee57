"""What came back of what was written out: precision and recall for each field."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from fathom.records.articles import Article, Reference

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


def compare(written: Article, read: Article, into: dict[str, Agreement]) -> None:
    """Count what of an article came back."""
    for name in MEASURED:
        into.setdefault(name, Agreement()).add(_parts(written, name), _parts(read, name))


def _parts(article: Article, name: str) -> list[Hashable]:
    text = article.text
    match name:
        case "title":
            return [_form(article.title_text)]
        case "authors":
            return [(author.position, _form(author.span.of(text))) for author in article.authors]
        case "abstract":
            return [_form(article.abstract.of(text))] if article.abstract is not None else []
        case "headings":
            return [
                _form(section.heading.of(text))
                for section in article.sections
                if section.heading is not None and section.role not in ("abstract", "references")
            ]
        case "paragraphs":
            return [_form(span.of(text)) for span in article.paragraphs]
        case "citations":
            names = [_name(article, reference) for reference in article.references]
            return [names[one.reference - 1] if one.reference is not None else None for one in article.citations]
        case "references":
            return ["an entry" for _ in article.references]
        case "reference titles":
            return [_form(r.title.of(text)) for r in article.references if r.title is not None]
        case "reference years":
            return [(_name(article, r), r.year) for r in article.references if r.year is not None]
        case "reference ids":
            return [(_name(article, r), *pair) for r in article.references for pair in r.ids.items()]
        case "cells":
            return [(cell.row, cell.column, _form(cell.span.of(text))) for t in article.tables for cell in t.cells]
        case _:
            return [_form(table.caption.of(text)) for table in article.tables if table.caption is not None]


def _name(article: Article, reference: Reference) -> str:
    """What a reference is called whatever its place: formats with a bibliography of their own sort it as they like."""
    return _form(reference.title.of(article.text)) if reference.title is not None else f"number {reference.number}"


def _form(text: str) -> str:
    """Letters and digits alone: how a format breaks lines, joins brackets or draws dashes is no fault of reading."""
    return re.sub(r"[\W_]+", " ", text).strip().casefold()
