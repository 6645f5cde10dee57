"""The table and the program of a key, read back from its proof."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from fathom.records.errors import FathomError
from fathom.scoring.keys import Key
from fathom.tasks.programs.database import Database
from fathom.tasks.programs.parse import ParseError, parse
from fathom.tasks.programs.schema import ColumnSpec
from fathom.tasks.programs.tree import Program
from fathom.tasks.tables.entity_table import cell, exponent, make_database


class ProofError(FathomError):
    """The proof of a key cannot be read."""


def database_of(key: Key) -> Database:
    """The table that the key was computed from."""
    columns: dict[str, dict[str, Decimal | None]] = {}
    for row in key.proof.rows:
        try:
            entity, column, value, _ = row
            columns.setdefault(column, {})[entity] = Decimal(value) if value else None
        except (ValueError, InvalidOperation) as error:
            raise ProofError(
                f"The proof of question '{key.question_id}' has a row that is no figure: {row}."
            ) from error
    entities = list(dict.fromkeys(entity for values in columns.values() for entity in values))
    if not columns or any(values.keys() != set(entities) for values in columns.values()):
        raise ProofError(f"The proof of question '{key.question_id}' has no whole table.")
    specs = [_spec(name, list(values.values())) for name, values in columns.items()]
    rows = [(one, *(cell(values[one]) for values in columns.values())) for one in entities]
    return make_database(_table_name(key.proof.program), specs, rows)


def _table_name(statement: str) -> str:
    """The first table that the statement names."""
    found = re.search(r"\bFROM (?!\()(\w+)", statement)
    return found[1] if found else "figures"


def _spec(name: str, values: list[Decimal | None]) -> ColumnSpec:
    decimals = max((-exponent(value) for value in values if value is not None), default=0)
    return ColumnSpec(
        name, "decimal" if decimals > 0 else "integer", (name,), nullable=None in values, decimals=max(0, decimals)
    )


def program_of(key: Key, database: Database) -> Program:
    """The program that a key's statement was written from."""
    try:
        return parse(key.proof.program, database.schema)[0]
    except ParseError as error:
        raise ProofError(f"The program of question '{key.question_id}' is not understood: {error}.") from error


def explain(key: Key) -> list[str]:
    """The figures that the answer is computed from, and the query."""
    lines = [f"{entity}: {column} = {value or 'not reported'}" for entity, column, value, _ in key.proof.rows]
    return [*lines, key.proof.program]
