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
    """The figures of one context, searched for figures that a proof does not contain."""

    def __init__(self, facts: Mapping[DocumentId, StatedFacts]) -> None:
        self._facts = facts
        self._about: dict[str, list[StatedFacts]] = defaultdict(list)
        self._periods: dict[str, set[str]] = defaultdict(set)
        for document_facts in facts.values():
            for entity in document_facts.entities:
                self._about[entity].append(document_facts)
            for attribute, period in document_facts.names():
                self._periods[attribute].add(period)
        self._years_before: dict[tuple[str, str], list[str]] = {}

    def others(self, key: Key) -> OtherFigures:
        """The figures of the same entities that the context states in addition to those of a key's proof."""
        year_before: dict[KeyCell, float | str] = {}
        older_report: dict[KeyCell, float | str] = {}
        for row, passage in zip(key.proof.rows, key.proof.passages, strict=False):
            entity, column, value, scale = row
            document = self._facts.get(passage.document)
            facts = document.at_span(passage.span) if document else []
            own_fact = next((fact for fact in facts if fact.entity == entity), None)
            if document is None or own_fact is None or not value:
                continue
            earlier = [
                statement
                for period in self._periods_before(own_fact)
                for statement in self._statements(own_fact, period)
            ]
            if earlier:
                year_before[entity, column] = _question_value(max(earlier)[1], scale, own_fact.unit)
            earlier_reports = [
                statement
                for statement in self._statements(own_fact, own_fact.period)
                if statement[0] < (document.year or 0)
            ]
            if earlier_reports and min(earlier_reports)[1] != own_fact.value:
                older_report[entity, column] = _question_value(min(earlier_reports)[1], scale, own_fact.unit)
        return OtherFigures(year_before, older_report)

    def _periods_before(self, own_fact: StatedFact) -> list[str]:
        """The periods of the year before for which documents state the attribute."""
        name = (own_fact.attribute, own_fact.period)
        if name not in self._years_before:
            periods = sorted(self._periods[own_fact.attribute])
            self._years_before[name] = [period for period in periods if _is_year_before(own_fact.period, period)]
        return self._years_before[name]

    def _statements(self, own_fact: StatedFact, period: str) -> list[tuple[int, Decimal]]:
        """The years of documents with the values that they state of the entity's attribute in a period."""
        return [
            (document.year or 0, fact.value)
            for document in self._about[own_fact.entity]
            for fact in document.facts_named((own_fact.attribute, period))
            if fact.entity == own_fact.entity and fact.value is not None and fact.unit == own_fact.unit
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


def _question_value(value: Decimal, scale: str, unit: str) -> float | str:
    return month_text(value) if unit == MONTH else float(value / Decimal(scale))


def _is_year_before(period: str, earlier: str) -> bool:
    """Whether another period of the same kind ends a year earlier."""
    if ("/" in period) != ("/" in earlier):
        return False
    end, earlier_end = _end(period), _end(earlier)
    return end is not None and earlier_end is not None and (end - earlier_end).days in _YEAR_DAYS


def _end(period: str) -> date | None:
    match = _END.search(period)
    try:
        return date(int(match[1]), int(match[2] or 12), int(match[3] or 31)) if match else None
    except ValueError:
        return None
