"""Rewrites amounts as people print them to the plain notation that `numerals` reads.

"USD 1,200 million" becomes "1,200 million USD", "(35.5)" in accounts is "-35.5", "百分之十二点五" is "12.5%", and
"12亿3456万元" is "123456万元". What an amount is worth never depends on the key; its unit only says which currency a
sign such as "$", "¥" or "kr" stands for, and whether brackets can mean a negative amount.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from fathom.scoring.parsing.numerals import split_scale

CURRENCIES: Final[dict[str, str]] = {
    **dict.fromkeys(("dollars", "dollar"), "$"),
    **dict.fromkeys(("kroner", "krone", "kronor", "krona"), "kr"),
    **dict.fromkeys(("us dollars", "us dollar", "u.s. dollars", "u.s. dollar", "美元"), "USD"),
    **dict.fromkeys(("euros", "euro", "欧元"), "EUR"),
    **dict.fromkeys(("pounds sterling", "british pounds", "pounds", "英镑"), "GBP"),
    **dict.fromkeys(("人民币元", "元人民币", "人民币", "renminbi", "chinese yuan", "yuan", "rmb", "元"), "CNY"),
    **dict.fromkeys(("japanese yen", "yen", "日元"), "JPY"),
    **dict.fromkeys(("hong kong dollars", "港元", "港币"), "HKD"),
    **dict.fromkeys(("norwegian kroner", "norwegian krone", "挪威克朗"), "NOK"),
    **dict.fromkeys(("swedish kronor", "swedish krona", "瑞典克朗"), "SEK"),
    **dict.fromkeys(("danish kroner", "danish krone", "丹麦克朗"), "DKK"),
    **dict.fromkeys(("swiss francs", "swiss franc", "瑞士法郎"), "CHF"),
}
_SIGNS = {
    "$": frozenset({"USD", "CAD", "AUD", "NZD", "HKD", "SGD", "TWD", "MXN"}),
    "¥": frozenset({"CNY", "JPY"}),
    "kr": frozenset({"NOK", "SEK", "DKK", "ISK"}),
}
_USUAL = {"US$": "USD", "$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "kr": "kr"}
_CODE = r"[A-Z]{3}"
_NAMES = "|".join(sorted(map(re.escape, CURRENCIES), key=len, reverse=True))
_SCALE = r"hundred|thousand|million|billion|trillion|万亿|亿|万"
_DIGITS = r"\d[\d,]*(?:\.\d+)?|\.\d+"
_NAME = re.compile(rf"(?<![A-Za-z])(?:of )?(?:{_NAMES})(?![A-Za-z])", re.IGNORECASE)
_CODE_FIRST = re.compile(
    rf"(?<![A-Za-z])(?P<minus>-)?(?P<code>{_CODE}|kr)[ \t]?(?P<number>-?(?:{_DIGITS}))(?:[ \t]?(?P<scale>{_SCALE}))?",
)
_SIGN_FIRST = re.compile(
    rf"(?P<minus>-)?(?P<code>US\$|[$€£¥])[ \t]?(?P<number>-?(?:{_DIGITS}))(?:[ \t]?(?P<scale>{_SCALE}))?"
)
_BRACKETED = re.compile(
    rf"(?<![\w)])(?P<before>[$€£¥]|US\$|{_CODE}[ \t])?\((?P<sign>US\$|[$€£¥])?(?P<number>{_DIGITS})"
    r"(?P<rest>%|[^()\d\n]{0,20})\)(?!\w)"
)
_SHORT_SCALE = re.compile(
    r"(?<=\d)[ \t]?(?P<scale>k|mm|mn|mln|mio\.?|m|bn|bln|b|tn|thousands|millions|billions|trillions)(?![A-Za-z])",
    re.IGNORECASE,
)
_FULL_SCALES = {
    **dict.fromkeys(("k", "thousands"), "thousand"),
    **dict.fromkeys(("m", "mm", "mn", "mln", "mio", "mio.", "millions"), "million"),
    **dict.fromkeys(("b", "bn", "bln", "billions"), "billion"),
    **dict.fromkeys(("tn", "trillions"), "trillion"),
}
_SCALE_LAST = re.compile(rf"({_DIGITS})[ \t]({_CODE})[ \t]({_SCALE})(?![A-Za-z])")
"""The currency before the scale: "4.5 USD million"."""
_IN_SCALE = re.compile(
    r"(?<=\d),?[ \t]\(?in (thousand|million|billion|trillion)s(?: of)?(?=[ \t.,)]|\Z)\)?", re.IGNORECASE
)
"""The scale after a comma: "4.5, in millions of dollars"."""
_NEGATIVE_WORD = re.compile(r"(?:\b(?:minus|negative)[ \t]|负)(?=[ \t]?(?:US\$|[$€£¥]|[A-Z]{3} )?[\d.])", re.IGNORECASE)
_TIMES = re.compile(r"(?<=\d)(?:[ \t]?[x×](?![\w ]*\d)|倍|:1(?![\d.]))")
_CHINESE_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_CHINESE_TENS = {"十": 10, "百": 100, "千": 1000}
_NUMERAL = "[零〇一二两三四五六七八九十百千]+(?:点[零〇一二三四五六七八九]+)?"
_CHINESE = re.compile(
    rf"(?:(?<=[\s:：（(\"“为是有共约负之计达])|\A)(?P<number>{_NUMERAL})(?=\Z|[\s。，,.）)\"”%万亿元家个所座名位人项份国倍篇本])"
)
_PARTS_PER_HUNDRED = re.compile(rf"(?P<minus>负|-)?百分之(?P<inner>负|-)?(?P<number>{_DIGITS})")
_TWO_SCALES = re.compile(
    r"(?:(?P<high>\d[\d,]{0,12}(?:\.\d{1,6})?)亿)?(?P<low>\d[\d,]{0,12}(?:\.\d{1,6})?)万"
    r"(?P<rest>\d[\d,]{0,4}(?:\.\d{1,2})?(?=元))?"
)
_MULTIPLE = re.compile(rf"(?<![\d,.])(?P<number>{_DIGITS})[ \t]?(?P<times>[十百千])(?![十百千分克米瓦])")
_SIGN_BEFORE_MINUS = re.compile(r"(US\$|[$€£¥])[ \t]?-[ \t]?(?=[\d.])")
_POINTS = re.compile(r"(?<=\d)[ \t]?个?百分点")
_GLUED = re.compile(r"(?<=[\u4e00-\u9fff])(?=-?[$€£¥]?\d)")


def plain_amounts(text: str, unit: str) -> str:
    """The text with its amounts in plain notation; `unit` is that of the key."""
    text = text.replace("−", "-")
    if not text.isascii():
        text = _from_chinese(text)
    text = _SIGN_BEFORE_MINUS.sub(r"-\1", _NEGATIVE_WORD.sub("-", text))
    code = currency_of(unit)
    if not unit:
        text = _TIMES.sub("", text)
    if unit:
        text = _BRACKETED.sub(_negative, text)
    if code:
        text = _NAME.sub(lambda match: f" {_code(CURRENCIES[match[0].lower().removeprefix('of ')], code)}", text)
        text = _SHORT_SCALE.sub(lambda match: f" {_FULL_SCALES[match['scale'].lower()]}", text)
        text = _SCALE_LAST.sub(r"\1 \3 \2", _IN_SCALE.sub(lambda match: f" {match[1].lower()}", text))
        for pattern in (_SIGN_FIRST, _CODE_FIRST):
            text = pattern.sub(lambda match: _with_code_last(match, code), text)
    return _GLUED.sub(" ", text) if not text.isascii() else text


def currency_of(unit: str) -> str:
    """The code of the currency in a unit: "EUR" for "million EUR", "CNY" for "万元"; empty if there is none."""
    base = split_scale(unit)[1].strip()
    return base if re.fullmatch(_CODE, base) else CURRENCIES.get(base.lower(), "")


def _code(sign: str, wanted: str) -> str:
    """The code of a currency; a sign of several currencies stands for the wanted one if it is among them."""
    if wanted in _SIGNS.get(sign, ()):
        return wanted
    return _USUAL.get(sign) or CURRENCIES.get(sign.lower(), sign)


def _with_code_last(found: re.Match[str], wanted: str) -> str:
    """The amount with the code of its currency behind it."""
    number = found["number"].lstrip("-")
    negative = bool(found["minus"]) != found["number"].startswith("-")
    scale = f" {found['scale']}" if found["scale"] else ""
    return f"{'-' if negative else ''}{number}{scale} {_code(found['code'], wanted)}"


def _negative(found: re.Match[str]) -> str:
    """ "($35.5 million)" as "-$35.5 million"; words in brackets ("(12 months)") are not an amount."""
    rest = found["rest"]
    if rest.strip() and not re.fullmatch(
        rf"\s?(?:%|{_SCALE}|[kKmMbB]n?)?\s?(?:{_CODE}|{_NAMES}|%)?", rest, re.IGNORECASE
    ):
        return found[0]
    return f"-{(found['before'] or '').strip()}{found['sign'] or ''}{found['number']}{rest}"


def _from_chinese(text: str) -> str:
    text = _MULTIPLE.sub(_multiplied, text)
    text = _CHINESE.sub(lambda match: chinese_number(match["number"]) or match[0], text)
    text = _PARTS_PER_HUNDRED.sub(
        lambda match: f"{'-' if match['minus'] or match['inner'] else ''}{match['number']}%", text
    )
    text = _POINTS.sub(" percentage points", text)
    return _TWO_SCALES.sub(_in_ten_thousands, text)


def _multiplied(found: re.Match[str]) -> str:
    """ "55.97百" of "55.97百万" as "5597.00"."""
    return f"{Decimal(found['number'].replace(',', '')) * _CHINESE_TENS[found['times']]:f}"


def _in_ten_thousands(found: re.Match[str]) -> str:
    high, low, rest = (Decimal((found[name] or "0").replace(",", "")) for name in ("high", "low", "rest"))
    return f"{high * 10_000 + low + rest / 10_000:f}万" if found["high"] or found["rest"] else found[0]


def chinese_number(numeral: str) -> str:
    """A Chinese numeral below ten thousand in digits: "12.5" for "十二点五"; empty if it is none."""
    whole, _, part = numeral.partition("点")
    total = digit = 0
    for sign in whole:
        if sign in _CHINESE_TENS:
            total += (digit or 1) * _CHINESE_TENS[sign]
            digit = 0
        elif digit:
            return ""
        else:
            digit = _CHINESE_DIGITS[sign]
    decimals = "".join(str(_CHINESE_DIGITS[sign]) for sign in part)
    return f"{total + digit}{'.' if decimals else ''}{decimals}"
