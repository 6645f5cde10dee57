"""Checks citations against the entries they point to: the names and the year must be those of the entry."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

from fathom.corpus.readers.parsed_document import ParsedReference
from fathom.corpus.readers.parsing.reference_names import CAPITAL
from fathom.corpus.readers.parsing.text_cleanup import word_set
from fathom.corpus.readers.words import read_words
from fathom.records.documents import Citation
from fathom.records.names import PARTICLE, without_accents

_WORDS = read_words("bylines")

MAX_CONTRADICTED_SHARE = 0.2
"""If more of a document's citations contradict their entries, its links to entries are not trusted."""
MIN_CONTRADICTED = 2
"""Fewer contradictions are single errors of the source."""

CitationAgreement = Literal["agrees", "contradicts", "unchecked"]

_YEAR = re.compile(r"(?:1[5-9]|20)(?<!\d..)\d\d(?=[a-z]?(?![\da-z]))")
_WORD = re.compile(r"[^\W\d_][\w'’ʼ-]*")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]{3}")
_MIN_SIMILARITY = 80
"""Minimum similarity, from 0 to 100, of two spellings of one name, such as Rubenstein and Rubinstein."""
_NOT_NAMES = word_set(_WORDS["not_cited_names"])
"""Words that are capitalized at the start of a sentence or a label."""


# Names and years of a citation.


@dataclass(frozen=True)
class CitedNames:
    """The names and years in a citation."""

    names: tuple[str, ...]
    """Family names in plain form, the first author usually first."""
    years: tuple[int, ...]
    certain: bool = True
    """Whether the words are names: "Lind et al.", not "Transformers [3]"."""
    lettered: bool = False
    """Whether a letter after the year distinguishes works: "2003c"."""


NAME = rf"(?<![\w'’-])(?:(?:{PARTICLE}[\s-]){{0,3}}|[dDlLO]['’])?{CAPITAL}[\w'’ʼ-]{{1,40}}"
"""A family name as printed in a citation."""
_NAMES_BEFORE = re.compile(
    rf"({NAME})(\s+et\s+al\.?|(?:,\s{NAME}){{0,3}},?\s+(?:and|&)\s+{NAME}|\s+and\s+co-?workers)?"
    r"(?:['’]s)?[\s,]*[(\[]?\s*$"
)
_KEY = re.compile(r"[A-Za-z+-]{2,30}:?\d{2,4}[A-Za-z]*|\w+[:_/]\w+.*|doi:.*|https?:.*", re.IGNORECASE)
_ET_AL = re.compile(r"\bet\s+al\b")
_CITATION = re.compile(r"\bet\s+al\b|\b(?:1[5-9]|20)\d\d[a-z]?\b")
_MAX_BEFORE = 90
"""Characters before a citation that are searched for names."""


def names_in_mark(mark: str, before: str, numeric: bool) -> CitedNames:
    """Return the names and years of a citation, from its own text and from the words before it."""
    mark = " ".join(mark[:300].split())
    if numeric:
        return _named_before(before, ())
    cited = _names_in(mark)
    if not cited.names and cited.years and not _LETTERS.search(mark):
        return replace(_named_before(before, cited.years), lettered=cited.lettered)
    return cited


@lru_cache(maxsize=1 << 12)
def _names_in(mark: str) -> CitedNames:
    """Return the names and years in a mark. Most works are cited several times, with the same mark."""
    if _KEY.fullmatch(mark) or not _CITATION.search(mark):
        return CitedNames((), ())
    years = tuple(map(int, _YEAR.findall(mark)))
    lettered = re.search(r"\d{4}[a-z]", mark) is not None
    words = _WORD.findall(_ET_AL.split(mark, 1)[0] if "al" in mark else mark)
    names = tuple(_plain(word) for word in words if _is_name(word))
    return CitedNames(names, years, lettered=lettered)


