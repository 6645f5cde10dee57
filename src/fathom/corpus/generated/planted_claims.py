"""Plans the claims of a generated article beyond its experiments, and says what is true of each claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from fathom.corpus.generated.experiments import Experiment
from fathom.corpus.generated.lexicon import Phrase
from fathom.records.documents import Claim, Evidence
from fathom.records.spans import Span

OtherClaim = Literal["methodology", "result", "contribution", "belief"]
ClaimTopic = int | OtherClaim
"""What a claim is about: the comparison of an experiment, by its number, or something else."""

BELIEF = "the article does not test what it expects"
PRIORITY = "the article does not compare itself with all earlier work"
"""Why a claim has no evidence."""
ONE_REPETITION = "a single repetition"
"""The limitation of evidence that contradicts a claim."""


@dataclass(frozen=True)
class ClaimPlan:
    """Which claims an article makes beyond the comparisons of its experiments."""

    contested: frozenset[int]
    """Experiments of which one repetition contradicts the rest."""
    methodology: bool
    contribution: bool
    compared: tuple[Experiment, Phrase, Phrase] | None
    """An experiment with two of its data sets, of which the article says on which one its method has more."""


def plan_claims(rng: Random, experiments: Sequence[Experiment]) -> ClaimPlan:
    """A random plan."""
    contested = frozenset(one.number for one in experiments if rng.random() < 0.15)
    methodology, contribution, wanted = (rng.random() < share for share in (0.5, 0.5, 0.5))
    pairs = [pair for one in experiments if (pair := _two_columns(one, experiments)) is not None]
    return ClaimPlan(contested, methodology, contribution, rng.choice(pairs) if pairs and wanted else None)


def _two_columns(experiment: Experiment, experiments: Sequence[Experiment]) -> tuple[Experiment, Phrase, Phrase] | None:
    """Two data sets whose values of the quantity are printed in tables alone: the evidence is then those tables."""
    told = {one.material for one in experiments if one.quantity == experiment.quantity}
    free = [column for column in experiment.columns if column not in told]
    return (experiment, free[0], free[1]) if len(free) > 1 else None


def measured(span: Span) -> Evidence:
    """A sentence or table with the values that a claim compares, or a sentence that says what was done."""
    return Evidence(span=span, type="primary", strength="strong")


def checked(span: Span) -> Evidence:
    """A sentence on the stability of a difference."""
    return Evidence(span=span, type="secondary", strength="moderate")


def contradicting(span: Span) -> Evidence:
    """A sentence on a repetition with the opposite result."""
    return Evidence(span=span, polarity="contradicts", type="secondary", strength="weak", limitations=ONE_REPETITION)


def claim(topic: ClaimTopic, span: Span, evidence: Sequence[Evidence]) -> Claim:
    """A claim with what is true of it.

    It is justified if it has evidence and none contradicts it, and its support is robust if it was checked as well.
    """
    contested = any(one.polarity == "contradicts" for one in evidence)
    was_checked = any(one.type == "secondary" for one in evidence)
    reasons = {"belief": BELIEF, "contribution": PRIORITY}
    return Claim(
        span=span,
        evidence=tuple(evidence),
        type="performance" if isinstance(topic, int) else None if topic == "belief" else topic,
        robustness="low" if contested or not evidence else "high" if was_checked else "medium",
        no_evidence_reason="" if isinstance(topic, int) else reasons.get(topic, ""),
        justified=bool(evidence) and not contested,
    )
