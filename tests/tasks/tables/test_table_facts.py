"""Figures from tables of documents: labels, periods, units, scales, totals, parts, conflicts."""

from __future__ import annotations

from decimal import Decimal

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.catalog import reader_of
from fathom.corpus.readers.parsed_document import NoCompanions
from fathom.records.documents import Document
from fathom.records.spans import Span
from fathom.tasks.tables.entity_names import title_entity, title_year
from fathom.tasks.tables.figures import FigureId, StatedFigure, document_figures
from fathom.tasks.tables.labels import PART_OF_YEAR, parse_heading
from fathom.tasks.tables.months import MONTH, parse_month
from fathom.tasks.tables.pack import parse_pack
from fathom.tasks.tables.units import Unit, parse_cell, stated_unit

PACK = parse_pack(
    """
name = "shops"
summary = "Shops"
en = { noun = "shop", plural = "shops" }
zh = { noun = "商店", plural = "商店" }
period = { en = ["year"], zh = ["年度"] }
[fields.best]
attributes = ["best"]
labels = ["Month with the highest sales", "销售额最高的月份"]
kind = "month"
en = ["best month"]
zh = ["最佳月份"]
[fields.sales]
attributes = ["sales"]
labels = ["Net sales", "营业收入"]
not_about = ["transfer"]
unclear_beside = ["franchise sales"]
kind = "money"
en = ["sales"]
[fields.staff]
attributes = ["staff"]
labels = ["Employees", "员工人数"]
kind = "count"
en = ["number of employees"]
[fields.margin]
attributes = ["margin"]
labels = ["Margin"]
kind = "percent"
en = ["margin"]
[fields.fees]
attributes = ["fees"]
labels = ["Fees > New members"]
kind = "money"
en = ["fees of new members"]
""",
    "shops.toml",
)


def read(content: str, name: str = "shop.md", title: str = "# Alder Stores: Annual Report 2020") -> Document:
    text = f"{title}\n\n{content}\n" if name.endswith(".md") else content
    reader = reader_of(name, text.encode())
    assert reader is not None
    (parsed,) = reader.read(text.encode(), name, NoCompanions())
    return assemble(parsed)


def values(document: Document) -> dict[str, str]:
    """The figures as "field year" with their values and units."""
    figures = document_figures(document, PACK)
    assert figures is not None
    for figure in figures.figures.values():
        if isinstance(figure, StatedFigure) and figure.value is not None:
            text = figure.span.of(document.text)
            if figure.unit == MONTH:
                assert (Span(0, len(text)), figure.value) == parse_month(text)
            else:
                printed = parse_cell(text)
                assert printed is not None and abs(printed.value) <= abs(figure.value)
            assert figure.source == "table"
    return {
        f"{figure_id.field} {figure_id.year}": figure
        if isinstance(figure, str)
        else f"{'missing' if figure.value is None else figure.value} {figure.unit}".strip()
        for figure_id, figure in figures.figures.items()
    }


TABLE = "| | {head} |\n| --- | {line} |\n{rows}"


