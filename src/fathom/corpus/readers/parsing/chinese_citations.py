"""Author-year citations in Chinese sentences.

No space separates a name from other words, so names are found by looking them up in the reference list. Texts come with
half-width punctuation (`to_half_width`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fathom.corpus.readers.parsing.reference_lists import YEAR, ReferenceIndex
from fathom.records.names import CHINESE

CitationSpan = tuple[int, int, tuple[str, ...]]
"""Start, end and reference keys of a citation."""

_ONE_YEAR = re.compile(rf"({YEAR})([a-z]?)(?![\da-z])")
_MORE = rf"(?:\s?,\s?{YEAR}[a-z]?(?![\da-z]))*"
_BRACKET = re.compile(r"\(([^()\[\]]{4,600})\)|\[([^()\[\]]{4,600})\]")
_YEARS = re.compile(rf"\s?{YEAR}[a-z]?年?{_MORE}(?:\s?[,:].{{0,60}})?\s?")
_NAMED = re.compile(rf"([^;]{{2,80}}?)\s?({YEAR}[a-z]?(?![\da-z])年?{_MORE})")
_LEAD = re.compile(
    r"\s*(?:参见|参阅|参看|详见|另见|可见|见|例如|如|转引自|引自|(?:see(?: also)?|e\.g\.|cf\.)[,:]?\s?)", re.I
)
_JOINER = re.compile(r"\s*(?:,|以及|[和与及&]|\band\b)\s*")
_AND_OTHERS = re.compile(r"[\s,]*(?:等(?:人|学者)?|et al\.?)$")
_LATIN = re.compile(r"(?<![A-Za-zÀ-ɏ'’-])[A-ZÀ-Þ][A-Za-zÀ-ɏ'’-]+$")
_CHINESE_NAME = re.compile(rf"[{CHINESE}]{{2,4}}$")
_MAX_NAMES = 5
"""Maximum number of separators between the names of one citation."""
_MAX_DISTANCE = 80
"""Characters before a bracket that are searched for names."""


@dataclass(frozen=True)
class _Authors:
    """The first author of a citation, and all its names, which distinguish works of one year."""

    first: str
    names_text: str


def find_chinese_citations(text: str, references: ReferenceIndex) -> Iterator[CitationSpan]:
    """Yield both citations of "（王明等，2020；李华，2019a）" with their names, and the year of "王明等（2020）"."""
    for bracket in _BRACKET.finditer(text):
        place = bracket.start() + 1
        if _YEARS.fullmatch(text, place, bracket.end() - 1):
            before = text[max(0, bracket.start() - _MAX_DISTANCE) : bracket.start()]
            yield from _narrative(text, place, bracket.end() - 1, before, references)
        else:
            yield from _in_brackets(text, place, bracket.end() - 1, references)


def _in_brackets(text: str, start: int, end: int, references: ReferenceIndex) -> Iterator[CitationSpan]:
    for found in _NAMED.finditer(text, start, end):
        first, *others = _ONE_YEAR.finditer(text, found.start(2), found.end(2))
        begin = _names_start(text, *found.span(1), first[1], references)
        if begin is None:
            continue
        authors = _match_authors(text[begin : found.end(1)], first[1], references)
        if authors is not None:
            yield begin, first.end(), _keys(authors, first, references)
            for year in others:
                yield *year.span(), _keys(authors, year, references)


def _names_start(text: str, start: int, end: int, year: str, references: ReferenceIndex) -> int | None:
    """Return the start of the names in a bracket: after "参见", or after a comma and words that are not names."""
    lead = _LEAD.match(text, start, end)
    places = [lead.end() if lead else start, *(comma.end() for comma in re.compile(",").finditer(text, start, end))]
    for place in [start, *places]:
        begin = place + len(text[place:end]) - len(text[place:end].lstrip(" ,"))
        if _match_authors(text[begin:end], year, references):
            return begin
    return None


def _match_authors(names: str, year: str, references: ReferenceIndex) -> _Authors | None:
    """Return the authors if the first has an entry of that year; "王和平" may be one name or two."""
    et_al = _AND_OTHERS.search(names.rstrip(" ,"))
    whole = names[: et_al.start()] if et_al else names.rstrip(" ,")
    cuts = [joiner.start() for joiner in _JOINER.finditer(whole)]
    for cut in (len(whole), *reversed(cuts)):
        if references.has_author_year(whole[:cut], year):
            return _authors(whole[:cut], whole[cut:], et_al is not None)
    return None


def _authors(first: str, others: str, et_al: bool) -> _Authors:
    names_text = ", ".join(filter(None, (first, *_JOINER.split(others))))
    return _Authors(first, f"{names_text} et al." if et_al else names_text)


def _narrative(text: str, start: int, end: int, before: str, references: ReferenceIndex) -> Iterator[CitationSpan]:
    years = list(_ONE_YEAR.finditer(text, start, end))
    authors = _authors_before(before.rstrip(" ,"), years[0][1], references)
    if authors is not None:
        for year in years:
            if references.has_author_year(authors.first, year[1]):
                yield *year.span(), _keys(authors, year, references)


def _authors_before(before: str, year: str, references: ReferenceIndex) -> _Authors | None:
    """Return the authors whose names end a text, starting as early as a list of names allows."""
    # A list of names does not extend over another citation or clause: "王明（2018）、李华等（2020）".
    before = re.split(r"[()\[\];；。！？：]", before)[-1]
    et_al = _AND_OTHERS.search(before)
    before = before[: et_al.start()] if et_al else before
    joiners = [joiner.span() for joiner in _JOINER.finditer(before)][-_MAX_NAMES:]
    for end in (*(start for start, _ in joiners), len(before)):
        for begin in _name_starts(before, end):
            if references.has_author_year(before[begin:end], year):
                return _authors(before[begin:end], before[end:], et_al is not None)
    return None


def _name_starts(text: str, end: int) -> Iterator[int]:
    """Yield the possible starts of a name that ends here: up to four Chinese characters, or one Latin word."""
    latin = _LATIN.search(text[:end])
    if latin:
        yield latin.start()
    elif chinese := _CHINESE_NAME.search(text[:end]):
        yield from range(chinese.start(), end - 1)


def _keys(authors: _Authors, year: re.Match[str], references: ReferenceIndex) -> tuple[str, ...]:
    key = references.by_author_year(authors.first, year[1], year[2], authors.names_text)
    return (key,) if key else ()
