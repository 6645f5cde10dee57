"""The figures of a context as a table to query: a row for each entity and period, a column for each field."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from fathom.tasks.programs.evaluate import TableValue
from fathom.tasks.tables.entity_figures import latest_figure
from fathom.tasks.tables.entity_table import sqlite_number
from fathom.tasks.tables.figures import CURRENCY, DocumentFigures, StatedFigure, Year
from fathom.tasks.tables.months import month_text
from fathom.tasks.tables.pack import Language, Nouns, Pack

NAME, YEAR, OWN_REPORT, CURRENCY_COLUMN = "name", "year", "own_report", "currency"
UNIT = "_unit"
"""The end of the name of a column with the units of a field, where they differ."""


# What the columns of a table mean.
_NAME = Nouns(en=("name of the {noun}",), zh=("{noun}名称",))
_TITLE = Nouns(en=("title of the {noun}",), zh=("{noun}标题",))
_OWN_REPORT = Nouns(
    en=("1 if the report of the {noun} for this {period} is among the documents, otherwise 0",),
    zh=("所给文档中收录了该{noun}该{period}的报告时为1，否则为0",),
)
_CURRENCY = Nouns(en=("currency of the amounts of money in this row, such as USD",), zh=("该行金额的货币，如CNY",))
_PER_SHARE = Nouns(en=(", per share",), zh=("，每股金额",))
_MONEY = Nouns(en=(", in units of the currency",), zh=("，单位为该货币的基本单位（如元）",))
_PERCENT = Nouns(en=(", in percent: 12.5 for 12.5%",), zh=("，以百分数表示：12.5即12.5%",))
_MONTH = Nouns(en=(", as YYYY-MM",), zh=("，格式为YYYY-MM",))
_UNIT = Nouns(en=("unit of the {noun}",), zh=("{noun}的单位",))
_IN_UNIT = Nouns(en=(", in {unit}",), zh=("，单位为{unit}",))


@dataclass(frozen=True)
class PeriodColumn:
    """One column and what its cells mean."""

    name: str
    type: str
    description: str


@dataclass(frozen=True)
class _Row:
    entity: str
    year: Year
    is_own: bool
    currency: str
    figures: dict[str, StatedFigure]
    """By field. Figures that are unknown or stated to be missing are not here."""


class PeriodTable:
    """The figures that documents state of the entities of one pack. Unknown values are NULL."""

    def __init__(self, pack: Pack, language: Language, documents: Sequence[DocumentFigures]) -> None:
        self._pack = pack
        self._language = language
        self._rows = list(_rows(documents))
        self.name = pack.name.replace("-", "_")

    @cached_property
    def columns(self) -> list[PeriodColumn]:
        """The name, the period and the currency where there are some, and the fields."""
        pack, language = self._pack, self._language
        noun = pack.entity(language).noun
        columns = [
            PeriodColumn(
                NAME, "TEXT", (_TITLE if pack.about == "document" else _NAME).in_language(language).format(noun=noun)
            )
        ]
        if pack.has_periods:
            period = pack.period.in_language(language)
            columns += [
                PeriodColumn(
                    YEAR,
                    "INTEGER",
                    f"{period}: 2023 = {pack.period.named(2023, language)}" if pack.period.two_years else period,
                ),
                PeriodColumn(OWN_REPORT, "INTEGER", _OWN_REPORT.in_language(language).format(noun=noun, period=period)),
            ]
        if any(field.kind == "money" for field in pack.fields.values()):
            columns.append(PeriodColumn(CURRENCY_COLUMN, "TEXT", _CURRENCY.in_language(language)))
        for name in pack.fields:
            columns += self._field_columns(name)
        return columns

    def _field_columns(self, name: str) -> Iterator[PeriodColumn]:
        field, language = self._pack.fields[name], self._language
        units = self._units(name)
        noun = field.in_language(language) or name
        if field.kind == "money":
            per_share = _PER_SHARE.in_language(language) if any(unit.endswith("/shares") for unit in units) else ""
            yield PeriodColumn(name, "REAL", f"{noun}{per_share}{_MONEY.in_language(language)}")
        elif field.kind == "percent":
            yield PeriodColumn(name, "REAL", f"{noun}{_PERCENT.in_language(language)}")
        elif field.kind == "month":
            yield PeriodColumn(name, "TEXT", f"{noun}{_MONTH.in_language(language)}")
        elif len(units) > 1:
            yield PeriodColumn(name, "REAL", noun)
            yield PeriodColumn(f"{name}{UNIT}", "TEXT", _UNIT.in_language(language).format(noun=noun))
        else:
            unit = "" if field.kind == "count" else next(iter(units), "")
            yield PeriodColumn(
                name, "REAL", f"{noun}{_IN_UNIT.in_language(language).format(unit=unit)}" if unit else noun
            )

    def _units(self, name: str) -> list[str]:
        return sorted({row.figures[name].unit for row in self._rows if name in row.figures})

    @property
    def definition(self) -> str:
        """The statement that creates the table, with a comment on every column."""
        last = len(self.columns) - 1
        lines = [
            f"  {column.name} {column.type}{'' if index == last else ','} -- {column.description}"
            for index, column in enumerate(self.columns)
        ]
        return "\n".join([f"CREATE TABLE {self.name} (", *lines, ");"])

    def rows(self) -> Iterator[tuple[TableValue, ...]]:
        """A row for each entity and period, in the order of names and years."""
        for row in self._rows:
            yield tuple(self._cell(row, column.name) for column in self.columns)

    def _cell(self, row: _Row, column: str) -> TableValue:
        match column:
            case "name":
                return row.entity
            case "year":
                return row.year
            case "own_report":
                return int(row.is_own)
            case "currency":
                return row.currency or None
        if column not in self._pack.fields:
            figure = row.figures.get(column.removesuffix(UNIT))
            return figure.unit if figure else None
        figure = row.figures.get(column)
        if figure is None or figure.value is None:
            return None
        if self._pack.fields[column].kind == "month":
            return month_text(figure.value)
        is_fraction = self._pack.fields[column].kind == "percent" and figure.unit == "pure"
        return sqlite_number(figure.value * 100 if is_fraction else figure.value)

    def load(self, database: sqlite3.Connection) -> None:
        """Create the table and insert its rows."""
        database.execute(self.definition)
        marks = ", ".join("?" * len(self.columns))
        database.executemany(f"INSERT INTO {self.name} VALUES ({marks})", self.rows())

    def as_text(self) -> str:
        """The definition and the rows as comma-separated values."""
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow([column.name for column in self.columns])
        writer.writerows([_format_value(value) for value in row] for row in self.rows())
        return f"{self.definition}\n\n{lines.getvalue()}\n"


def _format_value(value: TableValue) -> str:
    if value is None:
        return "NULL"
    # Not 1e+16, and no error of a binary fraction.
    return f"{Decimal(repr(value)):f}" if isinstance(value, float) else str(value)


def _rows(documents: Sequence[DocumentFigures]) -> Iterator[_Row]:
    by_entity: dict[str, list[DocumentFigures]] = defaultdict(list)
    for figures in documents:
        by_entity[figures.entity].append(figures)
    for entity, reports in sorted(by_entity.items()):
        ordered = sorted(reports, key=lambda figures: figures.year or 0)
        years = {figures.year for figures in ordered} | {
            figure_id.year for figures in ordered for figure_id in figures.figures
        }
        for year in sorted(years, key=lambda year: year or 0):
            yield _row(entity, ordered, year)


def _row(entity: str, ordered: Sequence[DocumentFigures], year: Year) -> _Row:
    figure_ids = dict.fromkeys(
        figure_id for figures in ordered for figure_id in figures.figures if figure_id.year == year
    )
    latest_figures = {
        figure_id.field: figure for figure_id in figure_ids if (figure := latest_figure(ordered, figure_id)) is not None
    }
    figures = {field: figure for field, figure in latest_figures.items() if figure.value is not None}
    own_reports = [figures for figures in ordered if figures.year == year]
    currencies = {match[0] for figure in figures.values() if (match := CURRENCY.match(figure.unit))}
    currency_names = currencies or {figures.currency for figures in own_reports}
    return _Row(entity, year, bool(own_reports), currency_names.pop() if len(currency_names) == 1 else "", figures)
