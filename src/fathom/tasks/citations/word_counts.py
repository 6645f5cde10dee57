"""Counts the word stems of a text, for the matchers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import repeat
from math import sqrt
from operator import mul

import numpy as np
from numpy.typing import NDArray

from fathom.records.names import CHINESE
from fathom.records.spans import Span

_LETTERS = r"[a-z\u00df-\u00f6\u00f8-\u1fff\uac00-\ud7a3]"
"""Lower-case letters by code point; asking Unicode for the class of each character takes twice as long."""
_SIGNS = rf"[\u3040-\u30ff{CHINESE}]"
"""Characters of scripts without spaces, in which any two neighbors count as a word."""
_SIGN = re.compile(_SIGNS)
_PAIRS = re.compile(rf"(?=({_SIGNS}{{2}}))")
_STEM = re.compile(rf"({_LETTERS}{{3,6}}){_LETTERS}*")
"""The first six letters of a word: "estimates" and "estimating" have the same stem."""
_STOP_WORDS = """
the and for are was were been being have has had with that this these those from which their its our they them than
then also such can may will would could should not but more most some any all each both other into over under
between within without about after before where when while who whose how what there here only very much many few one
two three using used use uses based show shows shown study work paper result results method methods approach
approaches
"""
_STOP = frozenset(_STOP_WORDS.split())
_STOPPED = frozenset(word[:6] for word in _STOP)

Words = tuple[str, ...]
"""Distinct stems, sorted so that floating-point sums over them are reproducible."""


def words_of(text: str) -> Words:
    """The stems of a text without stop words."""
    return tuple(sorted({*stems_in(text)} - _STOPPED))


def is_stopped(stem: str) -> bool:
    """Whether it is the stem of a stop word."""
    return stem in _STOPPED


def stems_in(text: str) -> list[str]:
    """The stems of all words, in the order of the text; pairs of neighboring signs come last."""
    found = _STEM.findall(text.lower())
    return [*found, *_PAIRS.findall(text)] if _is_in_signs(text) else found


def _is_in_signs(text: str) -> bool:
    """Whether a text is in a script without spaces, judged by its first 400 characters: a Chinese name further on in an
    English text does not count."""
    return not text.isascii() and _SIGN.search(text, 0, 400) is not None


GRAM = 4
"""Characters of the sequences that are counted."""
BUCKETS = 2_048
"""Character sequences are counted by a hash of this many values."""
_HEADING = re.compile(r"^#+ .*$", re.MULTILINE)


class CandidateWords:
    """The words of a shown text, for the matchers."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.stems = stems_in(text)
        """All stems, in the order of the text."""

    def numbered(self, number: Mapping[str, int]) -> NDArray[np.int_]:
        """The number of each stem; that of all other stems is one more than the last."""
        return np.fromiter(map(number.get, self.stems, repeat(len(number))), int, len(self.stems))

    @cached_property
    def norm(self) -> float:
        """The norm of the vector of counts without stop words."""
        counts = Counter(self.stems)
        stopped = list(map(counts.get, _STOPPED, repeat(0)))
        return sqrt(sum(map(mul, counts.values(), counts.values())) - sum(map(mul, stopped, stopped))) or 1.0

    @cached_property
    def distinct(self) -> set[str]:
        """The distinct stems."""
        return set(self.stems)

    @cached_property
    def headings(self) -> set[str]:
        """The stems of the headings."""
        return set(stems_in("\n".join(_HEADING.findall(self._text)))) - _STOPPED

    @cached_property
    def form(self) -> tuple[int, int, int]:
        """The numbers of words, of paragraphs and of headings."""
        return len(self.stems), self._text.count("\n\n"), len(_HEADING.findall(self._text))

    @cached_property
    def grams(self) -> NDArray[np.float64]:
        """The logarithms of the counts of character sequences, by their hash."""
        codes = np.frombuffer(self._text.lower().encode("utf-16-le", "replace"), dtype=np.uint16).astype(np.uint32)
        if len(codes) < GRAM:
            return np.zeros(BUCKETS)
        last = len(codes) - GRAM + 1
        hashed = np.zeros(last, dtype=np.uint32)
        for place in range(GRAM):
            hashed = hashed * np.uint32(1_000_003) + codes[place : last + place]
        return np.log1p(np.bincount((hashed >> 11) % BUCKETS, minlength=BUCKETS))


def occurrences(text: str, phrase: str) -> Iterator[Span]:
    """Occurrences of a phrase that are not part of a longer word."""
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            yield Span(start, end)
        start = text.find(phrase, end)


STEM_LENGTH = 6


def stem_at(text: str, stem: str, start: int = 0) -> int | None:
    """The position of the first word of a text, in lower case, with this stem; None if there is none."""
    at = text.find(stem, start)
    while at >= 0:
        end = at + len(stem)
        # Two signs are a word wherever they are; a stem of few letters is a whole word.
        if not stem.isascii() and _SIGN.match(stem):
            return at
        if not text[at - 1 : at].isalpha() and (len(stem) == STEM_LENGTH or not text[end : end + 1].isalpha()):
            return at
        at = text.find(stem, at + 1)
    return None


def lowered(text: str, plain: bool = False) -> str:
    """The text in lower case, every character in its position; `plain` for the letters A to Z alone.

    With a single letter beyond those, Python lowers letter by letter, which takes three times as long.
    """
    if plain:
        return text.encode().lower().decode()
    # The only capital whose lower case has two characters: "İstanbul".
    return text.replace("İ", "I").lower()


def letters_of(text: str) -> str:
    """The letters and digits of a text in lower case, equal for all typographic variants of a title."""
    return "".join(filter(str.isalnum, text.casefold()))
