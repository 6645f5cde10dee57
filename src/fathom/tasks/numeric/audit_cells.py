"""The audit's check that questions depend only on what is known, from the states of the stored documents.

It does not use the rules by which questions are built. What is unknown is replaced with made-up values, several times:
an answer that changes depends on something unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from random import Random

from fathom.records.contexts import Context
from fathom.records.documents import BibliographicRecord, FieldName
from fathom.records.spans import Span
from fathom.tasks.numeric.tables import ArticleRow, AuthorRow, CitationRow, ContextTables

COMPLETIONS = 8
"""How often unknown values are replaced with made-up ones."""

TEXT = re.compile(r"'(?:[^']|'')*'")
READ: dict[FieldName, tuple[str, ...]] = {
    "title": ("article_title", "title_word_count"),
    "authors": ("author_count", "article_author", "author_name", "author_position"),
    "references": ("reference_count", "citing_cited"),
}
"""The tables and columns that are filled from each field."""
OF_ALL: dict[FieldName, str] = {"authors": "article_author", "references": "citing_cited"}
"""Tables from which a row may be missing if the field of any document is unknown."""

_NUMBER = re.compile(r"\b\d{1,9}\b")


class CellAudit:
    """Checks the questions of contexts against the states of their documents' fields."""

    def __init__(self, read: Callable[[str], BibliographicRecord]) -> None:
        self._read = read
        self._backed: dict[str, bool] = {}
        self._unknown: dict[str, frozenset[FieldName]] = {}

    def unknown(self, context: Context) -> dict[FieldName, list[int]]:
        """The numbers of the documents where each field is unknown; only fields that are unknown somewhere."""
        unknown_fields: dict[FieldName, list[int]] = {}
        for number, id in enumerate(context.documents, start=1):
            if id not in self._unknown:
                record = self._read(id)
                self._unknown[id] = frozenset(name for name in READ if record.state(name) == "unknown")
            for name in self._unknown[id]:
                unknown_fields.setdefault(name, []).append(number)
        return unknown_fields

    def lacks_rows(self, context: Context, statement: str) -> bool:
        """Whether the statement reads a table that may lack rows."""
        plain = TEXT.sub("''", statement)
        unknown = self.unknown(context)
        return any(table in plain for name, table in OF_ALL.items() if name in unknown)

    def is_backed(self, context: Context, statement: str) -> bool:
        """Whether every counted name and reference is a separate part of the document's text."""
        plain = TEXT.sub("''", statement)
        if not any(column in plain for name in ("authors", "references") for column in READ[name]):
            return True
        return all(self._is_backed(id) for id in context.documents)

    def _is_backed(self, id: str) -> bool:
        if id not in self._backed:
            record = self._read(id)
            names = [author.span for author in record.authors] if record.state("authors") == "known" else []
            entries = (
                [reference.span for reference in record.references] if record.state("references") == "known" else []
            )
            self._backed[id] = all(_are_separate(spans, record.text) for spans in (names, entries))
        return self._backed[id]


def _are_separate(spans: Sequence[Span], text: str) -> bool:
    """Whether the spans are inside the text, have a letter or digit, and do not overlap."""
    ordered = sorted(spans)
    return all(span.end <= len(text) and any(map(str.isalnum, span.of(text))) for span in ordered) and all(
        left.end <= right.start for left, right in pairwise(ordered)
    )


def completions(
    tables: ContextTables, unknown: dict[FieldName, list[int]], statements: Sequence[str], rng: Random
) -> Iterator[ContextTables]:
    """The tables with made-up values for what is unknown; many lie near the numbers of the statements."""
    near = {
        int(digits) + step for statement in statements for digits in _NUMBER.findall(statement) for step in (-1, 0, 1)
    }
    numbers = sorted({0, 1, 2, 3, 5, 12, 80} | {number for number in near if 0 <= number < 10_000})
    for _ in range(COMPLETIONS):
        yield _fill_in_unknown(tables, unknown, numbers, rng)


def _fill_in_unknown(
    tables: ContextTables, unknown: dict[FieldName, list[int]], numbers: Sequence[int], rng: Random
) -> ContextTables:
    names = sorted({row.name for row in tables.authors})
    articles = list(tables.articles)
    authors, citations = list(tables.authors), list(tables.citations)
    for number in unknown.get("title", ()):
        title = f"Made-up title {rng.random()}"
        articles[number - 1] = articles[number - 1]._replace(title=title, title_word_count=max(1, rng.choice(numbers)))
    for number in unknown.get("authors", ()):
        byline = rng.sample(names, min(len(names), rng.choice((0, 1, 3)))) + [f"Nobody {number}"] * rng.randint(0, 1)
        authors += [AuthorRow(number, name, position) for position, name in enumerate(byline, start=1)]
        articles[number - 1] = articles[number - 1]._replace(author_count=rng.choice((len(byline), *numbers)))
    for number in unknown.get("references", ()):
        other_numbers = [row.number for row in articles if row.number != number]
        cited = rng.sample(other_numbers, min(len(other_numbers), rng.choice((0, 1, 3, len(other_numbers)))))
        citations += [CitationRow(number, cited_number) for cited_number in sorted(cited)]
        articles[number - 1] = articles[number - 1]._replace(reference_count=rng.choice((len(cited), *numbers)))
    rows: Sequence[ArticleRow] = tuple(articles)
    return tables.replaced(articles=rows, article_author=tuple(authors), citing_cited=tuple(citations))
