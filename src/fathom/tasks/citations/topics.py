"""Word vectors computed from a corpus, for matchers that compare topics instead of words.

Papers of one corpus use a term and its paraphrases side by side. Vectors of the corpus therefore match a citing
sentence with a work that shares none of its words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from fathom.corpus.store import Corpus
from fathom.tasks.citations.word_counts import STOPPED, Int32Array, numbered, numbers_in_use, stems_in

FloatArray = NDArray[np.float64]

SAMPLED, PIECES, PIECE = 400, 10, 2_000
"""Documents from which the vectors are computed, the maximum number of pieces of each, and characters of a piece. With
fewer documents, the vectors tell subjects apart but not the works of one section. The pieces are spread over the
document, since candidates often show its middle alone."""
PASSAGE = 120
"""Words of a passage."""
PASSAGES, VOCABULARY = 2_500, 3_000
"""The maximum number of passages, and of words, that have vectors."""
NEIGHBORS = 4
"""Words on either side that count as neighbors of a word."""
TOPIC_ITERATIONS = 15

_SIZES = {"passages": 100, "documents": 100, "neighbors": 60, "topics": 40, "more topics": 80, "passage topics": 40}
"""The columns of a vector: latent semantic analysis of passages, of documents, and of words by their neighbors, and
topics (non-negative factors of documents or passages)."""
_ENDS = dict(zip(_SIZES, np.cumsum(list(_SIZES.values())).tolist(), strict=True))
COLUMNS = max(_ENDS.values())


def _columns(kind: str, many: int) -> slice:
    """The first columns of a kind."""
    start = _ENDS[kind] - _SIZES[kind]
    return slice(start, start + many)


_FEWER = {"passages": (12, 40), "documents": (20,)}
"""Of these kinds, the first columns are compared alone as well: they are the most important ones."""
SPACES = {
    f"{many} {kind}": _columns(kind, many)
    for kind, all_columns in _SIZES.items()
    for many in (*_FEWER.get(kind, ()), all_columns)
}
"""The columns in which texts are compared. Vectors of few dimensions compare subjects, those of many compare words."""
COMPARISONS = tuple(name for space in SPACES for name in (space, f"best part in {space}"))
"""The ways in which `TopicVectors.scores` compares texts, in its order."""

_known: WeakKeyDictionary[Corpus, TopicVectors] = WeakKeyDictionary()


def topic_vectors(corpus: Corpus) -> TopicVectors:
    """The vectors of a corpus, from a sample of its documents; computed once."""
    if corpus not in _known:
        ids = [listed.id for listed in corpus.entries()]
        sampled = ids[:: max(1, len(ids) // SAMPLED)][:SAMPLED]
        _known[corpus] = _vectors_of(tuple(_pieces(corpus.text(id)) for id in sampled))
    return _known[corpus]


def _pieces(text: str) -> str:
    """Pieces of a text at equal distances, or all of it if it is short."""
    step = max(PIECE, -(-len(text) // PIECES))
    return "\n".join(text[start : start + PIECE] for start in range(0, len(text), step))


@lru_cache(maxsize=4)
def _vectors_of(texts: tuple[str, ...]) -> TopicVectors:
    """The vectors of texts; an audit opens the corpus of its bench again."""
    return TopicVectors(texts)


class TopicVectors:
    """Vectors of the most frequent words of some texts."""

    def __init__(self, texts: Sequence[str]) -> None:
        documents = [numbered(stems_in(text)) for text in texts]
        passages = [text[start : start + PASSAGE] for text in documents for start in range(0, len(text), PASSAGE)]
        used = np.bincount(
            np.concatenate([np.zeros(0, np.int32), *map(np.unique, passages)]), minlength=numbers_in_use()
        )
        self._rarity = np.log((len(documents) + 1) / (1 + _documents_with(documents)))
        chosen = _frequent(used, documents)
        self._rows = np.full(len(used) + 1, len(chosen))
        """For each stem, by its number, its row in the vectors; the last row is for stems without a vector."""
        self._rows[chosen] = np.arange(len(chosen))
        self._weights = np.append(np.log(max(2, len(passages)) / np.maximum(1, used[chosen])), 0.0)
        by_passage = self._weighted(passages[:: max(1, -(-len(passages) // PASSAGES))])
        by_document = self._weighted(documents)
        rng = np.random.default_rng(0)
        self._vectors = np.zeros((len(chosen) + 1, COLUMNS))
        for kind, vectors in (
            ("passages", _directions(by_passage, _SIZES["passages"], rng)),
            ("documents", _directions(by_document, _SIZES["documents"], rng)),
            ("neighbors", _directions(self._associations(documents), _SIZES["neighbors"], rng)),
            ("topics", _factors(by_document, _SIZES["topics"], rng)),
            ("more topics", _factors(by_document, _SIZES["more topics"], rng)),
            ("passage topics", _factors(by_passage, _SIZES["passage topics"], rng)),
        ):
            self._vectors[:-1, _columns(kind, vectors.shape[1])] = vectors

    def scores(self, queries: Sequence[Int32Array], candidates: Sequence[Int32Array]) -> Iterator[FloatArray]:
        """Cosines of queries (rows) and candidates (columns), for each of `COMPARISONS`; texts are the numbers of their
        stems."""
        asked = self._weighted(queries) @ self._vectors[:-1]
        whole = self._weighted(candidates) @ self._vectors[:-1]
        parts = [self._passages(text) for text in candidates]
        starts = np.cumsum([0, *map(len, parts[:-1])])
        every = np.concatenate(parts)
        for columns in SPACES.values():
            units = _unit(asked[:, columns])
            yield units @ _unit(whole[:, columns]).T
            yield np.maximum.reduceat(units @ _unit(every[:, columns]).T, starts, axis=1)

    def similarities(self, candidates: Sequence[Int32Array]) -> FloatArray:
        """The mean cosine of each candidate with the others."""
        each = self._weighted(candidates)
        total: FloatArray = (each @ each.sum(axis=0) - (each * each).sum(axis=1)) / max(1, len(each) - 1)
        return total

    def rarity(self, stems: Int32Array) -> FloatArray:
        """The weight of each stem, by the number of documents that contain it."""
        rarity: FloatArray = np.append(self._rarity, self._rarity.max(initial=0.0))[
            np.minimum(stems, len(self._rarity))
        ]
        return rarity

    def _rows_of(self, stems: Int32Array) -> NDArray[np.int_]:
        """The row of every stem; stems that were read later than the texts have no vector."""
        rows: NDArray[np.int_] = self._rows[np.minimum(stems, len(self._rows) - 1)]
        return rows

    def _weighted(self, texts: Sequence[Int32Array]) -> FloatArray:
        """The weight of every word with a vector in each of the texts, with unit length."""
        counts = np.array([np.bincount(self._rows_of(text), minlength=len(self._weights))[:-1] for text in texts], int)
        counts = counts.reshape(len(texts), len(self._weights) - 1)
        # Few counts differ, so a table saves most of the logarithms.
        weight_of = np.append(0.0, 1 + np.log(np.arange(1, counts.max(initial=0) + 1)))
        return _unit(weight_of[counts] * self._weights[:-1])

    def _passages(self, stems: Int32Array) -> FloatArray:
        """The vectors of the passages of a text that have words with a vector; a zero if none has."""
        rows = self._rows_of(stems)
        places = np.flatnonzero(rows < len(self._weights) - 1)
        if not len(places):
            return np.zeros((1, COLUMNS))
        starts = np.flatnonzero(np.diff(places // PASSAGE, prepend=-1))
        rows = rows[places]
        found: FloatArray = np.add.reduceat(self._vectors[rows] * self._weights[rows, None], starts, axis=0)
        return found

    def _associations(self, documents: Sequence[Int32Array]) -> FloatArray:
        """The positive pointwise mutual information of each two words as neighbors."""
        many = len(self._weights)
        rows = [self._rows_of(document) for document in documents]
        pairs = [row[:-step] * many + row[step:] for row in rows for step in range(1, NEIGHBORS + 1)]
        near = np.bincount(np.concatenate([np.zeros(0, int), *pairs]), minlength=many**2).reshape(many, many)
        near = (near + near.T)[:-1, :-1]
        total = near.sum()
        shares = near.sum(axis=1) / max(1, total)
        first, second = near.nonzero()
        information = np.log(near[first, second] / total / (shares[first] * shares[second]))
        found = np.zeros(near.shape)
        found[first, second] = np.maximum(information, 0.0)
        return found


def _documents_with(documents: Sequence[Int32Array]) -> NDArray[np.int_]:
    """The number of documents that contain each stem, by its number."""
    every = np.concatenate([np.zeros(0, np.int32), *map(np.unique, documents)])
    return np.bincount(every, minlength=numbers_in_use())


def _frequent(used: NDArray[np.int_], documents: Sequence[Int32Array]) -> NDArray[np.int_]:
    """The stems in most passages. Of equally frequent ones, those come first that the documents use first: the number
    of a stem depends on what was read before."""
    every = np.concatenate([np.zeros(0, np.int32), *documents])
    stems, first = np.unique(every, return_index=True)
    kept = (stems >= STOPPED) & (used[stems] > 1)
    stems, first = stems[kept], first[kept]
    order = np.lexsort((first, -used[stems]))
    frequent: NDArray[np.int_] = stems[order][:VOCABULARY]
    return frequent


def _directions(matrix: FloatArray, many: int, rng: np.random.Generator) -> FloatArray:
    """The main directions of the rows of a matrix, as columns, by subspace iteration."""
    basis = rng.normal(size=(matrix.shape[1], min(many, *matrix.shape)))
    for _ in range(2):
        basis = np.linalg.qr(matrix.T @ (matrix @ basis))[0]
    return np.asarray(basis @ np.linalg.svd(matrix @ basis, full_matrices=False)[2].T)


def _factors(matrix: FloatArray, many: int, rng: np.random.Generator) -> FloatArray:
    """Non-negative factors of a matrix: the weight of each column in each of them."""
    left, right = rng.random((len(matrix), many)), rng.random((many, matrix.shape[1]))
    for _ in range(TOPIC_ITERATIONS):
        right *= (left.T @ matrix) / (left.T @ left @ right + 1e-9)
        left *= (matrix @ right.T) / (left @ (right @ right.T) + 1e-9)
    return right.T


def _unit(rows: FloatArray) -> FloatArray:
    unit: FloatArray = rows / (np.linalg.norm(rows, axis=-1, keepdims=True) + 1e-9)
    return unit