def _named_before(before: str, years: tuple[int, ...]) -> CitedNames:
    match = _NAMES_BEFORE.search(before[-_MAX_BEFORE:])
    if match is None:
        return CitedNames((), years)
    others = match[2] or ""
    words = [match[1].split()[-1], *(_WORD.findall(others) if "al" not in others else ())]
    names = tuple(_plain(word) for word in words if _is_name(word))
    # "IFN-γ and TNF-α [14]" names no authors, and neither does "Transformers [3]".
    certain = bool(others.strip()) and len(names) > (" and " in others or "&" in others)
    return CitedNames(names, years, certain and all(len(name) >= 3 for name in names))


def _is_name(word: str) -> bool:
    """Return whether a word may be a family name in Latin letters: "IFN-γ" and "WHO" are not."""
    capitals = not word[0].isupper() or word[1:2].isupper()
    return not capitals and len(word) > 1 and _plain(word).isascii() and word.casefold() not in _NOT_NAMES


@lru_cache(maxsize=1 << 16)
def _plain(word: str) -> str:
    return re.sub(r"['’ʼ-]", "", without_accents(word).casefold())


# Entries.


class EntryChecker:
    """Compares citations with the entries of one reference list."""

    def __init__(self, entries: Sequence[ParsedReference]) -> None:
        self._entries = [_Entry(entry) for entry in entries]

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        return _positions(entry.names for entry in self._entries)

    @cached_property
    def _by_first(self) -> dict[str, list[int]]:
        return _positions(entry.first for entry in self._entries)

    def check(self, cited: CitedNames, position: int) -> CitationAgreement:
        """Return whether the names and years of a citation are those of an entry."""
        entry = self._entries[position - 1]
        named = self._has_name(entry, cited)
        year = entry.has_year(cited.years)
        if named is None and year is None:
            return "unchecked"
        if named is False:
            return "contradicts"
        if year is False:
            # Lists and texts often differ by one year, for a work that was first published online.
            return "agrees" if named and entry.is_near(cited.years) else "contradicts"
        return "agrees"

    def _has_name(self, entry: _Entry, cited: CitedNames) -> bool | None:
        """Return whether an entry has one of the names; None if that cannot be said."""
        if not cited.names or not entry.latin:
            return None
        if any(entry.has_name(name) for name in cited.names):
            return True
        if cited.certain:
            return False
        # A capitalized word before a number is a name only if it is that of another entry's first author.
        return False if len(cited.names) == 1 and len(self._by_first.get(cited.names[0], ())) == 1 else None

    def find(self, cited: CitedNames) -> int | None:
        """Return the position of the only entry with these names and this year; None if there is none or several."""
        if not cited.names or len(cited.years) != 1 or cited.lettered:
            return None
        fits = [
            position
            for position in self._by_name.get(cited.names[0], ())
            if cited.years[0] in self._entries[position - 1].years
            and all(self._entries[position - 1].has_name(name) for name in cited.names)
        ]
        first = [position for position in fits if cited.names[0] in self._entries[position - 1].first]
        chosen = first or fits
        return chosen[0] if len(chosen) == 1 else None


def _positions(entries: Iterable[frozenset[str]]) -> dict[str, list[int]]:
    """Return the positions of the entries that have a word, counted from one."""
    positions: dict[str, list[int]] = defaultdict(list)
    for position, words in enumerate(entries, start=1):
        for word in words:
            positions[word].append(position)
    return positions


