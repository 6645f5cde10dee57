"""New family names for the people of a corpus; every occurrence of a name gets the same new name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.records.documents import Author, Document, Reference
from fathom.records.names import WORD, family_name, plain_word
from fathom.records.rng import rng_for
from fathom.records.spans import Span

MAX_TRIES = 120
"""Candidates for one new name; the first with no more tokens than the old name is used."""

RARE = 20
"""A name is also an ordinary word if at least one of 20 occurrences has no capital."""

_AROUND = ".,;:!?()[]{}\"'“”‘’*_`"
_COINED = re.compile(r"[A-Z]{2}|[a-z][A-Z]+$")

_OPENINGS = (
    *("b", "br", "d", "dr", "f", "g", "gr", "h", "j", "k", "kl", "kr"),
    *("l", "m", "n", "p", "pr", "r", "s", "st", "t", "tr", "v", "w", "z"),
)
_MIDDLES = ("a", "e", "i", "o", "u", "ar", "el", "en", "or", "in", "al", "er")
_CONSONANTS = ("b", "d", "g", "k", "l", "m", "n", "r", "s", "t", "v", "nd", "lm", "rk", "st", "rt")
_ENDINGS = ("a", "en", "er", "in", "is", "o", "ov", "ek", "as", "el", "and", "ik", "us", "ander", "etti", "aro")


@dataclass(frozen=True)
class NameSwap:
    """The replacements for the words of names."""

    words: dict[str, str]
    """By the plain form of the word: "muller" for "Müller" and "MULLER"."""
    ordinary: frozenset[str]
    """Names that are also words, such as "Young": they change only inside names."""

    def replacement(self, word: str, among_names: bool) -> str | None:
        """The replacement for a word; None if it stays."""
        if not word[0].isupper():
            return None
        plain = plain_word(word)
        new = self.words.get(plain)
        if new is None or (plain in self.ordinary and not among_names):
            return None
        return new.upper() if len(word) > 1 and word.isupper() else new

    def name(self, text: str) -> str:
        """The name of a person after the swap."""
        return WORD.sub(lambda match: self.replacement(match[0], True) or match[0], text)

    def prose(self, text: str) -> str:
        """Running text after the swap."""
        return WORD.sub(lambda match: self.replacement(match[0], False) or match[0], text)


class NameCollector:
    """Collects the names of every document of a corpus, then assigns the new ones."""

    def __init__(self) -> None:
        self._families: set[str] = set()
        self._small: Counter[str] = Counter()
        self._all: Counter[str] = Counter()
        self.without_capitals = 0
        """Names in scripts without capitals, which stay unchanged."""

    def add(self, document: Document) -> None:
        """Add the names and the words of one document."""
        for family in families(document):
            for word in WORD.findall(family):
                if is_name(word):
                    self._families.add(plain_word(word))
                elif word.upper() == word.lower():
                    self.without_capitals += 1
        for piece, count in Counter(document.text.split()).items():
            words = WORD.findall(piece)
            for word in words:
                self._all[plain_word(word)] += count
            # Only punctuation around it: "alayrac2022flamingo" and "lind@here.org" do not make a name a word.
            if len(words) == 1 and words[0].islower() and piece.strip(_AROUND) == words[0]:
                self._small[plain_word(words[0])] += count

    def swap(self, seed: int) -> NameSwap:
        """A new name for every name, unused in the corpus; the same corpus and seed give the same names."""
        taken = set(self._all)
        words: dict[str, str] = {}
        for family in sorted(self._families):
            words[family] = _invent(family, taken, rng_for(seed, "name", family))
            taken.add(words[family].casefold())
        # A single typo "chen" for "Chen" does not make it a word.
        ordinary = (family for family in self._families if self._small[family] * RARE >= self._all[family])
        return NameSwap(words, frozenset(ordinary))


def is_name(word: str) -> bool:
    """Whether a word is a family name: "van" is a particle, "K" an initial, "OpenAI" an organization."""
    return word[0].isupper() and len(plain_word(word)) > 1 and (word.isupper() or not _COINED.search(word))


def families(document: Document) -> Iterator[str]:
    """The family names in its byline and in its reference list."""
    yield from (author.family for author in _authors(document) if not author.group)
    for reference in _references(document):
        for span in reference.authors:
            yield family_name(span.of(document.text))


def _authors(document: Document) -> tuple[Author, ...]:
    """The authors, if they are known: what was taken for a name in doubt may be a place or a word."""
    return () if document.state("authors") == "unknown" else document.authors


def _references(document: Document) -> tuple[Reference, ...]:
    return () if document.state("references") == "unknown" else document.references


def name_spans(document: Document) -> list[Span]:
    """The spans that name people, in order: byline, authors of references, author-year citations."""
    spans: list[Span] = [author.span for author in _authors(document)]
    spans += [span for reference in _references(document) for span in reference.authors]
    for citation in document.citations:
        spans += [citation.authors] if citation.authors is not None else []
        spans += [citation.span] if citation.style == "author-year" else []
    return sorted(spans)


def _invent(family: str, taken: set[str], rng: Random) -> str:
    """A name with the same first letter, so that lists stay sorted, and with no more tokens if possible."""
    count = tokenizer(DEFAULT).count
    wanted = count(f" {family.capitalize()}")
    best: tuple[int, str] | None = None
    for number in range(MAX_TRIES * 10):
        name = _compose(family[0], rng, longer=number >= MAX_TRIES)
        if name.casefold() in taken:
            continue
        tokens = count(f" {name}")
        if best is None or tokens < best[0]:
            best = tokens, name
        if best[0] <= wanted or number >= MAX_TRIES:
            break
    # After so many tries of growing length there is always an unused name.
    assert best is not None, family
    return best[1]


def _compose(letter: str, rng: Random, longer: bool) -> str:
    syllables = rng.choice((0, 1, 1)) + (2 if longer else 0)
    opening = letter
    if letter not in "aeiou":
        starts = [start for start in _OPENINGS if start[0] == letter]
        opening = rng.choice(starts) if starts else letter
        opening += rng.choice(_MIDDLES)
    middle = "".join(rng.choice(_CONSONANTS) + rng.choice(_MIDDLES) for _ in range(syllables))
    return (opening + middle + rng.choice(_CONSONANTS) + rng.choice(_ENDINGS)).capitalize()


def name_changes(document: Document, names: NameSwap) -> Iterator[tuple[Span, str]]:
    """Every word of the text that changes, in order, with its replacement."""
    inside = _SpanCursor(name_spans(document))
    for match in WORD.finditer(document.text):
        if not match[0][0].isupper():  # most words; `replacement` would return None for them
            continue
        new = names.replacement(match[0], inside.contain(match.start(), match.end()))
        if new is not None:
            yield Span(*match.span()), new


class _SpanCursor:
    """Says whether ranges, queried in text order, are inside one of some spans."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._waiting = sorted(spans, reverse=True)
        self._reach = 0

    def contain(self, start: int, end: int) -> bool:
        while self._waiting and self._waiting[-1].start <= start:
            self._reach = max(self._reach, self._waiting.pop().end)
        return end <= self._reach
