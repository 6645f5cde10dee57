"""The figures that documents state of their entities, by field and period, each with the characters that print it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Literal, NamedTuple

from fathom.records.documents import Document, DocumentId, Fact, FactSheet
from fathom.records.spans import Span
from fathom.tasks.tables.labels import PART_OF_YEAR, normal_label
from fathom.tasks.tables.months import MONTH
from fathom.tasks.tables.pack import FieldKind, Pack
from fathom.tasks.tables.phrases import phrase_facts
from fathom.tasks.tables.table_cells import TableNumber
from fathom.tasks.tables.table_facts import TableFacts, full_labels

Year = int | None
"""The year of a period; None where figures have no period."""

MIN_YEAR_DAYS, MAX_YEAR_DAYS = 350, 380
"""Days of a fiscal year: retailers close theirs on a weekday, so it has 52 or 53 weeks."""
SAME_DAY = 10
"""Days by which the ends of two fiscal years may differ from whole years."""

_YEAR = re.compile(r"\d{4}")
_DATES = re.compile(r"(?:(\d{4}-\d\d-\d\d)/)?(\d{4}-\d\d-\d\d)")
_TAG = re.compile(r"[\w-]+:\w+")
CURRENCY = re.compile(r"[A-Z]{3}(?=/|$)")
PERCENT_UNITS = ("%", "pure")
"""The units of percentages; filings tag them as fractions, whose unit is `pure`."""
_DIGITS = re.compile(r"\d[\d,.'’\u0020\u00a0\u2009\u202f]*")
_BETWEEN_DIGITS = re.compile(r"[,'’\u0020\u00a0\u2009\u202f]|\.$")


FigureSource = Literal["structure", "table", "text", "vote"]
"""Where a figure comes from: tagged or planted facts, a table, an article's tables and sentences, or extractors that
agree."""

MIN_FIELDS = 2
"""A document whose tables state this many fields of a pack is of its domain."""
RESEARCH_REFERENCES = 8
"""A document with this many references is a research article, not a report of its subject."""


@dataclass(frozen=True, slots=True)
class StatedFigure:
    """One figure as a document states it."""

    value: Decimal | None
    """In plain units; None if the document states that it is missing."""
    unit: str
    document: DocumentId
    span: Span
    source: FigureSource = "structure"


Conflict = Literal["conflict"]
"""The document states different values, and none of them is a rounded form of another."""


class FigureId(NamedTuple):
    """Identifies a figure of an entity: its field and its year."""

    field: str
    year: Year


_shared_id = lru_cache(maxsize=10_000)(FigureId)
"""The id of a figure: one object for all documents, since a corpus may state a million figures."""


@dataclass(frozen=True)
class DocumentFigures:
    """The figures of one document."""

    document: DocumentId
    entity: str
    language: str
    year: Year
    """The period that the document is about; None if its figures have no period."""
    currency: str
    """The currency of its amounts of money; empty if it has none, or several."""
    figures: dict[FigureId, StatedFigure | Conflict]
    of_several_periods: bool = False
    """Whether a figure without a period is the latest of several that the document gives."""


def document_figures(
    document: Document | FactSheet, pack: Pack, votes: Iterable[Fact] = (), tables: TableFacts | None = None
) -> DocumentFigures | None:
    """The figures of the pack's fields in a document; None if it is of another domain, or about several entities.

    A document with structured facts is read by them. Otherwise its tables are read. `votes` are facts on which
    extractors agree; their attributes are names of fields. A filing that tags none of the fields still belongs to the
    domain, but all of its figures are unknown. `tables` saves time where several packs read a document.
    """
    figures = _read_figures(document, pack, votes, tables)
    return replace(figures, figures={}) if figures is not None and figures.entity in pack.exceptions else figures


def _read_figures(
    document: Document | FactSheet, pack: Pack, votes: Iterable[Fact], tables: TableFacts | None
) -> DocumentFigures | None:
    if pack.about == "document":
        return _from_article(document, pack, votes, tables) if isinstance(document, Document) else None
    if document.facts:
        return _from_structure(document, pack, votes)
    assert isinstance(document, Document), "the tables of a document are not in its fact sheet"
    return _from_tables(document, pack, votes, tables or TableFacts(document))


def without_figures(
    document: Document | FactSheet, pack: Pack, tables: TableFacts | None = None
) -> DocumentFigures | None:
    """A document whose figures are all unknown, since extractors did not agree on one of them."""
    figures = document_figures(document, pack, (), tables)
    return None if figures is None else replace(figures, figures={})


_Stated = dict[FigureId, dict[int, list[Fact]]]
"""The statements of each figure, by the rank of their attributes: the lowest rank counts."""


def _from_structure(document: Document | FactSheet, pack: Pack, votes: Iterable[Fact]) -> DocumentFigures | None:
    facts_of_whole = [fact for fact in document.facts if not fact.part]
    names = {fact.attribute for fact in facts_of_whole}
    fields = {name: field for name in names if (field := pack.field_of_attribute(name))}
    tags = {name for name in names if _TAG.fullmatch(name)} if pack.reads_filings else set()
    if not fields and not tags:
        return None
    statements: _Stated = defaultdict(lambda: defaultdict(list))
    years = _Years(document, facts_of_whole) if pack.has_periods else None
    used_facts = []
    for fact in facts_of_whole:
        field = fields.get(fact.attribute)
        year = years.year_of(fact.period) if field and years else None
        if field and year != "other" and _has_its_unit(fact, pack.fields[field[0]].kind):
            statements[_shared_id(field[0], year)][field[1]].append(fact)
            used_facts.append(fact)
    entities = {fact.entity for fact in used_facts or facts_of_whole if used_facts or fact.attribute in tags}
    if len(entities) != 1:
        return None
    return _collect(document, next(iter(entities)), years.own if years else None, statements, votes, "structure")


def _has_its_unit(fact: Fact, kind: FieldKind) -> bool:
    """Whether a fact may be a figure of that kind: 0.17 without a unit may be 17% or 0.17%."""
    return kind != "percent" or fact.value is None or fact.unit in PERCENT_UNITS


def _from_tables(document: Document, pack: Pack, votes: Iterable[Fact], tables: TableFacts) -> DocumentFigures | None:
    statements: _Stated = defaultdict(lambda: defaultdict(list))
    unclear = _unclear_fields(document, pack)
    for number in tables.numbers:
        fact, field = _table_fact(tables, number, pack)
        year = _year_of(fact, pack) if fact is not None and field not in unclear else "other"
        if fact is not None and year != "other":
            statements[FigureId(field, year)][0].append(fact)
    votes = list(votes)
    fields = {figure_id.field for figure_id in statements} | {fact.attribute for fact in votes}
    if len(document.references) >= RESEARCH_REFERENCES:
        return None  # A study of companies is not the report of one.
    if not tables.entity or not (len(fields) >= MIN_FIELDS or _is_mentioned(document, pack)):
        return None
    return _collect(document, tables.entity, tables.year if pack.has_periods else None, statements, votes, "table")


def _from_article(
    document: Document, pack: Pack, votes: Iterable[Fact], tables: TableFacts | None
) -> DocumentFigures | None:
    """The figures of an article about itself, from its tables and its sentences."""
    if document.kind != "article":
        return None
    tables = tables or TableFacts(document)
    statements: _Stated = defaultdict(lambda: defaultdict(list))
    for fact in own_results(document):
        name = pack.field_of_result.get((fact.attribute, fact.part))
        if name is not None:
            changes = {"entity": document.title_text, "attribute": name, "part": ""}
            statements[FigureId(name, None)][0].append(fact.model_copy(update=changes))
    for number in tables.numbers:
        table_fact, field = _table_fact(tables, number, pack)
        if table_fact is not None and table_fact.period != PART_OF_YEAR:
            statements[FigureId(field, None)][0].append(table_fact.model_copy(update={"period": ""}))
    for fact in phrase_facts(document, pack):
        statements[FigureId(fact.attribute, None)][0].append(fact)
    votes = list(votes)
    if not statements and not votes:
        return None
    return _collect(document, document.title_text, None, statements, votes, "text")


def own_results(document: Document) -> list[Fact]:
    """The results of an article's own method: the one that is measured wherever any method is; empty if unclear."""
    measured: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for fact in document.facts:
        if fact.part and fact.value is not None:
            measured[fact.entity].add((fact.attribute, fact.part))
    everywhere = set().union(*measured.values())
    candidates = [entity for entity, results in measured.items() if results == everywhere]
    return [fact for fact in document.facts if fact.part and [fact.entity] == candidates]


