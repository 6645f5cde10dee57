"""Recall of what the questions need at each number of retrieved passages, over one run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from fathom.analysis.findings import RecallAt, Retrieval
from fathom.analysis.intervals import IntArray, share
from fathom.records.questions import Step
from fathom.scoring.keys import Key
from fathom.scoring.recall import Recall, recall, retrieved

RANKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
"""Numbers of passages at which recall is reported, up to the longest list of a response."""


@dataclass
class RetrievalCounter:
    """Recall of the responses of one run."""

    question_indices: list[int] = field(default_factory=list)
    """For each response, the index of its question among the run's questions."""
    recalls: list[dict[int, Recall]] = field(default_factory=list)
    """Its recall at each rank up to the number of its passages; at the last it is over all of them."""
    passages: list[int] = field(default_factory=list)

    def add(self, question_index: int, key: Key, trace: Sequence[Step]) -> None:
        """Count a response, if it has a retrieval and its question needs something."""
        retrieval = retrieved(trace)
        if retrieval is None or not key.proof.passages:
            return
        ranks = [*(rank for rank in RANKS if rank < len(retrieval)), len(retrieval)]
        recall_by_rank = {rank: recall(key.proof.passages, retrieval[:rank]) for rank in ranks}
        self.question_indices.append(question_index)
        self.passages.append(len(retrieval))
        self.recalls.append({rank: recall_at for rank, recall_at in recall_by_rank.items() if recall_at is not None})

    def summary(self, contexts: IntArray) -> Retrieval | None:
        """The recall of the run; None if it retrieves nothing. `contexts` has the context of each question."""
        if not self.question_indices:
            return None
        most = max(self.passages)
        return Retrieval(
            responses=len(self.question_indices),
            passages=float(np.mean(self.passages)),
            too_few=sum(recall[max(recall)].too_few for recall in self.recalls),
            at=tuple(
                self._recall_at(rank, contexts) for rank in (*(rank for rank in RANKS if rank < most), max(most, 1))
            ),
        )

    def _recall_at(self, rank: int, contexts: IntArray) -> RecallAt:
        # A question counts once, however many samples it has.
        by_question: dict[int, list[Recall]] = defaultdict(list)
        for question_index, recall_at in zip(self.question_indices, self.recalls, strict=True):
            by_question[question_index].append(recall_at[min(rank, max(recall_at))])
        where = contexts[np.array(list(by_question))]
        spans = np.array([np.mean([recall_at.spans for recall_at in recalls]) for recalls in by_question.values()])
        documents = np.array(
            [np.mean([recall_at.documents for recall_at in recalls]) for recalls in by_question.values()]
        )
        return RecallAt(k=rank, spans=share(spans, where), documents=share(documents, where))
