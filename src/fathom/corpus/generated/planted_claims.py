"""Plans the claims of a generated article beyond its experiments, and sets the attributes of each claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from fathom.corpus.generated.experiments import Experiment
from fathom.corpus.generated.lexicon import Phrase
from fathom.records.documents import Claim, Evidence, Level, NoEvidenceReason
from fathom.records.spans import Span

OtherClaim = Literal["methodology", "result", "contribution", "belief"]
ClaimTopic = int | OtherClaim
"""The subject of a claim: the comparison of an experiment, by its number, or another subject."""

CONCLUSIONS: Mapping[Level, str] = {
    "high": "conclusion_settled",
    "medium": "conclusion_likely",
    "low": "conclusion_open",
}
"""The role of the sentence in which the authors conclude on a comparison, by how sure they say they are."""


@dataclass(frozen=True)
class ClaimPlan:
    """Which claims an article makes beyond the comparisons of its experiments."""

    contested: frozenset[int]
    """Experiments in which one repetition contradicts the rest."""
    methodology: bool
    contribution: bool
    compared: tuple[Experiment, Phrase, Phrase] | None
    """An experiment with two of its data sets, of which the article says on which one its method has more."""
    concluded: Mapping[int, Level]
    """Experiments whose comparison the authors conclude on, with how sure they say they are."""
    limited: frozenset[int]
    """Experiments whose main table has a limitation that the article names."""


def plan_claims(rng: Random, experiments: Sequence[Experiment]) -> ClaimPlan:
    """A random plan."""
    contested = frozenset(experiment.number for experiment in experiments if rng.random() < 0.15)
    methodology, contribution, compares = (rng.random() < share for share in (0.5, 0.5, 0.5))
    pairs = [pair for experiment in experiments if (pair := _two_columns(experiment, experiments)) is not None]
    compared = rng.choice(pairs) if pairs and compares else None
    # Authors may be sure in spite of evidence against them.
    weights = {True: (3, 1, 3), False: (5, 3, 1)}
    concluded = {
        experiment.number: rng.choices(list(CONCLUSIONS), weights[experiment.number in contested])[0]
        for experiment in experiments
        if rng.random() < 0.6
    }
    limited = frozenset(experiment.number for experiment in experiments if rng.random() < 0.5)
    return ClaimPlan(contested, methodology, contribution, compared, concluded, limited)


def _two_columns(experiment: Experiment, experiments: Sequence[Experiment]) -> tuple[Experiment, Phrase, Phrase] | None:
    """Two data sets whose values of the quantity are printed in tables alone: the evidence is then those tables."""
    materials = {other.material for other in experiments if other.quantity == experiment.quantity}
    unmeasured = [column for column in experiment.columns if column not in materials]
    return (experiment, unmeasured[0], unmeasured[1]) if len(unmeasured) > 1 else None


def measured_evidence(span: Span) -> Evidence:
    """A sentence or table with the values that a claim compares, or a sentence that says what was done."""
    return Evidence(span=span, type="primary", strength="strong")


def checked_evidence(span: Span) -> Evidence:
    """A sentence on the stability of a difference."""
    return Evidence(span=span, type="secondary", strength="moderate")


def contradicting(span: Span) -> Evidence:
    """A sentence on a repetition with the opposite result."""
    return Evidence(span=span, polarity="contradicts", type="secondary", strength="weak")


@dataclass(frozen=True)
class Conclusion:
    """The authors' conclusion on a comparison."""

    text: str
    confidence: Level


def claim(topic: ClaimTopic, span: Span, evidence: Sequence[Evidence], conclusion: Conclusion | None = None) -> Claim:
    """A claim with its attributes.

    It is justified if it has evidence and none contradicts it, and its support is robust if it was checked as well.
    """
    contested = any(mark.polarity == "contradicts" for mark in evidence)
    was_checked = any(mark.type == "secondary" for mark in evidence)
    reasons: Mapping[ClaimTopic, NoEvidenceReason] = {"belief": "untested", "contribution": "asserted"}
    return Claim(
        span=span,
        evidence=tuple(evidence),
        type="performance" if isinstance(topic, int) else None if topic == "belief" else topic,
        robustness="low" if contested or not evidence else "high" if was_checked else "medium",
        confidence=conclusion.confidence if conclusion else None,
        no_evidence_reason=reasons.get(topic, ""),
        conclusion=conclusion.text if conclusion else "",
        justified=bool(evidence) and not contested,
    )
