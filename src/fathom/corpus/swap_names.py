"""Other family names for the people of a corpus: each always the same one, whoever spells it and wherever it stands."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.records.documents import Document
from fathom.records.names import WORD, family_name, plain_word
from fathom.records.rng import rng_for
from fathom.records.spans import Span

TRIES = 120
"""Names that are made up for one, of which the first that is no longer in tokens is taken."""

RARELY = 20
"""A name of which one in so many stands without a capital is an ordinary word as well."""

_AROUND = ".,;:!?()[]{}\"'“”‘’*_`"
_COINED = re.compile(r"[A-Z]{2}|[a-z][A-Z]+$")

_OPENINGS = (
    *("b", "br", "d", "dr", "f", "g", "gr", "h", "j", "k", "kl", "kr"),
    *("l", "m", "n", "p", "pr", "r", "s", "st", "t", "tr", "v", "w", "z"),
)
_MIDDLES = ("a", "e", "i", "o", "u", "ar", "el", "en", "or", "in", "al", "er")
_JOINTS = ("b", "d", "g", "k", "l", "m", "n", "r", "s", "t", "v", "nd", "lm", "rk", "st", "rt")
_ENDINGS = ("a", "en", "er", "in", "is", "o", "ov", "ek", "as", "el", "and", "ik", "us", "ander", "etti", "aro")


@dataclass(frozen=True)
class NameSwap:
    """Which word of a name becomes which."""

    words: dict[str, str]
    """By the plain form of the word: "muller" for "Müller" and "MULLER"."""
    ordinary: frozenset[str]
    """Names that are words as well, such as "Young": they change where names stand and nowhere else."""

    def of(self, word: str, among_names: bool) -> str | None:
        """What stands for a word; None where it stays."""
        if not word[0].isupper():
            return None
        plain = plain_word(word)
        made_up = self.words.get(plain)
        if made_up is None or (plain in self.ordinary and not among_names):
            return None
        return made_up.upper() if len(word) > 1 and word.isupper() else made_up

    def name(self, text: str) -> str:
        """A person's name as it reads afterwards."""
        return WORD.sub(lambda found: self.of(found[0], True) or found[0], text)

    def prose(self, text: str) -> str:
        """Running text as it reads afterwards."""
        return WORD.sub(lambda found: self.of(found[0], False) or found[0], text)


class NameCollector:
    """Hears every document of a corpus, then says how its people are called."""

    def __init__(self) -> None:
        self._families: set[str] = set()
        self._small: Counter[str] = Counter()
        self._all: Counter[str] = Counter()
        self.unspelled = 0
        """Names in letters that have no capitals, which stay as they are."""

    def add(self, document: Document) -> None:
        """Note the names and the words of one document."""
        for family in families(document):
            for word in WORD.findall(family):
                if is_name(word):
                    self._families.add(plain_word(word))
                elif word.upper() == word.lower():
                    self.unspelled += 1
        for piece in document.text.split():
            words = WORD.findall(piece)
            self._all.update(map(plain_word, words))
            # Alone but for its punctuation: "alayrac2022flamingo" and "lind@here.org" make no words of names.
            if len(words) == 1 and words[0].islower() and piece.strip(_AROUND) == words[0]:
                self._small[plain_word(words[0])] += 1

    def renaming(self, seed: int) -> NameSwap:
        """A name that nobody in the corpus has, for every name; the same corpus and seed give the same names."""
        taken = set(self._all)
        words: dict[str, str] = {}
        for family in sorted(self._families):
            words[family] = _made_up(family, taken, rng_for(seed, "name", family))
            taken.add(words[family].casefold())
        # One slip of "chen" for "Chen" makes no word of it.
        ordinary = (family for family in self._families if self._small[family] * RARELY >= self._all[family])
        return NameSwap(words, frozenset(ordinary))


def is_name(word: str) -> bool:
    """Whether a word of a family name is one: "van" is a particle, "K" an initial, and "OpenAI" nobody's."""
    return word[0].isupper() and len(plain_word(word)) > 1 and (word.isupper() or not _COINED.search(word))


def families(document: Document) -> Iterator[str]:
    """The family names in its byline and in its reference list."""
    yield from (author.family for author in document.authors if not author.group)
    for reference in document.references:
        for span in reference.authors:
            yield family_name(span.of(document.text))


def name_spans(document: Document) -> list[Span]:
    """Where people are named: the byline, the authors of references, the citations that name somebody; in order."""
    found: list[Span] = [author.span for author in document.authors]
    found += [span for reference in document.references for span in reference.authors]
    for citation in document.citations:
        found += [citation.authors] if citation.authors is not None else []
        found += [citation.span] if citation.style == "author-year" else []
    return sorted(found)


def _made_up(family: str, taken: set[str], rng: Random) -> str:
    """A name with the same first letter, so that lists stay in order, and of no more tokens where one can be had."""
    count = tokenizer(DEFAULT).count
    wanted = count(f" {family.capitalize()}")
    best: tuple[int, str] | None = None
    for number in range(TRIES * 10):
        name = _spelled(family[0], rng, longer=number >= TRIES)
        if name.casefold() in taken:
            continue
        tokens = count(f" {name}")
        if best is None or tokens < best[0]:
            best = tokens, name
        if best[0] <= wanted or number >= TRIES:
            break
    # After so many tries of growing length every name is free; a corpus that holds them all would not fit a disk.
    assert best is not None, family
    return best[1]


def _spelled(letter: str, rng: Random, longer: bool) -> str:
    syllables = rng.choice((0, 1, 1)) + (2 if longer else 0)
    opening = letter
    if letter not in "aeiou":
        starts = [start for start in _OPENINGS if start[0] == letter]
        opening = rng.choice(starts) if starts else letter
        opening += rng.choice(_MIDDLES)
    middle = "".join(rng.choice(_JOINTS) + rng.choice(_MIDDLES) for _ in range(syllables))
    return (opening + middle + rng.choice(_JOINTS) + rng.choice(_ENDINGS)).capitalize()


def in_text(document: Document, names: NameSwap) -> Iterator[tuple[Span, str]]:
    """Every word of the document's text that changes, in order, with what stands there instead."""
    within = _Within(name_spans(document))
    for found in WORD.finditer(document.text):
        made_up = names.of(found[0], within.contain(found.start(), found.end()))
        if made_up is not None:
            yield Span(*found.span()), made_up


class _Within:
    """Tells whether stretches, asked in order, lie in one of some spans."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._waiting = sorted(spans, reverse=True)
        self._reach = 0

    def contain(self, start: int, end: int) -> bool:
        while self._waiting and self._waiting[-1].start <= start:
            self._reach = max(self._reach, self._waiting.pop().end)
        return end <= self._reach
