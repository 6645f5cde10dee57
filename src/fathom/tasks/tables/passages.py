"""The passages that a question needs: the paragraphs and tables that print its figures."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId, Passage
from fathom.records.spans import Span
from fathom.tasks.family import Item, PassageFinder

CACHED = 512
"""Documents whose paragraphs and tables are cached."""


def required_passages(corpus: Corpus) -> PassageFinder:
    """Finds the titles of the documents, and the tables and paragraphs with the figures that a question needs."""

    @lru_cache(maxsize=CACHED)
    def parts(id: DocumentId) -> tuple[Span, tuple[Span, ...]]:
        document = corpus.document(id)
        return document.title, (*(table.span for table in document.tables), *document.paragraphs)

    def passages(context: Context, item: Item) -> list[Passage]:
        del context
        needed: dict[Passage, None] = {}
        for passage in item.key.proof.passages:
            title, blocks = parts(passage.document)
            needed[Passage(document=passage.document, span=title)] = None
            needed[Passage(document=passage.document, span=_enclosing_block(passage.span, blocks))] = None
        return list(needed)

    return passages


def _enclosing_block(span: Span, blocks: Iterable[Span]) -> Span:
    """The table or paragraph that contains the span, or else the span itself."""
    return next((block for block in blocks if block.contains(span)), span)
