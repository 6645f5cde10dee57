"""Audits questions: finds every citation again in its document and classifies it again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.questions import QuestionId
from fathom.records.spans import Span
from fathom.scoring.answers import Text
from fathom.tasks.auditing import AuditChecks
from fathom.tasks.citations.draft import mark
from fathom.tasks.citations.type_rule import citation_type_in
from fathom.tasks.family import AuditCheck, Item

RULE = "the rule gives the key, and the mask is shown"


class CitationTypesAuditor:
    """Checks that each key is the rule's classification, and measures the majority baseline."""

    def __init__(self, corpus: Corpus, seed: int, measured: bool = True) -> None:
        self._corpus = corpus
        self._checks = AuditChecks()
        self._types: Counter[str] = Counter()

    def check(self, context: Context, items: Sequence[Item]) -> dict[QuestionId, tuple[str, ...]]:
        """The failed checks of the items of one context."""
        for item in items:
            self._checks.check(RULE, item, _is_confirmed(context, item, self._corpus))
            if isinstance(item.key.answer, Text):
                self._types[item.key.answer.value] += 1
        return self._checks.failures(items)

    def results(self) -> list[AuditCheck]:
        """The check, and the accuracy of the most frequent answer."""
        total = sum(self._types.values())
        majority = max(self._types.values(), default=0) / max(1, total)
        baseline = {"most frequent answer": round(majority, 4)}
        return [*self._checks.results(), AuditCheck(name="baselines", checked=total, measures=baseline)]


def _is_confirmed(context: Context, item: Item, corpus: Corpus) -> bool:
    """Whether the rule gives the key's type for the citation, and the context shows its mask."""
    document = corpus.document(context.documents[0])
    [[_, place, citation_type]] = item.key.proof.rows
    start, _, end = place.partition("-")
    masked = Span(int(start), int(end))
    sentence = next((span for span in document.sentences if span.contains(masked)), None)
    if sentence is None or mark("choice", 1).encode() not in render(context, corpus):
        return False
    by_rule = citation_type_in(document.text, sentence, masked)
    return by_rule == citation_type and item.key.answer == Text(value=citation_type)
