"""Months as answers: "2024-03", "March 2024", "2024年3月" and "03/2024" are the same month."""

from __future__ import annotations

import re

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


def is_same_month(key: str, read: str) -> bool:
    """Whether a key such as "2024-03" and a normalized text name the same month; False if the key is no month."""
    return _KEY.fullmatch(key) is not None and _month(read) == key


def _month(text: str) -> str:
    """The month as YYYY-MM; empty if the text names none."""
    for form in _FORMS:
        if found := form.fullmatch(text):
            parts = found.groupdict()
            number = _NUMBERS.get(parts["name"], 0) if "name" in parts else int(parts["month"])
            return f"{parts['year']}-{number:02}" if 1 <= number <= 12 else ""
    return ""
