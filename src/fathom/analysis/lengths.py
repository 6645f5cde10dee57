"""How scores fall with length, and the longest length at which a run still is what it was."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fathom.analysis.findings import EffectiveLength, LengthCurve, LengthPoint
from fathom.analysis.intervals import LEVEL, Numbers, Sums, Values, draws

KEPT = 0.85
FEWEST_CONTEXTS = 5
"""Contexts a length below which drawing them anew says nothing: of one, every draw is the same."""


def curve(
    points: Sequence[LengthPoint],
    values: Sequence[Values],
    contexts: Sequence[Numbers],
    resamples: int,
    rng: np.random.Generator,
) -> LengthCurve:
    """The points from the shortest to the longest, with the effective length where there are two or more."""
    if len(points) < 2:
        return LengthCurve(points=tuple(points), effective=None, families=())
    sums = [Sums.of(some, where) for some, where in zip(values, contexts, strict=True)]
    means = np.array([one.mean for one in sums])[None, :]
    reached = int(_reached(means)[0])
    tokens = np.array([point.tokens for point in points])
    low, high = _span(sums, tokens, resamples, rng)
    shortest = float(means[0, 0])
    return LengthCurve(
        points=tuple(points),
        effective=EffectiveLength(
            kept=KEPT,
            shortest=points[0].name,
            at_shortest=shortest,
            length=points[reached].name if reached >= 0 else None,
            tokens=int(tokens[reached]) if reached >= 0 else 0,
            low=low,
            high=high,
            reaches_the_end=reached == len(points) - 1,
            note=_note(points, reached, shortest),
        ),
        families=(),
    )


def _span(
    sums: Sequence[Sums], tokens: Numbers, resamples: int, rng: np.random.Generator
) -> tuple[int, int] | tuple[None, None]:
    """Between which lengths the effective one lies; nothing where contexts are too few to draw anew."""
    drawn = np.stack([_drawn_means(one, resamples, rng) for one in sums], axis=1)
    if min(len(one.counts) for one in sums) < FEWEST_CONTEXTS:
        return None, None
    found = np.where(_reached(drawn) >= 0, tokens[np.maximum(_reached(drawn), 0)], 0)
    low, high = np.quantile(found, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], method="inverted_cdf")
    return int(low), int(high)


def _drawn_means(sums: Sums, resamples: int, rng: np.random.Generator) -> Values:
    return np.concatenate(
        [(piece @ sums.totals) / (piece @ sums.counts) for piece in draws(len(sums.counts), resamples, rng)]
    )


def _reached(means: Values) -> Numbers:
    """For each row the last length up to which every one keeps its share; -1 where the shortest has nothing to keep."""
    keeps = means >= KEPT * means[:, :1] - 1e-12
    first_lost = np.where(keeps.all(axis=1), means.shape[1], np.argmin(keeps, axis=1))
    found: Numbers = np.where(means[:, 0] > 0, first_lost - 1, -1)
    return found


def _note(points: Sequence[LengthPoint], reached: int, shortest: float) -> str:
    if reached < 0:
        return f"Nothing is right at {points[0].name}, so that there is nothing to keep."
    kept = f"{KEPT:.0%} of the {shortest:.1%} at {points[0].name}"
    if reached == len(points) - 1:
        return f"Still {kept} at {points[reached].name}, the longest that was asked; it may reach further."
    return f"At least {kept} up to {points[reached].name}, and less at {points[reached + 1].name}."
