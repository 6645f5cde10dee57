"""Accuracy by context length, and the effective length: the longest at which a run keeps its accuracy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fathom.analysis.findings import Baseline, EffectiveLength, LengthCurve, LengthPoint, RunSummary
from fathom.analysis.intervals import LEVEL, ContextSums, FloatArray, IntArray, draws

THRESHOLD = 0.85
"""Share of the accuracy at the shortest length."""
MIN_CONTEXTS = 5
"""Contexts per length below which there is no interval: a bootstrap of one context has no spread."""


def curve(
    points: Sequence[LengthPoint],
    values: Sequence[FloatArray],
    contexts: Sequence[IntArray],
    resamples: int,
    rng: np.random.Generator,
) -> LengthCurve:
    """The curve from the shortest length to the longest, with the effective length if there are two or more."""
    if len(points) < 2:
        return LengthCurve(points=tuple(points), effective=None, families=())
    sums = [
        ContextSums.of(length_values, length_contexts)
        for length_values, length_contexts in zip(values, contexts, strict=True)
    ]
    means = np.array([length_sums.mean for length_sums in sums])[None, :]
    reached = int(_last_above_threshold(means)[0])
    tokens = np.array([point.tokens for point in points])
    low, high = _bootstrap_interval(sums, tokens, resamples, rng)
    shortest = float(means[0, 0])
    return LengthCurve(
        points=tuple(points),
        effective=EffectiveLength(
            threshold=THRESHOLD,
            shortest=points[0].name,
            accuracy_at_shortest=shortest,
            length=points[reached].name if reached >= 0 else None,
            tokens=int(tokens[reached]) if reached >= 0 else 0,
            low=low,
            high=high,
            reaches_longest=reached == len(points) - 1,
            note=_note(points, reached, shortest),
        ),
        families=(),
    )


def without_effective_length(run: RunSummary, baselines: Sequence[Baseline]) -> RunSummary:
    """The summary without an effective length if the run is no better than a baseline that reads no context.

    Such a run may keep its accuracy at any length, since it does not depend on what is shown.
    """
    context_free = [baseline for baseline in baselines if baseline.bench == run.info.bench and baseline.run is None]
    best = max(context_free, key=lambda baseline: baseline.accuracy.value, default=None)
    effective, accuracy = run.lengths.effective, run.overall.accuracy.value
    if effective is None or best is None or accuracy > best.accuracy.value:
        return run
    note = (
        f"Accuracy ({accuracy:.1%}) is not above the baseline '{best.name}' ({best.accuracy.value:.1%}), "
        "so there is no effective length."
    )
    changed: dict[str, object] = {"length": None, "tokens": 0, "low": None, "high": None, "reaches_longest": False}
    lengths = run.lengths.model_copy(update={"effective": effective.model_copy(update={**changed, "note": note})})
    return run.model_copy(update={"lengths": lengths})


def _bootstrap_interval(
    sums: Sequence[ContextSums], tokens: IntArray, resamples: int, rng: np.random.Generator
) -> tuple[int, int] | tuple[None, None]:
    """The interval of the effective length, from a bootstrap over contexts."""
    resampled = np.stack([_resampled_means(length_sums, resamples, rng) for length_sums in sums], axis=1)
    if min(len(length_sums.counts) for length_sums in sums) < MIN_CONTEXTS:
        return None, None
    lengths = np.where(
        _last_above_threshold(resampled) >= 0, tokens[np.maximum(_last_above_threshold(resampled), 0)], 0
    )
    low, high = np.quantile(lengths, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], method="inverted_cdf")
    return int(low), int(high)


def _resampled_means(sums: ContextSums, resamples: int, rng: np.random.Generator) -> FloatArray:
    return np.concatenate(
        [(piece @ sums.totals) / (piece @ sums.counts) for piece in draws(len(sums.counts), resamples, rng)]
    )


def _last_above_threshold(means: FloatArray) -> IntArray:
    """For each row, the index of the last length up to which all are above the threshold; -1 if the first is zero."""
    is_above = means >= THRESHOLD * means[:, :1] - 1e-12
    first_below = np.where(is_above.all(axis=1), means.shape[1], np.argmin(is_above, axis=1))
    last: IntArray = np.where(means[:, 0] > 0, first_below - 1, -1)
    return last


def _note(points: Sequence[LengthPoint], reached: int, shortest: float) -> str:
    if reached < 0:
        return f"Accuracy is zero at {points[0].name}, so there is no effective length."
    threshold = f"at least {THRESHOLD:.0%} of its accuracy at {points[0].name} ({shortest:.1%})"
    if reached == len(points) - 1:
        return f"At {points[reached].name}, the longest length tested, it keeps {threshold}."
    return f"It keeps {threshold} up to {points[reached].name}, but not at {points[reached + 1].name}."
