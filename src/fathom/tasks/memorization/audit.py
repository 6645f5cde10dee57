"""Audits probes: checks that the document continues with the key, and that the shown text does not contain it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from fathom.contexts.layout import render
from fathom.corpus.publication_dates import publication_month
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import Document
from fathom.records.layouts import LAYOUT
from fathom.records.questions import QuestionId, Response
from fathom.records.spans import Span
from fathom.scoring.answers import Text
from fathom.tasks.auditing import AuditChecks
from fathom.tasks.family import AuditCheck, Item
from fathom.tasks.memorization.build import wording
from fathom.tasks.memorization.check import check, contains_name, names_occur_early

CACHED = 256
"""The maximum number of documents in the cache."""


class MemorizationAuditor:
    """Verifies probes from their documents alone, without the code that built them."""

    def __init__(self, corpus: Corpus, seed: int, measured: bool = True) -> None:
        self._corpus = corpus
        self._document = lru_cache(maxsize=CACHED)(corpus.document)
        self._checks = AuditChecks()
        self._answers: Counter[str] = Counter()

    def check(self, context: Context, items: Sequence[Item]) -> dict[QuestionId, tuple[str, ...]]:
        """The failed checks of the probes of one context."""
        for item in items:
            self._check_item(context, item)
        return self._checks.failures(items)

    def _check_item(self, context: Context, item: Item) -> None:
        try:
            text = render(context, self._corpus).decode()
            ((id, _, place, name),) = item.key.proof.rows
            document = self._document(id)
            start, _, end = place.partition("-")
            span = Span(int(start), int(end))
        except Exception:
            # A key file may contain anything.
            self._checks.check("the probe can be parsed and rendered", item, False)
            return
        alone = context.layout == LAYOUT and context.documents == (id,)
        self._checks.check("the probe can be parsed and rendered", item, alone and isinstance(item.key.answer, Text))
        self._check_key(item, document, span, name)
        self._checks.check(
            "the shown text does not contain the key", item, not contains_name(context.places[0].span.of(text), name)
        )
        self._checks.check(
            "the question has its standard wording", item, item.question.text == wording(_task(item), document)
        )
        self._checks.check("the tags match the document", item, _is_tagged(item, document))
        self._check_responses(item, name)
        self._answers[name] += 1

    def _check_key(self, item: Item, document: Document, span: Span, name: str) -> None:
        rest = document.text[span.start :] if _task(item) == "citation" else span.of(document.text)
        self._checks.check("the document continues with the key", item, names_occur_early((name,), rest))
        inside = _task(item) == "citation" or document.title.contains(span)
        self._checks.check("the hidden text lies within the document", item, inside and span.end <= len(document.text))

    def _check_responses(self, item: Item, name: str) -> None:
        for text, wanted in ((name, True), (f"({name.upper()} et al., 2001)", True), ("", False), (f"x{name}", False)):
            response = Response(question_id=item.question.id, outcome="answered", text=text)
            rule = "correct answers are accepted" if wanted else "near misses are rejected"
            self._checks.check(rule, item, (check(item.key, response).outcome == "correct") == wanted)

    def results(self) -> list[AuditCheck]:
        """Every check, and the accuracy of the most frequent answer."""
        checks = self._checks.results()
        total = sum(self._answers.values())
        if total:
            baseline = {"most frequent answer": round(max(self._answers.values()) / total, 4)}
            checks.append(AuditCheck(name="baselines", checked=total, measures=baseline))
        return checks


def _task(item: Item) -> str:
    return item.question.tags.get("task", "")


def _is_tagged(item: Item, document: Document) -> bool:
    month = publication_month(document)
    year = None if month is None else str(month.year)
    task = "title" if item.key.proof.rows[0][1] == "0" else "citation"
    tags = item.question.tags
    return (tags.get("year"), tags.get("subject"), tags.get("task")) == (year, document.subject, task)
