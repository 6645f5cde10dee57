"""Finds the people that bylines and reference lists name, as opposed to groups, companies and misread words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from fathom.records.documents import Document
from fathom.records.names import WORD, family_name, is_group_name, is_particle, plain_word
from fathom.records.spans import Span

MAX_WORDS = 7
"""The words of the longest name of a person."""
CACHED_NAMES = 65_536
"""Printed names that are read only once: reference lists of one corpus name the same people again and again."""
SHORT_CAPITALS = 3
"""Family names in capitals with no more letters may be abbreviations, such as "GPT"."""

_PREFIXES = (
    "Abu|Al|Ben|Da|Das|De|Del|Della|Des|Di|Dos|Du|El|Fitz|La|Le|Les|Lo|Ma|Mac|Mc|San|St|Ten|Ter|Van|Vande|Vanden|"
    "Vander|Von|O|D|L"
)
_TWO_CAPITALS = re.compile(rf"(?:{_PREFIXES})[A-Z][a-z]+")
_AFTER_HYPHEN = re.compile(r"(?<=\w)[-‐‑][^\W\d_A-Z]\w*")
_COMPANY = frozenset(("inc", "ltd", "llc", "gmbh", "corp", "corporation", "company", "plc", "ag", "labs", "software"))


class NamedPerson(NamedTuple):
    """A person whom a byline or a reference list names."""

    given: str
    """Given names and initials as printed."""
    family: Span
    """The family name in the document's text."""
    certain: bool
    """False for the only author of an entry, with a given name in full: "Jupyter Widgets" has the same form."""


def people(document: Document) -> Iterator[NamedPerson]:
    """The people of a byline and a reference list that are known: what was read in doubt may be a place or a word."""
    if document.state("authors") != "unknown":
        for author in document.authors:
            family = None if author.group else family_span(author.span.of(document.text), author.family)
            if family is not None:
                yield NamedPerson(author.given, family.shifted(author.span.start), True)
    if document.state("references") != "unknown":
        for reference in document.references:
            for span in reference.authors:
                person = _person(span.of(document.text), len(reference.authors) == 1)
                if person is not None:
                    yield person._replace(family=person.family.shifted(span.start))


def author_spans(document: Document) -> Iterator[Span]:
    """The names in the reference list that were read as people's; a whole entry if all of its names were."""
    for reference in document.references:
        person_spans = [
            span
            for span in reference.authors
            if _person(span.of(document.text), len(reference.authors) == 1) is not None
        ]
        yield from [reference.span] if person_spans and len(person_spans) == len(reference.authors) else person_spans


@lru_cache(CACHED_NAMES)
def _person(printed: str, is_alone: bool) -> NamedPerson | None:
    """The person of that name; None if it has no given name, or something that a group or a company has."""
    family = family_span(printed, family_name(printed))
    if family is None or is_group_name(printed) or re.search(r"\d", printed):
        return None
    given = f"{printed[: family.start]} {printed[family.end :]}".strip(" ,.;")
    words = WORD.findall(printed)
    if not WORD.search(given) or len(words) > MAX_WORDS or not name_words(family.of(printed)):
        return None
    if any(word.casefold() in _COMPANY for word in words):
        return None
    # The second part of "Haw-minn" may be in small letters.
    if not all(map(_can_be_printed, WORD.findall(_AFTER_HYPHEN.sub("", printed)))):
        return None
    if any(1 < len(word) <= SHORT_CAPITALS and word.isupper() for word in WORD.findall(family.of(printed))):
        return None
    has_initial = any(len(word) == 1 or (word.isupper() and len(word) <= 3) for word in WORD.findall(given))
    return NamedPerson(given, family, has_initial or not is_alone)


def _can_be_printed(word: str) -> bool:
    """Whether a name of a person can have the word: as a name, an initial or a particle."""
    return is_name(word) or (word[0].isupper() and len(word) <= 3) or is_particle(word)


def is_name(word: str) -> bool:
    """Whether a word can be a family name: "van" is a particle, "K" an initial, "OpenAI" an organization."""
    if not word[0].isupper() or len(plain_word(word)) < 2:
        return False
    return word.isupper() or word[1:].islower() or bool(_TWO_CAPITALS.fullmatch(word))


def name_words(family: str) -> list[str]:
    """The words of a family name that get a new name, in plain form; a particle only if there is nothing else."""
    words = [word for word in WORD.findall(family) if is_name(word)]
    chosen = [word for word in words if not is_particle(word)] or words[-1:]
    return [plain_word(word) for word in chosen]


def family_span(printed: str, family: str) -> Span | None:
    """The position of the family name in a printed name: the first in a name with a comma, otherwise the last."""
    family_words = [plain_word(word) for word in WORD.findall(family)]
    words = list(WORD.finditer(printed))
    plain = [plain_word(word[0]) for word in words]
    starts = [
        start
        for start in range(len(words) - len(family_words) + 1)
        if family_words and plain[start : start + len(family_words)] == family_words
    ]
    if not starts:
        return None
    start = starts[0] if "," in printed else starts[-1]
    return Span(words[start].start(), words[start + len(family_words) - 1].end())
