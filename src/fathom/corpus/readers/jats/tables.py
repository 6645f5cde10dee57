"""The rows of a table in JATS, its columns kept in line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from fathom.corpus.readers.jats.xml_parsing import Element
from fathom.corpus.readers.parsed_document import Block, Inlines, Paragraph, ParsedTable, TableCell

WIDEST = 200
"""Columns of a table that cells may claim by spanning."""

TALLEST = 65_534
"""Rows that a cell may span."""

LARGEST = 500_000
"""Fields of a table; a larger one is read as running text."""


def table_of(caption: Inlines, element: Element, said: Callable[[Element], Inlines]) -> Block:
    """A table whose cells are as `said`; one that is too large is a paragraph."""
    table = ParsedTable(caption, _rows(element, said))
    widest = max((sum(cell.columns for cell in row) for row in table.rows), default=0)
    # Every row is printed as wide as the widest: a small file could ask for gigabytes of empty cells.
    return Paragraph(words_of(table)) if widest * len(table.rows) > LARGEST else table


def words_of(block: Block) -> Inlines:
    """The words of a paragraph, of a heading, or of all cells of a table."""
    if isinstance(block, ParsedTable):
        cells = [cell.inlines for row in block.rows for cell in row]
        return [piece for words in [block.caption, *cells] for piece in [*words, " "]]
    return block.inlines


def _rows(table: Element, said: Callable[[Element], Inlines]) -> list[list[TableCell]]:
    """Its rows; below a cell that spans rows stands an empty one, so that columns stay in line."""
    found: list[list[TableCell]] = []
    taken: dict[int, int] = {}  # columns that a cell above still fills, and for how many rows
    for row, columns in _table_rows(table):
        cells: list[TableCell] = []
        column = 0
        head = row.getparent().tag == "thead"
        below = {place: left - 1 for place, left in taken.items() if left > 1}
        for cell in row.iterchildren("td", "th", "entry", "entrytbl"):
            begin = column
            asked, wide, high = _extent(cell, columns)
            column = max(column, asked)
            while column in taken:
                column += 1
            if column > begin:
                cells.append(TableCell([], head, column - begin))
            wide = min(wide, max(1, WIDEST - column))
            cells.append(TableCell(said(cell), head or cell.tag == "th", wide))
            if high > 1:
                below.update(dict.fromkeys(range(column, min(WIDEST, column + wide)), high - 1))
            column += wide
        found.append(cells)
        taken = below
    return found


_Columns = Mapping[str, tuple[int, int]]
"""The first and the last column of what a table in the manner of OASIS calls by a name."""


def _table_rows(table: Element) -> Iterator[tuple[Element, _Columns]]:
    """The rows of a table, not those of tables in its cells, with the names of their columns."""
    for part in table:
        if part.tag == "tr":
            yield part, {}
        elif part.tag in ("thead", "tbody", "tfoot"):
            yield from ((row, {}) for row in part.iterchildren("tr"))
        elif part.tag == "tgroup":
            columns = _named_columns(part)
            # OASIS writes the foot before the body.
            for tag in ("thead", "tbody", "tfoot"):
                yield from ((row, columns) for inner in part.iterchildren(tag) for row in inner.iterchildren("row"))


def _named_columns(group: Element) -> dict[str, tuple[int, int]]:
    """Columns by the names of OASIS: each by its own, and stretches of them where those have one too."""
    named: dict[str, tuple[int, int]] = {}
    column = 0
    for spec in group.iterchildren("colspec"):
        column = _count(spec.get("colnum") or str(column + 1), WIDEST)
        if name := spec.get("colname"):
            named[name] = (column - 1, column - 1)
    for spec in group.iterchildren("spanspec"):
        first, last = named.get(spec.get("namest", "")), named.get(spec.get("nameend", ""))
        if first and last and (name := spec.get("spanname")):
            named[name] = (first[0], last[1])
    return named


class _Extent(NamedTuple):
    """Where a cell asks to stand, at the earliest, and how far it reaches."""

    column: int
    wide: int
    high: int


def _extent(cell: Element, columns: _Columns) -> _Extent:
    if cell.tag in ("td", "th"):
        return _Extent(0, _count(cell.get("colspan"), WIDEST), _count(cell.get("rowspan"), TALLEST))
    more = cell.get("morerows") or "0"
    high = 1 + (_count(more, TALLEST) if more.strip("0") else 0)
    whole = columns.get(cell.get("spanname", ""))
    first = whole or columns.get(cell.get("namest", "")) or columns.get(cell.get("colname", ""))
    if first is None:
        return _Extent(0, 1, high)
    last = whole or columns.get(cell.get("nameend", ""), first)
    return _Extent(first[0], max(1, last[1] - first[0] + 1), high)


def _count(value: str | None, most: int) -> int:
    """A number of columns or rows, which may be anything at all."""
    return min(most, max(1, int(value))) if value and value.isascii() and value.isdigit() and len(value) < 8 else 1
