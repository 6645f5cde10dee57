"""Reconstruction of table rows and columns from text rows, where they can be recognized."""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from fathom.corpus.readers.parsed_document import ParsedTable, TableCell
from fathom.corpus.readers.parsing.superscripts import strip_marks
from fathom.corpus.readers.pdf.line import Dehyphenator, Line, wraps

MAX_PIECES = 40
"""Maximum pieces in one row. A row with more is a drawing, and would be slow."""
_MIN_LABELED = 3
"""Fewest rows with a label and figures that are a table without a caption."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_NUMBER = re.compile(r"[-−–+±<>=~≈$€£¥*†‡()\s]*\d[\d.,:/%\s()±−–+*†‡eE^x×-]*[A-Za-z%°]{0,2}")
_SEVERAL_NUMBERS = re.compile(r"[-−]?\d[\d.]*%?(?:\s[-−]?\d[\d.]*%?)+")


@dataclass(frozen=True)
class TextRow:
    """The text on one baseline of a page column, split at wide gaps."""

    pieces: tuple[Line, ...]
    lines: tuple[Line, ...]
    """The unsplit lines."""

    @property
    def baseline(self) -> float:
        return self.pieces[0].baseline

    @property
    def width(self) -> float:
        return self.pieces[-1].right - self.pieces[0].left

    @property
    def size(self) -> float:
        return max(piece.size for piece in self.pieces)

    def shifted(self, shift_x: float, shift_y: float) -> TextRow:
        """Return the row moved to another column, up or down."""
        return replace(
            self,
            pieces=tuple(
                replace(
                    piece, left=piece.left + shift_x, right=piece.right + shift_x, baseline=piece.baseline + shift_y
                )
                for piece in self.pieces
            ),
        )


@dataclass(frozen=True)
class TableGrid:
    """A table's layout on the page."""

    caption: tuple[Line, ...]
    rows: tuple[GridRow, ...]

    def table(self, dehyphenator: Dehyphenator) -> ParsedTable:
        """Return the table with the text of its cells."""
        heads = _header_count(self.rows)
        rows = [
            [_cell(cell, number < heads, dehyphenator) for cell in row.cells] for number, row in enumerate(self.rows)
        ]
        return ParsedTable([dehyphenator.join(self.caption)] if self.caption else [], rows)


@dataclass(frozen=True)
class _Cell:
    """A cell with its lines on the page."""

    pieces: tuple[Line, ...]
    """From top to bottom. Empty for an empty cell."""
    columns: int = 1


@dataclass(frozen=True)
class GridRow:
    """A row of a recognized table."""

    cells: tuple[_Cell, ...]

    @property
    def bold(self) -> bool:
        return all(piece.bold for cell in self.cells for piece in cell.pieces)

    @property
    def has_number(self) -> bool:
        return any(_NUMBER.fullmatch(strip_marks(piece.text)) for cell in self.cells for piece in cell.pieces)


def _cell(cell: _Cell, header: bool, dehyphenator: Dehyphenator) -> TableCell:
    text = dehyphenator.join(cell.pieces)
    return TableCell([text] if text else [], header, cell.columns)


def _header_count(rows: Sequence[GridRow]) -> int:
    """Count the header rows: the bold rows on top, or one row without numbers above rows with numbers."""
    bold = len(list(itertools.takewhile(lambda row: row.bold, rows)))
    if 0 < bold < len(rows):
        return bold
    numeric = sum(row.has_number for row in rows[1:])
    return 1 if not rows[0].has_number and 2 * numeric >= len(rows) - 1 else 0


# Columns.


@dataclass(frozen=True)
class _Interval:
    """Horizontal extent of a column."""

    left: float
    right: float


def table_rows(text_rows: Sequence[TextRow]) -> list[GridRow]:
    """Return the rows of a table, or none if its columns cannot be recognized."""
    multiple = [text_row for text_row in text_rows if len(text_row.pieces) > 1]
    if len(multiple) < 2:
        return []
    columns = _columns(multiple)
    if not 2 <= len(columns) <= MAX_PIECES:
        return []
    rows = _merge_rows(text_rows, columns)
    filled = sum(bool(cell.pieces) for row in rows for cell in row.cells)
    if len(rows) < 2 or filled < 0.5 * len(rows) * len(columns) or _is_crowded(rows):
        return []
    return rows


