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
from fathom.tasks.tables import quantities
from fathom.tasks.tables.entity_table import EntityColumn, EntityTable
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
        known = quantities.of_table(table)
        self._fields = [field for field in known.fields if field.kind != "month"]
        self._months = [field for field in known.fields if field.kind == "month"]
        self._metrics, self._growths, self._composites = known.metrics, known.growths, known.composites
        # Nobody takes the mean of means or medians, which have different weights.
        self._averaged_fields = [field for field in self._fields if not field.is_average]
        self._averaged = [*self._averaged_fields, *self._metrics]

    def _one_of(self, options: Sequence[Quantity]) -> Quantity | None:
        return self._rng.choice(options) if options else None

    def _comparable(self) -> list[tuple[str, str]]:
        """The pairs of fields that may be compared, each in a random order."""
        return [(one, two) if self._rng.random() < 0.5 else (two, one) for one, two in self.table.pack.comparable]

    def _database(self, used: Sequence[Quantity]) -> Database:
        columns = _columns(used)
        # A quantity in another unit has other values in the same columns.
        names = tuple((column.name, column.scale) for column in columns)
        if names not in self._databases:
            self._databases[names] = self.table.database(columns)
        return self._databases[names]

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
        return sum(inside and value is not None for inside, value in zip(met, found, strict=True)) < MIN_IN_GROUP

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
        known = sorted(value for value in self._values(quantity, [quantity]) if value is not None)
        highest = self._rng.random() < 0.6
        if highest:
            known.reverse()
        # The order and the last place must be clear, and not every entity may be listed.
        floor = quantity.floor(_sizes(known))
        if len(known) < max(MIN_IN_GROUP, count + 2) or any(
            is_close(*pair, floor) for pair in pairwise(known[: count + 1])
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
        used = [quantity, month]
        known = sorted(value for value in self._values(quantity, used) if value is not None)
        highest = self._rng.random() < 0.6
        first, second = (known[:-3:-1] if highest else known[:2]) if len(known) >= MIN_IN_GROUP else (0.0, 0.0)
        if is_close(first, second, quantity.floor(_sizes(known))) or month.has_gaps:
            return None
        sort = tree.Sort(quantity.measure, "DESC" if highest else "ASC")
        program = tree.Program(tree.Values(month.measure), order=(sort,), top=1)
        text = self._words.month_of_first(month, quantity, highest)
        return self._query(program, text, level, "month", used, MONTH)

    def _extreme_month(self, group: Quantity | None, level: QuestionLevel) -> ProgramQuestion | None:
        """The earliest or latest month of the entities that meet a condition."""
        month = self._one_of(self._months)
        if month is None or group is None or month.has_gaps:
            return None
        used = [group, month]
        test = self._group_test(group, used)
        # Of many months, the earliest is January.
        if test is None or sum(rows_where(self._database(used), condition_of([test]))) > MAX_MONTHS:
            return None
        earliest = self._rng.random() < 0.5
        program = tree.Program(tree.Aggregate("MIN" if earliest else "MAX", month.measure), condition_of([test]))
        text = self._words.extreme_month(month, earliest, test)
        return self._query(program, text, level, "month", used, MONTH)

    def _own_margin(self, group: Quantity, quantity: Quantity) -> _Margin | None:
        """A group, and a margin by which some of it exceed its mean, or none do."""
        used = [group, quantity]
        test = self._test(group, self._sign(group, used), used, least=MIN_IN_GROUP)
        if test is None:
            return None
        members = _met(self._rows(used), [test])
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
        for here, there in self._rows_apart([group, quantity]):
            for test in self._shared_test(group, sign, here, there, least=MIN_IN_GROUP):
                groups = [_met(rows, [test]) for rows in (here, there)]
                if min(map(len, groups)) < MIN_IN_GROUP:
                    continue
                ours, theirs = map(_above_mean, groups)
                met, unmet = (theirs, ours) if self._empty else (ours, theirs)
                margin = constant_apart(met, unmet, ">", self._constants, floor=self._margin_floor(quantity))
                if margin is not None and _is_plain_margin(margin, quantity):
                    return _Margin(test, margin)
        return None

    def _margin_floor(self, quantity: Quantity) -> float:
        return quantity.floor(_sizes(self._values(quantity, [quantity])), of_difference=True)

    def _filter(self, used: Sequence[Quantity | None], level: QuestionLevel, operation: str) -> ProgramQuestion | None:
        known = [one for one in used if one is not None]
        if len(known) < len(used):
            return None
        signs = [self._sign(one, known) for one in known]
        if operation == "count":
            tests = self._own_tests(known, signs, few=0)
        elif self._is_paired():
            tests = self._tests_apart(known, signs)
        elif self._empty and len(known) == 1:
            tests = self._tests_beyond(known[0], signs[0], known)
        elif self._empty:
            tests = self._exclusive_tests(known, signs)
        else:
            tests = self._own_tests(known, signs)
        beyond = self._empty and len(known) == 1
        if len(tests) < len(known) or not (beyond or self._every_condition_matters(tests, known)):
            return None
        return self._select(tests, level, operation, known)

    def _own_tests(self, used: Sequence[Quantity], signs: Sequence[str], few: int = FEW) -> list[QuantityCondition]:
        """A test for each quantity that some entities meet; fewer if none were found."""
        pairs = zip(used, signs, strict=True)
        return [test for one, sign in pairs if (test := self._test(one, sign, used, few)) is not None]

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
                not inside and all(other[row] for index, other in enumerate(met) if index != number)
                for row, inside in enumerate(mine)
            )
            for number, mine in enumerate(met)
        )

    def _select(
        self,
        tests: Sequence[QuantityCondition],
        level: QuestionLevel,
        operation: str,
        used: Sequence[Quantity],
        counted: bool = False,
    ) -> ProgramQuestion | None:
        if not tests:
            return None
        condition = condition_of(tests)
        met = rows_where(self._database(used), condition)
        counted = counted or operation == "count"
        if self._empty != (not any(met)) or all(met) or (sum(met) > MAX_LIST_LENGTH and not counted):
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
        # No reader would ask for growth of more than -2%, or for a profit above -3 million.
        positive = quantity.growth or min(known, default=0) < 0
        if unmet:
            known = [one for one in known if (one >= max(unmet) if sign == ">" else one <= min(unmet))]
        floor = quantity.floor(_sizes(known))
        constant = constant_between(known, self._constants, positive, least, floor, sign, few)
        if not constant or not _is_plain(constant, quantity, known):
            return None
        above = sum(value > constant for value in known)
        return QuantityCondition(quantity, sign, constant) if least <= above <= len(known) - least else None

    def _group_test(self, group: Quantity, used: Sequence[Quantity]) -> QuantityCondition | None:
        """The condition of the entities whose mean or month is asked for; none meets it if there is no answer."""
        sign = self._sign(group, used)
        if self._is_paired():
            return next(iter(self._tests_apart([group], [sign], MIN_IN_GROUP)), None)
        if self._empty:
            return next(iter(self._tests_beyond(group, sign, used)), None)
        return self._test(group, sign, used, FEW, MIN_IN_GROUP)

    def _tests_beyond(self, quantity: Quantity, sign: str, used: Sequence[Quantity]) -> list[QuantityCondition]:
        """A condition that no entity meets, with a constant close to the extreme value; none if there is none."""
        known = self._values(quantity, used)
        constant = constant_beyond(known, sign, self._constants)
        if constant is None or not _is_plain(constant, quantity, known):
            return []
        return [QuantityCondition(quantity, sign, constant)]

    # Constants that have an answer in some documents and none in others.

    def _is_paired(self) -> bool:
        """Whether constants are drawn for two sets of documents, of which one has an answer."""
        return bool(self._partners) and (self._empty or self._constants.random() < PAIRED)

    def _tests_apart(self, used: Sequence[Quantity], signs: Sequence[str], least: int = 1) -> list[QuantityCondition]:
        """Conditions on one or two quantities that entities meet here and none elsewhere, or the other way round.

        The constants are as likely with an answer as without one. Fewer conditions if none were found.
        """
        # The first condition, if there are two, is met on both sides; the last one decides.
        *others, last = self._constants.sample(range(len(used)), len(used))
        for rows in self._rows_apart([used[place] for place in (*others, last)]):
            tests = [test for other in others for test in self._shared_test(used[other], signs[other], *rows)]
            here, there = (_last(_met(some, tests)) for some in rows)
            found = self._constant_apart(used[last], signs[last], here, there, least)
            if len(tests) == len(others) and found is not None:
                tests.append(QuantityCondition(used[last], signs[last], found))
                return sorted(tests, key=lambda test: used.index(test.quantity))
        return []

    def _rows_apart(self, used: Sequence[Quantity]) -> Iterator[tuple[list[_Values], list[_Values]]]:
        """The values of each entity here, and of as many entities of a partner."""
        here = self._rows(used)
        for partner in self._constants.sample(self._partners, len(self._partners)):
            there = partner.rows(used)
            if len(there) >= ALIKE * len(here) > 0:
                yield here, self._constants.sample(there, min(len(here), len(there)))

    def _rows(self, used: Sequence[Quantity]) -> list[_Values]:
        rows = zip(*(self._values(one, used) for one in used), strict=True)
        return [tuple(value for value in row if value is not None) for row in rows if None not in row]

    def _shared_test(
        self, quantity: Quantity, sign: str, here: Sequence[_Values], there: Sequence[_Values], least: int = 1
    ) -> list[QuantityCondition]:
        """A condition on the first value that some entities meet on either side; none if there is none."""
        known = [row[0] for row in (*here, *there)]
        positive = quantity.growth or min(known, default=0) < 0
        floor = quantity.floor(_sizes(known))
        constant = constant_between(known, self._constants, positive, least, floor, sign, 2 * FEW)
        if not constant or not _is_plain(constant, quantity, known):
            return []
        test = QuantityCondition(quantity, sign, constant)
        return [test] if all(len(_met(rows, [test])) >= least for rows in (here, there)) else []

    def _constant_apart(
        self, quantity: Quantity, sign: str, here: Sequence[float], there: Sequence[float], least: int = 1
    ) -> Decimal | None:
        """A constant that values here are beyond and none elsewhere, or the other way round."""
        if not here or not there:
            return None
        # A group of three has a mean; that there is none takes no group of three elsewhere.
        met, unmet, fewest = (there, here, 1) if self._empty else (here, there, least)
        constant = constant_apart(met, unmet, sign, self._constants, fewest, quantity.floor(_sizes(here)))
        return constant if constant and _is_plain(constant, quantity, [*here, *there]) else None

    def _query(
        self,
        program: tree.Program,
        text: str,
        level: QuestionLevel,
        operation: str,
        used: Sequence[Quantity],
        unit: str | None = None,
    ) -> ProgramQuestion | None:
        columns = _columns(used)
        database = self._database(used)
        if len(database.rows[database.schema.main.name]) < 4:
            return None
        # A question about sums defines its quotient itself.
        defined = () if operation == "ratio of sums" else used
        missing = any(one.has_gaps for one in used)
        if unit is None:
            one_number = not isinstance(program.output, tree.Labels | tree.Count)
            unit = used[-1].unit if one_number else ""
        parts = [
            self._words.scope(self.table.left_out(columns), self.table.named(columns)),
            *dict.fromkeys(self._words.definition(one) for one in defined),
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

    def rows(self, used: Sequence[Quantity]) -> list[_Values]:
        """The values of each entity that has all of them; none if a quantity is not known here."""
        first, *rest = [self._values(one) for one in used]
        return [
            (value, *(values[entity] for values in rest))
            for entity, value in first.items()
            if all(entity in values for values in rest)
        ]

    def _values(self, quantity: Quantity) -> dict[str, float]:
        same = self._quantities.get(quantity.measure)
        if same is None or same.unit != quantity.unit:
            return {}
        if quantity.measure not in self._found:
            database = self.table.database(same.columns)
            entities = (str(row[1]) for row in database.rows[database.schema.main.name])
            found = zip(entities, values(database, same.measure), strict=True)
            self._found[quantity.measure] = {entity: value for entity, value in found if value is not None}
        return self._found[quantity.measure]

    @cached_property
    def _quantities(self) -> dict[tree.Measure, Quantity]:
        known = quantities.of_table(self.table)
        return {one.measure: one for some in known for one in some}


def wording(table: EntityTable) -> LanguageWording:
    """The sentences for the table. A currency is named if other documents use another one."""
    currency = "" if table.is_only_currency else table.currency
    words = Chinese if table.language == "zh" else English
    return words(table.pack, table.year, currency, table.of_several_periods)


def _is_plain_margin(margin: Decimal, quantity: Quantity) -> bool:
    return quantity.kind != "count" or margin == margin.to_integral()


def _is_plain(constant: Decimal, quantity: Quantity, known: Sequence[float | None]) -> bool:
    """Whether people would compare the quantity with such a constant: nobody asks for more than 39.5 branches."""
    if quantity.unit == "%":
        return is_plain_percentage(constant, known)
    return quantity.kind != "count" or constant == constant.to_integral()


def _met(rows: Sequence[_Values], tests: Sequence[QuantityCondition]) -> list[_Values]:
    """The rows whose first value meets the conditions."""
    bounds = [(test.sign, float(test.value)) for test in tests if isinstance(test.value, Decimal)]
    return [row for row in rows if all(row[0] > bound if sign == ">" else row[0] < bound for sign, bound in bounds)]


def _above_mean(rows: Sequence[_Values]) -> list[float]:
    """How far the last value of each row is above the mean of all."""
    mean = fmean(_last(rows))
    return [value - mean for value in _last(rows)]


def _last(rows: Sequence[_Values]) -> list[float]:
    return [row[-1] for row in rows]


def _sizes(found: Iterable[float | None]) -> list[float]:
    return [abs(value) for value in found if value is not None]


def _columns(used: Sequence[Quantity]) -> tuple[EntityColumn, ...]:
    return tuple(dict.fromkeys(column for one in used for column in one.columns))
