"""Counts the word stems of a text, for the matchers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import repeat
from math import sqrt
from operator import mul
from typing import NamedTuple

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
LONGEST_WORD = 40
_REST = re.compile(rf"{_LETTERS}{{,{LONGEST_WORD}}}", re.IGNORECASE)
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


def stems_in(text: str) -> list[str]:
    """The stems of all words."""
    return _stems(text, _is_in_signs(text))


def _is_in_signs(text: str) -> bool:
    """Whether a text is in a script without spaces, judged by its first 400 characters: a Chinese name further on in an
    English text does not count."""
    return not text.isascii() and _SIGN.search(text, 0, 400) is not None


def _stems(text: str, in_signs: bool) -> list[str]:
    found = _STEM.findall(text.lower())
    return [*found, *_PAIRS.findall(text)] if in_signs else found


STEP = 3_000
FAR = 15_000
"""Characters of a candidate that are compared: at most `FAR`, in whole `STEP`s, so that counts can be reused for texts
cut to similar lengths. With 8,000 the matchers solved a sixth fewer medium items of the published papers. A text
shorter than a step is compared whole, and never more than is shown."""


class WordCounts(NamedTuple):
    """The stems of a text with their counts."""

    counts: Mapping[str, int]
    size: float
    """The norm of the vector of counts."""


class Stems:
    """The stems of a text, counted up to a number of characters."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._in_signs = _is_in_signs(text)
        """Decided once for the whole text: a part of an English text may begin in Chinese."""
        self._counted: dict[int, WordCounts] = {0: WordCounts({}, 1.0)}

    def up_to(self, characters: int) -> WordCounts:
        """The count of each stem in the first characters, up to a whole step and to the end of a word."""
        end = self._end_of_word(min(FAR, characters // STEP * STEP or characters))
        if end not in self._counted:
            known = max(known for known in self._counted if known < end and self._can_continue_from(known))
            counts = Counter(self._counted[known].counts)
            counts.update(_stems(self._text[known:end], self._in_signs))
            stopped = list(map(counts.get, _STOPPED, repeat(0)))
            size = sqrt(_squares(counts.values()) - _squares(stopped))
            self._counted[end] = WordCounts(counts, size or 1.0)
        return self._counted[end]

    def _end_of_word(self, place: int) -> int:
        rest = _REST.match(self._text, place) if place < len(self._text) else None
        return rest.end() if rest else len(self._text)

    def _can_continue_from(self, place: int) -> bool:
        """Whether counting can continue there: not within a word, nor in scripts without spaces."""
        return place == 0 or (self._end_of_word(place) == place and not self._in_signs)


def _squares(counts: Collection[int]) -> int:
    return sum(map(mul, counts, counts))


def occurrences(text: str, phrase: str) -> Iterator[Span]:
    """Occurrences of a phrase that are not part of a longer word."""
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            yield Span(start, end)
        start = text.find(phrase, end)


def letters_of(text: str) -> str:
    """The letters and digits of a text in lower case, equal for all typographic variants of a title."""
    return "".join(filter(str.isalnum, text.casefold()))
