"""Agreement of annotators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from fathom.analysis.agreement import Agreement, LabelAgreement, PairAgreement, agreement
from fathom.api.arguments import Folder, as_paths
from fathom.api.corpora import open_corpus
from fathom.corpus.store import Corpus
from fathom.records.annotations import Annotation
from fathom.records.documents import Document, DocumentId
from fathom.records.errors import FathomError
from fathom.records.files import read_records
from fathom.records.spans import Span
from fathom.scoring.span_matching import DEFAULT_THRESHOLD, MatchLevel

__all__ = ["Agreement", "LabelAgreement", "PairAgreement", "agree"]


def agree(
    annotations: Folder | Iterable[Folder],
    corpus: Folder | None = None,
    level: MatchLevel | None = None,
    threshold: float = DEFAULT_THRESHOLD,
) -> Agreement:
    """The agreement of the annotators of some files of annotations.

    With the corpus, spans are compared in sentences unless `level` is "character", and kappa and alpha are computed
    over sentences. Without it, spans are compared in characters.
    """
    if not 0 < threshold <= 1:
        raise FathomError(f"The threshold is {threshold}. Give a number above 0 and at most 1.")
    if level == "sentence" and corpus is None:
        raise FathomError(
            "A comparison in sentences needs the corpus. Give it with --corpus, or compare in characters."
        )
    records = _read(as_paths(annotations))
    if corpus is None:
        return agreement(records, None, "character", threshold)
    with open_corpus(corpus) as opened:
        _refuse_other_documents(records, opened)

        @cache
        def sentences(document: DocumentId) -> Sequence[Span]:
            return opened.document(document).sentences

        return agreement(records, sentences, level or "sentence", threshold)


def _read(paths: Sequence[Path]) -> list[Annotation]:
    """The annotations of all files; an error if there is nothing to compare."""
    places: dict[tuple[str, str], Path] = {}
    records: list[Annotation] = []
    for path in paths:
        for annotation in read_records(path, Annotation):
            place = annotation.document, annotation.annotator
            if place in places:
                raise FathomError(
                    f"'{path}' has an annotation of document '{annotation.document}' by '{annotation.annotator}', and "
                    f"so has '{places[place]}'. Keep one, or give the annotators different names."
                )
            places[place] = path
            records.append(annotation)
    names = sorted({annotation.annotator for annotation in records})
    if len(names) < 2:
        found_by = f"All annotations are by '{names[0]}'" if names else "There are no annotations"
        raise FathomError(f"{found_by}. Add those of a second annotator.")
    if len({annotation.document for annotation in records}) == len(records):
        raise FathomError(
            f"No document has annotations by two annotators ({', '.join(names)}). Annotate common documents."
        )
    return records


def _refuse_other_documents(annotations: Sequence[Annotation], corpus: Corpus) -> None:
    for annotation in annotations:
        if not corpus.has(annotation.document):
            raise FathomError(
                f"The corpus '{corpus.folder}' has no document '{annotation.document}', which "
                f"'{annotation.annotator}' annotated. Give the corpus in which the annotations were located."
            )
        _refuse_spans_outside(annotation, corpus.document(annotation.document))


def _refuse_spans_outside(annotation: Annotation, document: Document) -> None:
    spans = [claim.span for claim in annotation.claims]
    spans += [evidence.span for claim in annotation.claims for evidence in claim.evidence]
    if any(span.end > len(document.text) for span in spans):
        raise FathomError(
            f"An annotation of document '{document.id}' by '{annotation.annotator}' ends after the document. "
            "Give the corpus in which the annotations were located."
        )
