"""The parts of questions about an entity table: conditions, rankings and means, with clear constants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from random import Random
from statistics import fmean
from typing import Literal, NamedTuple, get_args

from fathom.tasks.programs import tree
from fathom.tasks.programs.database import Database
from fathom.tasks.tables.entity_table import EntityColumn, EntityTable
from fathom.tasks.tables.months import MONTH
from fathom.tasks.tables.quantities import Quantity, in_readable_unit, table_quantities
from fathom.tasks.tables.query_constants import (
    FEW,
    condition_of,
    constant_apart,
    constant_between,
    constant_beyond,
    is_close,
    is_plain_percentage,
    measure_values,
    rows_where,
)
from fathom.tasks.tables.wording import LanguageWording, QuantityCondition, sentences
from fathom.tasks.tables.wording_en import English
from fathom.tasks.tables.wording_zh import Chinese

_Values = tuple[float, ...]
"""The values of one entity."""

QuestionLevel = Literal["easy", "medium", "hard"]
LEVELS: tuple[QuestionLevel, ...] = get_args(QuestionLevel)

MAX_LIST_LENGTH = 12
"""The maximum number of entities in a list; longer lists test patience more than understanding."""
MIN_IN_GROUP = 3
"""The minimum number of entities whose mean is asked for or compared."""
MAX_MONTHS = 8
"""Entities whose earliest or latest month is asked for."""

RARELY_BELOW = 0.2
"""How often values that may be negative are asked to be below a constant, compared to above."""

PAIRED = 0.8
"""The share of the questions with an answer whose constants are drawn as those of questions without one are."""
ALIKE = 2 / 3
"""How many entities a partner has at least, compared to the table that is asked about."""


@dataclass(frozen=True)
class ProgramQuestion:
    """A question with its program."""

    program: tree.Program
    text: str
    level: QuestionLevel
    operation: str
    columns: tuple[EntityColumn, ...]
    database: Database
    unit: str
    """The unit of the answer, if it is a number."""


class _Margin(NamedTuple):
    """A group, and how much more than its mean is asked for."""

    test: QuantityCondition
    value: Decimal


class QueryParts:
    """Draws the parts of questions about one entity table."""

    def __init__(self, table: EntityTable, rng: Random, partners: Sequence[PartnerValues] = ()) -> None:
        self.table = table
        self._rng = rng
        """Draws what is asked about: figures, signs, the first or the last."""
        self._constants = rng
        """Draws constants, and whatever else differs between a question and its pair."""
        self._partners = partners
        """The same figures of other documents."""
        self._words = wording(table)
        self._databases: dict[tuple[tuple[str, Decimal], ...], Database] = {}
        self._empty = False
        """Whether nothing may meet the conditions of the question that is drawn."""
        available = table_quantities(table)
        self._fields = [field for field in available.fields if field.kind != "month"]
        self._months = [field for field in available.fields if field.kind == "month"]
        self._metrics, self._growths, self._composites = available.metrics, available.growths, available.composites
        # The mean of means or medians is not meaningful, since they have different weights.
        self._averaged_fields = [field for field in self._fields if not field.is_average]
        self._averaged = [*self._averaged_fields, *self._metrics]

    def _one_of(self, options: Sequence[Quantity]) -> Quantity | None:
        return self._rng.choice(options) if options else None

    def _comparable(self) -> list[tuple[str, str]]:
        """The pairs of fields that may be compared, each in a random order."""
        return [
            (left, right) if self._rng.random() < 0.5 else (right, left) for left, right in self.table.pack.comparable
        ]

    def _database(self, quantities: Sequence[Quantity]) -> Database:
        columns = _columns(quantities)
        # A quantity in another unit has other values in the same columns.
        names = tuple((column.name, column.scale) for column in columns)
        if names not in self._databases:
            self._databases[names] = self.table.database(columns)
        return self._databases[names]

    def _values(self, quantity: Quantity, quantities: Sequence[Quantity]) -> list[float | None]:
        return measure_values(self._database(quantities), quantity.measure)

    def _readable(self, quantity: Quantity, mean: bool) -> Quantity:
        """The quantity in a unit in which its sum, or its mean, has a readable number of digits."""
        sizes = _sizes(self._values(quantity, [quantity]))
        return in_readable_unit(quantity, sum(sizes) / (len(sizes) if mean and sizes else 1))

    def _too_few_known(self, quantity: Quantity, among: tree.Condition | None, quantities: Sequence[Quantity]) -> bool:
        """Whether too few of the entities that meet a condition have a value."""
        assert among is not None
        matches = rows_where(self._database(quantities), among)
        values = self._values(quantity, quantities)
        return sum(inside and value is not None for inside, value in zip(matches, values, strict=True)) < MIN_IN_GROUP

    def _mean(
        self, quantity: Quantity | None, group: Quantity | None, level: QuestionLevel, operation: str
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
        test = self._group_test(group, [group, quantity])
        if test is None:
            return None
        if not self._empty and self._too_few_known(quantity, condition_of([test]), [group, quantity]):
            return None
        program = tree.Program(tree.Aggregate("AVG", quantity.measure), condition_of([test]))
        return self._query(program, self._words.average(quantity, (test,)), level, operation, [group, quantity])

    def _top(
        self, quantity: Quantity | None, level: QuestionLevel, operation: str, count: int
    ) -> ProgramQuestion | None:
        if quantity is None:
            return None
        values = sorted(value for value in self._values(quantity, [quantity]) if value is not None)
        highest = self._rng.random() < 0.6
        if highest:
            values.reverse()
        # The order and the last place must be clear, and not every entity may be listed.
        floor = quantity.floor(_sizes(values))
        if len(values) < max(MIN_IN_GROUP, count + 2) or any(
            is_close(*pair, floor) for pair in pairwise(values[: count + 1])
        ):
            return None
        sort = tree.Sort(quantity.measure, "DESC" if highest else "ASC")
        program = tree.Program(tree.Labels(), order=(sort,), top=count)
        text = self._words.single(quantity, highest) if count == 1 else self._words.top(quantity, count, highest)
        return self._query(program, text, level, operation, [quantity])

    def _month_of_first(self, quantity: Quantity | None, level: QuestionLevel) -> ProgramQuestion | None:
        """The month of the entity with the highest or lowest value of a quantity."""
        month = self._one_of(self._months)
        if month is None or quantity is None:
            return None
        quantities = [quantity, month]
        values = sorted(value for value in self._values(quantity, quantities) if value is not None)
        highest = self._rng.random() < 0.6
        first, second = (values[:-3:-1] if highest else values[:2]) if len(values) >= MIN_IN_GROUP else (0.0, 0.0)
        if is_close(first, second, quantity.floor(_sizes(values))) or month.has_gaps:
            return None
        sort = tree.Sort(quantity.measure, "DESC" if highest else "ASC")
        program = tree.Program(tree.Values(month.measure), order=(sort,), top=1)
        text = self._words.month_of_first(month, quantity, highest)
        return self._query(program, text, level, "month", quantities, MONTH)

    def _extreme_month(self, group: Quantity | None, level: QuestionLevel) -> ProgramQuestion | None:
        """The earliest or latest month of the entities that meet a condition."""
        month = self._one_of(self._months)
        if month is None or group is None or month.has_gaps:
            return None
        quantities = [group, month]
        test = self._group_test(group, quantities)
        # Of many months, the earliest is January.
        if test is None or sum(rows_where(self._database(quantities), condition_of([test]))) > MAX_MONTHS:
            return None
        earliest = self._rng.random() < 0.5
        program = tree.Program(tree.Aggregate("MIN" if earliest else "MAX", month.measure), condition_of([test]))
        text = self._words.extreme_month(month, earliest, test)
        return self._query(program, text, level, "month", quantities, MONTH)

    def _own_margin(self, group: Quantity, quantity: Quantity) -> _Margin | None:
        """A group, and a margin by which some of it exceed its mean, or none do."""
        quantities = [group, quantity]
        test = self._test(group, self._sign(group, quantities), quantities, least=MIN_IN_GROUP)
        if test is None:
            return None
        members = _rows_that_meet(self._rows(quantities), [test])
        if len(members) < MIN_IN_GROUP:  # of some, only the quantity of the group is known
            return None
        differences, floor = _above_mean(members), self._margin_floor(quantity)
        if self._empty:
            margin = constant_beyond(differences, ">", self._constants)
        else:
            margin = constant_between(differences, self._constants, True, floor=floor, few=FEW)
        return None if margin is None or not _is_plain_margin(margin, quantity) else _Margin(test, margin)

    def _margin_apart(self, group: Quantity, quantity: Quantity) -> _Margin | None:
        """A group, and a margin by which entities exceed its mean here and none elsewhere, or the other way round."""
        sign = self._sign(group, [group, quantity])
        for own_rows, partner_rows in self._rows_apart([group, quantity]):
            for test in self._shared_test(group, sign, own_rows, partner_rows, least=MIN_IN_GROUP):
                groups = [_rows_that_meet(rows, [test]) for rows in (own_rows, partner_rows)]
                if min(map(len, groups)) < MIN_IN_GROUP:
                    continue
                own_differences, partner_differences = map(_above_mean, groups)
                met, unmet = (
                    (partner_differences, own_differences) if self._empty else (own_differences, partner_differences)
                )
                margin = constant_apart(met, unmet, ">", self._constants, floor=self._margin_floor(quantity))
                if margin is not None and _is_plain_margin(margin, quantity):
                    return _Margin(test, margin)
        return None

    def _margin_floor(self, quantity: Quantity) -> float:
        return quantity.floor(_sizes(self._values(quantity, [quantity])), of_difference=True)

    def _filter(
        self, candidates: Sequence[Quantity | None], level: QuestionLevel, operation: str
    ) -> ProgramQuestion | None:
        quantities = [quantity for quantity in candidates if quantity is not None]
        if len(quantities) < len(candidates):
            return None
        signs = [self._sign(quantity, quantities) for quantity in quantities]
        if operation == "count":
            tests = self._own_tests(quantities, signs, few=0)
        elif self._is_paired():
            tests = self._tests_apart(quantities, signs)
        elif self._empty and len(quantities) == 1:
            tests = self._tests_beyond(quantities[0], signs[0], quantities)
        elif self._empty:
            tests = self._exclusive_tests(quantities, signs)
        else:
            tests = self._own_tests(quantities, signs)
        beyond = self._empty and len(quantities) == 1
        if len(tests) < len(quantities) or not (beyond or self._every_condition_matters(tests, quantities)):
            return None
        return self._select(tests, level, operation, quantities)

    def _own_tests(
        self, quantities: Sequence[Quantity], signs: Sequence[str], few: int = FEW
    ) -> list[QuantityCondition]:
        """A test for each quantity that some entities meet; fewer if none were found."""
        pairs = zip(quantities, signs, strict=True)
        return [test for quantity, sign in pairs if (test := self._test(quantity, sign, quantities, few)) is not None]

    def _exclusive_tests(self, quantities: Sequence[Quantity], signs: Sequence[str]) -> list[QuantityCondition]:
        """A test for each of two quantities that some entities meet, but none both; fewer if none were found."""
        (first_quantity, first_sign), (second_quantity, second_sign) = self._constants.sample(
            [*zip(quantities, signs, strict=True)], 2
        )
        first_test = self._test(first_quantity, first_sign, quantities, FEW)
        if first_test is None:
            return []
        inside = rows_where(self._database(quantities), condition_of([first_test]))
        values_inside = [
            value
            for value, is_met in zip(self._values(second_quantity, quantities), inside, strict=True)
            if is_met and value is not None
        ]
        second_test = self._test(second_quantity, second_sign, quantities, FEW, unmet=values_inside)
        tests = {id(first_quantity): first_test, id(second_quantity): second_test}
        return [test for quantity in quantities if (test := tests[id(quantity)]) is not None]

    def _comparison_tests(self, left: Quantity, right: Quantity) -> list[QuantityCondition]:
        """The test that one quantity exceeds the other; none if the two are close for some entity."""
        pairs = zip(self._values(left, [left, right]), self._values(right, [left, right]), strict=True)
        floor = max(
            left.floor(_sizes(self._values(left, [left, right]))),
            right.floor(_sizes(self._values(right, [left, right]))),
        )
        close = any(
            is_close(left_value, right_value, floor)
            for left_value, right_value in pairs
            if left_value is not None and right_value is not None
        )
        return [] if close or left.unit != right.unit else [QuantityCondition(left, ">", right)]

    def _every_condition_matters(self, tests: Sequence[QuantityCondition], quantities: Sequence[Quantity]) -> bool:
        """Whether each condition excludes an entity that the others admit."""
        database = self._database(quantities)
        masks = [rows_where(database, condition_of([test])) for test in tests]
        return all(
            any(
                not inside and all(other_mask[row] for index, other_mask in enumerate(masks) if index != number)
                for row, inside in enumerate(mask)
            )
            for number, mask in enumerate(masks)
        )

    def _select(
        self,
        tests: Sequence[QuantityCondition],
        level: QuestionLevel,
        operation: str,
        quantities: Sequence[Quantity],
        counted: bool = False,
    ) -> ProgramQuestion | None:
        if not tests:
            return None
        condition = condition_of(tests)
        matches = rows_where(self._database(quantities), condition)
        counted = counted or operation == "count"
        if self._empty != (not any(matches)) or all(matches) or (sum(matches) > MAX_LIST_LENGTH and not counted):
            return None
        program = tree.Program(tree.Count() if counted else tree.Labels(), condition)
        text = self._words.counting(tests) if counted else self._words.listing(tests)
        return self._query(program, text, level, operation, quantities)

    def _sign(self, quantity: Quantity, quantities: Sequence[Quantity]) -> str:
        """Whether the values are asked to be above or below a constant."""
        lowest = min((value for value in self._values(quantity, quantities) if value is not None), default=0)
        # No constant is below zero, so values below zero would always meet a "<": for such quantities it is rare.
        return self._rng.choices("><", (1, 1 if lowest > 0 else RARELY_BELOW))[0]

    def _test(
        self,
        quantity: Quantity,
        sign: str,
        quantities: Sequence[Quantity],
        few: int = 0,
        least: int = 1,
        unmet: Sequence[float] = (),
    ) -> QuantityCondition | None:
        """A condition that some entities meet and others do not, with a constant that is close to no value.

        No value in `unmet` meets it.
        """
        values = [value for value in self._values(quantity, quantities) if value is not None]
        # "Growth of more than -2%" or "a profit above -3 million" would sound unnatural.
        positive = quantity.growth or min(values, default=0) < 0
        if unmet:
            values = [value for value in values if (value >= max(unmet) if sign == ">" else value <= min(unmet))]
        floor = quantity.floor(_sizes(values))
        constant = constant_between(values, self._constants, positive, least, floor, sign, few)
        if not constant or not _is_plain(constant, quantity, values):
            return None
        above = sum(value > constant for value in values)
        return QuantityCondition(quantity, sign, constant) if least <= above <= len(values) - least else None

    def _group_test(self, group: Quantity, quantities: Sequence[Quantity]) -> QuantityCondition | None:
        """The condition of the entities whose mean or month is asked for; none meets it if there is no answer."""
        sign = self._sign(group, quantities)
        if self._is_paired():
            return next(iter(self._tests_apart([group], [sign], MIN_IN_GROUP)), None)
        if self._empty:
            return next(iter(self._tests_beyond(group, sign, quantities)), None)
        return self._test(group, sign, quantities, FEW, MIN_IN_GROUP)

    def _tests_beyond(self, quantity: Quantity, sign: str, quantities: Sequence[Quantity]) -> list[QuantityCondition]:
        """A condition that no entity meets, with a constant close to the extreme value; empty if there is none."""
        values = self._values(quantity, quantities)
        constant = constant_beyond(values, sign, self._constants)
        if constant is None or not _is_plain(constant, quantity, values):
            return []
        return [QuantityCondition(quantity, sign, constant)]

    # Constants that have an answer in some documents and none in others.

    def _is_paired(self) -> bool:
        """Whether constants are drawn for two sets of documents, of which one has an answer."""
        return bool(self._partners) and (self._empty or self._constants.random() < PAIRED)

    def _tests_apart(
        self, quantities: Sequence[Quantity], signs: Sequence[str], least: int = 1
    ) -> list[QuantityCondition]:
        """Conditions on one or two quantities that entities meet here and none elsewhere, or the other way round.

        The constants are as likely with an answer as without one. Fewer conditions if none were found.
        """
        # The first condition, if there are two, is met on both sides; the last one decides.
        *first_indices, last_index = self._constants.sample(range(len(quantities)), len(quantities))
        for rows in self._rows_apart([quantities[index] for index in (*first_indices, last_index)]):
            tests = [
                test for index in first_indices for test in self._shared_test(quantities[index], signs[index], *rows)
            ]
            own_values, partner_values = (_last(_rows_that_meet(side_rows, tests)) for side_rows in rows)
            constant = self._constant_apart(
                quantities[last_index], signs[last_index], own_values, partner_values, least
            )
            if len(tests) == len(first_indices) and constant is not None:
                tests.append(QuantityCondition(quantities[last_index], signs[last_index], constant))
                return sorted(tests, key=lambda test: quantities.index(test.quantity))
        return []

    def _rows_apart(self, quantities: Sequence[Quantity]) -> Iterator[tuple[list[_Values], list[_Values]]]:
        """The values of each entity here, and of as many entities of a partner."""
        own_rows = self._rows(quantities)
        for partner in self._constants.sample(self._partners, len(self._partners)):
            partner_rows = partner.rows(quantities)
            if len(partner_rows) >= ALIKE * len(own_rows) > 0:
                yield own_rows, self._constants.sample(partner_rows, min(len(own_rows), len(partner_rows)))

    def _rows(self, quantities: Sequence[Quantity]) -> list[_Values]:
        rows = zip(*(self._values(quantity, quantities) for quantity in quantities), strict=True)
        return [tuple(value for value in row if value is not None) for row in rows if None not in row]

    def _shared_test(
        self,
        quantity: Quantity,
        sign: str,
        own_rows: Sequence[_Values],
        partner_rows: Sequence[_Values],
        least: int = 1,
    ) -> list[QuantityCondition]:
        """A condition on the first value that some entities meet on either side; empty if there is none."""
        values = [row[0] for row in (*own_rows, *partner_rows)]
        positive = quantity.growth or min(values, default=0) < 0
        floor = quantity.floor(_sizes(values))
        constant = constant_between(values, self._constants, positive, least, floor, sign, 2 * FEW)
        if not constant or not _is_plain(constant, quantity, values):
            return []
        test = QuantityCondition(quantity, sign, constant)
        return [test] if all(len(_rows_that_meet(rows, [test])) >= least for rows in (own_rows, partner_rows)) else []

    def _constant_apart(
        self,
        quantity: Quantity,
        sign: str,
        own_values: Sequence[float],
        partner_values: Sequence[float],
        least: int = 1,
    ) -> Decimal | None:
        """A constant that values here are beyond and none elsewhere, or the other way round."""
        if not own_values or not partner_values:
            return None
        # A mean needs a group of three here; a question without an answer needs only one entity elsewhere.
        met, unmet, fewest = (partner_values, own_values, 1) if self._empty else (own_values, partner_values, least)
        constant = constant_apart(met, unmet, sign, self._constants, fewest, quantity.floor(_sizes(own_values)))
        return constant if constant and _is_plain(constant, quantity, [*own_values, *partner_values]) else None

    def _query(
        self,
        program: tree.Program,
        text: str,
        level: QuestionLevel,
        operation: str,
        quantities: Sequence[Quantity],
        unit: str | None = None,
    ) -> ProgramQuestion | None:
        columns = _columns(quantities)
        database = self._database(quantities)
        if len(database.rows[database.schema.main.name]) < 4:
            return None
        # A question about sums defines its quotient itself.
        defined = () if operation == "ratio of sums" else quantities
        missing = any(quantity.has_gaps for quantity in quantities)
        if unit is None:
            one_number = not isinstance(program.output, tree.Labels | tree.Count)
            unit = quantities[-1].unit if one_number else ""
        parts = [
            self._words.scope(self.table.left_out(columns), self.table.named(columns)),
            *dict.fromkeys(self._words.definition(quantity) for quantity in defined),
            text,
            self._words.missing() if missing else "",
        ]
        return ProgramQuestion(
            program, sentences(parts, self.table.language), level, operation, columns, database, unit
        )


class PartnerValues:
    """The values that quantities of one table have in another one, with the same figures of other documents."""

    def __init__(self, table: EntityTable) -> None:
        self.table = table
        self._found: dict[tree.Measure, dict[str, float]] = {}

    def rows(self, quantities: Sequence[Quantity]) -> list[_Values]:
        """The values of each entity that has all of them; none if a quantity is not known here."""
        first, *others = [self._values(quantity) for quantity in quantities]
        return [
            (value, *(values[entity] for values in others))
            for entity, value in first.items()
            if all(entity in values for values in others)
        ]

    def _values(self, quantity: Quantity) -> dict[str, float]:
        own_quantity = self._quantities.get(quantity.measure)
        if own_quantity is None or own_quantity.unit != quantity.unit:
            return {}
        if quantity.measure not in self._found:
            database = self.table.database(own_quantity.columns)
            entities = (str(row[1]) for row in database.rows[database.schema.main.name])
            entity_values = zip(entities, measure_values(database, own_quantity.measure), strict=True)
            self._found[quantity.measure] = {entity: value for entity, value in entity_values if value is not None}
        return self._found[quantity.measure]

    @cached_property
    def _quantities(self) -> dict[tree.Measure, Quantity]:
        available = table_quantities(self.table)
        return {quantity.measure: quantity for group in available for quantity in group}


def wording(table: EntityTable) -> LanguageWording:
    """The sentences for the table. A currency is named if other documents use another one."""
    currency = "" if table.is_only_currency else table.currency
    words = Chinese if table.language == "zh" else English
    return words(table.pack, table.year, currency, table.of_several_periods)


def _is_plain_margin(margin: Decimal, quantity: Quantity) -> bool:
    return quantity.kind != "count" or margin == margin.to_integral()


def _is_plain(constant: Decimal, quantity: Quantity, values: Sequence[float | None]) -> bool:
    """Whether the constant looks natural for the quantity: a question about more than 39.5 branches does not."""
    if quantity.unit == "%":
        return is_plain_percentage(constant, values)
    return quantity.kind != "count" or constant == constant.to_integral()


def _rows_that_meet(rows: Sequence[_Values], tests: Sequence[QuantityCondition]) -> list[_Values]:
    """The rows whose first value meets the conditions."""
    bounds = [(test.sign, float(test.value)) for test in tests if isinstance(test.value, Decimal)]
    return [row for row in rows if all(row[0] > bound if sign == ">" else row[0] < bound for sign, bound in bounds)]


def _above_mean(rows: Sequence[_Values]) -> list[float]:
    """How far the last value of each row is above the mean of all."""
    mean = fmean(_last(rows))
    return [value - mean for value in _last(rows)]


def _last(rows: Sequence[_Values]) -> list[float]:
    return [row[-1] for row in rows]


def _sizes(values: Iterable[float | None]) -> list[float]:
    return [abs(value) for value in values if value is not None]


def _columns(quantities: Sequence[Quantity]) -> tuple[EntityColumn, ...]:
    return tuple(dict.fromkeys(column for quantity in quantities for column in quantity.columns))
