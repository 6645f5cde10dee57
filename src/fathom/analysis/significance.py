"""Significance tests: permutation tests clustered by context, corrections for multiple tests, trends over years."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import erfc, sqrt

import numpy as np

from fathom.analysis.intervals import FloatArray, batch_sizes
from fathom.records.record import Record

MAX_EXACT = 12
"""Contexts up to which every exchange of signs is enumerated: 4,096 of them."""


def permutation_tests(totals: FloatArray, exchanges: int, rng: np.random.Generator) -> FloatArray:
    """Two-sided p-values, one per column of `totals`: differences between two runs, summed by context.

    Under the null hypothesis the two runs can be exchanged in each context. All columns share the same random signs,
    which costs little more than one column.
    """
    nonzero = (np.abs(totals) > 1e-12).sum(axis=0)
    observed = np.abs(totals.sum(axis=0)) - 1e-9
    reached = np.zeros(totals.shape[1])
    for size in batch_sizes(exchanges, len(totals)):
        flips = rng.integers(0, 2, size=(size, len(totals)), dtype=np.int8)
        reached += (np.abs((1.0 - 2.0 * flips) @ totals) >= observed).sum(axis=0)
    # The observed assignment is one of the permutations, so no p-value is ever zero.
    p_values: FloatArray = (reached + 1) / (exchanges + 1)
    for column in np.flatnonzero(nonzero <= MAX_EXACT):
        p_values[column] = _exact_test(totals[:, column])
    return p_values


def _exact_test(totals: FloatArray) -> float:
    """The same p-value from all sign assignments."""
    nonzero = totals[np.abs(totals) > 1e-12]
    if not len(nonzero):
        return 1.0
    signs = 1 - 2.0 * ((np.arange(2 ** len(nonzero))[:, None] >> np.arange(len(nonzero))) & 1)
    return float((np.abs(signs @ nonzero) >= abs(nonzero.sum()) - 1e-9).mean())


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values with Holm's correction, which controls the family-wise error rate."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    corrected, highest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, p_values[index] * (len(p_values) - rank)))
        corrected[index] = highest
    return corrected


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """P-values with the correction of Benjamini and Hochberg, which controls the false discovery rate."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index], reverse=True)
    corrected, lowest = [0.0] * len(p_values), 1.0
    for rank, index in enumerate(order):
        lowest = min(lowest, p_values[index] * len(p_values) / (len(p_values) - rank))
        corrected[index] = lowest
    return corrected


class Trend(Record):
    """A linear trend of a share over years (Cochran-Armitage test)."""

    slope: float
    """Change of the share per year."""
    z: float
    p: float
    """Two-sided."""


def trend(by_year: Mapping[int, tuple[int, int]]) -> Trend | None:
    """The trend of (hits, trials) by year; None with a single year, or if every trial has the same outcome."""
    trials = sum(of for _, of in by_year.values())
    hits = sum(hit for hit, _ in by_year.values())
    if not 0 < hits < trials:
        return None
    share = hits / trials
    mean = sum(year * of for year, (_, of) in by_year.items()) / trials
    spread = sum(of * (year - mean) ** 2 for year, (_, of) in by_year.items())
    if not spread:
        return None
    covariance = sum((year - mean) * (hit - of * share) for year, (hit, of) in by_year.items())
    z = covariance / sqrt(share * (1 - share) * spread)
    return Trend(slope=covariance / spread, z=z, p=erfc(abs(z) / sqrt(2)))
