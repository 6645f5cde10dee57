"""The table of entities that questions are computed from: a row for each entity, a column for each figure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from statistics import median

from fathom.records.record import digest
from fathom.tasks.programs.database import Database
from fathom.tasks.programs.schema import ColumnSpec, Schema, SchemaTable
from fathom.tasks.tables.entity_figures import EntityFigures
from fathom.tasks.tables.figures import FigureId, StatedFigure, Year
from fathom.tasks.tables.months import MONTH, month_text
from fathom.tasks.tables.pack import Language, Pack

MIN_ENTITIES = 4
MAX_LEFT_OUT = 5
"""Entities that a question may name as left out, since a figure of theirs is unknown."""

_CURRENCY = re.compile(r"[A-Z]{3}")
_MEASURE = re.compile(r"[^\W\d_]+")
"""A unit in one word, such as MWh or 千瓦时."""

MAX_NAMED = 12
"""Documents that a question names as those that it is about."""

KEY, LABEL = "entity_id", "name"

MILLION = Decimal(1_000_000)
TEN_THOUSAND = Decimal(10_000)


@dataclass(frozen=True, eq=False)
class EntityColumn:
    """One figure of all entities."""

    figure_id: FigureId
    name: str
    unit: str
    """As questions name it: "million GBP", "%"; empty for a bare number."""
    scale: Decimal
    """The divisor of the values: a million for "million GBP"."""
    figures: dict[str, StatedFigure]
    """By entity. Entities that are not here are unknown."""
    mixed: bool = False
    """Whether the values are in several currencies: only ratios within one entity can be compared."""

    def value(self, entity: str) -> Decimal | None:
        figure = self.figures[entity]
        return None if figure.value is None else figure.value / self.scale

    def values(self) -> list[Decimal]:
        """The values that are reported."""
        values = (self.value(entity) for entity in self.figures)
        return [value for value in values if value is not None]

    @property
    def is_month(self) -> bool:
        return self.unit == MONTH

    def printed(self, entity: str) -> Decimal | str | None:
        """The value; a month as text."""
        value = self.value(entity)
        return month_text(value) if value is not None and self.is_month else value

    @cached_property
    def decimals(self) -> int:
        """The decimal places of the most precise value."""
        values = (self.value(entity) for entity in self.figures)
        return max((-exponent(value) for value in values if value is not None), default=0)


def exponent(value: Decimal) -> int:
    """The exponent of the last digit that is not zero: -2 for 1.50 is -1."""
    exponent = value.normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return exponent


@dataclass(frozen=True, eq=False)
class EntityTable:
    """The figures of the documents of one context, for one pack and one year."""

    pack: Pack
    language: Language
    year: Year
    currency: str
    """The currency that the entities report in; empty if the documents have no amounts of money."""
    is_only_currency: bool
    """Whether no document of the domain uses another currency."""
    known: EntityFigures
    of_several_periods: bool = False
    """Whether some figures are the latest of several that a document gives: a question that names no year says so."""

    @property
    def entities(self) -> tuple[str, ...]:
        return self.known.entities

    def is_like(self, other: EntityTable) -> bool:
        """Whether the other table has the same figures of other documents."""
        own_key, other_key = ((table.pack.name, table.language, table.year, table.currency) for table in (self, other))
        return own_key == other_key

    @cached_property
    def columns(self) -> dict[FigureId, EntityColumn]:
        """The figures that questions may use: of this year, and of the year before where there is one."""
        years: tuple[Year, ...] = (self.year,) if self.year is None else (self.year, self.year - 1)
        columns = (self._column(FigureId(field, year)) for field in self.pack.fields for year in years)
        return {column.figure_id: column for column in columns if column is not None}

    def _column(self, figure_id: FigureId) -> EntityColumn | None:
        figures = {
            entity: figure
            for entity in self.entities
            if (figure := self.known.figures.get((entity, figure_id))) is not None
        }
        values = [figure.value for figure in figures.values() if figure.value is not None]
        units = {figure.unit for figure in figures.values() if figure.value is not None}
        unknown = (
            0 if self.pack.about == "document" else len(set(self.entities).difference(figures, self.pack.exceptions))
        )
        too_few = len(values) < MIN_ENTITIES or unknown > MAX_LEFT_OUT
        field = self.pack.fields[figure_id.field]
        if too_few or not field.in_language(self.language):
            return None
        name = figure_id.field if figure_id.year is None else f"{figure_id.field}_{figure_id.year}"
        if field.kind == "money" and units not in ({self.currency}, {f"{self.currency}/shares"}):
            is_currency = not self.currency and all(_CURRENCY.fullmatch(unit) for unit in units)
            return EntityColumn(figure_id, name, "", Decimal(1), figures, mixed=True) if is_currency else None
        if len(units) != 1:
            return None
        scale, unit = _shown_unit(next(iter(units)), values, field.kind, self.language)
        return EntityColumn(figure_id, name, unit, scale, figures)

    def left_out(self, columns: Iterable[EntityColumn]) -> tuple[str, ...]:
        """The entities with an unknown figure; a question names them."""
        included = set() if self.pack.about == "document" else set(self._included_entities(columns))
        return tuple(entity for entity in self.entities if included and entity not in included)

    def named(self, columns: Sequence[EntityColumn]) -> tuple[str, ...]:
        """The entities that a question names as those that it is about; none if it is about all."""
        return self._included_entities(columns) if self.pack.about == "document" else ()

    def _included_entities(self, columns: Iterable[EntityColumn]) -> tuple[str, ...]:
        columns = list(columns)
        entities = [entity for entity in self.entities if all(entity in column.figures for column in columns)]
        if self.pack.about == "document" and len(entities) > MAX_NAMED:
            # Other figures lead to other articles.
            names = [column.name for column in columns]
            entities = sorted(sorted(entities, key=lambda entity: digest(entity, *names))[:MAX_NAMED])
        return tuple(entities)

    def database(self, columns: Sequence[EntityColumn]) -> Database:
        """The table with these columns, without the entities that are left out."""
        entities = self._included_entities(columns)
        return database_with(
            self.pack.name,
            entities,
            {column.name: [column.printed(entity) for entity in entities] for column in columns},
        )


def database_with(
    pack: str, entities: Sequence[str], columns: Mapping[str, Sequence[Decimal | str | None]]
) -> Database:
    """A database with one table of entities and their figures; months are text."""
    specs = [_spec(name, values) for name, values in columns.items()]
    cells = [
        [value if isinstance(value, str) else sqlite_number(value) for value in values] for values in columns.values()
    ]
    return make_database(pack, specs, zip(entities, *cells, strict=True))


def _spec(name: str, values: Sequence[Decimal | str | None]) -> ColumnSpec:
    if any(isinstance(value, str) for value in values):
        return ColumnSpec(name, "date", (name,), nullable=None in values)
    decimals = max((-exponent(value) for value in values if isinstance(value, Decimal)), default=0)
    return ColumnSpec(
        name, "decimal" if decimals > 0 else "integer", (name,), nullable=None in values, decimals=max(0, decimals)
    )


def make_database(
    pack: str, specs: Sequence[ColumnSpec], rows: Iterable[Sequence[str | int | float | None]]
) -> Database:
    """A database with one table: a number, the name of an entity, and its figures."""
    table = SchemaTable(
        pack.replace("-", "_"),
        (ColumnSpec(KEY, "integer"), ColumnSpec(LABEL, "text", ("name",)), *specs),
        key=KEY,
        label=LABEL,
    )
    return Database(Schema((table,)), {table.name: tuple((number, *row) for number, row in enumerate(rows, start=1))})


def sqlite_number(value: Decimal | None) -> int | float | None:
    """A number as SQLite stores it."""
    if value is None:
        return None
    return int(value) if value == value.to_integral() else float(value)


def _shown_unit(unit: str, values: Sequence[Decimal], kind: str, language: Language) -> tuple[Decimal, str]:
    """The scale and the unit in which a figure is asked for: large amounts in millions, in Chinese in 万."""
    if kind == "percent":
        return (Decimal("0.01"), "%") if unit == "pure" else (Decimal(1), "%")
    if kind == "count":
        return Decimal(1), ""
    if kind == "month":
        return Decimal(1), MONTH
    typical = median(map(abs, values))
    if kind != "money" and not (_MEASURE.fullmatch(unit) and typical >= 10 * MILLION):
        return Decimal(1), unit
    currency = unit.removesuffix("/shares")
    if language == "zh":
        name = "元" if currency == "CNY" else currency
        return (TEN_THOUSAND, f"万{name}") if typical >= 100 * TEN_THOUSAND else (Decimal(1), name)
    return (MILLION, f"million {currency}") if typical >= MILLION else (Decimal(1), currency)