def table(head: str, *rows: str, above: str = "", below: str = "") -> str:
    line = " | ".join("---" for _ in head.split("|"))
    lines = "\n".join(f"| {row} |" for row in rows)
    return f"{above}\n\n{TABLE.format(head=head, line=line, rows=lines)}\n\n{below}"


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        pytest.param(
            table(
                "2020 | 2019",
                "Employees | 31 | 29",
                "Month with the highest sales | June 2020 | 2019-11",
                "Net sales (GBP m) | 3 | 4",
            ),
            {
                **{"staff 2020": "31", "staff 2019": "29", "sales 2020": "3000000 GBP", "sales 2019": "4000000 GBP"},
                **{"best 2020": "202006 month", "best 2019": "201911 month"},
            },
            id="a row of months",
        ),
        pytest.param(
            table("2020年 | 2019年", "员工人数 | 31 | 29", "销售额最高的月份 | 2020年6月 | 2019年11月"),
            {"staff 2020": "31", "staff 2019": "29", "best 2020": "202006 month", "best 2019": "201911 month"},
            id="a row of months in Chinese",
        ),
        pytest.param(
            table(
                "2020 | 2019",
                "Employees | 31 | 29",
                "Month with the highest sales | 30 June 2020 | about November 2019",
            ),
            {"staff 2020": "31", "staff 2019": "29"},
            id="days and guesses are no months",
        ),
        pytest.param(
            table("2020 | 2019", "Net sales (GBP m) | 3.25 | 3.1", "Employees | 1,068 | 990"),
            {"sales 2020": "3250000 GBP", "sales 2019": "3100000 GBP", "staff 2020": "1068", "staff 2019": "990"},
            id="periods in columns, unit in the label",
        ),
        pytest.param(
            table("FY 2020", "Net sales | 3,250", "Employees (number) | 12", above="Table 1: Figures (EUR thousand)"),
            {"sales 2020": "3250000 EUR", "staff 2020": "12"},
            id="unit in the caption, for money alone",
        ),
        pytest.param(
            table("Net sales (USD million) | Employees", "2019 | 5 | 10", "2020 | (6) | 11"),
            {"sales 2019": "5000000 USD", "sales 2020": "-6000000 USD", "staff 2019": "10", "staff 2020": "11"},
            id="years in rows, fields in columns",
        ),
        pytest.param(
            table("Men | Women | Total", "Employees | 4 | 5 | 9", "Margin | 7% | 9% | 8%"),
            {"staff 2020": "9", "margin 2020": "8 %"},
            id="the total of several columns, in the year of the document",
        ),
        pytest.param(
            table("Men | Women", "Employees | 4 | 5", "Margin | 7% | 9%", "Net sales | $5 | $6"), {}, id="parts alone"
        ),
        pytest.param(
            table("2020", "Net sales | $3275 thousand", "Employees | 12 people", "Margin | 5%"),
            {"sales 2020": "3275000 USD", "staff 2020": "12", "margin 2020": "5 %"},
            id="units in words in the cells",
        ),
        pytest.param(
            table("2020", "Net sales (EUR million) | 3.5", "Net sales (EUR) | 3.5 million", "Employees | 2"),
            {"sales 2020": "3500000 EUR", "staff 2020": "2"},
            id="the scale in the cell counts",
        ),
        pytest.param(
            table("Value | Unit", "Net sales | 250 | GBP", "Employees | 12 | number", "Margin | 5 | %"),
            {"sales 2020": "250 GBP", "staff 2020": "12", "margin 2020": "5 %"},
            id="a column of units",
        ),
        pytest.param(
            table("2020", "Net sales | 250", "Employees | 12", above="Table 1: Figures (EUR thousand)"),
            {"sales 2020": "250000 EUR", "staff 2020": "12"},
            id="employees of a table in euros are no euros",
        ),
        pytest.param(
            table("Q1 | Q2 | 2020", "Employees | 4 | 5 | 6", "Margin (%) | 7 | 9 | 8.5"),
            {"staff 2020": "6", "margin 2020": "8.5 %"},
            id="quarters beside the year",
        ),
        pytest.param(
            table("Men | Women | Total", "Employees | 0 | 0 | 0", "Margin | 7% | 9% | 8%", "Net sales | £1 | £2 | £3"),
            {"margin 2020": "8 %", "sales 2020": "3 GBP"},
            id="zeros of a form that was not filled in",
        ),
        pytest.param(
            table("2020 | Change", "Net sales | £5 | £1", "Employees | 4 | 1"),
            {"sales 2020": "5 GBP", "staff 2020": "4"},
            id="a column of changes",
        ),
        pytest.param(
            table("2020", "Net sales | 5", "Employees | 4", "Margin | 8"),
            {"staff 2020": "4"},
            id="no currency and no percent sign: unknown",
        ),
        pytest.param(
            table("2020", "Net sales (EUR) | not disclosed", "Employees | —", "Margin | 5%"),
            {"sales 2020": "missing EUR", "margin 2020": "5 %"},
            id="a figure that is stated to be missing; a dash says nothing",
        ),
        pytest.param(
            table("2020", "Employees | 4", "Net sales (EUR) | 7") + table("2020", "Employees | 5"),
            {"staff 2020": "conflict", "sales 2020": "7 EUR"},
            id="a conflict",
        ),
        pytest.param(
            table("2020", "North | 4", "South | 5", "West | 1", "Total | 10", above="Table 1: Employees by region")
            + table("2020", "Employees | 5", "Net sales (EUR) | 3", above="Table 2: South in figures")
            + table("2020", "Employees | 10", "Net sales (EUR) | 9", above="Table 3: Key figures"),
            {"staff 2020": "10", "sales 2020": "9 EUR"},
            id="a table about a part",
        ),
        pytest.param(
            table("2020", "Net sales (EUR) | 5", "Employees | 4", "Margin | 5%", above="Figures of transfer shops:"),
            {"staff 2020": "4", "margin 2020": "5 %"},
            id="a table about something else",
        ),
        pytest.param(
            table("Members | New members", "Fees | $9 | $7", "Employees | 1 | 2") + table("2020", "Margin | 5%"),
            {"fees 2020": "7 USD", "margin 2020": "5 %"},
            id="the cell of a row and a column",
        ),
        pytest.param(
            table("2020", "Number of |", "employees | 4", "Margin | 3%"),
            {"staff 2020": "4", "margin 2020": "3 %"},
            id="a label in two rows",
        ),
        pytest.param(
            table(
                "2019年 | 2020年",
                "营业收入 | 1,200.5 | 1,300",
                "员工人数（人） | 9 | 8",
                above="表1：主要数据（人民币万元）",
            ),
            {"sales 2019": "12005000 CNY", "sales 2020": "13000000 CNY", "staff 2019": "9", "staff 2020": "8"},
            id="Chinese",
        ),
        pytest.param(
            table("2020", "营业收入 | 1.5", "员工人数 | 8", above="单位：亿元"),
            {"sales 2020": "150000000 CNY", "staff 2020": "8"},
            id="a Chinese note above",
        ),
        pytest.param(
            table("2020 | 2019 restated", "Net sales (EUR) | 5 | 4", "Employees | 3 | 2"),
            {"sales 2020": "5 EUR", "sales 2019": "4 EUR", "staff 2020": "3", "staff 2019": "2"},
            id="a restated column",
        ),
        pytest.param(
            table("2020", "Net sales | 5", "Employees | 3", below="Amounts are stated in millions of US dollars."),
            {"sales 2020": "5000000 USD", "staff 2020": "3"},
            id="a note below",
        ),
        *(
            pytest.param(
                table("2020 | 2019", "Net sales | 5 | 4", "Employees | 3 | 2", above=f"Table 4: {title} (EUR million)")
                + table("2020", "Employees | 12", "Margin | 5%", above="Table 5: Key figures"),
                {"staff 2020": "12", "margin 2020": "5 %"},
                id=title,
            )
            for title in (
                *("Index, 2015 = 100", "Per employee", "Northern Stores, a subsidiary", "Discontinued operations"),
                *("Results of the fourth quarter", "人均指标", "东区分公司"),
            )
        ),
        pytest.param(
            table("Net sales (EUR) | Employees", "Birch Stores | 5 | 6", "Alder Stores | 4 | 5", "Total | 9 | 11")
            + table("2020", "Margin | 5%", "Employees | 5", above="Table 5: Key figures"),
            {"staff 2020": "5", "margin 2020": "5 %"},
            id="a total of several entities",
        ),
        pytest.param(
            table("2020", "Net sales (EUR thousand) | 140.220", "Employees | 1.044", "Margin | 9,8 %"),
            {},
            id="decimal commas",
        ),
        pytest.param(
            table("2020", "Net sales (EUR thousand) | 140.220", "Employees | 1.044"), {}, id="either notation"
        ),
        pytest.param(
            table("2020", "Net sales (EUR million) | 140.220", "Employees | 1,044"),
            {"sales 2020": "140220000 EUR", "staff 2020": "1044"},
            id="decimal points",
        ),
    ],
)
def test_figures_of_tables(content: str, wanted: dict[str, str]) -> None:
    document = read(content)
    if not wanted:
        assert not any(
            isinstance(figure, StatedFigure)
            for figure in getattr(document_figures(document, PACK), "figures", {}).values()
        )
        return
    assert values(document) == wanted


