"""The figures that documents state of their entities, by field and period, each with the characters that print it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Literal, NamedTuple

from fathom.records.documents import Document, DocumentId, Fact
from fathom.records.spans import Span
from fathom.tasks.tables.pack import Pack

Year = int | None
"""The year of a period; None where figures have no period."""

SHORTEST_YEAR, LONGEST_YEAR = 350, 380
"""Days of a fiscal year: retailers close theirs on a weekday, so that it has 52 or 53 weeks."""
SAME_DAY = 10
"""Days by which the ends of two fiscal years may differ from whole years."""

_YEAR = re.compile(r"\d{4}")
_DATES = re.compile(r"(?:(\d{4}-\d\d-\d\d)/)?(\d{4}-\d\d-\d\d)")
_TAG = re.compile(r"[\w-]+:\w+")
_CURRENCY = re.compile(r"[A-Z]{3}(?=/|$)")
_DIGITS = re.compile(r"\d[\d,.   ]*")


@dataclass(frozen=True)
class Figure:
    """One figure as a document states it."""

    value: Decimal | None
    """In plain units; None if the document states that it is missing."""
    unit: str
    document: DocumentId
    span: Span


Conflict = Literal["conflict"]
"""The document states different values, and none of them is a rounded form of another."""


class Slot(NamedTuple):
    """A field in a period."""

    field: str
    year: Year


@dataclass(frozen=True)
class DocumentFigures:
    """The figures of one document."""

    document: DocumentId
    entity: str
    language: str
    year: Year
    """The period that the document is about; None if its figures have no period."""
    currency: str
    """Of its amounts of money; empty if it has none, or several."""
    figures: dict[Slot, Figure | Conflict]


def document_figures(document: Document, pack: Pack) -> DocumentFigures | None:
    """The figures of the pack's fields in a document; None if it is of another domain, or about several entities.

    A filing that tags none of the fields is one of the domain nevertheless: all of its figures are unknown.
    """
    whole = [fact for fact in document.facts if not fact.part]
    stated: dict[Slot, dict[int, list[Fact]]] = defaultdict(lambda: defaultdict(list))
    years = _Years(document, whole) if pack.has_periods else None
    for fact in whole:
        found = pack.field_of.get(fact.attribute) or pack.field_of.get(f"*:{fact.attribute.rpartition(':')[2]}")
        year = years.of(fact.period) if found and years else None
        if found and year != "other":
            stated[Slot(found[0], year)][found[1]].append(fact)
    used = [fact for ranked in stated.values() for facts in ranked.values() for fact in facts]
    tagged = [fact for fact in whole if _TAG.fullmatch(fact.attribute)] if pack.reads_filings else []
    entities = {fact.entity for fact in used or tagged}
    if len(entities) != 1:
        return None
    return DocumentFigures(
        document=document.id,
        entity=next(iter(entities)),
        language=document.language,
        year=years.own if years else None,
        currency=_currency(used),
        figures={
            slot: _agreed(_of_latest_period(ranked[min(ranked)]), document)
            for slot, ranked in sorted(stated.items(), key=_slot_order)
        },
    )


def _currency(facts: Iterable[Fact]) -> str:
    units = {match[0] for fact in facts if (match := _CURRENCY.match(fact.unit))}
    return units.pop() if len(units) == 1 else ""


def _of_latest_period(facts: Sequence[Fact]) -> list[Fact]:
    """Facts of one year have one period; where years do not matter, the latest figure counts."""
    latest = max(fact.period for fact in facts)
    return [fact for fact in facts if fact.period == latest]


def _slot_order(item: tuple[Slot, object]) -> tuple[str, int]:
    return item[0].field, item[0].year or 0


class _Years:
    """The years of a document's periods. A fiscal year has the number that the document gives to its own."""

    def __init__(self, document: Document, facts: Sequence[Fact]) -> None:
        self.own: Year = None
        self._end: date | None = None
        ends = Counter(end for fact in facts if (end := _end_of_year(fact.period)))
        if ends:
            # The year that the document is about has the most figures; of two such years, the later one.
            self._end = max(ends, key=lambda end: (ends[end] >= max(ends.values()) / 2, end))
            self.own = document.year or self._end.year
        elif any(_YEAR.fullmatch(fact.period) for fact in facts):
            self.own = document.year
        elif days := Counter(day for fact in facts if (day := _end_of_year(fact.period, instant=True))):
            # A balance sheet alone: its own day and that of the year before.
            self._end = max(day for day, count in days.items() if count >= max(days.values()) / 2)
            self.own = document.year or self._end.year

    def of(self, period: str) -> Year | Literal["other"]:
        """The year of a period: "other" for a quarter, or for a day that ends no fiscal year."""
        if not period:
            return None if self.own is None else "other"
        if _YEAR.fullmatch(period):
            return int(period)
        end = _end_of_year(period, instant=True)
        if end is None or self._end is None or self.own is None:
            return "other"
        back = round((self._end - end).days / 365.25)
        same = abs((self._end - end).days - back * 365.25) <= SAME_DAY
        return self.own - back if same else "other"


