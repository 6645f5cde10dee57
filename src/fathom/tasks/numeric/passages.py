"""The passages that a question needs: the same parts of every article, whether or not the article is in the result.

Showing only the articles in the result would reveal the filter. The key's proof does, so it is not used here.
"""

from __future__ import annotations

from functools import lru_cache

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId, Passage
from fathom.tasks.family import Item
from fathom.tasks.numeric.build import spans_of
from fathom.tasks.numeric.key_programs import program_of
from fathom.tasks.numeric.schema import Part, parts_read
from fathom.tasks.numeric.simulate import CACHED_SOURCES
from fathom.tasks.numeric.tables import Source, read_source


class RequiredPassages:
    """The titles, bylines and reference lists that questions over one corpus need."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._source = lru_cache(maxsize=CACHED_SOURCES)(self._read)

    def __call__(self, context: Context, item: Item) -> list[Passage]:
        """The passages in the order of the context, with every title, because questions name articles by title."""
        needed: frozenset[Part] = parts_read(program_of(item.key)) | {"title"}
        return [
            Passage(document=source.id, span=span)
            for source in map(self._source, context.documents)
            for span in spans_of(source, needed)
        ]

    def _read(self, id: DocumentId) -> Source:
        return read_source(self._corpus.bibliographic_record(id))