class _Entry:
    """The words and years of an entry, as they are compared. Each is only computed for entries that need it."""

    def __init__(self, entry: ParsedReference) -> None:
        self._text = entry.text[:3_000]
        self._authors = entry.authors[:200]
        self._year = entry.year

    @cached_property
    def names(self) -> frozenset[str]:
        """Words of the author names, or of the whole entry if its authors are not known."""
        return frozenset(_words(" ".join(self._authors) if self._authors else self._text[:200]))

    @cached_property
    def first(self) -> frozenset[str]:
        """Words of the first author's name."""
        return frozenset(_words(self._authors[0] if self._authors else self._text[:40]))

    @cached_property
    def years(self) -> frozenset[int]:
        """The years in the entry."""
        return frozenset(map(int, _YEAR.findall(self._text))) | ({self._year} if self._year else set())

    @cached_property
    def latin(self) -> bool:
        """Whether it has names in Latin letters."""
        return _LATIN.search(self._text) is not None

    @cached_property
    def words(self) -> str:
        """All words of the entry, each between spaces."""
        return f" {' '.join(_words(self._text))} "

    def has_name(self, name: str) -> bool:
        """Return whether the entry has a name, perhaps misspelled or joined with another word."""
        if name in self.names or f" {name} " in self.words or (len(name) > 4 and name in self.words.replace(" ", "")):
            return True
        from rapidfuzz import fuzz

        # A converter may have joined a name with the word before it: "CheckpointingChen".
        return any(
            len(word) >= 4 and (name.endswith(word) or fuzz.ratio(name, word) >= _MIN_SIMILARITY) for word in self.names
        )

    def has_year(self, years: Sequence[int]) -> bool | None:
        """Return whether the entry has one of the years; None if it has none, or none is cited."""
        return any(year in self.years for year in years) if years and self.years else None

    def is_near(self, years: Sequence[int]) -> bool:
        """Return whether one of the years is that of the entry or the one before or after it."""
        return any(abs(year - own) <= 1 for year in years for own in self.years)


def _words(text: str) -> list[str]:
    return [_plain(word) for word in _WORD.findall(text) if len(word) > 1]


# All citations of a document.


@dataclass(frozen=True)
class CheckedCitations:
    """The citations of a document after the check."""

    citations: tuple[Citation, ...]
    corrected: int
    """Citations that contradicted their entry and fit exactly one other."""
    contradicted: int
    """Citations that contradicted their entry and fit no other: they are unresolved."""
    trusted: bool
    """Whether few enough contradict to trust the citations that cannot be checked."""


def check_citations(citations: Sequence[Citation], text: str, entries: Sequence[ParsedReference]) -> CheckedCitations:
    """Compare every resolved citation with its entry. What contradicts it is resolved by name, or left unresolved."""
    checker = EntryChecker(entries)
    group_sizes = Counter(citation.group for citation in citations)
    checked: list[tuple[Citation, CitationAgreement]] = []
    corrected = 0
    for citation in citations:
        cited = _names_of(citation, text, group_sizes[citation.group])
        if citation.reference is None:
            checked.append((_pointing_to(checker.find(cited), citation), "unchecked"))
            continue
        agreement = checker.check(cited, citation.reference)
        found = checker.find(cited) if agreement == "contradicts" else citation.reference
        corrected += agreement == "contradicts" and found is not None
        checked.append((_pointing_to(found, citation), agreement))
    contradicted = sum(agreement == "contradicts" for _, agreement in checked)
    checkable = sum(agreement != "unchecked" for _, agreement in checked)
    trusted = contradicted < MIN_CONTRADICTED or contradicted <= MAX_CONTRADICTED_SHARE * checkable
    return CheckedCitations(
        citations=tuple(
            citation
            if trusted or agreement != "unchecked" or before.reference is None
            else _pointing_to(None, citation)
            for (citation, agreement), before in zip(checked, citations, strict=True)
        ),
        corrected=corrected,
        contradicted=contradicted - corrected,
        trusted=trusted,
    )


def _pointing_to(reference: int | None, citation: Citation) -> Citation:
    return citation if reference == citation.reference else citation.model_copy(update={"reference": reference})


def _names_of(citation: Citation, text: str, group_size: int) -> CitedNames:
    numeric = citation.style != "author-year"
    if numeric and group_size > 1:
        # "Lind et al. [3, 4]" does not say which of them is theirs.
        return CitedNames((), ())
    start = citation.group.start if numeric else citation.span.start
    before = text[max(0, start - _MAX_BEFORE) : start].rpartition("\n")[2]
    return names_in_mark(citation.span.of(text), before, numeric)