def _end_of_year(period: str, instant: bool = False) -> date | None:
    """The last day of a period of a year, or the day itself of an instant; None for other periods."""
    match = _DATES.fullmatch(period)
    if match is None or (match[1] is None and not instant):
        return None
    try:
        end = date.fromisoformat(match[2])
        start = date.fromisoformat(match[1]) if match[1] else None
    except ValueError:
        return None
    return end if start is None or SHORTEST_YEAR <= (end - start).days <= LONGEST_YEAR else None


# Several statements of one figure.


def _agreed(facts: Sequence[Fact], document: Document) -> Figure | Conflict:
    """The most precise of the statements, if the others are the same or rounded."""
    missing = [fact for fact in facts if fact.value is None]
    if missing:
        return _figure(missing[0], document.id) if len(missing) == len(facts) else "conflict"
    best = min(facts, key=lambda fact: (step(fact, document.text), fact.place != "table", fact.span.start))
    if len({fact.unit for fact in facts}) > 1:
        return "conflict"
    assert best.value is not None
    for fact in facts:
        assert fact.value is not None
        # Half a step is what rounding changes at most; printed totals of rounded parts may be off by a whole one.
        if abs(fact.value - best.value) > step(fact, document.text) * Decimal("0.51"):
            return "conflict"
    return _figure(best, document.id)


def _figure(fact: Fact, document: DocumentId) -> Figure:
    return Figure(fact.value, fact.unit, document, fact.span)


def step(fact: Fact, text: str) -> Decimal:
    """The difference that the last printed digit makes: 100,000 for "3.2 million"."""
    assert fact.value is not None
    printed = _DIGITS.search(fact.span.of(text).replace("，", ","))
    if printed is None:
        return Decimal(0)
    digits = re.sub(r"[,   ]|\.$", "", printed[0].strip())
    try:
        number = Decimal(digits)
    except InvalidOperation:
        return Decimal(0)
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    last = Decimal(1).scaleb(exponent)
    return last * abs(fact.value) / number if number else last


# Several documents.


@dataclass(frozen=True)
class EntityFigures:
    """The figures of entities in one set of documents: for each figure, the one of the latest document counts."""

    entities: tuple[str, ...]
    """The entities that are asked about, in order of their names."""
    reports: dict[str, tuple[DocumentId, ...]]
    """The documents of each entity, the latest last."""
    figures: dict[tuple[str, Slot], Figure]
    """Figures that are certain, including those that are stated to be missing. All others are unknown."""

    def knows(self, slot: Slot) -> bool:
        """Whether the figure is certain for every entity."""
        return all((entity, slot) in self.figures for entity in self.entities)


def entity_figures(documents: Iterable[DocumentFigures], year: Year, currency: str | None) -> EntityFigures:
    """The figures of the entities that have a document about that year, all in that currency; None for any."""
    by_entity: dict[str, list[DocumentFigures]] = defaultdict(list)
    for one in documents:
        by_entity[one.entity].append(one)
    entities = sorted(
        entity
        for entity, reports in by_entity.items()
        if any(one.year == year for one in reports) and all(currency in (None, one.currency) for one in reports)
    )
    figures: dict[tuple[str, Slot], Figure] = {}
    reports: dict[str, tuple[DocumentId, ...]] = {}
    for entity in entities:
        ordered = sorted(by_entity[entity], key=lambda one: one.year or 0)
        reports[entity] = tuple(one.document for one in ordered)
        for slot in dict.fromkeys(slot for one in ordered for slot in one.figures):
            figure = _latest(ordered, slot)
            if figure is not None:
                figures[entity, slot] = figure
    return EntityFigures(tuple(entities), reports, figures)


def _latest(ordered: Sequence[DocumentFigures], slot: Slot) -> Figure | None:
    """The figure of the latest document that has it; None if that is not certain."""
    stating = [one for one in ordered if slot in one.figures]
    latest = [one.figures[slot] for one in stating if one.year == stating[-1].year]
    known = [figure for figure in latest if isinstance(figure, Figure)]
    if len(known) < len(latest) or len({(figure.value, figure.unit) for figure in known}) > 1:
        return None
    if known[0].value is None and any(
        isinstance(one.figures[slot], Figure) and _has_value(one.figures[slot]) for one in stating
    ):
        # An earlier document gives the figure and the latest one says that it is missing: readers may differ.
        return None
    return known[0]


def _has_value(figure: Figure | Conflict) -> bool:
    return isinstance(figure, Figure) and figure.value is not None
