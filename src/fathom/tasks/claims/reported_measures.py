"""The measures that reports show: ratios of the counts of verdicts, and distances between claims and evidence."""

from __future__ import annotations

from collections.abc import Iterator

from fathom.records.quoted_claims import CLAIM_ATTRIBUTES, EVIDENCE_ATTRIBUTES
from fathom.scoring.measures import Distribution, MeasureFigures, PrecisionRecall, RatioMeasure
from fathom.tasks.claims.measures import (
    ALL_GAPS,
    FINDING,
    GAP,
    KEY_GAPS,
    LEVELS,
    NO_EVIDENCE,
    OWN_WORDS,
    STATEMENTS,
    UNJUSTIFIED,
)

SINGULAR = {"claims": "claim", "evidence": "evidence", "links": "link"}


def _precision_recall(part: str, end: str = "", summary: bool = False) -> Iterator[RatioMeasure]:
    name = SINGULAR.get(part, part)
    matched, predicted, gold = (f"{part} {side}{end}" for side in ("matched", "predicted", "gold"))
    yield RatioMeasure(f"{name} precision{end}", {matched: 1}, {predicted: 1})
    yield RatioMeasure(f"{name} recall{end}", {matched: 1}, {gold: 1})
    yield RatioMeasure(f"{name} F1{end}", {matched: 2}, {predicted: 1, gold: 1}, summary=summary)


def _agreement() -> Iterator[RatioMeasure]:
    for kind, attributes in (("claim", CLAIM_ATTRIBUTES), ("evidence", EVIDENCE_ATTRIBUTES)):
        for name in attributes:
            yield RatioMeasure(f"{kind} {name} accuracy", {f"{kind} {name} agrees": 1}, {f"{kind} {name} compared": 1})


MEASURES = (
    *(measure for part in SINGULAR for measure in _precision_recall(part, summary=True)),
    RatioMeasure("fabrication rate", {"quotes fabricated": 1}, {"quotes": 1}, summary=True, less_is_better=True),
    *_agreement(),
    *_precision_recall(UNJUSTIFIED),
    RatioMeasure(f"{NO_EVIDENCE} accuracy", {f"{NO_EVIDENCE} agrees": 1}, {f"{NO_EVIDENCE} compared": 1}),
    *(one for name in (*STATEMENTS.values(), *OWN_WORDS.values()) for one in _precision_recall(name)),
    RatioMeasure("label accuracy", {"labels correct": 1}, {"labels": 1}),
    RatioMeasure(f"{FINDING} precision", {f"{FINDING} matched": 1}, {f"{FINDING} predicted": 1}),
    RatioMeasure(f"{FINDING} recall", {f"{FINDING} found": 1}, {f"{FINDING} gold": 1}),
    RatioMeasure("level distance", {"level distance": 1}, {"levels": 1}, is_share=False, less_is_better=True),
    RatioMeasure("JSON repaired", {"responses repaired": 1}, {"responses in JSON": 1}, less_is_better=True),
    RatioMeasure(
        "passes without JSON",
        {"responses with a pass without JSON": 1},
        {"responses in JSON": 1},
        less_is_better=True,
    ),
    # A bench compares at one of the levels; the counts of the other one end in its name.
    *(one for level in LEVELS for part in SINGULAR for one in _precision_recall(part, f" by {level}")),
)

DISTRIBUTIONS = (Distribution(GAP, "sentences", KEY_GAPS), Distribution(ALL_GAPS, "sentences", KEY_GAPS))

FIGURES = MeasureFigures(
    precision_recall=(
        PrecisionRecall("claims", "claim precision", "claim recall"),
        PrecisionRecall("evidence", "evidence precision", "evidence recall"),
    ),
    best=("claim F1", "evidence F1", "link F1"),
    by_length=("claim recall", "evidence recall"),
    lengths=(15_000, 20_000),
)
