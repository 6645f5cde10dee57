"""Draws questions about an entity table, at three levels, with constants that make the answer unambiguous."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from random import Random
from typing import NamedTuple

from fathom.tasks.programs import tree
from fathom.tasks.tables.query_constants import condition_of, opposite, rows_where, to_number
from fathom.tasks.tables.query_parts import MAX_LIST_LENGTH, MIN_IN_GROUP, ProgramQuestion, QueryParts, QuestionLevel
from fathom.tasks.tables.wording import QuantityCondition

_Maker = Callable[[], ProgramQuestion | None]

TRIES = 12
"""Attempts at one form of question."""
PAIR_TRIES, CONSTANT_TRIES = 12, 3
"""Attempts at a question with and without an answer, and at the constants of the latter."""

MIN_FOR_SHARE = 8
"""Minimum number of entities in a question about a share."""

_ZERO = Decimal(0)


class _Selection(NamedTuple):
    """A question with the maker and the seed that produced it."""

    question: ProgramQuestion
    maker: _Maker
    seed: int


class QueryMaker(QueryParts):
    """Draws questions about one entity table."""

    def make(self, level: QuestionLevel) -> ProgramQuestion | None:
        """A question of that level with an answer; None if none was found."""
        selection = self._draw(level)
        return selection and selection.question

    def make_plain(self, level: QuestionLevel) -> ProgramQuestion | None:
        """A question that has an answer whatever its constants are; None if none was found."""
        for _ in range(TRIES):
            selection = self._draw(level)
            if selection is None or not tree.may_be_empty(selection.question.program):
                return selection and selection.question
        return None

    def make_paired(self, level: QuestionLevel, empty: bool, may_name_one: bool = True) -> ProgramQuestion | None:
        """A question whose conditions may leave nothing; if `empty`, they do. None if none was found.

        It is asked only if there are constants for both cases: forms and figures with one case alone would tell which
        it is. For the same reason the answer names more than one entity in either case, unless `may_name_one`.
        """
        for _ in range(TRIES):
            selection = self._draw(level)
            if selection is None or tree.may_be_empty(selection.question.program):
                return selection and self._in_pair(selection, empty, may_name_one)
        return None

    def _draw(self, level: QuestionLevel) -> _Selection | None:
        """A question with an answer."""
        makers = self._makers()[level]
        if self._constants.random() < 0.5:
            # Months are easy to ask for, and would crowd out other questions.
            makers = [maker for maker in makers if maker not in self._month_makers()] or makers
        # A form that seldom finds clear constants gets several tries, so that it is not crowded out.
        for maker in self._constants.sample(makers, len(makers)):
            for _ in range(TRIES):
                selection = self._with_answer(maker)
                if selection is not None:
                    return selection
        return None

    def _with_answer(self, maker: _Maker) -> _Selection | None:
        seed = self._constants.getrandbits(64)
        question = self._make_with_seed(maker, seed, empty=False)
        return None if question is None else _Selection(question, maker, seed)

    def _in_pair(self, selection: _Selection, empty: bool, may_name_one: bool) -> ProgramQuestion | None:
        """The question, or the same one with constants that nothing meets; or another one of its form."""
        candidate = selection if may_name_one or not _names_one(selection.question) else None
        for _ in range(PAIR_TRIES):
            for _ in range(CONSTANT_TRIES if candidate else 0):
                assert candidate is not None
                question = self._make_with_seed(selection.maker, candidate.seed, empty=True)
                if question is not None and tree.may_be_empty(question.program):
                    return question if empty else candidate.question
            candidate = self._with_answer(selection.maker)
            if candidate is not None and not tree.may_be_empty(candidate.question.program):
                candidate = None
            if candidate is not None and not may_name_one and _names_one(candidate.question):
                candidate = None
        return None

    def _make_with_seed(self, maker: _Maker, seed: int, empty: bool) -> ProgramQuestion | None:
        """A question about the figures that the seed draws, with constants of its own."""
        self._empty = empty
        self._rng = Random(seed)
        return maker()

    def _month_makers(self) -> list[_Maker]:
        return [self._month_of_field, self._month_of_group, self._month_of_metric]

    def _makers(self) -> dict[QuestionLevel, list[_Maker]]:
        return {
            "easy": [
                self._top_field,
                self._single_field,
                self._one_condition,
                self._count_field,
                self._total,
                self._average,
            ],
            "medium": [
                self._top_metric,
                self._metric_condition,
                self._two_conditions,
                self._comparison,
                self._growth,
                self._total_growth,
                self._pooled,
                self._share,
                self._group_average,
                self._group_difference,
                *([self._month_of_field, self._month_of_group] if self._months else []),
            ],
            "hard": [
                self._above_group_average,
                self._composite,
                self._derived_conditions,
                self._derived_average,
                self._metric_comparison,
                *([self._month_of_metric] if self._months else []),
            ],
        }

    # Easy.

    def _top_field(self) -> ProgramQuestion | None:
        return self._top(self._one_of(self._fields), "easy", "top", self._rng.randint(2, 8))

    def _single_field(self) -> ProgramQuestion | None:
        return self._top(self._one_of(self._fields), "easy", "single", 1)

    def _one_condition(self) -> ProgramQuestion | None:
        return self._filter([self._one_of(self._fields)], "easy", "filter")

    def _count_field(self) -> ProgramQuestion | None:
        return self._filter([self._one_of(self._fields)], "easy", "count")

    def _total(self) -> ProgramQuestion | None:
        quantity = self._one_of([field for field in self._fields if field.additive])
        if quantity is None:
            return None
        quantity = self._readable(quantity, mean=False)
        program = tree.Program(tree.Aggregate("SUM", quantity.measure))
        return self._query(program, self._words.total(quantity), "easy", "total", [quantity])

    def _average(self) -> ProgramQuestion | None:
        return self._mean(self._one_of(self._averaged_fields), None, "easy", "average")

    # Medium.

    def _top_metric(self) -> ProgramQuestion | None:
        count = self._rng.choice((1, *range(2, 7)))
        return self._top(self._one_of(self._metrics), "medium", "single" if count == 1 else "top", count)

    def _metric_condition(self) -> ProgramQuestion | None:
        return self._filter([self._one_of(self._metrics)], "medium", self._rng.choice(("filter", "count")))

    def _two_conditions(self) -> ProgramQuestion | None:
        first, second = self._one_of(self._fields), self._one_of([*self._fields, *self._metrics])
        if first is None or second is None or set(first.columns) & set(second.columns):
            return None
        return self._filter([first, second], "medium", "conditions")

    def _comparison(self) -> ProgramQuestion | None:
        by_name = {field.columns[0].figure_id.field: field for field in self._fields}
        pairs = [
            (by_name[left], by_name[right]) for left, right in self._comparable() if {left, right} <= by_name.keys()
        ]
        if not pairs:
            return None
        first, second = self._rng.choice(pairs)
        return self._select(self._comparison_tests(first, second), "medium", "count", [first, second])

    def _growth(self) -> ProgramQuestion | None:
        quantity = self._one_of(self._growths)
        if self._rng.random() < 0.5:
            return self._top(quantity, "medium", "growth", self._rng.randint(1, 5))
        return self._filter([quantity], "medium", "growth")

    def _total_growth(self) -> ProgramQuestion | None:
        quantity = self._one_of([growth for growth in self._growths if growth.additive and not growth.has_gaps])
        # A question about a change makes no sense if the totals of both years are equal.
        if quantity is None or len({sum(column.values()) for column in quantity.columns}) < 2:
            return None
        now, before = (tree.Aggregate("SUM", tree.Column(column.name)) for column in quantity.columns)
        growth = tree.CombinedResult(tree.CombinedResult(tree.Ratio(now, before), "*", 100), "-", 100)
        text = self._words.total_growth(quantity)
        return self._query(tree.Program(growth), text, "medium", "growth", [quantity])

    def _pooled(self) -> ProgramQuestion | None:
        quantity = self._one_of([metric for metric in self._metrics if metric.pools and not metric.has_gaps])
        if quantity is None:
            return None
        over, under = (tree.Aggregate("SUM", side) for side in quantity.sides)
        ratio = tree.Ratio(over, under)
        program = tree.Program(tree.CombinedResult(ratio, "*", 100) if quantity.unit == "%" else ratio)
        return self._query(program, self._words.pooled(quantity), "medium", "ratio of sums", [quantity])

    def _share(self) -> ProgramQuestion | None:
        quantity = self._one_of([quantity for quantity in [*self._fields, *self._metrics] if not quantity.has_gaps])
        test = self._test(quantity, self._sign(quantity, [quantity]), [quantity]) if quantity else None
        # A share of four is a quarter, a half or three quarters.
        if quantity is None or test is None or len(self._values(quantity, [quantity])) < MIN_FOR_SHARE:
            return None
        share = tree.CombinedResult(tree.Ratio(tree.Count(), tree.Count(), condition_of([test])), "*", 100)
        return self._query(tree.Program(share), self._words.share([test]), "medium", "share", [quantity], "%")

    def _group_average(self) -> ProgramQuestion | None:
        group, quantity = self._one_of(self._fields), self._one_of(self._averaged)
        return self._mean(quantity, group, "medium", "group average")

    def _group_difference(self) -> ProgramQuestion | None:
        group, quantity = self._one_of(self._fields), self._one_of(self._averaged)
        if group is None or quantity is None or set(group.columns) & set(quantity.columns):
            return None
        quantity = self._readable(quantity, mean=True)
        test = self._test(group, self._sign(group, [group, quantity]), [group, quantity], least=MIN_IN_GROUP)
        if test is None:
            return None
        first, second = (
            tree.PeerAggregate("AVG", quantity.measure, among=among) for among in (condition_of([test]), opposite(test))
        )
        if any(self._too_few_known(quantity, peers.among, [group, quantity]) for peers in (first, second)):
            return None
        # The difference is the same for every entity.
        program = tree.Program(tree.Aggregate("MAX", tree.Arithmetic(first, "-", second)))
        text = self._words.group_difference(test, quantity)
        unit = "percentage points" if quantity.unit == "%" else quantity.unit
        return self._query(program, text, "medium", "group difference", [group, quantity], unit)

    def _month_of_field(self) -> ProgramQuestion | None:
        return self._month_of_first(self._one_of(self._fields), "medium")

    def _month_of_group(self) -> ProgramQuestion | None:
        return self._extreme_month(self._one_of(self._fields), "medium")

    # Hard.

    def _month_of_metric(self) -> ProgramQuestion | None:
        return self._month_of_first(self._one_of([*self._metrics, *self._growths]), "hard")

    def _above_group_average(self) -> ProgramQuestion | None:
        group = self._one_of([*self._fields, *self._metrics])
        quantity = self._one_of(self._averaged)
        if group is None or quantity is None or set(group.columns) & set(quantity.columns):
            return None
        used_quantities = [group, quantity]
        bounds = self._margin_apart(group, quantity) if self._is_paired() else self._own_margin(group, quantity)
        if bounds is None:
            return None
        test, margin = bounds.test, bounds.value
        where = condition_of([test])
        above = tree.Arithmetic(quantity.measure, "-", tree.PeerAggregate("AVG", quantity.measure, among=where))
        database = self._database(used_quantities)
        condition = tree.And(where, tree.Compare(above, ">", to_number(margin)))
        matches = sum(rows_where(database, condition))
        if self._empty == bool(matches):
            return None
        counted = not self._empty and (self._rng.random() < 0.25 or matches > MAX_LIST_LENGTH)
        text = self._words.above_group_average(test, quantity, margin, counted)
        program = tree.Program(tree.Count() if counted else tree.Labels(), condition)
        return self._query(program, text, "hard", "above group average", used_quantities)

    def _composite(self) -> ProgramQuestion | None:
        quantity = self._one_of(self._composites)
        if self._rng.random() < 0.5:
            return self._top(quantity, "hard", "composite", self._rng.randint(2, 5))
        return self._filter([quantity], "hard", "composite")

    def _derived_conditions(self) -> ProgramQuestion | None:
        pool = [*self._metrics, *self._growths]
        if len(pool) < 2:
            return None
        return self._filter(self._rng.sample(pool, 2), "hard", "derived conditions")

    def _derived_average(self) -> ProgramQuestion | None:
        group, quantity = self._one_of([*self._metrics, *self._growths]), self._one_of(self._averaged)
        return self._mean(quantity, group, "hard", "derived average")

    def _metric_comparison(self) -> ProgramQuestion | None:
        """A difference of fields, such as free cash flow, that is positive and exceeds a field such as net profit."""
        by_name = {field.columns[0].figure_id.field: field for field in self._fields}
        # A field that is comparable with operating cash flow is also comparable with a difference that starts from it.
        pairs = [
            (metric, by_name[right])
            for metric in self._metrics
            for left, right in self.table.pack.comparable
            if metric.formula[0] == "-" and metric.columns[0].figure_id.field == left and right in by_name
            if by_name[right].unit == metric.unit and by_name[right].columns[0] not in metric.columns
        ]
        if not pairs:
            return None
        metric, compared = self._rng.choice(pairs)
        tests = self._comparison_tests(metric, compared)
        positive = QuantityCondition(metric, ">", _ZERO)
        if tests and not any(
            value is not None and abs(value) < 1e-9 for value in self._values(metric, [metric, compared])
        ):
            tests = (
                [positive, *tests] if self._every_condition_matters([positive, *tests], [metric, compared]) else tests
            )
        return self._select(tests, "hard", "derived comparison", [metric, compared], counted=True)


def _names_one(question: ProgramQuestion) -> bool:
    """Whether the answer names exactly one entity."""
    is_list = isinstance(question.program.output, tree.Labels)
    return is_list and len(question.database.evaluation.run(question.program)) == 1
