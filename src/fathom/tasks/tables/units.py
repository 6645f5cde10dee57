"""Units, scales and numbers as tables print them: "GBP m", "in thousands", "（人民币百万元）", "(1,068)"."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from fathom.corpus.readers.parsing.text_cleanup import word_set

UnitKind = Literal["money", "percent", "count", "scale", "other"]
"""`scale` is a scale alone, such as "in thousands"; `count` says that the figure is a number of things."""

_CODES = word_set(
    "AED ARS AUD BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KES KRW MXN MYR NGN NOK "
    "NZD PEN PHP PKR PLN QAR RMB RON RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR",
)
_SYMBOLS = {"US$": "USD", "C$": "CAD", "A$": "AUD", "HK$": "HKD", "S$": "SGD", "NZ$": "NZD", "$": "$"} | {
    "£": "GBP",
    "€": "EUR",
    "₹": "INR",
    "₩": "KRW",
}
_NAMES = {
    "u.s. dollars": "USD",
    "us dollars": "USD",
    "dollars": "$",
    "pounds sterling": "GBP",
    "euros": "EUR",
    "euro": "EUR",
    "rupees": "INR",
    "美元": "USD",
    "港元": "HKD",
    "欧元": "EUR",
    "英镑": "GBP",
    "日元": "JPY",
    "人民币": "CNY",
}
_SCALES = {
    "thousand": 3,
    "thousands": 3,
    "'000": 3,
    "’000": 3,
    "000s": 3,
    "k": 3,
    "million": 6,
    "millions": 6,
    "mn": 6,
    "mio": 6,
    "m": 6,
    "billion": 9,
    "billions": 9,
    "bn": 9,
    "千": 3,
    "万": 4,
    "百万": 6,
    "千万": 7,
    "亿": 8,
    "十亿": 9,
}
_CURRENCY = re.compile(
    r"(?P<code>(?<![A-Za-z])(?:" + "|".join(sorted(_CODES)) + r")(?![A-Za-z]))"
    r"|(?P<symbol>(?<![A-Za-z])(?:US|HK|NZ|[CAS])\$|[$£€₹₩])"
    r"|(?P<name>(?i:" + "|".join(map(re.escape, sorted(_NAMES, key=len, reverse=True))) + r"))"
    r"|(?P<yuan>元)"
)
_SCALE = re.compile(
    r"(?<![A-Za-z])(?P<word>thousands?|millions?|billions?)(?![A-Za-z])|(?P<thousand>['’]000|000s)(?![A-Za-z\d])"
    r"|(?P<chinese>百万|千万|十亿|千|万|亿)(?=元|美元|港元|欧元|英镑|日元|股|人|户|套|吨|千瓦|立方米|平方米|公顷)",
    re.IGNORECASE,
)
_SHORT_SCALE = re.compile(r"(?<![A-Za-z])(mn|mio|bn|m|k)(?![A-Za-z])", re.IGNORECASE)
_PERCENT = re.compile(r"%|％|per ?cent(?:age)?|百分比|pct\.?", re.IGNORECASE)
_COUNTED = word_set(
    "number no. no count ratio times x persons people employees headcount students homes units households firms shares "
    "人 名 家 个 项 件 套 户 所 次 股 倍 人数",
)
_TIMES = word_set("days hours months years weeks ms s 天 小时 月 年")
_MEASURES = {
    word.lower(): word
    for word in (
        *_TIMES,
        *word_set("tonnes tons kg km km2 m2 m3 mm cm ha hectares acres liters litres hectoliters hl barrels points"),
        *word_set(
            "TEU kW MW GW kWh MWh GWh TWh TJ MJ GJ tCO2e 克 千克 公斤 吨 千米 公里 公顷 亩 立方米 平方米 平方公里"
        ),
        *word_set("千瓦 兆瓦 千瓦时 兆瓦时"),
        *("sq km", "square metres", "square meters", "sq m", "cubic metres", "cubic meters", "sq ft", "square feet"),
    )
}
"""Units of other figures in lower case, with their usual spelling."""
_NO_COUNTS = word_set("number no. no count ratio times x 倍 人数")
"""Words for a count that do not follow a number: "3 times" is a ratio."""
_PER_UNIT = re.compile(r"(?:/ ?(?:share|股)|per share|each)$", re.IGNORECASE)

MISSING = re.compile(
    r"n\.?/?a\.?|n\.?d\.?|not (?:disclosed|available|applicable|reported|published|provided)"
    r"|未披露|不适用|暂无数据|未提供",
    re.IGNORECASE,
)
"""A cell that says that there is no figure. A dash may also mean zero, so it says nothing."""

_SPACES = "\u0020\u00a0\u2009\u202f"
_WHOLE = rf"\d{{1,3}}(?:[{_SPACES}]?[,，][{_SPACES}]?\d{{3}})+|\d{{1,3}}(?:[{_SPACES}'’]\d{{3}})+|\d+"
_CELL = re.compile(
    rf"(?P<open>[(（])?\s*(?P<sign>[-−–－+])?\s*(?P<money>(?:US|HK|NZ|[CAS])?\$|[£€₹¥￥]|[A-Z]{{3}}(?=\s?\d))?\s*"
    rf"(?P<inner>[-−–－])?(?P<digits>(?:{_WHOLE})(?:\.\d+)?|\.\d+)\s*(?P<close>[)）])?"
    r"\s*(?P<percent>%|％)?\s*(?P<late>[)）])?(?:\s?[*†‡]{1,3}|\[\w\]|\s?\([a-z]\))?"
)
_BARE_YEAR = re.compile(r"(?:19|20)\d\d")
_IN_WORDS = re.compile(
    rf"[(（]?\s*(?P<before>[^\d\s()（）]{{0,4}}?)\s*(?P<sign>[-−–－])?\s*(?P<digits>(?:{_WHOLE})(?:\.\d+)?)\s?"
    r"(?P<after>[^\W\d_][^\d,;()（）]{0,24}[23]?|['’]000)\s*(?P<close>[)）])?"
)
"""A number with a unit in words: "$3.2 million", "4,300 MWh", "12.5亿元"."""


@dataclass(frozen=True)
class Unit:
    """A unit with its scale."""

    kind: UnitKind
    name: str = ""
    """The currency, "%", or the word for a measure such as "days"."""
    scale: int = 0
    """The power of ten."""


@dataclass(frozen=True)
class CellNumber:
    """The number in a cell."""

    value: Decimal
    start: int
    end: int
    """The digits with their sign, inside the cell's text."""
    unit: Unit | None
    year_like: bool
    """A bare number such as 2019, which may be a heading."""


