"""Detection of tables in a PDF: a caption next to rows aligned in columns. Doubtful ones stay plain lines."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fathom.corpus.readers.pdf.line import HYPHEN, Line
from fathom.corpus.readers.pdf.table_grid import MAX_PIECES, TableGrid, TextRow, table_rows

_MAX_ROWS = 200
"""Maximum number of text rows of one table."""
_MAX_CAPTION_LINES = 12
"""Maximum number of lines in a caption."""
_NUMBERED = r"\s?(?:[A-Z]\.?)?(?:\d{1,3}|[IVX]{1,5})(?:[.:|]|\s*$|\s+[^\sa-z])"
"""The number after "Table" in a caption. "Table 2 shows" is a sentence instead."""
CAPTION = re.compile(rf"(?:Figure|FIGURE|Fig\.|Table|TABLE|Tab\.|Algorithm|Listing|Scheme|图|表){_NUMBERED}")
_TABLE_CAPTION = re.compile(rf"(?:Table|TABLE|Tab\.|表){_NUMBERED}")


def extract_tables(lines: Sequence[Line], columns: Sequence[float]) -> tuple[list[Line], dict[Line, TableGrid]]:
    """Return the lines without tables, and the tables by the first line of their captions, which is kept."""
    if not any(_TABLE_CAPTION.match(line.text) for line in lines):
        return list(lines), {}
    pages = _TableFinder(lines, columns)
    tables = pages.tables()
    # Keep one copy: a line may be drawn twice in one place to appear bold.
    first = {line: number for number, line in reversed(list(enumerate(lines))) if line in tables}
    return [
        line for number, line in enumerate(lines) if first.get(line, -1) == number or line not in pages.used_lines
    ], tables


_FULL_WIDTH = -1
"""Column index that means the full page width."""


class _TableFinder:
    """Finds tables in the text rows of each page and column."""

    def __init__(self, lines: Sequence[Line], columns: Sequence[float]) -> None:
        self._lines = lines
        self._columns = columns or [0.0]
        self._last = max(line.page for line in lines)
        self._by_page: dict[int, list[Line]] = {}
        for line in lines:
            self._by_page.setdefault(line.page, []).append(line)
        self._text_rows: dict[tuple[int, int], list[TextRow]] = {}
        self._widths: dict[tuple[int, int], float] = {}
        self._places: dict[tuple[int, Line], int] = {}
        self.used_lines: set[Line] = set()

    def tables(self) -> dict[Line, TableGrid]:
        """Return the recognized tables by the first line of their captions."""
        tables: dict[Line, TableGrid] = {}
        for line in self._lines:
            if line not in self.used_lines and _TABLE_CAPTION.match(line.text):
                grid = self._table(line)
                if grid is not None:
                    tables[line] = grid
        return tables

    def _table(self, line: Line) -> TableGrid | None:
        """Return the table whose caption starts with a line, from the rows below it or else above it."""
        column = self._column(line)
        text_rows = self._rows_in(line.page, column)
        start = self._places[column, line]
        if text_rows[start].lines[0] != line:
            return None
        end = _caption_end(text_rows, start)
        widest = self._widest(line.page, column)
        below = _candidate_rows(text_rows[end : end + _MAX_ROWS], widest, text_rows[end - 1].baseline)
        above = _candidate_rows(text_rows[max(0, start - _MAX_ROWS) : start][::-1], widest, text_rows[start].baseline)
        candidates = [below, above[::-1]]
        if end + len(below) == len(text_rows):
            candidates.insert(0, below + self._continuation(line.page, column, below))
        for candidate in candidates:
            free = not any(self.used_lines.intersection(text_row.lines) for text_row in candidate)
            rows = table_rows(candidate) if free else None
            if rows:
                self.used_lines.update(*(text_row.lines for text_row in (*text_rows[start:end], *candidate)))
                return TableGrid(
                    tuple(line for text_row in text_rows[start:end] for line in text_row.lines), tuple(rows)
                )
        return None

    def _column(self, line: Line) -> int:
        """Return the column index of a line, or full width if it crosses into the next column."""
        number = max(0, sum(line.left >= left - 8 for left in self._columns) - 1)
        following = self._columns[number + 1 :]
        return _FULL_WIDTH if following and line.right > following[0] + 10 else number

    def _rows_in(self, page: int, column: int) -> list[TextRow]:
        if (page, column) not in self._text_rows:
            members = [
                line
                for line in self._by_page.get(page, [])
                if column == _FULL_WIDTH or self._column(line) in (column, _FULL_WIDTH)
            ]
            text_rows = _text_rows(members)
            self._text_rows[page, column] = text_rows
            self._places.update(
                ((column, line), number) for number, text_row in enumerate(text_rows) for line in text_row.lines
            )
        return self._text_rows[page, column]

    def _continuation(self, page: int, column: int, started: Sequence[TextRow]) -> list[TextRow]:
        """Return the rows at the top of the next column or page that continue a table at the bottom of this one."""
        shift_x = 0.0
        if column != _FULL_WIDTH and column + 1 < len(self._columns):
            shift_x = self._columns[column] - self._columns[column + 1]
            column += 1
        elif page < self._last:
            shift_x = self._columns[max(0, column)] - self._columns[0]
            page, column = page + 1, min(column, 0)
        else:
            return []
        text_rows = self._rows_in(page, column)
        if not text_rows:
            return []
        size = started[0].size if started else 0
        rows = _candidate_rows(text_rows, self._widest(page, column), text_rows[0].baseline + text_rows[0].size, size)
        shift_y = started[-1].baseline - 1.2 * size - text_rows[0].baseline if started else 0
        return [text_row.shifted(shift_x, shift_y) for text_row in rows]

    def _widest(self, page: int, column: int) -> float:
        if (page, column) not in self._widths:
            self._widths[page, column] = max(text_row.width for text_row in self._rows_in(page, column))
        return self._widths[page, column]


def _text_rows(lines: Sequence[Line]) -> list[TextRow]:
    """Group lines into text rows, top to bottom, each left to right."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: -line.baseline):
        if rows and rows[-1][0].baseline - line.baseline < 0.3 * line.size:
            rows[-1].append(line)
        else:
            rows.append([line])
    return [_text_row(sorted(row, key=lambda line: line.left)) for row in rows]


