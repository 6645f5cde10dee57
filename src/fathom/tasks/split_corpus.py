"""A corpus as the builder of one split sees it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from fathom.contexts.files import read_contexts
from fathom.corpus.store import Corpus, DocumentEntry
from fathom.records.contexts import Split
from fathom.records.documents import Document, DocumentId


class SplitCorpus(Corpus):
    """A corpus that lists only the documents of one split, so that its questions name no person of another split.

    Documents in no context are not listed either, since people of another split may have written them.
    """

    def __init__(self, folder: Path, contexts: Path, split: Split) -> None:
        super().__init__(folder)
        documents: dict[Split, set[DocumentId]] = defaultdict(set)
        self._contexts: dict[int, list[tuple[DocumentId, ...]]] = defaultdict(list)
        ids_seen: dict[DocumentId, DocumentId] = {}
        for context in read_contexts(contexts):
            documents[context.split].update(context.documents)
            if context.split == split:
                # One string for each id: a document may be in a thousand contexts.
                ids = tuple(ids_seen.setdefault(id, id) for id in context.documents)
                self._contexts[context.length].append(ids)
        self._listed = documents[split] if len(documents) > 1 else None

    def contexts_of_length(self, length: int) -> Sequence[tuple[DocumentId, ...]]:
        """The documents of each context of the split that has this nominal length."""
        return self._contexts[length]

    def entries(self) -> Iterator[DocumentEntry]:
        return (entry for entry in super().entries() if self._is_listed(entry.id))

    def documents(self) -> Iterator[Document]:
        return (document for document in super().documents() if self._is_listed(document.id))

    def _is_listed(self, id: DocumentId) -> bool:
        return self._listed is None or id in self._listed
