"""Prints planted values: counts, amounts of money, lengths, shares, dates and days, in English and Chinese."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from random import Random
from typing import NamedTuple

MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November"),
    "December",
)
NUMBER_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_CHINESE_DIGITS = "零一二三四五六七八九十"


class PrintedValue(NamedTuple):
    """A value as printed: the number or name itself, and what surrounds it, such as a unit."""

    text: str
    after: str = ""
    before: str = ""


def print_value(type: str, number: Decimal | int, unit: str, language: str, rng: Random) -> PrintedValue:
    """The value in one of the forms that documents use."""
    value = Decimal(number)
    if language == "zh":
        return _chinese(type, value, unit, rng)
    match type:
        case "money":
            return _money(value, unit, rng)
        case "length":
            meters = rng.random() < 0.5
            return (
                PrintedValue(f"{value / 100:.2f}", " meters") if meters else PrintedValue(f"{value:,f}", " centimeters")
            )
        case "distance":
            return (
                PrintedValue(f"{value / 1000:f}", " kilometers")
                if rng.random() < 0.5
                else PrintedValue(f"{value:,f}", " meters")
            )
        case "percent":
            return PrintedValue(f"{value:f}", rng.choice(("%", " percent")))
        case "date":
            year, month, day = date_parts(value)
            name = MONTHS[month - 1]
            return PrintedValue(rng.choice((f"{day} {name} {year}", f"{name} {day}, {year}")))
        case "year":
            return PrintedValue(str(value))
        case _:
            return PrintedValue(_count(value, rng))


def _count(value: Decimal, rng: Random) -> str:
    if value <= 20 and rng.random() < 0.6:
        return NUMBER_WORDS[int(value)]
    return f"{value:,f}"


def _money(value: Decimal, unit: str, rng: Random) -> PrintedValue:
    if value >= 1_000_000 and value % 10_000 == 0 and rng.random() < 0.5:
        return PrintedValue(f"{(value / 1_000_000).normalize():f}", f" million {unit}")
    return PrintedValue(f"{value:,f}", f" {unit}")


def _chinese(type: str, value: Decimal, unit: str, rng: Random) -> PrintedValue:
    match type:
        case "money":
            if value % 100 == 0 and value >= 10_000 and rng.random() < 0.5:
                return PrintedValue(f"{(value / 10_000).normalize():f}", "万元")
            return PrintedValue(f"{value:f}", "元")
        case "length":
            return (
                PrintedValue(f"{value / 100:.2f}", "米") if rng.random() < 0.5 else PrintedValue(f"{value:f}", "厘米")
            )
        case "distance":
            return PrintedValue(f"{value / 1000:f}", "公里") if rng.random() < 0.5 else PrintedValue(f"{value:f}", "米")
        case "percent":
            return PrintedValue(f"{value:f}", "%")
        case "date":
            year, month, day = date_parts(value)
            return PrintedValue(f"{year}年{month}月{day}日")
        case _:
            if value <= 10 and rng.random() < 0.6:
                return PrintedValue(_CHINESE_DIGITS[int(value)])
            return PrintedValue(f"{value:f}")


def date_number(day: date) -> int:
    """A date as 20240317."""
    return day.year * 10_000 + day.month * 100 + day.day


def date_parts(value: Decimal) -> tuple[int, int, int]:
    """Year, month and day of a date such as 20240317."""
    return int(value) // 10_000, int(value) // 100 % 100, int(value) % 100