def figure_table(rows: Sequence[Sequence[Line]], dehyphenator: Dehyphenator) -> ParsedTable | None:
    """Return the table of rows without a caption, if nearly each has a label and figures; None otherwise."""
    text_rows = [TextRow(tuple(sorted(row, key=lambda piece: piece.left)), tuple(row)) for row in rows]
    labeled = sum(map(_has_label_and_figures, text_rows))
    # The first row has the headings of the columns; without them the year of a figure is unknown.
    heads = [strip_marks(piece.text).strip() for piece in text_rows[0].pieces[1:]] if text_rows else []
    if not any(_YEAR.search(head) or not _NUMBER.fullmatch(head) for head in heads):
        return None
    if labeled < _MIN_LABELED or labeled < 0.8 * (len(text_rows) - 1):
        return None
    found = table_rows(text_rows)
    return TableGrid((), tuple(found)).table(dehyphenator) if found else None


def _has_label_and_figures(text_row: TextRow) -> bool:
    label, *others = (strip_marks(piece.text).strip() for piece in text_row.pieces)
    is_label = len(re.findall(r"[^\W\d_]", label)) > 1
    return is_label and bool(others) and all(_NUMBER.fullmatch(other) or other in "-–—" for other in others)


def _is_crowded(rows: Sequence[GridRow]) -> bool:
    """Return whether cells contain several numbers: the columns are too close to be separated."""
    cells = [strip_marks(cell.pieces[0].text) for row in rows for cell in row.cells if cell.pieces]
    numbers = sum(_NUMBER.fullmatch(text) is not None for text in cells)
    return 10 * sum(_SEVERAL_NUMBERS.fullmatch(text) is not None for text in cells) > max(10, numbers)


