"""The claims of a corpus: planted in generated documents, or read from a file of annotations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fathom.corpus.store import Corpus
from fathom.records.annotations import Annotation
from fathom.records.documents import Document, DocumentId
from fathom.records.errors import FathomError
from fathom.records.files import read_records
from fathom.tasks.claims.settings import ClaimsSettings
from fathom.tasks.claims.wording import PLANTED

ADJUDICATED = "adjudicated"


class AnnotatedCorpus:
    """The annotations of the documents of a corpus."""

    def __init__(self, corpus: Corpus, settings: ClaimsSettings) -> None:
        self._corpus = corpus
        self._from_file = settings.annotations is not None
        self._annotations: dict[DocumentId, list[Annotation]] = {}
        if settings.annotations is not None:
            for annotation in read_records(settings.annotations, Annotation):
                if any(
                    earlier.annotator == annotation.annotator
                    for earlier in self._annotations.get(annotation.document, ())
                ):
                    raise FathomError(
                        f"'{settings.annotations}' has two annotations of document '{annotation.document}' by "
                        f"'{annotation.annotator}'. Keep one."
                    )
                self._annotations.setdefault(annotation.document, []).append(annotation)
        self.annotator = self._choose(settings)
        """Whose claims and labels are the key."""

    @property
    def has_claims(self) -> bool:
        """Whether claims were annotated at all: a document without any then has no claims."""
        return not self._from_file or any(
            annotation.claims for annotations in self._annotations.values() for annotation in annotations
        )

    def _choose(self, settings: ClaimsSettings) -> str:
        if not self._from_file:
            if settings.annotator:
                raise FathomError("--annotator chooses an annotator of a file. Give the file with --annotations.")
            return PLANTED
        # Those who answered given questions only are not alternatives: all of their answers are used.
        names = sorted(
            {
                annotation.annotator
                for annotations in self._annotations.values()
                for annotation in annotations
                if annotation.claims or annotation.labels
            }
        )
        if settings.annotator and settings.annotator not in names:
            raise FathomError(
                f"'{settings.annotations}' has no claims or labels of '{settings.annotator}'. "
                f"It has those of {', '.join(names) or 'nobody'}."
            )
        if settings.annotator or ADJUDICATED in names:
            return settings.annotator or ADJUDICATED
        if len(names) > 1:
            raise FathomError(
                f"'{settings.annotations}' has claims of {', '.join(names)}. Choose one with --annotator."
            )
        return names[0] if names else ""

    def documents(self) -> Iterator[DocumentId]:
        """The documents of the corpus that have annotations, in the order of the corpus."""
        return (entry.id for entry in self._corpus.entries() if not self._from_file or entry.id in self._annotations)

    def all_of(self, document: DocumentId) -> Sequence[Annotation]:
        """The annotations of a document by all annotators."""
        return self._annotations.get(document, ())

    def annotation(self, document: Document) -> Annotation | None:
        """The chosen annotator's annotation of a document."""
        if not self._from_file:
            return Annotation(document=document.id, annotator=PLANTED, claims=document.claims)
        annotations = self._annotations.get(document.id, ())
        return next((annotation for annotation in annotations if annotation.annotator == self.annotator), None)
