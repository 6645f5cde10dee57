"""Recall of what a question needs: the passages of its proof against the passages that a system retrieved."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fathom.records.documents import DocumentId, Passage
from fathom.records.questions import Response, Step
from fathom.records.spans import Span, join_spans
from fathom.scoring.keys import Key

SPAN_RECALL = "span recall"
DOCUMENT_RECALL = "document recall"
TOO_FEW = "too few chunks"
"""1 if fewer passages were retrieved than documents are needed: the question cannot be answered from them alone."""


class Recall(NamedTuple):
    """The share of the needed passages and documents that was retrieved."""

    spans: float
    documents: float
    too_few: bool
    """Whether fewer passages were retrieved than documents are needed."""

    @property
    def measures(self) -> dict[str, float]:
        """The recall as named measures of a verdict."""
        return {SPAN_RECALL: self.spans, DOCUMENT_RECALL: self.documents, TOO_FEW: float(self.too_few)}


def retrieved(trace: Iterable[Step]) -> list[Passage] | None:
    """The passages of all retrievals and tools, in order and each once; None if nothing is retrieved."""
    steps = [step for step in trace if step.kind == "retrieval" or step.passages]
    return list(dict.fromkeys(passage for step in steps for passage in step.passages)) if steps else None


def recall(needed: Iterable[Passage], retrieved: Sequence[Passage]) -> Recall | None:
    """The recall of the needed passages; None if nothing is needed.

    A needed span counts if it lies completely in the retrieved passages taken together; a needed document counts if
    any passage of it was retrieved.
    """
    passages = dict.fromkeys(needed)
    if not passages:
        return None
    documents = {passage.document for passage in passages}
    hits = len(passages) - len(missing(passages, retrieved))
    return Recall(
        spans=hits / len(passages),
        documents=len(documents & {passage.document for passage in retrieved}) / len(documents),
        too_few=len(retrieved) < len(documents),
    )


def missing(needed: Iterable[Passage], retrieved: Iterable[Passage]) -> list[Passage]:
    """The needed passages that do not lie completely in the retrieved ones."""
    by_document: dict[DocumentId, list[Span]] = defaultdict(list)
    for passage in retrieved:
        by_document[passage.document].append(passage.span)
    joined = {document: join_spans(spans) for document, spans in by_document.items()}
    return [
        passage
        for passage in needed
        if not any(span.contains(passage.span) for span in joined.get(passage.document, ()))
    ]


def recall_measures(key: Key, response: Response) -> dict[str, float]:
    """Named measures of the recall of a response; empty if it has no retrieval, or its question needs nothing."""
    found = retrieved(response.trace)
    measured = None if found is None else recall(key.proof.passages, found)
    return {} if measured is None else measured.measures
