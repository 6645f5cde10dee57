"""Fills the slots of templates with values from a context, such that the result is neither trivial nor too long."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

from fathom.tasks.numeric.rankings import is_clear
from fathom.tasks.numeric.schema import NAME, REFERENCES, SCHEMA
from fathom.tasks.numeric.slot_values import CHANCE_OF_NONE, CorpusSample, SlotValues
from fathom.tasks.numeric.tables import Tables
from fathom.tasks.numeric.templates import Template
from fathom.tasks.numeric.wording import question
from fathom.tasks.programs import tree
from fathom.tasks.programs.evaluate import Evaluation, Row, View
from fathom.tasks.programs.masks import bits
from fathom.tasks.programs.mutants import mutants, result_form
from fathom.tasks.programs.sql import Query

TRIES = 12
"""Attempts to draw values before a template is skipped for a context."""

COMPARED = 6
"""Fillings of a template that are compared, to take the one that detects the most mutants."""

LONGEST_LIST = 12
"""The maximum number of items in an unsorted list; longer lists test patience more than understanding."""

MOST_PLACES = 4 * LONGEST_LIST
"""The maximum number of byline entries whose distinct people are counted; more have too many people for a list."""


@dataclass(frozen=True)
class FilledTemplate:
    """A template with values, and the rows of its query."""

    template: Template
    values: dict[tree.Slot, tree.Constant]
    rows: tuple[Row, ...]
    undetected: float = 0.0
    """The share of single-edit mutants that give the same result."""

    @cached_property
    def program(self) -> tree.Program:
        """The template's program with the values in it."""
        return tree.bind(self.template.program, self.values)

    def wording(self, rng: Random) -> str:
        """The question in words."""
        return question(self.program, rng)