def test_a_page_with_tables() -> None:
    page = (
        "<html><head><title>Alder Stores 2020</title></head><body><h1>Alder Stores: Annual Report 2020</h1>"
        "<table><tr><th></th><th>2020</th></tr><tr><td>Net sales (EUR m)</td><td>2.5</td></tr>"
        "<tr><td>Employees</td><td>1 068</td></tr></table></body></html>"
    )
    assert values(read(page, "shop.html")) == {"sales 2020": "2500000 EUR", "staff 2020": "1068"}


def test_a_document_that_names_no_field_is_of_another_domain() -> None:
    assert document_figures(read(table("2020", "Rainfall | 5", "Wind | 7")), PACK) is None


def test_a_document_whose_figures_are_not_found_is_unknown_and_not_absent() -> None:
    figures = document_figures(read("The net sales, the employees and the margin are in the annex.\n\n" * 2), PACK)
    assert figures is not None and not figures.figures


@pytest.mark.parametrize(
    ("title", "entity", "year"),
    [
        ("Yarrenko Steelworks SE: Report for the Fiscal Year 2019", "Yarrenko Steelworks SE", 2019),
        ("衡和储能科技股份有限公司2019年年度报告", "衡和储能科技股份有限公司", 2019),
        ("Brown-2024-2025", "Brown", 2024),
        ("Ostmark: Homes, Prices and Rents 2019", "Ostmark", 2019),
        ("Annual Report 2021 of Hale plc", "Hale plc", 2021),
        ("2021 Annual Report – Hale plc", "Hale plc", 2021),
        ("Annual Report 2021", "", 2021),
        ("University of Oslo Annual Report 2020", "University of Oslo", 2020),
        ("Hexley Harriers season 2023/24: key figures", "Hexley Harriers", 2023),
        ("青石湾热电厂2023年度生产经营报告", "青石湾热电厂", 2023),
        ("云台中学2022—2023学年办学情况报告", "云台中学", 2022),
    ],
)
def test_entities_and_years_of_titles(title: str, entity: str, year: int) -> None:
    document = read("Text of the report.\n", title=f"# {title}")
    assert (title_entity(document), title_year(document)) == (entity, year)


