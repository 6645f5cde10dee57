"""Counts what of a key was found. Precision, recall and F1 are ratios of sums of these counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast, get_args

from fathom.records.documents import Document, DocumentId, Passage
from fathom.records.names import WORD
from fathom.records.quoted_claims import CLAIM_ATTRIBUTES, EVIDENCE_ATTRIBUTES, REASONS
from fathom.records.spans import Span
from fathom.scoring.answers import Link, LinkedSpan, LinkedSpans, Text
from fathom.scoring.keys import Key
from fathom.scoring.quote_words import NormalizedWords
from fathom.scoring.span_matching import ClaimMatch, MatchLevel, SentenceIndex, SpanMatcher, match_claims
from fathom.tasks.claims.keys import CONCLUSION, LABEL, LIMITATIONS, REASON, ClaimsProgram, free_texts
from fathom.tasks.claims.units import units
from fathom.tasks.claims.wording import PLANTED

NamedCounts = Counter[str]
PARTS = ("claims", "evidence", "links")
FINDING = "finding evidence"
"""The part that questions for the evidence on a given question have."""
GAP, ALL_GAPS, KEY_GAPS = "sentence gap", "sentence gap of all links", "sentence gap of annotators"
"""Sentences between claims and their evidence: of links that match the key, of all predicted links, and of the key."""
STATEMENTS = {"claim": CONCLUSION, "evidence": LIMITATIONS}
"""Attributes of claims and of evidence that the text may state in separate passages."""
UNJUSTIFIED = "unjustified"
"""Claims that the evidence does not justify."""
NO_EVIDENCE = "no evidence reason"
OWN_WORDS = {CONCLUSION: "conclusion words", LIMITATIONS: "limitations words", REASON: f"{NO_EVIDENCE} words"}
"""The parts that count the words of texts that an annotator wrote."""
LEVELS: tuple[MatchLevel, ...] = get_args(MatchLevel)
Documents = Mapping[DocumentId, Document]
NamedLists = dict[str, tuple[float, ...]]


class KeyComparison(NamedTuple):
    """How much of a key was found."""

    counts: NamedCounts
    values: NamedLists
    """Lists of numbers: distances between claims and their evidence."""


def compare_claims(
    gold: LinkedSpans, predicted: Sequence[LinkedSpan], documents: Documents, program: ClaimsProgram
) -> KeyComparison:
    """The counts of predicted claims, evidence and links, of those that match, and of the attributes that agree.

    Counts at the other level of comparison end in its name, such as "claims matched by character".
    """
    counts: NamedCounts = Counter()
    values: NamedLists = {}
    for level in LEVELS:
        match = match_claims(gold.spans, predicted, _sentences(documents), program.threshold, level)
        is_own_level = level == program.level
        for part in PARTS:
            matches = getattr(match, part)
            for name in ("matched", "predicted", "gold"):
                counts[f"{part} {name}" if is_own_level else f"{part} {name} by {level}"] += getattr(matches, name)
        if is_own_level:
            counts.update(_agreement(gold, predicted, match))
            counts.update(_statements(gold, predicted, match, _matcher(documents, program), program))
            counts.update(_common_words(gold, predicted, match))
            values = _gaps(match)
    return KeyComparison(counts, values)


def empty_counts(key: Key) -> dict[str, float]:
    """The counts of a question without an answer. Evidence counts once for each passage of the key."""
    if isinstance(key.answer, Text):
        return {}
    assert isinstance(key.answer, LinkedSpans)
    if ClaimsProgram.parse(key).task == "evidence":
        return {"labels": 1.0, "finding evidence gold": 1.0}
    spans = key.answer.spans
    gold = {
        "claims": len(spans),
        "evidence": len({passage for span in spans for passage in span.linked}),
        "links": sum(max(1, len(span.links)) for span in spans),
    }
    other = next(level for level in LEVELS if level != ClaimsProgram.parse(key).level)
    return {f"{part} gold{end}": float(count) for part, count in gold.items() for end in ("", f" by {other}")}


def compare_finding(
    gold: LinkedSpans, label: str, passages: Sequence[Passage], documents: Documents, program: ClaimsProgram
) -> NamedCounts:
    """The counts of a predicted label and its evidence. The passages of the key are alternatives: one is enough."""
    matcher = _matcher(documents, program)
    gold_passages = [span.passage for span in gold.spans]
    matched = sum(
        any(matcher.overlap(passage, gold_passage) >= program.threshold for gold_passage in gold_passages)
        for passage in passages
    )
    counts: NamedCounts = Counter()
    counts["labels"] = 1
    counts["labels correct"] = int(label == gold.spans[0].attributes.get(LABEL))
    counts[f"{FINDING} gold"] = 1
    counts[f"{FINDING} found"] = int(matched > 0)
    counts[f"{FINDING} matched"] = matched
    counts[f"{FINDING} predicted"] = len(passages)
    return counts


def _matcher(documents: Documents, program: ClaimsProgram) -> SpanMatcher:
    return SpanMatcher(SentenceIndex(_sentences(documents)), program.threshold, cast(MatchLevel, program.level))


def f1(counts: Mapping[str, float], part: str) -> float:
    """The F1 of claims, evidence or links; 1 if there is nothing to find and nothing was predicted.

    Where passages are alternatives, recall is the share of questions with one of them.
    """
    matched, predicted, gold = (counts.get(f"{part} {name}", 0) for name in ("matched", "predicted", "gold"))
    if not predicted and not gold:
        return 1.0
    precision = matched / predicted if predicted else 0.0
    recall = counts.get(f"{part} found", matched) / gold if gold else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _sentences(documents: Documents) -> Callable[[DocumentId], Sequence[Span]]:
    return lambda id: units(documents[id]) if id in documents else ()


def _gaps(match: ClaimMatch) -> NamedLists:
    """Distances between claims and their evidence in sentences."""
    gaps_by_name = {GAP: match.matched_gaps, ALL_GAPS: match.predicted_gaps, KEY_GAPS: match.gold_gaps}
    return {name: tuple(map(float, distances)) for name, distances in gaps_by_name.items() if distances}


def _agreement(gold: LinkedSpans, predicted: Sequence[LinkedSpan], match: ClaimMatch) -> NamedCounts:
    """How many attributes of matched claims and links the key has, and how many of them agree."""
    counts: NamedCounts = Counter()
    for part in _matched_parts(gold, predicted, match):
        predicted_values, expected = part.predicted.attributes, part.gold.attributes
        for name in part.closed_attributes:
            if name in expected:
                counts[f"{part.kind} {name} compared"] += 1
                counts[f"{part.kind} {name} agrees"] += predicted_values.get(name) == expected[name]
        if "justified" in expected:
            is_denied, is_unjustified = predicted_values.get("justified") == "no", expected["justified"] == "no"
            counts.update({f"{UNJUSTIFIED} predicted": is_denied, f"{UNJUSTIFIED} gold": is_unjustified})
            counts[f"{UNJUSTIFIED} matched"] += is_denied and is_unjustified
        if (reason := expected.get("no_evidence_reason")) in REASONS:
            counts[f"{NO_EVIDENCE} compared"] += 1
            counts[f"{NO_EVIDENCE} agrees"] += _reasons_in(predicted_values.get("no_evidence_reason", "")) == {reason}
    return counts


def _reasons_in(text: str) -> set[str]:
    """The reasons that a text names."""
    return set(REASONS).intersection(WORD.findall(text.lower()))


def _statements(
    gold: LinkedSpans, predicted: Sequence[LinkedSpan], match: ClaimMatch, matcher: SpanMatcher, program: ClaimsProgram
) -> NamedCounts:
    """The statements about matched claims and links, and how many of them match.

    Planted claims are known to have no other conclusions and limitations. Annotators may not have looked for them, so
    that what is predicted counts only where they marked one.
    """
    counts: NamedCounts = Counter()
    for part in _matched_parts(gold, predicted, match):
        name = STATEMENTS[part.kind]
        predicted_passage, gold_passage = part.predicted.stated.get(name), part.gold.stated.get(name)
        if gold_passage is not None or program.annotator == PLANTED:
            counts.update(
                {f"{name} predicted": predicted_passage is not None, f"{name} gold": gold_passage is not None}
            )
        if predicted_passage is not None and gold_passage is not None:
            counts[f"{name} matched"] += matcher.overlap(predicted_passage, gold_passage) >= matcher.threshold
    return counts


def _common_words(gold: LinkedSpans, predicted: Sequence[LinkedSpan], match: ClaimMatch) -> NamedCounts:
    """The words of the texts that annotators wrote about matched claims and links, and how many a response has."""
    counts: NamedCounts = Counter()
    for part in _matched_parts(gold, predicted, match):
        for name in free_texts(part.gold):
            predicted_words, gold_words = (
                Counter(NormalizedWords.of(side.attributes.get(name, "")).forms) for side in (part.predicted, part.gold)
            )
            counts[f"{OWN_WORDS[name]} matched"] += (predicted_words & gold_words).total()
            counts[f"{OWN_WORDS[name]} predicted"] += predicted_words.total()
            counts[f"{OWN_WORDS[name]} gold"] += gold_words.total()
    return counts


class _MatchedPart(NamedTuple):
    """A predicted claim or piece of evidence, and the one of the key that it matches."""

    kind: str
    """Claim or evidence."""
    closed_attributes: Mapping[str, tuple[str, ...]]
    """The attributes that have one of a few values."""
    predicted: LinkedSpan | Link
    gold: LinkedSpan | Link


def _matched_parts(gold: LinkedSpans, predicted: Sequence[LinkedSpan], match: ClaimMatch) -> Iterator[_MatchedPart]:
    """The matched claims, then the matched evidence."""
    for pair in match.claim_pairs:
        yield _MatchedPart("claim", CLAIM_ATTRIBUTES, predicted[pair.predicted], gold.spans[pair.gold])
    for predicted_ref, gold_ref in match.link_pairs:
        if predicted_ref.link is not None and gold_ref.link is not None:
            predicted_link = predicted[predicted_ref.claim].links[predicted_ref.link]
            gold_link = gold.spans[gold_ref.claim].links[gold_ref.link]
            yield _MatchedPart("evidence", EVIDENCE_ATTRIBUTES, predicted_link, gold_link)
