"""The passages that a question needs: the paragraphs around the masks, and all of the candidates."""

from __future__ import annotations

from functools import lru_cache

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context, Place
from fathom.records.documents import Passage
from fathom.records.spans import Span
from fathom.tasks.family import Item


class PassageFinder:
    """Finds the paragraphs and candidates that questions over one corpus need."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._outline = lru_cache(maxsize=64)(corpus.outline)

    def __call__(self, context: Context, item: Item) -> list[Passage]:
        """The passages in the order of the context. Any part of a candidate may be decisive, so all of it is needed."""
        paper, *candidates = context.places
        outline = self._outline(paper.document)
        around = []
        for passage in (passage for passage in item.key.proof.passages if passage.document == paper.document):
            paragraph = next((span for span in outline.paragraphs if span.contains(passage.span)), passage.span)
            around.append(Passage(document=paper.document, span=paragraph))
        return [*dict.fromkeys(around), *(self._shown(candidate) for candidate in candidates)]

    def _shown(self, place: Place) -> Passage:
        """The span from the first shown character of a candidate to the last."""
        text = self._corpus.text(place.document)
        start, end = 0, len(text)
        if place.edits and place.edits[0].span.start == 0:
            start = place.edits[0].span.end
        if place.edits and place.edits[-1].span.end == len(text):
            end = place.edits[-1].span.start
        return Passage(document=place.document, span=Span(start, end))