class TemplateFiller:
    """Fills templates for one context, whose tables are loaded in `database`.

    Without a sample of the corpus, unanswerable questions get values of the context itself.
    """

    def __init__(self, tables: Tables, database: sqlite3.Connection, sample: CorpusSample | None = None) -> None:
        self._tables = tables
        self._database = database
        self._sample = sample
        self._values = SlotValues(tables)
        self._views = {False: tables.evaluation.view(SCHEMA.main)}

    def fill(self, template: Template, rng: Random, empty: bool = False) -> FilledTemplate | None:
        """The template with values that give a result of a planned size, or an empty one with `empty`.

        Of several such fillings, the one that the fewest mutants agree with.
        """
        if (empty and not self._may_be_unanswerable(template)) or self._is_unsafe(template):
            return None
        found: list[FilledTemplate] = []
        for filled in self._fillings(template, rng, empty):
            found.append(replace(filled, undetected=self._undetected(filled)))
            if len(found) == COMPARED or found[-1].undetected == 0:
                break
        return min(found, key=lambda one: one.undetected, default=None)

    def _may_be_unanswerable(self, template: Template) -> bool:
        """Whether no answer is due to the values alone: where something is unknown, few have an answer."""
        return template.may_be_empty and not template.parts_read & self._tables.unknown.documents.keys()

    def _fillings(self, template: Template, rng: Random, empty: bool) -> Iterator[FilledTemplate]:
        # Where values leave nothing only by chance, many must be tried; the others are tried as often as they fit.
        tries = round(TRIES / CHANCE_OF_NONE) if empty else TRIES
        for _ in range(tries if template.slots else 1):
            values = self._draw(template, rng, empty)
            if values is None or not self.has_planned_size(template, values, empty):
                continue
            if template.may_be_empty and rng.random() >= self._chance(template, values, empty):
                continue
            filled = self.with_values(template, values, empty)
            if filled is not None:
                yield filled

    def with_values(
        self, template: Template, values: dict[tree.Slot, tree.Constant], empty: bool
    ) -> FilledTemplate | None:
        """The template with these values, where they give a result of a planned size."""
        if self._is_unsafe(template) or not self.has_planned_size(template, values, empty):
            return None
        program = tree.bind(template.program, values)
        if self._tables.unknown.concern(program) or self._tables.confuses_people(program):
            return None
        rows = self.run(template.query, values)
        if not is_clear(program, rows, self._tables):
            return None
        informative = _is_nothing(rows) if empty else self._is_informative(template, values, rows)
        return FilledTemplate(template, values, tuple(rows)) if informative else None

    def run(self, statement: Query, values: dict[tree.Slot, tree.Constant]) -> list[Row]:
        """The rows of a statement with these values for its slots."""
        return self._database.execute(statement.text, [values[slot] for slot in statement.slots]).fetchall()

    def _is_unsafe(self, template: Template) -> bool:
        """Whether the articles make the template ambiguous, or something that it needs is not known.

        An editorial may have no authors to divide by. A preprint may have the title of its article, so that the title
        identifies neither of them.
        """
        if self._tables.unknown.exclude(template.needs):
            return True
        if template.names_titles and self._tables.has_duplicate_titles:
            return True
        return any(0 in self._values.present(field)[:1] for field in template.divisors)

    def _chance(self, template: Template, values: dict[tree.Slot, tree.Constant], empty: bool) -> float:
        """How often values that fit are used, such that answerable and unanswerable questions have the same ones."""
        if self._sample is None:
            return 1.0
        if any(slot.kind == "title" for slot in template.slots):
            alone = len(template.slots) == 1
            return CHANCE_OF_NONE * self._share_with_answer(template) if empty and alone else 1.0
        size = len(self._tables.articles)
        return self._sample.chance(template, values, size, self._suitable(template), empty)

    def _share_with_answer(self, template: Template) -> float:
        """The titles for which the template has a suitable result, relative to those for which it has none."""
        titles: list[dict[tree.Slot, tree.Constant]] = [{template.slots[0]: row.title} for row in self._tables.articles]
        some = sum(self.has_planned_size(template, title, False) for title in titles)
        return some / max(1, sum(self.has_planned_size(template, title, True) for title in titles))

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
        kept = mask.bit_count()
        if empty:
            return kept == 0
        if kept == view.every.bit_count():
            return False
        if _lists(program) and template.over_bylines and kept <= MOST_PLACES:
            names = view.column("author_name")
            kept = len({names[place] for place in bits(mask)})
        return kept in self._suitable(template)

    def _kept(self, template: Template, values: dict[tree.Slot, tree.Constant]) -> int:
        """The number of articles or names that meet the condition."""
        return self._view(template).mask(template.program.where, values).bit_count()

    def _suitable(self, template: Template) -> range:
        """The numbers of articles or names that may meet the condition."""
        program = template.program
        if _lists(program):
            # Where there is neither a value nor another template to choose, a longer list is better than none.
            return range(1, (LONGEST_LIST if template.slots or template.built_in else MOST_PLACES) + 1)
        least = 3 if program.order and program.top is None and not _is_computed(program) else 2
        return range(least, self._view(template).every.bit_count())

    def _is_informative(self, template: Template, values: dict[tree.Slot, tree.Constant], rows: list[Row]) -> bool:
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
                return different < self._kept(template, values)
            case tree.Count() | tree.CountDistinct():
                return True
            case tree.Grouped(having=having) if program.top is None:
                least = 2 if having is None else 1
                return least <= len(rows) <= 2 * LONGEST_LIST and len(rows) < self._kept(template, values)
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

    def _draw(self, template: Template, rng: Random, empty: bool) -> dict[tree.Slot, tree.Constant] | None:
        values: dict[tree.Slot, tree.Constant] = {}
        for slot in template.slots:
            options = self._options(slot, template, rng, empty)
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
                ends = sorted((values[node.low], values[node.high]))
                values[node.low], values[node.high] = ends
            if isinstance(node, tree.OneOf) and len({values[v] for v in node.values if isinstance(v, tree.Slot)}) < len(
                node.values
            ):
                return None
        return values

    def _options(self, slot: tree.Slot, template: Template, rng: Random, empty: bool) -> Sequence[int | str]:
        if slot.kind == "title":
            return [row.title for row in self._tables.articles]
        if not empty or self._sample is None or rng.random() < 0.5:
            return self._values.options(slot, template, rng)
        return self._sample.collection(len(self._tables.articles), rng).options(slot, template, rng)

    # Mutants.

    def _undetected(self, filled: FilledTemplate) -> float:
        """The share of mutants with the same result."""
        program, evaluation = filled.program, self._tables.evaluation
        result = result_form(program, list(filled.rows))
        same = [_gives(mutant.program, result, evaluation) for mutant in mutants(program, SCHEMA)]
        return sum(same) / max(1, len(same))


def _gives(program: tree.Program, result: object, evaluation: Evaluation) -> bool:
    try:
        return result_form(program, evaluation.run(program)) == result
    except (ArithmeticError, TypeError, ValueError):
        return False  # an edit may add up texts or divide by zero


def _is_clumsy(condition: tree.Condition, values: tree.Bindings) -> bool:
    """Whether a bound leaves a single count or remainder: "at most 0" is better said as "exactly 0"."""
    match condition:
        case tree.Not(tree.Compare(measure, ">", tree.Slot() as slot)):
            return slot.kind == "number" and values[slot] == _lowest(measure)
        case tree.Compare(measure, "<" | "<=" as sign, tree.Slot() as slot) if slot.kind == "number":
            lowest = _lowest(measure)
            return lowest is not None and values[slot] == lowest + (sign == "<")
        case _:
            return False


def _lowest(measure: tree.Measure) -> int | None:
    """The lowest value of a count or remainder that is usual."""
    if isinstance(measure, tree.Arithmetic):
        return 0 if measure.sign == "%" else None
    return 0 if measure == REFERENCES else 1


def _is_nothing(rows: Sequence[Row]) -> bool:
    return not rows or rows[0][0] is None


def _lists(program: tree.Program) -> bool:
    """Whether the answer is an unsorted list with an item for each article or name that meets the condition."""
    return not _is_computed(program) and not program.order


def _is_computed(program: tree.Program) -> bool:
    return isinstance(program.output, tree.Result | tree.Grouped | tree.OverGroups)
