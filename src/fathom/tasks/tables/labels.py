"""Parses the headings of rows and columns into name, unit and period."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from fathom.corpus.readers.parsing.text_cleanup import word_set
from fathom.tasks.tables.units import Unit, stated_unit

LabelScope = Literal["named", "whole", "plain", "ignored"]
"""The meaning of a heading apart from unit and period: it names something; it says that all parts are taken
together; nothing; or that the figures are not figures of the field, such as changes or page numbers."""

PART_OF_YEAR = "part"
"""The period of a quarter, a half or a month."""

_WORD = re.compile(r"[^\W_]+")
_LIGATURE = re.compile(r"\(cid:\d+\)")
UNREADABLE = "\ue000"
"""Stands for the letters of a ligature that a PDF does not name, as in "first-(cid:415)me"."""
_ENUMERATOR = re.compile(
    r"^(?:\(?[A-Za-z]{0,2}\d{0,3}[.)]|[A-Z]\d{1,2}:)\s+(?=\S)|^[一二三四五六七八九十]{1,3}、|^\(?\d{1,2}\)\s*"
)
_BRACKETS = re.compile(r"\s*[(（\[]([^()（）\[\]]{1,60})[)）\]]")
_TAIL = re.compile(r",\s*([^,()]{1,40})$")
_WHOLE = frozenset(
    {"total", "totals", "grand total", "all", "overall", "sum", "group", "the group", "group total", "total group"}
    | {"consolidated", "company", "university", "university total", "whole university", "whole market", "market total"}
    | {"entire market", "all segments", "all regions"}
    | {"合计", "总计", "总额", "全部", "集团", "本集团", "公司合计", "集团合计", "合并"}
)
_PLAIN = frozenset(
    {"", "value", "values", "amount", "amounts", "figure", "figures", "number", "result", "results", "item", "data"}
    | {"actual", "audited", "unaudited", "as at", "at", "as of", "year", "fiscal year", "financial year", "the year"}
    | {
        "season",
        "academic year",
        "school year",
        "full year",
        "year to date",
        "数值",
        "金额",
        "数据",
        "本年",
        "本期",
        "年度",
        "全年",
    }
)
_IGNORED = re.compile(
    r"\b(?:notes?|page|ref|reference|change|changes|growth|variance|difference|increase|decrease|originally|previously"
    r"|as reported|before restatement|budget|forecast|target|plan|planned|pro forma|rank)\b"
    r"|附注|增减|变动|同比|调整前|原列报|预算|页码",
    re.IGNORECASE,
)
_UNIT_WORDS = word_set(
    "in of thousands thousand million millions billion billions dollars euros euro us per cent percent percentage 000 "
    "000s m mn bn k 元 千元 万元 百万元 亿元 人民币元 人民币千元 人民币万元 人民币百万元 单位",
)
_COUNTS = re.compile(
    r"\b(?:number of|employees|headcount|workforce|staff|personnel|persons|people|customers|members|students|visitors"
    r"|volunteers|apprentices|trainees|full-time equivalents?|FTEs?|stores|branches|outlets)\b"
    r"|人数|员工|职工|家数|户数",
    re.IGNORECASE,
)
_AMOUNTS = re.compile(
    r"cost|expens|wage|salar|pay|remunerat|compensat|benefit|loan|debt|receivable|deposit|fund|fee|sales|revenue|income"
    r"|费用|薪酬|工资|成本|收入|支出|福利",
    re.IGNORECASE,
)
_RESTATED = re.compile(r"\b(?:as )?restated\b|（?(?:经)?重述(?:后)?）?|调整后|[*†‡]+", re.IGNORECASE)
MONTH_NAME = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?"
)
_PART = re.compile(
    r"\bq[1-4]\b|\b[1-4]q\b|\bh[12]\b|\bhalf\b|(?:[1-4](?:st|nd|rd|th)|first|second|third|fourth) quarter\b"
    r"|quarter ended|\bquarter [1-4]\b|(?:three|six|nine|3|6|9) months|[一二三四1-4]季度?|半年|\d{1,2}月(?!\d{1,2}日)"
    rf"|^(?:{MONTH_NAME})\.?(?: \d{{4}})?$",
    re.IGNORECASE,
)
_DATED = re.compile(
    rf"(?:\b(?:as (?:at|of)|at|on|for the|(?:fiscal |financial )?years? (?:ended|ending|to)|ended|period ended)\s+)*"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{MONTH_NAME})\.?,?\s+|(?:{MONTH_NAME})\.?\s+\d{{1,2}},?\s+)(?P<year>(?:19|20)\d\d)\b"
    rf"|\b(?P<iso>(?:19|20)\d\d)-\d\d-\d\d\b|(?P<chinese>(?:19|20)\d\d)年\d{{1,2}}月\d{{1,2}}日",
    re.IGNORECASE,
)
_EARLY = re.compile(r"\b(?:jan|feb|mar|apr|may)|-0[1-5]-|年0?[1-5]月", re.IGNORECASE)
_YEAR = re.compile(
    r"(?:\b(?:FY|fiscal year|financial year|academic year|school year|season|year|in|fall|autumn)\s?)?"
    r"(?<!\d)(?P<year>(?:19|20)\d\d)(?P<to>\s?[-–—/]\s?(?:(?:19|20)\d\d|\d\d)(?!\d))?(?!\d)(?:学年度?|年[度末底]?)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class HeaderLabel:
    """A heading of a row or column, taken apart."""

    text: str
    """The name in it, as printed, without unit, period and enumerator."""
    scope: LabelScope
    period: str
    """A year, `PART_OF_YEAR`, or empty."""
    unit: Unit | None


@lru_cache(maxsize=20_000)
def parse_heading(text: str) -> HeaderLabel:
    """A heading of a row or column, taken apart."""
    label, unit = _without_unit(_ENUMERATOR.sub("", _clean(text)))
    label = _RESTATED.sub("", label)
    label, period = split_period(label)
    label = re.sub(r"[(（]\s*[)）]", "", label).strip(" \t,:;–-—：，")
    return HeaderLabel(label, _scope(label), period, unit)


def normal_label(text: str) -> str:
    """The words of a label, for comparison: "Total assets:" and "TOTAL ASSETS" are the same."""
    text = _LIGATURE.sub(f" {UNREADABLE} ", unicodedata.normalize("NFKC", text)) if "cid:" in text else text
    folded = unicodedata.normalize("NFKC", text).casefold()
    if UNREADABLE in folded:
        joined = re.sub(rf"\s*{UNREADABLE}\s*", UNREADABLE, folded)
        return " ".join(re.findall(rf"(?:[^\W_]|{UNREADABLE})+", joined))
    return " ".join(_WORD.findall(folded))


def names_a_count(label: str) -> bool:
    """Whether a label names a number of people or things, which is no amount even in a table of amounts of money."""
    return _COUNTS.search(label) is not None and _AMOUNTS.search(label) is None


def _clean(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"\*\*|__|<br ?/?>", " ", text)).strip()


def _without_unit(text: str) -> tuple[str, Unit | None]:
    """The text without the unit in brackets, or after the last comma."""
    for match in reversed(list(_BRACKETS.finditer(text))):
        unit = stated_unit(match[1])
        if unit is not None:
            return (text[: match.start()] + text[match.end() :]).strip(), unit
    tail = _TAIL.search(text)
    if tail and (unit := stated_unit(tail[1])) is not None:
        return text[: tail.start()], unit
    whole_unit = stated_unit(text)
    # "Dollars in thousands" or "£m" is a unit as a whole; "Employees" is a noun, "Number" a plain heading.
    if (
        whole_unit is not None
        and whole_unit.kind in ("money", "percent", "scale")
        and len(text) <= 30
        and not _names(text)
    ):
        return "", whole_unit
    return text, None


def _names(text: str) -> bool:
    """Whether the text has words other than those of a unit."""
    words = set(_WORD.findall(text.casefold()))
    return any(word not in _UNIT_WORDS and not re.fullmatch(r"[a-z]{3}", word) for word in words)


def split_period(text: str) -> tuple[str, str]:
    """The text without its period, and the period; a year in the middle of a label belongs to the label."""
    if _PART.search(text):
        return _YEAR.sub("", _PART.sub("", text)).strip(), PART_OF_YEAR
    dated = _DATED.search(text)
    if dated and _EARLY.search(dated[0]):
        # A fiscal year that ends in February 2024 may be called 2023 or 2024.
        return f"{text[: dated.start()]} {text[dated.end() :]}".strip(), PART_OF_YEAR
    if dated:
        year = dated["year"] or dated["iso"] or dated["chinese"]
        return f"{text[: dated.start()]} {text[dated.end() :]}".strip(), year
    years = list(_YEAR.finditer(text))
    if len(years) != 1:
        return text, ""
    match = years[0]
    if match["to"] and not _is_next(match["year"], match["to"]):
        return text, PART_OF_YEAR
    text_before, text_after = text[: match.start()].strip(" ,:–-"), text[match.end() :].strip(" ,:–-")
    return (text, "") if text_before and text_after else (text_before or text_after, match["year"])


def _is_next(year: str, to: str) -> bool:
    """Whether "2024-25" or "2024/2025" is one academic or fiscal year."""
    end = re.sub(r"\D", "", to)
    return int(end) == (int(year) + 1 if len(end) == 4 else (int(year) + 1) % 100)


def _scope(text: str) -> LabelScope:
    words = normal_label(text)
    if words in _WHOLE:
        return "whole"
    if words in _PLAIN:
        return "plain"
    return "ignored" if _IGNORED.search(text) and len(words.split()) <= 4 else "named"
