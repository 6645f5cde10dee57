"""The table and the program of a key, read back from its proof."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from fathom.records.errors import FathomError
from fathom.scoring.answers import Answer, Number, Text
from fathom.scoring.keys import Key
from fathom.tasks.programs import tree
from fathom.tasks.programs.database import Database
from fathom.tasks.programs.parse import ParseError, parse
from fathom.tasks.programs.schema import Schema, SchemaTable
from fathom.tasks.programs.tree import Program
from fathom.tasks.tables.entity_table import database_with
from fathom.tasks.tables.months import MONTH, month_value


class ProofError(FathomError):
    """The proof of a key cannot be read."""


def database_of(key: Key) -> Database:
    """The table that the key was computed from."""
    columns: dict[str, dict[str, Decimal | str | None]] = {}
    for row in key.proof.rows:
        try:
            entity, column, value, _ = row
            is_month = month_value(value) is not None
            columns.setdefault(column, {})[entity] = value if is_month else Decimal(value) if value else None
        except (ValueError, InvalidOperation) as error:
            raise ProofError(
                f"The proof of question '{key.question_id}' has a row that is not a figure: {row}."
            ) from error
    entities = list(dict.fromkeys(entity for values in columns.values() for entity in values))
    if not columns or any(values.keys() != set(entities) for values in columns.values()):
        raise ProofError(f"The proof of question '{key.question_id}' has no whole table.")
    figures = {name: [values[entity] for entity in entities] for name, values in columns.items()}
    return database_with(_table_name(key.proof.program), entities, figures)


def _table_name(statement: str) -> str:
    """The first table that the statement names."""
    match = re.search(r"\bFROM (?!\()(\w+)", statement)
    return match[1] if match else "figures"


# Build, audit and baselines read the program of a question several times.
@lru_cache(maxsize=1_024)
def _parse_cached(statement: str, tables: tuple[SchemaTable, ...]) -> Program:
    return parse(statement, Schema(tables))[0]


def program_of(key: Key, database: Database) -> Program:
    """The program that a key's statement was written from; its database has one table, without relations."""
    try:
        return _parse_cached(key.proof.program, database.schema.tables)
    except ParseError as error:
        raise ProofError(f"The program of question '{key.question_id}' is not understood: {error}.") from error


def unit_of(answer: Answer) -> str:
    """The unit of an answer that is a number or a month; empty for others."""
    match answer:
        case Number(unit=unit):
            return unit
        case Text(value=value) if month_value(value) is not None:
            return MONTH
        case _:
            return ""


def scales_of(key: Key) -> dict[str, bool]:
    """For each column of the key's table, whether its figures have a scale, such as million, or are amounts."""
    return {column: Decimal(scale) > 1 for _, column, _, scale in key.proof.rows}


def explain(key: Key) -> list[str]:
    """The names of the figures, and for each entity its figures and the values computed from them."""
    database = database_of(key)
    program = program_of(key, database)
    view = database.evaluation.view(database.schema.main)
    computed = [view.values(measure) for measure in dict.fromkeys(_computed_measures(program))]
    met = view.mask(program.where) if program.where is not None else 0
    figures: dict[str, list[str]] = {}
    for entity, _, value, _ in key.proof.rows:
        figures.setdefault(entity, []).append(_format_value(value))
    scales = {column: Decimal(scale) for _, column, _, scale in key.proof.rows}
    lines = ["Figures: " + ", ".join(_heading(column, scale) for column, scale in scales.items())]
    for row, (entity, printed) in enumerate(figures.items()):
        values = [_short(measure_values[row]) for measure_values in computed]
        result = f" → {'; '.join(values)}" if values else ""
        lines.append(f"{entity}: {'; '.join(printed)}{result}{' ✓' if met >> row & 1 else ''}")
    return lines


def _heading(column: str, scale: Decimal) -> str:
    """The name of a column, with its scale: "revenue 2021 (in units of 1,000,000)"."""
    unit = f" (in units of {scale:,f})" if scale > 1 else ""
    return f"{column.replace('_', ' ')}{unit}"


def _format_value(value: str) -> str:
    if month_value(value) is not None:
        return value
    return f"{Decimal(value):,f}" if value else "not reported"


def _computed_measures(program: Program) -> Iterator[tree.Measure]:
    """The measures that the program compares, sorts by or aggregates, where they are computed from figures."""
    for node in tree.nodes(program):
        match node:
            case tree.Compare(measure) | tree.Aggregate(_, measure) | tree.Sort(measure):
                if isinstance(measure, tree.Arithmetic | tree.WeightedSum):
                    yield measure


def _short(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.2f}"
