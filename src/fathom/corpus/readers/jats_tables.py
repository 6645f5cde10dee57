"""The rows of a table in JATS, its columns kept in line."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fathom.corpus.readers.found import Block, FoundTable, Paragraph, TableCell, Words
from fathom.corpus.readers.jats_xml import Element

WIDEST = 200
"""Columns of a table that cells may claim by spanning."""

LARGEST = 500_000
"""Fields of a table; a larger one is read as running text."""


def table_of(caption: Words, element: Element, said: Callable[[Element], Words]) -> Block:
    """A table whose cells are as `said`; one that is too large is a paragraph."""
    table = FoundTable(caption, _rows(element, said))
    widest = max((sum(cell.columns for cell in row) for row in table.rows), default=0)
    # Every row is printed as wide as the widest: a small file could ask for gigabytes of empty cells.
    return Paragraph(words_of(table)) if widest * len(table.rows) > LARGEST else table


def words_of(block: Block) -> Words:
    """The words of a paragraph, of a heading, or of all cells of a table."""
    if isinstance(block, FoundTable):
        cells = [cell.words for row in block.rows for cell in row]
        return [piece for words in [block.caption, *cells] for piece in [*words, " "]]
    return block.words


def _rows(table: Element, said: Callable[[Element], Words]) -> list[list[TableCell]]:
    """Its rows; below a cell that spans rows stands an empty one, so that columns stay in line."""
    found: list[list[TableCell]] = []
    taken: dict[int, int] = {}  # columns that a cell above still fills, and for how many rows
    for row in _table_rows(table):
        cells: list[TableCell] = []
        column = 0
        head = row.getparent().tag == "thead"
        below = {place: left - 1 for place, left in taken.items() if left > 1}
        for cell in row.iterchildren("td", "th"):
            begin = column
            while column in taken:
                column += 1
            if column > begin:
                cells.append(TableCell([], head, column - begin))
            wide = _count(cell.get("colspan"), max(1, WIDEST - column))
            cells.append(TableCell(said(cell), head or cell.tag == "th", wide))
            high = _count(cell.get("rowspan"), 65_534)
            if high > 1:
                below.update(dict.fromkeys(range(column, min(WIDEST, column + wide)), high - 1))
            column += wide
        found.append(cells)
        taken = below
    return found


def _table_rows(table: Element) -> Iterator[Element]:
    """The rows of a table, not those of tables in its cells."""
    for part in table:
        if part.tag == "tr":
            yield part
        elif part.tag in ("thead", "tbody", "tfoot"):
            yield from part.iterchildren("tr")


def _count(value: str | None, most: int) -> int:
    """A number of columns or rows, which may be anything at all."""
    return min(most, max(1, int(value))) if value and value.isascii() and value.isdigit() and len(value) < 8 else 1
