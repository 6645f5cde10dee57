"""Parses numbers in digits and in words: "1,234", "4.5e3", "one hundred and five", "12%"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from fathom.scoring.answers import Number
from fathom.scoring.parsing.non_answers import BOUND, BOUND_AFTER, DENIED_AFTER, DENIED_LATER, HEDGE
from fathom.scoring.parsing.normalization import plain

MAX_NUMBER_LENGTH: Final = 400
"""The maximum number of digits and the largest power of ten. Without a limit, one response could stall the scorer."""
_UNITS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_SMALL = {word: value for value, word in enumerate(f"{_UNITS} seventeen eighteen nineteen".split())}
_TENS = {
    word: 10 * value
    for value, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2)
}
_SCALES = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_CHINESE_SCALES = {"万亿": 12, "亿": 8, "万": 4}
_SHORT_SCALES = {"k": 3, "K": 3, "M": 6, "mn": 6, "bn": 9, "B": 9}
_ORDINALS = frozenset({"st", "nd", "rd", "th"})
_WORD = "|".join((*_SMALL, *_TENS, *_SCALES))
_DIGIT_WORD = "|".join(list(_SMALL)[:10])
_RATIO = r"[ \t]?(?P<ratio>(?:percentage|%|pct\.?)[ -]points?\b|%|％|‰|per[ ]?cent\b|pct\b|p\.p\.|ppt?s?\b)"
_POINTS = ("pp", "p.p")
_IN_WORDS = re.compile(
    rf"(?<![\w-])(?:(?P<minus>minus|negative) )?(?P<words>(?:an? (?=hundred|thousand|million))?(?:{_WORD})"
    rf"(?:(?: ?- ?| (?:and )?)(?:{_WORD})(?![a-z]))*+(?: point(?: (?:{_DIGIT_WORD})\b)++)?)(?!\w)(?:{_RATIO})?",
    re.IGNORECASE,
)
_IN_DIGITS = re.compile(
    r"(?<![\w.])(?<![^\W\d_][-–])(?P<sign>[-+−–]|minus |negative )?(?:(?P<before>US\$|[$€£¥])\s?)?"
    r"(?:(?P<whole>\d{1,3}(?P<mark>[,'’_ \u00a0\u2009\u202f])\d{3}(?:(?P=mark)\d{3})*(?!\d)|\d++)(?P<part>\.\d++)?"
    r"|(?P<only>\.\d++))"
    r"(?P<power>e[-+]?\d{1,4}(?!\d)|\s?[x×*·]\s?10\s?\^\s?\{?[-+−]?\d{1,4}\}?)?"
    r"(?:/(?P<under>\d{1,15})(?!\d|\.\d))?(?!\d|\.\d|/\d)"
    rf"(?:{_RATIO}"
    r"|\s?(?P<scale>(?:hundred|thousand|million|billion|trillion)\b|万亿|亿|万)|(?P<after>[a-zµ]++|[€£¥°]))?",
    re.IGNORECASE,
)
SIMPLE = re.compile(r"[-+]?(?:\d{1,40}|\d{1,3}(?:,\d{3}){1,12})(?:\.\d{1,40})?")
_UNIT_WORDS = re.compile(r"[^\W\d_]+(?:[ /.-][^\W\d_]+){0,2}")
_NO_UNITS = frozenset(
    {"in", "on", "at", "of", "for", "to", "by", "from", "with", "between", "after", "before", "as", "and", "or"}
    | {"when", "that", "which", "per"}
)
"""Words after a number that are no unit: "the age of 56 in that year"."""
_AFTER_NUMBER = re.compile(r"[ \t]?(?:(?!and\b)[^\W\d_]+[ \t-]){0,4}(?:[^\W\d_]+)?\.?")
"""The noun of a number: "5 authors in total", not "5 authors and tides"."""
_BEFORE_NUMBER = re.compile(
    r"(?:(?:so|thus|hence|there|it|it's|the|a|total|of|is|are|was|were|in"
    r"|exactly|only|just|count|number"
    r"|value|sum|average|mean|result|answer|final)\b[\s:]*|[=:]\s*){0,10}",
    re.IGNORECASE,
)


class FoundNumber(NamedTuple):
    """A number found in a text."""

    value: Decimal | None
    """None if it has no exact value ("1/3")."""
    unit: str
    start: int
    end: int
    scaled: bool = False
    """Whether a word states its power of ten: "5 million"."""


def numbers_in(text: str) -> list[FoundNumber]:
    """The first numbers in `text`, up to four in digits and four in words; enough to know if there are several."""
    found = [number for match in islice(_IN_DIGITS.finditer(text), 4) if (number := _from_digits(match))]
    spelled = [*islice(numbers_in_words(text), 4)]
    if found and spelled:  # the word in "5 million" belongs to the digits
        ends = {number.end for number in found}
        spelled = [number for number in spelled if number.end not in ends]
    return sorted(found + spelled, key=lambda number: number.start) if spelled else found


def every_number(text: str) -> list[FoundNumber]:
    """All numbers in `text` in order, in digits or in words."""
    found = [number for match in _IN_DIGITS.finditer(text) if (number := _from_digits(match))]
    taken = {at for number in found for at in (number.start, number.end)}
    spelled = [one for one in numbers_in_words(text) if one.start not in taken and one.end not in taken]
    return sorted(found + spelled, key=lambda number: number.start)


def numbers_in_words(text: str) -> Iterator[FoundNumber]:
    """The numbers that the text spells out."""
    return map(_from_words, _IN_WORDS.finditer(text))


def _from_digits(match: re.Match[str]) -> FoundNumber | None:
    """The number that `_IN_DIGITS` matched; None for an ordinal such as "4th"."""
    _, sign, before, whole, mark, part, only, power, under, ratio, scale, after = (match[0], *match.groups())
    if after and after.lower() in _ORDINALS:
        return None
    if whole and mark:
        whole = whole.replace(mark, "")
    digits = f"{'-' if sign and sign != '+' else ''}{whole or '0'}{part or only or ''}"
    tens = _power_of(power, scale or (after if after in _SHORT_SCALES else None))
    unit = _ratio(ratio) if ratio else before or ("" if after in _SHORT_SCALES else after or "")
    scaled = bool(scale) or after in _SHORT_SCALES
    return FoundNumber(_exact(digits, tens, under), unit, match.start(), match.end(), scaled)


def _power_of(power: str | None, scale: str | None) -> int:
    """The power of ten in "e5", "× 10^5" and "million"."""
    tens = int(power.replace("−", "-").rpartition("^")[2].strip(" eE{}")) if power else 0
    if not scale:
        return tens
    return tens + (_SCALES.get(scale.lower()) or _CHINESE_SCALES.get(scale) or _SHORT_SCALES.get(scale, 0))


def _ratio(sign: str) -> str:
    """One spelling for each kind of ratio: "per cent" is "%", percentage points are not."""
    sign = sign.lower()
    if "point" in sign or sign.startswith(_POINTS):
        return "percentage points"
    return "‰" if sign == "‰" else "%"


def _exact(digits: str, power: int, under: str | None) -> Decimal | None:
    """The value, if it is exact and of a reasonable size."""
    if len(digits) > MAX_NUMBER_LENGTH or abs(power) > MAX_NUMBER_LENGTH:
        return None
    try:
        if under is None:
            return Decimal(f"{digits}E{power}") if power else Decimal(digits)
        return _quotient(int(digits), int(under)) if not power else None
    except (InvalidOperation, ValueError):
        return None


def _quotient(over: int, under: int) -> Decimal | None:
    """The quotient if 15 decimals are enough for it: 3/4 is 0.75, 1/3 has no exact value."""
    if under == 0 or over * 10**15 % under:
        return None
    return Decimal(f"{over * 10**15 // under}E-15")


def _from_words(match: re.Match[str]) -> FoundNumber:
    words, _, decimals = match["words"].casefold().partition(" point ")
    value = _spelled_out(words.replace("-", " ").split())
    digits = "".join([str(_SMALL.get(word, "")) for word in decimals.split()])
    exact = None if value is None else Decimal(f"{'-' if match['minus'] else ''}{value}.{digits}")
    return FoundNumber(exact, _ratio(match["ratio"]) if match["ratio"] else "", match.start(), match.end())


def _spelled_out(words: Iterable[str]) -> int | None:
    """The number that the words spell together; None if they spell none ("five twenty")."""
    total, part, room, ceiling = 0, 0, 1_000, 10**15
    # `total` is the sum of the finished groups ("two thousand"), `part` the current group. The next word below a
    # hundred must be less than `room`: after "twenty" only one to nine, after "five" none. The next scale must be less
    # than `ceiling`.
    for word in words:
        if word in {"and", "a", "an"}:
            continue
        if word == "hundred":
            if part >= 100 or room == 0:
                return None
            part, room = (part or 1) * 100, 100
        elif word in _SCALES:
            scale = 10 ** _SCALES[word]
            if scale >= ceiling or room == 0:
                return None
            total, part, ceiling, room = total + (part or 1) * scale, 0, scale, 1_000
        else:
            value = _TENS.get(word) or _SMALL.get(word)
            if value is None or value >= room or (value == 0 and (part or total)):
                return None
            part, room = part + value, 10 if word in _TENS else 1 if value else 0
    return total + part


def number_of(text: str, unit: str = "") -> Number | None:
    """The number, if `text` has exactly one and little else; words after it are its unit only if `unit` is given."""
    return _cached_number(text, unit) if len(text) <= 40 else _number_of(text, unit)


def _number_of(text: str, unit: str) -> Number | None:
    if SIMPLE.fullmatch(text):  # the most frequent form
        return Number(value=Decimal(text.replace(",", "")))
    text = plain(text).strip(" \t\n\"'.;:!?*_`[]()")
    found = numbers_in(text)
    if len(found) != 1 or found[0].value is None:
        return None
    start, end = found[0].start, found[0].end
    if not _BEFORE_NUMBER.fullmatch(text, 0, start) or not _AFTER_NUMBER.fullmatch(text, end):
        return None
    return as_number(found[0], text, unit)


_cached_number = lru_cache(maxsize=1 << 14)(_number_of)


def as_number(found: FoundNumber, text: str, unit: str) -> Number | None:
    """The number as an answer; None with a bound ("at least 5") before it, or a hedge or a denial after it."""
    if found.value is None or BOUND.search(text[: found.start][-40:]) or HEDGE.search(text, found.end):
        return None
    if DENIED_AFTER.match(text, found.end) or DENIED_LATER.match(text, found.end):
        return None
    if BOUND_AFTER.match(text, found.end) or HEDGE.search(text, 0, found.start):
        return None
    scale, base = split_scale(unit)
    stated = found.unit or _unit_after(text[found.end :], base)
    if scale and (found.scaled or stated):
        # "5 million EUR", "$5,000,000" and "0.005 billion" are 5 in millions; a bare number is in the unit asked for.
        tens = _SCALES.get(scale) or _CHINESE_SCALES[scale]
        return Number(value=found.value.scaleb(-tens), unit=join_scale(scale, stated) if stated else unit)
    return Number(value=found.value, unit=stated)


_SCALED_UNIT = re.compile(rf"({'|'.join(_SCALES)})(?: (.*))?|({'|'.join(_CHINESE_SCALES)})(.*)")


@lru_cache(maxsize=256)
def split_scale(unit: str) -> tuple[str, str]:
    """The scale and the rest of a unit: "million" and "EUR" for "million EUR", none and "%" for "%"."""
    match = _SCALED_UNIT.fullmatch(unit)
    return (match[1] or match[3], match[2] or match[4] or "") if match else ("", unit)


def join_scale(scale: str, unit: str) -> str:
    """A unit with its scale: "million EUR", "万元"."""
    return f"{scale}{'' if scale in _CHINESE_SCALES else ' '}{unit}"


def _unit_after(rest: str, unit: str) -> str:
    """The words after a number, as many as `unit` has: "documents" for "5 documents in all"."""
    words = _UNIT_WORDS.match(rest.lstrip(" \t")) if unit and unit != "%" else None
    if words and words[0].split(" ")[0].lower() in _NO_UNITS - {unit}:
        return ""
    return " ".join(words[0].split(" ")[: unit.count(" ") + 1]) if words else ""
