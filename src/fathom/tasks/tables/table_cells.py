"""The numbers in the tables of a document, each with the headings that apply to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property

from fathom.records.documents import Cell, Document, Table
from fathom.records.spans import Span
from fathom.tasks.tables.entity_names import title_entity
from fathom.tasks.tables.labels import PART_OF_YEAR, HeaderLabel, normal_label, parse_heading, split_period
from fathom.tasks.tables.months import MONTH, parse_month
from fathom.tasks.tables.units import MISSING, CellNumber, Unit, parse_cell, stated_unit

NOTE_LENGTH = 160
"""The longest paragraph above a table, or line below it, that is searched for the unit of its figures."""

_NOTE = re.compile(
    r"单位[:：]|\b(?:in|amounts?|figures?|expressed|stated)\b[^.\d]{0,40}\b(?:thousands|millions|billions)\b",
    re.IGNORECASE,
)
SHORT_NOTE = 30
"""A line of this length may consist of a unit, such as "£m"."""
_MONTHS = re.compile(r"\bmonth (?:of|with|in|when|that)\b|月份\W*$", re.IGNORECASE)
"""The label of a row whose cells are months."""
_UNIT_HEADINGS = frozenset({"unit", "units", "unit of measure", "unit of measurement", "uom", "单位", "计量单位"})
"""Headings of columns that have the unit of each row."""
MAX_UNIT_LENGTH = 20
_CAPTION = re.compile(r"\W*(?:table|表)\s*\d+", re.IGNORECASE)
MAX_TITLE_LENGTH = 100
"""The longest line above a table that may be its title, if it does not end like a sentence."""
_OTHER_SCOPE = re.compile(
    r"\bind(?:ex(?:ed)?|ices)\b|= ?100\b"
    r"|\bper (?:employee|person|capita|head|customer|household|inhabitant|resident|user|visitor|member|unit)\b"
    r"|\b(?:subsidiar(?:y|ies)|discontinued|pro forma|peers?|competitors?|joint ventures?|associates|parent company)\b"
    r"|指数|人均|户均|分公司|子公司|联营|合营|参股|终止经营|同行|(?<!合并及)母公司",
    re.IGNORECASE,
)
"""Words in the title of a table whose figures are not those of the whole entity: revenue per employee, of a branch."""
_WHOLE_YEAR = re.compile(
    r"\b(?:full[- ]year|annual|years? (?:ended|to)|twelve months)\b|全年|1\W{1,2}12月", re.IGNORECASE
)


@dataclass(frozen=True)
class TableNumber:
    """A number of a table. Where both of its headings name something, it is about a part: "Tuition > First-year"."""

    labels: tuple[str, ...]
    """Possible labels of the figure; a label that was broken into two rows is joined."""
    column: str
    """The name of its column, where that names something as well; otherwise empty."""
    period: str
    """A year, part of a year, or empty."""
    value: Decimal | None
    """As printed, without the scale; None if the cell says that there is no figure."""
    span: Span
    unit: Unit | None
    """The unit that its row, its column or the cell states."""
    has_symbol: bool
    """Whether the unit is the sign of a currency in the cell alone, which says nothing about the scale."""
    table_unit: Unit | None
    """The unit of the whole table, from its caption, its corner or a note."""
    is_titled: bool
    """Whether a caption or the corner of the table says what its rows are."""
    about: str
    """The text around the table, in normal form: its caption, its title rows, headings, the text above."""


def table_numbers(document: Document) -> Iterator[TableNumber]:
    """The numbers in the tables of a document that are about the whole of its subject."""
    grids = [_Grid(document, table) for table in document.tables]
    parts = {part for grid in grids for part in grid.parts()}
    for grid in grids:
        if not grid.is_about_any(parts) and not grid.is_of_other_scope:
            yield from grid.numbers()


@dataclass
class _Row:
    cells: dict[int, Cell]
    texts: dict[int, str]
    numbers: dict[int, CellNumber]
    missing: frozenset[int]

    @property
    def label_columns(self) -> list[int]:
        """The columns before the first figure."""
        first = min([*self.numbers, *self.missing], default=len(self.texts) + 1)
        return [column for column in self.texts if column < first]

    @property
    def is_heading(self) -> bool:
        """Whether the row has headings of columns: words or years, and no figures."""
        value_columns = [column for column in self.texts if column > 0]
        return bool(value_columns) and not self.missing and all(number.year_like for number in self.numbers.values())

    @property
    def is_label(self) -> bool:
        """Whether the row has only a label: it is the title of the rows below, or the first line of a label."""
        return len(self.texts) == 1 and not self.numbers and min(self.texts) <= 1


class _Grid:
    """A table with its surroundings."""

    def __init__(self, document: Document, table: Table) -> None:
        self._document = document
        self._table = table
        self._rows = _rows(document, table)
        self._caption = table.caption.of(document.text) if table.caption else self._line_above()

    def _line_above(self) -> str:
        """The line above the table if it is a caption that the reader did not recognize."""
        line = self._document.text[max(0, self._table.span.start - NOTE_LENGTH) : self._table.span.start].rstrip()
        line = line.rpartition("\n")[2]
        return line if _CAPTION.match(line) and any(map(str.isalpha, _tail(line))) else ""

    def parts(self) -> Iterator[str]:
        """The labels of the rows that add up to a total: segments, faculties, districts."""
        rows = [row for row in self._rows if _has_label(row)]
        labels = [parse_heading(row.texts[row.label_columns[0]]) for row in rows]
        if len(rows) > 2 and (any(label.scope == "whole" for label in labels) or _is_sum(rows)):
            for label in labels[:-1] if labels[-1].scope == "named" else labels:
                if label.scope == "named" and len(label.text) > (1 if _is_chinese(label.text) else 2):
                    yield normal_label(label.text)

    def is_about_any(self, parts: set[str]) -> bool:
        """Whether the caption or a heading above names a part, as in "Figures of Long Products"."""
        caption = f" {normal_label(self._caption)} "
        if any(f" {part} " in caption for part in parts) or _names_chinese_part(self._caption, parts):
            return True
        return any(normal_label(heading) in parts for heading in self._headings())

    @property
    def is_of_other_scope(self) -> bool:
        """Whether a title of the table says that its figures are not those of the whole entity."""
        return any(map(_OTHER_SCOPE.search, self._titles))

    @cached_property
    def _titles(self) -> list[str]:
        """The caption, the corner, and other possible titles: the heading above, rows of words, a short line."""
        title = parse_heading(self._document.title_text).text
        *_, heading = ["", *(text for text in self._headings() if text != title)]
        rows = [text for row in self._rows[:3] if row.is_label for text in row.texts.values()]
        line = self._document.text[max(0, self._table.span.start - NOTE_LENGTH) : self._table.span.start].rstrip()
        line = line.rpartition("\n")[2]
        is_title = len(line) <= MAX_TITLE_LENGTH and not line.endswith((".", "。"))
        corner = self._rows[0].texts.get(0, "") if self._rows else ""
        return [self._caption, corner, heading, *rows, line if is_title and title not in line else ""]

    @cached_property
    def _is_of_part_of_year(self) -> bool:
        """Whether a title names a quarter, a half or a month, and none the whole year."""
        is_part = any(split_period(_tail(title))[1] == PART_OF_YEAR for title in self._titles)
        return is_part and not any(map(_WHOLE_YEAR.search, self._titles))

    @cached_property
    def _lists_entity(self) -> bool:
        """Whether a row is about the entity as a whole: the total of such a table is that of several entities."""
        entity = normal_label(title_entity(self._document))
        return bool(entity) and any(normal_label(text) == entity for row in self._rows for text in row.texts.values())

    def _headings(self) -> Iterator[str]:
        for section in self._document.sections:
            if section.heading is not None and section.span.contains(self._table.span):
                yield parse_heading(section.heading.of(self._document.text).lstrip("# ")).text

    def numbers(self) -> Iterator[TableNumber]:
        headings: dict[int, str] = {}
        in_headings = False
        started = False
        broken: list[str] = []
        unit = self._unit
        for number, row in enumerate(self._rows):
            is_heading = row.is_heading and (not started or not row.numbers or 0 not in row.texts)
            if is_heading and not (number and _is_body_of_words(row, headings)):
                headings = _stack_heading(headings if in_headings else {}, row)
                in_headings = True
                broken = []
                continue
            in_headings = False
            if row.is_label:
                broken.append(next(iter(row.texts.values())))
                continue
            started = True
            if row.missing or any(number.value for number in row.numbers.values()):
                # Zeros alone are often the formulas of a form that was not filled in.
                yield from self._row_numbers(row, headings, broken, unit)
            broken = []

    def _row_numbers(
        self, row: _Row, headings: dict[int, str], broken: Sequence[str], unit: Unit | None
    ) -> Iterator[TableNumber]:
        units = [column for column, text in headings.items() if normal_label(text) in _UNIT_HEADINGS]
        rows = [parse_heading(label) for label in _labels(row, broken, units)]
        if not rows:
            return
        in_column = next((unit for column in units if (unit := _unit_in_cell(row.texts.get(column, "")))), None)
        rows = [replace(row, unit=row.unit or in_column) for row in rows]
        if rows[0].scope == "whole" and self._lists_entity:
            return
        columns = {column: parse_heading(headings.get(column, "")) for column in sorted((*row.numbers, *row.missing))}
        row_is_named = rows[0].scope in ("named", "ignored")
        names = tuple(row.text for row in rows)
        for column, heading in columns.items():
            if heading.scope == "ignored":
                continue
            if heading.scope == "named" and (row_is_named or rows[0].period or self._is_titled):
                labels, part = (names, heading.text) if row_is_named else ((heading.text,), "")
                yield self._number(row, column, labels, part, rows[0], heading, unit)
            elif heading.scope != "named" and row_is_named and _is_clear(column, columns):
                yield self._number(row, column, names, "", rows[0], heading, unit)

    def _number(
        self,
        row: _Row,
        column: int,
        labels: tuple[str, ...],
        part: str,
        row_heading: HeaderLabel,
        heading: HeaderLabel,
        unit: Unit | None,
    ) -> TableNumber:
        cell, number = row.cells[column], row.numbers.get(column)
        span = cell.span if number is None else Span(cell.span.start + number.start, cell.span.start + number.end)
        labeled, printed = row_heading.unit or heading.unit, number.unit if number else None
        has_symbol = printed is not None and printed.kind == "money" and labeled is None and not printed.scale
        # A percent sign or a scale in the cell overrides the label.
        own = printed if labeled is None or (printed and printed.kind == "percent") else labeled
        if printed and printed.scale and labeled and printed.kind == "scale":
            own = replace(labeled, scale=printed.scale)
        elif printed and printed.scale:
            own = printed
        period = heading.period or row_heading.period or split_period(_tail(self._caption))[1]
        period = PART_OF_YEAR if self._is_of_part_of_year else period
        value = number.value if number else None
        return TableNumber(labels, part, period, value, span, own, has_symbol, unit, self._is_titled, self._about)

    @property
    def _is_titled(self) -> bool:
        """Whether the total of a column may be used: without a title, it is unclear what is totaled."""
        return bool(self._caption or (self._rows and self._rows[0].texts.get(0)))

    @cached_property
    def _about(self) -> str:
        start = self._table.span.start
        above = self._document.text[max(0, start - NOTE_LENGTH) : start]
        titles = [text for row in self._rows[:3] if row.is_label for text in row.texts.values()]
        corner = self._rows[0].texts.get(0, "") if self._rows else ""
        return normal_label(" ".join([*self._headings(), above, self._caption, corner, *titles]))

    @cached_property
    def _unit(self) -> Unit | None:
        """The unit of the whole table: of its caption, its corner, or a note near it."""
        unit = self._stated_unit()
        symbols = {
            number.unit.name
            for row in self._rows
            for number in row.numbers.values()
            if number.unit is not None and number.unit.kind == "money"
        }
        if unit is not None and unit.kind == "scale" and len(symbols) == 1:
            # Statements print the sign of the currency in the first row and the totals alone.
            return Unit("money", symbols.pop(), unit.scale)
        return unit

    def _stated_unit(self) -> Unit | None:
        corners = [row.texts.get(0, "") for row in self._rows[:3] if row.is_heading or row.is_label]
        for text in (self._caption, *corners):
            unit = _unit_in(text)
            if unit is not None and unit.kind in ("money", "percent", "scale"):
                return unit
        for note in self._notes():
            unit = stated_unit(note)
            if unit is not None and unit.kind in ("money", "scale"):
                return unit
        return None

    def _notes(self) -> Iterator[str]:
        text = self._document.text
        above = text[max(0, self._table.span.start - NOTE_LENGTH) : self._table.span.start].rstrip()
        below = text[self._table.span.end : self._table.span.end + NOTE_LENGTH].lstrip()
        for line in (above.rpartition("\n")[2], below.partition("\n")[0]):
            if _NOTE.search(line) or len(line) <= SHORT_NOTE:
                yield line


def _is_clear(column: int, columns: dict[int, HeaderLabel]) -> bool:
    """Whether the headings distinguish a column without a name from the others: by its period, or as their total."""
    heading = columns[column]
    other_headings = [other_heading for other_column, other_heading in columns.items() if other_column != column]
    same_headings = [
        other_heading
        for other_heading in other_headings
        if other_heading.scope == heading.scope and other_heading.period == heading.period
    ]
    year_headings = [
        other_heading
        for other_heading in other_headings
        if other_heading.scope == "plain" and other_heading.period.isdecimal()
    ]
    if heading.scope == "whole":
        # A total over several years is not a figure of any single year.
        return not same_headings and (bool(heading.period) or not year_headings)
    return not same_headings and (
        bool(heading.period) or not any(other_heading.scope == "whole" for other_heading in other_headings)
    )


def _rows(document: Document, table: Table) -> list[_Row]:
    by_row: dict[int, dict[int, Cell]] = {}
    for cell in table.cells:
        by_row.setdefault(cell.row, {})[cell.column] = cell
    rows = []
    for _, cells in sorted(by_row.items()):
        texts = {column: cell.span.of(document.text) for column, cell in sorted(cells.items())}
        texts = {column: text for column, text in texts.items() if text.strip()}
        first = min(texts, default=0)
        parse = _parse_month if _MONTHS.search(texts.get(first, "")) else parse_cell
        numbers = {column: number for column, text in texts.items() if (number := parse(text)) is not None}
        if len(texts) > 1 and first in numbers and numbers[first].year_like:
            del numbers[first]  # The year is the heading of the row.
        missing = frozenset(column for column, text in texts.items() if column and MISSING.fullmatch(text.strip()))
        rows.append(_Row(cells, texts, numbers, missing))
    return rows


def _parse_month(text: str) -> CellNumber | None:
    """The month in a cell of a row of months: elsewhere, months are headings."""
    month = parse_month(text)
    return CellNumber(month[1], month[0].start, month[0].end, Unit("other", MONTH), False) if month else None


def _is_sum(rows: Sequence[_Row]) -> bool:
    """Whether the figures of the last row are the sums of the others, in some column."""
    for column, total in rows[-1].numbers.items():
        parts = [row.numbers[column].value for row in rows[:-1] if column in row.numbers]
        if len(parts) > 2 and total.value and sum(parts) == total.value:
            return True
    return False


def _has_label(row: _Row) -> bool:
    return bool(row.label_columns and (row.numbers or row.missing)) and not row.is_heading


def _is_body_of_words(row: _Row, headings: dict[int, str]) -> bool:
    """Whether a row without figures is not a heading: its figures are lost, or are words such as "Yes"."""
    return bool(headings) and min(row.texts) > 0 and len(row.texts) < 2


def _stack_heading(above: dict[int, str], row: _Row) -> dict[int, str]:
    return {
        column: f"{above.get(column, '')} {row.texts.get(column, '')}".strip()
        for column in sorted(above.keys() | row.texts.keys())
    }


def _unit_in_cell(text: str) -> Unit | None:
    """The unit in a column of units; any short text without digits is one."""
    text = text.strip()
    is_word = 0 < len(text) <= MAX_UNIT_LENGTH and any(map(str.isalpha, text)) and not re.search(r"\d{2}", text)
    return stated_unit(text) or (Unit("other", text) if is_word else None)


def _labels(row: _Row, broken: Sequence[str], units: Sequence[int]) -> list[str]:
    """The label of a row, without columns of units; with the row above, if the label begins there."""
    words = [row.texts[column] for column in row.label_columns if column not in units]
    # A column of letters or numbers counts the rows: "A | Total number of faculty".
    labels = [text for text in words if not re.fullmatch(r"\(?[A-Za-z]{0,2}\d{0,3}[.)]?", text.strip())] or words
    if not labels:
        return []
    label = " ".join(labels)
    if broken and not label[:1].isupper() and not _is_chinese(label):
        return [f"{' '.join(broken[-2:])} {label}", f"{broken[-1]} {label}"]
    return list(dict.fromkeys([label, *labels]))


def _is_chinese(text: str) -> bool:
    return any("\u4e00" <= letter <= "\u9fff" for letter in text[:3])


def _names_chinese_part(caption: str, parts: set[str]) -> bool:
    """Chinese has no spaces between words: "供热主要数据" names the part "供热"."""
    return any(part in caption for part in parts if _is_chinese(part))


def _tail(caption: str) -> str:
    """The caption without "Table 5": that number is not a year."""
    return _CAPTION.sub("", caption)


def _unit_in(text: str) -> Unit | None:
    """The unit in a caption: in brackets, after the last comma or colon, or the whole text."""
    pieces = [
        *re.findall(r"[(（\[]([^()（）\[\]]{1,60})[)）\]]", text)[::-1],
        *re.split(r"[,，;]|单位[:：]", text)[:0:-1],
    ]
    for piece in (*pieces, text if len(text) < 40 else ""):
        unit = stated_unit(re.sub(r"^单位[:：]", "", piece.strip()))
        if unit is not None:
            return unit
    return None
