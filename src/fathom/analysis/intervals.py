"""Confidence intervals clustered by context: questions about one context are not independent.

The methods were chosen by simulation (`benchmarks/coverage.py`, docs/analysis.md): with few contexts a percentile
bootstrap has too low coverage, and so does any interval that treats questions as independent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from fathom.analysis.findings import Estimate

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

LEVEL = 0.95
DEFAULT_CORRELATION = 0.2
"""Intraclass correlation that is assumed if all questions have the same outcome, so none can be estimated."""
PSEUDO_COUNT = 3.0
"""Weight, in questions of the rarer outcome, of a design effect with the default correlation."""
MIN_DESIGN_EFFECT = 0.8
"""Lower bound of the estimated design effect of values that are all 0 or 1."""


@lru_cache(maxsize=4_096)
def t_quantile(freedom: float) -> float:
    """The two-sided quantile of Student's t distribution at the level of all intervals."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + LEVEL / 2))


def t_tail(statistic: float, freedom: float) -> float:
    """The two-sided p-value of a t statistic."""
    from scipy.special import stdtr

    return float(min(1.0, 2 * stdtr(freedom, -abs(statistic))))


@dataclass(frozen=True)
class ContextSums:
    """Sums of values by context: all that an interval needs."""

    totals: FloatArray
    counts: FloatArray

    @classmethod
    def of(cls, values: FloatArray, contexts: IntArray) -> ContextSums:
        """`contexts` has the context number of each value; unused numbers are dropped."""
        size = int(contexts.max()) + 1 if len(contexts) else 0
        counts = np.bincount(contexts, minlength=size).astype(float)
        totals = np.bincount(contexts, weights=values, minlength=size).astype(float)
        nonempty = counts > 0
        return cls(totals[nonempty], counts[nonempty])

    @property
    def items(self) -> int:
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        return float(self.totals.sum() / self.counts.sum())

    def estimate(self, value: float, low: float, high: float, effective: float, method: str) -> Estimate:
        """An estimate over these questions and contexts."""
        items, clusters = self.items, len(self.counts)
        return Estimate(
            value=value, low=low, high=high, items=items, clusters=clusters, effective=effective, method=method
        )


@dataclass(frozen=True)
class ClusteredError:
    """The variance of a mean and its degrees of freedom."""

    variance: float
    freedom: float


def clustered_error(sums: ContextSums) -> ClusteredError:
    """The cluster-robust variance of the mean, corrected for few clusters (CR2)."""
    weights = sums.counts / sums.counts.sum()
    if len(weights) < 2:
        return ClusteredError(float("inf"), 1.0)
    residuals = (sums.totals - sums.mean * sums.counts) / np.sqrt(1 - weights)
    variance = float((residuals**2).sum() / sums.counts.sum() ** 2)
    return ClusteredError(variance, _freedom(sums.counts, weights))


def _freedom(counts: FloatArray, weights: FloatArray) -> float:
    """Satterthwaite's degrees of freedom: fewer than contexts minus one if contexts differ in size.

    The intraclass correlation is unknown, so the smaller of the values for correlations 0 and 1 is used.
    """
    total = counts.sum()
    scale = weights**2 / (1 - weights)
    trace = (scale * (1 / counts - 1 / total)).sum()
    square = (scale**2 * (1 / counts**2 - 2 / (counts * total))).sum() + scale.sum() ** 2 / total**2
    independent = trace**2 / square if square > 0 else len(weights) - 1
    identical = (weights**2).sum() ** 2 / (weights**4).sum() - 1
    return float(max(1.0, min(independent, identical, len(weights) - 1)))


def cluster_numbers(names: Iterable[str]) -> IntArray:
    """A number for each name, the same for the same name."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)


def share(values: FloatArray, contexts: IntArray) -> Estimate:
    """The mean of values between 0 and 1 with a clustered Wilson interval, which never has zero width."""
    return share_of_sums(ContextSums.of(values, contexts), bool(np.isin(values, (0.0, 1.0)).all()))


def share_of_sums(sums: ContextSums, binary: bool) -> Estimate:
    """The same from sums by context; `binary` if each value is 0 or 1."""
    items = sums.items
    if not items:
        return sums.estimate(0.0, 0.0, 1.0, 0.0, "none")
    mean, error = sums.mean, clustered_error(sums)
    design = _Design(mean, items, items / len(sums.counts), error.variance)
    effective = items / _design_effect(design, binary)
    low, high = wilson(mean, effective, t_quantile(error.freedom))
    return sums.estimate(mean, low, high, effective, "clustered Wilson")


@dataclass(frozen=True)
class _Design:
    """The inputs of a design effect."""

    mean: float
    items: float
    """Questions; with unequal weights, Kish's effective number."""
    per_context: float
    variance: float


