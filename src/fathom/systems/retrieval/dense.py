"""Search by embeddings: a small static model that works offline, or any OpenAI-compatible endpoint."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fathom.records.errors import FathomError
from fathom.systems.retrieval.endpoint import Endpoint
from fathom.systems.retrieval.lexical import UNSPACED
from fathom.systems.retrieval.settings import OFFLINE

Vectors = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]
"""Gives a vector of length one for each text."""

BATCH = 64
PIECE = 300
"""The minimum number of characters of a piece that ends before the chunk does."""
_PIECE_END = re.compile(r"\n+|[.!?]\s+|[。！？]")


def embedder(name: str) -> Embed:
    """The embedding model: `wordllama`, or `URL#MODEL` of an OpenAI-compatible endpoint."""
    if name == OFFLINE:
        return _offline
    if endpoint := Endpoint.parse(name):
        return lambda texts: _from_endpoint(endpoint, texts)
    raise FathomError(f"There is no embedding model '{name}'. Use '{OFFLINE}', or http://HOST/v1#MODEL.")


def pieces_of(text: str, name: str) -> list[str]:
    """The pieces of a chunk that are embedded one by one; at least one.

    The static vectors of wordllama are means over words, and those of half a page are all alike: by the best piece of
    300 characters, twice as many needed figures were found as by the mean of the chunk. Others read the whole chunk.
    """
    if name != OFFLINE:
        return [text]
    pieces: list[str] = []
    start = 0
    for match in _PIECE_END.finditer(text):
        if match.end() - start >= PIECE:
            pieces.append(text[start : match.end()])
            start = match.end()
    # White space has no vector of its own.
    return [*pieces, text[start:]] if text[start:].strip() or not pieces else pieces


def known_share(text: str, name: str) -> float:
    """The share of a text's letters in scripts that the embedding model can read.

    Wordllama has hardly any vectors for Chinese, Japanese and Korean: over Chinese reports it found 5% of what a search
    by words found, and combining the two lowered recall.
    """
    letters = sum(map(str.isalpha, text))
    return 1 - len(UNSPACED.findall(text)) / letters if name == OFFLINE and letters else 1.0


def _offline(texts: Sequence[str]) -> Vectors:
    vectors: Vectors = _wordllama().embed(list(texts), norm=False, batch_size=BATCH)
    return _normalized(vectors)


def _normalized(vectors: Vectors) -> Vectors:
    """With length one; a text without a known word has the vector zero."""
    vectors = np.nan_to_num(vectors)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(norms > 0, norms, 1)).astype(np.float32)


@cache
def _wordllama() -> Any:
    try:
        import wordllama
    except ModuleNotFoundError as error:
        raise FathomError(
            f"Search by embeddings needs the package wordllama ({error.name} is missing). "
            "Install it with `pip install 'fathom-bench[dense]'`."
        ) from error
    # Its files are in the package; nothing is downloaded.
    return wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)


def _from_endpoint(endpoint: Endpoint, texts: Sequence[str]) -> Vectors:
    starts = range(0, len(texts), BATCH)
    found = [_request(endpoint, list(texts[start : start + BATCH])) for start in starts]
    return _normalized(stacked(found, endpoint.url)) if found else np.empty((0, 0), np.float32)


def stacked(parts: Sequence[Vectors], name: str) -> Vectors:
    """The vectors of several texts of one embedding model, which must have the same number of dimensions."""
    dimensions = sorted({part.shape[1] for part in parts if len(part)})
    if len(dimensions) > 1:
        raise FathomError(
            f"The embeddings of '{name}' have {dimensions[0]:,} dimensions for some texts and {dimensions[-1]:,} for "
            "others. One model must embed all of them: check what the endpoint serves, and start a new run."
        )
    return np.concatenate([part for part in parts if len(part)] or parts)


def _request(endpoint: Endpoint, texts: list[str]) -> Vectors:
    """The vectors of the texts. One that is missing or no vector of numbers would silently change what is found."""
    try:
        data = endpoint.post("embeddings", {"input": texts})["data"]
        by_text = sorted((int(entry["index"]), entry["embedding"]) for entry in data)
    except (OSError, ValueError, KeyError, TypeError) as error:
        problem = f"without {error}" if isinstance(error, KeyError) else str(error)
        raise FathomError(
            f"The embedding endpoint '{endpoint.url}' returned no embeddings ({problem}). Check the address."
        ) from error
    if [index for index, _ in by_text] != list(range(len(texts))):
        raise FathomError(
            f"The embedding endpoint '{endpoint.url}' returned {len(by_text)} vectors for {len(texts)} texts, or not "
            "one for each of them."
        )
    try:
        vectors = np.array([vector for _, vector in by_text], np.float32)
    except (ValueError, TypeError):
        vectors = np.empty(0, np.float32)
    if vectors.ndim != 2 or not vectors.size or not np.isfinite(vectors).all():
        raise FathomError(
            f"The embedding endpoint '{endpoint.url}' returned vectors of different lengths, or with values that are "
            "not finite numbers."
        )
    return vectors
