"""Correlates of failure: how accuracy correlates with properties of the questions, one by one and jointly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from fathom.analysis.findings import Correlate, Correlates, LogisticFit
from fathom.analysis.intervals import FloatArray, IntArray, t_quantile, t_tail
from fathom.analysis.significance import holm

PROPERTIES = {
    "documents": "documents in the context",
    "context length": "tokens in the context",
    "question length": "words in the question",
    "program length": "operations in the program",
    "query words": "words in the query",
    "answer length": "values in the answer",
    "answer words": "words in the answer",
    "needed documents": "documents with evidence",
    "evidence position": "evidence position (0 start, 1 end)",
    "evidence spread": "evidence spread (share of the context)",
}
"""Descriptions of generic properties; those that families add are described by their names."""

OTHER_UNITS = {"query words": "program length", "answer words": "answer length"}
"""Properties in the units of the SciTrek paper, and those that measure the same. They are left out of the logistic
model, where each of a pair would hide the effect of the other."""

MIN_QUESTIONS = 20
MAX_INFLATION = 10.0
"""A property whose variance inflation factor is greater is excluded from the logistic model."""
CONTEXTS_PER_PROPERTY = 4
"""Contexts that the logistic model needs per property: with 8 contexts for 6 properties it was significant in 44 of 100
simulated runs without any effect."""
PENALTY = 1.0
"""Ridge penalty on the coefficients, so that none diverges under separation."""


def correlates(accuracy: FloatArray, contexts: IntArray, properties: Mapping[str, FloatArray]) -> Correlates:
    """Correlations with success, clustered by context, and a logistic model with all properties."""
    excluded = {
        name: why for name, values in properties.items() if (why := reason_to_exclude(values, accuracy, contexts))
    }
    usable = {name: values for name, values in properties.items() if name not in excluded}
    single = {name: correlation(values, accuracy, contexts) for name, values in usable.items()}
    corrected = dict(zip(single, holm([coefficient.p for coefficient in single.values()]), strict=True))
    lacking = {name: f"{int(np.isnan(values).sum()):,} questions do not have it" for name, values in usable.items()}
    lacking = {name: why for name, why in lacking.items() if np.isnan(usable[name]).any()}
    lacking |= {
        name: f"another unit of {other}" for name, other in OTHER_UNITS.items() if {name, other} <= usable.keys()
    }
    complete = {name: values for name, values in usable.items() if name not in lacking}
    model = _logistic_model(accuracy, contexts, complete, lacking)
    rows = []
    for name, coefficient in single.items():
        odds = model.odds.get(name)
        rows.append(
            Correlate(
                name=name,
                description=PROPERTIES.get(name, name),
                items=int((~np.isnan(usable[name])).sum()),
                mean=float(np.nanmean(usable[name])),
                correlation=coefficient.value,
                low=coefficient.low,
                high=coefficient.high,
                p=coefficient.p,
                p_holm=corrected[name],
                odds_ratio=odds.value if odds else None,
                odds_low=odds.low if odds else None,
                odds_high=odds.high if odds else None,
                odds_p=odds.p if odds else None,
            )
        )
    order = sorted(rows, key=lambda row: -abs(row.correlation))
    return Correlates(rows=tuple(order), fit=model.fit, excluded=excluded, note=model.note)


@dataclass(frozen=True)
class Coefficient:
    """A correlation or an odds ratio with its interval."""

    value: float
    low: float
    high: float
    p: float


def reason_to_exclude(values: FloatArray, accuracy: FloatArray, contexts: IntArray) -> str:
    """Why a property has no estimate; empty if it has one."""
    present = ~np.isnan(values)
    if present.sum() < MIN_QUESTIONS:
        return f"fewer than {MIN_QUESTIONS} questions have it"
    if len(np.unique(contexts[present])) < 3:
        return "fewer than three contexts have it"
    if values[present].std() <= 1e-12:
        return "it is the same for all questions"
    return "" if accuracy[present].std() > 1e-12 else "all of its questions have the same score"


def correlation(values: FloatArray, accuracy: FloatArray, contexts: IntArray) -> Coefficient:
    """Pearson's correlation over the questions that have the property, with a jackknife over contexts on Fisher's z."""
    present = ~np.isnan(values)
    values, accuracy, contexts = values[present], accuracy[present], contexts[present]
    moments = np.stack([np.ones_like(values), values, accuracy, values**2, accuracy**2, values * accuracy])
    size = int(contexts.max()) + 1
    by_context = np.stack([np.bincount(contexts, weights=row, minlength=size) for row in moments])
    by_context = by_context[:, by_context[0] > 0]
    totals = by_context.sum(axis=1, keepdims=True)
    value = float(_pearson(totals)[0])
    leave_one_out = np.arctanh(np.clip(_pearson(totals - by_context), -0.999999, 0.999999))
    clusters = by_context.shape[1]
    error = float(np.sqrt((clusters - 1) / clusters * ((leave_one_out - leave_one_out.mean()) ** 2).sum()))
    if error < 1e-9 and clusters > 3:
        # The jackknife has no spread if a property decides every outcome: use Fisher's standard error for as many draws
        # as there are contexts. With an error of zero, the strongest correlation had a p-value of 1.
        error = 1 / float(np.sqrt(clusters - 3))
    middle = float(np.arctanh(np.clip(value, -0.999999, 0.999999)))
    half = t_quantile(clusters - 1.0) * error
    p = t_tail(middle / error, clusters - 1.0) if error > 1e-12 else 1.0
    return Coefficient(value, float(np.tanh(middle - half)), float(np.tanh(middle + half)), p)


def _pearson(moments: FloatArray) -> FloatArray:
    n, x, y, xx, yy, xy = moments
    below = np.sqrt(np.maximum((n * xx - x**2) * (n * yy - y**2), 1e-300))
    return np.asarray((n * xy - x * y) / below)


@dataclass(frozen=True)
class _Model:
    odds: dict[str, Coefficient]
    fit: LogisticFit | None
    note: str = ""


def _logistic_model(
    accuracy: FloatArray, contexts: IntArray, properties: Mapping[str, FloatArray], lacking: Mapping[str, str]
) -> _Model:
    """A logistic model of the standardized properties, with cluster-robust errors."""
    names, excluded = _without_collinear(properties)
    clusters = len(np.unique(contexts))
    if not names:
        return _Model({}, None, "No property is known for every question.")
    if clusters < CONTEXTS_PER_PROPERTY * len(names):
        many = f"{len(names)} {'property' if len(names) == 1 else 'properties'}"
        return _Model({}, None, f"{clusters} contexts are too few for a logistic model with {many}.")
    columns = np.stack(
        [(properties[name] - properties[name].mean()) / properties[name].std() for name in names], axis=1
    )
    design = np.column_stack([np.ones(len(accuracy)), columns])
    weights, converged = _logistic(design, accuracy)
    expected = 1 / (1 + np.exp(-design @ weights))
    penalty = np.diag([0.0, *[PENALTY] * len(names)])
    bread = np.linalg.inv((design * (expected * (1 - expected))[:, None]).T @ design + penalty)
    scores = design * (accuracy - expected)[:, None]
    size = int(contexts.max()) + 1
    by_context = np.stack([np.bincount(contexts, weights=column, minlength=size) for column in scores.T], axis=1)
    freedom = float(clusters - 1 - len(names))
    spread = bread @ (by_context.T @ by_context) @ bread * clusters / freedom
    quantile = t_quantile(freedom)
    odds = {}
    for number, name in enumerate(names, start=1):
        error = float(np.sqrt(spread[number, number]))
        middle = float(weights[number])
        p = t_tail(middle / error, freedom) if error > 1e-12 else 1.0
        low, value, high = (
            float(np.exp(np.clip(middle + step * error, -50, 50))) for step in (-quantile, 0.0, quantile)
        )
        odds[name] = Coefficient(value, low, high, p)
    corrected = holm([coefficient.p for coefficient in odds.values()])
    odds = {name: replace(coefficient, p=p) for (name, coefficient), p in zip(odds.items(), corrected, strict=True)}
    fit = LogisticFit(
        items=len(accuracy),
        clusters=clusters,
        converged=converged,
        pseudo_r2=_pseudo_r2(accuracy, expected),
        excluded=excluded | dict(lacking),
    )
    return _Model(odds, fit)


def _without_collinear(properties: Mapping[str, FloatArray]) -> tuple[list[str], dict[str, str]]:
    """The properties that earlier ones do not predict, and the reason for excluding each of the others."""
    kept_names: list[str] = []
    excluded: dict[str, str] = {}
    for name, values in properties.items():
        if kept_names:
            design = np.column_stack([np.ones(len(values)), *(properties[kept_name] for kept_name in kept_names)])
            design = design / np.maximum(np.abs(design).max(axis=0), 1e-12)
            residuals = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
            if residuals.var() < values.var() / MAX_INFLATION:
                excluded[name] = f"nearly determined by {', '.join(kept_names)}"
                continue
        kept_names.append(name)
    return kept_names, excluded


def _logistic(design: FloatArray, accuracy: FloatArray) -> tuple[FloatArray, bool]:
    """The coefficients of a ridge-penalized logistic regression by Newton's method, and whether it converged."""
    weights = np.zeros(design.shape[1])
    penalty = np.diag([0.0, *[PENALTY] * (design.shape[1] - 1)])
    for _ in range(50):
        expected = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        gradient = design.T @ (accuracy - expected) - penalty @ weights
        hessian = (design * np.maximum(expected * (1 - expected), 1e-9)[:, None]).T @ design + penalty
        step = np.linalg.solve(hessian, gradient)
        weights = weights + np.clip(step, -5, 5)
        if np.abs(step).max() < 1e-8:
            return weights, True
    return weights, False


def _pseudo_r2(accuracy: FloatArray, expected: FloatArray) -> float:
    """McFadden's pseudo-R²."""

    def deviance(probabilities: FloatArray) -> float:
        clipped = np.clip(probabilities, 1e-12, 1 - 1e-12)
        return float(-(accuracy * np.log(clipped) + (1 - accuracy) * np.log(1 - clipped)).sum())

    null = deviance(np.full(len(accuracy), accuracy.mean()))
    return max(0.0, 1 - deviance(expected) / null) if null > 0 else 0.0
