"""Titles: dates that were printed after them."""

from __future__ import annotations

import re
from typing import NamedTuple

from fathom.corpus.readers.parsed_document import ParsedDocument
from fathom.corpus.readers.parsing.dates import DATE, WrittenDate, read_date
from fathom.corpus.readers.words import read_words, word_pattern
from fathom.records.names import CHINESE

_DATA = read_words("titles")

_MAX_CHARACTERS = 500
_MIN_WORDS = 3
"""Words that must be left of a title without its date: "Report of March 2021" is a title."""
_INTRODUCTION = word_pattern(_DATA["introduction"])
_SEPARATOR = re.compile(r"(?:\s*[,;:([]|\s(?:[–—]|--?|\.))[\s(\[]*$|\s*\n\s*$")
_PREPOSITION = word_pattern(_DATA["preposition"])
_WORDS = re.compile(rf"[{CHINESE}]{{2}}|[^\W{CHINESE}]+")
_CLOSING = re.compile(r"[\s)\].,;]*$")


class DatedTitle(NamedTuple):
    """A title without the date at its end."""

    title: str
    date: WrittenDate | None = None


def split_date(title: str, breaks: bool = False) -> DatedTitle:
    """Return a title without a complete date, or a month with its year, at its end.

    A year alone stays ("Annual report 2021"), and so does a date in the title's sentence ("The flood of 14 March
    2021"). `breaks`: a date that only a space separates goes too, as a title page prints it on its own line.
    """
    for match in DATE.finditer(title) if len(title) <= _MAX_CHARACTERS else ():
        end = _CLOSING.match(title, match.end())
        found = read_date(match)
        if end is None or end.end() != len(title) or found is None:
            continue
        rest = _without_introduction(title[: match.start()], breaks or bool(match["iso"] or match["zh_year"]))
        if rest is not None and len(_WORDS.findall(rest)) >= _MIN_WORDS:
            return DatedTitle(rest, found)
    return DatedTitle(title)


def _without_introduction(before: str, breaks: bool) -> str | None:
    """Return the text before a date without its separator; None if the date belongs to the title."""
    introduced = _INTRODUCTION.search(before)
    if introduced:
        before = before[: introduced.start()]
    separated = _SEPARATOR.search(before)
    if separated:
        before = before[: separated.start()]
    elif not introduced and (not breaks or _PREPOSITION.search(before) or before[-1:] in "-–—/"):
        return None
    # "Floods, January to March 2021", "January 1–April 26": a range belongs to the title.
    if re.search(r"[A-Za-z0-9][–—/-]$", before) or _PREPOSITION.search(before):
        return None
    return before.strip(" \n,;:-–—([")


def move_date(document: ParsedDocument, breaks: bool = False) -> None:
    """Move a date at the end of a document's title to its date, if it has none."""
    found = split_date(document.title, breaks)
    document.title = found.title
    if found.date and document.year is None and document.published is None:
        document.year, document.published = found.date.year, found.date.day
