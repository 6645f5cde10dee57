"""Figures of documents: periods, rounding, conflicts, restatements."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from fathom.records.documents import Document, Fact
from fathom.records.spans import Span
from fathom.tasks.tables.entity_figures import entity_figures
from fathom.tasks.tables.figures import DocumentFigures, FigureId, StatedFigure, document_figures
from fathom.tasks.tables.pack import EntityNouns, Pack, PackField, Period

PACK = Pack(
    name="shops",
    summary="Shops",
    en=EntityNouns(noun="shop", plural="shops"),
    period=Period(en=("year",)),
    fields={
        "sales": PackField(attributes=("sales", "*:Sales"), kind="money", en=("sales",)),
        "staff": PackField(attributes=("staff",), kind="count", en=("number of employees",)),
        "margin": PackField(attributes=("margin",), kind="percent", en=("margin",)),
    },
)


def report(*stated: tuple[str, str, str, str | None], entity: str = "Alder", year: int = 2020, **more: Any) -> Document:
    """A report that prints each (attribute, period, text, value) on a line; a value of None is stated as missing."""
    text, facts = f"# {entity}\n", []
    for attribute, period, printed, value in stated:
        start = len(text) + len(attribute) + 2
        text += f"{attribute}: {printed}\n"
        facts.append(
            Fact(
                entity=entity,
                attribute=attribute,
                period=period,
                value=None if value is None else Decimal(value),
                unit=more.get("unit", "EUR"),
                span=Span(start, start + len(printed)),
                status="missing" if value is None else "reported",
            )
        )
    return Document(
        id=f"{entity}-{year}",
        kind="report",
        language="en",
        title=Span(2, 2 + len(entity)),
        year=year,
        license="CC0-1.0",
        source="test",
        text=text,
        facts=tuple(facts),
    )


def read(document: Document) -> DocumentFigures:
    figures = document_figures(document, PACK)
    assert figures is not None
    return figures


def value(document: Document, field: str = "sales", year: int | None = 2020) -> Decimal | str | None:
    figure = read(document).figures[FigureId(field, year)]
    return figure.value if isinstance(figure, StatedFigure) else figure


def test_the_most_precise_statement_counts() -> None:
    document = report(("sales", "2020", "3.2", "3200000"), ("sales", "2020", "3,214", "3214000"))
    assert value(document) == 3_214_000


@pytest.mark.parametrize("separator", [",", " ", "'", "’", "\u202f"])
def test_separators_are_no_end_of_a_number(separator: str) -> None:
    printed = f"1{separator}343.4"
    document = report(("sales", "2020", "1.3", "1300000000"), ("sales", "2020", printed, "1343400000"))
    assert value(document) == 1_343_400_000


@pytest.mark.parametrize(
    ("rounded", "plain"), [("3.3", "3300000"), ("3.15", "3150000"), ("4", "4000000"), ("-3.2", "-3200000")]
)
def test_statements_that_exclude_each_other_are_a_conflict(rounded: str, plain: str) -> None:
    assert value(report(("sales", "2020", rounded, plain), ("sales", "2020", "3,214", "3214000"))) == "conflict"


def test_a_figure_that_is_stated_to_be_missing_is_known() -> None:
    assert value(report(("sales", "2020", "n/a", None), ("staff", "2020", "7", "7"))) is None


@pytest.mark.parametrize(("unit", "known"), [("%", True), ("pure", True), ("", False), ("EUR", False)])
def test_a_percentage_has_its_unit(unit: str, known: bool) -> None:
    document = report(("margin", "2020", "0.17", "0.17"), ("sales", "2020", "9", "9"), unit=unit)
    assert (FigureId("margin", 2020) in read(document).figures) == known


@pytest.mark.parametrize(
    ("period", "year"),
    [
        ("2019-10-01/2020-09-30", 2020),
        ("2018-10-01/2019-09-30", 2019),
        ("2020-09-30", 2020),
        ("2019-09-28", 2019),
        ("2020-07-01/2020-09-30", None),
        ("2020-03-31", None),
    ],
)
def test_fiscal_years_are_named_as_in_the_document(period: str, year: int | None) -> None:
    own = ("Sales", "2019-10-01/2020-09-30", "9", "9")
    found = read(report(own, ("staff", period, "7", "7"), year=2020)).figures
    assert {figure_id.year for figure_id in found if figure_id.field == "staff"} == (set() if year is None else {year})


def test_the_value_of_the_latest_document_counts() -> None:
    old = read(report(("sales", "2020", "10", "10"), year=2020))
    new = read(report(("sales", "2020", "12", "12"), ("sales", "2021", "15", "15"), year=2021))
    figures = entity_figures([new, old], 2020, None).figures
    assert figures["Alder", FigureId("sales", 2020)].value == 12
    assert figures["Alder", FigureId("sales", 2020)].document == "Alder-2021"


def test_an_entity_counts_only_for_the_years_of_its_own_documents() -> None:
    alder = read(report(("sales", "2020", "10", "10"), ("sales", "2019", "9", "9"), year=2020))
    birch = read(report(("sales", "2019", "7", "7"), entity="Birch", year=2019))
    assert entity_figures([alder, birch], 2020, None).entities == ("Alder",)
    assert entity_figures([alder, birch], 2019, None).entities == ("Birch",)


def test_an_entity_with_a_document_of_an_unknown_year_is_unknown() -> None:
    """The document may be its report for the year, or restate the figures of another report."""
    alder, birch = (read(report(("sales", "2020", "10", "10"), entity=name)) for name in ("Alder", "Birch"))
    undated = replace(birch, year=None)
    for documents in ([alder, undated], [alder, birch, undated]):
        figures = entity_figures(documents, 2020, None)
        assert figures.entities == ("Alder", "Birch")
        assert list(figures.figures) == [("Alder", FigureId("sales", 2020))]


def test_currencies_are_kept_apart() -> None:
    documents = [
        read(report(("sales", "2020", "10", "10"), entity=name, unit=unit))
        for name, unit in (("Alder", "EUR"), ("Birch", "USD"), ("Cedar", "EUR"))
    ]
    assert entity_figures(documents, 2020, "EUR").entities == ("Alder", "Cedar")
    assert entity_figures(documents, 2020, None).entities == ("Alder", "Birch", "Cedar")


def test_a_value_that_a_later_document_withdraws_is_unknown() -> None:
    old = read(report(("sales", "2020", "10", "10"), year=2020))
    new = read(report(("sales", "2020", "n/a", None), ("staff", "2021", "7", "7"), year=2021))
    assert ("Alder", FigureId("sales", 2020)) not in entity_figures([old, new], 2020, None).figures


def test_a_filing_without_the_fields_is_of_the_domain_and_unknown() -> None:
    filing = read(report(("dei:PublicFloat", "2020-12-31", "5", "5"), year=2020))
    assert (filing.entity, filing.year, filing.figures) == ("Alder", 2020, {})
    assert entity_figures([filing], 2020, None).entities == ("Alder",)
    assert document_figures(report(("height", "2020", "5", "5")), PACK) is None


def test_figures_of_years_before_the_report_are_not_its_own() -> None:
    """A filing for 2018 that tags only the days of its accounts for 2016."""
    figures = document_figures(report(("x:Sales", "2016-09-30", "18,261", "18261"), year=2018), PACK)
    assert figures is not None and figures.year == 2018 and not figures.figures
