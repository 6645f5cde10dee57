"""Finds values in a response: numbers with their scales and units, dates, and names in several spellings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple
from unicodedata import combining, normalize

from fathom.records.spans import Span
from fathom.scoring.parsing.numerals import numbers_in_words

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
    r"|(?P<m5>\d{1,2}) ?月 ?(?P<d5>\d{1,2}) ?[日号]"
    r"|(?P<m6>[一二三四五六七八九十]{1,2})月(?P<d6>[一二三四五六七八九十]{1,3})[日号]"
    r"|\b(?P<d7>\d{1,2})(?P<mark>[/.])(?P<m7>\d{1,2})(?P=mark)(?P<y7>\d{4})(?!\d)",
    re.IGNORECASE,
)
_CHINESE_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_CHINESE_TENS = {"十": 10, "百": 100, "千": 1000}
_CHINESE_NUMBER = re.compile("(?P<percent>百分之)?(?P<digits>[零〇一二两三四五六七八九十百千]+)(?P<scale>[万亿])?")
_SCALES = {
    "thousand": 3, "k": 3, "million": 6, "m": 6, "mn": 6, "billion": 9, "b": 9, "bn": 9, "万": 4, "亿": 8, "千": 3,
    "百万": 6,
}  # fmt: skip
_NUMBER = re.compile(
    r"(?P<digits>\d{1,3}(?:[,，]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?P<scale> ?(?:thousand|million|billion|bn|mn)\b|(?:[kK]|(?-i:[MB]))(?![A-Za-z])|百万|[万亿千])?"
    r"(?P<unit> ?(?:%|percent\b|per cent\b|(?:centi|kilo)?met(?:er|re)s?|[ck]?m\b|厘米|公里|千米|米))?",
    re.IGNORECASE,
)
_SPACED = re.compile(r"(?<![\d.,])\d{1,3}(?: \d{3})+(?!\d)")
_TABLE_SCALES = (3, 4, 6, 8, 9)
"""Powers of ten that the head of a table states once for all of its figures."""
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
    """The text with half-width signs, plain letters and dashes, and without marks of emphasis."""
    text = _without_accents(normalize("NFKC", text)).translate(_SIGNS)
    if "\\" in text:
        for pattern, plain in _LATEX:
            text = re.sub(pattern, plain, text)
    return re.sub(r"\*\*|__|\\\$|\$(?=\d)|[`$]", "", text)


def _without_accents(text: str) -> str:
    """The text with plain Latin letters: "Lan Dang" for "Lan Đặng"."""
    if text.isascii():
        return text
    decomposed = normalize("NFD", text.translate(_LETTERS))
    return normalize("NFC", "".join(sign for sign in decomposed if not combining(sign)))


_LETTERS = str.maketrans("đĐłŁøØ", "dDlLoO")
_LATEX = (
    (r"\{,\}", ","),
    (r"\\(?:text|textbf|mathbf|mathrm|mathit|operatorname) ?\{([^{}]*)\}", r"\1"),
    (r"\\[dtc]?frac ?\{([\d.,%]+)\} ?\{([\d.,%]+)\}", r"\1 / \2"),
    (r"\\[dtc]?frac ?\{([^{}]*)\} ?\{([^{}]*)\}", r"(\1) / (\2)"),
    (r"\\(?:times|cdot)", "×"),
    (r"\\div", "÷"),
    (r"\\approx", "≈"),
    (r"\\%", "%"),
    (r"\\(?:left|right|quad|qquad|[,;:! ])", " "),
)
"""Commands of LaTeX and what they print; what is in braces comes before the fraction that contains it."""
_SIGNS = str.maketrans({"−": "-", "–": "-", "—": " - ", "\u00a0": " "})


def dates_in(text: str) -> Iterator[Mention]:
    """The dates of a text; one without its year has the year 0. 3/4/2024 may be in March or April."""
    for match in _DATE.finditer(text):
        group = next(number for number in "1234567" if match[f"d{number}"])
        year = int(match[f"y{group}"] or 0) if group not in "56" else 0
        month, day = _month(match[f"m{group}"]), _whole_number(match[f"d{group}"])
        orders = [(month, day), (day, month)] if group == "7" else [(month, day)]
        for number, other in dict.fromkeys(orders):
            yield Mention(Span(*match.span()), Decimal(year * 10_000 + number * 100 + other), Decimal(1), "date")


def _month(text: str) -> int:
    return _MONTHS.index(text[:3].lower()) + 1 if text[0].isascii() and text[0].isalpha() else _whole_number(text)


def _whole_number(text: str) -> int:
    return int(text) if text.isdigit() and text.isascii() else _chinese(text)


def numbers_in(text: str) -> Iterator[Mention]:
    """The numbers of a text, also in words."""
    yield from digits_in(text)
    for word in numbers_in_words(text):
        if word.value is not None:
            yield Mention(Span(word.start, word.end), word.value, Decimal(1), word.unit)
    for match in _CHINESE_NUMBER.finditer(text):
        scale = Decimal(1).scaleb(_SCALES[match["scale"]] if match["scale"] else 0)
        unit = "%" if match["percent"] else ""
        yield Mention(Span(*match.span()), _chinese(match["digits"]) * scale, Decimal(1), unit)


def digits_in(text: str) -> Iterator[Mention]:
    """The numbers of a text that are written with digits."""
    for match in _NUMBER.finditer(text):
        digits = match["digits"].replace(",", "").replace("，", "")
        scale = Decimal(1).scaleb(_SCALES[(match["scale"] or "").strip().lower()]) if match["scale"] else Decimal(1)
        decimals = len(digits.partition(".")[2])
        unit = (match["unit"] or "").strip().lower()
        yield Mention(Span(*match.span()), Decimal(digits) * scale, scale.scaleb(-decimals), unit)
    for match in _SPACED.finditer(text):  # beside its parts: "538 198" may be two numbers
        yield Mention(Span(*match.span()), Decimal(match[0].replace(" ", "")), Decimal(1))


def _chinese(text: str) -> int:
    """The number of Chinese numerals: 326 for 三百二十六, 16 for 十六."""
    total, digit = 0, None
    for sign in text:
        if sign in _CHINESE_TENS:
            total += (1 if digit is None else digit) * _CHINESE_TENS[sign]
            digit = None
        else:
            digit = (digit or 0) * 10 + _CHINESE_DIGITS[sign]
    return total + (digit or 0)


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
    scale = unit.partition(" ")[0]
    if scale in ("thousand", "million", "billion"):  # results are in units such as "thousand operations per second"
        yield mention.number.scaleb(-_SCALES[scale]), mention.step.scaleb(-_SCALES[scale])
    if is_money(unit) and mention.step <= 1:
        millions = (6,) if bare == "m" else _TABLE_SCALES if not bare else ()
        yield from ((mention.number.scaleb(power), mention.step.scaleb(power)) for power in millions)


def is_money(unit: str) -> bool:
    """Whether a unit is a currency by its code."""
    return len(unit) == 3 and unit.isascii() and unit.isupper()


def states_date(mention: Mention, target: Decimal) -> bool:
    """Whether a mention states the date; its year may be left out."""
    return mention.number == target or mention.number == target % 10_000


def name_spans(text: str, names: Sequence[str]) -> Iterator[Span]:
    """The places of a name in one of its spellings."""
    for name in map(plain_text, names):
        pattern = re.escape(name)
        if name.isascii():
            pattern = rf"(?<!\w){pattern}(?!\w)"
        for match in re.finditer(pattern, text, re.IGNORECASE):
            yield Span(*match.span())
