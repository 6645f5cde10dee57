"""Amounts of money, percentages and lists in the notations of reports, in English and Chinese."""

from __future__ import annotations

from decimal import Decimal

import pytest

from fathom.scoring.answer_types.compare import agrees
from fathom.scoring.answer_types.parse import parse_response
from fathom.scoring.answers import Answer, Number, Ranking, Text, Unanswerable, ValueSet


def number(value: str, unit: str = "", decimals: int | None = 2) -> Number:
    return Number(value=Decimal(value), unit=unit, decimals=decimals)


NAMES = ("Alder plc", "Birch AG", "Cedar SE")
LISTED = ValueSet(items=tuple(Text(value=name) for name in NAMES))
RANKED = Ranking(groups=tuple((Text(value=name),) for name in NAMES))
CHINESE = ValueSet(items=tuple(Text(value=name) for name in ("华新股份有限公司", "中建集团", "远大公司")))
MILLIONS = number("1200", "million USD")
LOSS = number("-35.5", "million USD")
SHARE = number("12.34", "%")
TEN_THOUSANDS = number("123456.78", "万元")
FIVE = number("5", decimals=None)
MONTH = Text(value="2024-03")

RIGHT: list[tuple[Answer, str]] = [
    (MILLIONS, "1200|1,200.00|1.2 billion|$1.2 billion|USD 1,200 million|1.2bn|US$1.2bn|$1,200M|1,200,000,000 USD"),
    (
        MILLIONS,
        "USD 1,200,000,000|The answer is: $1,200 million|1,200 million US dollars|1200 m|USD1.2bn|12亿美元|１，２００",
    ),
    (MILLIONS, "1200 (in million USD)|US$1,200 mn|1200 millions|1.2 billions of dollars|$1200m|The answer is: 1200.00"),
    (LOSS, "-35.5|(35.5)|−35.50|-$35.5 million|$-35.5 million|($35.5 million)|$(35.5) million|minus 35.5 million USD"),
    (LOSS, "(35.5) million USD|负35.5|USD -35.5 million|-USD 35.5 million|The answer is: (35.5)|-35,500,000 USD"),
    (number("7", "million CAD"), "$7 million|CAD 7 million|7 million dollars"),
    (number("7", "million NOK"), "kr 7 million|NOK 7 million|7 million kroner|7 million Norwegian kroner"),
    (
        SHARE,
        "12.34%|12.34 percent|１２．３４％|百分之12.34|百分之十二点三四|答案是：12.34%|答案是12.34%|约12.34%|12.341%",
    ),
    (number("-3.2", "%"), "-3.20%|(3.2%)|(3.2)%|负3.2%|百分之负3.2|负百分之3.2|minus 3.2 percent"),
    (TEN_THOUSANDS, "123,456.78|12.345678亿元|1234567800元|人民币123,456.78万元|RMB 1,234,567,800|¥1,234,567,800"),
    (
        TEN_THOUSANDS,
        "1.2345678 billion yuan|CNY 1,234.5678 million|12亿3456.78万元|123456.78万元人民币|合计为123456.78万元。",
    ),
    (TEN_THOUSANDS, "1,234.5678百万元|1,234,567.8千元|1,234,567.8 千元人民币|1.2345678十亿元|12亿3,456万7,800元"),
    (number("3.5", "percentage points"), "3.50个百分点|3.50百分点|3.50"),
    (number("-3.5", "percentage points"), "The answer is: -3.50|-3.50 pp|−3.5"),
    (FIVE, "5家|共5家|五家|共有5家公司。|答案是5家公司。|The answer is: 5.00|５"),
    (number("12", decimals=None), "十二|十二家|共十二家公司"),
    (number("1.94"), "1.94x|1.94:1|1.94倍|1.94 times|1.9449"),
    (
        LISTED,
        "The answer is: ['Cedar SE', 'Alder plc', 'Birch AG']|The answer is: 1. Alder plc 2. Birch AG 3. Cedar SE",
    ),
    (LISTED, 'The answer is:["Alder plc","Birch AG","Cedar SE"].|Alder plc、Birch AG、Cedar SE'),
    (RANKED, "Alder plc > Birch AG > Cedar SE|The answer is: 1. Alder plc (12%), 2. Birch AG (10%), 3. Cedar SE (9%)"),
    (
        RANKED,
        "1. Alder plc: 12.3%\n2. Birch AG: 10.1%\n3. Cedar SE: 9%|Alder plc - 2 million\nBirch AG - 1\nCedar SE - 0",
    ),
    (CHINESE, "答案是：华新股份有限公司、中建集团和远大公司。|答案是：华新股份有限公司；中建集团；远大公司"),
    (CHINESE, "1、华新股份有限公司\n2、中建集团\n3、远大公司|（1）华新股份有限公司\n（2）中建集团\n（3）远大公司"),
    (CHINESE, "答案是：「华新股份有限公司」、「中建集团」、「远大公司」|答案是：①华新股份有限公司②中建集团③远大公司"),
    (
        CHINESE,
        "答案是：共3家，分别为华新股份有限公司、中建集团、远大公司。|符合条件的公司为：华新股份有限公司、中建集团、远大公司。",
    ),
    (Unanswerable(), "[]|The answer is: []|答案是：无|没有公司符合条件|空列表|No company meets both conditions."),
    (MONTH, 'The answer is: "2024-03"|March 2024|2024年3月|2024/03|03/2024'),
]
WRONG: list[tuple[Answer, str]] = [
    (MILLIONS, "1200 USD|1200 thousand|1.2 million USD|1,200,000|-1200|(1200)|1200%|€1,200 million|1200万|1.2亿美元"),
    (MILLIONS, "1200.01|1.2|£1.2 billion|at least 1200|at least USD 1,200 million|USD 1,200 million or EUR 3 million"),
    (LOSS, "35.5|$35.5 million|(355)|-35500 million"),
    (SHARE, "0.1234|12.3%|12%|12.35%|1234%|12.34‰|12.34 percentage points|12.34个百分点|百分之12.35|至少12.34%"),
    (TEN_THOUSANDS, "123456.78元|123456.78亿元|12.35亿|负123456.78|123456.8|123456.78美元|123456.78万元或1万元"),
    (TEN_THOUSANDS, "123456.78百万元|123456.78千元|12,345.68百万元|12亿3,456万7,900元"),
    (number("-3.2", "%"), "$-3.20|€-3.20|-$3.20|3.20%"),
    (FIVE, "5百家|5 千家|5百|5%|6家|五十|5万家|至少5家|5或6家|不是5家|第五"),
    (CHINESE, "答案是：华新股份有限公司、中建集团|华新、中建、远大|[]"),
    (RANKED, "Birch AG > Alder plc > Cedar SE|[]"),
    (Unanswerable(), "0|没有数据的公司：华新股份有限公司"),
    (MONTH, "2024-04|2024|April 2024|Marvin 2024|2024-13"),
]


@pytest.mark.parametrize(("key", "text"), [(key, text) for key, texts in RIGHT for text in texts.split("|")])
def test_notations_of_the_same_answer(key: Answer, text: str) -> None:
    parsed = parse_response(text, key)
    assert parsed is not None and agrees(key, parsed), parsed


@pytest.mark.parametrize(("key", "text"), [(key, text) for key, texts in WRONG for text in texts.split("|")])
def test_answers_that_only_look_the_same(key: Answer, text: str) -> None:
    parsed = parse_response(text, key)
    assert parsed is None or not agrees(key, parsed), parsed
