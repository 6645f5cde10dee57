"""Intervals for questions that were drawn by the context: what is asked of one context stands and falls together.

The choices here were made by simulation (`benchmarks/coverage.py`, docs/analysis.md): with few contexts a percentile
bootstrap covers too seldom, and so does any interval that takes questions for independent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fathom.analysis.findings import Estimate

Values = NDArray[np.float64]
Numbers = NDArray[np.int64]

LEVEL = 0.95
ASSUMED_LIKENESS = 0.2
"""How alike a context's questions are taken to be where all came out the same, and nothing can be estimated."""
IMAGINED = 3.0
"""Questions that are imagined to have come out as few did."""
LEAST_EFFECT = 0.8
"""The smallest design effect of answers that are right or wrong."""


@lru_cache(maxsize=4_096)
def t_quantile(level: float, freedom: float) -> float:
    """How many standard errors an interval of that level reaches to either side."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + level / 2))


def t_tail(statistic: float, freedom: float) -> float:
    """The chance of a statistic at least so far from zero, either way."""
    from scipy.special import stdtr

    return float(min(1.0, 2 * stdtr(freedom, -abs(statistic))))


@dataclass(frozen=True)
class Sums:
    """Values added up by context: all that an interval needs."""

    totals: Values
    counts: Values

    @classmethod
    def of(cls, values: Values, contexts: Numbers) -> Sums:
        """`contexts` numbers each value's context; numbers that do not occur are left out."""
        size = int(contexts.max()) + 1 if len(contexts) else 0
        counts = np.bincount(contexts, minlength=size).astype(float)
        totals = np.bincount(contexts, weights=values, minlength=size).astype(float)
        kept = counts > 0
        return cls(totals[kept], counts[kept])

    @property
    def items(self) -> int:
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        return float(self.totals.sum() / self.counts.sum())


@dataclass(frozen=True)
class Error:
    """How far off a mean may be."""

    variance: float
    freedom: float


def clustered_error(sums: Sums) -> Error:
    """The variance of the mean with contexts as the unit, without the bias that few of them bring."""
    weights = sums.counts / sums.counts.sum()
    if len(weights) < 2:
        return Error(float("inf"), 1.0)
    # Each context pulls the mean towards itself by its weight; undoing that is what is known as CR2.
    pulled = (sums.totals - sums.mean * sums.counts) / np.sqrt(1 - weights)
    variance = float((pulled**2).sum() / sums.counts.sum() ** 2)
    return Error(variance, _freedom(sums.counts, weights))


def _freedom(counts: Values, weights: Values) -> float:
    """Degrees of freedom: fewer than the contexts less one where some are much larger than others.

    Satterthwaite's, for questions that are independent and for questions of a context that are all alike: how alike
    they are is not known, so the smaller of the two is taken.
    """
    total = counts.sum()
    scale = weights**2 / (1 - weights)
    trace = (scale * (1 / counts - 1 / total)).sum()
    square = (scale**2 * (1 / counts**2 - 2 / (counts * total))).sum() + scale.sum() ** 2 / total**2
    apart = trace**2 / square if square > 0 else len(weights) - 1
    alike = (weights**2).sum() ** 2 / (weights**4).sum() - 1
    return float(max(1.0, min(apart, alike, len(weights) - 1)))


def share(values: Values, contexts: Numbers, level: float = LEVEL) -> Estimate:
    """The mean of values between 0 and 1, with an interval that stays there and never has no width."""
    return share_of_sums(Sums.of(values, contexts), bool(np.isin(values, (0.0, 1.0)).all()), level)


def share_of_sums(sums: Sums, all_or_nothing: bool, level: float = LEVEL) -> Estimate:
    """The same from sums by context; `all_or_nothing` where each value is 0 or 1."""
    items = sums.items
    if not items:
        return Estimate(value=0.0, low=0.0, high=1.0, level=level, items=0, clusters=0, effective=0.0, method="none")
    mean, error = sums.mean, clustered_error(sums)
    counted = _Counted(mean, items, items / len(sums.counts), error.variance)
    effective = items / _design_effect(counted, all_or_nothing)
    low, high = wilson(mean, effective, t_quantile(level, error.freedom))
    return Estimate(
        value=mean,
        low=low,
        high=high,
        level=level,
        items=items,
        clusters=len(sums.counts),
        effective=effective,
        method="clustered Wilson",
    )


