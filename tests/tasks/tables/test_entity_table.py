"""The table of a question: the types of its columns, units of large sums, and constants."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from random import Random

import pytest

from fathom.records.spans import Span
from fathom.tasks.programs import tree
from fathom.tasks.tables.build import conditional_shares
from fathom.tasks.tables.entity_figures import EntityFigures
from fathom.tasks.tables.entity_table import EntityTable
from fathom.tasks.tables.figures import FigureId, StatedFigure
from fathom.tasks.tables.pack import Language, read_pack
from fathom.tasks.tables.quantities import field, in_readable_unit
from fathom.tasks.tables.queries import QueryMaker
from fathom.tasks.tables.query_constants import constant_apart, is_plain_percentage
from fathom.tasks.tables.query_parts import PartnerValues, QuestionLevel

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


def test_constants_of_counts_are_whole() -> None:
    names = [f"Shop {number}" for number in range(8)]
    figures = {
        (name, STAFF): StatedFigure(Decimal(38 + number), "", "d-1", Span(0, 1)) for number, name in enumerate(names)
    }
    figures |= {(name, REVENUE): replace(figure, unit="USD") for (name, _), figure in figures.items()}
    known = EntityFigures(tuple(names), dict.fromkeys(names, ("d-1",)), figures)
    maker = QueryMaker(EntityTable(read_pack("companies"), "en", 2023, "USD", True, known), Random(0))
    asked = [made.text for _ in range(60) if (made := maker.make("easy")) is not None]
    assert any("employees" in text for text in asked)
    assert not any(re.search(r"employees[^.?]*\d\.\d", text) for text in asked)


@pytest.mark.parametrize("sign", [">", "<"])
def test_a_constant_between_two_sets_of_values_is_beyond_one_of_them(sign: str) -> None:
    low, high = [1.0, 4.0, 9.0, 13.0], [2.0, 15.0, 20.0, 31.0, -7.0]
    met, unmet = (high, low) if sign == ">" else (low, high[:-1])
    drawn = {constant_apart(met, unmet, sign, Random(seed), least=1) for seed in range(20)}
    assert len(drawn) > 1 - (sign == "<") and None not in drawn
    for constant in drawn:
        assert constant is not None and constant > 0
        met_by = [[value > constant if sign == ">" else value < constant for value in some] for some in (met, unmet)]
        assert any(met_by[0]) and not any(met_by[1])
    assert constant_apart(unmet, met, sign, Random(0)) is None
    assert constant_apart(met, [], sign, Random(0)) is None


def revenues(values: list[int]) -> EntityTable:
    names = tuple(f"Company {number}" for number in range(len(values)))
    figures = {
        (name, REVENUE): StatedFigure(Decimal(value) * 1_000_000, "USD", "d-1", Span(0, 1))
        for name, value in zip(names, values, strict=True)
    }
    known = EntityFigures(names, dict.fromkeys(names, ("d-1",)), figures)
    return EntityTable(read_pack("companies"), "en", 2023, "USD", True, known)


def test_constants_that_nothing_exceeds_are_exceeded_in_other_documents() -> None:
    here, there = [110, 150, 200, 260, 340, 450], [90, 130, 180, 240, 310, 600]
    tables = [revenues(values) for values in (here, there)]
    drawn = []
    for seed in range(40):
        rng = Random(seed)
        query = QueryMaker(tables[0], rng, [PartnerValues(tables[1])]).make_paired("easy", empty=True)
        drawn += [query] if query else []
    assert len(drawn) > 10
    for query in drawn:
        assert isinstance(query.program.where, tree.Compare)
        constant, sign = query.program.where.value, query.program.where.sign
        assert isinstance(constant, int | float)
        assert (450 < constant < 600) if sign == ">" else (90 < constant < 110)


@pytest.mark.parametrize("wanted", [0.0, 0.1, 0.3, 0.6])
def test_the_wanted_part_of_all_questions_has_no_answer(wanted: float) -> None:
    weights: dict[QuestionLevel, float] = {"easy": 0.225, "medium": 0.492, "hard": 0.283}
    shares = conditional_shares(wanted, weights)
    conditional = sum(weights[level] * share for level, share in shares.shares.items())
    assert shares.unanswerable * conditional == pytest.approx(wanted, abs=1e-6) and max(shares.shares.values()) <= 1
