"""Splits a document into the units in which passages are compared and distances are counted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from fathom.records.documents import Document
from fathom.records.spans import Span, join_spans

_LINE = re.compile(r"\S(?:[^\n]*\S)?")


def units(document: Document) -> tuple[Span, ...]:
    """The sentences of a document, each table as one unit, and what lies between them line by line, in order.

    A quoted row of a table, or its caption, stands for the table.
    """
    return _units(document.text, document.sentences, tuple(table.span for table in document.tables))


@lru_cache(maxsize=32)
def _units(text: str, all_sentences: tuple[Span, ...], table_spans: tuple[Span, ...]) -> tuple[Span, ...]:
    # Cached, since an audit and a build compare dozens of responses with one document. Its fields have a hash that is
    # computed faster than that of the document.
    tables = join_spans(table_spans)
    sentences = [span for span in all_sentences if not any(_overlap(span, table) for table in tables)]
    covered = join_disjoint([*tables, *sentences])
    ends = [Span(0, 0), *covered, Span(len(text), len(text))]
    gaps = (Span(left.end, right.start) for left, right in pairwise(ends))
    return tuple(sorted([*covered, *(line for gap in gaps for line in _lines(text, gap))]))


def join_disjoint(spans: list[Span]) -> list[Span]:
    """The spans in order; one that overlaps an earlier one begins where that ends."""
    disjoint: list[Span] = []
    for span in sorted(spans):
        start = max(span.start, disjoint[-1].end if disjoint else 0)
        if start < span.end:
            disjoint.append(Span(start, span.end))
    return disjoint


def _lines(text: str, gap: Span) -> Iterator[Span]:
    return (Span(*match.span()) for match in _LINE.finditer(text, gap.start, gap.end))


def _overlap(left: Span, right: Span) -> bool:
    return left.start < right.end and right.start < left.end