@dataclass(frozen=True)
class _Counted:
    """What a design effect is told from."""

    mean: float
    items: float
    """Questions; where they weigh differently, as many as would say as much with equal weights (Kish)."""
    each: float
    """Questions a context."""
    variance: float


def _design_effect(counted: _Counted, all_or_nothing: bool) -> float:
    """How many times as many questions it takes as if they were independent.

    Where nearly all came out the same the estimate rests on the few others, and hangs together with the mean: three
    imagined ones that are as alike as is usual keep it from promising too much. At 0% and 100% they are all there is.
    """
    mean, items = counted.mean, counted.items
    usual = 1 + max(0.0, counted.each - 1) * ASSUMED_LIKENESS
    spread = mean * (1 - mean)
    if counted.variance == float("inf") or spread < 1e-12:
        return usual
    rare = items * min(mean, 1 - mean)
    found = (rare * counted.variance * items / spread + IMAGINED * usual) / (rare + IMAGINED)
    # Contexts that happen to balance look better than independent questions; that much luck is not believed.
    return max(found, LEAST_EFFECT) if all_or_nothing else max(found, 1e-6)


def wilson(mean: float, size: float, reach: float) -> tuple[float, float]:
    """Wilson's interval: the shares that would not find the observed one surprising."""
    square = reach**2 / size
    middle = (mean + square / 2) / (1 + square)
    half = reach / (1 + square) * float(np.sqrt(mean * (1 - mean) / size + square / (4 * size)))
    low = 0.0 if mean <= 0 else max(0.0, middle - half)
    high = 1.0 if mean >= 1 else min(1.0, middle + half)
    return min(low, mean), max(high, mean)


def difference(values: Values, contexts: Numbers, level: float = LEVEL) -> Estimate:
    """The mean of differences between -1 and 1, with an interval by t; a mean of nothing but zeros has one too."""
    sums = Sums.of(values, contexts)
    items, clusters = sums.items, len(sums.counts)
    if not items:
        return Estimate(value=0.0, low=-1.0, high=1.0, level=level, items=0, clusters=0, effective=0.0, method="none")
    mean, error = sums.mean, clustered_error(sums)
    reach = t_quantile(level, error.freedom)
    # As if half a question more had gone each way: where nearly nothing differs, the few that do say little of the
    # spread. It is the correction of Agresti and Min for pairs.
    unseen = 1.0 / (items + 2) ** 2
    if error.variance == float("inf"):
        low, high, effective = -1.0, 1.0, 1.0
    else:
        half = reach * float(np.sqrt(error.variance + unseen))
        low, high = max(-1.0, mean - half), min(1.0, mean + half)
        plain = float(((values - mean) ** 2).mean())
        effective = min(float(items), plain / error.variance) if error.variance > 0 else float(items)
    return Estimate(
        value=mean,
        low=low,
        high=high,
        level=level,
        items=items,
        clusters=clusters,
        effective=effective,
        method="t over contexts",
    )


def unclustered(values: Values, level: float = LEVEL) -> tuple[float, float]:
    """What is usually printed: questions taken for independent. Kept to show how far that is off."""
    mean = float(values.mean())
    return wilson(mean, len(values), t_quantile(level, 1e9))


