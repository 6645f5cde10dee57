"""Renders contexts as text: documents one after another, each under an unmistakable boundary line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context, Edit, Place, apply_edits
from fathom.records.errors import FathomError
from fathom.records.layouts import CLOSINGS, LAYOUT, boundary, closing
from fathom.records.record import digest

_FORGERIES = (b"\n=====", b"===== Article", b"===== Candidate", b"===== Paper", b"===== End of")
"""Text of a document that could be mistaken for a boundary line."""


def forges_boundary(text: bytes) -> bool:
    """Whether a line of the text could be mistaken for a boundary line."""
    # The words also in mid-line: they may follow a character that some software treats as a line break.
    return b"=====" in text and (text.startswith(b"=====") or any(mark in text for mark in _FORGERIES))


def context_id(fingerprints: Iterable[bytes], layout: str = LAYOUT, edits: Iterable[Sequence[Edit]] = ()) -> str:
    """The id of the context that shows texts with these fingerprints, in this order, with these edits."""
    changes = [
        f"{number} {edit.span.start} {edit.span.end} {edit.text}"
        for number, piece_edits in enumerate(edits)
        for edit in piece_edits
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
    if context.layout not in CLOSINGS:
        raise FathomError(
            f"Context '{context.id}' has the layout '{context.layout}', which this version of Fathom does not know "
            f"({', '.join(CLOSINGS)}). Update Fathom, or build the contexts again."
        )
    stored = [corpus.stored_text(id) for id in context.documents]
    edits = [place.edits for place in context.places]
    if context_id([text.fingerprint for text in stored], context.layout, edits) != context.id:
        raise FathomError(
            f"Context '{context.id}' was not built from the corpus '{corpus.folder}': a document of the same id has "
            "another text there. Give the corpus that it was built from."
        )
    texts = (_apply_edits_to(text.utf8, place) for text, place in zip(stored, context.places, strict=True))
    return b"".join(lay_out(texts, context.layout))


def render_range(context: Context, corpus: Corpus, start: int, end: int) -> str:
    """The characters from `start` to `end` of the text that a context shows; only documents in that range are read."""
    pieces: list[str] = []
    first = bisect_right(context.places, start, key=lambda place: place.span.end)
    for number, place in enumerate(context.places[first:], start=first + 1):
        line = boundary(number, context.layout)
        begin = place.span.start - len(line)
        if begin >= end:
            break
        # Not cached: a context of 10M tokens that is read in parts needs no more memory than one of 1M.
        text = _apply_edits_to(corpus.stored_text(place.document, keep=False).utf8, place).decode()
        if len(text) != place.span.end - place.span.start:
            raise FathomError(
                f"Context '{context.id}' was not built from the corpus '{corpus.folder}': document '{place.document}' "
                "has another text there. Give the corpus that it was built from."
            )
        pieces.append((line + text)[max(0, start - begin) : end - begin])
    last = context.places[-1].span.end
    if end > last:
        pieces.append(closing(context.layout)[max(0, start - last) : end - last])
    return "".join(pieces)


def _apply_edits_to(text: bytes, place: Place) -> bytes:
    """The shown text of one document; without edits it is not decoded, which would take longer than everything else."""
    return apply_edits(text.decode(), place.edits).encode() if place.edits else text
