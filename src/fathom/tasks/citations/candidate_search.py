"""Searches for candidates among which no matcher, and no combination of matchers, does better than chance.

Matching shared words finds the correct candidate in most sets of candidates. Therefore many sets are scored for one
item, by every matcher at once; the item is then scored again as it will be shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations
from math import comb
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fathom.tasks.citations.lexical import MATCHERS, Numbers, Values

RIDGE = 0.1
"""Added to the variances: differences of nearly equal matchers are not followed into noise."""
PRIOR = 20.0
"""The weight of the first assumptions, in masks: matchers are independent and equally good."""
BOUND, GROUP_BOUND = 1.5, 2.0
"""How far a sum over all items may be from zero, in standard deviations of one random item: for the features of
`MatcherBalance` that come before those of the groups, and for those of the groups."""
GROWTH, GROUP_GROWTH = 0.4, 0.7
"""The growth of that bound with the square root of the number of items; that of a random sum is one."""
EVERY_GROWTH = 1.0
"""The same growth for all linear combinations of matchers together."""
COMBINED = 5
"""The number of features that come before those of the groups."""
MOST_SETS = 120
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


class Features(NamedTuple):
    """What the matchers say about the keys of sets of candidates (rows). Zero is the mean over random keys."""

    values: Values
    """How much the combination prefers the correct candidates, how often they are its first and its last, the same two
    for all matchers on average, and how much each group prefers them; one is the standard deviation over random keys
    (for the averages, an upper bound of it)."""
    preferences: Values
    """How much each matcher prefers the correct candidates."""


class MatcherBalance:
    """What the matchers say about the keys of one task at one level.

    A combination of all matchers is trained on the sets of candidates that were searched so far, before any of them is
    ruled out, and so on other papers than the next. It is kept at chance, and so is each group of matchers: neither
    better nor worse. If every item that shared words solve were dropped, the best match would always be incorrect,
    which is a shortcut as well.
    """

    def __init__(self) -> None:
        self.made = 0
        self._sums = np.zeros(COMBINED + len(GROUPS))
        self._preferences = np.zeros(len(MATCHERS))
        """How much each matcher prefers the correct candidates, summed over all items."""
        self._moments = PRIOR * np.eye(len(MATCHERS))
        self._means = PRIOR * np.full(len(MATCHERS), 0.5)
        self._seen = PRIOR

    def learn(self, found: Values) -> None:
        """Train the combination on standardized scores of sets of candidates for one item; the correct candidate of
        mask number n is number n."""
        masks, candidates = found.shape[2:]
        every = found.reshape(len(found), -1)
        self._moments += every @ every.T / every.shape[1] * (candidates - (masks == candidates)) / candidates * masks
        self._means += np.einsum("fsmm->f", found[..., :masks]) / found.shape[1]
        self._seen += 1
        self.__dict__.pop("_weights", None)
        self.__dict__.pop("_inverse", None)

    @cached_property
    def _weights(self) -> Values:
        """The combination, and then the groups of matchers, each with unit variance."""
        covariance = self._moments / self._seen
        combined = np.linalg.solve(covariance + RIDGE * np.eye(len(covariance)), self._means / self._seen)
        rows = np.vstack([combined, GROUPS])
        weights: Values = rows / np.sqrt(np.einsum("rf,fg,rg->r", rows, covariance, rows))[:, None]
        return weights

    @cached_property
    def _inverse(self) -> Values:
        """The inverse covariance, such that the mean over random keys of a quadratic form of it is one."""
        covariance = self._moments / self._seen
        inverse = np.linalg.inv(covariance + RIDGE * np.eye(len(covariance)))
        scaled: Values = np.asarray(inverse / (inverse * covariance).sum(), dtype=np.float64)
        return scaled

    def features(self, each: Values) -> Features:
        """The features of each set of standardized scores."""
        combined = np.einsum("f,fsmc->smc", self._weights[0], each)[None]
        preferences = np.einsum("fsmm->fs", each[..., : each.shape[2]])
        preferred = self._weights @ preferences
        first, last = _share_of_best(combined), _share_of_best(-combined)
        averages = _share_of_best(each).mean(axis=0), _share_of_best(-each).mean(axis=0)
        return Features(np.vstack([preferred[:1], first, last, *averages, preferred[1:]]).T, preferences.T)

    @property
    def _bounds(self) -> Values:
        combined, group = BOUND + GROWTH * self.made**0.5, GROUP_BOUND + GROUP_GROWTH * self.made**0.5
        return np.array([combined] * COMBINED + [group] * len(GROUPS))

    @property
    def cost(self) -> float:
        """How far the sums are from zero now."""
        return float(self.costs(Features(np.zeros((1, len(self._sums))), np.zeros((1, len(MATCHERS)))))[0])

    def costs(self, found: Features) -> Values:
        """For each set: how far the sums are from zero if it is built; one is the limit."""
        sums = ((self._sums + found.values) / self._bounds) ** 2
        every = self._preferences + found.preferences
        # Any linear combination of matchers that is trained on the items finds what is left of all preferences.
        left = np.einsum("sf,fg,sg->s", every, self._inverse, every) / (BOUND + EVERY_GROWTH * self.made**0.5) ** 2
        costs: Values = (sums.mean(axis=1) + left) / 2
        return costs

    def takes(self, scores: Values) -> bool:
        """Whether the item with these scores can be built."""
        return bool(self.costs(self.features(standardized(scores)))[0] <= max(FINAL_LIMIT, self.cost))

    def note(self, scores: Values) -> None:
        """Count an item that was built."""
        found = self.features(standardized(scores))
        self.made += 1
        self._sums += found.values[0]
        self._preferences += found.preferences[0]


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
    """Sets with evidence, which were scored."""
    fitting: int
    """Sets that keep the matchers at chance."""
    best: list[tuple[int, ...]]
    """The best of the fitting sets, each as the indices of its members."""


@dataclass(frozen=True)
class SearchSpace:
    """Masks and works among which items are searched."""

    scores: Values
    """The scores of all matchers, by matcher, mask and work."""
    held: list[NDArray[np.bool_]]
    """For each mask, which works (rows) contain which words of its sentence (columns)."""
    excluded: NDArray[np.bool_]
    """For each mask (row), which works (columns) cannot be its candidates: its sentence names them, for instance."""

    def can_be_built(self, masks: Numbers, works: Numbers) -> NDArray[np.bool_]:
        """For each set of masks and works (rows): whether it has evidence, and no mask excludes one of the works."""
        possible = ~self.excluded[masks[:, :, None], works[:, None, :]].any(axis=(1, 2))
        possible[possible] = self.has_evidence(masks[possible], works[possible])
        return possible

    def has_evidence(self, masks: Numbers, works: Numbers) -> NDArray[np.bool_]:
        """For each set of masks and works (rows): whether a word of each mask's sentence tells its work, which is at
        the same place, from most others."""
        found = np.ones(len(masks), dtype=bool)
        for place in range(masks.shape[1]):
            for mask in np.unique(masks[:, place]):
                sets = np.flatnonzero(masks[:, place] == mask)
                held = self.held[mask]
                own = held[works[sets, place]]
                others = held[works[sets]].sum(axis=1) - own
                found[sets] &= (own & (2 * others < works.shape[1] - 1)).any(axis=1)
        return found


def search_choices(searched: SearchSpace, candidates: int, balance: MatcherBalance) -> SearchResult:
    """Sets of candidates for a choice about the first mask, in addition to the first work, which is correct."""
    sets = _choices(searched.scores.shape[2], candidates)
    sets = sets[searched.can_be_built(np.zeros((len(sets), 1), int), sets)]
    found = _search(searched.scores[:, :, sets].transpose(0, 2, 1, 3), sets, balance)
    return found._replace(best=[chosen[1:] for chosen in found.best])


def search_clozes(
    searched: SearchSpace, sets: Sequence[tuple[int, ...]], cited: Sequence[int], balance: MatcherBalance
) -> SearchResult:
    """Sets of masks for a cloze, among `sets`; `cited` gives the number of each mask's work."""
    masks = np.array(sets)
    masks = masks[searched.can_be_built(masks, np.array(cited)[masks])]
    candidates = np.array(cited)[masks]
    return _search(searched.scores[:, masks[:, :, None], candidates[:, None, :]], masks, balance)


def _search(scores: Values, sets: Numbers, balance: MatcherBalance) -> SearchResult:
    if not len(sets):
        return SearchResult(0, 0, [])
    each = standardized(scores)
    costs = balance.costs(balance.features(each))
    # If the sums are too far from zero, whatever brings them closer fits.
    fitting = np.flatnonzero(costs <= max(1, balance.cost))
    best = fitting[costs[fitting].argsort(kind="stable")[:OFFERED]]
    balance.learn(each)
    return SearchResult(len(sets), len(fitting), list(map(tuple, sets[best].tolist())))


@cache
def _choices(works: int, candidates: int) -> Numbers:
    """Sets of the correct work, which is number zero, and some of the other works: all, or a sample of them."""
    numbers, others = range(1, works), candidates - 1
    if comb(works - 1, others) <= MOST_SETS:
        return np.array([(0, *chosen) for chosen in combinations(numbers, others)])
    rng = Random(works)
    return np.array([(0, *sorted(rng.sample(numbers, others))) for _ in range(MOST_SETS)])
