"""The contexts of a bench over the swapped documents of its corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from fathom.contexts.assembly import Piece, assemble
from fathom.corpus.store import Corpus
from fathom.corpus.swap import CorpusSwap, OffsetMap
from fathom.models.tokenizers import tokenizer
from fathom.records.contexts import Context, Edit, Place, apply_edits
from fathom.records.documents import DocumentId

CACHED = 4_096
"""Documents whose offset maps are cached."""


class SwappedContexts:
    """Makes contexts of the swapped corpus from those of the original."""

    def __init__(self, before: Corpus, after: Corpus, swapping: CorpusSwap) -> None:
        self.before = before
        self.after = after
        self.swapping = swapping
        self.moves: Callable[[DocumentId], OffsetMap] = lru_cache(maxsize=CACHED)(self._moves)

    def _moves(self, id: DocumentId) -> OffsetMap:
        return self.swapping.changes(self.before.document(id)).offsets

    def context(self, context: Context, order: Sequence[int] | None = None) -> Context:
        """The context over the swapped documents; `order` gives the numbers of its places in another order."""
        counter = tokenizer(context.tokenizer)
        pieces = []
        for place in context.places if order is None else [context.places[number] for number in order]:
            found = self.after.stored_text(place.document)
            edits = self._edits(place)
            text = apply_edits(found.utf8.decode(), edits)
            pieces.append(Piece(place.document, found.fingerprint, len(text), counter.count(text), edits))
        return assemble(
            pieces,
            counter,
            # Where the new text is longer than the context's length, the length grows.
            length=lambda tokens: context.length if tokens <= context.length else -(-tokens // 1_024) * 1_024,
            layout=context.layout,
            sampling=context.sampling,
            split=context.split,
        )

    def _edits(self, place: Place) -> tuple[Edit, ...]:
        # Most contexts show whole documents, which need no offset map.
        return tuple(Edit(span=self.moves(place.document).map(edit.span), text=edit.text) for edit in place.edits)
