"""How large a file of tables, a table and a cell may be before they are refused."""

from __future__ import annotations

from fathom.corpus.readers.parsed_document import ParsedTable, ReadError

MOST_BYTES = 200_000_000
MOST_ROWS = 1_000_000
MOST_COLUMNS = 1_000
MOST_CELLS = 500_000
"""In a sheet; each takes some ten microseconds to lay out."""
MOST_CHARACTERS = 100_000
"""In one cell."""
MOST_PADDING = 5_000_000
"""Empty cells that a table needs to be as wide as its widest row: a ragged table could fill the memory with them."""


def check_size(content: bytes) -> None:
    """Refuses a larger file than can be read at once."""
    if len(content) > MOST_BYTES:
        raise ReadError(f"it is larger than {MOST_BYTES // 1_000_000} MB")


def check_rows(count: int, what: str = "it") -> None:
    """Refuses more rows than a table may have."""
    if count > MOST_ROWS:
        raise ReadError(f"{what} has more than {MOST_ROWS:,} rows")


def bounded_text(text: str) -> str:
    """The text of a cell; refused where it is far longer than any."""
    if len(text) > MOST_CHARACTERS:
        raise ReadError(f"a cell holds more than {MOST_CHARACTERS:,} characters")
    return text


def checked(table: ParsedTable) -> ParsedTable:
    """The table; refused where laying it out would need far more room than it takes."""
    widths = [sum(cell.columns for cell in row) for row in table.rows]
    if widths and max(widths) * len(widths) - sum(widths) > MOST_PADDING:
        raise ReadError("a table has rows of very different lengths")
    return table
