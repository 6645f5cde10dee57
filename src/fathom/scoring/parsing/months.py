"""Months as answers: "2024-03", "March 2024", "2024年3月" and "03/2024" are the same month."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_NUMBERS = {form: number for number, name in enumerate(_NAMES, start=1) for form in (name, name[:3])} | {"sept": 9}
_KEY = re.compile(r"\d{4}-\d\d")
_FORMS = (
    re.compile(r"(?P<year>\d{4})(?:[-/.]| ?年 ?)(?P<month>\d{1,2})(?: ?月)?"),
    re.compile(r"(?P<month>\d{1,2})[/.-](?P<year>\d{4})"),
    re.compile(r"(?P<name>[a-z]{3,9})\.?,?(?: of)? (?P<year>\d{4})"),
    re.compile(r"(?P<year>\d{4}),? (?P<name>[a-z]{3,9})\.?"),
)


_ANY_MONTH = re.compile(
    rf"(?<![A-Za-z0-9_-])(?:\d{{4}}[-/]\d{{1,2}}(?![\w/-])|\d{{4}}年 ?\d{{1,2}}月|\d{{1,2}}/\d{{4}}(?![\w/-])"
    rf"|(?:{'|'.join(_NAMES)}|(?:{'|'.join(name[:3] for name in _NAMES)}|sept)\.?),?(?: of)? \d{{4}}(?![\w-]))",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?:\A|\b(?:in|is|was|be|month(?: of)?)|i\.e\.|[:=(（：是为在])[ \t*_\"'“(]{0,4}\Z", re.IGNORECASE
)
_OPEN = re.compile(r"\b(?:or|and|to|through|until|than)\b|[-–—]>?[ \t]|[A-Z][a-z]|[之以]?[前后]的?|次于|至|到(?=\d)")
"""What may name another month, or something else."""


def only_month(key: str, text: str) -> str:
    """The one month that a sentence states, if the key is a month; empty if it states none, or anything else."""
    found = list(_ANY_MONTH.finditer(text)) if _KEY.fullmatch(key) else []
    if not found or not all(_BEFORE.search(text[: one.start()]) for one in found):
        return ""
    names = [name[:3] for name in _NAMES if name in _ANY_MONTH.sub("", text).lower()]
    rest = re.sub("|".join(_NAMES), "", _ANY_MONTH.sub("", text), flags=re.IGNORECASE)
    months = {_month(" ".join(one[0].lower().split())) for one in found}
    same = all(f"-{_NUMBERS[name]:02}" in month for month in months for name in names)
    return months.pop() if len(months) == 1 and same and not _OPEN.search(rest[:1].lower() + rest[1:]) else ""


def month_among(key: str, texts: Sequence[str]) -> str:
    """The one month among several texts, if the key is a month; else empty."""
    months = {month for text in texts if (month := only_month(key, text))}
    return months.pop() if len(months) == 1 else ""


def is_same_month(key: str, read: str) -> bool:
    """Whether a key such as "2024-03" and a normalized text name the same month; False if the key is not a month."""
    return _KEY.fullmatch(key) is not None and _month(read) == key


def _month(text: str) -> str:
    """The month as YYYY-MM; empty if the text names none."""
    for form in _FORMS:
        if match := form.fullmatch(text):
            parts = match.groupdict()
            number = _NUMBERS.get(parts["name"], 0) if "name" in parts else int(parts["month"])
            return f"{parts['year']}-{number:02}" if 1 <= number <= 12 else ""
    return ""
