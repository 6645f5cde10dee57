"""In-memory SQLite databases with the tables of a schema."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from fathom.tasks.programs.evaluate import Evaluation, TableRow, TableRows
from fathom.tasks.programs.schema import Schema, SchemaTable

ROWS_PER_INSERT = 16
"""Rows in one INSERT statement. Sixteen take half the time of single rows; more make no difference."""


def open_database(schema: Schema) -> sqlite3.Connection:
    """An empty in-memory database, which can be reused for one context after another."""
    database = sqlite3.connect(":memory:", isolation_level=None, cached_statements=2_000)
    database.executescript(schema.statements())
    return database


def load(database: sqlite3.Connection, schema: Schema, rows: TableRows) -> None:
    """Replace the rows of all tables."""
    # One transaction: otherwise SQLite commits after every row, which takes longer than inserting it.
    database.execute("BEGIN")
    for table in schema.tables:
        database.execute(f"DELETE FROM {table.name}")
        _insert(database, table, rows[table.name])
    database.execute("COMMIT")


def _insert(database: sqlite3.Connection, table: SchemaTable, rows: Sequence[TableRow]) -> None:
    names = ", ".join(column.name for column in table.columns)
    head, row = f"INSERT INTO {table.name} ({names}) VALUES ", f"({', '.join('?' * len(table.columns))})"
    full_batches = len(rows) - len(rows) % ROWS_PER_INSERT
    database.executemany(
        head + ", ".join([row] * ROWS_PER_INSERT),
        (
            list(chain.from_iterable(rows[start : start + ROWS_PER_INSERT]))
            for start in range(0, full_batches, ROWS_PER_INSERT)
        ),
    )
    database.executemany(head + row, rows[full_batches:])


@dataclass(frozen=True)
class Database:
    """The rows of a schema's tables, with their evaluation."""

    schema: Schema
    rows: TableRows

    @cached_property
    def evaluation(self) -> Evaluation:
        return Evaluation(self.schema, self.rows)

    def load(self, database: sqlite3.Connection) -> None:
        """Replace the rows of all tables of an open database with these."""
        load(database, self.schema, self.rows)

    def without(self, missing: frozenset[int]) -> Database:
        """The database without these rows of the main table, counted from one, and without rows that refer to them."""
        main = self.schema.main
        key = main.positions[main.key]
        gone = {row[key] for number, row in enumerate(self.rows[main.name], start=1) if number in missing}
        referring = {main.key} | {
            name for relation in self.schema.relations if relation.table == main.name for name in (relation.owner,)
        }
        return Database(
            self.schema,
            {
                table.name: tuple(
                    row
                    for row in self.rows[table.name]
                    if not any(row[table.positions[name]] in gone for name in referring if name in table.positions)
                )
                for table in self.schema.tables
            },
        )

    def aliases(self, column: str, text: str) -> tuple[str, ...]:
        """Other accepted spellings of a text cell; none by default."""
        del column, text
        return ()
