"""Tables of a page as readers see them: without empty columns, with signs of money at their numbers."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from fathom.corpus.readers.html.headings import ITEM, is_headline, rank
from fathom.corpus.readers.parsed_document import (
    Block,
    Heading,
    Inlines,
    Paragraph,
    ParsedTable,
    ReadError,
    TableCell,
    TaggedNumber,
)
from fathom.corpus.readers.parsing.blocks import is_visible, normalized_text
from fathom.corpus.readers.parsing.header_rows import with_header
from fathom.corpus.readers.tabular.limits import MOST_COLUMNS, MOST_PADDING, checked


@dataclass
class Cell:
    """A cell in the making: the columns it covers, and what stands in it."""

    start: int
    end: int
    header: bool
    blocks: list[Block] = field(default_factory=list)
    words: Inlines = field(default_factory=list)
    share: float | None = None
    """Its share of the table's width in percent."""
    right: bool = False
    """Whether its text stands at its right edge."""


def runs(rows: Sequence[list[Cell]]) -> Iterator[list[list[Cell]]]:
    """Stretches of rows: those with several short cells and the labels between them, and everything else one by one."""
    run: list[list[Cell]] = []
    for row in rows:
        longest = max(len(normalized_text(cell.words)) for cell in row)
        label = len(row) == 1 and (bool(run) or _is_number(row[0]))
        if longest <= 100 and (len(row) > 1 or (label and longest <= 60)):
            run.append(row)
            continue
        if run:
            yield run
        yield [row]
        run = []
    if run:
        yield run


def as_table(run: list[list[Cell]]) -> list[Block]:
    """A run as one table, what stands above its head and below its last number left out; as lines where it is none."""
    lines = [one_row(row) for row in run]
    first, last = _extent(run)
    if sum(len(row) > 1 for row in run[first:last]) < 2:
        return lines
    table = finished([], run[first:last])
    # Two numbers in one cell: the places do not tell the columns apart, and a wrong column is worse than none.
    if any(sum(isinstance(piece, TaggedNumber) for piece in cell.inlines) > 1 for row in table.rows for cell in row):
        return lines
    return [*lines[:first], table, *lines[last:]]


def _extent(run: list[list[Cell]]) -> tuple[int, int]:
    """From the row that heads the first known number to the row of the last one."""
    known = [
        n for n, row in enumerate(run) if any(isinstance(piece, TaggedNumber) for cell in row for piece in cell.words)
    ]
    numbers = known or [n for n, row in enumerate(run) if len(row) > 1 and any(map(_is_number, row))]
    if not numbers:
        return 0, 0
    first, headed = numbers[0], False
    while first and (len(run[first - 1]) > 1 or not headed):
        first -= 1
        headed = headed or len(run[first]) > 1
    return (first if headed else numbers[0]), numbers[-1] + 1


def _is_number(cell: Cell) -> bool:
    said = normalized_text(cell.words)
    return (
        any(isinstance(piece, TaggedNumber) for piece in cell.words)
        or re.fullmatch(r"[(-]?[0-9][0-9,.]*\)?", said) is not None
    )


def joined(blocks: Sequence[Block]) -> Inlines:
    """The running text of a cell: its paragraphs with a blank between them."""
    words: Inlines = []
    for block in blocks:
        if isinstance(block, Paragraph | Heading):
            words += [" ", *block.inlines] if words else block.inlines
    return words


def one_row(row: Sequence[Cell]) -> Block:
    """A table of one row only arranges its text: a bullet and its paragraph, "Item 1." and its heading."""
    words = joined([Paragraph(cell.words) for cell in row if cell.words])
    said = normalized_text(words)
    if not any(isinstance(piece, TaggedNumber) for piece in words) and ITEM.match(said) and is_headline(said):
        return Heading(rank(said, False), words)
    return Paragraph(words)


def finished(caption: Inlines, filled: Sequence[list[Cell]]) -> ParsedTable:
    """The table without its empty columns, with signs of money and closing brackets at their numbers."""
    rows = [_merged([cell for cell in row if cell.words]) for row in filled]
    columns = _columns([cell for row in rows for cell in row])
    starts, ends = [start for start, _ in columns], [end for _, end in columns]
    laid: list[list[TableCell]] = []
    room = MOST_PADDING + sum(map(len, rows))
    for row in rows:
        laid.append(_laid(row, starts, ends))
        room -= len(laid[-1])
        if room < 0:
            raise ReadError("a table has rows of very different lengths")
    return checked(ParsedTable(caption, with_header(laid)))


_MONEY = re.compile(r"[-(]?(?:US|C|A)?[$£€¥]")
_CLOSING = re.compile(r"[)%\]]{1,3}")
_NUMBER_AHEAD = re.compile(r"[-(\u2212\u2013\u2014]?\s*[0-9.]|[-\u2212\u2013\u2014]$")


def _merged(row: Sequence[Cell]) -> list[Cell]:
    """The cells of a row with "$" joined to what follows and ")" to what stands before."""
    merged: list[Cell] = []
    for cell in row:
        said = normalized_text(cell.words)
        before = merged[-1] if merged else None
        if before is not None and cell.start - before.end <= 1:
            money = _MONEY.fullmatch(normalized_text(before.words)) and _NUMBER_AHEAD.match(said)
            if money or _CLOSING.fullmatch(said):
                before.words = [*_trimmed(before.words), *_trimmed(cell.words)]
                before.end = cell.end
                continue
        merged.append(Cell(cell.start, cell.end, cell.header, words=cell.words))
    return merged


def _trimmed(words: Inlines) -> Inlines:
    """Without the blanks at both ends."""
    first = next((n for n, piece in enumerate(words) if is_visible(piece)), 0)
    last = next((n for n in reversed(range(len(words))) if is_visible(words[n])), 0)
    kept = words[first : last + 1]
    if kept and isinstance(kept[0], str):
        kept[0] = kept[0].lstrip()
    if kept and isinstance(kept[-1], str):
        kept[-1] = kept[-1].rstrip()
    return kept


def _columns(cells: Sequence[Cell]) -> list[tuple[int, int]]:
    """The columns that readers see: cells that overlap share one, unless a cell covers several."""
    starts: list[int] = []
    ends: list[int] = []
    for cell in sorted(cells, key=lambda cell: cell.end - cell.start):
        first, last = bisect_right(ends, cell.start), bisect_left(starts, cell.end)
        if len(starts) > MOST_COLUMNS:
            raise ReadError(f"a table has more than {MOST_COLUMNS:,} columns")
        if first == last:
            starts.insert(first, cell.start)
            ends.insert(first, cell.end)
        elif last - first == 1:
            starts[first], ends[first] = min(starts[first], cell.start), max(ends[first], cell.end)
    return list(zip(starts, ends, strict=True))


def _laid(row: Sequence[Cell], starts: list[int], ends: list[int]) -> list[TableCell]:
    """A row with a cell, filled or empty, in each column up to its last."""
    laid: list[TableCell] = []
    at = 0
    for number, cell in enumerate(row):
        first, last = bisect_right(ends, cell.start), bisect_left(starts, cell.end)
        if first < at and laid:  # Two cells in what is one column elsewhere.
            laid[-1] = TableCell([*laid[-1].inlines, " ", *cell.words], laid[-1].header, laid[-1].columns)
            continue
        if number + 1 < len(row):
            last = max(first + 1, min(last, bisect_right(ends, row[number + 1].start)))
        laid += [TableCell([]) for _ in range(first - at)]
        laid.append(TableCell(cell.words, cell.header, max(1, last - first)))
        at = max(first + 1, last)
    return laid
