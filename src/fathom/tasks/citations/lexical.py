"""What shared words alone can do: matchers without a model, by which shortcuts are found, measured and kept out."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, repeat
from math import log, sqrt
from sys import maxsize
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fathom.records.documents import Document
from fathom.records.spans import Span
from fathom.tasks.citations.word_counts import WordCounts, Words, words_of

Stretch = Literal["sentence", "around", "paragraph"]

AROUND = 150
"""Characters on either side of a mask that are `around` it."""


@dataclass(frozen=True)
class Matcher:
    """A way of telling the work that is cited by the words that it shares with the place that cites it."""

    name: str
    stretch: Stretch
    """Whose words are looked for."""
    cosine: bool
    """Whether each word counts as often as it stands there, and against all others of the candidate, as is usual; else
    the first time counts most, and a long candidate has more of everything."""


MATCHERS = (
    Matcher("words of the sentence", "sentence", cosine=False),
    Matcher("words around", "around", cosine=False),
    Matcher("cosine of the sentence", "sentence", cosine=True),
    Matcher("cosine of the paragraph", "paragraph", cosine=True),
)
"""All are held at chance on `hard`: with the first two alone the cosine of the sentence still told six of ten.
Simulated answerers use the first."""


def around(stretch: Stretch, place: Span, document: Document, text: str) -> Span:
    """The stretch of a paper that a place stands in."""
    match stretch:
        case "sentence":
            return _holding(document.sentences, place)
        case "paragraph":
            return _holding(document.paragraphs, place)
        case "around":
            return Span(max(0, place.start - AROUND), min(len(text), place.end + AROUND))


def _holding(spans: Sequence[Span], place: Span) -> Span:
    """The last of the spans that begins before the place, if it holds it; else the place itself."""
    number = bisect_right(spans, (place.start, maxsize)) - 1
    return spans[number] if number >= 0 and spans[number].contains(place) else place


def query(text: str, around: Span, hidden: Iterable[Span]) -> Words:
    """The stems of a stretch of a paper, as far as they are shown."""
    pieces, start = [], around.start
    for place in sorted(hidden):
        if place.start < around.end and around.start < place.end:
            pieces.append(text[start : place.start])
            start = max(start, place.end)
    return words_of(" ".join([*pieces, text[start : around.end]]))


class Queries:
    """The words around the places of one paper; those of a stretch with the same places hidden are read once."""

    def __init__(self, document: Document, text: str) -> None:
        self._document = document
        self._text = text
        self._known: dict[tuple[Span, tuple[Span, ...]], Words] = {}
        self._alone: dict[tuple[Stretch, Span], Words] = {}

    def of(self, stretch: Stretch, place: Span, hidden: Iterable[Span]) -> Words:
        """The stems of the stretch that a place stands in, as far as they are shown."""
        whole = around(stretch, place, self._document, self._text)
        first, last = whole
        within = tuple([span for span in hidden if span[0] < last and first < span[1]])
        if (whole, within) not in self._known:
            self._known[whole, within] = query(self._text, whole, within)
        return self._known[whole, within]

    def alone(self, stretch: Stretch, place: Span) -> Words:
        """The same where nothing but the place itself is hidden."""
        if (stretch, place) not in self._alone:
            self._alone[stretch, place] = self.of(stretch, place, [place])
        return self._alone[stretch, place]


def scores(words: Words, candidates: Sequence[WordCounts], cosine: bool = False) -> list[float]:
    """How well each candidate goes with the words of the query."""
    return _cosines(words, candidates) if cosine else _sums(words, candidates)


def _cosines(words: Sequence[str], candidates: Sequence[WordCounts]) -> list[float]:
    length = sqrt(len(words)) or 1.0
    return [sum(map(one.counts.get, words, repeat(0))) / one.size / length for one in candidates]


def _sums(words: Sequence[str], candidates: Sequence[WordCounts]) -> list[float]:
    """What all candidates have tells little, and the tenth time less than the first."""
    total = [0.0] * len(candidates)
    weights = [rarity(found, len(candidates)) for found in range(len(candidates) + 1)]
    for counts in zip(*(map(one.counts.get, words, repeat(0)) for one in candidates), strict=True):
        weight = weights[sum(map(bool, counts))]
        if weight:
            for number, count in enumerate(counts):
                if count:
                    total[number] += weight * damped(count)
    return total


def rarity(found: int, candidates: int) -> float:
    """What a word tells that so many of the candidates have."""
    return log((candidates + 1) / found) if found else 0.0


def damped(count: int) -> float:
    """How much a word counts that stands somewhere so often, once at the least."""
    return 1 + log(count)


def rank(answer: int, found: Sequence[float]) -> int:
    """The answer's place by score, from one; of equals those before it in the list come first."""
    return 1 + sum(
        score > found[answer] or (score == found[answer] and place < answer) for place, score in enumerate(found)
    )


def best_assignment(found: Sequence[Sequence[float]]) -> tuple[int, ...]:
    """For each mask the candidate, counted from zero, so that all scores together are highest."""
    every = orders(len(found))
    best = np.array(found)[np.arange(len(found)), every].sum(axis=1).argmax()
    return tuple(every[best].tolist())


@cache
def orders(masks: int) -> NDArray[np.int_]:
    """Every way to give so many masks a candidate each; the first gives each its own."""
    return np.array(list(permutations(range(masks))))