def parse_cell(text: str) -> CellNumber | None:
    """The number that a cell consists of; None if it has other words, or two numbers."""
    match = _CELL.fullmatch(text)
    if match is None:
        return _in_words(text)
    if bool(match["open"]) != bool(match["close"] or match["late"]):
        return None
    digits = re.sub(rf"[{_SPACES}'’,，]", "", match["digits"])
    negative = bool(match["open"]) or (match["sign"] or match["inner"] or "+") != "+"
    start = match.start("sign") if match["sign"] and not match["money"] else match.start("digits")
    unit = Unit("percent", "%") if match["percent"] else None
    if match["money"]:
        name = _SYMBOLS.get(match["money"], match["money"] if match["money"] in _CODES else "")
        unit = Unit("money", "CNY" if name == "RMB" else name) if name else Unit("other", match["money"])
    bare = not (match["open"] or match["sign"] or unit) and bool(_BARE_YEAR.fullmatch(match["digits"]))
    return CellNumber(-Decimal(digits) if negative else Decimal(digits), start, match.end("digits"), unit, bare)


def _in_words(text: str) -> CellNumber | None:
    """The number of a cell that states its scale or its unit in words; None if it has any other words."""
    match = _IN_WORDS.fullmatch(text.strip())
    if match is None or bool(match["close"]) != text.strip().startswith(("(", "（")):
        return None
    words = unicodedata.normalize("NFKC", f"{match['before']} {match['after']}").strip()
    unit = stated_unit(words)
    # "30 days" and "12 months" are headings of columns as well.
    if unit is None or unit.name in _TIMES or words.lower() in _NO_COUNTS or _leftover(words, unit):
        return None
    digits = Decimal(re.sub(rf"[{_SPACES}'’,，]", "", match["digits"]))
    negative = bool(match["close"] or match["sign"])
    offset = len(text) - len(text.lstrip())
    start = match.start("sign" if match["sign"] and not match["before"] else "digits")
    return CellNumber(-digits if negative else digits, start + offset, match.end("digits") + offset, unit, False)


def _leftover(words: str, unit: Unit) -> str:
    """The words after an amount of money or a scale, without its unit."""
    if unit.kind not in ("money", "scale"):
        return ""
    leftover = _CURRENCY.sub("", _SCALE.sub("", words))
    leftover = (_SHORT_SCALE.sub("", leftover) if unit.kind == "money" else leftover).strip()
    return "" if leftover.lower() in _COUNTED - _NO_COUNTS else leftover


def stated_unit(text: str) -> Unit | None:
    """The unit that a note, a caption's end or the words in brackets state; None if they state none."""
    text = unicodedata.normalize("NFKC", text).strip(" .:;,")
    if not text:
        return None
    if _PERCENT.fullmatch(text.lower().removeprefix("in ")):
        return Unit("percent", "%")
    plain = text.lower()
    if plain in _COUNTED:
        return Unit("count")
    if plain in _MEASURES:
        return Unit("other", _MEASURES[plain])
    if _is_rate(plain):
        return Unit("other", text)
    per_unit = bool(_PER_UNIT.search(text))
    currencies = {_currency(match) for match in _CURRENCY.finditer(text)}
    # "人民币百万元" and "US$" with "dollars" name one currency twice.
    currencies -= {"$"} if len(currencies) > 1 else set()
    scales = {
        _SCALES[(match["word"] or match["thousand"] or match["chinese"]).lower()] for match in _SCALE.finditer(text)
    }
    if currencies and not scales and (short := _SHORT_SCALE.search(text)):
        scales = {_SCALES[short[1].lower()]}
    if len(currencies) > 1 or len(scales) > 1:
        return None
    scale = 0 if per_unit else next(iter(scales), 0)
    if currencies:
        return Unit("money", currencies.pop(), scale)
    measured = _SCALE.sub("", text).strip().lower()
    if scale and measured in _MEASURES:
        return Unit("other", _MEASURES[measured], scale)
    return Unit("scale", "", scale) if scale else None


def _is_rate(text: str) -> bool:
    """Whether a unit in lower case is one measure divided by another, such as "g/kwh" or "人/平方公里"."""
    over, _, under = text.partition("/")
    return over.strip() in {*_MEASURES, *_COUNTED, "g", "mg", "t"} and under.strip() in _MEASURES


def _currency(match: re.Match[str]) -> str:
    if match["code"]:
        return "CNY" if match["code"] == "RMB" else match["code"]
    if match["symbol"]:
        return _SYMBOLS[match["symbol"]]
    return _NAMES[match["name"].lower()] if match["name"] else "CNY"