def _columns(text_rows: Sequence[TextRow]) -> list[_Interval]:
    """Return the intervals that most rows fill. A header over several columns may cross the gap between them."""
    best: list[_Interval] = []
    least = 0
    for crossing in range(min(4, 1 + len(text_rows) // 3)):
        columns = _merge_columns(text_rows, _covered_intervals(text_rows, crossing))
        # Two pieces in one cell: the gap between them is a gap between columns.
        double = sum(
            len(found) - len(set(found)) for found in (_occupied_columns(text_row, columns) for text_row in text_rows)
        )
        if not best or double < least:
            best, least = columns, double
    pieces = sum(len(text_row.pieces) for text_row in text_rows)
    return best if least <= 0.1 * pieces else []


def _covered_intervals(text_rows: Sequence[TextRow], crossing: int) -> list[_Interval]:
    """Return the intervals covered by more than `crossing` rows."""
    size = text_rows[0].size
    edges = sorted(
        edge
        for text_row in text_rows
        for piece in text_row.pieces
        for edge in ((piece.left, 1), (max(piece.left, piece.right), -1))
    )
    spans: list[_Interval] = []
    depth, left = 0, 0.0
    for place, step in edges:
        depth += step
        if step == 1 and depth == crossing + 1:
            left = place
        elif step == -1 and depth == crossing:
            if spans and left - spans[-1].right < 0.3 * size:
                spans[-1] = _Interval(spans[-1].left, place)
            else:
                spans.append(_Interval(left, place))
    return spans


def _merge_columns(text_rows: Sequence[TextRow], columns: list[_Interval]) -> list[_Interval]:
    """Merge adjacent columns that no row fills both of: a left-aligned header above right-aligned numbers."""
    rows = [set(_occupied_columns(text_row, columns)) for text_row in text_rows]
    merged: list[_Interval] = []
    numbers: set[int] = set()
    for number, column in enumerate(columns):
        if merged and not any(number in row and row & numbers for row in rows):
            merged[-1] = _Interval(merged[-1].left, column.right)
            numbers.add(number)
        else:
            merged.append(column)
            numbers = {number}
    return merged


def _occupied_columns(text_row: TextRow, columns: Sequence[_Interval]) -> list[int]:
    """Return the column of each piece that fits into one column."""
    places = [_columns_of(piece, columns) for piece in text_row.pieces]
    return [place.start for place in places if len(place) == 1]


def _columns_of(piece: Line, columns: Sequence[_Interval]) -> range:
    """Return the columns of a piece: both neighbors for a header above the gap between them."""
    first = bisect.bisect_right(columns, piece.left, key=lambda column: column.right)
    overlapping = []
    for number in range(first, len(columns)):
        column = columns[number]
        if column.left >= piece.right:
            break
        shared = min(piece.right, column.right) - max(piece.left, column.left)
        if shared > 0.2 * min(_width(piece), _width(column)):
            overlapping.append(number)
    if overlapping:
        return range(overlapping[0], overlapping[-1] + 1)
    after = first + (first < len(columns) and columns[first].left < piece.left)
    return range(max(0, after - 1), min(after + 1, len(columns)))


def _width(span: Line | _Interval) -> float:
    return max(0.1, span.right - span.left)


# Rows.


def _merge_rows(text_rows: Sequence[TextRow], columns: Sequence[_Interval]) -> list[GridRow]:
    """Return the rows. A text row that only continues cells belongs to the row above it."""
    gaps = [before.baseline - after.baseline for before, after in itertools.pairwise(text_rows)]
    tight = min((gap for gap in gaps if gap > 0), default=0.0)
    spaced = sum(gap > 1.2 * tight for gap in gaps) >= 2
    rows: list[GridRow] = []
    for number, text_row in enumerate(text_rows):
        row = _row(text_row, columns)
        near = number > 0 and spaced and 0 < gaps[number - 1] < 1.1 * tight
        if rows and _continues_row(rows[-1], row, columns, first=len(rows) == 1, near=near):
            rows[-1] = GridRow(
                tuple(
                    replace(above, pieces=above.pieces + below.pieces)
                    for above, below in zip(rows[-1].cells, row.cells, strict=True)
                )
            )
        else:
            rows.append(row)
    return rows


def _row(text_row: TextRow, columns: Sequence[_Interval]) -> GridRow:
    """Return the pieces of a text row in their columns, with empty cells between."""
    cells: list[_Cell] = []
    at = 0
    for piece in text_row.pieces:
        place = _columns_of(piece, columns)
        if place.start < at and cells:
            cells[-1] = replace(cells[-1], pieces=(_append_piece(cells[-1].pieces, piece),))
            continue
        cells += [_Cell(())] * (place.start - at)
        cells.append(_Cell((piece,), len(place)))
        at = place.stop
    return GridRow((*cells, *([_Cell(())] * (len(columns) - at))))


def _append_piece(pieces: Sequence[Line], piece: Line) -> Line:
    """Join two pieces of one cell on one baseline."""
    if not pieces:
        return piece
    return replace(pieces[-1], right=piece.right, hyphenated=piece.hyphenated, text=f"{pieces[-1].text} {piece.text}")


def _continues_row(above: GridRow, below: GridRow, columns: Sequence[_Interval], first: bool, near: bool) -> bool:
    """Return whether a text row only continues the cells of the row above: wrapped words, never numbers."""
    if len(above.cells) != len(columns) or len(below.cells) != len(columns) or above.bold != below.bold:
        return False
    filled = [number for number, cell in enumerate(below.cells) if cell.pieces]
    lowest = min(piece.baseline for cell in above.cells for piece in cell.pieces[-1:])
    # A column that has ended starts again in the next row only.
    if not all(cell.pieces and cell.pieces[-1].baseline < lowest + 1 for cell in (above.cells[n] for n in filled)):
        return False
    head = first and below.bold
    if below.has_number and not head:
        return False
    lower = any(below.cells[number].pieces[0].text[:1].islower() for number in filled)
    if filled == [0] and lower:
        return True
    wrapped = [_is_wrapped(above.cells[number], below.cells[number], columns[number:]) for number in filled]
    few = len(filled) < len(columns) and (0 not in filled or 2 * len(filled) <= len(columns))
    if head or near or few:
        return any(wrapped)
    return all(wrapped) and (lower or any(len(cell.pieces) > 1 for cell in above.cells))


def _is_wrapped(above: _Cell, below: _Cell, columns: Sequence[_Interval]) -> bool:
    """Return whether words are below a cell because they did not fit into it."""
    last = above.pieces[-1]
    right_edge = columns[1].left - 0.6 * last.size if len(columns) > 1 else columns[0].right + 0.5
    return wraps(last, below.pieces[0], right_edge)
