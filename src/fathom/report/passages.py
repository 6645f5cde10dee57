"""The passages that questions need, with their positions and some surrounding text."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context, ContextId, Edit, apply_edits
from fathom.records.documents import DocumentId, Passage
from fathom.records.spans import Span
from fathom.report.truncation import Limits, shortened


class _Place(NamedTuple):
    """A span of a document as it is shown."""

    document: DocumentId
    edits: tuple[Edit, ...]
    span: Span


class Passages:
    """Collects the passages that the items of one part of the page need from one corpus, each once."""

    def __init__(self, corpus: Corpus | None, limits: Limits) -> None:
        self._corpus = corpus
        self._titles = {} if corpus is None else {one.id: one.title for one in corpus.entries()}
        self._limits = limits
        self._text = lru_cache(maxsize=256)(self._read)
        self.begin()

    def begin(self) -> None:
        """Start a new part."""
        self._documents: dict[DocumentId, int] = {}
        self._passages: dict[_Place, int] = {}
        self._contexts: dict[ContextId, int] = {}
        self._layouts: list[list[object]] = []

    def context(self, context: Context) -> int:
        """The number of a context; its layout is stored, not its text."""
        if context.id not in self._contexts:
            self._contexts[context.id] = len(self._contexts)
            places = [[self._document(place.document), *place.span, place.token] for place in context.places]
            self._layouts.append([context.id, context.tokens, places])
        return self._contexts[context.id]

    def number(self, context: Context, passage: Passage) -> int | None:
        """The number of a passage; None if one of its ends is not shown."""
        place = next((place for place in context.places if place.document == passage.document), None)
        located = None if place is None else place.locate(passage.span)
        if place is None or located is None:
            return None
        # Positions are those in the text as shown, with the place's edits applied.
        shown = _Place(passage.document, place.edits, located.shifted(-place.span.start))
        return self._passages.setdefault(shown, len(self._passages))

    def finished(self) -> dict[str, object]:
        """The collected documents, contexts and passages of the part."""
        cut = [self._cut(*place) for place in self._passages]
        titles = [self._titles.get(document, document) for document in self._documents]
        return {"documents": titles, "contexts": self._layouts, "passages": cut}

    def _document(self, document: DocumentId) -> int:
        return self._documents.setdefault(document, len(self._documents))

    def _cut(self, document: DocumentId, edits: tuple[Edit, ...], span: Span) -> list[object]:
        number = self._document(document)
        start, end = span
        text = apply_edits(self._text(document), edits) if self._corpus is not None else ""
        around = self._limits.around
        before, after = text[max(0, start - around) : start], text[end : end + around]
        return [number, start, end, before, shortened(text[start:end], self._limits.passage), after]

    def _read(self, document: DocumentId) -> str:
        return "" if self._corpus is None else self._corpus.text(document)
