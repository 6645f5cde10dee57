"""What goes with failure: how success hangs together with properties of the questions, one by one and side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from fathom.analysis.comparing import holm
from fathom.analysis.findings import Correlations, Fit, GoesWith
from fathom.analysis.intervals import LEVEL, Numbers, Values, t_quantile, t_tail

PROPERTIES = {
    "documents": "documents in the context",
    "context length": "tokens in the context",
    "question length": "words in the question",
    "program length": "operations in the program",
    "answer length": "values in the answer",
    "needed documents": "documents with evidence",
    "evidence position": "where the evidence stands, from 0 (first) to 1 (last)",
    "evidence spread": "how far apart the evidence stands, as a share of the context",
    "articles that fit": "articles that fit the condition",
}
"""What each property means; one that a family adds speaks for itself."""

FEWEST = 20
"""Questions below which nothing is said."""
ALIKE = 10.0
"""A property that others foretell so well that its error grows by the root of this is left out of the fitted model."""
CONTEXTS_A_COLUMN = 4
"""Contexts that the fitted model wants for each of its columns: with 8 contexts for 6 properties, it found something in
44 of 100 simulated runs in which there was nothing."""
PRIOR = 1.0
"""Pulls coefficients towards zero by as much as this many questions would, so that none runs off to infinity."""


def going_with(
    right: Values, contexts: Numbers, properties: Mapping[str, Values], level: float = LEVEL
) -> Correlations:
    """Correlations with success, contexts kept whole, and a logistic model with all properties in it."""
    left_out = {name: why for name, values in properties.items() if (why := _says_nothing(values, right, contexts))}
    known = {name: values for name, values in properties.items() if name not in left_out}
    single = {name: _of_those_that_have(values, right, contexts, level) for name, values in known.items()}
    adjusted = dict(zip(single, holm([one.p for one in single.values()]), strict=True))
    lacking = {name: f"{int(np.isnan(values).sum()):,} questions lack it" for name, values in known.items()}
    lacking = {name: why for name, why in lacking.items() if np.isnan(known[name]).any()}
    whole = {name: values for name, values in known.items() if name not in lacking}
    model = _fitted(right, contexts, whole, lacking, level)
    rows = []
    for name, one in single.items():
        odds = model.odds.get(name)
        rows.append(
            GoesWith(
                name=name,
                what=PROPERTIES.get(name, name),
                items=int((~np.isnan(known[name])).sum()),
                mean=float(np.nanmean(known[name])),
                correlation=one.value,
                low=one.low,
                high=one.high,
                p=one.p,
                p_adjusted=adjusted[name],
                odds_ratio=odds.value if odds else None,
                odds_low=odds.low if odds else None,
                odds_high=odds.high if odds else None,
                odds_p=odds.p if odds else None,
            )
        )
    order = sorted(rows, key=lambda row: -abs(row.correlation))
    return Correlations(rows=tuple(order), fit=model.fit, left_out=left_out, note=model.note)


@dataclass(frozen=True)
class _Found:
    value: float
    low: float
    high: float
    p: float


def _says_nothing(values: Values, right: Values, contexts: Numbers) -> str:
    """Why nothing can be said of a property; empty where something can."""
    has = ~np.isnan(values)
    if has.sum() < FEWEST:
        return f"fewer than {FEWEST} questions have it"
    if len(np.unique(contexts[has])) < 3:
        return "fewer than three contexts have it"
    if values[has].std() <= 1e-12:
        return "it is the same for all questions"
    return "" if right[has].std() > 1e-12 else "all of its questions came out the same"


def _of_those_that_have(values: Values, right: Values, contexts: Numbers, level: float) -> _Found:
    has = ~np.isnan(values)
    return _correlation(values[has], right[has], contexts[has], level)


def _correlation(values: Values, right: Values, contexts: Numbers, level: float) -> _Found:
    """Pearson's, on Fisher's scale; its error comes from leaving out one context at a time."""
    moments = np.stack([np.ones_like(values), values, right, values**2, right**2, values * right])
    size = int(contexts.max()) + 1
    by_context = np.stack([np.bincount(contexts, weights=row, minlength=size) for row in moments])
    by_context = by_context[:, by_context[0] > 0]
    whole = by_context.sum(axis=1, keepdims=True)
    value = float(_pearson(whole)[0])
    without = np.arctanh(np.clip(_pearson(whole - by_context), -0.999999, 0.999999))
    clusters = by_context.shape[1]
    error = float(np.sqrt((clusters - 1) / clusters * ((without - without.mean()) ** 2).sum()))
    if error < 1e-9 and clusters > 3:
        # Nothing changes whichever context is left out, as where a property decides all: the textbook's error for as
        # many draws as there are contexts. With none at all, what is surest was told as chance.
        error = 1 / float(np.sqrt(clusters - 3))
    middle = float(np.arctanh(np.clip(value, -0.999999, 0.999999)))
    half = t_quantile(level, clusters - 1.0) * error
    chance = t_tail(middle / error, clusters - 1.0) if error > 1e-12 else 1.0
    return _Found(value, float(np.tanh(middle - half)), float(np.tanh(middle + half)), chance)


def _pearson(moments: Values) -> Values:
    n, x, y, xx, yy, xy = moments
    below = np.sqrt(np.maximum((n * xx - x**2) * (n * yy - y**2), 1e-300))
    return np.asarray((n * xy - x * y) / below)


@dataclass(frozen=True)
class _Model:
    odds: dict[str, _Found]
    fit: Fit | None
    note: str = ""


def _fitted(
    right: Values, contexts: Numbers, known: Mapping[str, Values], lacking: Mapping[str, str], level: float
) -> _Model:
    """A logistic model of standardized properties; errors allow for what a context's questions have in common."""
    kept, left_out = _apart(known)
    clusters = len(np.unique(contexts))
    if not kept:
        return _Model({}, None, "No property is known of every question.")
    if clusters < CONTEXTS_A_COLUMN * len(kept):
        many = f"{len(kept)} properties side by side" if len(kept) > 1 else "a model of one property"
        return _Model({}, None, f"{clusters} contexts are too few for {many}.")
    columns = np.stack([(known[name] - known[name].mean()) / known[name].std() for name in kept], axis=1)
    design = np.column_stack([np.ones(len(right)), columns])
    weights, converged = _logistic(design, right)
    expected = 1 / (1 + np.exp(-design @ weights))
    penalty = np.diag([0.0, *[PRIOR] * len(kept)])
    bread = np.linalg.inv((design * (expected * (1 - expected))[:, None]).T @ design + penalty)
    scores = design * (right - expected)[:, None]
    size = int(contexts.max()) + 1
    pulled = np.stack([np.bincount(contexts, weights=column, minlength=size) for column in scores.T], axis=1)
    freedom = float(clusters - 1 - len(kept))
    spread = bread @ (pulled.T @ pulled) @ bread * clusters / freedom
    reach = t_quantile(level, freedom)
    odds = {}
    for place, name in enumerate(kept, start=1):
        error = float(np.sqrt(spread[place, place]))
        middle = float(weights[place])
        chance = t_tail(middle / error, freedom) if error > 1e-12 else 1.0
        low, value, high = (float(np.exp(np.clip(middle + step * error, -50, 50))) for step in (-reach, 0.0, reach))
        odds[name] = _Found(value, low, high, chance)
    strict = holm([one.p for one in odds.values()])
    odds = {name: replace(one, p=chance) for (name, one), chance in zip(odds.items(), strict, strict=True)}
    fit = Fit(
        items=len(right),
        clusters=clusters,
        converged=converged,
        explained=_explained(right, expected),
        left_out=left_out | dict(lacking),
    )
    return _Model(odds, fit)


