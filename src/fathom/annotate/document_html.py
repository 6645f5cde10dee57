"""A document as HTML. The text of every block is a stretch of the document's text, unchanged, so that the page can
turn a selection into character offsets."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from fathom.records.documents import Document, Table
from fathom.records.spans import Span

_BLOCK = re.compile(r"\S(?:[^\n]|\n(?!\n))*")
"""A stretch of text without blank lines."""


@dataclass(frozen=True)
class Heading:
    """An entry of the table of contents."""

    start: int
    level: int
    text: str


@dataclass(frozen=True)
class DocumentHtml:
    """The body of a document's page."""

    body: Markup
    headings: tuple[Heading, ...]
    sentences: int


def document_html(document: Document) -> DocumentHtml:
    """The document as blocks with the offset of each, its sentences wrapped, and its headings."""
    text = document.text
    levels = {one.heading: one.level for one in document.sections if one.heading is not None}
    levels[document.title] = 1
    tables = {table.span.start: table for table in document.tables if table.cells}
    wrapper = _SentenceWrapper(document.sentences, text)
    starts = sorted(levels)
    headings: list[Heading] = []
    parts: list[Markup] = []
    for span in _blocks(text, [table.span for table in tables.values()]):
        number = bisect.bisect_left(starts, Span(span.start, 0))
        heading = starts[number] if number < len(starts) and span.contains(starts[number]) else None
        if span.start in tables:
            parts.append(_table(tables[span.start], text, wrapper))
        elif heading is not None and "\n" not in span.of(text):
            level = min(levels[heading], 5)
            name = f"h{level}"
            parts.append(
                Markup('<{0} class="b" id="b{1}" data-s="{1}">{2}</{0}>').format(name, heading.start, heading.of(text))
            )
            headings.append(Heading(heading.start, level, heading.of(text)))
        else:
            content = wrapper.wrapped(span)
            parts.append(Markup('<p class="b" id="b{0}" data-s="{0}">{1}</p>').format(span.start, content))
    return DocumentHtml(Markup("\n").join(parts), tuple(headings), wrapper.count)


def _blocks(text: str, tables: Sequence[Span]) -> Iterator[Span]:
    """The stretches between blank lines; a table is one block."""
    position = 0
    for table in [*sorted(tables), Span(len(text), len(text))]:
        if table.start >= position:
            for found in _BLOCK.finditer(text, position, table.start):
                yield Span(found.start(), found.start() + len(found[0].rstrip()))
            if table.end > table.start:
                yield table
            position = table.end


class _SentenceWrapper:
    """Wraps the sentences of blocks, which come in text order."""

    def __init__(self, sentences: Sequence[Span], text: str) -> None:
        self._sentences = sorted(sentences)
        self._starts = [one.start for one in self._sentences]
        self._text = text
        self.count = 0

    def wrapped(self, block: Span) -> Markup:
        """The text of a block. Text outside of sentences, such as a reference, is one sentence of its own."""
        pieces: list[Markup] = []
        position = block.start
        first = max(0, bisect.bisect_left(self._starts, block.start) - 1)
        inside = [
            Span(max(one.start, block.start), min(one.end, block.end))
            for one in self._sentences[first : bisect.bisect_left(self._starts, block.end)]
            if one.end > block.start
        ] or [block]
        for one in inside:
            start = max(one.start, position)
            if start >= one.end:
                continue
            pieces.append(escape(self._text[position:start]))
            pieces.append(Markup('<span class="s" data-s="{0}">{1}</span>').format(start, self._text[start : one.end]))
            self.count += 1
            position = one.end
        pieces.append(escape(self._text[position : block.end]))
        return Markup("").join(pieces)


def _table(table: Table, text: str, wrapper: _SentenceWrapper) -> Markup:
    """A table; its caption and each of its rows count as sentences for the keyboard."""
    rows: dict[int, list[Markup]] = {}
    starts: dict[int, Span] = {}
    for cell in sorted(table.cells, key=lambda one: (one.row, one.column, one.span)):
        name = "th" if cell.header else "td"
        content = Markup('<{0} class="b" data-s="{1}">{2}</{0}>').format(name, cell.span.start, cell.span.of(text))
        rows.setdefault(cell.row, []).append(content)
        known = starts.get(cell.row, cell.span)
        starts[cell.row] = Span(min(known.start, cell.span.start), max(known.end, cell.span.end))
    lines = [
        Markup('<tr class="s" data-s="{0}" data-e="{1}">{2}</tr>').format(*starts[row], Markup("").join(cells))
        for row, cells in rows.items()
    ]
    wrapper.count += len(lines)
    caption = Markup("")
    if table.caption is not None:
        caption = Markup('<p class="b caption" data-s="{0}">{1}</p>').format(
            table.caption.start, wrapper.wrapped(table.caption)
        )
    return Markup(
        '<div class="table" id="b{0}">{1}<div class="scrolled" tabindex="0" role="group" aria-label="Table {3}">'
        "<table><tbody>{2}</tbody></table></div></div>"
    ).format(table.span.start, caption, Markup("").join(lines), table.number)
