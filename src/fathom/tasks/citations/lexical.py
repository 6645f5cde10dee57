"""Matchers that guess the cited work from shared words, without a model; used to measure and prevent shortcuts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise, permutations, product
from sys import maxsize
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from fathom.records.documents import Document
from fathom.records.spans import Span
from fathom.tasks.citations.word_counts import CandidateWords, Words, is_stopped, stems_in

Numbers = NDArray[np.int_]
Values = NDArray[np.float64]

Stretch = Literal[
    "sentence", "words before", "words after", "150 characters", "400 characters", "paragraph", "1500 characters"
]
"""The part of the paper around a mask whose words a matcher uses."""
STRETCHES: tuple[Stretch, ...] = get_args(Stretch)
_FAR: dict[Stretch, int] = {"150 characters": 150, "400 characters": 400, "1500 characters": 1_500}

WAYS = ("words", "rare words", "distinct words", "cosine", "language model", "best 40 words", "best 120 words")
"""The ways in which the words of a stretch are compared with a candidate."""
PARTS = (40, 120)
"""Words in a part of a candidate, for the ways that use its best part."""
_PAIRED: tuple[Stretch, ...] = ("sentence", "paragraph")
"""The stretches whose pairs of words, character sequences and words of headings are compared as well."""

MATCHERS = (
    *(f"{way} of the {stretch}" for way in WAYS for stretch in STRETCHES),
    *(f"{way} of the {stretch}" for way in ("pairs", "characters", "headings") for stretch in _PAIRED),
    "length of the candidate",
    "paragraphs of the candidate",
    "sections of the candidate",
)
"""All are kept at chance at the level `hard`, and every linear combination of them. Simulated models use the first."""

SMOOTHING = 300.0
"""Words of the background that the language model adds to a candidate."""


def around(stretch: Stretch, place: Span, document: Document, text: str) -> Span:
    """The span of that kind around a place of a paper."""
    match stretch:
        case "sentence":
            return _containing(document.sentences, place)
        case "words before":
            return Span(_containing(document.sentences, place).start, place.start)
        case "words after":
            return Span(place.end, _containing(document.sentences, place).end)
        case "paragraph":
            return _containing(document.paragraphs, place)
        case _:
            return Span(max(0, place.start - _FAR[stretch]), min(len(text), place.end + _FAR[stretch]))


def _containing(spans: Sequence[Span], place: Span) -> Span:
    """The last span that begins before the place, if it contains the place; else the place itself."""
    number = bisect_right(spans, (place.start, maxsize)) - 1
    return spans[number] if number >= 0 and spans[number].contains(place) else place


class Query(NamedTuple):
    """The text around a mask, without hidden spans."""

    stems: dict[Stretch, list[str]]
    """All stems, in the order of the text."""
    grams: Values
    """Counts of character sequences, one row for each of the stretches that are compared by them."""

    @property
    def words(self) -> Words:
        """The distinct stems of the sentence, sorted, without stop words."""
        return tuple(sorted({stem for stem in self.stems["sentence"] if not is_stopped(stem)}))


class Queries:
    """The text around places of one paper, cached by place and hidden spans."""

    def __init__(self, document: Document, text: str) -> None:
        self._document = document
        self._text = text
        self._known: dict[tuple[Span, tuple[Span, ...]], Query] = {}

    def of(self, place: Span, hidden: Iterable[Span] = ()) -> Query:
        """The text around a place, without the place and the hidden spans."""
        spans = {stretch: around(stretch, place, self._document, self._text) for stretch in STRETCHES}
        first, last = min(span.start for span in spans.values()), max(span.end for span in spans.values())
        within = tuple(sorted({span for span in (place, *hidden) if span.start < last and first < span.end}))
        if (place, within) not in self._known:
            texts = {stretch: _visible(self._text, span, within) for stretch, span in spans.items()}
            self._known[place, within] = query(texts)
        return self._known[place, within]


def query(texts: dict[Stretch, str]) -> Query:
    """The query of the stretches around a mask."""
    return Query(
        {stretch: stems_in(text) for stretch, text in texts.items()},
        np.array([CandidateWords(texts[stretch]).grams for stretch in _PAIRED]),
    )


def _visible(text: str, whole: Span, hidden: Sequence[Span]) -> str:
    """The text of a span without the hidden spans, which are sorted."""
    pieces, start = [], whole.start
    for place in hidden:
        if place.start < whole.end and whole.start < place.end:
            pieces.append(text[start : place.start])
            start = max(start, place.end)
    return " ".join([*pieces, text[start : whole.end]])


def match_scores(queries: Sequence[Query], candidates: Sequence[CandidateWords]) -> Values:
    """The scores of `MATCHERS` (first axis), for each mask (second) and candidate (third)."""
    number: dict[str, int] = {}
    for query in queries:
        for stems in query.stems.values():
            for stem in stems:
                if stem not in number and not is_stopped(stem):
                    number[stem] = len(number)
    ids = [one.numbered(number) for one in candidates]
    tables = [
        *_by_word(queries, candidates, number, ids),
        *_by_pair(queries, number, ids),
        *_by_characters(queries, candidates),
        *_by_headings(queries, candidates),
        *np.array([[one.form for one in candidates]] * len(queries), dtype=float).transpose(2, 0, 1),
    ]
    return np.array(tables)


def _by_word(
    queries: Sequence[Query], candidates: Sequence[CandidateWords], number: Mapping[str, int], ids: Sequence[Numbers]
) -> Iterator[Values]:
    many = len(number)
    wanted = np.zeros((len(STRETCHES), len(queries), many))
    for mask, query in enumerate(queries):
        for stretch, stems in enumerate(query.stems.values()):
            wanted[stretch, mask, [number[stem] for stem in stems if stem in number]] = 1
    counts = np.array([np.bincount(one, minlength=many + 1)[:many] for one in ids], dtype=float)
    held = counts > 0
    rarity = _rarity(held)
    lengths = np.array([len(one) + 1.0 for one in ids])
    background = (counts.sum(axis=0) + 0.5) / lengths.sum()
    weights = (
        rarity * held * (1 + np.log(np.maximum(counts, 1))),
        rarity**2 * held,
        held * 1.0,
        counts / np.array([one.norm for one in candidates])[:, None],
        np.log((counts + SMOOTHING * background) / (lengths[:, None] + SMOOTHING)),
    )
    for weight in weights:
        yield from wanted @ weight.T
    for size in PARTS:
        parts = [_parts(one, size, many) for one in ids]
        yield from np.stack([((wanted * rarity) @ part.T).max(axis=2) for part in parts], axis=2)


def _rarity(held: NDArray[np.bool_]) -> Values:
    """The weight of each word by the number of candidates that contain it; zero if none does."""
    found = held.sum(axis=0)
    weights: Values = np.where(found > 0, np.log((len(held) + 1) / np.maximum(found, 1)), 0.0)
    return weights


def _parts(ids: Numbers, size: int, many: int) -> Values:
    """For each part of so many words, which of the numbered words it contains."""
    found = np.zeros((len(ids) // size + 1, many))
    places = np.flatnonzero(ids < many)
    found[places // size, ids[places]] = 1
    return found


def _by_pair(queries: Sequence[Query], number: Mapping[str, int], ids: Sequence[Numbers]) -> Iterator[Values]:
    """Pairs of neighboring words that the query and the candidate share, weighted by rarity."""
    many = len(number) + 1
    known = [_pairs(one, many) for one in ids]
    for stretch in _PAIRED:
        table = np.zeros((len(queries), len(ids)))
        for mask, query in enumerate(queries):
            stems = [number.get(stem, -1) for stem in query.stems[stretch]]
            pairs = sorted({one * many + two for one, two in pairwise(stems) if min(one, two) >= 0})
            held = np.array([[pair in one for pair in pairs] for one in known], dtype=bool)
            table[mask] = held @ _rarity(held)
        yield table


def _pairs(ids: Numbers, many: int) -> set[int]:
    """All pairs of neighboring words that both have a number; the last number is that of all other words."""
    known = ids < many - 1
    places = np.flatnonzero(known[:-1] & known[1:])
    return set((ids[places] * many + ids[places + 1]).tolist())


def _by_characters(queries: Sequence[Query], candidates: Sequence[CandidateWords]) -> Iterator[Values]:
    """Cosines of the counts of character sequences."""
    known = np.array([one.grams for one in candidates])
    known /= np.sqrt((known * known).sum(axis=1, keepdims=True)) + 1e-9
    for row in range(len(_PAIRED)):
        yield np.array([query.grams[row] for query in queries]) @ known.T


def _by_headings(queries: Sequence[Query], candidates: Sequence[CandidateWords]) -> Iterator[Values]:
    """The number of words of a stretch that are in headings of the candidate."""
    for stretch in _PAIRED:
        wanted = [set(query.stems[stretch]) for query in queries]
        yield np.array([[len(words & one.headings) for one in candidates] for words in wanted], dtype=float)


def best_options(found: Values, number: int) -> tuple[int, ...]:
    """The positions of so many candidates with the highest scores, counted from one, in ascending order."""
    return tuple(sorted((1 + np.argsort(-found, kind="stable")[:number]).tolist()))


def best_assignment(found: Values) -> tuple[int, ...]:
    """The candidate of each mask, counted from zero, with the highest total score; every mask has another one.

    With n masks, some best assignment gives each mask one of its n best candidates, so that others need not be tried.
    """
    masks, candidates = found.shape
    every = orders(masks)
    if candidates > masks:
        best = np.argsort(-found, axis=1, kind="stable")[:, :masks]
        every = np.array([order for order in product(*best.tolist()) if len(set(order)) == masks])
    chosen = found[np.arange(masks), every].sum(axis=1).argmax()
    return tuple(every[chosen].tolist())


@cache
def orders(masks: int) -> Numbers:
    """Every assignment of candidates to that many masks; in the first, mask n gets candidate n."""
    return np.array(list(permutations(range(masks))))