def _design_effect(design: _Design, binary: bool) -> float:
    """The design effect: the variance relative to independent questions.

    Near 0% and 100% the estimate depends on few questions and correlates with the mean; the pseudo-count with the
    default correlation keeps it from being too small. At 0% and 100% only the default is left.
    """
    mean, items = design.mean, design.items
    default = 1 + max(0.0, design.per_context - 1) * DEFAULT_CORRELATION
    spread = mean * (1 - mean)
    if design.variance == float("inf") or spread < 1e-12:
        return default
    rare = items * min(mean, 1 - mean)
    effect = (rare * design.variance * items / spread + PSEUDO_COUNT * default) / (rare + PSEUDO_COUNT)
    # An effect well below 1 is sampling noise: contexts that happen to balance each other.
    return max(effect, MIN_DESIGN_EFFECT) if binary else max(effect, 1e-6)


def wilson(mean: float, size: float, quantile: float) -> tuple[float, float]:
    """Wilson's score interval."""
    square = quantile**2 / size
    middle = (mean + square / 2) / (1 + square)
    half = quantile / (1 + square) * float(np.sqrt(mean * (1 - mean) / size + square / (4 * size)))
    low = 0.0 if mean <= 0 else max(0.0, middle - half)
    high = 1.0 if mean >= 1 else min(1.0, middle + half)
    return min(low, mean), max(high, mean)


def difference(values: FloatArray, contexts: IntArray) -> Estimate:
    """The mean of paired differences between -1 and 1 with a t interval, which never has zero width."""
    sums = ContextSums.of(values, contexts)
    items = sums.items
    if not items:
        return sums.estimate(0.0, -1.0, 1.0, 0.0, "none")
    mean, error = sums.mean, clustered_error(sums)
    # The correction of Agresti and Min for pairs: half a question more in each direction, since a few discordant pairs
    # say little about the variance.
    correction = 1.0 / (items + 2) ** 2
    if error.variance == float("inf"):
        low, high, effective = -1.0, 1.0, 1.0
    else:
        half = t_quantile(error.freedom) * float(np.sqrt(error.variance + correction))
        low, high = max(-1.0, mean - half), min(1.0, mean + half)
        plain = float(((values - mean) ** 2).mean())
        effective = min(float(items), plain / error.variance) if error.variance > 0 else float(items)
    return sums.estimate(mean, low, high, effective, "t over contexts")


def mean_estimate(values: FloatArray, contexts: IntArray) -> Estimate:
    """The mean of values of any size, such as tokens, with a t interval; without one if there is one context."""
    sums = ContextSums.of(values, contexts)
    low, high, method = _t_interval(sums.mean, clustered_error(sums), bool((values >= 0).all()))
    return sums.estimate(sums.mean, low, high, float(sums.items), method)


def mean_of_sums(sums: ContextSums) -> Estimate:
    """The ratio of sums by context with a t interval; without one if there is one context."""
    low, high, method = _t_interval(sums.mean, clustered_error(sums), bool((sums.totals >= 0).all()))
    return sums.estimate(sums.mean, low, high, float(sums.items), method)


def _t_interval(value: float, error: ClusteredError, positive: bool) -> tuple[float, float, str]:
    """The ends of the interval, and the method."""
    if error.variance == float("inf"):
        return value, value, "none"
    half = t_quantile(error.freedom) * float(np.sqrt(error.variance))
    return max(0.0, value - half) if positive else value - half, value + half, "t over contexts"


def macro_average(values: FloatArray, contexts: IntArray, groups: list[BoolArray], bounded: bool = True) -> Estimate:
    """The unweighted mean over groups of questions; `bounded` if each value is between 0 and 1."""
    size = int(contexts.max()) + 1
    weights, residuals, mean = np.zeros(len(values)), np.zeros(len(values)), 0.0
    largest_share = np.zeros(size)
    for group in groups:
        group_mean, weight = float(values[group].mean()), 1 / (group.sum() * len(groups))
        mean += group_mean / len(groups)
        weights[group] += weight
        residuals[group] += weight * (values[group] - group_mean)
        largest_share = np.maximum(largest_share, np.bincount(contexts[group], minlength=size) / group.sum())
    # Only questions in a group count: 80 questions without a level and 16 with one are 16, not 96.
    inside = weights > 0
    plain = (share if bounded else mean_estimate)(values[inside], contexts[inside])
    by_context = np.bincount(contexts, weights=weights, minlength=size)
    pull = np.bincount(contexts, weights=residuals, minlength=size)[by_context > 0]
    # The leverage of a context that makes up a whole group is 1; its residual is not divided by zero.
    variance = (
        float((pull**2 / np.maximum(1 - largest_share[by_context > 0], 1e-3)).sum()) if len(pull) > 1 else float("inf")
    )
    by_context = by_context[by_context > 0]
    freedom = max(1.0, float((by_context**2).sum() ** 2 / (by_context**4).sum()) - 1)
    if not bounded:
        low, high, method = _t_interval(mean, ClusteredError(variance, freedom), bool((values >= 0).all()))
        return plain.model_copy(update={"value": mean, "low": low, "high": high, "method": method})
    design = _Design(mean, 1 / float((weights**2).sum()), plain.items / plain.clusters, variance)
    effective = design.items / _design_effect(design, False)
    low, high = wilson(mean, effective, t_quantile(freedom))
    return plain.model_copy(update={"value": mean, "low": low, "high": high, "effective": effective})


