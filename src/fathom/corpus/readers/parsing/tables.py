"""Size limits and header rows of tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.corpus.readers.parsed_document import ParsedTable, ReadError, TableCell, TaggedNumber
from fathom.corpus.readers.parsing.blocks import is_visible, normalized_text

MAX_BYTES = 200_000_000
"""Maximum size of a file."""
MAX_ROWS = 1_000_000
MAX_COLUMNS = 1_000
MAX_CELLS = 500_000
"""Maximum number of cells in a CSV file. Each takes about ten microseconds to assemble."""
MAX_CELL_CHARACTERS = 100_000
"""Maximum number of characters in one cell."""
MAX_PADDING = 5_000_000
"""Maximum number of empty cells that pad a table to its widest row: a ragged table could fill the memory."""


def check_size(content: bytes) -> None:
    """Raise `ReadError` if a file is too large."""
    if len(content) > MAX_BYTES:
        raise ReadError(f"it is larger than {MAX_BYTES // 1_000_000} MB")


def check_rows(count: int, what: str = "it") -> None:
    """Raise `ReadError` if a table has too many rows."""
    if count > MAX_ROWS:
        raise ReadError(f"{what} has more than {MAX_ROWS:,} rows")


def check_cell(text: str) -> str:
    """Return the text of a cell; raises `ReadError` if it is too long."""
    if len(text) > MAX_CELL_CHARACTERS:
        raise ReadError(f"a cell has more than {MAX_CELL_CHARACTERS:,} characters")
    return text


def check_padding(table: ParsedTable) -> ParsedTable:
    """Return the table; raises `ReadError` if it would need too much padding."""
    widths = [sum(cell.columns for cell in row) for row in table.rows]
    if widths and max(widths) * len(widths) - sum(widths) > MAX_PADDING:
        raise ReadError("a table has rows of very different lengths")
    return table


_YEAR_LIKE = re.compile(r"(?:19|20)[0-9]{2}\b")
_AMOUNT = re.compile(r"[-($£€¥\u2212\u2013\u2014\s]*[0-9.][0-9.,\s]*[)%\s]*")


def mark_header_rows(rows: list[list[TableCell]]) -> list[list[TableCell]]:
    """Mark the rows above the numbers as headers: rows without a label, or with years only."""
    count = 0
    while count < len(rows) - 1 and _is_header(rows[count]):
        count += 1
    heads = [[TableCell(cell.inlines, True, cell.columns) for cell in row] for row in rows[:count]]
    return heads + rows[count:]


def _is_header(row: Sequence[TableCell]) -> bool:
    filled = [cell for cell in row if any(is_visible(piece) for piece in cell.inlines)]
    if any(isinstance(piece, TaggedNumber) for cell in filled for piece in cell.inlines):
        return False
    if filled and all(cell.header for cell in filled):
        return True
    others = [normalized_text(cell.inlines) for cell in row[1:]]
    if not any(others) or any(_AMOUNT.fullmatch(text) and not _YEAR_LIKE.match(text) for text in others):
        return False
    return not normalized_text(row[0].inlines) or any(_YEAR_LIKE.search(text) for text in others)
