"""Figures that a reader may take instead of the right ones: of the year before, or of a report that was restated."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId
from fathom.scoring.keys import Key
from fathom.tasks.tables.months import MONTH, month_text
from fathom.tasks.tables.stated_facts import FactReader, StatedFact, StatedFacts

KeyCell = tuple[str, str]
"""An entity and a column of a key's table."""

_END = re.compile(r"(\d{4})(?:-(\d\d)-(\d\d))?\Z")
_YEAR_DAYS = range(350, 381)


@dataclass(frozen=True)
class OtherFigures:
    """Other values for the cells of a key's table, in the units of the table."""

    of_the_year_before: Mapping[KeyCell, float | str]
    of_an_older_report: Mapping[KeyCell, float | str]


class ContextFigures:
    """The figures of one context, to look for others than those of a proof."""

    def __init__(self, facts: Mapping[DocumentId, StatedFacts]) -> None:
        self._facts = facts
        self._about: dict[str, list[StatedFacts]] = defaultdict(list)
        self._periods: dict[str, set[str]] = defaultdict(set)
        for stated in facts.values():
            for entity in stated.entities:
                self._about[entity].append(stated)
            for attribute, period in stated.names():
                self._periods[attribute].add(period)
        self._years_before: dict[tuple[str, str], list[str]] = {}

    def others(self, key: Key) -> OtherFigures:
        """The figures of the same entities that the context states in addition to those of a key's proof."""
        before: dict[KeyCell, float | str] = {}
        older: dict[KeyCell, float | str] = {}
        for row, passage in zip(key.proof.rows, key.proof.passages, strict=False):
            entity, column, value, scale = row
            document = self._facts.get(passage.document)
            found = document.at_span(passage.span) if document else []
            used = next((fact for fact in found if fact.entity == entity), None)
            if document is None or used is None or not value:
                continue
            earlier = [one for period in self._before(used) for one in self._stated(used, period)]
            if earlier:
                before[entity, column] = _plain(max(earlier)[1], scale, used.unit)
            same = [one for one in self._stated(used, used.period) if one[0] < (document.year or 0)]
            if same and min(same)[1] != used.value:
                older[entity, column] = _plain(min(same)[1], scale, used.unit)
        return OtherFigures(before, older)

    def _before(self, used: StatedFact) -> list[str]:
        """The periods of the year before for which documents state the attribute."""
        name = (used.attribute, used.period)
        if name not in self._years_before:
            periods = sorted(self._periods[used.attribute])
            self._years_before[name] = [period for period in periods if _is_year_before(used.period, period)]
        return self._years_before[name]

    def _stated(self, used: StatedFact, period: str) -> list[tuple[int, Decimal]]:
        """The years of documents with the values that they state of the entity's attribute in a period."""
        return [
            (document.year or 0, fact.value)
            for document in self._about[used.entity]
            for fact in document.of((used.attribute, period))
            if fact.entity == used.entity and fact.value is not None and fact.unit == used.unit
        ]


class OtherFigureReader:
    """Reads other figures from the documents of contexts; the facts of the last context stay in memory."""

    def __init__(self, corpus: Corpus) -> None:
        self._facts = FactReader(corpus)
        self._last: tuple[str, ContextFigures] | None = None

    def read(self, context: Context, key: Key) -> OtherFigures:
        """Other figures for the cells of a key's table."""
        if self._last is None or self._last[0] != context.id:
            self._last = (context.id, ContextFigures(self._facts.read(context.documents)))
        return self._last[1].others(key)


def _plain(value: Decimal, scale: str, unit: str) -> float | str:
    return month_text(value) if unit == MONTH else float(value / Decimal(scale))


def _is_year_before(period: str, other: str) -> bool:
    """Whether another period of the same kind ends a year earlier."""
    if ("/" in period) != ("/" in other):
        return False
    one, two = _end(period), _end(other)
    return one is not None and two is not None and (one - two).days in _YEAR_DAYS


def _end(period: str) -> date | None:
    match = _END.search(period)
    try:
        return date(int(match[1]), int(match[2] or 12), int(match[3] or 31)) if match else None
    except ValueError:
        return None
