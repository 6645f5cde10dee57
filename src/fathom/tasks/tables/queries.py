"""Draws questions of three levels from an entity table, with constants that leave no doubt about the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from itertools import pairwise
from random import Random
from typing import Literal

from fathom.tasks.programs import tree
from fathom.tasks.programs.database import Database
from fathom.tasks.tables import quantities
from fathom.tasks.tables.entity_table import EntityTable, FigureColumn
from fathom.tasks.tables.quantities import Quantity
from fathom.tasks.tables.wording import Test, Wording, sentences, wording

Level = Literal["easy", "medium", "hard"]

LONGEST_LIST = 12
"""The maximum number of entities in a list; longer lists test patience more than understanding."""
CLEAR_MARGIN = Decimal("0.01")
"""A constant differs from every value by this share of the value: rounded figures lead to the same answer."""
TRIES = 12


@dataclass(frozen=True)
class Query:
    """A question with its program."""

    program: tree.Program
    text: str
    level: Level
    operation: str
    columns: tuple[FigureColumn, ...]
    database: Database
    unit: str
    """Of the answer, if it is a number."""


class QueryMaker:
    """Draws questions about one entity table."""

    def __init__(self, table: EntityTable, rng: Random) -> None:
        self._table = table
        self._rng = rng
        self._words: Wording = wording(
            table.pack, table.language, table.year, "" if table.is_only_currency else table.currency
        )
        self._fields = [
            found for name in table.pack.fields if (found := quantities.field(table, name, table.year)) is not None
        ]
        self._metrics = [
            found
            for metric in table.pack.metrics.values()
            if (found := quantities.metric(table, metric, table.year)) is not None
        ]
        year = table.year
        self._growths = [
            found
            for name in table.pack.fields
            if year is not None and (found := quantities.growth(table, name, year)) is not None
        ]
        self._composites = [
            found
            for composite in table.pack.composites.values()
            if (found := quantities.composite(table, composite, year)) is not None
        ]

    def make(self, level: Level, empty: bool = False) -> Query | None:
        """A question of that level; None if none was found. With `empty` nothing meets its conditions."""
        makers = [self._two_conditions] if empty else self._makers()[level]
        for _ in range(TRIES):
            made = self._rng.choice(makers)(empty) if empty else self._rng.choice(makers)(False)
            if made is not None:
                return made
        return None

    def _makers(self) -> dict[Level, list[Callable[[bool], Query | None]]]:
        return {
            "easy": [self._top_field, self._one_condition, self._count_field, self._total, self._average],
            "medium": [
                self._top_metric,
                self._metric_condition,
                self._two_conditions,
                self._comparison,
                self._growth,
                self._group_average,
            ],
            "hard": [self._above_group_average, self._composite, self._derived_conditions],
        }

    # Easy.

    def _top_field(self, _: bool) -> Query | None:
        return self._top(self._one_of(self._fields), "easy")

    def _one_condition(self, _: bool) -> Query | None:
        return self._filter([self._one_of(self._fields)], "easy", "filter")

    def _count_field(self, _: bool) -> Query | None:
        return self._filter([self._one_of(self._fields)], "easy", "count")

    def _total(self, _: bool) -> Query | None:
        quantity = self._one_of([one for one in self._fields if one.additive])
        if quantity is None:
            return None
        program = tree.Program(tree.Aggregate("SUM", quantity.measure))
        return self._query(program, self._words.total(quantity), "easy", "total", [quantity])

    def _average(self, _: bool) -> Query | None:
        quantity = self._one_of(self._fields)
        if quantity is None:
            return None
        program = tree.Program(tree.Aggregate("AVG", quantity.measure))
        return self._query(program, self._words.average(quantity, ()), "easy", "average", [quantity])

    # Medium.

    def _top_metric(self, _: bool) -> Query | None:
        return self._top(self._one_of(self._metrics), "medium")

    def _metric_condition(self, _: bool) -> Query | None:
        return self._filter([self._one_of(self._metrics)], "medium", self._rng.choice(("filter", "count")))

    def _two_conditions(self, empty: bool) -> Query | None:
        one, two = self._one_of(self._fields), self._one_of([*self._fields, *self._metrics])
        if one is None or two is None or set(one.columns) & set(two.columns):
            return None
        return self._filter([one, two], "medium", "conditions", empty)

    def _comparison(self, _: bool) -> Query | None:
        by_name = {one.columns[0].slot.field: one for one in self._fields}
        pairs = [
            (by_name[one], by_name[two]) for one, two in self._table.pack.comparable if {one, two} <= by_name.keys()
        ]
        if not pairs:
            return None
        one, two = self._rng.choice(pairs)
        if one.unit != two.unit:
            return None
        if self._rng.random() < 0.5:
            one, two = two, one
        database = self._database([one, two])
        values = list(zip(_values(database, one.measure), _values(database, two.measure), strict=True))
        if any(_is_close(left, right) for left, right in values if left is not None and right is not None):
            return None
        condition = tree.Compare(one.measure, ">", two.measure)
        return self._select(
            condition, [Test(one, ">", two)], "medium", self._rng.choice(("filter", "count")), [one, two]
        )

    def _growth(self, _: bool) -> Query | None:
        quantity = self._one_of(self._growths)
        if self._rng.random() < 0.5:
            return self._top(quantity, "medium", "growth")
        return self._filter([quantity], "medium", "growth")

    def _group_average(self, _: bool) -> Query | None:
        group, quantity = self._one_of(self._fields), self._one_of([*self._fields, *self._metrics])
        if group is None or quantity is None or group is quantity:
            return None
        test = self._test(group, [group, quantity])
        if test is None:
            return None
        program = tree.Program(tree.Aggregate("AVG", quantity.measure), _condition(test))
        text = self._words.average(quantity, (test,))
        return self._query(program, text, "medium", "group average", [group, quantity])

    # Hard.

    def _above_group_average(self, _: bool) -> Query | None:
        group = self._one_of([*self._fields, *self._metrics])
        quantity = self._one_of([*self._fields, *self._metrics])
        if group is None or quantity is None or set(group.columns) & set(quantity.columns):
            return None
        test = self._test(group, [group, quantity], least=FEWEST_IN_GROUP)
        if test is None:
            return None
        where = _condition(test)
        above = tree.Arithmetic(quantity.measure, "-", tree.PeerAggregate("AVG", quantity.measure, among=where))
        database = self._database([group, quantity])
        inside = [row for row, met in enumerate(_values_where(database, where)) if met]
        differences = _values(database, above)
        margin = self._constant([differences[row] for row in inside], positive=True)
        if margin is None:
            return None
        condition = tree.And(where, tree.Compare(above, ">", _plain(margin)))
        text = self._words.above_group_average(test, quantity, margin)
        return self._query(
            tree.Program(tree.Labels(), condition), text, "hard", "above group average", [group, quantity]
        )

    def _composite(self, _: bool) -> Query | None:
        quantity = self._one_of(self._composites)
        if self._rng.random() < 0.5:
            return self._top(quantity, "hard", "composite")
        return self._filter([quantity], "hard", "composite")

    def _derived_conditions(self, _: bool) -> Query | None:
        pool = [*self._metrics, *self._growths]
        if len(pool) < 2:
            return None
        return self._filter(self._rng.sample(pool, 2), "hard", "derived conditions")

    # Parts of questions.

    def _one_of(self, options: Sequence[Quantity]) -> Quantity | None:
        return self._rng.choice(options) if options else None

    def _database(self, used: Sequence[Quantity]) -> Database:
        return self._table.database(_columns(used))

    def _top(self, quantity: Quantity | None, level: Level, operation: str = "top") -> Query | None:
        if quantity is None:
            return None
        values = sorted(value for value in _values(self._database([quantity]), quantity.measure) if value is not None)
        highest = self._rng.random() < 0.6
        if highest:
            values.reverse()
        count = self._rng.randint(2, 5)
        # The order and the last place must be clear.
        if len(values) <= count or any(_is_close(*pair) for pair in pairwise(values[: count + 1])):
            return None
        sort = tree.Sort(quantity.measure, "DESC" if highest else "ASC")
        program = tree.Program(tree.Labels(), order=(sort,), top=count)
        return self._query(program, self._words.top(quantity, count, highest), level, operation, [quantity])

    def _filter(
        self, used: Sequence[Quantity | None], level: Level, operation: str, empty: bool = False
    ) -> Query | None:
        known = [one for one in used if one is not None]
        if len(known) < len(used):
            return None
        tests = [self._test(one, known) for one in known]
        clear = [test for test in tests if test is not None]
        if len(clear) < len(tests):
            return None
        condition = _condition(clear[0])
        for test in clear[1:]:
            condition = tree.And(condition, _condition(test))
        return self._select(condition, clear, level, operation, known, empty)

    def _select(
        self,
        condition: tree.Condition,
        tests: Sequence[Test],
        level: Level,
        operation: str,
        used: Sequence[Quantity],
        empty: bool = False,
    ) -> Query | None:
        met = sum(_values_where(self._database(used), condition))
        if empty != (met == 0) or (met > LONGEST_LIST and operation != "count"):
            return None
        if operation == "count":
            return self._query(
                tree.Program(tree.Count(), condition), self._words.counting(tests), level, operation, used
            )
        return self._query(tree.Program(tree.Labels(), condition), self._words.listing(tests), level, operation, used)

    def _test(self, quantity: Quantity, used: Sequence[Quantity], least: int = 1) -> Test | None:
        """A condition that some entities meet and others do not, with a constant that is close to no value."""
        values = [value for value in _values(self._database(used), quantity.measure) if value is not None]
        # A growth of more than -2% is not how anybody asks.
        constant = self._constant(values, positive=quantity.growth, least=least)
        return None if constant is None else Test(quantity, self._rng.choice("><"), constant)

    def _constant(self, values: Sequence[float | None], positive: bool = False, least: int = 1) -> Decimal | None:
        """A round number between two of the values."""
        known = sorted({value for value in values if value is not None and (not positive or value > 0)})
        places = list(range(0 if positive else least, len(known) + 1 - max(least, 1)))
        self._rng.shuffle(places)
        for place in places:
            low = known[place - 1] if place else 0.0
            constant = _round_between(low, known[place], self._rng)
            if constant is not None:
                return constant
        return None

    def _query(
        self, program: tree.Program, text: str, level: Level, operation: str, used: Sequence[Quantity]
    ) -> Query | None:
        columns = _columns(used)
        database = self._table.database(columns)
        if len(database.rows[database.schema.main.name]) < 4:
            return None
        definitions = dict.fromkeys(self._words.definition(one) for one in used)
        missing = any(figure.value is None for column in columns for figure in column.figures.values())
        unit = used[-1].unit if isinstance(program.output, tree.Aggregate) else ""
        parts = [
            self._words.scope(self._table.left_out(columns)),
            *definitions,
            text,
            self._words.missing() if missing else "",
        ]
        return Query(program, sentences(parts, self._table.language), level, operation, columns, database, unit)


FEWEST_IN_GROUP = 3


def _columns(used: Sequence[Quantity]) -> tuple[FigureColumn, ...]:
    return tuple(dict.fromkeys(column for one in used for column in one.columns))


def _condition(test: Test) -> tree.Condition:
    assert isinstance(test.value, Decimal)
    return tree.Compare(test.quantity.measure, test.sign, _plain(test.value))  # type: ignore[arg-type]


def _plain(value: Decimal) -> int | float:
    return int(value) if value == value.to_integral() else float(value)


def _values(database: Database, measure: tree.Measure) -> list[float | None]:
    return database.evaluation.view(database.schema.main).values(measure)


def _values_where(database: Database, condition: tree.Condition) -> list[bool]:
    view = database.evaluation.view(database.schema.main)
    mask = view.mask(condition)
    return [bool(mask >> place & 1) for place in range(len(database.rows[database.schema.main.name]))]


def _is_close(one: float, two: float) -> bool:
    return abs(one - two) <= float(CLEAR_MARGIN) * max(abs(one), abs(two), 1e-9)


def _round_between(low: float, high: float, rng: Random) -> Decimal | None:
    """The roundest number that is clearly above `low` and clearly below `high`; None if they are too close."""
    first, last = Decimal(repr(low)), Decimal(repr(high))
    first += abs(first) * CLEAR_MARGIN
    last -= abs(last) * CLEAR_MARGIN
    if first >= last:
        return None
    middle = (first + last) / 2
    for digits in range(1, 7):
        step = Decimal(1).scaleb(middle.adjusted() - digits + 1) if middle else Decimal(1)
        fits = [one for one in _steps(middle, step) if first < one < last]
        if fits:
            return rng.choice(fits).normalize() + 0
    return None


def _steps(middle: Decimal, step: Decimal) -> Iterator[Decimal]:
    base = (middle / step).to_integral_value(ROUND_HALF_EVEN) * step
    yield from (base - step, base, base + step)
