"""Random databases that detect mutants of a program, and the answers of readers with one fault."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from random import Random
from typing import NamedTuple

from fathom.scoring.answer_types.compare import agrees
from fathom.scoring.answers import Answer
from fathom.tasks.programs.answers import normal_form
from fathom.tasks.programs.database import Database
from fathom.tasks.programs.evaluate import TableRow, TableValue
from fathom.tasks.programs.faults import Interpretation, ReadingFault
from fathom.tasks.programs.mutants import Constants
from fathom.tasks.programs.schema import ColumnSpec, Schema, SchemaTable
from fathom.tasks.programs.tree import Program


class WrongAnswer(NamedTuple):
    """The answer of a reader with one fault."""

    fault: str
    detail: str
    answer: Answer


def wrong_answers(program: Program, database: Database, faults: Sequence[ReadingFault]) -> Iterator[WrongAnswer]:
    """The incorrect answers that single faults lead to, in the order of the faults."""
    reading = Interpretation(program, database)
    correct = reading.answer()
    form = normal_form(correct)
    for fault in faults:
        for detail, broken in fault.variations(reading):
            answer = broken.answer()
            # Two answers of different form may still accept the same responses: a sum over one row is its mean.
            if normal_form(answer) != form and not agrees(correct, answer):
                yield WrongAnswer(fault.name, detail, answer)


def random_database(rng: Random, schema: Schema, named: Constants) -> Database:
    """A small database whose values lie around the constants of a program, where mutants differ from it.

    Databases of one to three rows detect mutants that a maximum or an OR hides in larger ones.
    """
    cells = _Cells(rng, named)
    main = schema.main
    count = rng.choice((1, 2, 3, 5, 8, 12, 12))
    rows: dict[str, tuple[TableRow, ...]] = {
        main.name: tuple(cells.row(main, {main.key: number}) for number in range(1, count + 1))
    }
    for table in schema.tables[1:]:
        most = rng.choice((1, 2, 4))
        owners = [number for number in range(1, count + 1) for _ in range(rng.randint(0, most))]
        rows[table.name] = tuple(cells.row(table, {table.joined_by: owner}) for owner in owners)
    return Database(schema, rows)


class _Cells:
    """Generates random cells near the constants of a program."""

    def __init__(self, rng: Random, named: Constants) -> None:
        self._rng = rng
        self._unknown = rng.choice((0.0, 0.1, 0.3, 0.6))
        near = {int(value) + step for value in (*named.numbers, *named.decimals) for step in (-1, 0, 1)} or {1, 2, 3}
        # A narrow range makes equal values, equal sums and equal quotients frequent.
        self._is_narrow = rng.random() < 0.5
        self._integers = sorted(near)
        self._decimals = sorted({*map(float, near), *named.decimals})
        self._texts = named.texts
        self._dates = list(filter(_is_date, named.texts)) or ["2001-02-28", "2001-03-01", "2010-12-31"]

    def row(self, table: SchemaTable, keys: Mapping[str, int]) -> TableRow:
        key = keys.get(table.key)
        return tuple(keys.get(column.name) or self._cell(column, key) for column in table.columns)

    def _cell(self, column: ColumnSpec, key: int | None) -> TableValue:
        rng = self._rng
        if column.nullable and rng.random() < self._unknown:
            return None
        match column.type:
            case "integer":
                whole = rng.choice(self._integers) + (0 if self._is_narrow else rng.choice((0, 0, 1, 3, 7)))
                return whole if column.minimum is None else max(whole, column.minimum + rng.choice((0, 1, 2)))
            case "decimal":
                step = 10.0**-column.decimals
                value = rng.choice(self._decimals)
                if not self._is_narrow:
                    value += rng.choice((0, 0, step, -step, rng.randint(-9, 9), rng.random()))
                return round(value, column.decimals) + 0.0
            case "date":
                day = date.fromisoformat(rng.choice(self._dates)) + timedelta(days=rng.choice((-400, -1, 0, 0, 1, 400)))
                return day.isoformat()
            case "category":
                named = [text for text in self._texts if text in column.categories]
                return rng.choice(named) if named and rng.random() < 0.4 else rng.choice(column.categories)
            case "text":
                named = [text for text in self._texts if not _is_date(text)]
                stem = rng.choice(named) if named and rng.random() < 0.5 else column.nouns[0].capitalize()
                return f"{stem} {key if key is not None else rng.randint(1, 4)}"


def _is_date(text: str) -> bool:
    try:
        return len(text) == 10 and bool(date.fromisoformat(text))
    except ValueError:
        return False