def _table_fact(tables: TableFacts, number: TableNumber, pack: Pack) -> tuple[Fact | None, str]:
    for label in full_labels(number):
        field = pack.field_with_label(label)
        if field is not None and not _is_excluded(number, pack.fields[field].not_about):
            if pack.fields[field].positive and number.value is not None and number.value < 0:
                return None, ""
            return tables.fact(number, label, pack.fields[field].kind), field
    return None, ""


def _is_excluded(number: TableNumber, words: Iterable[str]) -> bool:
    """Whether the words around the table say that it is about something else."""
    return any(f" {normal_label(word)} " in f" {number.about} " for word in words)


def _year_of(fact: Fact, pack: Pack) -> Year | Literal["other"]:
    """The year of a fact from a table."""
    if fact.period == PART_OF_YEAR or (pack.has_periods and not fact.period):
        return "other"
    return int(fact.period) if pack.has_periods else None


def _unclear_fields(document: Document, pack: Pack) -> set[str]:
    """The fields whose figures may or may not include something else that the document is about."""
    unclear = {name: field.unclear_beside for name, field in pack.fields.items() if field.unclear_beside}
    text = normal_label(document.text) if unclear else ""
    return {name for name, words in unclear.items() if any(normal_label(word) in text for word in words)}


def _is_mentioned(document: Document, pack: Pack) -> bool:
    """Whether the text names enough of the fields to belong to the domain, even if no figure was read."""
    return len(mentioned_fields(document, pack)) >= max(3, len(pack.fields) / 2)


