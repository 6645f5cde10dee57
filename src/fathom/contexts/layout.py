"""How a context looks to a reader: articles end to end, each under a line that nothing else can be taken for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from fathom.corpus.store import Corpus
from fathom.records.articles import ArticleId
from fathom.records.contexts import Context, Place
from fathom.records.errors import FathomError
from fathom.records.record import digest
from fathom.records.spans import Span

LAYOUT = "articles/1"
"""Changed whenever the same recipe would render to other characters."""

CLOSING = "===== End of articles\n"

_FORGED = (b"\n=====", b"===== Article", b"===== End of")


def boundary(number: int) -> str:
    """The line above article `number`, counted from one.

    It begins a line with a sign and ends in a digit, and every text ends in one newline: tokenizers that split at
    newlines then never join two articles, so the tokens of the pieces add up to those of the whole.
    """
    return f"===== Article {number}\n"


def forges_boundary(text: bytes) -> bool:
    """Whether a line of the text could be taken for a boundary."""
    # Also behind signs that some readers take for the end of a line.
    return text.startswith(b"=====") or any(mark in text for mark in _FORGED)


def context_id(fingerprints: Iterable[bytes]) -> str:
    """The id of the context that lays out texts with these fingerprints in this order."""
    return f"c-{digest(LAYOUT, *fingerprints).hex()[:16]}"


class Piece(NamedTuple):
    """An article as far as its place in a layout hangs on it."""

    article: ArticleId
    characters: int
    tokens: int


def placed(pieces: Iterable[Piece], boundary_tokens: Callable[[int], int]) -> tuple[tuple[Place, ...], int]:
    """Where each article stands when they are laid out, and the tokens of all that stands before the closing line."""
    places: list[Place] = []
    characters = tokens = 0
    for number, piece in enumerate(pieces, start=1):
        characters += len(boundary(number))
        tokens += boundary_tokens(number)
        span = Span(characters, characters + piece.characters)
        places.append(Place(article=piece.article, span=span, token=tokens))
        characters = span.end
        tokens += piece.tokens
    return tuple(places), tokens


def lay_out(texts: Iterable[bytes]) -> Iterator[bytes]:
    """The pieces of the laid-out text in UTF-8."""
    for number, text in enumerate(texts, start=1):
        yield boundary(number).encode()
        yield text
    yield CLOSING.encode()


def render(context: Context, corpus: Corpus) -> bytes:
    """The exact text that is shown, in UTF-8."""
    if context.layout != LAYOUT:
        raise FathomError(
            f"Context '{context.id}' is laid out as '{context.layout}', which this Fathom does not know ({LAYOUT}). "
            "Update Fathom, or make the contexts again with `fathom contexts CORPUS`."
        )
    found = [corpus.unpacked(id) for id in context.articles]
    if context_id(unpacked.fingerprint for unpacked in found) != context.id:
        raise FathomError(
            f"Context '{context.id}' was not made from the corpus '{corpus.folder}': an article of the same id has "
            "another text there. Give the corpus that it was made from."
        )
    return b"".join(lay_out(unpacked.text for unpacked in found))
