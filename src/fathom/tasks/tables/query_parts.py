"""The parts of questions about an entity table: conditions, rankings and means, with clear constants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from decimal import Decimal
from itertools import pairwise
from random import Random
from typing import Literal, get_args

from fathom.tasks.programs import tree
from fathom.tasks.programs.database import Database
from fathom.tasks.tables import quantities
from fathom.tasks.tables.entity_table import EntityTable, FigureColumn
from fathom.tasks.tables.months import MONTH
from fathom.tasks.tables.quantities import Quantity
from fathom.tasks.tables.query_constants import (
    FEW,
    condition_of,
    constant_apart,
    constant_between,
    constant_beyond,
    is_close,
    is_plain_percentage,
    rows_where,
    values,
)
from fathom.tasks.tables.wording import QuantityCondition, Wording, sentences
from fathom.tasks.tables.wording_en import English
from fathom.tasks.tables.wording_zh import Chinese

Level = Literal["easy", "medium", "hard"]
LEVELS: tuple[Level, ...] = get_args(Level)

LONGEST_LIST = 12
"""The maximum number of entities in a list; longer lists test patience more than understanding."""
FEWEST_IN_GROUP = 3
"""The minimum number of entities whose mean is asked for or compared."""
MOST_MONTHS = 8
"""Entities whose earliest or latest month is asked for."""

RARELY_BELOW = 0.2
"""How often values that may be negative are asked to be below a constant, compared to above."""

import os
PAIRED = float(os.environ.get("PAIRED", "0.6"))
ALIKE = 2 / 3


@dataclass(frozen=True)
class ProgramQuestion:
    """A question with its program."""

    program: tree.Program
    text: str
    level: Level
    operation: str
    columns: tuple[FigureColumn, ...]
    database: Database
    unit: str
    """The unit of the answer, if it is a number."""


class QueryParts:
    """Draws the parts of questions about one entity table."""

    def __init__(self, table: EntityTable, rng: Random, partners: Sequence[QueryParts] = ()) -> None:
        self._table = table
        self._seeds = rng
        self._rng = rng
        """Draws what is asked about: figures, signs, the first or the last."""
        self._constants = rng
        """Draws the constants of the conditions."""
        self._partners = partners
        """The same figures of other documents."""
        self._words = wording(table)
        self._empty = False
        """Whether nothing may meet the conditions of the question that is drawn."""
        pack, year = table.pack, table.year
        stated = _known(quantities.field(table, name, year) for name in pack.fields)
        self._fields = [one for one in stated if one.kind != "month"]
        self._months = [one for one in stated if one.kind == "month"]
        self._metrics = _known(quantities.metric(table, metric, year) for metric in pack.metrics.values())
        self._growths = _known(quantities.growth(table, name, year) for name in pack.fields if year is not None)
        self._composites = _known(quantities.composite(table, one, year) for one in pack.composites.values())

    @cached_property
    def _by_measure(self) -> dict[tree.Measure, Quantity]:
        return {one.measure: one for one in [*self._fields, *self._metrics, *self._growths, *self._composites]}

    def _one_of(self, options: Sequence[Quantity]) -> Quantity | None:
        return self._rng.choice(options) if options else None

    def _comparable(self) -> list[tuple[str, str]]:
        """The pairs of fields that may be compared, each in a random order."""
        return [(one, two) if self._constants.random() < 0.5 else (two, one) for one, two in self._table.pack.comparable]

    def _database(self, used: Sequence[Quantity]) -> Database:
        return self._table.database(_columns(used))

    def _values(self, quantity: Quantity, used: Sequence[Quantity]) -> list[float | None]:
        return values(self._database(used), quantity.measure)

    def _readable(self, quantity: Quantity, mean: bool) -> Quantity:
        """The quantity in a unit in which its sum, or its mean, has a readable number of digits."""
        sizes = _sizes(self._values(quantity, [quantity]))
        return quantities.in_readable_unit(quantity, sum(sizes) / (len(sizes) if mean and sizes else 1))

    def _too_few_known(self, quantity: Quantity, among: tree.Condition | None, used: Sequence[Quantity]) -> bool:
        """Whether too few of the entities that meet a condition have a value."""
        assert among is not None
        met = rows_where(self._database(used), among)
        found = self._values(quantity, used)
        return sum(inside and value is not None for inside, value in zip(met, found, strict=True)) < FEWEST_IN_GROUP

    def _mean(
        self, quantity: Quantity | None, group: Quantity | None, level: Level, operation: str
    ) -> ProgramQuestion | None:
        """The mean of a quantity over all entities, or over those that meet a condition on another quantity."""
        if quantity is None or (group is None and operation != "average"):
            return None
        shared = group is not None and set(group.columns) & set(quantity.columns)
        quantity = self._readable(quantity, mean=True)
        if group is None:
            program = tree.Program(tree.Aggregate("AVG", quantity.measure))
            return self._query(program, self._words.average(quantity, ()), level, operation, [quantity])
        if shared:
            return None
        test = self._only_test(group, self._sign(group, [group, quantity]), [group, quantity], FEWEST_IN_GROUP)
        if test is None:
            return None
        if not self._empty and self._too_few_known(quantity, condition_of([test]), [group, quantity]):
            return None
        program = tree.Program(tree.Aggregate("AVG", quantity.measure), condition_of([test]))
        return self._query(program, self._words.average(quantity, (test,)), level, operation, [group, quantity])

    def _top(self, quantity: Quantity | None, level: Level, operation: str, count: int) -> ProgramQuestion | None:
        if quantity is None:
            return None
        known = sorted(value for value in self._values(quantity, [quantity]) if value is not None)
        highest = self._rng.random() < 0.6
        if highest:
            known.reverse()
        # The order and the last place must be clear, and not every entity may be listed.
        floor = quantity.floor(_sizes(known))
        if len(known) < max(FEWEST_IN_GROUP, count + 2) or any(
            is_close(*pair, floor) for pair in pairwise(known[: count + 1])
        ):
            return None
        sort = tree.Sort(quantity.measure, "DESC" if highest else "ASC")
        program = tree.Program(tree.Labels(), order=(sort,), top=count)
        text = self._words.single(quantity, highest) if count == 1 else self._words.top(quantity, count, highest)
        return self._query(program, text, level, operation, [quantity])

    def _month_of_first(self, quantity: Quantity | None, level: Level) -> ProgramQuestion | None:
        """The month of the entity with the highest or lowest value of a quantity."""
        month = self._one_of(self._months)
        if month is None or quantity is None:
            return None
        used = [quantity, month]
        known = sorted(value for value in self._values(quantity, used) if value is not None)
        highest = self._rng.random() < 0.6
        first, second = (known[:-3:-1] if highest else known[:2]) if len(known) >= FEWEST_IN_GROUP else (0.0, 0.0)
        if is_close(first, second, quantity.floor(_sizes(known))) or month.has_gaps:
            return None
        sort = tree.Sort(quantity.measure, "DESC" if highest else "ASC")
        program = tree.Program(tree.Values(month.measure), order=(sort,), top=1)
        text = self._words.month_of_first(month, quantity, highest)
        return self._query(program, text, level, "month", used, MONTH)

    def _extreme_month(self, group: Quantity | None, level: Level) -> ProgramQuestion | None:
        """The earliest or latest month of the entities that meet a condition."""
        month = self._one_of(self._months)
        if month is None or group is None or month.has_gaps:
            return None
        used = [group, month]
        test = self._only_test(group, self._sign(group, used), used, FEWEST_IN_GROUP)
        # Of many months, the earliest is January.
        if test is None or sum(rows_where(self._database(used), condition_of([test]))) > MOST_MONTHS:
            return None
        earliest = self._rng.random() < 0.5
        program = tree.Program(tree.Aggregate("MIN" if earliest else "MAX", month.measure), condition_of([test]))
        text = self._words.extreme_month(month, earliest, test)
        return self._query(program, text, level, "month", used, MONTH)

    def _margin(self, differences: Sequence[float | None], quantity: Quantity) -> Decimal | None:
        """A margin that some entities exceed."""
        sizes = [abs(value) for value in self._values(quantity, [quantity]) if value is not None]
        return constant_between(differences, self._constants, True, floor=quantity.floor(sizes, of_difference=True))

    def _filter(self, used: Sequence[Quantity | None], level: Level, operation: str) -> ProgramQuestion | None:
        known = [one for one in used if one is not None]
        if len(known) < len(used):
            return None
        signs = [self._sign(one, known) for one in known]
        if len(known) == 1:
            draw = self._test if operation == "count" else self._only_test
            test = draw(known[0], signs[0], known)
            return self._select([test], level, operation, known) if test else None
        if self._empty:
            tests = self._exclusive_tests(known, signs)
        else:
            pairs = zip(known, signs, strict=True)
            tests = [test for one, sign in pairs if (test := self._test(one, sign, known, FEW)) is not None]
        if len(tests) < len(known) or not self._every_condition_matters(tests, known):
            return None
        return self._select(tests, level, operation, known)

    def _exclusive_tests(self, used: Sequence[Quantity], signs: Sequence[str]) -> list[QuantityCondition]:
        """A test for each of two quantities that some entities meet, but none both; fewer if none were found."""
        (one, sign), (two, other_sign) = self._constants.sample([*zip(used, signs, strict=True)], 2)
        first = self._test(one, sign, used, FEW)
        if first is None:
            return []
        inside = rows_where(self._database(used), condition_of([first]))
        met = [
            value for value, is_met in zip(self._values(two, used), inside, strict=True) if is_met and value is not None
        ]
        second = self._test(two, other_sign, used, FEW, unmet=met)
        tests = {id(one): first, id(two): second}
        return [test for quantity in used if (test := tests[id(quantity)]) is not None]

    def _compared(self, one: Quantity, two: Quantity) -> list[QuantityCondition]:
        """The test that one quantity exceeds the other; none if the two are close for some entity."""
        pairs = zip(self._values(one, [one, two]), self._values(two, [one, two]), strict=True)
        floor = max(one.floor(_sizes(self._values(one, [one, two]))), two.floor(_sizes(self._values(two, [one, two]))))
        close = any(is_close(left, right, floor) for left, right in pairs if left is not None and right is not None)
        return [] if close or one.unit != two.unit else [QuantityCondition(one, ">", two)]

    def _every_condition_matters(self, tests: Sequence[QuantityCondition], used: Sequence[Quantity]) -> bool:
        """Whether each condition excludes an entity that the others admit."""
        database = self._database(used)
        met = [rows_where(database, condition_of([test])) for test in tests]
        return all(
            any(
                not inside and all(other[row] for place, other in enumerate(met) if place != number)
                for row, inside in enumerate(mine)
            )
            for number, mine in enumerate(met)
        )

    def _select(
        self,
        tests: Sequence[QuantityCondition],
        level: Level,
        operation: str,
        used: Sequence[Quantity],
        counted: bool = False,
    ) -> ProgramQuestion | None:
        if not tests:
            return None
        condition = condition_of(tests)
        met = rows_where(self._database(used), condition)
        counted = counted or operation == "count"
        if self._empty != (not any(met)) or all(met) or (sum(met) > LONGEST_LIST and not counted):
            return None
        program = tree.Program(tree.Count() if counted else tree.Labels(), condition)
        text = self._words.counting(tests) if counted else self._words.listing(tests)
        return self._query(program, text, level, operation, used)

    def _sign(self, quantity: Quantity, used: Sequence[Quantity]) -> str:
        """Whether the values are asked to be above or below a constant."""
        lowest = min((value for value in self._values(quantity, used) if value is not None), default=0)
        # Below zero nobody asks, so that there is no "<" that such values never meet: it is rare for all of them.
        return self._rng.choices("><", (1, 1 if lowest > 0 else RARELY_BELOW))[0]

    def _test(
        self,
        quantity: Quantity,
        sign: str,
        used: Sequence[Quantity],
        few: int = 0,
        least: int = 1,
        unmet: Sequence[float] = (),
    ) -> QuantityCondition | None:
        """A condition that some entities meet and others do not, with a constant that is close to no value.

        None of the values of `unmet` meets it.
        """
        known = [value for value in self._values(quantity, used) if value is not None]
        # Nobody asks for a growth of more than -2%, or for a profit above -3 million.
        positive = quantity.growth or min(known, default=0) < 0
        if unmet:
            known = [one for one in known if (one >= max(unmet) if sign == ">" else one <= min(unmet))]
        floor = quantity.floor(_sizes(known))
        constant = constant_between(known, self._constants, positive, least, floor, sign, few)
        if not constant or (quantity.unit == "%" and not is_plain_percentage(constant, known)):
            return None
        above = sum(value > constant for value in known)
        return QuantityCondition(quantity, sign, constant) if least <= above <= len(known) - least else None

    def _only_test(
        self, quantity: Quantity, sign: str, used: Sequence[Quantity], least: int = 1
    ) -> QuantityCondition | None:
        """The condition of a question that has no other; no entity meets it if the question has no answer."""
        if self._partners and (self._empty or self._constants.random() < PAIRED):
            return self._test_apart(quantity, sign, used, least)
        if not self._empty:
            return self._test(quantity, sign, used, FEW, least)
        known = self._values(quantity, used)
        constant = constant_beyond(known, sign, self._constants)
        if constant is None or (quantity.unit == "%" and not is_plain_percentage(constant, known)):
            return None
        return QuantityCondition(quantity, sign, constant)

    def _test_apart(
        self, quantity: Quantity, sign: str, used: Sequence[Quantity], least: int
    ) -> QuantityCondition | None:
        """A condition that entities meet here and none of a partner does, or the other way round."""
        here = [value for value in self._values(quantity, used) if value is not None]
        for partner in self._constants.sample(self._partners, len(self._partners)):
            there = partner._values_of(quantity)
            if len(there) < ALIKE * len(here):
                continue
            there = self._constants.sample(there, min(len(here), len(there)))
            met, unmet = (there, here) if self._empty else (here, there)
            constant = constant_apart(met, unmet, sign, self._constants, least, quantity.floor(_sizes(here)))
            if constant and (quantity.unit != "%" or is_plain_percentage(constant, [*here, *there])):
                return QuantityCondition(quantity, sign, constant)
        return None

    def _values_of(self, quantity: Quantity) -> list[float]:
        """The values that a quantity of another table has here."""
        same = self._by_measure.get(quantity.measure)
        if same is None or same.unit != quantity.unit:
            return []
        return [value for value in self._values(same, [same]) if value is not None]

    def _query(
        self,
        program: tree.Program,
        text: str,
        level: Level,
        operation: str,
        used: Sequence[Quantity],
        unit: str | None = None,
    ) -> ProgramQuestion | None:
        columns = _columns(used)
        database = self._table.database(columns)
        if len(database.rows[database.schema.main.name]) < 4:
            return None
        # A question about sums defines its quotient itself.
        defined = () if operation == "ratio of sums" else used
        missing = any(one.has_gaps for one in used)
        if unit is None:
            one_number = not isinstance(program.output, tree.Labels | tree.Count)
            unit = used[-1].unit if one_number else ""
        parts = [
            self._words.scope(self._table.left_out(columns), self._table.named(columns)),
            *dict.fromkeys(self._words.definition(one) for one in defined),
            text,
            self._words.missing() if missing else "",
        ]
        return ProgramQuestion(
            program, sentences(parts, self._table.language), level, operation, columns, database, unit
        )


def wording(table: EntityTable) -> Wording:
    """The sentences for the table. A currency is named if other documents use another one."""
    currency = "" if table.is_only_currency else table.currency
    words = Chinese if table.language == "zh" else English
    return words(table.pack, table.year, currency, table.of_several_periods)


def _known(found: Iterable[Quantity | None]) -> list[Quantity]:
    return [one for one in found if one is not None]


def _sizes(found: Iterable[float | None]) -> list[float]:
    return [abs(value) for value in found if value is not None]


def _columns(used: Sequence[Quantity]) -> tuple[FigureColumn, ...]:
    return tuple(dict.fromkeys(column for one in used for column in one.columns))
