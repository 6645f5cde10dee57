"""Search by words (BM25), for languages with and without spaces between words.

The words of a document are counted once, even if it is in many contexts; the index of a context is put
together from these counts.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

ChunkScores = NDArray[np.float32]
Int32Array = NDArray[np.int32]

_WORD = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""A character of a script without spaces between words."""

SATURATION, LENGTH_WEIGHT = 1.5, 0.75
"""The constants k1 and b of BM25, in the variant of Lucene."""

VOCABULARY, STARTS, CHUNKS, WEIGHTS = "vocabulary.json", "starts.npy", "chunks.npy", "weights.npy"


def words(text: str) -> list[str]:
    """The words of a text in lower case; of Chinese, Japanese and Korean, all pairs of adjacent characters."""
    found: list[str] = _WORD.findall(text.lower())
    return [part for word in found for part in _pairs(word)] if UNSPACED.search(text) else found


def _pairs(word: str) -> list[str]:
    if len(word) == 1 or not UNSPACED.match(word):
        return [word]
    return [word[index : index + 2] for index in range(len(word) - 1)]


class WordCounts(NamedTuple):
    """How often each word occurs in each chunk of a document."""

    words: list[str]
    lengths: Int32Array
    """The number of words in each chunk."""
    pairs: Int32Array
    """A column for each word of each chunk: the chunk, the word's place in `words`, and how often it occurs."""


def count_words(chunks: Iterable[str]) -> WordCounts:
    """The words of a document's chunks, counted."""
    vocabulary: dict[str, int] = {}
    lengths: list[int] = []
    different: list[int] = []
    numbers: list[int] = []
    counts: list[int] = []
    for text in chunks:
        found = words(text)
        counted = Counter(found)
        lengths.append(len(found))
        different.append(len(counted))
        numbers += [vocabulary.setdefault(word, len(vocabulary)) for word in counted]
        counts += counted.values()
    places = np.repeat(np.arange(len(lengths)), different)
    pairs = np.stack([places, np.array(numbers, np.int32), np.array(counts, np.int32)]).astype(np.int32)
    return WordCounts(list(vocabulary), np.array(lengths, np.int32), pairs)


def build_index(folder: Path, documents: Iterable[WordCounts]) -> None:
    """Index the chunks of the documents, in order, in a folder that does not exist yet."""
    vocabulary: dict[str, int] = {}
    parts: list[Int32Array] = []
    lengths: list[Int32Array] = []
    first = 0
    for document in documents:
        numbers = np.array([vocabulary.setdefault(word, len(vocabulary)) for word in document.words], np.int32)
        chunk, word, count = document.pairs
        parts.append(np.stack([chunk + first, numbers[word], count]) if len(numbers) else np.empty((3, 0), np.int32))
        lengths.append(document.lengths)
        first += len(document.lengths)
    folder.mkdir()
    chunk, word, count = np.concatenate(parts, axis=1) if parts else np.empty((3, 0), np.int32)
    order = np.argsort(word, kind="stable")
    found = np.bincount(word, minlength=len(vocabulary))
    np.save(folder / STARTS, np.concatenate([[0], np.cumsum(found)]))
    np.save(folder / CHUNKS, chunk[order])
    np.save(folder / WEIGHTS, _weights(chunk, word, count, found, np.concatenate([*lengths, []]))[order])
    (folder / VOCABULARY).write_text(json.dumps(vocabulary), "utf-8")


def _weights(
    chunk: Int32Array, word: Int32Array, count: Int32Array, chunks_with: NDArray[Any], lengths: NDArray[Any]
) -> ChunkScores:
    """The part of each word of each chunk in the score of the chunk; `chunks_with`: how many chunks have each word."""
    rarity = np.log1p((len(lengths) - chunks_with + 0.5) / (chunks_with + 0.5))
    longer = lengths / max(1.0, lengths.mean()) if len(lengths) else lengths
    saturation = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * longer)
    weights: ChunkScores = (rarity[word] * (count / (count + saturation[chunk]))).astype(np.float32)
    return weights


def score_texts(folder: Path, query: str, chunks: int) -> ChunkScores:
    """How well each of the indexed chunks matches the query."""
    index = _opened(folder)
    scores = np.zeros(chunks, np.float32)
    for word in dict.fromkeys(words(query)):
        if (number := index.vocabulary.get(word)) is not None:
            start, end = index.starts[number : number + 2]
            scores[index.chunks[start:end]] += index.weights[start:end]
    return scores


def chunks_with_all(folder: Path, text: str) -> Int32Array:
    """The chunks that have every word of the text, in order; none if it has no word."""
    index = _opened(folder)
    common: Int32Array = np.empty(0, np.int32)
    for place, word in enumerate(dict.fromkeys(words(text))):
        number = index.vocabulary.get(word)
        start, end = (0, 0) if number is None else index.starts[number : number + 2]
        has = index.chunks[start:end]
        common = has if place == 0 else np.intersect1d(common, has, assume_unique=True)
    return common


class _Index(NamedTuple):
    vocabulary: dict[str, int]
    starts: Sequence[int]
    """The index of the first chunk of each word."""
    chunks: Int32Array
    weights: ChunkScores


@lru_cache(maxsize=8)
def _opened(folder: Path) -> _Index:
    vocabulary: dict[str, int] = json.loads((folder / VOCABULARY).read_text("utf-8"))
    starts, chunks, weights = (np.load(folder / name, mmap_mode="r") for name in (STARTS, CHUNKS, WEIGHTS))
    return _Index(vocabulary, starts, chunks, weights)
