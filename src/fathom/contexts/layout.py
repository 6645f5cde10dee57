"""The layout of a context as text: documents one after another, each under an unmistakable boundary line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context, Edit, Place, apply_edits
from fathom.records.errors import FathomError
from fathom.records.record import digest

LAYOUT = "articles/1"
"""Documents one after another. The version changes whenever the same recipe would render to other characters."""
PAPER_AND_CANDIDATES = "paper and candidates/1"
"""An article, then numbered works that it may cite."""

CLOSING = "===== End of articles\n"
_CLOSINGS = {LAYOUT: CLOSING, PAPER_AND_CANDIDATES: "===== End of candidates\n"}

_FORGERIES = (b"\n=====", b"===== Article", b"===== Candidate", b"===== Paper", b"===== End of")
"""Text of a document that could be mistaken for a boundary line."""


def boundary(number: int, layout: str = LAYOUT) -> str:
    """The line above document `number`, counted from one.

    It starts with a punctuation mark and ends in a digit or a letter, and every text ends in one newline. Tokenizers
    that split at newlines then never join two documents, so the tokens of the pieces add up to those of the whole.
    """
    if layout == PAPER_AND_CANDIDATES:
        return "===== Paper\n" if number == 1 else f"===== Candidate {number - 1}\n"
    return f"===== Article {number}\n"


def closing(layout: str) -> str:
    """The line below the last document."""
    return _CLOSINGS[layout]


def forges_boundary(text: bytes) -> bool:
    """Whether a line of the text could be mistaken for a boundary line."""
    # The words also in mid-line: they may follow a character that some software treats as a line break.
    return b"=====" in text and (text.startswith(b"=====") or any(mark in text for mark in _FORGERIES))


def context_id(fingerprints: Iterable[bytes], layout: str = LAYOUT, edits: Iterable[Sequence[Edit]] = ()) -> str:
    """The id of the context that shows texts with these fingerprints, in this order, with these edits."""
    changes = [
        f"{number} {edit.span.start} {edit.span.end} {edit.text}" for number, each in enumerate(edits) for edit in each
    ]
    return f"c-{digest(layout, *fingerprints, *changes).hex()[:16]}"


def lay_out(texts: Iterable[bytes], layout: str = LAYOUT) -> Iterator[bytes]:
    """The pieces of the laid-out text in UTF-8."""
    for number, text in enumerate(texts, start=1):
        yield boundary(number, layout).encode()
        yield text
    yield closing(layout).encode()


def render(context: Context, corpus: Corpus) -> bytes:
    """The exact text that a context shows, in UTF-8."""
    if context.layout not in _CLOSINGS:
        raise FathomError(
            f"Context '{context.id}' has the layout '{context.layout}', which this version of Fathom does not know "
            f"({', '.join(_CLOSINGS)}). Update Fathom, or build the contexts again."
        )
    stored = [corpus.stored_text(id) for id in context.documents]
    edits = [place.edits for place in context.places]
    if context_id([text.fingerprint for text in stored], context.layout, edits) != context.id:
        raise FathomError(
            f"Context '{context.id}' was not built from the corpus '{corpus.folder}': a document of the same id has "
            "another text there. Give the corpus that it was built from."
        )
    shown = (_shown(text.utf8, place) for text, place in zip(stored, context.places, strict=True))
    return b"".join(lay_out(shown, context.layout))


def _shown(text: bytes, place: Place) -> bytes:
    """The shown text of one document; without edits it is not decoded, which would take longer than everything else."""
    return apply_edits(text.decode(), place.edits).encode() if place.edits else text
