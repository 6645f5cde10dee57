"""From baselines that stand one below the other to the rows and columns of a table, where these can be told."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fathom.corpus.readers.parsed_document import ParsedTable, TableCell
from fathom.corpus.readers.pdf.characters import Line, bare, wraps
from fathom.corpus.readers.pdf.hyphenation import Vocabulary

MOST_PIECES = 40
"""In one row: what has more is a drawing, and would take long."""
_NUMBER = re.compile(r"[-−–+±<>=~≈$€£¥*†‡()\s]*\d[\d.,:/%\s()±−–+*†‡eE^x×-]*[A-Za-z%°]{0,2}")
_SEVERAL = re.compile(r"[-−]?\d[\d.]*%?(?:\s[-−]?\d[\d.]*%?)+")


@dataclass(frozen=True)
class Strip:
    """One baseline of one column of a page, cut at its wide gaps."""

    pieces: tuple[Line, ...]
    lines: tuple[Line, ...]
    """The same uncut."""

    @property
    def base(self) -> float:
        return self.pieces[0].base

    @property
    def width(self) -> float:
        return self.pieces[-1].right - self.pieces[0].left

    @property
    def size(self) -> float:
        return max(piece.size for piece in self.pieces)

    def moved(self, by: float, up: float) -> Strip:
        """As it would stand in another column, further up or down."""
        return replace(
            self,
            pieces=tuple(
                replace(one, left=one.left + by, right=one.right + by, base=one.base + up) for one in self.pieces
            ),
        )


@dataclass(frozen=True)
class Grid:
    """A table as it stands on the page."""

    caption: tuple[Line, ...]
    rows: tuple[Row, ...]

    def table(self, words: Vocabulary) -> ParsedTable:
        """The table with the text of its cells."""
        heads = _heads(self.rows)
        rows = [[_cell(cell, number < heads, words) for cell in row.cells] for number, row in enumerate(self.rows)]
        return ParsedTable([words.joined(self.caption)], rows)


@dataclass(frozen=True)
class _Cell:
    pieces: tuple[Line, ...]
    """One below the other; none in an empty cell."""
    columns: int = 1


@dataclass(frozen=True)
class Row:
    cells: tuple[_Cell, ...]

    @property
    def bold(self) -> bool:
        return all(piece.bold for cell in self.cells for piece in cell.pieces)

    @property
    def has_number(self) -> bool:
        return any(_NUMBER.fullmatch(bare(piece.text)) for cell in self.cells for piece in cell.pieces)


def _cell(cell: _Cell, header: bool, words: Vocabulary) -> TableCell:
    text = words.joined(cell.pieces)
    return TableCell([text] if text else [], header, cell.columns)


def _heads(rows: Sequence[Row]) -> int:
    """How many rows at the top are headers: the bold ones, or one without numbers above rows that have them."""
    bold = len(list(itertools.takewhile(lambda row: row.bold, rows)))
    if 0 < bold < len(rows):
        return bold
    numeric = sum(row.has_number for row in rows[1:])
    return 1 if not rows[0].has_number and 2 * numeric >= len(rows) - 1 else 0


# What the columns are.


@dataclass(frozen=True)
class _Span:
    left: float
    right: float


def rows_of(strips: Sequence[Strip]) -> list[Row]:
    """The rows of a table; none where its columns cannot be told."""
    parted = [strip for strip in strips if len(strip.pieces) > 1]
    if len(parted) < 2:
        return []
    columns = _columns(parted)
    if not 2 <= len(columns) <= MOST_PIECES:
        return []
    rows = _joined(strips, columns)
    filled = sum(bool(cell.pieces) for row in rows for cell in row.cells)
    if len(rows) < 2 or filled < 0.5 * len(rows) * len(columns) or _is_crowded(rows):
        return []
    return rows


def _is_crowded(rows: Sequence[Row]) -> bool:
    """Whether cells hold several bare numbers: their columns stand too close to be told apart."""
    cells = [bare(cell.pieces[0].text) for row in rows for cell in row.cells if cell.pieces]
    numbers = sum(_NUMBER.fullmatch(text) is not None for text in cells)
    return 10 * sum(_SEVERAL.fullmatch(text) is not None for text in cells) > max(10, numbers)


def _columns(strips: Sequence[Strip]) -> list[_Span]:
    """Where words stand in most rows; a head over several columns may cross the blank between them."""
    best: list[_Span] = []
    least = 0
    for crossing in range(min(4, 1 + len(strips) // 3)):
        columns = _together(strips, _covered(strips, crossing))
        # Two words in one cell, apart as cells are: the blank between them is one between columns.
        double = sum(len(found) - len(set(found)) for found in (_fits(strip, columns) for strip in strips))
        if not best or double < least:
            best, least = columns, double
    pieces = sum(len(strip.pieces) for strip in strips)
    return best if least <= 0.1 * pieces else []


def _covered(strips: Sequence[Strip], crossing: int) -> list[_Span]:
    """The stretches where words stand in more rows than so many."""
    size = strips[0].size
    edges = sorted(
        edge
        for strip in strips
        for piece in strip.pieces
        for edge in ((piece.left, 1), (max(piece.left, piece.right), -1))
    )
    spans: list[_Span] = []
    depth, left = 0, 0.0
    for place, step in edges:
        depth += step
        if step == 1 and depth == crossing + 1:
            left = place
        elif step == -1 and depth == crossing:
            if spans and left - spans[-1].right < 0.3 * size:
                spans[-1] = _Span(spans[-1].left, place)
            else:
                spans.append(_Span(left, place))
    return spans


def _together(strips: Sequence[Strip], columns: list[_Span]) -> list[_Span]:
    """Neighbors that no row fills both are one: a head on the left above numbers on the right."""
    rows = [set(_fits(strip, columns)) for strip in strips]
    merged: list[_Span] = []
    numbers: set[int] = set()
    for number, column in enumerate(columns):
        if merged and not any(number in row and row & numbers for row in rows):
            merged[-1] = _Span(merged[-1].left, column.right)
            numbers.add(number)
        else:
            merged.append(column)
            numbers = {number}
    return merged


def _fits(strip: Strip, columns: Sequence[_Span]) -> list[int]:
    """The column of each piece, for those that stand in one."""
    places = [_place(piece, columns) for piece in strip.pieces]
    return [place.start for place in places if len(place) == 1]


def _place(piece: Line, columns: Sequence[_Span]) -> range:
    """The columns that a piece stands in; both its neighbors for a head that stands above the blank between them."""
    first = bisect.bisect_right(columns, piece.left, key=_reach)
    held = []
    for number in range(first, len(columns)):
        column = columns[number]
        if column.left >= piece.right:
            break
        shared = min(piece.right, column.right) - max(piece.left, column.left)
        if shared > 0.2 * min(_width(piece), _width(column)):
            held.append(number)
    if held:
        return range(held[0], held[-1] + 1)
    after = first + (first < len(columns) and columns[first].left < piece.left)
    return range(max(0, after - 1), min(after + 1, len(columns)))


def _reach(column: _Span) -> float:
    return column.right


def _width(span: Line | _Span) -> float:
    return max(0.1, span.right - span.left)


# What the rows are.


def _joined(strips: Sequence[Strip], columns: Sequence[_Span]) -> list[Row]:
    """The rows; a baseline on which cells only go on belongs to the row above it."""
    gaps = [before.base - after.base for before, after in itertools.pairwise(strips)]
    tight = min((gap for gap in gaps if gap > 0), default=0.0)
    spaced = sum(gap > 1.2 * tight for gap in gaps) >= 2
    rows: list[Row] = []
    for number, strip in enumerate(strips):
        row = _row(strip, columns)
        near = number > 0 and spaced and 0 < gaps[number - 1] < 1.1 * tight
        if rows and _goes_on(rows[-1], row, columns, first=len(rows) == 1, near=near):
            rows[-1] = Row(
                tuple(
                    replace(above, pieces=above.pieces + below.pieces)
                    for above, below in zip(rows[-1].cells, row.cells, strict=True)
                )
            )
        else:
            rows.append(row)
    return rows


def _row(strip: Strip, columns: Sequence[_Span]) -> Row:
    """The pieces of a baseline in their columns, with empty cells between."""
    cells: list[_Cell] = []
    at = 0
    for piece in strip.pieces:
        place = _place(piece, columns)
        if place.start < at and cells:
            cells[-1] = replace(cells[-1], pieces=(_beside(cells[-1].pieces, piece),))
            continue
        cells += [_Cell(())] * (place.start - at)
        cells.append(_Cell((piece,), len(place)))
        at = place.stop
    return Row((*cells, *([_Cell(())] * (len(columns) - at))))


def _beside(pieces: Sequence[Line], piece: Line) -> Line:
    """Two pieces of one cell on one baseline."""
    if not pieces:
        return piece
    return replace(pieces[-1], right=piece.right, broken=piece.broken, text=f"{pieces[-1].text} {piece.text}")


def _goes_on(above: Row, below: Row, columns: Sequence[_Span], first: bool, near: bool) -> bool:
    """Whether a baseline only goes on with the cells of the row above: words that had no room, never numbers."""
    if len(above.cells) != len(columns) or len(below.cells) != len(columns) or above.bold != below.bold:
        return False
    filled = [number for number, cell in enumerate(below.cells) if cell.pieces]
    lowest = min(piece.base for cell in above.cells for piece in cell.pieces[-1:])
    # A column that has ended begins anew in the next row only.
    if not all(cell.pieces and cell.pieces[-1].base < lowest + 1 for cell in (above.cells[n] for n in filled)):
        return False
    head = first and below.bold
    if below.has_number and not head:
        return False
    lower = any(below.cells[number].pieces[0].text[:1].islower() for number in filled)
    if filled == [0] and lower:
        return True
    wrapped = [_has_no_room(above.cells[number], below.cells[number], columns[number:]) for number in filled]
    few = len(filled) < len(columns) and (0 not in filled or 2 * len(filled) <= len(columns))
    if head or near or few:
        return any(wrapped)
    return all(wrapped) and (lower or any(len(cell.pieces) > 1 for cell in above.cells))


def _has_no_room(above: _Cell, below: _Cell, columns: Sequence[_Span]) -> bool:
    """Whether words stand below a cell because they had no room in it, left of the next column."""
    last = above.pieces[-1]
    edge = columns[1].left - 0.6 * last.size if len(columns) > 1 else columns[0].right + 0.5
    return wraps(last, below.pieces[0], edge)
