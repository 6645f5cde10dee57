"""Fills the slots of templates with values from a context, such that the result is neither trivial nor too long."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

from fathom.tasks.numeric.rankings import is_clear
from fathom.tasks.numeric.schema import NAME, REFERENCES, SCHEMA
from fathom.tasks.numeric.slot_values import SlotValues
from fathom.tasks.numeric.tables import ContextTables
from fathom.tasks.numeric.templates import Template
from fathom.tasks.numeric.wording import question
from fathom.tasks.programs import tree
from fathom.tasks.programs.evaluate import Evaluation, TableRow, View
from fathom.tasks.programs.masks import bits
from fathom.tasks.programs.mutants import mutants, result_form
from fathom.tasks.programs.sql import SqlStatement

TRIES = 12
"""Attempts to draw values before a template is skipped for a context."""

TRIES_OF_PAIRS = 8
"""Values that are drawn to find some with an answer in one of two contexts and none in the other; most are dismissed
before any query is run."""

ENDS = 3
"""The lowest and the highest values that are drawn more often than others for pairs of contexts."""

COMPARED, COMPARED_IN_PAIRS = 6, 3
"""Fillings of a template that are compared, to take the one that detects the most mutants; fewer in pairs of contexts,
where the mutants of both are counted."""

MAX_LIST_LENGTH = 12
"""The maximum number of items in an unsorted list; longer lists test patience more than understanding."""

MAX_PLACES = 4 * MAX_LIST_LENGTH
"""The maximum number of byline entries whose distinct people are counted; more have too many people for a list."""


@dataclass(frozen=True)
class FilledTemplate:
    """A template with values, and the rows of its query."""

    template: Template
    values: dict[tree.Slot, tree.Constant]
    rows: tuple[TableRow, ...]
    undetected: float = 0.0
    """The share of single-edit mutants that give the same result; the mean of both contexts if it is filled in a
    pair."""

    @cached_property
    def program(self) -> tree.Program:
        """The template's program with the values in it."""
        return tree.bind(self.template.program, self.values)

    def wording(self, rng: Random) -> str:
        """The question in words."""
        return question(self.program, rng)


