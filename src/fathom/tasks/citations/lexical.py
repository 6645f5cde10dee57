"""Matchers that guess the cited work from shared words, without a model; used to measure and prevent shortcuts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from itertools import permutations, product
from sys import maxsize
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from fathom.records.documents import Document
from fathom.records.spans import Span
from fathom.tasks.citations import topics
from fathom.tasks.citations.topics import FloatArray, TopicVectors
from fathom.tasks.citations.word_counts import (
    STOPPED,
    CandidateWords,
    Words,
    gram_counts,
    gram_hashes,
    numbered,
    numbers_in_use,
    stems_in,
    words_of,
)

IntArray = NDArray[np.int_]

Stretch = Literal[
    "sentence", "words before", "words after", "150 characters", "400 characters", "paragraph", "1500 characters"
]
"""The part of the paper around a mask whose words a matcher uses."""
STRETCHES: tuple[Stretch, ...] = get_args(Stretch)
_FAR: dict[Stretch, int] = {"150 characters": 150, "400 characters": 400, "1500 characters": 1_500}

COMPARISONS = (
    "words",
    "rare words",
    "distinct words",
    "cosine",
    "words of one candidate",
    "language model",
    "best 40 words",
    "best 120 words",
)
"""The ways in which the words of a stretch are compared with a candidate."""
PARTS = (40, 120)
"""Words in a part of a candidate, for the ways that use its best part."""
COMPARISONS_OF_FEW = ("rarest word", "rarity in the corpus", "rarest in the corpus", "pairs", "characters", "headings")
_PAIRED: tuple[Stretch, ...] = ("sentence", "paragraph")
"""The stretches that are compared in these ways as well. Words are rare among the candidates, or in the corpus."""

MATCHERS = (
    *(f"{way} of the {stretch}" for way in COMPARISONS for stretch in STRETCHES),
    *(f"{way} of the {stretch}" for way in COMPARISONS_OF_FEW for stretch in _PAIRED),
    *(f"{way} of the sentence" for way in topics.COMPARISONS),
    "length of the candidate",
    "paragraphs of the candidate",
    "sections of the candidate",
    "hidden names of the candidate",
    "cuts of the candidate",
    "beginning of the candidate",
    "similarity of the candidate",
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


class MaskQuery(NamedTuple):
    """The text around a mask, without hidden spans."""

    words: Words
    """The distinct stems of the sentence, sorted, without stop words."""
    stems: tuple[NDArray[np.int32], ...]
    """The numbers of all stems of each stretch, in the order of the text."""
    grams: FloatArray
    """Counts of character sequences, one row for each of the stretches that are compared by them."""


class Queries:
    """The text around places of one paper, cached by place and hidden spans."""

    def __init__(self, document: Document, text: str) -> None:
        self._document = document
        self._text = text
        self._spans: dict[Span, dict[Stretch, Span]] = {}
        self._known: dict[tuple[Span, tuple[Span, ...]], MaskQuery] = {}

    def of(self, place: Span, hidden: Collection[Span] = ()) -> MaskQuery:
        """The text around a place, without the place and the hidden spans."""
        if not hidden and (place, (place,)) in self._known:
            return self._known[place, (place,)]
        if place not in self._spans:
            self._spans[place] = {stretch: around(stretch, place, self._document, self._text) for stretch in STRETCHES}
        spans = self._spans[place]
        first, last = min(span.start for span in spans.values()), max(span.end for span in spans.values())
        within = tuple(sorted({span for span in (place, *hidden) if span.start < last and first < span.end}))
        if (place, within) not in self._known:
            texts = {stretch: _visible(self._text, span, within) for stretch, span in spans.items()}
            self._known[place, within] = query(texts)
        return self._known[place, within]


def query(texts: Mapping[Stretch, str]) -> MaskQuery:
    """The query of the stretches around a mask."""
    return MaskQuery(
        words_of(texts["sentence"]),
        tuple(numbered(stems_in(texts[stretch])) for stretch in STRETCHES),
        np.array([gram_counts(gram_hashes(texts[stretch])) for stretch in _PAIRED]),
    )


def _visible(text: str, whole: Span, hidden: Sequence[Span]) -> str:
    """The text of a span without the hidden spans, which are sorted."""
    pieces, start = [], whole.start
    for place in hidden:
        if place.start < whole.end and whole.start < place.end:
            pieces.append(text[start : place.start])
            start = max(start, place.end)
    return " ".join([*pieces, text[start : whole.end]])


def match_scores(
    queries: Sequence[MaskQuery], candidates: Sequence[CandidateWords], vectors: TopicVectors
) -> FloatArray:
    """The scores of `MATCHERS` (first axis), for each mask (second) and candidate (third)."""
    local = _local_numbers(queries)
    many = int(local[-1])
    wanted = _wanted(queries, local)
    stems = np.flatnonzero(local[:-1] < many)
    rarity = vectors.rarity(stems[local[stems].argsort()].astype(np.int32))
    asked = [[local[stems] for stems in query.stems] for query in queries]
    ids = [local[candidate.stems] for candidate in candidates]
    tables = [
        *_by_word(wanted, candidates, ids, rarity),
        *_by_pair(asked, many, ids),
        *_by_characters(queries, candidates),
        *_by_headings(wanted, [local[candidate.headings] for candidate in candidates]),
        *vectors.scores([query.stems[0] for query in queries], [candidate.stems for candidate in candidates]),
        *np.array([[candidate.form for candidate in candidates]] * len(queries), dtype=float).transpose(2, 0, 1),
        np.array([vectors.similarities([candidate.stems for candidate in candidates])] * len(queries)),
    ]
    return np.array(tables)


def first_scores(queries: Sequence[MaskQuery], candidates: Sequence[CandidateWords]) -> FloatArray:
    """The scores of the first of `MATCHERS`, for each mask and candidate."""
    local = _local_numbers(queries)
    ids = [local[candidate.stems] for candidate in candidates]
    return next(_by_word(_wanted(queries, local), candidates, ids, np.zeros(int(local[-1]))))


def _wanted(queries: Sequence[MaskQuery], local: IntArray) -> FloatArray:
    """For each stretch and mask, which words it contains."""
    many = int(local[-1])
    wanted = np.zeros((len(STRETCHES), len(queries), many + 1))
    for mask, query in enumerate(queries):
        for stretch, stems in enumerate(query.stems):
            wanted[stretch, mask, local[stems]] = 1
    return wanted[..., :many]


def _local_numbers(queries: Sequence[MaskQuery]) -> IntArray:
    """For each stem, by its number, its number among the words of these queries, in the order of their first use, so
    that sums over them are reproducible. All other stems, and the last entry, have the next number."""
    every = np.concatenate([stems for query in queries for stems in query.stems])
    distinct, first = np.unique(every[every >= STOPPED], return_index=True)
    local = np.full(numbers_in_use() + 1, len(distinct))
    local[distinct[first.argsort()]] = np.arange(len(distinct))
    return local


def _by_word(
    wanted: FloatArray, candidates: Sequence[CandidateWords], ids: Sequence[IntArray], in_corpus: FloatArray
) -> Iterator[FloatArray]:
    """`in_corpus` is the rarity of each word in the corpus."""
    many = wanted.shape[2]
    counts = np.array([np.bincount(one, minlength=many + 1)[:many] for one in ids], dtype=float)
    lengths = np.array([len(one) + 1.0 for one in ids])
    # Words that no candidate contains matter to the language model alone, where all of them have the same weight.
    known = np.flatnonzero(counts.any(axis=0))
    unknown = wanted.sum(axis=2) - wanted[..., known].sum(axis=2)
    nowhere = np.log(SMOOTHING * 0.5 / lengths.sum() / (lengths + SMOOTHING))
    wanted, counts = wanted[..., known], counts[:, known]
    held = counts > 0
    rarity = _rarity(held)
    background = (counts.sum(axis=0) + 0.5) / lengths.sum()
    weights = (
        rarity * held * (1 + np.log(np.maximum(counts, 1))),
        rarity**2 * held,
        held * 1.0,
        counts / np.array([candidate.norm for candidate in candidates])[:, None],
        rarity * (held & (held.sum(axis=0) == 1)),
        np.log((counts + SMOOTHING * background) / (lengths[:, None] + SMOOTHING)),
    )
    for weight in weights[:-1]:
        yield from wanted @ weight.T
    yield from wanted @ weights[-1].T + unknown[..., None] * nowhere
    among = np.full(many + 1, len(known))
    among[known] = np.arange(len(known))
    # The number of rows is spelled out, since no word may be known.
    asked = (wanted * rarity).reshape(wanted.shape[0] * wanted.shape[1], len(known)).T
    places = [_places(among[one], len(known)) for one in ids]
    for size in PARTS:
        best = np.array([_best_part(asked, words, at // size) for words, at in places])
        yield from best.T.reshape(*wanted.shape[:2], len(ids))
    weighted = in_corpus[known] * held
    paired = wanted[list(map(STRETCHES.index, _PAIRED))]
    yield from (paired[:, :, None] * (rarity * held)).max(axis=3, initial=0)
    yield from paired @ weighted.T
    yield from (paired[:, :, None] * weighted).max(axis=3, initial=0)


def _rarity(held: NDArray[np.bool_]) -> FloatArray:
    """The weight of each word by the number of candidates that contain it; zero if none does."""
    found = held.sum(axis=0)
    weights: FloatArray = np.where(found > 0, np.log((len(held) + 1) / np.maximum(found, 1)), 0.0)
    return weights


def _places(ids: IntArray, many: int) -> tuple[IntArray, IntArray]:
    """The words of a candidate with a number below `many`, and where they are."""
    places = np.flatnonzero(ids < many)
    return ids[places], places


def _best_part(asked: FloatArray, words: IntArray, parts: IntArray) -> FloatArray:
    """The highest score of a part for each query: the sum of the weights of the words that the part contains.

    `asked` gives the weight of each word (row) in each query (column), and `parts` the part of each word.
    """
    if not len(words):
        return np.zeros(asked.shape[1])
    pairs = np.unique(parts * len(asked) + words)
    starts = np.flatnonzero(np.diff(pairs // len(asked), prepend=-1))
    best: FloatArray = np.add.reduceat(asked[pairs % len(asked)], starts, axis=0).max(axis=0)
    return best


def _by_pair(asked: Sequence[Sequence[IntArray]], many: int, ids: Sequence[IntArray]) -> Iterator[FloatArray]:
    """Pairs of neighboring words that the query and the candidate share, weighted by rarity."""
    stretches = [[np.unique(_pairs(one[STRETCHES.index(stretch)], many)) for one in asked] for stretch in _PAIRED]
    every = np.unique(np.concatenate([pairs for stretch in stretches for pairs in stretch]))
    held = np.zeros((len(ids), len(every) + 1), dtype=bool)
    for row, one in zip(held, ids, strict=True):
        pairs = _pairs(one, many)
        places = np.searchsorted(every, pairs)
        row[places[np.append(every, -1)[places] == pairs]] = True
    weights = held * _rarity(held)
    for stretch in stretches:
        yield np.array([weights[:, np.searchsorted(every, pairs)].sum(axis=1) for pairs in stretch])


def _pairs(ids: IntArray, many: int) -> IntArray:
    """All pairs of neighboring words that both have a number below `many`."""
    known = ids < many
    places = np.flatnonzero(known[:-1] & known[1:])
    return ids[places] * many + ids[places + 1]


def _by_characters(queries: Sequence[MaskQuery], candidates: Sequence[CandidateWords]) -> Iterator[FloatArray]:
    """Cosines of the counts of character sequences."""
    known = np.array([candidate.grams for candidate in candidates])
    known /= np.sqrt((known * known).sum(axis=1, keepdims=True)) + 1e-9
    for row in range(len(_PAIRED)):
        yield np.array([query.grams[row] for query in queries]) @ known.T


def _by_headings(wanted: FloatArray, headings: Sequence[IntArray]) -> Iterator[FloatArray]:
    """The number of words of a stretch that are in headings of the candidate."""
    many = wanted.shape[2]
    held = np.zeros((len(headings), many + 1))
    for row, ids in zip(held, headings, strict=True):
        row[ids] = 1
    for stretch in map(STRETCHES.index, _PAIRED):
        yield wanted[stretch] @ held[:, :many].T


def best_options(found: FloatArray, number: int) -> tuple[int, ...]:
    """The positions of this many candidates with the highest scores, counted from one, in ascending order."""
    return tuple(sorted((1 + np.argsort(-found, kind="stable")[:number]).tolist()))


def best_assignment(found: FloatArray) -> tuple[int, ...]:
    """The candidate of each mask, counted from zero, with the highest total score; every mask has another one.

    With n masks, some best assignment gives each mask one of its n best candidates, so others need not be tried.
    """
    masks, candidates = found.shape
    every = orders(masks)
    if candidates > masks:
        best = np.argsort(-found, axis=1, kind="stable")[:, :masks]
        every = np.array([order for order in product(*best.tolist()) if len(set(order)) == masks])
    chosen = _first_best(found[np.arange(masks), every].sum(axis=1))
    return tuple(every[chosen].tolist())


def best_assignments(tables: FloatArray) -> IntArray:
    """The best assignment of each of several tables."""
    masks, candidates = tables.shape[1:]
    if masks < candidates and masks > 1:
        return np.array([best_assignment(table) for table in tables])
    every = orders(masks) if masks > 1 else np.arange(candidates)[:, None]
    chosen: IntArray = every[_first_best(tables[:, np.arange(masks), every].sum(axis=2))]
    return chosen


def _first_best(totals: FloatArray) -> IntArray:
    """The place of the first of the highest totals in the last axis.

    Matrix products round differently on other processors: equal totals are equal only without their last digits.
    """
    best: IntArray = totals.round(9).argmax(axis=-1)
    return best


@cache
def orders(masks: int) -> IntArray:
    """Every assignment of candidates to that many masks; in the first, mask n gets candidate n."""
    return np.array(list(permutations(range(masks))))
