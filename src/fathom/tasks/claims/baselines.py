"""Shortcut baselines: claims by position or by cue phrases, evidence by nearness or by shared words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log

from pydantic import JsonValue

from fathom.records.annotations import Finding
from fathom.records.documents import Document, Passage
from fathom.records.names import WORD, plain_word
from fathom.records.quoted_claims import CLAIM_ATTRIBUTES, EVIDENCE_ATTRIBUTES
from fathom.records.spans import Span
from fathom.scoring.answers import Link, LinkedSpan, LinkedSpans
from fathom.scoring.keys import Key
from fathom.tasks.claims.keys import CONCLUSION, LABEL, LIMITATIONS, REASON, ClaimsProgram, all_free_texts
from fathom.tasks.claims.levels import SCALES, level_of
from fathom.tasks.claims.measures import FINDING, OWN_WORDS, PARTS, NamedCounts, compare_claims, compare_finding, f1
from fathom.tasks.claims.units import units

OVERLAPPING = 3
"""The number of sentences that the baseline of shared words takes as evidence of a claim."""

REPEATED = "claims and evidence repeated"
"""The shortcut that gives a claim or its evidence in place of a text in own words."""

CUES = re.compile(
    r"\b(?:we (?:show|find|found|demonstrate|prove|establish|argue|propose|introduce|present|report|conclude|observe"
    r"|believe)|our (?:results?|findings?|method|approach|analysis|contribution)s? (?:show|suggest|indicate|demonstrate"
    r"|reveal|outperform|is|are)|(?:results|findings|data) (?:show|suggest|indicate|demonstrate|reveal)|outperforms?"
    r"|for the first time|state[- ]of[- ]the[- ]art|significantly (?:better|higher|lower|more|less)|main (?:finding"
    r"|claim|contribution)|central claim|in contrast to|compared with|novel)\b",
    re.IGNORECASE,
)

Claims = Callable[[Document], list[Span]]
EvidenceOf = Callable[[Document], Callable[[Span], list[Span]]]
"""From a document: a function that gives the evidence of a claim."""


def by_position(document: Document) -> list[Span]:
    """The first sentence of the conclusion; without a conclusion, the last sentence of the abstract."""
    sentences = [
        next((span for span in document.sentences if section.span.contains(span)), None)
        for section in document.sections
        if section.role == "conclusion"
    ]
    first = [span for span in sentences if span is not None][:1]
    if first or document.abstract is None:
        return first
    return [span for span in document.sentences if document.abstract.contains(span)][-1:]


def by_cue(document: Document) -> list[Span]:
    """Every sentence with a phrase that often introduces a claim."""
    return [span for span in document.sentences if CUES.search(document.text, span.start, span.end)]


def nearest(document: Document) -> Callable[[Span], list[Span]]:
    """The sentence after a claim; the one before it if it is the last."""

    def evidence(claim: Span) -> list[Span]:
        after = next((span for span in document.sentences if span.start >= claim.end), None)
        before = next((span for span in reversed(document.sentences) if span.end <= claim.start), None)
        return [span for span in (after or before,) if span is not None]

    return evidence


def overlapping(document: Document) -> Callable[[Span], list[Span]]:
    """The sentences and tables after the introduction that share most words with a claim, rare words counting more."""
    index = SentenceWords(document)
    return lambda claim: index.most_similar(claim.of(document.text), OVERLAPPING, without=claim)


class SentenceWords:
    """The words of the sentences and tables of a document after its introduction."""

    def __init__(self, document: Document) -> None:
        skipped = [
            section.span for section in document.sections if section.role in ("abstract", "introduction", "references")
        ]
        spans = [span for span in units(document) if not any(section_span.contains(span) for section_span in skipped)]
        self._words = [(span, _words(span.of(document.text))) for span in spans]
        frequency = Counter(word for _, words in self._words for word in words)
        self._weights = {word: log(1 + len(spans) / count) for word, count in frequency.items()}

    def most_similar(self, text: str, count: int, without: Span | None = None) -> list[Span]:
        """The passages that share most words with a text, rare words counting more."""
        words = _words(text)
        scored = []
        for span, passage_words in self._words:
            if without is None or span.end <= without.start or span.start >= without.end:
                shared = sum(self._weights[word] for word in passage_words & words)
                scored.append((-shared / (1 + log(1 + len(passage_words))), span))
        return sorted(span for score, span in sorted(scored)[:count] if score < 0)


def _words(text: str) -> frozenset[str]:
    return frozenset(map(plain_word, WORD.findall(text)))


CLAIM_RULES: dict[str, Claims] = {"position": by_position, "cue phrases": by_cue}
EVIDENCE_RULES: dict[str, EvidenceOf] = {"nearest sentence": nearest, "lexical overlap": overlapping}


def predict_claims(document: Document, claims: Sequence[Span], evidence: EvidenceOf) -> list[LinkedSpan]:
    """Claims with the evidence that a rule finds for them."""
    evidence_of = evidence(document)
    return [
        LinkedSpan(
            passage=Passage(document=document.id, span=claim),
            links=tuple(Link(passage=Passage(document=document.id, span=span)) for span in evidence_of(claim)),
        )
        for claim in claims
    ]


def _repeat_texts(document: Document, claim: LinkedSpan) -> LinkedSpan:
    """A claim of the key with its own text as conclusion and reason, and the text of its evidence as limitations."""
    text = claim.passage.span.of(document.text)
    links = tuple(
        Link(passage=link.passage, attributes={LIMITATIONS: link.passage.span.of(document.text)})
        for link in claim.links
    )
    return LinkedSpan(passage=claim.passage, links=links, attributes={CONCLUSION: text, REASON: text})


class Baselines:
    """The results of the shortcuts on the questions of a bench, summed over questions."""

    def __init__(self) -> None:
        self._counts: dict[str, NamedCounts] = defaultdict(Counter)
        self._labels: Counter[str] = Counter()
        self._levels: dict[str, Counter[str]] = defaultdict(Counter)
        self._values: dict[str, Counter[str]] = defaultdict(Counter)
        """The values of each attribute of claims and of evidence."""

    def add_claims(self, documents: Sequence[Document], key: Key, program: ClaimsProgram) -> None:
        """Try the shortcuts on a question for all claims."""
        assert isinstance(key.answer, LinkedSpans)
        gold_spans = {
            document.id: [span.passage.span for span in key.answer.spans if span.passage.document == document.id]
            for document in documents
        }
        rules: dict[str, Claims] = {**CLAIM_RULES, "claims given": lambda document: gold_spans[document.id]}
        by_id = {document.id: document for document in documents}
        for claim in key.answer.spans:
            self._count_values("claim", CLAIM_ATTRIBUTES, claim.attributes)
            for link in claim.links:
                self._count_values("evidence", EVIDENCE_ATTRIBUTES, link.attributes)
        for name, rule in rules.items():
            for linking, evidence in EVIDENCE_RULES.items():
                predictions = [
                    prediction
                    for document in documents
                    for prediction in predict_claims(document, rule(document), evidence)
                ]
                self._counts[f"{name}, {linking}"].update(
                    compare_claims(key.answer, predictions, by_id, program).counts
                )
        if any(all_free_texts(key.answer)):
            repeated_claims = [_repeat_texts(by_id[claim.passage.document], claim) for claim in key.answer.spans]
            self._counts[REPEATED].update(compare_claims(key.answer, repeated_claims, by_id, program).counts)

    def _count_values(self, kind: str, closed: Iterable[str], attributes: Mapping[str, str]) -> None:
        for name in closed:
            if name in attributes:
                self._values[f"{kind} {name}"][attributes[name]] += 1

    def add_finding(self, document: Document, finding: Finding, key: Key, program: ClaimsProgram) -> None:
        """Try the shortcuts on a question for evidence."""
        assert isinstance(key.answer, LinkedSpans)
        spans = SentenceWords(document).most_similar(finding.question, 1)
        passages = [Passage(document=document.id, span=span) for span in spans]
        counts = compare_finding(key.answer, finding.label, passages, {document.id: document}, program)
        self._counts["evidence, lexical overlap"].update(counts)
        self._labels[key.answer.spans[0].attributes[LABEL]] += 1

    def add_level(self, task: str, level: str) -> None:
        self._levels[task][level] += 1

    def report(self) -> dict[str, JsonValue]:
        """The F1 of each shortcut over all questions, and the accuracy of the most frequent label."""
        report: dict[str, JsonValue] = {}
        for name, counts in self._counts.items():
            parts = {"evidence": FINDING} if name.startswith("evidence") else {part: part for part in PARTS}
            if name == REPEATED:
                parts = {part: part for part in OWN_WORDS.values() if counts[f"{part} gold"]}
            report[name] = {label: round(f1(counts, part), 4) for label, part in parts.items()}
        if self._values:
            accuracies = {name: round(_majority(values), 4) for name, values in sorted(self._values.items())}
            report["most frequent value, accuracy"] = dict[str, JsonValue](accuracies)
        if self._labels:
            report["most frequent label"] = {"label": round(_majority(self._labels), 4)}
        for task, levels in self._levels.items():
            report[f"most frequent {task}"] = {
                "accuracy": round(_majority(levels), 4),
                "distance from the median level": round(_median_distance(task, levels), 4),
            }
        return report


def _majority(counts: Counter[str]) -> float:
    return max(counts.values()) / counts.total()


def _median_distance(task: str, levels: Counter[str]) -> float:
    """The mean distance of the levels from the one that is closest to all of them."""
    ranks = [(level_of(task, level) or 0, count) for level, count in levels.items()]
    total = levels.total()
    options = range(len(SCALES[task].levels))
    return min(sum(abs(rank - option) * count for rank, count in ranks) / total for option in options)
