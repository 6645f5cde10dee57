"""Which rows of a table are its header."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.corpus.readers.parsed_document import TableCell, TaggedNumber
from fathom.corpus.readers.parsing.blocks import is_visible, normalized_text

_YEAR_LIKE = re.compile(r"(?:19|20)[0-9]{2}\b")
_AMOUNT = re.compile(r"[-($£€¥\u2212\u2013\u2014\s]*[0-9.][0-9.,\s]*[)%\s]*")


def with_header(rows: list[list[TableCell]]) -> list[list[TableCell]]:
    """The rows with those above the numbers marked as header: the ones without a label, or with years only."""
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
