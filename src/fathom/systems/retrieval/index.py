"""The index of one context: its chunks, and what is needed to search them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from fathom.records.documents import Passage
from fathom.records.record import digest
from fathom.records.spans import Span
from fathom.systems.chunking import Chunk, chunk_spans
from fathom.systems.protocol import DOCUMENTS, Session
from fathom.systems.retrieval.dense import Embed, Vectors, embedder, known_share, pieces_of, stacked
from fathom.systems.retrieval.lexical import (
    ChunkScores,
    WordCounts,
    build_index,
    chunks_with_all,
    count_words,
    score_texts,
)
from fathom.systems.retrieval.settings import IndexSettings

PROMINENT = 10
"""In a hybrid search, the weight of a list is the square of the mean standardized score of its ten best chunks.

Words or embeddings whose best chunks stand out from the others say more about what the question needs. Which of the
two is better differs from corpus to corpus, so a fixed weight loses on some of them."""
BALANCE, BEST_OF_DOCUMENT = 0.5, 3
"""The share of the mean score of a document's three best chunks that a hybrid search takes off all its chunks.

Without it, the documents whose wording resembles the question crowd out the others that it needs as well."""
FUSION = 60
"""The constant of reciprocal rank fusion: a chunk at rank r of a list gets 1 / (60 + r)."""
FUSED = 1_000
"""Ranks of each list that are fused."""

CHUNKS, WORDS, VECTORS, PIECES = "chunks.npy", "words", "vectors.npy", "pieces.npy"


class Query(NamedTuple):
    """One of several queries for the same question."""

    text: str
    weight: float = 1.0


class ContextIndex:
    """The chunks of one context, searchable; built once and then memory-mapped."""

    def __init__(self, session: Session, settings: IndexSettings) -> None:
        self._view = session.view
        self._settings = settings
        folder = session.artifact(f"index {settings}", lambda path: _build(path, session, settings))
        self._folder = folder
        self._chunks: NDArray[np.int64] = np.load(folder / CHUNKS, mmap_mode="r")

    def __len__(self) -> int:
        return len(self._chunks)

    def search(self, *queries: str | Query) -> Iterator[Chunk]:
        """The chunks, best first; those that share no word with any query are left out of a lexical search."""
        weighted = [Query(query) if isinstance(query, str) else query for query in queries]
        # One by one: a long context has tens of thousands of chunks, of which few are wanted.
        return (self._chunk(int(place)) for place in self._ranking(weighted))

    def containing(self, text: str, most: int) -> list[Chunk]:
        """The chunks that contain exactly this text, in order; none if more than `most` do."""
        chunks: list[Chunk] = []
        for place in chunks_with_all(self._folder / WORDS, text):
            chunk = self._chunk(int(place))
            if text in self.text(chunk):
                chunks.append(chunk)
                if len(chunks) > most:
                    return []
        return chunks

    def text(self, chunk: Chunk) -> str:
        """The text of a chunk."""
        return self._view.text(DOCUMENTS, chunk.start, chunk.end)

    def passage(self, chunk: Chunk) -> Passage:
        """The part of the document that the chunk shows."""
        place = self._view.context.places[chunk.document - 1]
        return Passage(document=place.document, span=place.source(chunk.start, chunk.end))

    def _chunk(self, place: int) -> Chunk:
        return Chunk(*map(int, self._chunks[place]))

    def _ranking(self, queries: Sequence[Query]) -> NDArray[np.int64]:
        method = self._settings.method
        parts: list[tuple[ChunkScores, float]] = []
        if method != "dense":
            parts += [(score_texts(self._folder / WORDS, query.text, len(self)), query.weight) for query in queries]
        if method != "lexical":
            parts += [(self._similarity(query.text), query.weight * self._readable(query.text)) for query in queries]
        if self._settings.fusion == "ranks":
            rankings = (_ranked(scores)[:FUSED].tolist() for scores, _ in parts)
            ranking = np.array(fuse(*rankings, weights=[weight for _, weight in parts]), np.int64)
        elif method == "hybrid":
            weighted = (weight * by_prominence(_standardized(scores)) for scores, weight in parts)
            ranking = _ranked(balanced(sum(weighted, self._no_scores()), self._chunks[:, 0]))
        else:
            ranking = _ranked(sum((weight * _standardized(scores) for scores, weight in parts), self._no_scores()))
        if method != "lexical":
            return ranking
        # A chunk without any of the words is not a result of a search by words.
        known: NDArray[np.bool_] = np.logical_or.reduce([scores > 0 for scores, _ in parts])
        return ranking[known[ranking]]

    def _no_scores(self) -> ChunkScores:
        return np.zeros(len(self), np.float32)

    def _readable(self, query: str) -> float:
        """The share of a query that embeddings can tell something about, where there are words beside them."""
        return 1.0 if self._settings.method == "dense" else known_share(query, self._settings.embeddings)

    def _similarity(self, query: str) -> ChunkScores:
        """The similarity of the query to the most similar piece of each chunk."""
        vectors: Vectors = np.load(self._folder / VECTORS, mmap_mode="r")
        if not len(vectors):
            return self._no_scores()
        name = self._settings.embeddings
        wanted = embedder(name)([query])
        stacked([vectors[:1], wanted], name)
        scores: ChunkScores = np.maximum.reduceat(vectors @ wanted[0], np.load(self._folder / PIECES))
        return scores


def _standardized(scores: ChunkScores) -> ChunkScores:
    """With a mean of 0 and a standard deviation of 1, so that scores of two kinds can be added."""
    spread = float(scores.std()) if len(scores) else 0.0
    return (scores - scores.mean()) / spread if spread > 0 else np.zeros_like(scores)


def by_prominence(scores: ChunkScores) -> ChunkScores:
    """Standardized scores, weighted by how far the best of them stand out."""
    best = np.sort(scores)[-PROMINENT:]
    return scores * np.float32(best.mean() ** 2 if len(best) else 0.0)


def balanced(scores: ChunkScores, documents: NDArray[np.int64]) -> ChunkScores:
    """The scores, less a share of those of the best chunks in the same document; `documents` has that of each chunk."""
    if not len(scores):
        return scores
    starts = np.flatnonzero(np.diff(documents, prepend=documents[0] - 1))
    counts = np.diff(starts, append=len(documents))
    ranks = np.arange(len(documents)) - np.repeat(starts, counts)
    best_first = scores[np.lexsort((-scores, documents))]
    best = np.add.reduceat(np.where(ranks < BEST_OF_DOCUMENT, best_first, 0), starts)
    means = best / np.minimum(counts, BEST_OF_DOCUMENT)
    balanced: ChunkScores = scores - BALANCE * np.repeat(means, counts).astype(np.float32)
    return balanced


T = TypeVar("T", bound=Hashable)


def fuse(*rankings: Sequence[T], weights: Sequence[float] = ()) -> list[T]:
    """One ranking of several, by reciprocal rank fusion; ties keep the order of the first ranking."""
    scores: dict[T, float] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for rank, place in enumerate(ranking, start=1):
            scores[place] = scores.get(place, 0.0) + weight / (FUSION + rank)
    return sorted(scores, key=lambda place: -scores[place])


def _ranked(scores: ChunkScores) -> NDArray[np.int64]:
    return np.argsort(-scores, kind="stable")


def _build(folder: Path, session: Session, settings: IndexSettings) -> None:
    """Index the documents; what depends on a document alone is done once for all contexts with it."""
    folder.mkdir()
    chunks: list[Chunk] = []
    counts: list[WordCounts] = []
    vectors: list[Vectors] = []
    pieces: list[int] = []
    for document in session.view.documents:
        text = session.view.text(DOCUMENTS, *document.span)
        cut = f"{settings.chunk} {settings.overlap} {settings.unit} {digest(text).hex()}"
        read = _load(session.artifact(f"document {cut}", partial(_save, text, settings), scope="bench"))
        chunks += (Chunk(document.number, *span.shifted(document.span.start)) for span in read.spans)
        counts.append(read.counts)
        if settings.method != "lexical":
            embedded = [pieces_of(span.of(text), settings.embeddings) for span in read.spans]
            make = partial(_embed, embedder(settings.embeddings), [piece for some in embedded for piece in some])
            vectors.append(np.load(session.artifact(f"vectors {settings.embeddings} {cut}", make, scope="bench")))
            pieces += map(len, embedded)
    np.save(folder / CHUNKS, np.array(chunks, np.int64).reshape(-1, 3))
    build_index(folder / WORDS, counts)
    if settings.method != "lexical":
        np.save(folder / VECTORS, stacked(vectors, settings.embeddings))
        np.save(folder / PIECES, np.cumsum([0, *pieces])[:-1])


class _Document(NamedTuple):
    spans: list[Span]
    """Its chunks."""
    counts: WordCounts


def _save(text: str, settings: IndexSettings, path: Path) -> None:
    spans = list(chunk_spans(text, settings.chunk, settings.overlap, settings.unit))
    counts = count_words(span.of(text) for span in spans)
    joined = np.frombuffer("\n".join(counts.words).encode(), np.uint8)
    with path.open("wb") as stream:
        np.savez(stream, spans=np.array(spans, np.int64), words=joined, lengths=counts.lengths, pairs=counts.pairs)


def _load(path: Path) -> _Document:
    with np.load(path) as saved:
        spans = [Span(start, end) for start, end in saved["spans"].reshape(-1, 2).tolist()]
        joined = saved["words"].tobytes().decode()
        counts = WordCounts(joined.split("\n") if joined else [], saved["lengths"], saved["pairs"])
    return _Document(spans, counts)


def _embed(embed: Embed, texts: Sequence[str], path: Path) -> None:
    with path.open("wb") as stream:
        np.save(stream, embed(texts))
