"""Whether the ranking that a question asks for is the same for every reader."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from fathom.records.names import without_accents
from fathom.tasks.numeric.schema import NAME, SCHEMA
from fathom.tasks.numeric.tables import ContextTables
from fathom.tasks.programs import tree
from fathom.tasks.programs.evaluate import TableRow


def is_clear(program: tree.Program, rows: Sequence[TableRow], tables: ContextTables) -> bool:
    """Whether a ranking is cut between different values, and alphabetical orders depend on letters alone.

    Where the program has no order, there is nothing to mistake.
    """
    if not program.order or not rows:
        return True
    if isinstance(program.top, int) and len(rows) != program.top:
        return False
    width = len(rows[0]) - len(program.order)
    return all(
        _is_alphabetical(rows, width, width + index, sort, tables)
        for index, sort in enumerate(program.order)
        if isinstance(sort.measure, tree.Column) and SCHEMA.columns[sort.measure.name].type == "text"
    )


def _is_alphabetical(rows: Sequence[TableRow], width: int, column: int, sort: tree.Sort, tables: ContextTables) -> bool:
    """Whether a text sort key orders the rows in the same way without capitals, accents and punctuation."""
    if sort.measure == NAME and any(tables.aliases(NAME.name, str(row[column])) for row in rows):
        return False  # another spelling of the name may belong elsewhere
    for previous, row in pairwise(rows):
        if previous[width:column] != row[width:column] or previous[column] == row[column]:
            continue
        previous_letters, letters = _letters(str(previous[column])), _letters(str(row[column]))
        if not (previous_letters < letters if sort.direction == "ASC" else letters < previous_letters):
            return False
    return True


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", " ", without_accents(text).casefold()).strip()
