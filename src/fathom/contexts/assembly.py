"""Assembles a context from documents: lays them out, counts tokens and derives the id."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from fathom.contexts.layout import context_id
from fathom.models.tokenizers import Tokenizer
from fathom.records.contexts import Context, Edit, Place, Sampling, Split
from fathom.records.documents import Document, DocumentId
from fathom.records.layouts import LAYOUT, boundary, closing
from fathom.records.record import digest
from fathom.records.spans import Span


class PlacedDocument(NamedTuple):
    """One document of a context, with everything that determines its layout."""

    document: DocumentId
    fingerprint: bytes
    """A hash of the whole text of the document."""
    characters: int
    """How many characters are shown, after the edits."""
    tokens: int
    """How many tokens are shown, after the edits."""
    edits: tuple[Edit, ...] = ()


def assemble(
    pieces: Sequence[PlacedDocument],
    counter: Tokenizer,
    *,
    length: int | Callable[[int], int],
    layout: str = LAYOUT,
    sampling: Sampling | None = None,
    split: Split = "test",
    tokens: int | None = None,
) -> Context:
    """The context that shows these pieces in this order.

    `length` is the nominal length, or a function that derives it from the token count. `tokens` is the exact count of
    the laid-out text; give it for a tokenizer that does not split at newlines. Otherwise the pieces are added up.
    """
    placements: list[Place] = []
    characters = tokens_before = 0
    for number, piece in enumerate(pieces, start=1):
        line = boundary(number, layout)
        characters += len(line)
        tokens_before += _count(counter, line)
        span = Span(characters, characters + piece.characters)
        placements.append(Place(document=piece.document, span=span, token=tokens_before, edits=piece.edits))
        characters = span.end
        tokens_before += piece.tokens
    if tokens is None:
        tokens = tokens_before + _count(counter, closing(layout))
    return Context(
        id=context_id((piece.fingerprint for piece in pieces), layout, [piece.edits for piece in pieces]),
        layout=layout,
        length=length if isinstance(length, int) else length(tokens),
        tokens=tokens,
        tokenizer=counter.name,
        sampling=sampling,
        split=split,
        places=tuple(placements),
    )


def whole_documents(documents: Sequence[Document], counter: Tokenizer) -> Context:
    """The context that shows whole documents in this order; its nominal length is the next multiple of 1,024 tokens."""
    pieces = [
        PlacedDocument(document.id, digest(document.text.encode()), len(document.text), counter.count(document.text))
        for document in documents
    ]
    return assemble(pieces, counter, length=lambda tokens: -(-tokens // 1_024) * 1_024)


def count_tokens(tokens: Iterable[int], counter: Tokenizer) -> int:
    """The token count of a context whose documents have these token counts, boundary lines included."""
    total = sum(count + boundary_tokens(counter, number) for number, count in enumerate(tokens, start=1))
    return total + _count(counter, closing(LAYOUT))


def boundary_tokens(counter: Tokenizer, number: int) -> int:
    """The tokens of the line above document `number`, counted from one."""
    return _count(counter, boundary(number, LAYOUT))


@lru_cache(maxsize=1 << 14)
def _count(counter: Tokenizer, line: str) -> int:
    """The tokens of a layout line. Cached: every context has the same few lines."""
    return counter.count(line)