class TemplateFiller:
    """Fills templates for one context, whose tables are loaded in `database`."""

    def __init__(
        self,
        tables: ContextTables,
        database: sqlite3.Connection | None,
        accept: Callable[[FilledTemplate], bool] = lambda filled: True,
    ) -> None:
        """Without a database, programs are evaluated in Python."""
        self._accept = accept
        self._tables = tables
        self._database = database
        self._nullable: dict[str, bool] = {}
        self._values = SlotValues(tables)
        self._views = {False: tables.evaluation.view(SCHEMA.main)}

    def fill(self, template: Template, rng: Random) -> FilledTemplate | None:
        """The template with values that give a result of a planned size.

        Of several such fillings, the one that the fewest mutants agree with.
        """
        fillings: list[FilledTemplate] = []
        for _ in range(0 if self._is_unsafe(template) else TRIES if template.slots else 1):
            values = _draw_values(template, rng, lambda slot: self._options(slot, template))
            filled = None if values is None else self.with_values(template, values, empty=False)
            if filled is not None:
                fillings.append(replace(filled, undetected=self._undetected(filled)))
                if len(fillings) == COMPARED or fillings[-1].undetected == 0:
                    break
        return min(
            (filling for filling in fillings if self._accept(filling)),
            key=lambda filling: filling.undetected,
            default=None,
        )

    def can_pair(self, template: Template, partner: TemplateFiller) -> bool:
        """Whether the template may be filled with values that leave nothing in one of the two contexts.

        Where a part that it reads is unknown, no answer would rarely be due to the values alone.
        """
        return self._may_leave_nothing(template) and partner._may_leave_nothing(template)

    def fill_in_pair(
        self, template: Template, rng: Random, partner: TemplateFiller, empty: bool
    ) -> FilledTemplate | None:
        """The template with values that have an answer in another context and none here, or the reverse if not `empty`.

        The other context is as likely to ask the same question with the other outcome, so neither the template nor the
        values tell the outcome. For this, values are drawn in the same way for both outcomes, and a question must meet
        the requirements of both contexts.
        """
        if any(slot.kind == "title" for slot in template.slots):
            partner = self
        with_answer, without_answer = (partner, self) if empty else (self, partner)
        fillings: list[FilledTemplate] = []
        tried_values: list[dict[tree.Slot, tree.Constant] | None] = []
        for _ in range(TRIES_OF_PAIRS if template.slots else 1):
            values = with_answer._draw_in_pair(template, rng)
            if values in tried_values:
                continue
            tried_values.append(values)
            # A title names an article of the context itself: another title must leave nothing there.
            other_values = without_answer._draw_in_pair(template, rng) if with_answer is without_answer else values
            if (
                values is None
                or other_values is None
                or not without_answer.has_planned_size(template, other_values, empty=True)
            ):
                continue
            answered = with_answer.with_values(template, values, empty=False)
            unanswered = without_answer.with_values(template, other_values, empty=True) if answered else None
            if answered and unanswered and with_answer._accept(answered) and without_answer._accept(unanswered):
                undetected = (with_answer._undetected(answered) + without_answer._undetected(unanswered)) / 2
                fillings.append(replace(unanswered if empty else answered, undetected=undetected))
                if len(fillings) == COMPARED_IN_PAIRS or undetected == 0:
                    break
        return min(fillings, key=lambda filling: filling.undetected, default=None)

    def _may_leave_nothing(self, template: Template) -> bool:
        if template.id not in self._nullable:
            unknown = template.parts_read & self._tables.unknown.documents.keys()
            self._nullable[template.id] = template.may_be_empty and not unknown and not self._is_unsafe(template)
        return self._nullable[template.id]

    def _draw_in_pair(self, template: Template, rng: Random) -> dict[tree.Slot, tree.Constant] | None:
        def options(slot: tree.Slot) -> Sequence[int | str]:
            values_of_slot = self._options(slot, template)
            # In long contexts, most bounds select some articles of both.
            ends = slot.kind == "number" and rng.random() < 0.5
            return [*values_of_slot[:ENDS], *values_of_slot[-ENDS:]] if ends else values_of_slot

        return _draw_values(template, rng, options)

    def with_values(
        self, template: Template, values: dict[tree.Slot, tree.Constant], empty: bool
    ) -> FilledTemplate | None:
        """The template with these values, where they give a result of a planned size."""
        if self._is_unsafe(template) or not self.has_planned_size(template, values, empty):
            return None
        program = tree.bind(template.program, values)
        if self._tables.unknown.concern(program) or self._tables.confuses_people(program):
            return None
        rows = self.run(template.query, values) if self._database else self._tables.evaluation.run(program)
        if not is_clear(program, rows, self._tables):
            return None
        informative = _is_nothing(rows) if empty else self._is_informative(template, values, rows)
        return FilledTemplate(template, values, tuple(rows)) if informative else None

    def run(self, statement: SqlStatement, values: dict[tree.Slot, tree.Constant]) -> list[TableRow]:
        """The rows of a statement with these values for its slots."""
        assert self._database is not None
        return self._database.execute(statement.text, [values[slot] for slot in statement.slots]).fetchall()

    def _is_unsafe(self, template: Template) -> bool:
        """Whether the articles make the template ambiguous, or something that it needs is not known.

        An editorial may have no authors to divide by. A preprint may have the title of its article, so the title
        identifies neither of them.
        """
        if self._tables.unknown.exclude(template.needs):
            return True
        if template.names_titles and self._tables.has_duplicate_titles:
            return True
        return any(0 in self._values.present(field)[:1] for field in template.divisors)

    # The size of a result.

    def has_planned_size(self, template: Template, values: dict[tree.Slot, tree.Constant], empty: bool) -> bool:
        """Whether the number of articles or names that meet the condition suits the output: none if `empty`, never all.

        This is known before any query is run.
        """
        program = template.program
        if program.where is None:
            return True
        view = self._view(template)
        mask = view.mask(program.where, values)
        selected = mask.bit_count()
        if empty:
            return selected == 0
        if selected == view.every.bit_count():
            return False
        if _lists(program) and template.over_bylines and selected <= MAX_PLACES:
            names = view.column("author_name")
            selected = len({names[position] for position in bits(mask)})
        return selected in self._suitable(template)

    def _count_selected(self, template: Template, values: dict[tree.Slot, tree.Constant]) -> int:
        """The number of articles or names that meet the condition."""
        return self._view(template).mask(template.program.where, values).bit_count()

    def _suitable(self, template: Template) -> range:
        """The numbers of articles or names that may meet the condition."""
        program = template.program
        if _lists(program):
            # Where there is neither a value nor another template to choose, a longer list is better than none.
            return range(1, (MAX_LIST_LENGTH if template.slots or template.built_in else MAX_PLACES) + 1)
        least = 3 if program.order and program.top is None and not _is_computed(program) else 2
        return range(least, self._view(template).every.bit_count())

    def _is_informative(self, template: Template, values: dict[tree.Slot, tree.Constant], rows: list[TableRow]) -> bool:
        """Whether the result is worth asking for.

        Not a count below two, groups of one article each, different values where none repeats, a sort in which all are
        tied, a second sort key that breaks no tie, or NULL.
        """
        program = template.program
        match program.output:
            case tree.Count() | tree.CountDistinct() if int(rows[0][0] or 0) < 2:
                return False
            case tree.CountDistinct(measure) | tree.Values(measure, True) if measure != NAME and program.top is None:
                different = len(rows) if isinstance(program.output, tree.Values) else int(rows[0][0] or 0)
                return different < self._count_selected(template, values)
            case tree.Count() | tree.CountDistinct():
                return True
            case tree.GroupedResults(having=having) if program.top is None:
                least = 2 if having is None else 1
                return least <= len(rows) <= 2 * MAX_LIST_LENGTH and len(rows) < self._count_selected(template, values)
        if program.top is not None:
            return True
        if program.order:
            keys = {row[1:] for row in rows}
            return len(keys) >= 2 and (len(program.order) == 1 or len({key[:-1] for key in keys}) < len(keys))
        return rows[0][0] is not None

    def _view(self, template: Template) -> View:
        if template.over_bylines not in self._views:
            self._views[True] = self._tables.evaluation.view(SCHEMA.by_name["article_author"])
        return self._views[template.over_bylines]

    # Values.

    def _options(self, slot: tree.Slot, template: Template) -> Sequence[int | str]:
        if slot.kind == "title":
            return [row.title for row in self._tables.articles]
        return self._values.options(slot, template)

    # Mutants.

    def _undetected(self, filled: FilledTemplate) -> float:
        """The share of mutants with the same result."""
        program, evaluation = filled.program, self._tables.evaluation
        result = result_form(program, list(filled.rows))
        undetected = [_gives_result(mutant.program, result, evaluation) for mutant in mutants(program, SCHEMA)]
        return sum(undetected) / max(1, len(undetected))


