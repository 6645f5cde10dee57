"""Audits questions: finds every citation again in its document and classifies it again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.spans import Span
from fathom.scoring.answers import Text
from fathom.tasks.citations.draft import mark
from fathom.tasks.citations.type_rule import citation_type_in
from fathom.tasks.family import AuditCheck, Item

RULE = "the rule gives the key, and the mask is shown"


def audit(items: Iterable[tuple[Context, list[Item]]], corpus: Corpus, seed: int) -> list[AuditCheck]:
    """Check that each key is the rule's classification, and measure the majority baseline."""
    checked, failures, kinds = 0, [], Counter[str]()
    for context, asked in items:
        for item in asked:
            if item.question.family != "citation_types":
                continue
            checked += 1
            if not _is_confirmed(context, item, corpus):
                failures.append(item.question.id)
            elif isinstance(item.key.answer, Text):
                kinds[item.key.answer.value] += 1
    majority = max(kinds.values(), default=0) / max(1, checked)
    return [
        AuditCheck(name=RULE, checked=checked, failed=len(failures), failures=tuple(failures[:10])),
        AuditCheck(name="baselines", checked=checked, measures={"most frequent answer": round(majority, 4)}),
    ]


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
