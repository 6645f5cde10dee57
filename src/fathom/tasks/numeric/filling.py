"""Values for a template's slots, drawn from the context so that the size of the result is as planned."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

from fathom.tasks.numeric.evaluate import Fits, Row
from fathom.tasks.numeric.programs import (
    Arithmetic,
    AtPosition,
    Between,
    CitedByArticle,
    CitesArticle,
    HowMany,
    Measure,
    OneOf,
    PerValue,
    Program,
    SharesAuthor,
    Slot,
    Total,
    bind,
)
from fathom.tasks.numeric.sql import Query
from fathom.tasks.numeric.tables import Tables
from fathom.tasks.numeric.templates import AUTHORS, Template
from fathom.tasks.numeric.wording import question

TRIES = 8
"""Draws of values before a template is given up for a context."""

ABSENT = (
    *("algorithm", "archive", "climate", "collapse", "corridor", "diffusion", "dynamics", "economy", "forecast"),
    *("genome", "harmonic", "hybrid", "language", "lattice", "migration", "neural", "orbit", "policy", "protein"),
    *("quantum", "signal", "survey", "topology", "turbulence", "urban", "vaccine", "welfare"),
)
"""Words that titles are full of; those that a context's titles lack make questions that nothing answers."""

LONGEST_LIST = 12
"""Items in an unsorted list: beyond that a question tests patience more than understanding."""

MOST_SEATS = 4 * LONGEST_LIST
"""Places in bylines that are looked at for how many people hold them; more hold more than the longest list."""


@dataclass(frozen=True)
class Filled:
    """A template with values, and the rows it gives."""

    template: Template
    values: dict[Slot, int | str]
    rows: tuple[Row, ...]

    @cached_property
    def program(self) -> Program:
        """The template's program with the values in it."""
        return bind(self.template.program, self.values)

    def wording(self, rng: Random) -> str:
        """The question in words."""
        return question(self.program, rng)


