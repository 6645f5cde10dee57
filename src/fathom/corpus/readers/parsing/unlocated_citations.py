"""Strings that look like citations but were not located: a reader may have missed them, or their entry is lost."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from fathom.corpus.readers.parsing.citation_check import NAME
from fathom.corpus.readers.parsing.entry_recognition import looks_like_entry
from fathom.corpus.readers.parsing.reference_lists import ReferenceEntry, parsed_entry
from fathom.records.spans import Span

_NUMBERS = re.compile(
    r"\[(?:(?<=[\s,.;:)\]]\[)|(?<=[^\W\d_]{3}\[)|(?<=^\[))([1-9]\d{0,2}(?:\s?[,;–—-]\s?[1-9]\d{0,2}){0,30})\](?![(\[])"
)
_LABEL = re.compile(r"\[((?:[A-Z][A-Za-z]{1,12}|[A-Z]{2,6})\+?['’]?\d{2}[a-z]?)\](?!\()")
_PEOPLE = rf"{NAME}(?:(?:,\s|\s(?:and|&)\s|,\s(?:and|&)\s|\s){NAME}){{0,3}}(?:,?\s+et\s+al\.?)?"
_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]{8,465})[)\]]")
_YEAR_AT_END = re.compile(r".{4,400}?\d{4}[a-z]?.{0,60}", re.DOTALL)
_SEGMENT = re.compile(
    rf"\s*(?:(?i:see|also|e\.g\.|cf\.|i\.e\.|and|reviewed in|in|for example)[,:]?\s+){{0,4}}"
    rf"({_PEOPLE})(?:,\s*|\s+(?<=al\.\s)|\s+(?<=al\s))(?:1[5-9]|20)\d\d[a-z]?(?:\s?,.{{0,60}})?\s*"
)
_NARRATIVE = re.compile(rf"({NAME}(?:\s+et\s+al\.?|\s+(?:and|&)\s+{NAME}))\s*[(\[]((?:1[5-9]|20)\d\d[a-z]?)[)\]]")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_YEAR_ALONE = re.compile(r"(?:1[5-9]|20)(?<!\d..)\d\d")
"""A year that is not the end of a longer number, as is every year of a citation."""
_LONE_YEAR = re.compile(r"[(\[](?:1[5-9]|20)\d\d[a-z]?[)\]]")
_PART = re.compile(r"[^;]+")
_MONTH = re.compile(
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?|spring|summer|autumn|fall|winter|version|figure|table",
    re.IGNORECASE,
)


def citation_like(text: str, is_located: Callable[[int, int], bool] = lambda start, end: False) -> Iterator[Span]:
    """Yield the places in a text that look like citations, but were not located; each number of "[3, 7]" is one."""
    return (Span(start, end) for start, end in _citation_like(text, is_located) if not is_located(start, end))


def _citation_like(text: str, is_located: Callable[[int, int], bool]) -> Iterator[tuple[int, int]]:
    """Yield the places that look like citations. Names are not searched for where citations were located."""
    # Most paragraphs have neither a square bracket nor a year, and a search for names costs more than these tests.
    if "[" in text:
        for found in _NUMBERS.finditer(text):
            for number in re.finditer(r"\d+", found[1]):
                yield found.start(1) + number.start(), found.start(1) + number.end()
        for found in _LABEL.finditer(text):
            yield found.span(1)
    if all(is_located(*year.span()) for year in _YEAR_ALONE.finditer(text)):
        return
    if _LONE_YEAR.search(text):
        for found in _NARRATIVE.finditer(text):
            yield found.span(2)
    for found in _IN_BRACKETS.finditer(text):
        if not (_YEAR.search(found[1]) and _YEAR_AT_END.fullmatch(found[1])):
            continue
        for part in _PART.finditer(found[1]):
            start, end = found.start(1) + part.start(), found.start(1) + part.end()
            cited = None if is_located(start, end) else _SEGMENT.fullmatch(part[0])
            if cited and not _MONTH.match(cited[1]):
                yield start, end


def count_unlocated(text: str, located: Sequence[Span], passages: Sequence[Span]) -> int:
    """Return how many places in some passages look like citations, but overlap none of those located.

    `located` and `passages` are in the order of the text.
    """
    starts = [span.start for span in located]
    footnotes = _footnote_numbers(text, passages)

    def unlocated(passage: Span) -> Iterator[str]:
        def is_located(start: int, end: int) -> bool:
            at = bisect_right(starts, passage.start + end - 1)
            return any(span.end > passage.start + start for span in located[max(0, at - 3) : at])

        content = passage.of(text)
        if "[" in content or "(" in content:
            yield from (place.of(content) for place in citation_like(content, is_located))

    return sum(place not in footnotes for passage in passages for place in unlocated(passage))


_FOOTNOTE = re.compile(r"\[(\d{1,3})\]\s")


def _footnote_numbers(text: str, passages: Sequence[Span]) -> frozenset[str]:
    """Return the numbers of the footnotes: readers print a footnote as a paragraph that starts with "[2]"."""
    opened = ((_FOOTNOTE.match(text, passage.start), passage) for passage in passages)
    return frozenset(
        found[1]
        for found, passage in opened
        if found and not looks_like_entry(parsed_entry(ReferenceEntry(text[found.end() : passage.end])))
    )
