"""The settings of a search index; without heavy imports, since the systems' settings refer to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fathom.systems.chunking import ChunkUnit

Method = Literal["lexical", "dense", "hybrid"]
"""Search by words (BM25), by embeddings, or by both."""
Fusion = Literal["scores", "ranks"]
"""How rankings become one: by the sum of standardized scores, or by reciprocal rank fusion."""
OFFLINE = "wordllama"
"""The embedding model that comes with its weights."""


@dataclass(frozen=True)
class IndexSettings:
    """How the documents are cut and searched."""

    method: Method = "lexical"
    chunk: int = 512
    """The maximum number of tokens in a chunk."""
    overlap: int = 64
    """Tokens that a chunk repeats of the chunk before."""
    unit: ChunkUnit = "tokens"
    embeddings: str = OFFLINE
    fusion: Fusion = "scores"
