"""The views of contexts: documents, and the figures that they state as tables to read or to query."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache
from typing import Any

from pydantic import JsonValue

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId
from fathom.records.errors import FathomError
from fathom.records.spans import Span
from fathom.systems.protocol import TableAccess, Views
from fathom.tasks.tables.build import figure_reader
from fathom.tasks.tables.figures import DocumentFigures, FigureId, StatedFigure
from fathom.tasks.tables.months import MONTH, month_value
from fathom.tasks.tables.pack import Language, Pack
from fathom.tasks.tables.period_table import CURRENCY_COLUMN, NAME, YEAR, PeriodTable
from fathom.tasks.tables.settings import recorded_packs
from fathom.tasks.text_views import text_views

CACHED = 8
"""Contexts whose tables are cached: those in flight, and a few more."""
TABLE, DOCUMENT, REPORT = "table", "document", "report"
"""Keys of extracted rows: the table, the number of the document, and the year that the document is about."""


def views(corpus: Corpus, report: Mapping[str, JsonValue]) -> Views:
    """The views of the contexts of one corpus; `report` has the packs with which the bench was built."""
    texts = text_views(corpus, __package__ or "")

    @cache
    def languages() -> dict[DocumentId, str]:
        return {entry.id: entry.language for entry in corpus.entries()}

    @cache
    def reader() -> _FigureTables:
        return _FigureTables(corpus, recorded_packs(report))

    def as_text(context: Context) -> bytes:
        return "".join(table.as_text() for table in reader().tables(context.documents)).encode()

    def parse(context: Context, extractions: Sequence[str]) -> sqlite3.Connection:
        return _open_tables(extracted_tables(reader().packs_in(context.documents), extractions))

    return replace(
        texts,
        forms={**texts.forms, "tables": as_text},
        tables=TableAccess(
            database=lambda context: _open_tables(reader().tables(context.documents)),
            parse=parse,
            schema=lambda context: "\n\n".join(table.definition for table in reader().tables(context.documents)),
        ),
        language=lambda context: Counter(languages()[id] for id in context.documents).most_common(1)[0][0],
    )


def _open_tables(tables: Sequence[PeriodTable]) -> sqlite3.Connection:
    database = sqlite3.connect(":memory:", check_same_thread=False)
    for table in tables:
        table.load(database)
    return database


class _FigureTables:
    """The tables of contexts; those of the last ones stay in memory."""

    def __init__(self, corpus: Corpus, packs: Sequence[Pack]) -> None:
        if not packs:
            raise FathomError("The bench does not record which packs it was built with. Build it again.")
        self._packs = packs
        self._read = figure_reader(corpus, packs)
        self._documents = lru_cache(maxsize=CACHED)(self._read_documents)
        self.tables = lru_cache(maxsize=CACHED)(self._make_tables)

    def _read_documents(self, documents: tuple[DocumentId, ...]) -> dict[str, list[DocumentFigures]]:
        """The figures of the documents by pack."""
        readings = {pack.name: [self._read(id, pack.name) for id in documents] for pack in self._packs}
        return {name: [figure for figure in figures if figure is not None] for name, figures in readings.items()}

    def packs_in(self, documents: tuple[DocumentId, ...]) -> list[tuple[Pack, Language]]:
        """The packs that fit some of the documents, with the language of those."""
        read = self._documents(documents)
        return [(pack, _language(pack, read[pack.name])) for pack in self._packs if read[pack.name]]

    def _make_tables(self, documents: tuple[DocumentId, ...]) -> list[PeriodTable]:
        read = self._documents(documents)
        return [PeriodTable(pack, language, read[pack.name]) for pack, language in self.packs_in(documents)]


def _language(pack: Pack, documents: Sequence[DocumentFigures]) -> Language:
    most = Counter(document.language for document in documents).most_common(1)[0][0]
    return next((language for language in pack.languages if language == most), pack.languages[0])


# Tables from a model's extractions, chunk by chunk.


def extracted_tables(packs: Sequence[tuple[Pack, Language]], extractions: Sequence[str]) -> list[PeriodTable]:
    """The tables of these packs with the rows of the extractions: JSON objects, one per line. Other text is ignored."""
    by_document: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
    names = [pack.name.replace("-", "_") for pack, _ in packs]
    for row in _objects(extractions):
        table, number = row.get(TABLE, names[0] if len(names) == 1 else ""), _whole_number(row.get(DOCUMENT))
        if table in names and number is not None:
            by_document[str(table), number].append(row)
    return [
        PeriodTable(
            pack,
            language,
            [
                figures
                for (table, number), rows in sorted(by_document.items())
                if table == name and (figures := _document_figures(pack, language, str(number), rows)) is not None
            ],
        )
        for name, (pack, language) in zip(names, packs, strict=True)
    ]


def _objects(extractions: Sequence[str]) -> Iterator[dict[str, Any]]:
    for line in "\n".join(extractions).splitlines():
        try:
            row = json.loads(line.strip().rstrip(","))
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row


def _document_figures(
    pack: Pack, language: Language, document: DocumentId, rows: Sequence[dict[str, Any]]
) -> DocumentFigures | None:
    """The figures of one document, from all of its chunks; None if none of them names its entity or its period."""
    entity = next((row[NAME].strip() for row in rows if isinstance(row.get(NAME), str) and row[NAME].strip()), "")
    years = [year for row in rows if (year := _whole_number(row.get(YEAR))) is not None]
    reported = [year for row in rows if (year := _whole_number(row.get(REPORT))) is not None]
    own_year = Counter(reported).most_common(1)[0][0] if reported else max(years, default=None)
    if not entity or (pack.has_periods and own_year is None):
        return None
    figures: dict[FigureId, StatedFigure] = {}
    for row in rows:
        year = _whole_number(row.get(YEAR)) or own_year if pack.has_periods else None
        for field, spec in pack.fields.items():
            cell = row.get(field)
            value = month_value(str(cell).strip()) if spec.kind == "month" else _number(cell)
            if value is None:
                continue
            unit = str(row.get(CURRENCY_COLUMN) or "").strip() if spec.kind == "money" else ""
            unit = MONTH if spec.kind == "month" else unit
            earlier = figures.get(FigureId(field, year))
            # Of two statements the more precise one counts, as in the tables of the corpus.
            if earlier is None or _digits(value) > _digits(earlier.value):
                figures[FigureId(field, year)] = StatedFigure(value, unit, document, Span(0, 0))
    currencies = {figure.unit for figure in figures.values() if figure.unit and figure.unit != MONTH}
    currency = currencies.pop() if len(currencies) == 1 else ""
    return DocumentFigures(document, entity, language, own_year if pack.has_periods else None, currency, {**figures})


def _whole_number(value: object) -> int | None:
    """A whole number, perhaps in quotes."""
    text = str(value).strip() if isinstance(value, int | str) and not isinstance(value, bool) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = Decimal(str(value).replace(",", "").strip().removesuffix("%"))
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number.adjusted()) < 30 else None


def _digits(value: Decimal | None) -> int:
    return 0 if value is None else len(value.normalize().as_tuple().digits)
