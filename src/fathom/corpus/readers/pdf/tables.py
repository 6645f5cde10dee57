"""Tables of a PDF: a caption, and beside it rows whose words stand in columns. What is in doubt is left as lines."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fathom.corpus.readers.pdf.characters import HYPHEN, Line
from fathom.corpus.readers.pdf.grids import MOST_PIECES, Grid, Strip, rows_of

_MOST_ROWS = 200
_MOST_CAPTION = 12
"""Lines of a caption."""
_NUMBERED = r"\s?(?:[A-Z]\.?)?(?:\d{1,3}|[IVX]{1,5})(?:[.:|]|\s*$|\s+[^\sa-z])"
"""What follows the word in a caption; "Table 2 shows" begins a sentence."""
CAPTION = re.compile(rf"(?:Figure|FIGURE|Fig\.|Table|TABLE|Tab\.|Algorithm|Listing|Scheme|图|表){_NUMBERED}")
_OF_TABLE = re.compile(rf"(?:Table|TABLE|Tab\.|表){_NUMBERED}")


def take_tables(lines: Sequence[Line], columns: Sequence[float]) -> tuple[list[Line], dict[Line, Grid]]:
    """The lines without those of tables, and the tables by the first line of their captions, which stays."""
    if not any(_OF_TABLE.match(line.text) for line in lines):
        return list(lines), {}
    pages = _Pages(lines, columns)
    tables = pages.tables()
    # Once only: what is drawn twice in one place, to look bold, is one line and the same.
    first = {line: number for number, line in reversed(list(enumerate(lines))) if line in tables}
    return [
        line for number, line in enumerate(lines) if first.get(line, -1) == number or line not in pages.taken
    ], tables


_WHOLE = -1
"""In the place of a column's number: the whole width of the page."""


class _Pages:
    """The baselines of each page, column by column, from top to bottom."""

    def __init__(self, lines: Sequence[Line], columns: Sequence[float]) -> None:
        self._lines = lines
        self._columns = columns or [0.0]
        self._last = max(line.page for line in lines)
        self._by_page: dict[int, list[Line]] = {}
        for line in lines:
            self._by_page.setdefault(line.page, []).append(line)
        self._strips: dict[tuple[int, int], list[Strip]] = {}
        self._widths: dict[tuple[int, int], float] = {}
        self._places: dict[tuple[int, Line], int] = {}
        self.taken: set[Line] = set()

    def tables(self) -> dict[Line, Grid]:
        """Those that can be told, each by the first line of its caption."""
        tables: dict[Line, Grid] = {}
        for line in self._lines:
            if line not in self.taken and _OF_TABLE.match(line.text):
                grid = self._table(line)
                if grid is not None:
                    tables[line] = grid
        return tables

    def _table(self, line: Line) -> Grid | None:
        """The table whose caption begins with a line: the rows below it, else those above."""
        column = self._column(line)
        strips = self._of(line.page, column)
        start = self._places[column, line]
        if strips[start].lines[0] != line:
            return None
        end = _caption_end(strips, start)
        widest = self._widest(line.page, column)
        below = _rows(strips[end : end + _MOST_ROWS], widest, strips[end - 1].base)
        above = _rows(strips[max(0, start - _MOST_ROWS) : start][::-1], widest, strips[start].base)
        candidates = [below, above[::-1]]
        if end + len(below) == len(strips):
            candidates.insert(0, below + self._overleaf(line.page, column, below))
        for candidate in candidates:
            free = not any(self.taken.intersection(strip.lines) for strip in candidate)
            rows = rows_of(candidate) if free else None
            if rows:
                self.taken.update(*(strip.lines for strip in (*strips[start:end], *candidate)))
                return Grid(tuple(line for strip in strips[start:end] for line in strip.lines), tuple(rows))
        return None

    def _column(self, line: Line) -> int:
        """The number of the column that holds a line; the whole width where it crosses into another."""
        number = max(0, sum(line.left >= left - 8 for left in self._columns) - 1)
        following = self._columns[number + 1 :]
        return _WHOLE if following and line.right > following[0] + 10 else number

    def _of(self, page: int, column: int) -> list[Strip]:
        if (page, column) not in self._strips:
            held = [
                line
                for line in self._by_page.get(page, [])
                if column == _WHOLE or self._column(line) in (column, _WHOLE)
            ]
            strips = _strips(held)
            self._strips[page, column] = strips
            self._places.update(((column, line), number) for number, strip in enumerate(strips) for line in strip.lines)
        return self._strips[page, column]

    def _overleaf(self, page: int, column: int, begun: Sequence[Strip]) -> list[Strip]:
        """The rows at the head of the next column or page, where those before reach the foot of theirs."""
        by = 0.0
        if column != _WHOLE and column + 1 < len(self._columns):
            by = self._columns[column] - self._columns[column + 1]
            column += 1
        elif page < self._last:
            by = self._columns[max(0, column)] - self._columns[0]
            page, column = page + 1, min(column, 0)
        else:
            return []
        strips = self._of(page, column)
        if not strips:
            return []
        size = begun[0].size if begun else 0
        rows = _rows(strips, self._widest(page, column), strips[0].base + strips[0].size, size)
        up = begun[-1].base - 1.2 * size - strips[0].base if begun else 0
        return [strip.moved(by, up) for strip in rows]

    def _widest(self, page: int, column: int) -> float:
        if (page, column) not in self._widths:
            self._widths[page, column] = max(strip.width for strip in self._of(page, column))
        return self._widths[page, column]


