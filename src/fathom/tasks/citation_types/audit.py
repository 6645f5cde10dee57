"""The family's part of an audit: every citation is looked up again and judged again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.scoring.answers import Text
from fathom.tasks.citations.draft import mark
from fathom.tasks.citations.type_rule import BEFORE, citation_type_of
from fathom.tasks.family import AuditCheck, Item

RULE = "the rule says the key again, and the mask is shown"


def audit(items: Iterable[tuple[Context, list[Item]]], corpus: Corpus, seed: int) -> list[AuditCheck]:
    """Whether each key is what the rule says of the citation, and how the two kinds are shared out."""
    looked, faults, kinds = 0, [], Counter[str]()
    for context, asked in items:
        for item in asked:
            if item.question.family != "citation_types":
                continue
            looked += 1
            if not _holds(context, item, corpus):
                faults.append(item.question.id)
            elif isinstance(item.key.answer, Text):
                kinds[item.key.answer.value] += 1
    majority = max(kinds.values(), default=0) / max(1, looked)
    return [
        AuditCheck(name=RULE, checked=looked, failed=len(faults), failures=tuple(faults[:10])),
        AuditCheck(
            name="floors of the citation_types", checked=looked, measures={"most frequent answer": round(majority, 4)}
        ),
    ]


def _holds(context: Context, item: Item, corpus: Corpus) -> bool:
    document = corpus.document(context.documents[0])
    [[_, place, citation_type]] = item.key.proof.rows
    start = int(place.partition("-")[0])
    sentence = next((span for span in document.sentences if span.start <= start < span.end), None)
    if sentence is None or mark("choice", 1).encode() not in render(context, corpus):
        return False
    said = citation_type_of(document.text[max(0, sentence.start, start - BEFORE) : start])
    return item.key.answer == Text(value=said) and said == citation_type
