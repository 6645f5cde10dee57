"""Tables that an agent fills and queries: an in-memory database with size limits."""

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from fathom.systems.sql_guard import SqlValue, StatementResult, run_guarded

MAX_TABLES, MAX_COLUMNS, MAX_ROWS = 20, 50, 20_000
"""Rows of all tables together."""
MAX_VALUE_LENGTH = 2_000
MAX_CHARACTERS = 2_000_000
"""Maximum characters of all values that were ever added."""

_NAME = re.compile(r"(?!sqlite_)[^\W\d]\w{0,62}", re.IGNORECASE)


class TableError(ValueError):
    """Rows were not added; the message gives the reason to the model that wrote them."""


RowValues = Mapping[str, SqlValue]


class OwnTables:
    """The tables of one question."""

    def __init__(self) -> None:
        self._database = sqlite3.connect(":memory:", isolation_level=None)
        self._columns: dict[str, list[str]] = {}
        self._rows = self._characters = 0

    def close(self) -> None:
        self._database.close()

    def add(self, table: str, rows: Sequence[RowValues]) -> str:
        """Add rows to a table, which is created if it is new; returns a description of the table. All or none."""
        name = self._table_name(table)
        columns = self._with_new_columns(name, rows)
        self._check_room(rows)
        self._create(name, columns)
        marks = ", ".join("?" * len(columns))
        lowered = [{column.lower(): value for column, value in row.items()} for row in rows]
        values = [[row.get(column.lower()) for column in columns] for row in lowered]
        self._database.executemany(f'INSERT INTO "{name}" VALUES ({marks})', values)
        self._rows += len(rows)
        [(count,)] = self._database.execute(f'SELECT COUNT(*) FROM "{name}"').fetchall()
        return f"The table {name} ({', '.join(columns)}) has {count:,} rows."

    def query(self, statement: str) -> StatementResult:
        """The result of one SELECT over the tables; raises RefusedQuery with the reason if there is none."""
        return run_guarded(self._database, statement)

    def _table_name(self, table: str) -> str:
        known = {name.lower(): name for name in self._columns}
        if table.lower() in known:
            return known[table.lower()]
        _check_name(table, "table")
        if len(self._columns) == MAX_TABLES:
            raise TableError(f"there are already {MAX_TABLES} tables")
        return table

    def _with_new_columns(self, table: str, rows: Sequence[RowValues]) -> list[str]:
        columns = {name.lower(): name for name in self._columns.get(table, ())}
        for row in rows:
            for name in row:
                if name.lower() not in columns:
                    _check_name(name, "column")
                    columns[name.lower()] = name
        if len(columns) > MAX_COLUMNS:
            raise TableError(f"a table has at most {MAX_COLUMNS} columns")
        return list(columns.values())

    def _check_room(self, rows: Sequence[RowValues]) -> None:
        if self._rows + len(rows) > MAX_ROWS:
            raise TableError(f"the tables have at most {MAX_ROWS:,} rows together")
        characters = sum(len(value) if isinstance(value, str) else 8 for row in rows for value in row.values())
        if self._characters + characters > MAX_CHARACTERS:
            raise TableError(f"the tables have at most {MAX_CHARACTERS:,} characters together")
        self._characters += characters

    def _create(self, table: str, columns: list[str]) -> None:
        known = self._columns.get(table)
        if known is None:
            names = ", ".join(f'"{column}"' for column in columns)
            self._database.execute(f'CREATE TABLE "{table}" ({names})')
        for column in columns[len(known) :] if known is not None else ():
            self._database.execute(f'ALTER TABLE "{table}" ADD COLUMN "{column}"')
        self._columns[table] = columns


def _check_name(name: str, what: str) -> None:
    if not _NAME.fullmatch(name):
        raise TableError(f"'{name[:40]}' cannot be the name of a {what}; use letters, digits and underscores")


def parse_rows(rows_argument: object) -> list[dict[str, SqlValue]]:
    """The rows that a model gives: a list of objects, or the same as JSON text."""
    rows = rows_argument
    if isinstance(rows_argument, str):
        try:
            rows = json.loads(rows_argument)
        except (ValueError, RecursionError) as error:
            raise TableError(f"the rows are not valid JSON ({str(error)[:100]})") from error
    if isinstance(rows, dict):
        rows = [rows]
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) and row for row in rows):
        raise TableError('the rows must be a list of objects, such as [{"name": "A", "value": 1.5}]')
    return [{str(name): _cell(value) for name, value in row.items()} for row in rows]


def _cell(value: Any) -> SqlValue:
    match value:
        case None | bool():
            return None if value is None else int(value)
        case int() if -(2**63) <= value < 2**63:
            return value
        case float() if math.isfinite(value):
            return value
        case str() if len(value) <= MAX_VALUE_LENGTH:
            return value.encode("utf-8", "replace").decode()  # SQLite refuses lone surrogates
        case str():
            raise TableError(f"a value has more than {MAX_VALUE_LENGTH:,} characters")
    raise TableError("a value must be a number, a text or null")


def printed(result: StatementResult) -> list[str]:
    """A result as lines: the columns, then the rows."""
    return [" | ".join(result.columns), *(" | ".join(map(_text, row)) for row in result.rows)]


def _text(value: SqlValue) -> str:
    if isinstance(value, float):
        return f"{value:.15g}"
    return "NULL" if value is None else str(value).replace("\n", " ")
