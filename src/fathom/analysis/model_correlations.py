"""Correlations over models: exploration and response length with accuracy, and where step-by-step prompting helps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fathom.analysis.intervals import FloatArray
from fathom.records.documents import NonNegativeInt
from fathom.records.record import Record
from fathom.scoring.verdicts import Share

MIN_MODELS = 4
"""Minimum number of models: with fewer, no correlation can be significant."""
EXCHANGES = 9_999
"""Random orders of a permutation test."""


class ModelPoint(Record):
    """One run as a point of a correlation."""

    run: str
    model: str
    system: str
    prompting: str
    samples: NonNegativeInt
    accuracy: float
    """The mean over samples: pass@1."""
    pass_at_k: float
    """The share of questions with a correct response among all samples."""
    output_tokens: float
    """Mean tokens of a response."""

    @property
    def exploration(self) -> float:
        return self.pass_at_k - self.accuracy


class Correlation(Record):
    """A rank correlation over models."""

    of: str
    models: NonNegativeInt
    value: float
    """Spearman's coefficient."""
    p: Share
    """The p-value of a two-sided permutation test."""


class PromptingGain(Record):
    """The accuracy of one model with and without step-by-step prompting."""

    model: str
    system: str
    direct: float
    cot: float

    @property
    def gain(self) -> float:
        return self.cot - self.direct


class ModelCorrelations(Record):
    """Correlations over models."""

    points: tuple[ModelPoint, ...]
    correlations: tuple[Correlation, ...]
    """Empty with fewer than four models."""
    gains: tuple[PromptingGain, ...]
    threshold: float | None
    """The accuracy without step-by-step prompting above which it helps, by a least-squares line; None if there are
    too few models, or if the line does not rise through zero within the accuracies of the models."""


def model_correlations(points: Sequence[ModelPoint], seed: int = 0) -> ModelCorrelations:
    """The correlations over runs, and the gains of models that were run with both kinds of prompting."""
    gains = _gains(points)
    return ModelCorrelations(
        points=tuple(points),
        correlations=tuple(_correlations(points, gains, seed)),
        gains=tuple(gains),
        threshold=_threshold(gains),
    )


def _correlations(points: Sequence[ModelPoint], gains: Sequence[PromptingGain], seed: int) -> list[Correlation]:
    several = [point for point in points if point.samples > 1]
    columns = [
        ("exploration and accuracy", [point.exploration for point in several], [point.accuracy for point in several]),
        (
            "response length and accuracy",
            [point.output_tokens for point in points],
            [point.accuracy for point in points],
        ),
        ("gain from cot and accuracy without it", [gain.gain for gain in gains], [gain.direct for gain in gains]),
    ]
    return [
        Correlation(
            of=name, models=len(first), value=value, p=permutation_p_value(np.array(first), np.array(second), seed)
        )
        for name, first, second in columns
        if len(first) >= MIN_MODELS and (value := spearman(np.array(first), np.array(second))) is not None
    ]


def spearman(first: FloatArray, second: FloatArray) -> float | None:
    """Spearman's rank correlation; None if one side has no order."""
    first_ranks, second_ranks = _ranks(first), _ranks(second)
    if not first_ranks.std() or not second_ranks.std():
        return None
    return float(np.corrcoef(first_ranks, second_ranks)[0, 1])


def _ranks(values: FloatArray) -> FloatArray:
    """Ranks; tied values get their mean rank."""
    return np.array([float((values < value).sum() + (values <= value).sum() + 1) / 2 for value in values])


def permutation_p_value(first: FloatArray, second: FloatArray, seed: int) -> float:
    """The share of random orders whose correlation is at least as strong."""
    first_ranks, second_ranks = _ranks(first), _ranks(second)
    first_ranks, second_ranks = first_ranks - first_ranks.mean(), second_ranks - second_ranks.mean()
    rng = np.random.default_rng(seed)
    orders = rng.permuted(np.tile(second_ranks, (EXCHANGES, 1)), axis=1)
    strength = abs(float(first_ranks @ second_ranks)) - 1e-9
    return float((np.count_nonzero(np.abs(orders @ first_ranks) >= strength) + 1) / (EXCHANGES + 1))


def _gains(points: Sequence[ModelPoint]) -> list[PromptingGain]:
    accuracies: dict[tuple[str, str], dict[str, list[float]]] = {}
    for point in points:
        accuracies.setdefault((point.model, point.system), {}).setdefault(point.prompting, []).append(point.accuracy)
    return [
        PromptingGain(model=model, system=system, direct=float(np.mean(by["direct"])), cot=float(np.mean(by["cot"])))
        for (model, system), by in accuracies.items()
        if {"direct", "cot"} <= by.keys()
    ]


def _threshold(gains: Sequence[PromptingGain]) -> float | None:
    direct, gain = (
        np.array([of_model.direct for of_model in gains]),
        np.array([of_model.gain for of_model in gains]),
    )
    if len(gains) < MIN_MODELS or not direct.std():
        return None
    slope, start = np.polyfit(direct, gain, 1)
    crossing = -start / slope if slope > 0 else np.nan
    return float(crossing) if direct.min() <= crossing <= direct.max() else None
