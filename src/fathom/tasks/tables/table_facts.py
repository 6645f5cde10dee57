"""Facts from the tables of documents that have no structured ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import get_args

from fathom.records.documents import Document, Fact
from fathom.tasks.tables.entity_names import title_entity, title_year
from fathom.tasks.tables.labels import names_a_count
from fathom.tasks.tables.months import MONTH
from fathom.tasks.tables.pack import FieldKind
from fathom.tasks.tables.table_cells import TableNumber, table_numbers
from fathom.tasks.tables.units import Unit

_DECIMAL_COMMA = re.compile(
    r"(?<![\d.])(?:\d{1,3}\.){2}\d{3}(?![\d.])|\d\.\d{3},\d|(?<![\d,.])0,\d|(?<!\d)\d{1,2},\d{1,2} ?%"
    r"|(?<![\d,.])\d{3,6},\d\d?(?![\d,])"
)
"""A number of a document that writes 1.234,5 for 1,234.5; "3,4" in a column of notes is none."""
_DECIMAL_POINT = re.compile(
    r"\d,\d{3}(?!\d)|(?<![\d.])0\.\d|\d\.(?:\d\d?|\d{4,})(?!\d)|(?<!\d)(?!(?:19|20)\d\d(?!\d))\d{4}"
)
"""A number of a document that writes 1,234.5; years say nothing."""
_EITHER = re.compile(r"(?<![\d.,])[1-9]\d{0,2}\.\d{3}(?![\d.,])")
"""A number such as 1.234, which depends on the notation."""

JOINT = " > "
"""The separator between the names of a row and a column: "Tuition > First-year"."""


_SCALED_SOMEWHERE = re.compile(
    r"\b(?:in|of) (?:U\.?S\.? )?(?:dollars? |euros? |pounds? )?(?:in )?(?:thousands|millions|billions)\b"
    r"|(?:amounts|figures|dollars|tables?) (?:are )?(?:presented |shown |expressed |stated )?"
    r"in (?:thousands|millions|billions)",
    re.IGNORECASE,
)
"""A statement about the scale of some or all tables, which may apply to a table that does not repeat it."""


_QUOTIENT = re.compile(r"\bper (?!(?:share|annum|year|month|cent)\b)|(?<!\d)/ ?m[²2³3]|人均|每(?!股|年)", re.IGNORECASE)
"""Words of quotients, which are not in millions even in a table of amounts in millions."""


class TableFacts:
    """The facts that the tables of a document state of its entity."""

    def __init__(self, document: Document) -> None:
        self.entity = title_entity(document)
        self.year = title_year(document)
        is_read = self.entity and document.tables and not _may_have_decimal_commas(document)
        self.numbers = tuple(table_numbers(document)) if is_read else ()
        self._dollar = dollar_of(document.text)
        self._has_hidden_scale = bool(_SCALED_SOMEWHERE.search(document.text))

    def fact(self, number: TableNumber, label: str, kind: FieldKind) -> Fact | None:
        """The number as a fact about a field of that kind; None if its unit is that of another kind."""
        unit = _unit(number, kind, self._dollar)
        if kind == "month" and not number.period and number.value is not None and number.value // 100 != self.year:
            return None  # A month of another year, in a column whose heading was lost.
        if unit is None or (self._has_hidden_scale and kind in ("money", "count") and _lacks_scale(number, unit)):
            return None
        return Fact(
            entity=self.entity,
            attribute=label,
            period=number.period or (str(self.year) if self.year else ""),
            value=None if number.value is None else _scale_up(number.value, unit.scale),
            unit=unit.name,
            span=number.span,
            status="missing" if number.value is None else "reported",
        )

    def all(self) -> Iterator[Fact]:
        """Every fact that some pack may read: a number with each of its labels, as each kind of figure."""
        for number in self.numbers:
            for label in full_labels(number):
                facts = (self.fact(number, label, kind) for kind in get_args(FieldKind))
                yield from dict.fromkeys(fact for fact in facts if fact is not None)


def _may_have_decimal_commas(document: Document) -> bool:
    """Whether 1.234 in a table of the document may mean 1,234."""
    cells = [cell.span.of(document.text) for table in document.tables for cell in table.cells]
    if any(map(_DECIMAL_COMMA.search, cells)):
        return True
    return any(map(_EITHER.search, cells)) and not any(map(_DECIMAL_POINT.search, cells))


def full_labels(number: TableNumber) -> tuple[str, ...]:
    """The labels of a number, with the name of its column where that names a part."""
    return tuple(f"{label}{JOINT}{number.column}" if number.column else label for label in number.labels)


def _scale_up(value: Decimal, scale: int) -> Decimal:
    return Decimal(format(value.scaleb(scale), "f"))


def _unit(number: TableNumber, kind: FieldKind, dollar: str) -> Unit | None:
    """The unit of a number as a figure of that kind; None if it is no such figure."""
    own, table = number.unit, number.table_unit
    is_month = own is not None and own.name == MONTH
    if kind == "month" or is_month:
        return own if kind == "month" and is_month else None
    if kind == "money":
        return _money(number, dollar)
    if kind == "percent":
        unit = own or table
        return Unit("percent", "%") if unit is not None and unit.kind == "percent" else None
    scale = table.scale if own is None and table is not None and table.kind == "scale" else 0
    if own is None:
        unit = Unit("count", "", scale) if table is None or table.kind != "percent" else None
    else:
        unit = Unit(own.kind, own.name, own.scale) if own.kind not in ("money", "percent") else None
    if unit is not None and kind == "count":
        # "1.044" may be a thousand in documents with decimal commas.
        is_whole = number.value is None or not number.value % 1
        return unit if unit.kind != "other" and (is_whole or unit.scale) else None
    return unit


def _lacks_scale(number: TableNumber, unit: Unit) -> bool:
    """Whether nothing near the number states its scale, which may then be stated elsewhere in the document."""
    has_stated_unit = number.unit is not None and not number.has_symbol
    return not has_stated_unit and number.table_unit is None and not unit.scale and not _is_per_unit(number)


def _money(number: TableNumber, dollar: str) -> Unit | None:
    own, table = number.unit, number.table_unit
    unit = own if own and own.kind == "money" else table if own is None or own.kind == "scale" else None
    if unit is None or unit.kind != "money" or (own is None and any(map(_is_other_unit, number.labels))):
        return None
    scale = unit.scale
    if number.has_symbol and table is not None and table.kind in ("money", "scale"):
        scale = table.scale
    elif own is not None and own.kind == "scale":
        scale = own.scale
    if _is_per_unit(number) and (own is None or number.has_symbol):
        scale = 0
    name = dollar if unit.name == "$" else unit.name
    return Unit("money", name, scale) if name else None


def _is_other_unit(label: str) -> bool:
    """Whether a label names something other than an amount in the unit of its table: a count or a quotient."""
    return names_a_count(label) or _QUOTIENT.search(label) is not None


def _is_per_unit(number: TableNumber) -> bool:
    """Amounts per share are not in millions, even if the caption says so."""
    return any("per share" in label.lower() or "每股" in label for label in number.labels)


def dollar_of(text: str) -> str:
    """The currency of "$" in a document: US dollars, unless the document names other dollars."""
    other_dollars = (
        "Canadian dollar",
        "Australian dollar",
        "Hong Kong dollar",
        "Singapore dollar",
        "New Zealand dollar",
    )
    codes = ("C$", "A$", "HK$", "S$", "NZ$", "CAD", "AUD", "HKD", "SGD", "NZD", "CA$", "AU$")
    return "" if any(name in text for name in (*other_dollars, *codes)) else "USD"
