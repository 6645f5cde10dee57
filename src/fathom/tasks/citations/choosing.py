"""Which works stand beside the right ones, so that shared words tell no more of them than chance would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, permutations

import numpy as np

from fathom.records.articles import ArticleId
from fathom.tasks.citations.lexical import MATCHERS, query, scores
from fathom.tasks.citations.papers import Mask, Paper
from fathom.tasks.citations.settings import OPTIONS
from fathom.tasks.citations.words import Counted

STRONGEST = MATCHERS[2]
"""The matcher that candidates are chosen against; the others only have a veto. A score by it hangs on no other
candidate, so that each is made once."""
CLEARLY = 1.15
"""How much better than the right one a wrong candidate must match: a near tie is another matcher's hit."""

HALF = 0.5
"""The share from which on a set of masks may be taken for what it fills."""
OFFERED = 3
"""Sets of masks that are offered around one of them: another matcher may have a veto."""

_ORDERS = np.array(list(permutations(range(OPTIONS))))
_RIGHT = (np.arange(OPTIONS) == _ORDERS).mean(axis=1)
"""The share of masks that each order fills rightly; the first fills all."""


class Matched:
    """How well works match the masks of one paper by the strongest matcher."""

    def __init__(self, paper: Paper, counted: Callable[[ArticleId], Counted]) -> None:
        """`counted` gives the words of what will be shown of a work, as far as that is known yet."""
        self._paper = paper
        self._counted = counted
        self._queries: dict[Mask, frozenset[str]] = {}
        self._scores: dict[tuple[Mask, ArticleId], float] = {}

    def score(self, mask: Mask, work: ArticleId) -> float:
        if (mask, work) not in self._scores:
            [self._scores[mask, work]] = scores(self._query(mask), [self._counted(work)], STRONGEST.cosine)
        return self._scores[mask, work]

    def _query(self, mask: Mask) -> frozenset[str]:
        if mask not in self._queries:
            self._queries[mask] = query(self._paper.text, mask.sentence, [mask.place])
        return self._queries[mask]


def beside(
    mask: Mask, others: Sequence[ArticleId], wanted: Sequence[int], matched: Matched
) -> list[tuple[ArticleId, ...]]:
    """Three of the works for each place that the right one may have beside them, the one that is wanted most first."""
    right = matched.score(mask, mask.work)
    by_place: dict[int, tuple[ArticleId, ...]] = {}
    for chosen in combinations(others, OPTIONS - 1):
        found = [matched.score(mask, work) for work in chosen]
        if max(found) <= right or max(found) > right * CLEARLY:
            by_place.setdefault(1 + sum(score > right for score in found), chosen)
    return [by_place[place] for place in wanted if place in by_place]


def together(anchor: Mask, others: Sequence[Mask], most: float, matched: Matched) -> list[tuple[Mask, ...]]:
    """Sets of three of the masks beside which about that share, and no more, is filled by shared words."""
    masks = [anchor, *others]
    table = np.array([[matched.score(mask, other.work) for other in masks] for mask in masks])
    sets = np.array([(0, *chosen) for chosen in combinations(range(1, len(masks)), OPTIONS - 1)])
    totals = table[sets[:, None, :], sets[np.arange(len(sets))[:, None, None], _ORDERS]].sum(axis=2)
    filled = _RIGHT[totals.argmax(axis=1)]
    is_clear = (filled == 1) | (totals.max(axis=1) >= totals[:, 0] * CLEARLY)
    fitting = np.flatnonzero(is_clear & (filled <= most))
    # While little may be filled, as little as can be: that makes room for a paper that allows no such masks.
    apart = np.abs(filled[fitting] - (most if most >= HALF else 0.0))
    best = fitting[apart.argsort(kind="stable")[:OFFERED]]
    return [tuple(masks[place] for place in chosen[1:]) for chosen in sets[best]]