def _apart(known: Mapping[str, Values]) -> tuple[list[str], dict[str, str]]:
    """The properties that others do not foretell, in order, and why each of the rest is left out."""
    kept: list[str] = []
    left_out: dict[str, str] = {}
    for name, values in known.items():
        if kept:
            design = np.column_stack([np.ones(len(values)), *(known[other] for other in kept)])
            design = design / np.maximum(np.abs(design).max(axis=0), 1e-12)
            rest = values - design @ np.linalg.lstsq(design, values, rcond=None)[0]
            if rest.var() < values.var() / ALIKE:
                left_out[name] = f"the others ({', '.join(kept)}) say nearly as much"
                continue
        kept.append(name)
    return kept, left_out


def _logistic(design: Values, right: Values) -> tuple[Values, bool]:
    """The coefficients, by Newton's steps with a slight pull towards zero, and whether they came to rest."""
    weights = np.zeros(design.shape[1])
    penalty = np.diag([0.0, *[PRIOR] * (design.shape[1] - 1)])
    for _ in range(50):
        expected = 1 / (1 + np.exp(-np.clip(design @ weights, -30, 30)))
        slope = design.T @ (right - expected) - penalty @ weights
        bend = (design * np.maximum(expected * (1 - expected), 1e-9)[:, None]).T @ design + penalty
        step = np.linalg.solve(bend, slope)
        weights = weights + np.clip(step, -5, 5)
        if np.abs(step).max() < 1e-8:
            return weights, True
    return weights, False


def _explained(right: Values, expected: Values) -> float:
    def surprise(chances: Values) -> float:
        chances = np.clip(chances, 1e-12, 1 - 1e-12)
        return float(-(right * np.log(chances) + (1 - right) * np.log(1 - chances)).sum())

    alone = surprise(np.full(len(right), right.mean()))
    return max(0.0, 1 - surprise(expected) / alone) if alone > 0 else 0.0
