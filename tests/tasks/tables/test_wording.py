"""Words of questions: articles of nouns, and figures of the last day of a period."""

from __future__ import annotations

from decimal import Decimal

import pytest

from fathom.tasks.programs import tree
from fathom.tasks.tables.pack import read_pack
from fathom.tasks.tables.quantities import Quantity
from fathom.tasks.tables.wording import QuantityCondition as Condition
from fathom.tasks.tables.wording_en import English, the
from fathom.tasks.tables.wording_zh import Chinese

COMPANIES = read_pack("companies")


def quantity(noun: str, **options: object) -> Quantity:
    values = {"measure": tree.Column("x"), "noun": noun, "unit": "%", "columns": (), "year": 2023, "kind": "percent"}
    return Quantity(**{**values, **options})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("noun", "named"),
    [
        ("revenue", "revenue"),
        ("total assets", "total assets"),
        ("number of employees", "the number of employees"),
        ("population", "the population"),
        ("municipal budget", "the municipal budget"),
        ("library visits", "library visits"),
        ("asset turnover", "the asset turnover"),
        ("(cash + equity)", "(cash + equity)"),
    ],
)
def test_singular_nouns_that_can_be_counted_have_an_article(noun: str, named: str) -> None:
    assert the(noun) == named


def test_a_balance_is_that_of_the_last_day_in_growth_and_in_sums() -> None:
    english, chinese = English(COMPANIES, 2023, ""), Chinese(COMPANIES, 2023, "")
    grown = quantity("current liabilities", growth=True, instant=True)
    assert english.total_growth(grown).startswith(
        "Add up the current liabilities across all these companies, once at the end of fiscal year 2022 and once at "
        "the end of fiscal year 2023. By what percentage did the sum change from the end of fiscal year 2022 to the end"
    )
    assert "once for fiscal year 2022 and once for" in english.total_growth(quantity("revenue", growth=True))
    mixed = ("/", ("revenue", "total assets")), ("/", ("营业收入", "资产总计"))
    turnover = [quantity("", unit="", formula=one, side_instants=(False, True)) for one in mixed]
    assert "the sum of revenue in fiscal year 2023 over all" in english.pooled(turnover[0])
    assert "the sum of total assets at the end of fiscal year 2023 over all" in english.pooled(turnover[0])
    assert "2023年度营业收入之和除以2023年末资产总计之和" in chinese.pooled(turnover[1])


def test_a_question_without_a_year_says_which_figure_counts() -> None:
    assert English(COMPANIES, None, "").scope(()) == "Consider all companies that the documents describe."
    assert English(COMPANIES, None, "", True).scope(()).endswith("use that of the latest period.")
    assert Chinese(COMPANIES, None, "", True).scope(()).endswith("以最近时期的数值为准。")


def test_a_positive_figure_is_asked_for_in_words() -> None:
    counted = English(COMPANIES, 2023, "").counting([Condition(quantity("free cash flow"), ">", Decimal(0))])
    assert counted == "For how many of these companies was free cash flow in fiscal year 2023 positive?"


def test_a_group_is_named_before_its_average() -> None:
    english, group = English(COMPANIES, 2023, ""), Condition(quantity("equity ratio"), ">", Decimal(40))
    assets = quantity("total assets", unit="million USD", additive=True, instant=True)
    whose = "companies whose equity ratio in fiscal year 2023 exceeded 40%"
    assert english.average(assets, [group]) == (
        f"Among the {whose}, what were the average total assets at the end of fiscal year 2023? Answer in million USD, "
        "rounded to two decimals."
    )
    assert english.above_group_average(group, assets, Decimal(5), counted=False).startswith(
        f"Take the {whose}, and compute, for this group, the average total assets at the end of fiscal year 2023. Then"
    )
    grown = quantity("capital expenditure", growth=True)
    assert "the highest percentage growth in capital expenditure from fiscal year 2022" in english.single(grown, True)