def _strips(lines: Sequence[Line]) -> list[Strip]:
    """The baselines from top to bottom, with what stands on each from left to right."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: -line.base):
        if rows and rows[-1][0].base - line.base < 0.3 * line.size:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [_strip(sorted(row, key=lambda line: line.left)) for row in rows]


def _strip(lines: Sequence[Line]) -> Strip:
    return Strip(tuple(piece for line in lines for piece in _pieces(line)), tuple(lines))


def _pieces(line: Line) -> Iterator[Line]:
    """A line cut at its wide gaps."""
    if not line.gaps:
        yield line
        return
    begin, left = 0, line.left
    for gap in line.gaps:
        text = line.text[begin : gap.at]
        broken = HYPHEN.search(text) is not None
        text = text[:-1] if broken else text
        yield replace(line, left=left, right=gap.left, broken=broken, text=text, gaps=())
        begin, left = gap.at + 1, gap.right
    yield replace(line, left=left, text=line.text[begin:], gaps=())


def _caption_end(strips: Sequence[Strip], start: int) -> int:
    """The number of the first baseline after a caption: of another size, further off, or parted into columns."""
    end = start + 1
    while end < min(len(strips), start + _MOST_CAPTION):
        before, after = strips[end - 1], strips[end]
        gap = before.base - after.base
        if abs(before.size - after.size) > 0.2 or gap > 1.45 * after.size or len(after.lines) > 1:
            break
        if CAPTION.match(after.lines[0].text):
            break
        end += 1
    return end


def _rows(strips: Sequence[Strip], widest: float, base: float, size: float = 0) -> list[Strip]:
    """The first baselines that may be rows: near one another, alike in size, and no prose."""
    rows: list[Strip] = []
    for strip in strips[:_MOST_ROWS]:
        size = size or strip.size
        gap = abs(base - strip.base)
        if gap > (2.8 if rows else 3.5) * size or abs(strip.size - size) > 0.12 * size or _is_prose(strip, widest):
            break
        if len(strip.pieces) > MOST_PIECES or CAPTION.match(strip.lines[0].text):
            break
        rows.append(strip)
        base = strip.base
    return rows


def _is_prose(strip: Strip, widest: float) -> bool:
    """Whether a baseline is a line of text: wide, and what wide blanks it has are all alike, as justified ones are."""
    if len(strip.lines) > 1 or strip.width < 0.8 * widest:
        return False
    gaps = [after.left - before.right for before, after in itertools.pairwise(strip.pieces)]
    if len(gaps) > 1:
        return max(gaps) - min(gaps) < 0.5
    return not gaps or gaps[0] < 1.05 * strip.size