def ratio_lost(upper: FloatArray, lower: FloatArray, contexts: IntArray) -> Estimate | None:
    """One minus the ratio of two means over the same questions: the share lost; None if `upper` is zero."""
    above, below = ContextSums.of(upper, contexts), ContextSums.of(lower, contexts)
    clusters = len(above.counts)
    upper_total = float(above.totals.sum())
    if upper_total <= 0:
        return None
    ratio = float(below.totals.sum()) / upper_total
    lost = 1 - ratio
    if clusters < 2:
        return above.estimate(max(-1.0, lost), -1.0, 1.0, 1.0, "none")
    pull = (below.totals - ratio * above.totals) / upper_total
    # The last term is the variance of half a question: a sample without a loss does not prove a rate of zero.
    variance = float((pull**2).sum()) * clusters / (clusters - 1) + 1 / (upper_total + 2) ** 2
    half = t_quantile(clusters - 1.0) * float(np.sqrt(variance))
    effective = max(1.0, abs(lost * ratio) / variance)
    return above.estimate(lost, max(-1.0, lost - half), min(1.0, lost + half), effective, "t over contexts, ratio")


def jackknife(
    rows: FloatArray, statistic: Callable[[FloatArray], float | None], items: int, weight: float
) -> Estimate | None:
    """A coefficient between -1 and 1 of rows, one for each cluster, with a t interval from leaving out each in turn.

    `statistic` returns None where the coefficient is undefined. `weight` is the number of items on which it depends.
    """
    value = statistic(rows)
    clusters = len(rows)
    if value is None:
        return None
    leave_one_out = [statistic(np.delete(rows, number, axis=0)) for number in range(clusters)] if clusters > 1 else []
    values = np.array([statistic_value for statistic_value in leave_one_out if statistic_value is not None])
    low, high, effective, method = -1.0, 1.0, 1.0, "none"
    if len(values) > 1:
        size = len(values)
        # The last term is the variance of one item: perfect agreement on a few items is still uncertain.
        variance = (size - 1) / size * float(((values - values.mean()) ** 2).sum()) + 1 / (weight + 2) ** 2
        half = t_quantile(size - 1.0) * float(np.sqrt(variance))
        low, high = max(-1.0, value - half), min(1.0, value + half)
        effective, method = float(size), "jackknife over clusters"
    return Estimate(value=value, low=low, high=high, items=items, clusters=clusters, effective=effective, method=method)


# Bootstrap, for statistics without a formula.

MAX_CELLS = 1_000_000
"""Resamples times contexts that are computed at once, to bound memory."""


def batch_sizes(rounds: int, clusters: int) -> Iterator[int]:
    """The numbers of rounds that are computed at once.

    They are multiples of four: a generator makes four small numbers at once, so the sizes do not change the numbers.
    """
    size = max(4, MAX_CELLS // max(1, clusters) // 4 * 4)
    return (min(size, rounds - start) for start in range(0, rounds, size))


def draws(clusters: int, resamples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """How often each context is drawn in each resample, in batches."""
    return (_draw_counts(clusters, size, rng) for size in batch_sizes(resamples, clusters))


def _draw_counts(clusters: int, rounds: int, rng: np.random.Generator) -> FloatArray:
    """Counts of drawn indices, in a tenth of the time of a multinomial draw."""
    indices = rng.integers(0, clusters, size=(rounds, clusters), dtype=np.int32)
    bins = indices + np.arange(0, rounds * clusters, clusters, dtype=np.int64)[:, None]
    counts: FloatArray = np.bincount(bins.ravel(), minlength=rounds * clusters).reshape(rounds, clusters).astype(float)
    return counts
