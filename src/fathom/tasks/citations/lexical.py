"""Matchers that guess the cited work from shared words, without a model; used to measure and prevent shortcuts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product, repeat
from math import log, sqrt
from sys import maxsize
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fathom.records.documents import Document
from fathom.records.spans import Span
from fathom.tasks.citations.word_counts import WordCounts, Words, words_of

Stretch = Literal["sentence", "around", "paragraph"]
"""The part of the paper around a mask whose words a matcher uses."""

AROUND = 150
"""Characters on either side of a mask that count as `around` it."""


@dataclass(frozen=True)
class Matcher:
    """A method to guess the cited work by the words that it shares with the citing text."""

    name: str
    stretch: Stretch
    """The text around the mask whose words are compared."""
    cosine: bool
    """Whether scores are cosines of word counts; if not, sums of weighted counts, which favor long candidates."""


MATCHERS = (
    Matcher("words of the sentence", "sentence", cosine=False),
    Matcher("words around", "around", cosine=False),
    Matcher("cosine of the sentence", "sentence", cosine=True),
    Matcher("cosine of the paragraph", "paragraph", cosine=True),
)
"""All are kept at chance at the level `hard`: with only the first two balanced, the cosine of the sentence solved 60%.
Simulated models use the first."""


def around(stretch: Stretch, place: Span, document: Document, text: str) -> Span:
    """The span of that kind around a place of a paper."""
    match stretch:
        case "sentence":
            return _containing(document.sentences, place)
        case "paragraph":
            return _containing(document.paragraphs, place)
        case "around":
            return Span(max(0, place.start - AROUND), min(len(text), place.end + AROUND))


def _containing(spans: Sequence[Span], place: Span) -> Span:
    """The last span that begins before the place, if it contains the place; else the place itself."""
    number = bisect_right(spans, (place.start, maxsize)) - 1
    return spans[number] if number >= 0 and spans[number].contains(place) else place


def query(text: str, around: Span, hidden: Iterable[Span]) -> Words:
    """The stems of the text in the span `around`, without the hidden spans."""
    pieces, start = [], around.start
    for place in sorted(hidden):
        if place.start < around.end and around.start < place.end:
            pieces.append(text[start : place.start])
            start = max(start, place.end)
    return words_of(" ".join([*pieces, text[start : around.end]]))


class Queries:
    """The words around places of one paper, cached by span and hidden spans."""

    def __init__(self, document: Document, text: str) -> None:
        self._document = document
        self._text = text
        self._known: dict[tuple[Span, tuple[Span, ...]], Words] = {}
        self._alone: dict[tuple[Stretch, Span], Words] = {}

    def of(self, stretch: Stretch, place: Span, hidden: Iterable[Span]) -> Words:
        """The stems of the text around a place, without the hidden spans."""
        whole = around(stretch, place, self._document, self._text)
        first, last = whole
        within = tuple([span for span in hidden if span[0] < last and first < span[1]])
        if (whole, within) not in self._known:
            self._known[whole, within] = query(self._text, whole, within)
        return self._known[whole, within]

    def alone(self, stretch: Stretch, place: Span) -> Words:
        """The same with only the place itself hidden."""
        if (stretch, place) not in self._alone:
            self._alone[stretch, place] = self.of(stretch, place, [place])
        return self._alone[stretch, place]


def scores(words: Words, candidates: Sequence[WordCounts], cosine: bool = False) -> list[float]:
    """The score of each candidate for the words of the query."""
    return _cosines(words, candidates) if cosine else _sums(words, candidates)


def _cosines(words: Sequence[str], candidates: Sequence[WordCounts]) -> list[float]:
    length = sqrt(len(words)) or 1.0
    return [sum(map(one.counts.get, words, repeat(0))) / one.size / length for one in candidates]


def _sums(words: Sequence[str], candidates: Sequence[WordCounts]) -> list[float]:
    """Weighted sums, as in TF-IDF: words that all candidates contain count little, and repeated occurrences less."""
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
    """The weight of a word that `found` of the candidates contain."""
    return log((candidates + 1) / found) if found else 0.0


def damped(count: int) -> float:
    """The weight of a word that occurs `count` times, at least once."""
    return 1 + log(count)


def rank(answer: int, found: Sequence[float]) -> int:
    """The rank of the answer by score, from one; equal scores rank in the order of the list."""
    return 1 + sum(
        score > found[answer] or (score == found[answer] and place < answer) for place, score in enumerate(found)
    )


def best_options(found: Sequence[float], number: int) -> tuple[int, ...]:
    """The positions of so many candidates with the highest scores, counted from one, in ascending order."""
    return tuple(sorted(sorted(range(1, len(found) + 1), key=lambda place: -found[place - 1])[:number]))


def best_assignment(found: Sequence[Sequence[float]]) -> tuple[int, ...]:
    """The candidate of each mask, counted from zero, with the highest total score; every mask has another one.

    With n masks, some best assignment gives each mask one of its n best candidates, so that others need not be tried.
    """
    totals = np.array(found)
    masks, candidates = totals.shape
    every = orders(masks)
    if candidates > masks:
        best = np.argsort(-totals, axis=1, kind="stable")[:, :masks]
        every = np.array([order for order in product(*best.tolist()) if len(set(order)) == masks])
    chosen = totals[np.arange(masks), every].sum(axis=1).argmax()
    return tuple(every[chosen].tolist())


@cache
def orders(masks: int) -> NDArray[np.int_]:
    """Every assignment of candidates to that many masks; in the first, mask n gets candidate n."""
    return np.array(list(permutations(range(masks))))
