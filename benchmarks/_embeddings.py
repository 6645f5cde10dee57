"""Vectors of words and texts that are trained on a corpus, as matchers; no build balances them.

A build balances vectors of stems (`tasks/citations/topics.py`). These are of whole words, other documents, longer
parts and other dimensions, and of other kinds: logarithms of neighbors, mutual information that is not reduced,
characters, random projections, and the static embeddings of a language model if they are installed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

import _attacks
from fathom.corpus.store import Corpus
from fathom.records.errors import FathomError
from fathom.systems.retrieval.dense import embedder
from fathom.tasks.citations import held_out_matchers

Values = NDArray[np.float64]

SAMPLE, VOCABULARY, DIMENSIONS, CHUNK = 150, 4_000, 150, 200
MAX_CHUNKS = 2_000
"""About the maximum number of parts of texts from which vectors are computed."""
NEAR = 5
"""Words on either side that count as neighbors."""
BUCKETS, GRAM = 4_096, 3
WINDOWS = ("sentence", "three sentences", "paragraph")


class Embeddings:
    """Families of vectors from a sample of a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        read = [text.decode() for _, text in islice(corpus.texts(), SAMPLE)]
        self.rarity = _attacks.inverse_frequencies(read)
        texts = list(map(held_out_matchers.words, read))
        chunks = [text[start : start + CHUNK] for text in texts for start in range(0, len(text), CHUNK)]
        found = Counter(word for chunk in chunks for word in dict.fromkeys(chunk))
        self._number = {word: n for n, (word, _) in enumerate(found.most_common(VOCABULARY))}
        self._idf = np.array([np.log(len(chunks) / found[word]) for word in self._number])
        rng = np.random.default_rng(0)
        by_chunk = _unit(self._weights(chunks[:: max(1, len(chunks) // MAX_CHUNKS)]).toarray())
        near = self._neighbors(texts)
        share = near.sum(axis=1, keepdims=True) / near.sum()
        mutual = np.log(np.maximum(near / near.sum() / (share @ share.T + 1e-12), 1.0))
        self._vectors = {
            "latent semantic analysis of words": (words := _directions(by_chunk, rng)),
            "few latent dimensions": words[:, :20],
            "latent semantic analysis of documents": _directions(self._weights(texts).toarray(), rng),
            "mutual information of neighbors": _directions(mutual, rng),
            "mutual information, not reduced": mutual,
            "logarithms of neighbors": _directions(np.log1p(near), rng),
            "topics": _topics(by_chunk, rng),
            "random projection": rng.normal(size=(len(self._number), DIMENSIONS)),
        }
        letters = _unit(np.array([_grams(" ".join(chunk)) for chunk in chunks[:: max(1, len(chunks) // MAX_CHUNKS)]]))
        self._letters = _directions(letters, rng)
        self._vectors = {name: vectors.astype(np.float32) for name, vectors in self._vectors.items()}
        self._model = _language_model()

    def _neighbors(self, texts: Sequence[Sequence[str]]) -> Values:
        """How often each two frequent words stand near one another."""
        near = np.zeros((len(self._number), len(self._number)), dtype=np.float32)
        for text in texts:
            numbers = np.array([self._number.get(word, -1) for word in text])
            for step in range(1, NEAR + 1):
                pairs = numbers[:-step], numbers[step:]
                known = (pairs[0] >= 0) & (pairs[1] >= 0)
                np.add.at(near, (pairs[0][known], pairs[1][known]), 1.0 / step)
        return np.asarray(near + near.T, dtype=np.float64)

    def _weights(self, texts: Sequence[Sequence[str]]) -> csr_array:
        """The weight of every frequent word in each text; sparse, since a passage has few of them."""
        rows, columns, values = [], [], []
        for row, words in enumerate(texts):
            for word, count in Counter(words).items():
                if word in self._number:
                    rows.append(row)
                    columns.append(self._number[word])
                    values.append(1 + np.log(count))
        weights = np.array(values) * self._idf[columns] if values else np.zeros(0)
        return csr_array((weights, (rows, columns)), shape=(len(texts), len(self._number)), dtype=np.float32)

    def tables(self, paper: str, candidates: Sequence[str]) -> dict[str, Values]:
        """The scores of every family for a rendered item."""
        around = [held_out_matchers.windows(paper, place) for place in held_out_matchers.MASK.finditer(paper)]
        read = [held_out_matchers.words(text) for text in candidates]
        pieces = [[words[start : start + CHUNK] for start in range(0, max(1, len(words)), CHUNK)] for words in read]
        whole = self._weights(read)
        parts = self._weights([words for of in pieces for words in of])
        starts = np.cumsum([0, *map(len, pieces[:-1])])
        asked = {window: self._weights([held_out_matchers.words(one[window]) for one in around]) for window in WINDOWS}
        found = {}
        for name, vectors in self._vectors.items():
            texts, passages = _unit(whole @ vectors), _unit(parts @ vectors)
            for window, weights in asked.items():
                query = _unit(weights @ vectors)
                found[f"{name}, {window}"] = query @ texts.T
                best = np.maximum.reduceat(query @ passages.T, starts, axis=1)
                found[f"{name} of the best part, {window}"] = best
        shown = _unit(np.array([_grams(text.lower()) for text in candidates]) @ self._letters)
        model = self._by_model({window: [one[window] for one in around] for window in WINDOWS}, candidates)
        for window in WINDOWS:
            letters = _unit(np.array([_grams(one[window].lower()) for one in around]) @ self._letters)
            found[f"latent semantic analysis of characters, {window}"] = letters @ shown.T
        return {name: table.astype(np.float64) for name, table in (found | model).items()}

    def _by_model(self, asked: Mapping[str, Sequence[str]], candidates: Sequence[str]) -> dict[str, Values]:
        if self._model is None:
            return {}
        pieces = [[text[start : start + 800] for start in range(0, len(text), 800)][:60] for text in candidates]
        vectors = [_unit(self._model(of)) for of in pieces]
        mean = _unit(np.array([of.mean(axis=0) for of in vectors]))
        found = {}
        for window, texts in asked.items():
            query = _unit(self._model([held_out_matchers.MASK.sub(" ", text) for text in texts]))
            found[f"static embeddings, {window}"] = query @ mean.T
            best = np.array([(query @ of.T).max(axis=1) for of in vectors]).T
            found[f"static embeddings of the best part, {window}"] = best
        return found


def _language_model() -> Callable[[Sequence[str]], Values] | None:
    """The static embeddings that `rag` can use, if they are installed."""
    try:
        embed = embedder("wordllama")
        embed(["a word"])
    except FathomError:
        return None
    return lambda texts: np.asarray(embed(list(texts)), dtype=np.float64)


def _grams(text: str) -> Values:
    """Logarithms of the counts of character sequences, by a hash."""
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), dtype=np.uint32).astype(np.uint64)
    if len(codes) < GRAM:
        return np.zeros(BUCKETS)
    hashed = np.zeros(len(codes) - GRAM + 1, dtype=np.uint64)
    for place in range(GRAM):
        hashed = hashed * np.uint64(1_000_003) + codes[place : place + len(hashed)]
    return np.log1p(np.bincount(((hashed >> np.uint64(7)) % np.uint64(BUCKETS)).astype(int), minlength=BUCKETS))


def _topics(matrix: Values, rng: np.random.Generator, topics: int = 40) -> Values:
    """The weights of words in topics, by non-negative factors."""
    weights, words = rng.random((len(matrix), topics)), rng.random((topics, matrix.shape[1]))
    for _ in range(25):
        words *= (weights.T @ matrix) / (weights.T @ weights @ words + 1e-9)
        weights *= (matrix @ words.T) / (weights @ (words @ words.T) + 1e-9)
    return np.asarray(words.T, dtype=np.float64)


def _directions(matrix: Values, rng: np.random.Generator) -> Values:
    """The main directions of the rows of a matrix, one row for each of its columns."""
    many = min(DIMENSIONS, *matrix.shape)
    basis = np.linalg.qr(matrix.T @ (matrix @ (matrix.T @ rng.normal(size=(len(matrix), many)))))[0]
    _, _, directions = np.linalg.svd(matrix @ basis, full_matrices=False)
    return np.asarray(basis @ directions.T)


def _unit(rows: Values) -> Values:
    unit: Values = rows / (np.linalg.norm(rows, axis=-1, keepdims=True) + 1e-9)
    return unit
