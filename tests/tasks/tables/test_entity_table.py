"""The table of a question: the types of its columns, units of large sums, and constants."""

from __future__ import annotations

from decimal import Decimal

import pytest

from fathom.records.spans import Span
from fathom.tasks.tables.entity_figures import EntityFigures
from fathom.tasks.tables.entity_table import EntityTable
from fathom.tasks.tables.figures import FigureId, StatedFigure
from fathom.tasks.tables.pack import Language, read_pack
from fathom.tasks.tables.quantities import field, in_readable_unit
from fathom.tasks.tables.query_constants import is_plain_percentage

STAFF, REVENUE = FigureId("employees", 2023), FigureId("revenue", 2023)


def test_an_entity_that_is_left_out_does_not_decide_the_type_of_a_column() -> None:
    """The proof of a key has the used entities alone: with its own types, an audit would round another way."""
    names = ("Alder", "Birch", "Cedar", "Elm", "Fir", "Oak")
    figures = {
        (name, REVENUE): StatedFigure(Decimal(number), "USD", "d-1", Span(0, 1)) for number, name in enumerate(names)
    }
    figures |= {(name, STAFF): StatedFigure(Decimal(9), "", "d-1", Span(0, 1)) for name in names[:-1]}
    figures["Oak", REVENUE] = StatedFigure(Decimal("5.25"), "USD", "d-1", Span(0, 1))
    known = EntityFigures(names, dict.fromkeys(names, ("d-1",)), figures)
    table = EntityTable(read_pack("companies"), "en", 2023, "USD", True, known)
    revenue, staff = table.columns[REVENUE], table.columns[STAFF]
    for columns, kind in (([revenue], "decimal"), ([revenue, staff], "integer")):
        database = table.database(columns)
        assert database.schema.columns[revenue.name].type == kind
        assert len(database.rows["companies"]) == (6 if kind == "decimal" else 5)


@pytest.mark.parametrize(
    ("language", "currency", "revenue", "unit", "first"),
    [
        ("en", "USD", 400_000_000, "million USD", "400"),
        ("en", "USD", 40_000_000_000, "billion USD", "40"),
        ("zh", "CNY", 300_000_000, "万元", "30000"),
        ("zh", "CNY", 40_000_000_000, "亿元", "400"),
    ],
)
def test_large_sums_are_in_a_larger_unit(
    language: Language, currency: str, revenue: int, unit: str, first: str
) -> None:
    names = ("Alder", "Birch", "Cedar", "Elm", "Fir")
    figures = {(name, REVENUE): StatedFigure(Decimal(revenue), currency, "d-1", Span(0, 1)) for name in names}
    known = EntityFigures(names, dict.fromkeys(names, ("d-1",)), figures)
    stated = field(EntityTable(read_pack("companies"), language, 2023, currency, True, known), "revenue", 2023)
    assert stated is not None
    total = in_readable_unit(stated, float(sum(stated.columns[0].values())))
    assert (total.unit, total.columns[0].unit, total.columns[0].value("Alder")) == (unit, unit, Decimal(first))
    assert total.columns[0].scale * Decimal(first) == revenue


def test_constants_of_percentages_are_below_100_if_the_values_are() -> None:
    assert is_plain_percentage(Decimal("99.5"), [80.0, None, 99.0])
    assert not is_plain_percentage(Decimal(100), [80.0, None, 98.9])
    assert is_plain_percentage(Decimal(110), [80.0, 105.0])
    assert not is_plain_percentage(Decimal("0.05"), [80.0])