class Filler:
    """Fills templates for one context, whose tables are loaded in `database`."""

    def __init__(self, tables: Tables, database: sqlite3.Connection) -> None:
        self._tables = tables
        self._database = database
        self._values: dict[Measure, Sequence[int]] = {}
        self._fits = {False: Fits(tables, people=False)}

    def fill(self, template: Template, rng: Random, empty: bool = False) -> Filled | None:
        """The template with values that give a result of a planned size, or none at all where `empty` is wanted."""
        if (empty and not template.may_be_empty) or self._is_unsafe(template):
            return None
        for _ in range(TRIES if template.slots else 1):
            values = self._draw(template, rng, empty)
            if values is None:
                return None
            filled = self.filled(template, values, empty)
            if filled is not None:
                return filled
        return None

    def filled(self, template: Template, values: dict[Slot, int | str], empty: bool) -> Filled | None:
        """The template with these very values, where they give a result of a planned size."""
        if self._is_unsafe(template) or not self.is_of_size(template, values, empty):
            return None
        rows = self.run(template.query, values)
        return Filled(template, values, tuple(rows)) if empty or self._tells_something(template, rows) else None

    def run(self, statement: Query, values: dict[Slot, int | str]) -> list[Row]:
        """The rows of a statement with these values in its places."""
        return self._database.execute(statement.text, [values[slot] for slot in statement.slots]).fetchall()

    def _is_unsafe(self, template: Template) -> bool:
        """Whether the articles here leave it open what the template asks for.

        An editorial may have no authors to divide by, and a preprint may have the title of its article, so that a title
        names neither of them.
        """
        if template.names_titles and self._tables.has_twins:
            return True
        return any(self._present(field)[0] == 0 for field in template.divisors)

    # What a result must be like.

    def is_of_size(self, template: Template, values: dict[Slot, int | str], empty: bool) -> bool:
        """Whether so many articles or names fit as are wanted; known before any query is run."""
        program = template.program
        if program.where is None:
            return True
        fits = self._fits.get(template.over_bylines) or self._fits.setdefault(True, Fits(self._tables, people=True))
        mask = fits.of(program.where, values)
        kept = mask.bit_count()
        if empty:
            return kept == 0
        if kept == fits.every.bit_count():
            return False
        if isinstance(program.output, HowMany | Total | PerValue):
            return kept >= 2
        if program.order:
            return kept >= 3
        if template.over_bylines and kept <= MOST_SEATS:
            kept = len(fits.names(mask))
        return 1 <= kept <= LONGEST_LIST

    def _tells_something(self, template: Template, rows: list[Row]) -> bool:
        """Neither a count that is nearly always zero or one, nor a sort in which all are tied."""
        program = template.program
        if isinstance(program.output, HowMany):
            return int(rows[0][0] or 0) >= 2
        if isinstance(program.output, PerValue):
            return 2 <= len(rows) <= 2 * LONGEST_LIST
        if program.order:
            return len({row[1:] for row in rows}) >= 2
        return rows[0][0] is not None

    # Values.

    def _draw(self, template: Template, rng: Random, empty: bool) -> dict[Slot, int | str] | None:
        values: dict[Slot, int | str] = {}
        for slot in template.slots:
            options = self._options(slot, template, rng, empty)
            if not options:
                return None
            value = rng.choice(options)
            if value in values.values():
                value = rng.choice([option for option in options if option not in values.values()] or options)
            values[slot] = value
        for node in template.paired:
            if isinstance(node, Between) and isinstance(node.low, Slot) and isinstance(node.high, Slot):
                low, high = sorted((values[node.low], values[node.high]))
                values[node.low], values[node.high] = low, high
            if isinstance(node, OneOf) and len({values[v] for v in node.values if isinstance(v, Slot)}) < len(
                node.values
            ):
                return None
        return values

    def _options(self, slot: Slot, template: Template, rng: Random, empty: bool) -> Sequence[int | str]:
        match slot.kind:
            case "number":
                assert slot.of is not None
                return self._numbers(slot.of, empty)
            case "position":
                most = self._present(AUTHORS)[-1]
                first = any(isinstance(node, AtPosition) and node.sign == "=" for node in template.conditions)
                # "At a position no less than 1" would say nothing.
                return range(most + 1, most + 4) if empty else range(1 if first else 2, max(3, most + 1))
            case "few":
                return (4, 5, 6) if empty else (2, 3)
            case "name":
                return self._names
            case "fragment":
                return self._fragments(rng, empty)
            case "title":
                return self._titles(template)

    def _numbers(self, of: Measure, empty: bool) -> Sequence[int]:
        present = self._present(of)
        if not empty:
            return present
        if isinstance(of, Arithmetic) and of.sign == "%":
            return [value for value in range(of.right) if value not in present]  # type: ignore[arg-type]
        # Near what occurs, so that only a look at the articles tells that nothing fits.
        return [value for value in range(max(2, present[0] - 2), present[-1] + 4) if value not in present]

    def _present(self, of: Measure) -> Sequence[int]:
        if of not in self._values:
            self._values[of] = sorted(set(map(int, self._fits[False].values(of))))
        return self._values[of]

    @cached_property
    def _names(self) -> Sequence[str]:
        """Names to ask about: those with several articles where there are enough of them."""
        often = Counter(row.name for row in self._tables.authors)
        several = [name for name, count in often.items() if count > 1]
        return several if len(several) >= 3 else list(often)

    def _fragments(self, rng: Random, empty: bool) -> Sequence[str]:
        """Beginnings of words: letters alone, so that nothing in them means anything to LIKE."""
        if empty:
            return [word for word in ABSENT if word not in self._printed_titles.lower()]
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
        """Titles that the template's relation can say something about."""
        return [title for node in template.conditions for title in self._titles_by_relation.get(type(node), ())]

    @cached_property
    def _titles_by_relation(self) -> dict[type, Sequence[str]]:
        tables = self._tables
        shared = {row.article for row in tables.authors if tables.articles_of[row.name] > 1}
        numbers = {CitesArticle: set(tables.cited), CitedByArticle: set(tables.citing), SharesAuthor: shared}
        return {
            relation: [row.title for row in tables.articles if row.number in those]
            for relation, those in numbers.items()
        }
