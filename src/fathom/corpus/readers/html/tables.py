"""Tables of an HTML page as displayed: without empty columns, with currency symbols next to their numbers."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from fathom.corpus.readers.parsed_document import Block, Heading, Inlines, Paragraph, ParsedTable, ReadError, TableCell
from fathom.corpus.readers.parsing.blocks import is_visible, normalized_text
from fathom.corpus.readers.parsing.tables import MAX_COLUMNS, MAX_PADDING, check_padding, mark_header_rows


@dataclass
class GridCell:
    """A cell being read: its columns and its content."""

    start: int
    end: int
    header: bool
    blocks: list[Block] = field(default_factory=list)
    inlines: Inlines = field(default_factory=list)
    width_percent: float | None = None
    """Width as a percentage of the table."""
    right_aligned: bool = False
    """Whether the text is right-aligned."""


def join_blocks(blocks: Sequence[Block]) -> Inlines:
    """Return the text of a cell: its paragraphs, separated by spaces."""
    inlines: Inlines = []
    for block in blocks:
        if isinstance(block, Paragraph | Heading):
            inlines += [" ", *block.inlines] if inlines else block.inlines
    return inlines


def build_table(caption: Inlines, filled: Sequence[list[GridCell]]) -> ParsedTable:
    """Return the table without empty columns, with currency symbols and closing brackets next to their numbers."""
    rows = [_merge_symbols([cell for cell in row if cell.inlines]) for row in filled]
    columns = _columns([cell for row in rows for cell in row])
    starts, ends = [start for start, _ in columns], [end for _, end in columns]
    aligned: list[list[TableCell]] = []
    room = MAX_PADDING + sum(map(len, rows))
    for row in rows:
        aligned.append(_aligned_row(row, starts, ends))
        room -= len(aligned[-1])
        if room < 0:
            raise ReadError("a table has rows of very different lengths")
    return check_padding(ParsedTable(caption, mark_header_rows(aligned)))


_MONEY = re.compile(r"[-(]?(?:US|C|A)?[$£€¥]")
_CLOSING = re.compile(r"[)%\]]{1,3}")
_NUMBER_AHEAD = re.compile(r"[-(\u2212\u2013\u2014]?\s*[0-9.]|[-\u2212\u2013\u2014]$")


def _merge_symbols(row: Sequence[GridCell]) -> list[GridCell]:
    """Return the cells of a row, with "$" merged into the next cell and ")" into the previous one."""
    merged: list[GridCell] = []
    for cell in row:
        text = normalized_text(cell.inlines)
        before = merged[-1] if merged else None
        if before is not None and cell.start - before.end <= 1:
            money = _MONEY.fullmatch(normalized_text(before.inlines)) and _NUMBER_AHEAD.match(text)
            if money or _CLOSING.fullmatch(text):
                before.inlines = [*_strip_inlines(before.inlines), *_strip_inlines(cell.inlines)]
                before.end = cell.end
                continue
        merged.append(GridCell(cell.start, cell.end, cell.header, inlines=cell.inlines))
    return merged


def _strip_inlines(inlines: Inlines) -> Inlines:
    """Remove whitespace at both ends."""
    first = next((n for n, piece in enumerate(inlines) if is_visible(piece)), 0)
    last = next((n for n in reversed(range(len(inlines))) if is_visible(inlines[n])), 0)
    kept = inlines[first : last + 1]
    if kept and isinstance(kept[0], str):
        kept[0] = kept[0].lstrip()
    if kept and isinstance(kept[-1], str):
        kept[-1] = kept[-1].rstrip()
    return kept


def _columns(cells: Sequence[GridCell]) -> list[tuple[int, int]]:
    """Return the displayed columns: overlapping cells share one, unless a cell covers several."""
    starts: list[int] = []
    ends: list[int] = []
    for cell in sorted(cells, key=lambda cell: cell.end - cell.start):
        first, last = bisect_right(ends, cell.start), bisect_left(starts, cell.end)
        if len(starts) > MAX_COLUMNS:
            raise ReadError(f"a table has more than {MAX_COLUMNS:,} columns")
        if first == last:
            starts.insert(first, cell.start)
            ends.insert(first, cell.end)
        elif last - first == 1:
            starts[first], ends[first] = min(starts[first], cell.start), max(ends[first], cell.end)
    return list(zip(starts, ends, strict=True))


def _aligned_row(row: Sequence[GridCell], starts: list[int], ends: list[int]) -> list[TableCell]:
    """Return a row with a cell, filled or empty, in each column up to its last."""
    aligned: list[TableCell] = []
    at = 0
    for number, cell in enumerate(row):
        first, last = bisect_right(ends, cell.start), bisect_left(starts, cell.end)
        if first < at and aligned:  # Two cells where other rows have one.
            aligned[-1] = TableCell([*aligned[-1].inlines, " ", *cell.inlines], aligned[-1].header, aligned[-1].columns)
            continue
        if number + 1 < len(row):
            last = max(first + 1, min(last, bisect_right(ends, row[number + 1].start)))
        aligned += [TableCell([]) for _ in range(first - at)]
        aligned.append(TableCell(cell.inlines, cell.header, max(1, last - first)))
        at = max(first + 1, last)
    return aligned