def mentioned_fields(document: Document, pack: Pack) -> set[str]:
    """The fields that the text names anywhere."""
    text = f" {normal_label(document.text)} "
    return {
        field
        for label, field in pack.field_of_label.items()
        if (label in text if label[0] > "\u4e00" else f" {label} " in text)
    }


def _collect(
    document: Document | FactSheet,
    entity: str,
    year: Year,
    statements: _Stated,
    votes: Iterable[Fact],
    source: FigureSource,
) -> DocumentFigures:
    """The figures on which the statements agree. Votes count where the structure states nothing, and beside tables."""
    voted: set[FigureId] = set()
    for fact in votes:
        figure_id = FigureId(fact.attribute, int(fact.period) if fact.period else None)
        if source == "structure" and figure_id in statements:
            continue
        if figure_id not in statements:
            voted.add(figure_id)
        statements[figure_id][0].append(fact)
    facts = [fact for ranked in statements.values() for facts_of_rank in ranked.values() for fact in facts_of_rank]
    return DocumentFigures(
        document=document.id,
        entity=entity,
        language=document.language,
        year=year,
        currency=_currency(facts),
        figures={
            figure_id: _agree_on_figure(
                _of_latest_period(ranked[min(ranked)]), document, "vote" if figure_id in voted else source
            )
            for figure_id, ranked in sorted(statements.items(), key=_figure_order)
        },
        of_several_periods=any(
            figure_id.year is None and len({fact.period for fact in ranked[min(ranked)]}) > 1
            for figure_id, ranked in statements.items()
        ),
    )


def _currency(facts: Iterable[Fact]) -> str:
    units = {match[0] for fact in facts if (match := CURRENCY.match(fact.unit))}
    return units.pop() if len(units) == 1 else ""


def _of_latest_period(facts: Sequence[Fact]) -> list[Fact]:
    """Facts of one year have one period; where years do not matter, the latest figure counts."""
    latest = max(fact.period for fact in facts)
    return [fact for fact in facts if fact.period == latest]


def _figure_order(item: tuple[FigureId, object]) -> tuple[str, int]:
    return item[0].field, item[0].year or 0


class _Years:
    """The years of a document's periods. A fiscal year has the number that the document gives to its own."""

    def __init__(self, document: Document | FactSheet, facts: Sequence[Fact]) -> None:
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
        if self._end is not None and self.own is not None and abs(self._end.year - self.own) > 1:
            # A filing for 2018 that tags the days of its earlier accounts: none of its figures are those of 2018.
            self._end = None

    def year_of(self, period: str) -> Year | Literal["other"]:
        """The year of a period: "other" for a quarter, or for a day that ends no fiscal year."""
        if not period:
            return None if self.own is None else "other"
        if _YEAR.fullmatch(period):
            return int(period)
        end = _end_of_year(period, instant=True)
        if end is None or self._end is None or self.own is None:
            return "other"
        back = round((self._end - end).days / 365.25)
        is_end_of_year = abs((self._end - end).days - back * 365.25) <= SAME_DAY
        return self.own - back if is_end_of_year else "other"


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
    return end if start is None or MIN_YEAR_DAYS <= (end - start).days <= MAX_YEAR_DAYS else None


# Several statements of one figure.


def _agree_on_figure(
    facts: Sequence[Fact], document: Document | FactSheet, source: FigureSource
) -> StatedFigure | Conflict:
    """The most precise of the statements, if the others are the same or rounded."""
    missing = [fact for fact in facts if fact.value is None]
    if missing:
        return _figure(missing[0], document.id, source) if len(missing) == len(facts) else "conflict"
    if len(facts) == 1:
        return _figure(facts[0], document.id, source)
    if len({fact.unit for fact in facts}) > 1:
        return "conflict"
    steps = [step(fact, document.text) for fact in facts]
    first = min(range(len(facts)), key=lambda n: (steps[n], facts[n].place != "table", facts[n].span.start))
    best = facts[first]
    assert best.value is not None
    for fact, own_step in zip(facts, steps, strict=True):
        assert fact.value is not None
        # Half a step is what rounding changes at most; printed totals of rounded parts may be off by a whole one.
        if abs(fact.value - best.value) > own_step * Decimal("0.51"):
            return "conflict"
    return _figure(best, document.id, source)


def _figure(fact: Fact, document: DocumentId, source: FigureSource) -> StatedFigure:
    return StatedFigure(fact.value, fact.unit, document, fact.span, source)


def step(fact: Fact, text: str) -> Decimal:
    """The difference that the last printed digit makes: 100,000 for "3.2 million"."""
    assert fact.value is not None
    if fact.unit == MONTH:
        return Decimal(0)
    printed = _DIGITS.search(fact.span.of(text).replace("，", ","))
    if printed is None:
        return Decimal(0)
    digits = _BETWEEN_DIGITS.sub("", printed[0].strip())
    try:
        number = Decimal(digits)
    except InvalidOperation:
        return Decimal(0)
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    last = Decimal(1).scaleb(exponent)
    return last * abs(fact.value) / number if number else last
