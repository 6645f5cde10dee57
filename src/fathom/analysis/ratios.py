"""Ratios of counts and distributions over responses, with intervals clustered by context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fathom.analysis.findings import Estimate, MeasureSummary, Spread
from fathom.analysis.intervals import (
    ContextSums,
    FloatArray,
    IntArray,
    mean_estimate,
    mean_of_sums,
    share,
    share_of_sums,
)
from fathom.scoring.measures import RatioMeasure


def ratio_sums(measure: RatioMeasure, counts: Mapping[str, FloatArray], size: int) -> tuple[FloatArray, FloatArray]:
    """Numerators and denominators of questions from their counts, which are NaN where a question has none."""
    sides = []
    for side in (measure.top, measure.bottom):
        total = np.zeros(size)
        for name, weight in side.items():
            total += weight / measure.weight * np.nan_to_num(counts.get(name, np.zeros(size)))
        sides.append(total)
    return sides[0], sides[1]


def ratio_estimate(top: FloatArray, bottom: FloatArray, contexts: IntArray, is_share: bool) -> Estimate | None:
    """The ratio of the sums, with an interval clustered by context; None if the denominators are zero."""
    is_defined = bottom > 0
    if not is_defined.any():
        return None
    size = int(contexts.max()) + 1
    totals, counts = (
        np.bincount(contexts[is_defined], weights=side[is_defined], minlength=size).astype(float)
        for side in (top, bottom)
    )
    sums = ContextSums(totals[counts > 0], counts[counts > 0])
    estimate = share_of_sums(sums, binary=True) if is_share else mean_of_sums(sums)
    # The sums are over claims, pairs or quotes; questions are what was asked.
    return estimate.model_copy(update={"items": int(is_defined.sum())})


def mean_ratio(top: FloatArray, bottom: FloatArray, contexts: IntArray, is_share: bool) -> Estimate | None:
    """The mean of the questions' ratios, over the questions that have one."""
    is_defined = bottom > 0
    if not is_defined.any():
        return None
    return (share if is_share else mean_estimate)(top[is_defined] / bottom[is_defined], contexts[is_defined])


def linearize(top: FloatArray, bottom: FloatArray) -> FloatArray:
    """Values of questions whose mean is the ratio of the sums, and whose variance is that of the ratio."""
    if not bottom.sum():
        return np.zeros(len(top))
    ratio = top.sum() / bottom.sum()
    return np.asarray(ratio + (top - ratio * bottom) / bottom.mean())


def summarize_measures(
    measures: Sequence[RatioMeasure], counts: Mapping[str, FloatArray], contexts: IntArray
) -> tuple[MeasureSummary, ...]:
    """The micro and macro average of every measure that has counts."""
    summaries = []
    for measure in measures:
        top, bottom = ratio_sums(measure, counts, len(contexts))
        micro, macro = (average(top, bottom, contexts, measure.is_share) for average in (ratio_estimate, mean_ratio))
        if micro is not None and macro is not None:
            summaries.append(
                MeasureSummary(
                    name=measure.name,
                    is_share=measure.is_share,
                    less_is_better=measure.less_is_better,
                    micro=micro,
                    macro=macro,
                    numerator=float(top.sum()),
                    denominator=float(bottom.sum()),
                )
            )
    return tuple(summaries)


def spread(numbers: Sequence[float]) -> Spread | None:
    """Quartiles, mean and variance of some numbers; None without any."""
    if not len(numbers):
        return None
    values = np.asarray(numbers, dtype=float)
    p25, median, p75 = (float(quantile) for quantile in np.percentile(values, (25, 50, 75)))
    reach = 1.5 * (p75 - p25)
    inside = values[(values >= p25 - reach) & (values <= p75 + reach)]
    return Spread(
        count=len(values),
        mean=float(values.mean()),
        # The variance of a sample, which is unknown for a single value.
        variance=float(values.var(ddof=1)) if len(values) > 1 else 0.0,
        min=float(values.min()),
        p25=p25,
        median=median,
        p75=p75,
        max=float(values.max()),
        whisker_low=min(float(inside.min()), p25),
        whisker_high=max(float(inside.max()), p75),
    )