def macro(values: Values, contexts: Numbers, groups: list[NDArray[np.bool_]], level: float = LEVEL) -> Estimate:
    """The mean over groups of questions, each group counting the same, however many questions it has."""
    size = int(contexts.max()) + 1
    weights, rests, mean = np.zeros(len(values)), np.zeros(len(values)), 0.0
    heaviest = np.zeros(size)
    for group in groups:
        middle, each = float(values[group].mean()), 1 / (group.sum() * len(groups))
        mean += middle / len(groups)
        weights[group] += each
        rests[group] += each * (values[group] - middle)
        heaviest = np.maximum(heaviest, np.bincount(contexts[group], minlength=size) / group.sum())
    # Questions that are in no group say nothing here: with 80 that had no level beside 16 that had one, the interval
    # was as narrow as if all 96 had been asked.
    inside = weights > 0
    plain = share(values[inside], contexts[inside], level)
    held = np.bincount(contexts, weights=weights, minlength=size)
    pull = np.bincount(contexts, weights=rests, minlength=size)[held > 0]
    # A context that is all of some group would seem to have no spread; it is not let off so lightly.
    variance = float((pull**2 / np.maximum(1 - heaviest[held > 0], 1e-3)).sum()) if len(pull) > 1 else float("inf")
    held = held[held > 0]
    counted = _Counted(mean, 1 / float((weights**2).sum()), plain.items / plain.clusters, variance)
    effective = counted.items / _design_effect(counted, False)
    freedom = max(1.0, float((held**2).sum() ** 2 / (held**4).sum()) - 1)
    low, high = wilson(mean, effective, t_quantile(level, freedom))
    return plain.model_copy(update={"value": mean, "low": low, "high": high, "effective": effective})


def ratio_lost(upper: Values, lower: Values, contexts: Numbers, level: float = LEVEL) -> Estimate | None:
    """One minus the ratio of two means over the same questions: what is lost of what could have been had; None where
    nothing could."""
    above, below = Sums.of(upper, contexts), Sums.of(lower, contexts)
    clusters, items = len(above.counts), above.items
    whole = float(above.totals.sum())
    if whole <= 0:
        return None
    ratio = float(below.totals.sum()) / whole
    if clusters < 2:
        lost = max(-1.0, 1 - ratio)
        return Estimate(
            value=lost, low=-1.0, high=1.0, level=level, items=items, clusters=clusters, effective=1.0, method="none"
        )
    pull = (below.totals - ratio * above.totals) / whole
    # Half a question more that is lost, and half a one less: a loss that was never seen is not known to be none.
    variance = float((pull**2).sum()) * clusters / (clusters - 1) + 1 / (whole + 2) ** 2
    half = t_quantile(level, clusters - 1.0) * float(np.sqrt(variance))
    lost = 1 - ratio
    return Estimate(
        value=lost,
        low=max(-1.0, lost - half),
        high=min(1.0, lost + half),
        level=level,
        items=items,
        clusters=clusters,
        effective=max(1.0, abs(lost * ratio) / variance),
        method="t over contexts, ratio",
    )


# Drawing anew, for what has no formula.

AT_ONCE = 1_000
"""Resamples in one piece of memory."""


def draws(clusters: int, resamples: int, rng: np.random.Generator) -> list[Values]:
    """How often each context is drawn, for many resamples, in pieces."""
    sizes = (min(AT_ONCE, resamples - start) for start in range(0, resamples, AT_ONCE))
    return [_drawn(clusters, size, rng) for size in sizes]


def _drawn(clusters: int, rounds: int, rng: np.random.Generator) -> Values:
    """Counted from the drawn numbers themselves, which takes a tenth of the time of a multinomial draw."""
    drawn = rng.integers(0, clusters, size=(rounds, clusters), dtype=np.int32)
    places = drawn + np.arange(0, rounds * clusters, clusters, dtype=np.int64)[:, None]
    counts: Values = np.bincount(places.ravel(), minlength=rounds * clusters).reshape(rounds, clusters).astype(float)
    return counts


def paired_resamples(first: Sums, second: Sums, resamples: int, rng: np.random.Generator) -> Values:
    """The difference of two runs' means in many draws of contexts, both runs over the same draw."""
    gap = second.totals - first.totals
    return np.concatenate([(piece @ gap) / (piece @ first.counts) for piece in draws(len(gap), resamples, rng)])
