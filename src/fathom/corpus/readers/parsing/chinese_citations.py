"""Citations by name and year in Chinese sentences: nothing parts a name from other words, but the list knows it.

Texts are given with narrow signs (`half_width`), so that one bracket and one comma stand for both kinds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fathom.corpus.readers.parsing.reference_lists import YEAR, ReferenceIndex
from fathom.records.names import CHINESE

Cited = tuple[int, int, tuple[str, ...]]
"""Where a citation begins and ends, and what it cites."""

_ONE_YEAR = re.compile(rf"({YEAR})([a-z]?)(?![\da-z])")
_MORE = rf"(?:\s?,\s?{YEAR}[a-z]?(?![\da-z]))*"
_BRACKET = re.compile(r"\(([^()\[\]]{4,600})\)|\[([^()\[\]]{4,600})\]")
_YEARS = re.compile(rf"\s?{YEAR}[a-z]?年?{_MORE}(?:\s?[,:].{{0,60}})?\s?")
_NAMED = re.compile(rf"([^;]{{2,80}}?)\s?({YEAR}[a-z]?(?![\da-z])年?{_MORE})")
_LEAD = re.compile(
    r"\s*(?:参见|参阅|参看|详见|另见|可见|见|例如|如|转引自|引自|(?:see(?: also)?|e\.g\.|cf\.)[,:]?\s?)", re.I
)
_COMPANY = re.compile(r"\s*(?:,|以及|[和与及&]|\band\b)\s*")
_AND_OTHERS = re.compile(r"[\s,]*(?:等(?:人|学者)?|et al\.?)$")
_LATIN = re.compile(r"(?<![A-Za-zÀ-ɏ'’-])[A-ZÀ-Þ][A-Za-zÀ-ɏ'’-]+$")
_CHINESE_NAME = re.compile(rf"[{CHINESE}]{{2,4}}$")
_MOST_NAMES = 5
_REACH = 80
"""Signs before a bracket in which its names are looked for."""


@dataclass(frozen=True)
class _People:
    """Who is cited: the first of them, and all as a list writes them, so that works of one year can be told apart."""

    first: str
    listed: str


def find_chinese_citations(text: str, references: ReferenceIndex) -> Iterator[Cited]:
    """Of "（王明等，2020；李华，2019a）" both citations with their names, of "王明等（2020）" the year alone."""
    for bracket in _BRACKET.finditer(text):
        place = bracket.start() + 1
        if _YEARS.fullmatch(text, place, bracket.end() - 1):
            before = text[max(0, bracket.start() - _REACH) : bracket.start()]
            yield from _narrated(text, place, bracket.end() - 1, before, references)
        else:
            yield from _enclosed(text, place, bracket.end() - 1, references)


def _enclosed(text: str, start: int, end: int, references: ReferenceIndex) -> Iterator[Cited]:
    for found in _NAMED.finditer(text, start, end):
        first, *others = _ONE_YEAR.finditer(text, found.start(2), found.end(2))
        begin = _begin_of_names(text, *found.span(1), first[1], references)
        if begin is None:
            continue
        people = _known(text[begin : found.end(1)], first[1], references)
        if people is not None:
            yield begin, first.end(), _keys(people, first, references)
            for year in others:
                yield *year.span(), _keys(people, year, references)


def _begin_of_names(text: str, start: int, end: int, year: str, references: ReferenceIndex) -> int | None:
    """Where the names of a bracket begin: behind "参见", or behind a comma and words that are no name."""
    lead = _LEAD.match(text, start, end)
    places = [lead.end() if lead else start, *(comma.end() for comma in re.compile(",").finditer(text, start, end))]
    for place in [start, *places]:
        begin = place + len(text[place:end]) - len(text[place:end].lstrip(" ,"))
        if _known(text[begin:end], year, references):
            return begin
    return None


def _known(names: str, year: str, references: ReferenceIndex) -> _People | None:
    """The people that names stand for, if the first of them has an entry of that year: "王和平" is one name or two."""
    several = _AND_OTHERS.search(names.rstrip(" ,"))
    whole = names[: several.start()] if several else names.rstrip(" ,")
    cuts = [joint.start() for joint in _COMPANY.finditer(whole)]
    for cut in (len(whole), *reversed(cuts)):
        if references.has_author_year(whole[:cut], year):
            return _people(whole[:cut], whole[cut:], several is not None)
    return None


def _people(first: str, company: str, several: bool) -> _People:
    listed = ", ".join(filter(None, (first, *_COMPANY.split(company))))
    return _People(first, f"{listed} et al." if several else listed)


def _narrated(text: str, start: int, end: int, before: str, references: ReferenceIndex) -> Iterator[Cited]:
    years = list(_ONE_YEAR.finditer(text, start, end))
    people = _people_before(before.rstrip(" ,"), years[0][1], references)
    if people is not None:
        for year in years:
            if references.has_author_year(people.first, year[1]):
                yield *year.span(), _keys(people, year, references)


def _people_before(before: str, year: str, references: ReferenceIndex) -> _People | None:
    """The people whose names a text ends in, the first one's as early as a list of names allows."""
    # Behind another citation, or in another clause, no list goes on: "王明（2018）、李华等（2020）".
    before = re.split(r"[()\[\];；。！？：]", before)[-1]
    several = _AND_OTHERS.search(before)
    before = before[: several.start()] if several else before
    joints = [joint.span() for joint in _COMPANY.finditer(before)][-_MOST_NAMES:]
    for end in (*(start for start, _ in joints), len(before)):
        for begin in _name_begins(before, end):
            if references.has_author_year(before[begin:end], year):
                return _people(before[begin:end], before[end:], several is not None)
    return None


def _name_begins(text: str, end: int) -> Iterator[int]:
    """Where a name may begin that ends here: up to four Chinese letters, or a word of Latin ones."""
    latin = _LATIN.search(text[:end])
    if latin:
        yield latin.start()
    elif chinese := _CHINESE_NAME.search(text[:end]):
        yield from range(chinese.start(), end - 1)


def _keys(people: _People, year: re.Match[str], references: ReferenceIndex) -> tuple[str, ...]:
    key = references.by_author_year(people.first, year[1], year[2], people.listed)
    return (key,) if key else ()
