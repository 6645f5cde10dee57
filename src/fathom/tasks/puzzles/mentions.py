"""Finds values in a response: numbers with their scales and units, dates, and names in several spellings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple
from unicodedata import normalize

from fathom.records.spans import Span

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<{}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DATE = re.compile(
    r"(?P<y1>\d{4})[-/.](?P<m1>\d{1,2})[-/.](?P<d1>\d{1,2})(?!\d)"
    r"|(?P<y2>\d{4}) ?年 ?(?P<m2>\d{1,2}) ?月 ?(?P<d2>\d{1,2}) ?[日号]?"
    rf"|\b(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH.format('m3')}(?:,? (?P<y3>\d{{4}}))?"
    rf"|\b{_MONTH.format('m4')} (?P<d4>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y4>\d{{4}}))?(?!\d)"
    r"|(?P<m5>\d{1,2}) ?月 ?(?P<d5>\d{1,2}) ?[日号]",
    re.IGNORECASE,
)
_WORDS = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
}
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"两": 2}
_SCALES = {
    "thousand": 3, "k": 3, "million": 6, "m": 6, "mn": 6, "billion": 9, "bn": 9, "万": 4, "亿": 8, "千": 3, "百万": 6,
}  # fmt: skip
_NUMBER = re.compile(
    r"(?P<digits>\d{1,3}(?:[,，]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?P<scale> ?(?:thousand|million|billion|bn|mn)\b|[kK](?![A-Za-z])|百万|[万亿千])?"
    r"(?P<unit> ?(?:%|percent\b|per cent\b|(?:centi|kilo)?met(?:er|re)s?|[ck]?m\b|厘米|公里|千米|米))?",
    re.IGNORECASE,
)
_WORD = re.compile(
    r"\b(?P<tens>" + "|".join(_TENS) + r")(?:[- ](?P<one>one|two|three|four|five|six|seven|eight|nine))?\b"
    r"|\b(?P<word>"
    + "|".join(_WORDS)
    + r")\b|(?P<chinese>[一二两三四五六七八九]?十[一二三四五六七八九]?|[零一二两三四五六七八九])",
    re.IGNORECASE,
)
_FACTORS = {"cm": 1, "centimeter": 1, "centimetre": 1, "厘米": 1, "m": 100, "meter": 100, "metre": 100, "米": 100}
_LONG = {
    "m": 1,
    "meter": 1,
    "metre": 1,
    "米": 1,
    "km": 1000,
    "kilometer": 1000,
    "kilometre": 1000,
    "公里": 1000,
    "千米": 1000,
}


class Mention(NamedTuple):
    """A number or date in a text."""

    span: Span
    number: Decimal
    step: Decimal
    """The unit of its last digit: 1 for "12", 10000 for "1.25 million"."""
    unit: str = ""


def plain_text(text: str) -> str:
    """The text with half-width signs, plain dashes and without marks of emphasis."""
    text = normalize("NFKC", text).replace("−", "-").replace("–", "-").replace("—", " - ").replace("\u00a0", " ")
    return re.sub(r"\*\*|__|\\\$|\$(?=\d)|[`$]", "", text.replace("\\times", "×").replace("\\div", "÷"))


def dates_in(text: str) -> Iterator[Mention]:
    """The dates of a text; one without its year has the year 0."""
    for found in _DATE.finditer(text):
        group = next(name[1] for name in ("d1", "d2", "d3", "d4", "d5") if found[name])
        year = found[f"y{group}"] if group != "5" else None
        month = found[f"m{group}"]
        number = int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1
        value = Decimal(int(year or 0) * 10_000 + number * 100 + int(found[f"d{group}"]))
        yield Mention(Span(*found.span()), value, Decimal(1), "date")


def numbers_in(text: str) -> Iterator[Mention]:
    """The numbers of a text, also in words."""
    yield from digits_in(text)
    for found in _WORD.finditer(text):
        yield Mention(Span(*found.span()), Decimal(_worded(found)), Decimal(1))


def digits_in(text: str) -> Iterator[Mention]:
    """The numbers of a text that are written with digits."""
    for found in _NUMBER.finditer(text):
        digits = found["digits"].replace(",", "").replace("，", "")
        scale = Decimal(1).scaleb(_SCALES[(found["scale"] or "").strip().lower()]) if found["scale"] else Decimal(1)
        decimals = len(digits.partition(".")[2])
        unit = (found["unit"] or "").strip().lower()
        yield Mention(Span(*found.span()), Decimal(digits) * scale, scale.scaleb(-decimals), unit)


def _worded(found: re.Match[str]) -> int:
    if found["tens"]:
        return _TENS[found["tens"].lower()] + (_WORDS[found["one"].lower()] if found["one"] else 0)
    if found["word"]:
        return _WORDS[found["word"].lower()]
    chinese = found["chinese"]
    if "十" not in chinese:
        return _DIGITS[chinese]
    tens, _, ones = chinese.partition("十")
    return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)


def states_number(mention: Mention, target: Decimal, unit: str) -> bool:
    """Whether a mention states the target: exactly, in another unit, or rounded to three digits or more."""
    for number, step in _readings(mention, unit):
        if number == abs(target):
            return True
        digits = len(str(int(number / step))) if step else 0
        if digits >= 3 and abs(number - abs(target)) <= step / 2 and not _is_whole_and_small(target):
            return True
    return False


def _is_whole_and_small(target: Decimal) -> bool:
    """A count below ten thousand is not rounded."""
    return target == target.to_integral_value() and abs(target) < 10_000


def _readings(mention: Mention, unit: str) -> Iterator[tuple[Decimal, Decimal]]:
    """The number and its last digit in the unit of the target."""
    yield mention.number, mention.step
    bare = mention.unit.rstrip("s") if mention.unit.isascii() else mention.unit
    factor = {"cm": _FACTORS, "m": _LONG}.get(unit, {}).get(bare)
    if factor is not None and factor != 1:
        yield mention.number * factor, mention.step * factor
    if unit == "%" and mention.number < 1:
        yield mention.number * 100, mention.step * 100


def states_date(mention: Mention, target: Decimal) -> bool:
    """Whether a mention states the date; its year may be left out."""
    return mention.number == target or mention.number == target % 10_000


def name_spans(text: str, names: Sequence[str]) -> Iterator[Span]:
    """The places of a name in one of its spellings."""
    for name in names:
        pattern = re.escape(name)
        if name.isascii():
            pattern = rf"(?<!\w){pattern}(?!\w)"
        for found in re.finditer(pattern, text, re.IGNORECASE):
            yield Span(*found.span())
