"""Checks a response: locates its quotes in the shown text and compares them with the key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from fathom.models.json_output import JsonOutput, read_json
from fathom.records.documents import Passage
from fathom.records.judgments import Judgment
from fathom.records.questions import Response
from fathom.records.quoted_claims import QuotedClaim, QuotedEvidence, has_claims, read_claims, read_evidence
from fathom.records.spans import Span
from fathom.scoring.answers import Link, LinkedSpan, LinkedSpans, Text
from fathom.scoring.check import check_label, check_response
from fathom.scoring.keys import Key
from fathom.scoring.quotes import quote_locator
from fathom.scoring.shown_context import ShownContext
from fathom.scoring.verdicts import Outcome, Verdict
from fathom.systems.claim_passes import FENCE, READ
from fathom.tasks.claims.keys import CONCLUSION, LABEL, LIMITATIONS, OPTION, ClaimsProgram, passages_of
from fathom.tasks.claims.levels import scale_of
from fathom.tasks.claims.measures import FINDING, NamedCounts, compare_claims, compare_finding, f1

NOWHERE = Span(0, 0)
"""The place of a quote that the text does not have."""


def check(
    key: Key, response: Response, shown: ShownContext | None = None, judgments: Sequence[Judgment] = ()
) -> Verdict:
    """The verdict on a response; its score is the F1 of the links between claims and evidence.

    For the evidence on a given question it is the F1 of the evidence if the label is correct, and otherwise 0.
    """
    if isinstance(key.answer, Text):
        return _check_level(key, response)
    if response.outcome in ("error", "overflow", "refused"):
        return check_response(key, response)  # with the counts of a question without an answer, which are added later
    if shown is None:
        return _verdict(response, "unjudged", reason="quotes are located in the shown text; run `fathom score`")
    assert isinstance(key.answer, LinkedSpans)
    program = ClaimsProgram.parse(key)
    quotes = QuoteReader(shown, key.answer)
    if program.task == "evidence":
        return _check_finding(key, key.answer, program, response, quotes)
    return _check_claims(key.answer, program, response, quotes)


class QuoteReader:
    """Turns the quotes of a response into passages of the shown documents, and counts those that are invented."""

    def __init__(self, shown: ShownContext, gold: LinkedSpans) -> None:
        self.shown = shown
        self.quotes = self.fabricated = 0
        self._locator = quote_locator(shown.text)
        placements = {placement.document: placement for placement in shown.places}
        located = (
            placements[passage.document].locate(passage.span)
            for passage in passages_of(gold.spans)
            if passage.document in placements
        )
        self._gold_spans = sorted({span for span in located if span is not None})

    def passage(self, quote: str) -> Passage:
        """The passage that has the words of a quote."""
        self.quotes += 1
        span = self._locate(quote)
        placed = None
        if span is not None:
            placed = next(
                (
                    placement
                    for placement in self.shown.places
                    if placement.span.start <= span.start < placement.span.end
                ),
                None,
            )
        if span is None or placed is None:
            self.fabricated += 1
            return Passage(document=self.shown.places[0].document, span=NOWHERE)
        return Passage(document=placed.document, span=placed.source(span.start, min(span.end, placed.span.end)))

    def stated(self, name: str, attributes: Mapping[str, str], about: Passage) -> dict[str, Passage]:
        """The passage that an attribute quotes. One in other words is not an invented quote, but matches nothing.

        It is in the document of the passage that it is about: others may have the same sentence on their own Table 1.
        """
        if not attributes.get(name):
            return {}
        text = self.shown.documents[about.document].text
        span = quote_locator(text).locate(attributes[name], near=about.span.start)
        return {name: Passage(document=about.document, span=span or NOWHERE)}

    def _locate(self, quote: str) -> Span | None:
        span = self._locator.locate(quote)
        # A quote cannot say which of several places it means; one that the key has is taken.
        if span is None or self.shown.text.count(span.of(self.shown.text)) < 2:
            return span
        located = [self._locator.locate(quote, near=gold_span.start) for gold_span in self._gold_spans]
        pairs = zip(self._gold_spans, located, strict=True)
        return next(
            (
                located_span
                for gold_span, located_span in pairs
                if located_span and gold_span.start <= located_span.start < gold_span.end
            ),
            span,
        )


def _check_claims(gold: LinkedSpans, program: ClaimsProgram, response: Response, quotes: QuoteReader) -> Verdict:
    output = read_json(response.text, has_claims)
    claims = None if output is None else read_claims(output.value)
    if output is None or claims is None:
        return _verdict(response, "unparseable", reason="the response has no list of claims in JSON")
    predicted = [_linked_span(claim, quotes) for claim in claims]
    counts, values = compare_claims(gold, predicted, quotes.shown.documents, program)
    counts.update(_quote_counts(quotes, output, response))
    score = f1(counts, "links")
    parsed = LinkedSpans(spans=tuple(predicted)) if predicted else None
    verdict = _verdict(response, "correct" if score >= 1.0 else "incorrect", score, parsed, counts)
    return verdict.model_copy(update={"values": values})


def _linked_span(claim: QuotedClaim, quotes: QuoteReader) -> LinkedSpan:
    passage = quotes.passage(claim.quote)
    return LinkedSpan(
        passage=passage,
        links=tuple(_link(evidence, quotes) for evidence in claim.evidence),
        attributes=dict(claim.attributes),
        stated=quotes.stated(CONCLUSION, claim.attributes, passage),
    )


def _link(evidence: QuotedEvidence, quotes: QuoteReader) -> Link:
    passage = quotes.passage(evidence.quote)
    quoted = quotes.stated(LIMITATIONS, evidence.attributes, passage)
    return Link(passage=passage, attributes=dict(evidence.attributes), stated=quoted)


def _check_finding(
    key: Key, gold: LinkedSpans, program: ClaimsProgram, response: Response, quotes: QuoteReader
) -> Verdict:
    output = read_json(response.text, _has_label)
    if output is None:
        return _verdict(response, "unparseable", reason="the response has no label in JSON")
    assert isinstance(output.value, dict)
    fields = {name.lower(): value for name, value in output.value.items()}
    label = _option(str(fields["label"]), [row[1] for row in key.proof.rows if row[0] == OPTION])
    passages = [quotes.passage(evidence.quote) for evidence in read_evidence(fields.get("evidence"))]
    counts = compare_finding(gold, label, passages, quotes.shown.documents, program)
    counts.update(_quote_counts(quotes, output, response))
    score = f1(counts, FINDING) * counts["labels correct"]
    spans = tuple(LinkedSpan(passage=passage, attributes={LABEL: label}) for passage in passages)
    parsed = LinkedSpans(spans=spans) if spans else None
    return _verdict(response, "correct" if score >= 1.0 else "incorrect", score, parsed, counts)


def _has_label(value: JsonValue) -> bool:
    return isinstance(value, dict) and any(
        name.lower() == "label" and isinstance(part, str) for name, part in value.items()
    )


def _option(label: str, options: Iterable[str]) -> str:
    """The option that a label means; the label itself if it means none."""
    normal = " ".join(label.lower().replace("_", " ").split()).strip(" .\"'")
    return next((option for option in options if option.lower() == normal), label)


def _quote_counts(quotes: QuoteReader, output: JsonOutput, response: Response) -> NamedCounts:
    # A system of several calls reads the JSON of each of them; its trace says which needed a repair.
    reads = [step for step in response.trace if step.kind == "tool" and step.name == READ]
    repaired = set(output.repairs) - {"code fence"} or any(step.output not in ("", FENCE) for step in reads)
    return Counter(
        {
            "quotes": quotes.quotes,
            "quotes fabricated": quotes.fabricated,
            "responses in JSON": 1,
            "responses repaired": int(bool(repaired)),
            "responses with a pass without JSON": int(any(not step.output for step in reads)),
        }
    )


def _check_level(key: Key, response: Response) -> Verdict:
    """Correct when the level is the key's; the distance on the scale is a measure."""
    assert isinstance(key.answer, Text)
    scale = scale_of(key.answer.value)
    if scale is None:
        return check_response(key, response)
    verdict = check_label(key, response, scale[1].levels)
    if not isinstance(verdict.parsed, Text):
        return verdict
    stated_rank, key_rank = (scale[1].levels.index(word) for word in (verdict.parsed.value, key.answer.value))
    measures: dict[str, float] = {"levels": 1, "level distance": abs(stated_rank - key_rank)}
    return verdict.model_copy(update={"measures": verdict.measures | measures})


def _verdict(
    response: Response,
    outcome: Outcome,
    score: float = 0.0,
    parsed: LinkedSpans | None = None,
    counts: NamedCounts | None = None,
    reason: str = "",
) -> Verdict:
    return Verdict(
        question_id=response.question_id,
        sample=response.sample,
        outcome=outcome,
        score=score,
        parsed=parsed,
        reason=reason,
        measures={name: float(count) for name, count in (counts or {}).items()},
    )