def _draw_values(
    template: Template, rng: Random, options_of: Callable[[tree.Slot], Sequence[int | str]]
) -> dict[tree.Slot, tree.Constant] | None:
    """Random values for the slots of a template; None if they make no sense together."""
    values: dict[tree.Slot, tree.Constant] = {}
    for slot in template.slots:
        options = options_of(slot)
        if not options:
            return None
        value = rng.choice(options)
        if value in values.values():
            value = rng.choice([option for option in options if option not in values.values()] or options)
        values[slot] = value
    if any(_is_clumsy(node, values) for node in template.conditions):
        return None
    for node in template.paired:
        if isinstance(node, tree.Between) and isinstance(node.low, tree.Slot) and isinstance(node.high, tree.Slot):
            values[node.low], values[node.high] = sorted((values[node.low], values[node.high]))
        if isinstance(node, tree.OneOf):
            slot_values = [values[value] for value in node.values if isinstance(value, tree.Slot)]
            if len(set(slot_values)) < len(node.values):
                return None
    return values


def _gives_result(program: tree.Program, result: object, evaluation: Evaluation) -> bool:
    try:
        return result_form(program, evaluation.run(program)) == result
    except (ArithmeticError, TypeError, ValueError):
        return False  # an edit may add up texts or divide by zero


def _is_clumsy(condition: tree.Condition, values: tree.Bindings) -> bool:
    """Whether a bound leaves a single count, remainder or position ("at most 0" is better said as "exactly 0"), none
    ("fewer than 1 author") or all ("at least 1 author")."""
    match condition:
        case tree.Not(tree.Compare(measure, ">", tree.Slot() as slot)):
            lowest, least = _lowest(measure), 0
        case tree.Compare(measure, "<" | "<=" as sign, tree.Slot() as slot):
            lowest, least = _lowest(measure), int(sign == "<")
        case tree.Compare(measure, ">" | ">=" as sign, tree.Slot() as slot):
            lowest, least = _lowest(measure), 0 if sign == ">=" else -1
        case _:
            return False
    if slot.kind not in ("number", "position") or lowest is None:
        return False
    return int(values[slot]) <= lowest + least


def _lowest(measure: tree.Measure) -> int | None:
    """The lowest value of a count or remainder that is usual."""
    if isinstance(measure, tree.Arithmetic):
        return 0 if measure.sign == "%" else None
    return 0 if measure == REFERENCES else 1


def _is_nothing(rows: Sequence[TableRow]) -> bool:
    return not rows or rows[0][0] is None


def _lists(program: tree.Program) -> bool:
    """Whether the answer is an unsorted list with an item for each article or name that meets the condition."""
    return not _is_computed(program) and not program.order


def _is_computed(program: tree.Program) -> bool:
    return isinstance(program.output, tree.Result | tree.GroupedResults | tree.GroupsAggregate)
