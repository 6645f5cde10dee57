"""Fills the slots of templates with values from a context, such that the result is neither trivial nor too long."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

from fathom.tasks.numeric.rankings import is_clear
from fathom.tasks.numeric.schema import AUTHORS, POSITION, SCHEMA, relations
from fathom.tasks.numeric.tables import Tables
from fathom.tasks.numeric.templates import Template
from fathom.tasks.numeric.wording import question
from fathom.tasks.programs import tree
from fathom.tasks.programs.evaluate import Row, View, bits
from fathom.tasks.programs.sql import Query

TRIES = 8
"""Attempts to draw values before a template is skipped for a context."""

COMMON_TITLE_WORDS = (
    *("algorithm", "archive", "climate", "collapse", "corridor", "diffusion", "dynamics", "economy", "forecast"),
    *("genome", "harmonic", "hybrid", "language", "lattice", "migration", "neural", "orbit", "policy", "protein"),
    *("quantum", "signal", "survey", "topology", "turbulence", "urban", "vaccine", "welfare"),
)
"""Frequent words in titles; those that no title of a context contains are used for unanswerable questions."""

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

    @cached_property
    def program(self) -> tree.Program:
        """The template's program with the values in it."""
        return tree.bind(self.template.program, self.values)

    def wording(self, rng: Random) -> str:
        """The question in words."""
        return question(self.program, rng)


class TemplateFiller:
    """Fills templates for one context, whose tables are loaded in `database`."""

    def __init__(self, tables: Tables, database: sqlite3.Connection) -> None:
        self._tables = tables
        self._database = database
        self._values: dict[tree.Measure, Sequence[int]] = {}
        self._views = {False: tables.evaluation.view(SCHEMA.main)}

    def fill(self, template: Template, rng: Random, empty: bool = False) -> FilledTemplate | None:
        """The template with values that give a result of a planned size, or an empty one with `empty`."""
        if (empty and not template.may_be_empty) or self._is_unsafe(template):
            return None
        for _ in range(TRIES if template.slots else 1):
            values = self._draw(template, rng, empty)
            if values is None:
                return None
            filled = self.with_values(template, values, empty)
            if filled is not None:
                return filled
        return None

    def with_values(
        self, template: Template, values: dict[tree.Slot, tree.Constant], empty: bool
    ) -> FilledTemplate | None:
        """The template with these values, where they give a result of a planned size."""
        if self._is_unsafe(template) or not self.has_planned_size(template, values, empty):
            return None
        if self._tables.unknown.concern(tree.bind(template.program, values)):
            return None
        rows = self.run(template.query, values)
        if not is_clear(tree.bind(template.program, values), rows, self._tables):
            return None
        informative = empty or self._is_informative(template, values, rows)
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
        return any(0 in self._present(field)[:1] for field in template.divisors)

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
        if isinstance(program.output, tree.Result | tree.Grouped | tree.OverGroups):
            return kept >= 2
        if program.top is not None:
            return kept > 1
        if program.order:
            return kept >= 3
        if template.over_bylines and kept <= MOST_PLACES:
            names = view.column("author_name")
            kept = len({names[place] for place in bits(mask)})
        # Where there is no value to choose, a longer list is better than none.
        return 1 <= kept <= (LONGEST_LIST if template.slots else MOST_PLACES)

    def _is_informative(self, template: Template, values: dict[tree.Slot, tree.Constant], rows: list[Row]) -> bool:
        """Whether the result is worth asking for.

        Not a count below two, groups of one article each, a sort in which all are tied, a second sort key that breaks
        no tie, or NULL.
        """
        program = template.program
        if isinstance(program.output, tree.Count | tree.CountDistinct):
            return int(rows[0][0] or 0) >= 2
        if program.top is not None:
            return True
        if isinstance(program.output, tree.Grouped):
            kept = self._view(template).mask(program.where, values).bit_count()
            least = 2 if program.output.having is None else 1
            return least <= len(rows) <= 2 * LONGEST_LIST and len(rows) < kept
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
        match slot.kind:
            case "number":
                assert slot.of is not None
                return self._numbers(slot.of, empty)
            case "position":
                most = max(self._present(AUTHORS))
                first = any(
                    isinstance(node, tree.Compare) and node.measure == POSITION and node.sign == "="
                    for node in template.conditions
                )
                # "At a position no less than 1" would exclude no author.
                return range(most + 1, most + 4) if empty else range(1 if first else 2, max(3, most + 1))
            case "few":
                return (4, 5, 6) if empty else (2, 3)
            case "name":
                return self._names
            case "fragment":
                return self._fragments(rng, empty)
            case "title":
                return self._titles(template)
        raise ValueError(f"'{slot.kind}' is not a kind of slot")

    def _numbers(self, of: tree.Measure, empty: bool) -> Sequence[int]:
        present = self._present(of)
        if not empty or not present:
            return present
        if isinstance(of, tree.Arithmetic) and of.sign == "%":
            return [value for value in range(of.right) if value not in present]  # type: ignore[arg-type]
        # Near the values that occur, so that only reading the articles shows that there is no answer.
        return [value for value in range(max(2, present[0] - 2), present[-1] + 4) if value not in present]

    def _present(self, of: tree.Measure) -> Sequence[int]:
        if of not in self._values:
            self._values[of] = sorted(set(map(int, self._views[False].scale(of).values)))
        return self._values[of]

    @cached_property
    def _names(self) -> Sequence[str]:
        """Names to ask about: people with several articles if there are at least three, else all."""
        often = Counter(row.name for row in self._tables.authors)
        several = [name for name, count in often.items() if count > 1]
        return several if len(several) >= 3 else list(often)

    def _fragments(self, rng: Random, empty: bool) -> Sequence[str]:
        """Beginnings of title words. They consist of letters only, so they contain no wildcards of LIKE."""
        if empty:
            return [word for word in COMMON_TITLE_WORDS if word not in self._printed_titles.lower()]
        return [
            word[: rng.randint(4, len(word))] for word in rng.sample(self._title_words, min(3, len(self._title_words)))
        ]

    @cached_property
    def _printed_titles(self) -> str:
        return "\n".join(row.title for row in self._tables.articles)

    @cached_property
    def _title_words(self) -> Sequence[str]:
        return sorted({word.lower() for word in re.findall(r"[A-Za-z]{5,}", self._printed_titles)})

    def _titles(self, template: Template) -> Sequence[str]:
        """Titles for which the template's relation has an answer."""
        return [title for name, _ in relations(template.program) for title in self._titles_by_relation.get(name, ())]

    @cached_property
    def _titles_by_relation(self) -> dict[str, Sequence[str]]:
        tables = self._tables
        shared = {row.article for row in tables.authors if tables.articles_of[row.name] > 1}
        numbers = {"cites article": set(tables.cited), "cited by article": set(tables.citing), "shares author": shared}
        return {name: [row.title for row in tables.articles if row.number in those] for name, those in numbers.items()}
