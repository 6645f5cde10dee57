"""Text normalization: Unicode NFC, single spaces, no control characters. Also titles from file names."""

from __future__ import annotations

import re
import unicodedata
from datetime import date, datetime

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b\u2060\ufeff\ufffe\uffff]|[\ud800-\udfff]")
_EQUALS = re.compile(r"={5,}")
_BLANKS = re.compile(r"\s+")


def tidy(text: str) -> str:
    """Normalize whitespace and letters, and remove control characters and document separators. Outer spaces stay."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    # Most texts are printable, so their only whitespace is the space. Testing that first is much faster than searching
    # ten thousand words for each character to remove.
    if not text.isprintable():
        text = _BLANKS.sub(" ", _CONTROL.sub("", text.encode("utf-8", "replace").decode()))
    elif "  " in text:
        text = _BLANKS.sub(" ", text)
    return without_rules(text) if "=====" in text else text


def plain(text: str) -> str:
    """Return tidy text without outer spaces."""
    return tidy(text).strip(" ")


def verbatim(line: str) -> str:
    """Clean a line of code or verse. Its whitespace is kept, except at the end."""
    return without_rules(_CONTROL.sub("", line)).rstrip()


def without_rules(text: str) -> str:
    """Shorten runs of equals signs: five of them separate documents in a context."""
    return _EQUALS.sub("====", text) if "=====" in text else text


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set: a compact way to write a set of names."""
    return frozenset(text.split())


def calendar_date(year: str | int, month: str | int, day: str | int) -> date | None:
    """Return a date; None if there is no such day, such as April 31."""
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def parse_date(text: str, form: str) -> date | None:
    """Return a date in a form of `strptime`; None if the text is not one."""
    try:
        return datetime.strptime(text, form).date()
    except ValueError:
        return None


def language_code(tag: str | None) -> str:
    """Return the two-letter code of a language tag such as "en-GB"; empty if there is none."""
    match = re.match(r"[A-Za-z]{2}(?![A-Za-z])", (tag or "").strip())
    return match[0].lower() if match else ""


def strip_compression(name: str) -> str:
    """Return a file name without its compression suffix."""
    return re.sub(r"\.(gz|xz|bz2)$", "", name, flags=re.IGNORECASE)


def title_from_name(name: str) -> str:
    """Return a title from a file name: "House prices" for "data/house_prices.csv"."""
    stem = re.sub(r"\.\w{1,6}$", "", re.split(r"[/\\!#]", strip_compression(name).rstrip("/"))[-1])
    words = " ".join(re.split(r"[\s_]+", stem)).strip()
    return words[:1].upper() + words[1:] or "Untitled"