@pytest.mark.parametrize(
    ("text", "name", "period"),
    [
        ("Season 2023/24", "", "2023"),
        ("Academic year 2023-24", "", "2023"),
        ("2023年末", "", "2023"),
        ("2023年底", "", "2023"),
        ("2022—2023学年", "", "2022"),
        ("Beds 2023/24", "Beds", "2023"),
        ("2023/25", "2023/25", PART_OF_YEAR),
    ],
)
def test_headings_that_are_periods(text: str, name: str, period: str) -> None:
    heading = parse_heading(text)
    assert (heading.text, heading.period) == (name, period)
    assert heading.scope == ("named" if name else "plain")


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("GBP m", Unit("money", "GBP", 6)),
        ("in millions of NOK", Unit("money", "NOK", 6)),
        ("CHF'000", Unit("money", "CHF", 3)),
        ("人民币百万元", Unit("money", "CNY", 6)),
        ("单位：千元", Unit("money", "CNY", 3)),
        ("元/股", Unit("money", "CNY", 0)),
        ("$ in billions", Unit("money", "$", 9)),
        ("in thousands", Unit("scale", "", 3)),
        ("%", Unit("percent", "%")),
        ("number", Unit("count")),
        ("days", Unit("other", "days")),
        ("mwh", Unit("other", "MWh")),
        ("million m3", Unit("other", "m3", 6)),
        ("万吨", Unit("other", "吨", 4)),
        ("亿千瓦时", Unit("other", "千瓦时", 8)),
        ("兆瓦", Unit("other", "兆瓦")),
        ("g/kWh", Unit("other", "g/kWh")),
        ("克/千瓦时", Unit("other", "克/千瓦时")),
        ("人/平方公里", Unit("other", "人/平方公里")),
        ("g", None),
        ("men/women", None),
        ("degree-seeking", None),
        ("EUR or USD", None),
    ],
)
def test_units(text: str, unit: Unit | None) -> None:
    assert stated_unit(text) == unit


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,068", "1068"),
        ("3 ,928", "3928"),
        ("(1.7)", "-1.7"),
        ("－12.5", "-12.5"),
        ("$9,718.00", "9718.00"),
        ("83%", "83"),
        ("1 234 567", "1234567"),
        ("12'500", "12500"),
        ("1,068*", "1068"),
        ("591 37,382", None),
        ("1,06", None),
        ("12 of 20", None),
        ("(€4.5m)", "-4.5"),
        ("12.5亿元", "12.5"),
        ("30 days", None),
        ("3 times", None),
        ("about 3 million", None),
        ("(5", None),
        ("x", None),
    ],
)
def test_numbers_of_cells(text: str, value: str | None) -> None:
    number = parse_cell(text)
    assert (number.value if number else None) == (None if value is None else Decimal(value))


def test_the_slot_of_another_year_is_kept() -> None:
    figures = document_figures(read(table("2018", "Net sales (EUR) | 5", "Employees | 3")), PACK)
    assert figures is not None and FigureId("sales", 2018) in figures.figures and figures.year == 2020


def test_a_figure_that_may_include_something_else_is_not_used() -> None:
    rows = table("2020", "Net sales (USD million) | 12.5", "Employees | 40", "Margin | 12%")
    assert values(read(rows)).get("sales 2020") == "12500000 USD"
    assert "sales 2020" not in values(read(f"{rows}\n\nFranchise sales were high."))
    assert "staff 2020" in values(read(f"{rows}\n\nFranchise sales were high."))
