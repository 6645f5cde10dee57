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
class ContentsEntry:
    """An entry of the table of contents."""

    start: int
    level: int
    text: str


@dataclass(frozen=True)
class DocumentHtml:
    """The body of a document's page."""

    body: Markup
    headings: tuple[ContentsEntry, ...]
    sentences: int


def document_html(document: Document) -> DocumentHtml:
    """The document as blocks with the offset of each, its sentences wrapped, and its headings."""
    text = document.text
    levels = {section.heading: section.level for section in document.sections if section.heading is not None}
    levels[document.title] = 1
    tables = {table.span.start: table for table in document.tables if table.cells}
    wrapper = _SentenceWrapper(document.sentences, text)
    starts = sorted(levels)
    headings: list[ContentsEntry] = []
    # Plain strings with escaped parts: `Markup.format` took most of the time of a page.
    parts: list[str] = []
    for span in _blocks(text, [table.span for table in tables.values()]):
        number = bisect.bisect_left(starts, Span(span.start, 0))
        heading = starts[number] if number < len(starts) and span.contains(starts[number]) else None
        if span.start in tables:
            parts.append(_table(tables[span.start], text, wrapper))
        elif heading is not None and "\n" not in span.of(text):
            level = min(levels[heading], 5)
            parts.append(_block(f"h{level}", heading.start, escape(heading.of(text)), id=True))
            headings.append(ContentsEntry(heading.start, level, heading.of(text)))
        else:
            parts.append(_block("p", span.start, wrapper.wrapped(span), id=True))
    return DocumentHtml(Markup("\n".join(parts)), tuple(headings), wrapper.count)


def _block(name: str, start: int, content: str, id: bool = False) -> str:
    """An element whose text is a stretch of the document; `content` is escaped."""
    anchor = f' id="b{start}"' if id else ""
    return f'<{name} class="b"{anchor} data-s="{start}">{content}</{name}>'


def _blocks(text: str, tables: Sequence[Span]) -> Iterator[Span]:
    """The stretches between blank lines; a table is one block."""
    position = 0
    for table in [*sorted(tables), Span(len(text), len(text))]:
        if table.start >= position:
            for match in _BLOCK.finditer(text, position, table.start):
                yield Span(match.start(), match.start() + len(match[0].rstrip()))
            if table.end > table.start:
                yield table
            position = table.end


class _SentenceWrapper:
    """Wraps the sentences of blocks, which come in text order."""

    def __init__(self, sentences: Sequence[Span], text: str) -> None:
        self._sentences = sorted(sentences)
        self._starts = [sentence.start for sentence in self._sentences]
        self._text = text
        self.count = 0

    def wrapped(self, block: Span) -> str:
        """The text of a block as HTML. Text outside of sentences, such as a reference, is one sentence of its own."""
        pieces: list[str] = []
        position = block.start
        first = max(0, bisect.bisect_left(self._starts, block.start) - 1)
        inside = [
            Span(max(span.start, block.start), min(span.end, block.end))
            for span in self._sentences[first : bisect.bisect_left(self._starts, block.end)]
            if span.end > block.start
        ] or [block]
        for span in inside:
            start = max(span.start, position)
            if start >= span.end:
                continue
            sentence = escape(self._text[start : span.end])
            pieces.append(f'{escape(self._text[position:start])}<span class="s" data-s="{start}">{sentence}</span>')
            self.count += 1
            position = span.end
        pieces.append(escape(self._text[position : block.end]))
        return "".join(pieces)


def _table(table: Table, text: str, wrapper: _SentenceWrapper) -> str:
    """A table; its caption and each of its rows count as sentences for the keyboard."""
    rows: dict[int, list[str]] = {}
    spans: dict[int, Span] = {}
    for cell in sorted(
        table.cells, key=lambda cell_of_table: (cell_of_table.row, cell_of_table.column, cell_of_table.span)
    ):
        # The corner of a table is often empty, and an empty header names nothing.
        is_header = cell.header and cell.span.of(text).strip()
        content = _block("th" if is_header else "td", cell.span.start, escape(cell.span.of(text)))
        rows.setdefault(cell.row, []).append(content)
        row_span = spans.get(cell.row, cell.span)
        spans[cell.row] = Span(min(row_span.start, cell.span.start), max(row_span.end, cell.span.end))
    lines = [
        f'<tr class="s" data-s="{spans[row].start}" data-e="{spans[row].end}">{"".join(cells)}</tr>'
        for row, cells in rows.items()
    ]
    wrapper.count += len(lines)
    caption = ""
    if table.caption is not None:
        caption = _block("p", table.caption.start, wrapper.wrapped(table.caption))
    return (
        f'<div class="table" id="b{table.span.start}">{caption}'
        f'<div class="scrolled" tabindex="0" role="group" aria-label="Table {table.number}">'
        f"<table><tbody>{''.join(lines)}</tbody></table></div></div>"
    )
