"""JATS tables (HTML and OASIS) as rows of aligned cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from fathom.corpus.readers.parsed_document import Block, Inlines, Paragraph, ParsedTable, TableCell
from fathom.corpus.readers.parsing.xml_trees import Element

MAX_COLUMNS = 200
"""Maximum number of columns, including spans."""

MAX_ROWSPAN = 65_534
"""Maximum number of rows that one cell may span."""

MAX_CELLS = 500_000
"""Maximum size of a table. A larger one is read as running text."""


def build_table(caption: Inlines, element: Element, cell_inlines: Callable[[Element], Inlines]) -> Block:
    """Return a table, or a paragraph if it is too large."""
    table = ParsedTable(caption, _rows(element, cell_inlines))
    widest = max((sum(cell.columns for cell in row) for row in table.rows), default=0)
    # Every row is padded to the widest: a small file could request gigabytes of empty cells.
    return Paragraph(block_inlines(table)) if widest * len(table.rows) > MAX_CELLS else table


def block_inlines(block: Block) -> Inlines:
    """Return the inlines of a paragraph, a heading, or all cells of a table."""
    if isinstance(block, ParsedTable):
        cells = [cell.inlines for row in block.rows for cell in row]
        return [piece for inlines in [block.caption, *cells] for piece in [*inlines, " "]]
    return block.inlines


def _rows(table: Element, cell_inlines: Callable[[Element], Inlines]) -> list[list[TableCell]]:
    """Return the rows, with an empty cell below each cell that spans rows, so that columns stay aligned."""
    rows: list[list[TableCell]] = []
    occupied: dict[int, int] = {}  # columns covered by a cell above, and for how many more rows
    for row, columns in _table_rows(table):
        cells: list[TableCell] = []
        column = 0
        head = row.getparent().tag == "thead"
        below = {index: rows_left - 1 for index, rows_left in occupied.items() if rows_left > 1}
        for cell in row.iterchildren("td", "th", "entry", "entrytbl"):
            begin = column
            requested, colspan, rowspan = _extent(cell, columns)
            column = max(column, requested)
            while column in occupied:
                column += 1
            if column > begin:
                cells.append(TableCell([], head, column - begin))
            colspan = min(colspan, max(1, MAX_COLUMNS - column))
            cells.append(TableCell(cell_inlines(cell), head or cell.tag == "th", colspan))
            if rowspan > 1:
                below.update(dict.fromkeys(range(column, min(MAX_COLUMNS, column + colspan)), rowspan - 1))
            column += colspan
        rows.append(cells)
        occupied = below
    return rows


_Columns = Mapping[str, tuple[int, int]]
"""First and last column of each named column or span of an OASIS table."""


def _table_rows(table: Element) -> Iterator[tuple[Element, _Columns]]:
    """Yield the rows of a table, without those of nested tables, with the names of their columns."""
    for part in table:
        if part.tag == "tr":
            yield part, {}
        elif part.tag in ("thead", "tbody", "tfoot"):
            yield from ((row, {}) for row in part.iterchildren("tr"))
        elif part.tag == "tgroup":
            columns = _named_columns(part)
            # OASIS places the footer before the body.
            for tag in ("thead", "tbody", "tfoot"):
                yield from ((row, columns) for inner in part.iterchildren(tag) for row in inner.iterchildren("row"))


def _named_columns(group: Element) -> dict[str, tuple[int, int]]:
    """Return the columns and the named spans of an OASIS table."""
    named: dict[str, tuple[int, int]] = {}
    column = 0
    for spec in group.iterchildren("colspec"):
        column = _count(spec.get("colnum") or str(column + 1), MAX_COLUMNS)
        if name := spec.get("colname"):
            named[name] = (column - 1, column - 1)
    for spec in group.iterchildren("spanspec"):
        first, last = named.get(spec.get("namest", "")), named.get(spec.get("nameend", ""))
        if first and last and (name := spec.get("spanname")):
            named[name] = (first[0], last[1])
    return named


class _Extent(NamedTuple):
    """The earliest column of a cell, and its spans."""

    column: int
    colspan: int
    rowspan: int


def _extent(cell: Element, columns: _Columns) -> _Extent:
    if cell.tag in ("td", "th"):
        return _Extent(0, _count(cell.get("colspan"), MAX_COLUMNS), _count(cell.get("rowspan"), MAX_ROWSPAN))
    more = cell.get("morerows") or "0"
    rowspan = 1 + (_count(more, MAX_ROWSPAN) if more.strip("0") else 0)
    named_span = columns.get(cell.get("spanname", ""))
    first = named_span or columns.get(cell.get("namest", "")) or columns.get(cell.get("colname", ""))
    if first is None:
        return _Extent(0, 1, rowspan)
    last = named_span or columns.get(cell.get("nameend", ""), first)
    return _Extent(first[0], max(1, last[1] - first[0] + 1), rowspan)


def _count(value: str | None, maximum: int) -> int:
    """Return a number of columns or rows from 1 to `maximum`; 1 if the attribute is not a number."""
    return min(maximum, max(1, int(value))) if value and value.isascii() and value.isdigit() and len(value) < 8 else 1
