"""Searches for candidates among which no matcher, and no combination of matchers, does better than chance.

Matching shared words finds the correct candidate in most sets of candidates. Therefore many sets are scored for one
item, by every matcher at once; the item is then scored again as it will be shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from itertools import combinations
from math import comb
from random import Random
from typing import NamedTuple

import numpy as np

from fathom.tasks.citations.lexical import MATCHERS, Numbers, Query, Values, match_scores
from fathom.tasks.citations.word_counts import CandidateWords

RIDGE = 0.1
"""Added to the variances: differences of nearly equal matchers are not followed into noise."""
PRIOR = 20.0
"""The weight of the first assumptions, in masks: matchers are independent and equally good."""
BOUND, GROUP_BOUND = 1.5, 2.0
"""How far a sum over all items may be from zero, in standard deviations of one random item: for the features of
`Balance` that come before those of the groups, and for those of the groups."""
GROWTH, GROUP_GROWTH = 0.2, 0.7
"""The growth of that bound with the square root of the number of items; that of a random sum is one."""
COMBINED = 5
"""The number of features that come before those of the groups."""
MOST_SETS = 64
"""Sets of candidates that are tried for a choice; with more possible sets, a sample."""
OFFERED = 6
"""Fitting sets that are returned, the best first: some may no longer fit once the item has its final form."""
FINAL_LIMIT = 1.25
"""The limit of the costs of an item in its final form, which differ a little from those in the search."""

GROUPS = np.array(
    [
        [group in name.split(" of the ") for name in MATCHERS]
        for group in dict.fromkeys(part for name in MATCHERS for part in name.split(" of the "))
    ],
    dtype=float,
)
"""Matchers that compare in the same way, and those that compare the same stretch; one row for each group."""


def standardized(scores: Values) -> Values:
    """Scores by matcher, set, mask and candidate, without the mean of the candidates and in units of their deviation.

    In a cloze, an assignment is not affected by what a candidate scores at all masks, so that mean is left out too.
    """
    masks, candidates = scores.shape[2:]
    apart = scores - scores.mean(axis=3, keepdims=True)
    if masks == candidates:
        apart = apart - apart.mean(axis=2, keepdims=True)
    spread = np.sqrt((apart**2).sum(axis=(2, 3), keepdims=True) / (candidates - (masks == candidates)))
    tiny = 1e-9 * np.abs(scores).max(axis=(2, 3), initial=1e-9, keepdims=True)
    units: Values = apart / np.where(spread > tiny, spread, np.inf)
    return units


class Balance:
    """What the matchers say about the keys of one task at one level.

    A combination of all matchers is trained on the sets of candidates that were searched so far, before any of them is
    ruled out, and so on other papers than the next. It is kept at chance, and so is each group of matchers: neither
    better nor worse. If every item that shared words solve were dropped, the best match would always be incorrect,
    which is a shortcut as well.
    """

    def __init__(self) -> None:
        self.made = 0
        self._sums = np.zeros(COMBINED + len(GROUPS))
        self._moments = PRIOR * np.eye(len(MATCHERS))
        self._means = PRIOR * np.full(len(MATCHERS), 0.5)
        self._seen = PRIOR

    def learn(self, scores: Values) -> None:
        """Train the combination on sets of candidates for one item; the candidate of mask number n is number n."""
        found = standardized(scores)
        masks, candidates = found.shape[2:]
        every = found.reshape(len(found), -1)
        self._moments += every @ every.T / every.shape[1] * (candidates - (masks == candidates)) / candidates * masks
        self._means += np.einsum("fsmm->f", found[..., :masks]) / found.shape[1]
        self._seen += 1
        self.__dict__.pop("_weights", None)

    @cached_property
    def _weights(self) -> Values:
        """The combination, and then the groups of matchers, each with unit variance."""
        covariance = self._moments / self._seen
        combined = np.linalg.solve(covariance + RIDGE * np.eye(len(covariance)), self._means / self._seen)
        rows = np.vstack([combined, GROUPS])
        weights: Values = rows / np.sqrt(np.einsum("rf,fg,rg->r", rows, covariance, rows))[:, None]
        return weights

    def features(self, scores: Values) -> Values:
        """For each set: how much the combination prefers the correct candidates, how often they are its first and its
        last, the same two for all matchers on average, and how much each group prefers them.

        Zero is the mean over random keys, and one the standard deviation (for the averages, an upper bound of it).
        """
        each = standardized(scores)
        found = np.einsum("rf,fsmc->rsmc", self._weights, each)
        masks = found.shape[2]
        preferred = np.einsum("rsmm->rs", found[..., :masks])
        first, last = _share_of_best(found[:1]), _share_of_best(-found[:1])
        averages = _share_of_best(each).mean(axis=0), _share_of_best(-each).mean(axis=0)
        return np.vstack([preferred[:1], first, last, *averages, preferred[1:]]).T

    @property
    def _bounds(self) -> Values:
        combined, group = BOUND + GROWTH * self.made**0.5, GROUP_BOUND + GROUP_GROWTH * self.made**0.5
        return np.array([combined] * COMBINED + [group] * len(GROUPS))

    @property
    def cost(self) -> float:
        """How far the sums are from zero now."""
        return float(self.costs(np.zeros((1, len(self._sums))))[0])

    def costs(self, found: Values) -> Values:
        """For each set: how far the sums are from zero if it is built; one is the limit."""
        costs: Values = (((self._sums + found) / self._bounds) ** 2).mean(axis=1)
        return costs

    def takes(self, scores: Values) -> bool:
        """Whether the item with these scores can be built."""
        return bool(self.costs(self.features(scores))[0] <= max(FINAL_LIMIT, self.cost))

    def note(self, scores: Values) -> None:
        """Count an item that was built."""
        self.made += 1
        self._sums += self.features(scores)[0]


def _share_of_best(scores: Values) -> Values:
    """For each matcher and set, the share of masks whose correct candidate has the best score, standardized."""
    masks, candidates = scores.shape[2:]
    best = scores >= scores.max(axis=3, keepdims=True) - 1e-9
    shares = np.einsum("fsmm->fs", (best / best.sum(axis=3, keepdims=True))[..., :masks])
    standardized: Values = (shares - masks / candidates) / np.sqrt(masks / candidates * (1 - 1 / candidates))
    return standardized


class SearchResult(NamedTuple):
    """The result of a search."""

    tried: int
    """Sets that were scored."""
    fitting: int
    """Sets that keep the matchers at chance."""
    best: list[tuple[int, ...]]
    """The best of the fitting sets, each as the indices of its members."""


def search_choices(query: Query, works: Sequence[CandidateWords], candidates: int, balance: Balance) -> SearchResult:
    """Sets of candidates for a choice beside the first work, which is the correct one."""
    sets = _choices(len(works), candidates)
    scores = match_scores([query], works)[:, :, sets].transpose(0, 2, 1, 3)
    found = _search(scores, sets, balance)
    return found._replace(best=[chosen[1:] for chosen in found.best])


def search_clozes(
    queries: Sequence[Query],
    works: Sequence[CandidateWords],
    sets: Sequence[tuple[int, ...]],
    cited: Sequence[int],
    balance: Balance,
) -> SearchResult:
    """Sets of masks for a cloze, among `sets`; `cited` gives the number of each mask's work."""
    masks = np.array(sets)
    candidates = np.array(cited)[masks]
    scores = match_scores(queries, works)[:, masks[:, :, None], candidates[:, None, :]]
    return _search(scores, masks, balance)


def _search(scores: Values, sets: Numbers, balance: Balance) -> SearchResult:
    found = balance.features(scores)
    costs = balance.costs(found)
    # If the sums are too far from zero, whatever brings them closer fits.
    fitting = np.flatnonzero(costs <= max(1, balance.cost))
    best = fitting[costs[fitting].argsort(kind="stable")[:OFFERED]]
    balance.learn(scores)
    return SearchResult(len(sets), len(fitting), list(map(tuple, sets[best].tolist())))


@cache
def _choices(works: int, candidates: int) -> Numbers:
    """Sets of the correct work, which is number zero, and some of the other works: all, or a sample of them."""
    numbers, others = range(1, works), candidates - 1
    if comb(works - 1, others) <= MOST_SETS:
        return np.array([(0, *chosen) for chosen in combinations(numbers, others)])
    rng = Random(works)
    return np.array([(0, *sorted(rng.sample(numbers, others))) for _ in range(MOST_SETS)])
