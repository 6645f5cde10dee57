"""The error of a judge, measured on planted responses, and scores corrected for it.

A judge that passes a share `s` of what should pass and fails a share `t` of what should fail passes
`s p + (1 - t)(1 - p)` of the responses if a share `p` of them should pass. The corrected estimate solves this for `p`.
Its interval contains the sampling of questions, the chance of each decision, and the size of the calibration set
(`benchmarks/judges.py` measures its coverage).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, prod, sqrt

import numpy as np

from fathom.analysis.findings import Estimate
from fathom.analysis.intervals import ClusteredError, ContextSums, clustered_error, t_quantile, wilson
from fathom.records.documents import NonNegativeInt
from fathom.records.record import Record

MIN_SKILL = 0.2
"""Minimum of sensitivity + specificity - 1 for a correction; below it, a correction only multiplies noise."""


class JudgeError(Record):
    """The decisions of a judge on planted responses."""

    passed: NonNegativeInt
    """Responses without a fault that were passed."""
    correct: NonNegativeInt
    """Responses without a fault."""
    failed: NonNegativeInt
    """Responses with a fault that were failed."""
    faulty: NonNegativeInt
    """Responses with a fault."""
    unjudged: NonNegativeInt = 0
    """Planted responses without a decision; they are in none of the other counts."""

    @property
    def sensitivity(self) -> Estimate:
        """The share of responses without a fault that pass."""
        return _share(self.passed, self.correct)

    @property
    def specificity(self) -> Estimate:
        """The share of responses with a fault that fail."""
        return _share(self.failed, self.faulty)


def _share(count: int, total: int) -> Estimate:
    value = count / total if total else 0.0
    low, high = wilson(value, total, t_quantile(float("inf"))) if total else (0.0, 1.0)
    return Estimate(
        value=value, low=low, high=high, items=total, clusters=total, effective=float(total), method="Wilson"
    )


@dataclass(frozen=True)
class JudgedResponse:
    """The data of one response that a corrected score needs."""

    context: int
    accepted: bool
    """Whether everything that no judge decided on is correct."""
    passes: Mapping[str, bool]
    """The judge's decision on each part that decides whether the response is correct."""
    unjudged: bool = False
    """Whether the judge gave no decision on such a part."""


def corrected_accuracy(responses: Sequence[JudgedResponse], errors: Mapping[str, JudgeError]) -> Estimate | None:
    """The accuracy without the judge's errors, whose rates are given for each part; None if nothing was judged.

    A response without a decision may be correct or not: the interval contains both. So may every response on which a
    judge decided that is hardly better than chance on its part.
    """
    if not any(response.passes or response.unjudged for response in responses):
        return None
    known_rates = {part: rates for part, error in errors.items() if (rates := _rates(error)) is not None}
    least, most = (_estimate(responses, known_rates, unknown) for unknown in (0.0, 1.0))
    is_bounded = any(_is_unknown(response, known_rates) for response in responses)
    return least.model_copy(
        update={
            "value": (least.value + most.value) / 2,
            "high": most.high,
            "method": "corrected for the judge's error" + ", with bounds for what is undecided" * is_bounded,
        }
    )


@dataclass(frozen=True)
class _Rates:
    """Sensitivity and specificity, each with its variance."""

    sensitivity: float
    specificity: float
    sensitivity_variance: float
    specificity_variance: float

    @property
    def skill(self) -> float:
        return self.sensitivity + self.specificity - 1

    def truth(self, passed: bool) -> float:
        """The unbiased estimate of whether a response should pass: below 0 or above 1 for a single one."""
        return (float(passed) + self.specificity - 1) / self.skill


def _rates(error: JudgeError) -> _Rates | None:
    """The rates with half a response more of each kind passed and failed; None if the judge has no skill.

    A judge that made no error on few responses is not free of errors.
    """
    if not error.correct or not error.faulty:
        return None
    sensitivity, specificity = (error.passed + 0.5) / (error.correct + 1), (error.failed + 0.5) / (error.faulty + 1)
    if sensitivity + specificity - 1 < MIN_SKILL:
        return None
    variances = (
        rate * (1 - rate) / (size + 1) for rate, size in ((sensitivity, error.correct), (specificity, error.faulty))
    )
    return _Rates(sensitivity, specificity, *variances)


