"""Audits questions: recomputes keys from the documents, finds every quote again, and searches for hidden texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context, ContextId
from fathom.records.documents import Document, Passage
from fathom.records.names import WORD, plain_word
from fathom.records.questions import QuestionId, Response
from fathom.records.spans import Span
from fathom.scoring.answers import LinkedSpan, LinkedSpans, Text
from fathom.scoring.quotes import quote_locator
from fathom.scoring.shown_context import ShownContext
from fathom.scoring.verdicts import Verdict
from fathom.tasks.auditing import AuditChecks
from fathom.tasks.checking import shown_context
from fathom.tasks.claims.answer_writing import with_links, without_claim, written_claims, written_finding
from fathom.tasks.claims.build import size_of
from fathom.tasks.claims.check import check
from fathom.tasks.claims.keys import (
    CLAIM,
    CONCLUSION,
    EVIDENCE,
    HIDDEN,
    LABEL,
    LIMITATIONS,
    OPTION,
    ClaimsProgram,
    linked_span,
)
from fathom.tasks.claims.levels import SCALES, level_of
from fathom.tasks.claims.settings import TASKS
from fathom.tasks.claims.wording import PLANTED, level_question
from fathom.tasks.family import AuditCheck, Item

PARSED = "the key can be parsed and the context rendered"
QUOTED = "every quote of the key is found in the shown text"
ROWS = "the key has the passages of its proof"
RECOMPUTED = "the documents give the key again"
NOT_SHOWN = "no sentence that states the label is in the shown text"
WORDED = "the wording and the tags match the key"
ACCEPTED, REJECTED = "correct answers are accepted", "near misses are rejected"
ATTRIBUTED = "the attributes of the key agree with themselves"
"""The checks."""


class ClaimsAuditor:
    """Verifies questions from their documents, without the code that built them."""

    def __init__(self, corpus: Corpus, seed: int, measured: bool = True) -> None:
        self._corpus = corpus
        self._checks = AuditChecks()
        self._shared = 0.0
        self._last: tuple[ContextId, ShownContext] | None = None

    def check(self, context: Context, items: Sequence[Item]) -> dict[QuestionId, tuple[str, ...]]:
        """The failed checks of the items of one context."""
        for item in items:
            try:
                shown = self._shown_context(context)
                program = ClaimsProgram.parse(item.key)
                parsed = program.task in TASKS and bool(_rows(item, shown))
            except Exception:
                # A key file may contain anything.
                self._checks.check(PARSED, item, False)
                continue
            self._checks.check(PARSED, item, parsed)
            if parsed:
                self._check_item(context, item, shown, program)
        return self._checks.failures(items)

    def _shown_context(self, context: Context) -> ShownContext:
        if self._last is None or self._last[0] != context.id:
            self._last = context.id, shown_context(context, self._corpus)
        return self._last[1]

    def _check_item(self, context: Context, item: Item, shown: ShownContext, program: ClaimsProgram) -> None:
        is_worded = item.question.tags.get("task") == program.task and item.question.tags.get("size") == size_of(
            context.tokens
        )
        if program.task in SCALES:
            self._check_level(item, shown, program, is_worded)
            return
        answer = item.key.answer
        if not isinstance(answer, LinkedSpans):
            self._checks.check(ROWS, item, False)
            return
        rows = _rows(item, shown)
        self._checks.check(ROWS, item, [passage for _, passage, _ in rows] == list(_passages(answer)))
        quoted = all(_is_quoted(passage, quote, shown) for _, passage, quote in rows)
        self._checks.check(QUOTED, item, quoted)
        if program.annotator == PLANTED:
            self._checks.check(RECOMPUTED, item, self._is_planted(answer, item, shown))
        if program.task == "evidence":
            options = [row[1] for row in item.key.proof.rows if row[0] == OPTION]
            labels = {span.attributes.get(LABEL) for span in answer.spans}
            is_worded = (
                is_worded
                and len(labels) == 1
                and labels <= set(options)
                and all(option in item.question.text for option in options)
            )
        self._checks.check(WORDED, item, is_worded)
        self._check_responses(item, answer, shown, program)

    def _is_planted(self, answer: LinkedSpans, item: Item, shown: ShownContext) -> bool:
        """Whether the key has exactly the planted claims, except those in the abstract if the question excludes it."""
        expected = [
            linked_span(document, claim)
            for document in shown.documents.values()
            for claim in document.claims
            if "Leave out what is stated in the abstract" not in item.question.text
            or document.abstract is None
            or not document.abstract.contains(claim.span)
        ]
        return expected == list(answer.spans)

    def _check_level(self, item: Item, shown: ShownContext, program: ClaimsProgram, worded: bool) -> None:
        labels = [row[2] for row in item.key.proof.rows if row[0] == LABEL]
        matches_key = isinstance(item.key.answer, Text) and labels == [item.key.answer.value]
        self._checks.check(ROWS, item, matches_key and level_of(program.task, labels[0]) is not None)
        hidden = [row[1] for row in item.key.proof.rows if row[0] == HIDDEN]
        words = _normalize(shown.text)
        self._checks.check(NOT_SHOWN, item, bool(hidden) and not any(_normalize(text) in words for text in hidden))
        self._shared = max([self._shared, *(_longest_run(text, words) for text in hidden)])
        self._checks.check(WORDED, item, worded and item.question.text == level_question(program.task))
        for level in SCALES[program.task].levels:
            correct = self._outcome(item, f"Answer: {level}", shown) == "correct"
            rule = ACCEPTED if labels == [level] else REJECTED
            self._checks.check(rule, item, correct == (rule == ACCEPTED))

    def _check_responses(self, item: Item, answer: LinkedSpans, shown: ShownContext, program: ClaimsProgram) -> None:
        def quote(passage: Passage) -> str:
            return passage.span.of(shown.documents[passage.document].text)

        if program.task == "evidence":
            label = answer.spans[0].attributes[LABEL]
            other_label = next(row[1] for row in item.key.proof.rows if row[0] == OPTION and row[1] != label)
            for span in answer.spans:
                text = written_finding(label, [span.passage], quote)
                self._checks.check(ACCEPTED, item, self._outcome(item, text, shown) == "correct")
                for wrong_response in (
                    written_finding(other_label, [span.passage], quote),
                    written_finding(label, [], quote),
                ):
                    self._checks.check(REJECTED, item, self._outcome(item, wrong_response, shown) != "correct")
            return
        correct = written_claims(answer.spans, quote)
        for text in (correct, f"Here are the claims.\n```json\n{correct}\n```", correct.replace("]}]}", "],}],}")):
            self._checks.check(ACCEPTED, item, self._outcome(item, text, shown) == "correct")
        self._checks.check(ATTRIBUTED, item, _all_agree(self._verdict(item, correct, shown).measures))
        for spans in _near_misses(answer):
            text = written_claims(spans, quote)
            self._checks.check(REJECTED, item, self._outcome(item, text, shown) != "correct")

    def _outcome(self, item: Item, text: str, shown: ShownContext) -> str:
        return self._verdict(item, text, shown).outcome

    def _verdict(self, item: Item, text: str, shown: ShownContext) -> Verdict:
        response = Response(question_id=item.question.id, outcome="answered", text=text)
        return check(item.key, response, shown)

    def results(self) -> list[AuditCheck]:
        """Every check, and how much of a hidden sentence a shown text has in a row."""
        checks = self._checks.results()
        if self._shared:
            shared = {"words in a row, as a share of the sentence": round(self._shared, 4)}
            checks.append(AuditCheck(name="most that a text shares with a hidden sentence", checked=1, measures=shared))
        return checks


def _rows(item: Item, shown: ShownContext) -> list[tuple[str, Passage, str]]:
    """The passages of the proof with their quotes; for a label of the whole document, its row."""
    rows = []
    for row in item.key.proof.rows:
        if row[0] in (CLAIM, EVIDENCE, CONCLUSION, LIMITATIONS):
            kind, document, offsets, quote = row
            start, _, end = offsets.partition("-")
            rows.append((kind, Passage(document=document, span=Span(int(start), int(end))), quote))
        elif row[0] == LABEL and isinstance(item.key.answer, Text):
            rows.append((LABEL, Passage(document=row[1], span=Span(0, 0)), row[2]))
    return rows if all(passage.document in shown.documents for _, passage, _ in rows) else []


def _passages(answer: LinkedSpans) -> Iterator[Passage]:
    for span in answer.spans:
        yield span.passage
        yield from span.stated.values()
        for link in span.links:
            yield from (link.passage, *link.stated.values())


def _is_quoted(passage: Passage, quote: str, shown: ShownContext) -> bool:
    """Whether the document has the quote at its place, the context shows it there, and the locator finds it."""
    document: Document = shown.documents[passage.document]
    placed_document = next(shown_place for shown_place in shown.places if shown_place.document == passage.document)
    located = placed_document.locate(passage.span)
    if located is None or not quote.strip() == quote == passage.span.of(document.text) == located.of(shown.text):
        return False
    return bool(quote) and quote_locator(shown.text).locate(quote, near=located.start) == located


def _all_agree(measures: Mapping[str, float]) -> bool:
    """Whether every attribute that was compared agrees, and every statement of the key was found."""
    return all(
        count == measures.get(name.replace(" compared", " agrees").replace(" gold", " matched"), 0)
        for name, count in measures.items()
        if name.endswith((" compared", " gold"))
    )


def _near_misses(answer: LinkedSpans) -> Iterator[Sequence[LinkedSpan]]:
    """Claims that differ from the key by one claim, one link, or two links that changed places."""
    spans = answer.spans
    yield ()
    for number in {0, len(spans) - 1}:
        yield without_claim(answer, number)
    linked = [number for number, claim in enumerate(spans) if claim.links]
    for number in linked[:2]:
        fewer = with_links(spans[number], spans[number].links[1:])
        yield (*spans[:number], fewer, *spans[number + 1 :])
    for other in range(1, len(spans)):
        if set(spans[0].linked).isdisjoint(spans[other].linked) and spans[0].links:
            swapped = list(spans)
            swapped[0], swapped[other] = (
                with_links(spans[0], spans[other].links),
                with_links(spans[other], spans[0].links),
            )
            yield swapped
            break


def _normalize(text: str) -> str:
    """The words of a text in a normal form, each between two spaces."""
    return f" {' '.join(plain_word(word) for word in WORD.findall(text))} "


def _longest_run(text: str, words: str) -> float:
    """The longest run of words of a text that is also in `words`, as a share of the text."""
    text_words = _normalize(text).split()
    longest = 0
    for start in range(len(text_words)):
        while start + longest < len(text_words) and f" {' '.join(text_words[start : start + longest + 1])} " in words:
            longest += 1
    return longest / max(1, len(text_words))
