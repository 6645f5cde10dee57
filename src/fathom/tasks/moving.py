"""Contexts of a corpus whose names and numbers were swapped: the same recipe over the new texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache

from fathom.contexts.layout import Piece, boundary, closing, context_id, placed
from fathom.corpus.store import Corpus
from fathom.corpus.swapping import Moves, Swapping
from fathom.models.tokenizers import tokenizer
from fathom.records.contexts import Context, Edit, Place, edited
from fathom.records.documents import DocumentId

KEPT = 4_096
"""Documents whose moves are kept at hand."""


class Moved:
    """The contexts of a bench in the swapped corpus."""

    def __init__(self, before: Corpus, after: Corpus, swapping: Swapping) -> None:
        self.before = before
        self.after = after
        self.swapping = swapping
        self.moves: Callable[[DocumentId], Moves] = lru_cache(maxsize=KEPT)(self._moves)

    def _moves(self, id: DocumentId) -> Moves:
        return self.swapping.changed(self.before.document(id)).moves

    def context(self, context: Context, order: Sequence[int] | None = None) -> Context:
        """The same documents and as much of them, with what they say now; in the order of these places, if given."""
        count = tokenizer(context.tokenizer).count
        pieces, fingerprints = [], []
        for place in context.places if order is None else [context.places[number] for number in order]:
            found = self.after.unpacked(place.document)
            edits = self._edits(place)
            text = edited(found.text.decode(), edits)
            pieces.append(Piece(place.document, len(text), count(text), edits))
            fingerprints.append(found.fingerprint)
        return _laid_out(context, pieces, fingerprints)

    def _edits(self, place: Place) -> tuple[Edit, ...]:
        # Whole documents are not opened for their moves: most contexts show nothing else.
        return tuple(Edit(span=self.moves(place.document).moved(edit.span), text=edit.text) for edit in place.edits)


def _laid_out(context: Context, pieces: Sequence[Piece], fingerprints: Sequence[bytes]) -> Context:
    """The context with these pieces instead; where they are longer than its length, its length grows."""
    count = cache(tokenizer(context.tokenizer).count)
    places, tokens = placed(pieces, lambda number: count(boundary(number, context.layout)), context.layout)
    tokens += count(closing(context.layout))
    return Context(
        id=context_id(fingerprints, context.layout, [piece.edits for piece in pieces]),
        layout=context.layout,
        length=max(context.length, -(-tokens // 1_024) * 1_024 if tokens > context.length else 1),
        tokens=tokens,
        tokenizer=context.tokenizer,
        sampling=context.sampling,
        split=context.split,
        places=places,
    )