def _text_row(lines: Sequence[Line]) -> TextRow:
    return TextRow(tuple(piece for line in lines for piece in _pieces(line)), tuple(lines))


def _pieces(line: Line) -> Iterator[Line]:
    """Split a line at its wide gaps."""
    if not line.gaps:
        yield line
        return
    begin, left = 0, line.left
    for gap in line.gaps:
        text = line.text[begin : gap.offset]
        hyphenated = HYPHEN.search(text) is not None
        text = text[:-1] if hyphenated else text
        yield replace(line, left=left, right=gap.left, hyphenated=hyphenated, text=text, gaps=())
        begin, left = gap.offset + 1, gap.right
    yield replace(line, left=left, text=line.text[begin:], gaps=())


def _caption_end(text_rows: Sequence[TextRow], start: int) -> int:
    """Return the index of the first row after a caption: of another size, further away, or in columns."""
    end = start + 1
    while end < min(len(text_rows), start + _MAX_CAPTION_LINES):
        before, after = text_rows[end - 1], text_rows[end]
        gap = before.baseline - after.baseline
        if abs(before.size - after.size) > 0.2 or gap > 1.45 * after.size or len(after.lines) > 1:
            break
        if CAPTION.match(after.lines[0].text):
            break
        end += 1
    return end


def _candidate_rows(text_rows: Sequence[TextRow], widest: float, baseline: float, size: float = 0) -> list[TextRow]:
    """Return the leading rows that may belong to a table: close together, similar in size, and not prose."""
    rows: list[TextRow] = []
    for text_row in text_rows[:_MAX_ROWS]:
        size = size or text_row.size
        gap = abs(baseline - text_row.baseline)
        if (
            gap > (2.8 if rows else 3.5) * size
            or abs(text_row.size - size) > 0.12 * size
            or _is_prose(text_row, widest)
        ):
            break
        if len(text_row.pieces) > MAX_PIECES or CAPTION.match(text_row.lines[0].text):
            break
        rows.append(text_row)
        baseline = text_row.baseline
    return rows


def _is_prose(text_row: TextRow, widest: float) -> bool:
    """Return whether a row is running text: wide, with equal gaps as in justified text."""
    if len(text_row.lines) > 1 or text_row.width < 0.8 * widest:
        return False
    gaps = [after.left - before.right for before, after in itertools.pairwise(text_row.pieces)]
    if len(gaps) > 1:
        return max(gaps) - min(gaps) < 0.5
    return not gaps or gaps[0] < 1.05 * text_row.size
