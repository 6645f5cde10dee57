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
    mixed = ("/", ("revenue", "total assets")), ("/", ("营业收入", "总资产"))
    turnover = [quantity("", unit="", formula=one, side_instants=(False, True)) for one in mixed]
    assert english.pooled(turnover[0]).startswith(
        "Over all these companies, what is the sum of revenue in fiscal year 2023 divided by the sum of total assets "
        "at the end of fiscal year 2023? "
    )
    assert english.definition(turnover[0]).endswith("revenue divided by total assets at the end of the fiscal year.")
    assert chinese.definition(turnover[1]).endswith("指营业收入除以年末总资产。")
    assert "2023年度营业收入之和除以2023年末总资产之和" in chinese.pooled(turnover[1])


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


def test_two_conditions_on_one_quantity_name_it_once() -> None:
    flow, profit = (quantity(noun, unit="million USD") for noun in ("free cash flow", "net profit"))
    both = [Condition(flow, ">", Decimal(0)), Condition(flow, ">", profit)]
    english, chinese = English(COMPANIES, 2023, ""), Chinese(COMPANIES, 2023, "")
    assert english.listing(both) == (
        "List the companies whose free cash flow in fiscal year 2023 was positive and exceeded their net profit in the "
        "same period."
    )
    assert english.counting(both) == (
        "For how many of these companies was free cash flow in fiscal year 2023 positive and did it exceed net profit "
        "in the same period?"
    )
    flow, profit = quantity("自由现金流"), quantity("净利润")
    both = [Condition(flow, ">", Decimal(0)), Condition(flow, ">", profit)]
    assert chinese.counting(both) == "其中，2023年度自由现金流为正且高于同期净利润的公司有多少家？"


def test_numbers_of_things_and_areas_have_words_of_their_own() -> None:
    english, chinese = English(COMPANIES, 2023, ""), Chinese(COMPANIES, 2023, "")
    staff = quantity("number of employees", unit="", kind="count", additive=True)
    assert english.total(staff).startswith("What is the total number of employees in fiscal year 2023 over all these")
    assert (
        english.single(quantity("total area"), False)
        == "Which company had the smallest total area in fiscal year 2023?"
    )
    assert "面积最大的2家公司是哪些？请按从大到小的顺序列出" in chinese.top(quantity("建筑面积"), 2, True)
    above = Condition(quantity("净利率"), ">", Decimal(5))
    people = quantity("员工人数", unit="", kind="count")
    assert "员工人数比这一平均值多200以上的公司" in chinese.above_group_average(
        above, people, Decimal(200), counted=False
    )


def test_a_mean_is_not_averaged_again() -> None:
    assert quantity("average loan-to-value ratio").is_average and quantity("人均可支配收入平均值").is_average
    assert not quantity("number of employees").is_average