def _is_unknown(response: JudgedResponse, known_rates: Mapping[str, _Rates]) -> bool:
    return response.accepted and (response.unjudged or any(part not in known_rates for part in response.passes))


def _estimate(responses: Sequence[JudgedResponse], known_rates: Mapping[str, _Rates], unknown: float) -> Estimate:
    """The estimate if all responses that are not decided on have the value `unknown`."""
    values = np.array([_value(response, known_rates, unknown) for response in responses])
    sums = ContextSums.of(values, np.array([response.context for response in responses]))
    # One question more of each outcome: near 0 and 1 the interval is skewed.
    center = float(sums.totals.sum() + 1) / (sums.items + 2)
    error = _with_least_variance(clustered_error(sums), sums)
    below, above = _half_widths(error, [_contribution(responses, known_rates, part) for part in known_rates])
    value = min(1.0, max(0.0, sums.mean))
    low, high = min(value, max(0.0, center - below)), max(value, min(1.0, center + above))
    return sums.estimate(value, low, high, float(sums.items), "")


def _with_least_variance(error: ClusteredError, sums: ContextSums) -> ClusteredError:
    """The error with at least the variance of independent questions: few rare outcomes seem to vary too little.

    As in the interval of Agresti and Coull, it is that of two questions more of each outcome.
    """
    size = sums.items + 4
    share = min(1 - 2 / size, max(2 / size, float(sums.totals.sum() + 2) / size))
    return ClusteredError(max(error.variance, share * (1 - share) / size), error.freedom)


def _value(response: JudgedResponse, known_rates: Mapping[str, _Rates], unknown: float) -> float:
    """The estimate for one response; errors on two of its parts are independent."""
    if not response.accepted or _is_unknown(response, known_rates):
        return unknown * response.accepted
    return prod(known_rates[part].truth(passed) for part, passed in response.passes.items())


@dataclass(frozen=True)
class _Contribution:
    """The contribution of the decisions on one part to the accuracy."""

    rates: _Rates
    passing: float
    """The share of all responses that should pass on this part, and would be correct if they do."""
    failing: float
    """The share that should fail on it, and would be correct if they passed."""


def _contribution(responses: Sequence[JudgedResponse], known_rates: Mapping[str, _Rates], part: str) -> _Contribution:
    passing = total = 0.0
    for response in responses:
        if part in response.passes and response.accepted and not _is_unknown(response, known_rates):
            other_parts = prod(
                known_rates[other].truth(passed) for other, passed in response.passes.items() if other != part
            )
            total += other_parts / len(responses)
            passing += other_parts * known_rates[part].truth(response.passes[part]) / len(responses)
    return _Contribution(known_rates[part], passing, total - passing)


def _half_widths(error: ClusteredError, contributions: Sequence[_Contribution]) -> tuple[float, float]:
    """The distances of the ends of the interval from the estimate.

    As in Fieller's interval of a ratio, the variance is that at the ends: the more should pass, the more the
    sensitivity matters. A shift of the accuracy is divided among the parts by their mass.
    """
    square = t_quantile(error.freedom) ** 2
    total = sum(contribution.passing + contribution.failing for contribution in contributions)
    constant, linear, quadratic = square * error.variance, 0.0, 1.0
    for contribution in contributions:
        weight = (contribution.passing + contribution.failing) / total if total else 0.0
        first, second = (
            square * variance / contribution.rates.skill**2
            for variance in (contribution.rates.sensitivity_variance, contribution.rates.specificity_variance)
        )
        constant += contribution.passing**2 * first + contribution.failing**2 * second
        linear += weight * (contribution.passing * first - contribution.failing * second)
        quadratic -= weight**2 * (first + second)
    if quadratic <= 0 or not isfinite(constant):
        return 1.0, 1.0
    root = sqrt(linear**2 + quadratic * constant)
    return (root - linear) / quadratic, (root + linear) / quadratic
