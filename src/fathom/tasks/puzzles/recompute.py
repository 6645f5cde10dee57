"""A second derivation of answers, for the audit: values are read from the characters of the document, and computed with
fractions and day numbers. It shares no code with `evaluate`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from fathom.corpus.generated.prose import DOMAINS
from fathom.records.documents import Document, Fact
from fathom.tasks.puzzles.tree import Choose, Compute, GivenValue, Lookup, Node, Override, Owner, Pick, Tally

_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SCALES = {"million": 10**6, "thousand": 10**3, "万": 10**4, "亿": 10**8}
_AFTER = re.compile(r"\s?(million|thousand|万|亿)?\s?(meters|centimeters|kilometers|厘米|公里|米)?")
_LENGTHS = {"meters": 100, "centimeters": 1, "米": 100, "厘米": 1}
_DISTANCES = {"meters": 1, "kilometers": 1000, "米": 1, "公里": 1000}
_POWERS = (0, 3, 6, 9, 4, 8, -2, 2, 1, -1)


class ReadValue(NamedTuple):
    """A value that was read from a text: a number, a day number for a date, or a name."""

    number: Fraction | None
    name: str = ""
    is_date: bool = False


class UnreadableError(Exception):
    """The characters of a fact do not state its value."""


class UnknownError(Exception):
    """The facts do not determine a value."""


def read_fact(fact: Fact, document: Document) -> ReadValue:
    """The value that the characters of a fact state; raises UnreadableError if they state another one than the fact."""
    text = fact.span.of(document.text)
    if fact.name:
        if text.casefold() != fact.name.casefold():
            raise UnreadableError(f"'{text}' is not '{fact.name}'")
        return ReadValue(None, fact.name)
    if fact.value is None:
        raise UnreadableError("a missing value cannot be read")
    if fact.unit == "date":
        day = _read_date(text)
        if day is None or day != fact.value:
            raise UnreadableError(f"'{text}' is not the date {fact.value}")
        return ReadValue(Fraction(day_number(int(fact.value))), is_date=True)
    number = _read_number(text)
    if number is None:
        raise UnreadableError(f"'{text}' is not a number")
    if fact.place == "table" or document.subject not in DOMAINS:
        # The scale of a cell is in its header or caption: the digits must agree.
        if not any(number * Fraction(10) ** power == Fraction(fact.value) for power in _POWERS):
            raise UnreadableError(f"'{text}' is not {fact.value}")
        return ReadValue(Fraction(fact.value))
    match = _AFTER.match(document.text, fact.span.end)
    scale = _SCALES.get(match[1] or "", 1) if match else 1
    unit = (match[2] or "") if match else ""
    factor = {"cm": _LENGTHS, "m": _DISTANCES}.get(fact.unit, {}).get(unit, 1)
    if number * scale * factor != Fraction(fact.value):
        raise UnreadableError(f"'{text}' is not {fact.value}")
    return ReadValue(number * scale * factor)


def _read_number(text: str) -> Fraction | None:
    bare = text.strip()
    negative = bare.startswith(("(", "-", "−", "－"))
    bare = bare.strip("()-−－").lower()
    if bare in _WORDS:
        return Fraction(_WORDS.index(bare))
    if re.fullmatch(r"[一二三四五六七八九]?十?", bare) and bare:
        tens, mark, _ = bare.partition("十")
        digit = "零一二三四五六七八九".find(tens) if tens else 1
        return Fraction(digit * 10 if mark else digit)
    digits = re.sub(r"[,'\s\u00a0\u202f]", "", bare)
    if re.fullmatch(r"\d+(?:\.\d+)?", digits) is None:
        return None
    return Fraction(digits) * (-1 if negative else 1)


def _read_date(text: str) -> int | None:
    if match := re.fullmatch(r"(\d{4})年(\d{1,2})月(\d{1,2})日", text):
        return int(match[1]) * 10_000 + int(match[2]) * 100 + int(match[3])
    match = re.fullmatch(r"(\d{1,2}) ([A-Z][a-z]+) (\d{4})", text)
    day, month, year = match.groups() if match else ("", "", "")
    if not match and (match := re.fullmatch(r"([A-Z][a-z]+) (\d{1,2}), (\d{4})", text)):
        month, day, year = match.groups()
    return int(year) * 10_000 + (_MONTHS.index(month[:3].lower()) + 1) * 100 + int(day) if match else None


def day_number(date: int) -> int:
    """The number of days from a fixed day to a date such as 20240317, by the rules of the Gregorian calendar."""
    year, month, day = date // 10_000, date // 100 % 100, date % 100
    # Years begin in March, so that a leap day is the last day of its year.
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day


class Recomputation:
    """Computes programs from facts whose values were read from the text."""

    def __init__(self, facts: Iterable[tuple[Fact, ReadValue]]) -> None:
        self._facts = list(facts)

    def value(self, node: Node) -> ReadValue:
        """The value of a node; raises UnknownError."""
        match node:
            case GivenValue(value=value):
                if value.number is None:
                    return ReadValue(None, value.name)
                if value.unit == "date":
                    return ReadValue(Fraction(day_number(int(value.number))), is_date=True)
                return ReadValue(Fraction(value.number))
            case Lookup():
                part = self.value(node.part).name if node.part is not None else ""
                return self._read_fact(self.value(node.of).name, part, node.attribute, node.period)
            case Owner():
                name = self.value(node.name).name
                keys = {fact.entity for fact, _ in self._facts if fact.attribute == node.attribute}
                owners = [key for key in sorted(keys) if self._states(key, node.attribute, name)]
                if len(owners) != 1:
                    raise UnknownError
                return ReadValue(None, owners[0])
            case Pick():
                ranked = sorted(
                    ((self._number(option.value), self.value(option.name).name) for option in node.options),
                    reverse=node.which == "largest",
                )
                if ranked[0][0] == ranked[1][0]:
                    raise UnknownError
                return ReadValue(None, ranked[0][1])
            case Tally():
                return ReadValue(
                    Fraction(sum(self._number(operand) > self._number(node.bound) for operand in node.values))
                )
            case Compute():
                return self._compute(node.sign, self.value(node.left), self.value(node.right))
            case Choose():
                reached = self._number(node.left) >= self._number(node.right)
                return self.value(node.then if reached else node.otherwise)
            case Override():
                try:
                    return self.value(node.exception)
                except UnknownError:
                    return self.value(node.general)

    def _states(self, entity: str, attribute: str, name: str) -> bool:
        try:
            return self._read_fact(entity, "", attribute, "").name == name
        except UnknownError:
            return False

    def _read_fact(self, entity: str, part: str, attribute: str, period: str) -> ReadValue:
        candidates = [
            (fact, reading)
            for fact, reading in self._facts
            if (fact.entity, fact.part, fact.attribute, fact.period) == (entity, part, attribute, period)
        ]
        for status in ("restated", "reported", "repeated"):
            for place in ("table", "prose"):
                values = {reading for fact, reading in candidates if fact.status == status and fact.place == place}
                if len(values) == 1:
                    return values.pop()
                if values:
                    raise UnknownError
        raise UnknownError

    def _number(self, node: Node) -> Fraction:
        number = self.value(node).number
        if number is None:
            raise UnknownError
        return number

    def _compute(self, sign: str, left: ReadValue, right: ReadValue) -> ReadValue:
        if left.number is None or right.number is None:
            raise UnknownError
        left_number, right_number = left.number, right.number
        if sign in ("/", "change %", "share %") and right_number == 0:
            raise UnknownError
        match sign:
            case "+" | "years later":
                return ReadValue(left_number + right_number)
            case "-" | "days between" | "years between":
                return ReadValue(left_number - right_number)
            case "*":
                return ReadValue(left_number * right_number)
            case "/":
                return ReadValue(left_number / right_number)
            case "% of":
                return ReadValue(left_number / 100 * right_number)
            case "less %":
                return ReadValue(left_number - left_number / 100 * right_number)
            case "change %":
                return ReadValue((left_number / right_number - 1) * 100)
            case "share %":
                return ReadValue(left_number / right_number * 100)
            case "days later":
                return ReadValue(left_number + right_number, is_date=True)
            case _:
                raise UnknownError


def agrees(reading: ReadValue, number: Decimal | None, name: str, is_date: bool) -> bool:
    """Whether a reading is the value that a key states."""
    if number is None:
        return reading.name == name
    if reading.number is None:
        return False
    if is_date:
        return reading.number == day_number(int(number))
    return abs(reading.number - Fraction(number)) < Fraction(1, 10_000)
