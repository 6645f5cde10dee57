"""The programs of keys as queries over the tables of their contexts."""

from __future__ import annotations

import re
import sqlite3
from decimal import Decimal

from fathom.tasks.family import Item
from fathom.tasks.tables.months import month_value

CURRENCY = re.compile(r"(?:and has its figures in |with figures in |仅限以)([A-Z]{3})")


def over_periods(item: Item, database: sqlite3.Connection) -> str:
    """The program of a key over the tables of its context: with the scope that its question states."""
    statement, rows, text = item.key.proof.program, item.key.proof.rows, item.question.text
    table = re.findall(r"\bFROM (?!\()(\w+)", statement)[0]
    scales = {row[1]: Decimal(row[3]) for row in rows}
    dated = {column: re.fullmatch(r"(.+)_(\d{4})", column) for column in scales}
    months = {row[1] for row in rows if month_value(row[2]) is not None}
    used = {row[0] for row in rows}
    exceptions = [
        name for (name,) in database.execute(f"SELECT DISTINCT name FROM {table}") if name not in used and name in text
    ]
    columns, conditions = [], [f"name NOT IN ({', '.join(map(quoted, exceptions))})"]
    for column, found in dated.items():
        field, year = (found[1], f" AND one.year = {found[2]}") if found else (column, "")
        cell = f"(SELECT one.{field} FROM main.{table} AS one WHERE one.name = whole.name{year})"
        # Months are text, which has no scale.
        scale = "" if column in months else f" / {float(scales[column])}"
        columns.append(f"{cell}{scale} AS {column}")
    if all(dated.values()):
        conditions += ["own_report = 1", f"year = {max(found[2] for found in dated.values() if found)}"]
    if currency := CURRENCY.search(text):
        conditions.append(f"currency = {quoted(currency[1])}")
    scope = f"SELECT name, {', '.join(columns)} FROM main.{table} AS whole WHERE {' AND '.join(conditions)}"
    if " ORDER BY " in statement:
        # The sort keys that a key lists for the sake of ties are not asked for.
        statement = re.sub(r"^SELECT (DISTINCT )?(.+?), .+? FROM", r"SELECT \1\2 FROM", statement)
    return f"WITH {table} AS ({scope}) {statement}"


def quoted(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"
