"""Makes keys from claims, findings and labels, and reads back how their passages are compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fathom.records.annotations import Finding
from fathom.records.documents import Claim, Document, DocumentId, Evidence, Passage
from fathom.records.errors import FathomError
from fathom.records.quoted_claims import REASONS
from fathom.records.spans import Span
from fathom.scoring.answers import Link, LinkedSpan, LinkedSpans, Text
from fathom.scoring.keys import Key, Proof
from fathom.scoring.quotes import is_recognizable, quote_locator
from fathom.tasks.claims.settings import ClaimsSettings

LABEL = "label"
"""The attribute with the label of a finding, and the first cell of its row in a proof."""
OPTION, HIDDEN, CLAIM, EVIDENCE = "option", "hidden", "claim", "evidence"
CONCLUSION, LIMITATIONS, REASON = "conclusion", "limitations", "no_evidence_reason"
"""The first cell of the other rows of a proof."""

_PROGRAM = re.compile(r"(\w+) of (.+), by (sentence|character) from (\d\S*)", re.DOTALL)


@dataclass(frozen=True)
class ClaimsProgram:
    """The program of a key's proof: its source, and how its passages are compared."""

    task: str
    annotator: str
    level: str = "sentence"
    threshold: float = 0.5

    @classmethod
    def of(cls, task: str, annotator: str, settings: ClaimsSettings) -> ClaimsProgram:
        return cls(task, annotator, settings.level, settings.threshold)

    @classmethod
    def parse(cls, key: Key) -> ClaimsProgram:
        """The program of a key; raises FathomError for a key that was damaged."""
        match = _PROGRAM.fullmatch(key.proof.program)
        if match is None:
            raise FathomError(
                f"The key of question '{key.question_id}' has no program of this family. Build the bench again."
            )
        return cls(match[1], match[2], match[3], float(match[4]))

    def __str__(self) -> str:
        threshold = str(self.threshold).removesuffix(".0")
        return f"{self.task} of {self.annotator}, by {self.level} from {threshold}"


def claims_key(id: str, program: ClaimsProgram, claims: Sequence[tuple[Document, Claim]]) -> Key:
    """The key of a question for all claims of some documents."""
    spans = tuple(linked_span(document, claim) for document, claim in claims)
    return Key(
        question_id=id,
        answer=LinkedSpans(spans=spans),
        proof=Proof(
            program=str(program),
            rows=tuple(_claim_rows({document.id: document for document, _ in claims}, spans)),
            passages=tuple(dict.fromkeys(passages_of(spans))),
        ),
    )


def linked_span(document: Document, claim: Claim) -> LinkedSpan:
    """A claim with its evidence and attributes."""
    return LinkedSpan(
        passage=Passage(document=document.id, span=claim.span),
        links=tuple(
            Link(
                passage=Passage(document=document.id, span=evidence.span),
                attributes=evidence_attributes(evidence),
                stated=_locate_statement(document, LIMITATIONS, evidence.limitations, evidence.span),
            )
            for evidence in claim.evidence
        ),
        attributes=claim_attributes(claim),
        stated=_locate_statement(document, CONCLUSION, claim.conclusion, claim.span),
    )


def _locate_statement(document: Document, name: str, text: str, near: Span) -> dict[str, Passage]:
    """The passage that a text quotes; nothing if the text is an annotator's own words."""
    if not is_recognizable(text):
        return {}
    span = quote_locator(document.text).locate(text, near=near.start, complete=True)
    return {} if span is None else {name: Passage(document=document.id, span=span)}


def free_texts(part: LinkedSpan | Link) -> Iterator[str]:
    """The names of the texts about a claim or its evidence that are an annotator's own words."""
    yield from (name for name in (CONCLUSION, LIMITATIONS) if name in part.attributes.keys() - part.stated.keys())
    if part.attributes.get(REASON, REASONS[0]) not in REASONS:
        yield REASON


def all_free_texts(answer: LinkedSpans) -> Iterator[str]:
    """The names of all texts of an answer that are an annotator's own words, each as often as there are such."""
    for claim in answer.spans:
        yield from free_texts(claim)
        for link in claim.links:
            yield from free_texts(link)


def claim_attributes(claim: Claim) -> dict[str, str]:
    """The known attributes of a claim."""
    attributes = {
        "type": claim.type,
        "robustness": claim.robustness,
        "confidence": claim.confidence,
        "no_evidence_reason": claim.no_evidence_reason,
        "conclusion": claim.conclusion,
        "justified": None if claim.justified is None else "yes" if claim.justified else "no",
    }
    return {name: value for name, value in attributes.items() if value}


def evidence_attributes(evidence: Evidence) -> dict[str, str]:
    """The known attributes of a piece of evidence."""
    attributes = {
        "polarity": evidence.polarity,
        "type": evidence.type,
        "strength": evidence.strength,
        "limitations": evidence.limitations,
    }
    return {name: value for name, value in attributes.items() if value}


def finding_key(id: str, program: ClaimsProgram, document: Document, finding: Finding) -> Key:
    """The key of a question for a label and its evidence, whose passages are alternatives."""
    spans = tuple(
        LinkedSpan(passage=Passage(document=document.id, span=evidence.span), attributes={LABEL: finding.label})
        for evidence in finding.evidence
    )
    rows = [(LABEL, finding.id, finding.label), *((OPTION, option) for option in finding.options)]
    rows += [_row(EVIDENCE, document, evidence.span) for evidence in finding.evidence]
    return Key(
        question_id=id,
        answer=LinkedSpans(spans=spans),
        proof=Proof(program=str(program), rows=tuple(rows), passages=tuple(dict.fromkeys(passages_of(spans)))),
    )


def level_key(id: str, program: ClaimsProgram, document: Document, level: str, hidden: Iterable[str]) -> Key:
    """The key of a question for a level of the whole document; `hidden` must not be in the shown text."""
    rows = [(LABEL, document.id, level), *((HIDDEN, text) for text in hidden)]
    return Key(question_id=id, answer=Text(value=level), proof=Proof(program=str(program), rows=tuple(rows)))


def _claim_rows(documents: Mapping[DocumentId, Document], spans: Iterable[LinkedSpan]) -> Iterator[tuple[str, ...]]:
    for span in spans:
        document = documents[span.passage.document]
        yield _row(CLAIM, document, span.passage.span)
        yield from (_row(name, document, passage.span) for name, passage in span.stated.items())
        for link in span.links:
            yield _row(EVIDENCE, document, link.passage.span)
            yield from (_row(name, document, passage.span) for name, passage in link.stated.items())


def _row(kind: str, document: Document, span: Span) -> tuple[str, ...]:
    return kind, document.id, f"{span.start}-{span.end}", span.of(document.text)


def passages_of(spans: Iterable[LinkedSpan]) -> Iterator[Passage]:
    """All passages of claims: each claim and piece of evidence, followed by the passages about it."""
    for span in spans:
        yield span.passage
        yield from span.stated.values()
        for link in span.links:
            yield link.passage
            yield from link.stated.values()
