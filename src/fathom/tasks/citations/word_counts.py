"""Counts the word stems of a text, for the matchers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import count
from math import sqrt
from typing import Any, NamedTuple

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


def stems_in(text: str) -> list[str]:
    """The stems of all words, in the order of the text; in a line, pairs of neighboring signs come last."""
    return _stems(text, _is_in_signs(text))


def _stems(text: str, in_signs: bool) -> list[str]:
    if not in_signs:
        return _STEM.findall(text.lower())
    return [stem for line in text.split("\n") for stem in (*_STEM.findall(line.lower()), *_PAIRS.findall(line))]


def _is_in_signs(text: str) -> bool:
    """Whether a text is in a script without spaces, judged by its first 400 characters: a Chinese name further on in an
    English text does not count."""
    return not text.isascii() and _SIGN.search(text, 0, 400) is not None


class _Numbers(dict[str, int]):
    """The number of every stem that was read so far; a new stem gets the next one.

    Which number a stem gets depends on what was read before, so nothing may depend on their order.
    """

    def __init__(self) -> None:
        self._next = count()

    def __missing__(self, stem: str) -> int:
        # Two threads may meet a new stem at the same time: `setdefault` returns the same number to both.
        return self.setdefault(stem, next(self._next))


_NUMBERS = _Numbers()
STOPPED = len([_NUMBERS[stem] for stem in sorted(_STOPPED)])
"""Stems with smaller numbers are those of stop words."""

Int32Array = NDArray[np.int32]


def numbered(stems: Sequence[str]) -> Int32Array:
    """The number of each stem: equal stems have the same number in every text."""
    return np.fromiter(map(_NUMBERS.__getitem__, stems), np.int32, len(stems))


def numbers_in_use() -> int:
    """One more than the greatest number of a stem."""
    return len(_NUMBERS)


GRAM = 4
"""Characters of the sequences that are counted."""
BUCKETS = 2_048
"""Character sequences are counted by a hash of this many values."""
_NEW_LINE = ord("\n")
_HEADING = re.compile(r"^#+ .*$", re.MULTILINE)


def gram_counts(hashes: NDArray[np.uint16]) -> NDArray[np.float64]:
    """The logarithms of the counts of character sequences, by their hash."""
    return np.log1p(np.bincount(hashes, minlength=BUCKETS + 1)[:BUCKETS])


def gram_hashes(text: str) -> NDArray[np.uint16]:
    """The hash of the character sequence at each position, in lower case; `BUCKETS` where a line ends in it."""
    codes = np.frombuffer(lowered(text).encode("utf-32-le", "replace"), dtype=np.uint32)
    last = max(0, len(codes) - GRAM + 1)
    hashed = np.zeros(last, dtype=np.uint32)
    for place in range(GRAM):
        hashed *= np.uint32(1_000_003)
        hashed += codes[place : last + place]
    hashed >>= np.uint32(11)
    found = (hashed % np.uint32(BUCKETS)).astype(np.uint16)
    ends = np.flatnonzero(codes == _NEW_LINE)
    for place in range(GRAM):
        found[(ends - place)[(ends >= place) & (ends - place < last)]] = BUCKETS
    return found


class WordIndex:
    """The words of a text by part, counted once for all excerpts of it."""

    def __init__(self, parts: Sequence[str], names: Sequence[int]) -> None:
        """`names` is the number of hidden names in each part."""
        in_signs = _is_in_signs("\n\n".join(parts[:10]))
        each = [numbered(_stems(part, in_signs)) for part in parts]
        self.parts = len(parts)
        self._stems = np.concatenate([*each, np.zeros(0, np.int32)])
        self._ends = np.cumsum([0, *map(len, each)])
        text = "\n".join(parts)
        self._grams = gram_hashes(f"{text}\n")
        self._gram_ends = np.cumsum([0, *(len(part) + 1 for part in parts)])
        found = [_HEADING.findall(part) if part.startswith("#") or "\n#" in part else [] for part in parts]
        self._headings = [numbered(_stems("\n".join(one), in_signs)) for one in found]
        self._form = np.array(
            [(part.count("\n\n") + 1, len(one), many) for part, one, many in zip(parts, found, names, strict=True)]
        )

    def stems(self, parts: Sequence[int]) -> Int32Array:
        """The numbers of all stems of some parts, in order."""
        return _joined(self._stems, self._ends, parts)

    def grams(self, parts: Sequence[int]) -> NDArray[np.float64]:
        """The logarithms of the counts of character sequences of some parts."""
        return gram_counts(_joined(self._grams, self._gram_ends, parts))

    def headings(self, parts: Sequence[int]) -> Int32Array:
        """The numbers of the stems of headings."""
        return np.concatenate([np.zeros(0, np.int32), *(self._headings[part] for part in parts)])

    def form(self, parts: Sequence[int]) -> tuple[int, ...]:
        """The numbers of paragraphs, of headings, of hidden names, of places where parts are left out, and of words
        before the first of them."""
        if not len(parts):
            return 0, 0, 0, 0, 0
        numbers = np.asarray(parts)
        counts = self._form[numbers].sum(axis=0).tolist()
        gaps = np.flatnonzero(np.diff(numbers) != 1)
        last = numbers[gaps[0] if len(gaps) else -1]
        return *counts, len(gaps), int(self._ends[last + 1] - self._ends[numbers[0]])

    @cached_property
    def _places(self) -> tuple[Int32Array, NDArray[np.int64], NDArray[np.int64]]:
        """The distinct stems in the order of their numbers; the parts that contain each; where those of each begin."""
        part = np.repeat(np.arange(self.parts), np.diff(self._ends))
        pairs = np.unique(self._stems.astype(np.int64) * self.parts + part)
        stems, starts = np.unique(pairs // self.parts, return_index=True)
        return stems.astype(np.int32), pairs % self.parts, np.append(starts, len(pairs))

    def places(self, words: Sequence[str]) -> Postings:
        """Where each of the words occurs that do."""
        stems, parts, starts = self._places
        numbers = numbered(words)
        at = np.searchsorted(stems, numbers)
        held = np.flatnonzero(np.append(stems, -1)[at] == numbers)
        first, many = starts[at[held]], starts[at[held] + 1] - starts[at[held]]
        within = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
        return Postings(held, many, parts[np.repeat(first, many) + within])


class Postings(NamedTuple):
    """The parts of a text that contain each of some words."""

    words: NDArray[np.int64]
    """The positions of the words that occur, in the list that was asked for."""
    counts: NDArray[np.int64]
    """The number of parts with each of these words."""
    parts: NDArray[np.int64]
    """The parts with the first word, then those with the second, and so on."""


def _joined(values: NDArray[Any], ends: NDArray[np.int64], parts: Sequence[int]) -> NDArray[Any]:
    """The values of some parts; neighboring parts are copied at once."""
    if not len(parts):
        return values[:0]
    numbers = np.asarray(parts)
    gaps = np.flatnonzero(np.diff(numbers) != 1)
    first, last = numbers[np.append(0, gaps + 1)], numbers[np.append(gaps, len(numbers) - 1)]
    pieces = [values[start:end] for start, end in zip(ends[first].tolist(), ends[last + 1].tolist(), strict=True)]
    return np.concatenate(pieces)


class CandidateWords:
    """The words of a shown text, for the matchers."""

    def __init__(self, index: WordIndex, parts: Sequence[int]) -> None:
        self._index = index
        self._parts = parts

    @cached_property
    def stems(self) -> Int32Array:
        """The numbers of all stems, in the order of the text."""
        return self._index.stems(self._parts)

    @cached_property
    def _counted(self) -> tuple[Int32Array, NDArray[np.int64]]:
        return np.unique(self.stems, return_counts=True)

    @cached_property
    def norm(self) -> float:
        """The norm of the vector of counts without stop words."""
        numbers, counts = self._counted
        return sqrt((counts[numbers >= STOPPED] ** 2).sum()) or 1.0

    def holds(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Whether the text contains each of these stems."""
        wanted, known = numbered(words), self._counted[0]
        found: NDArray[np.bool_] = np.append(known, np.int32(-1))[np.searchsorted(known, wanted)] == wanted
        return found

    @cached_property
    def headings(self) -> Int32Array:
        """The numbers of the stems of the headings."""
        return self._index.headings(self._parts)

    @cached_property
    def form(self) -> tuple[int, ...]:
        """The numbers of words, of paragraphs, of headings, of hidden names, of places where text is left out, and of
        words before the first of them."""
        return len(self.stems), *self._index.form(self._parts)

    @cached_property
    def grams(self) -> NDArray[np.float64]:
        """The logarithms of the counts of character sequences, by their hash."""
        return self._index.grams(self._parts)


def occurrences(text: str, phrase: str) -> Iterator[Span]:
    """Occurrences of a phrase that are not part of a longer word."""
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            yield Span(start, end)
        start = text.find(phrase, end)


STEM_LENGTH = 6


def stem_at(text: str, stem: str) -> int | None:
    """The position of the first word of a text, in lower case, with this stem; None if there is none."""
    at = text.find(stem)
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
