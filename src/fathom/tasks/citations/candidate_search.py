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

from fathom.tasks.citations.lexical import MATCHERS, IntArray
from fathom.tasks.citations.topics import COMPARISONS, FloatArray

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
MAX_SETS = 120
"""Sets of candidates that are tried for a choice; with more possible sets, a sample."""
GROUPS = np.array(
    [
        *(
            [group in name.split(" of the ") for name in MATCHERS]
            for group in dict.fromkeys(part for name in MATCHERS for part in name.split(" of the "))
        ),
        [name.split(" of the ")[0] in COMPARISONS for name in MATCHERS],
    ],
    dtype=float,
)
"""Matchers that compare in the same way, those that compare the same stretch, and those that compare topics; one row
for each group."""


def standardized(scores: FloatArray) -> FloatArray:
    """Scores by matcher, set, mask and candidate, without the mean of the candidates and in units of their deviation.

    In a cloze, an assignment is not affected by what a candidate scores at all masks, so that mean is left out too.
    """
    masks, candidates = scores.shape[2:]
    apart = scores - scores.mean(axis=3, keepdims=True)
    if masks == candidates:
        apart = apart - apart.mean(axis=2, keepdims=True)
    spread = np.sqrt((apart**2).sum(axis=(2, 3), keepdims=True) / (candidates - (masks == candidates)))
    tiny = 1e-9 * np.abs(scores).max(axis=(2, 3), initial=1e-9, keepdims=True)
    units: FloatArray = apart / np.where(spread > tiny, spread, np.inf)
    return units


class Features(NamedTuple):
    """What the matchers say about the keys of sets of candidates (rows). Zero is the mean over random keys."""

    values: FloatArray
    """How much the combination prefers the correct candidates, how often they are its first and its last, the same two
    for all matchers on average, and how much each group prefers them; one is the standard deviation over random keys
    (for the averages, an upper bound of it)."""
    preferences: FloatArray
    """How much each matcher prefers the correct candidates."""
    firsts: FloatArray
    """How often they are the first of each matcher."""

    def of(self, rows: Sequence[int] | IntArray) -> Features:
        """The features of some of the sets."""
        return Features(*(part[rows] for part in self))

    def plus(self, other: Features) -> Features:
        """The sums with one row of other features."""
        return Features(*map(np.add, self, other))

    def minus(self, other: Features) -> Features:
        """The differences to other features; one of the two may have one row."""
        return Features(*map(np.subtract, self, other))


class MatcherBalance:
    """What the matchers say about the keys of one task at one level.

    A combination of all matchers is trained on the sets of candidates that were searched so far, before any of them is
    ruled out, and so on other papers than the next. It is kept at chance, and so is each group of matchers: neither
    better nor worse. If every item that shared words solve were dropped, the best match would always be incorrect,
    which is a shortcut as well.
    """

    def __init__(self) -> None:
        self.no_features = Features(
            np.zeros((1, COMBINED + len(GROUPS))), np.zeros((1, len(MATCHERS))), np.zeros((1, len(MATCHERS)))
        )
        self._made = 0
        self._sums = self.no_features
        """The features of all items that were noted."""
        self._moments = PRIOR * np.eye(len(MATCHERS))
        self._means = PRIOR * np.full(len(MATCHERS), 0.5)
        self._seen = PRIOR

    def learn(self, found: FloatArray) -> Features:
        """The features of standardized scores of sets of candidates for one item, on which the combination is trained
        then; the correct candidate of mask number n is number n."""
        features = self.features(found)
        masks, candidates = found.shape[2:]
        every = found.reshape(len(found), -1)
        self._moments += every @ every.T / every.shape[1] * (candidates - (masks == candidates)) / candidates * masks
        self._means += np.einsum("fsmm->f", found[..., :masks]) / found.shape[1]
        self._seen += 1
        self.__dict__.pop("_weights", None)
        self.__dict__.pop("_units", None)
        return features

    @cached_property
    def _weights(self) -> FloatArray:
        """The combination, and then the groups of matchers, each with unit variance."""
        covariance = self._moments / self._seen
        combined = np.linalg.solve(covariance + RIDGE * np.eye(len(covariance)), self._means / self._seen)
        rows = np.vstack([combined, GROUPS])
        weights: FloatArray = rows / np.sqrt(np.einsum("rf,fg,rg->r", rows, covariance, rows))[:, None]
        return weights

    @cached_property
    def _units(self) -> FloatArray:
        """A root of the inverse covariance, such that the mean square of preferences in its units is one for random
        keys."""
        covariance = self._moments / self._seen
        inverse = np.linalg.inv(covariance + RIDGE * np.eye(len(covariance)))
        root: FloatArray = np.linalg.cholesky(inverse / (inverse * covariance).sum())
        return root

    def features_of(self, scores: FloatArray) -> Features:
        """The features of an item with these scores."""
        return self.features(standardized(scores))

    def in_units(self, found: Features) -> Features:
        """The features with preferences in units of their covariance, as `costs` compares them."""
        return found._replace(preferences=found.preferences @ self._units)

    def features(self, each: FloatArray) -> Features:
        """The features of each set of standardized scores."""
        combined = np.einsum("f,fsmc->smc", self._weights[0], each)[None]
        preferences = np.einsum("fsmm->fs", each[..., : each.shape[2]])
        preferred = self._weights @ preferences
        first, last = _share_of_best(combined), _share_of_best(-combined)
        firsts = _share_of_best(each)
        averages = firsts.mean(axis=0), _share_of_best(-each).mean(axis=0)
        values = np.vstack([preferred[:1], first, last, *averages, preferred[1:]]).T
        return Features(values, preferences.T, firsts.T)

    def costs(self, sums: Features, items: int) -> FloatArray:
        """For each sum over so many items, `in_units`: how far it is from zero; one is about as far as allowed."""
        combined, group = BOUND + GROWTH * items**0.5, GROUP_BOUND + GROUP_GROWTH * items**0.5
        every = (BOUND + EVERY_GROWTH * items**0.5) ** 2
        costs: FloatArray = (
            # Averaged with the others, the preference of the combination stayed far from zero, on the same side in
            # every corpus, so that several corpora together gave it away.
            (sums.values[:, 0] / combined) ** 2
            + ((sums.values[:, 1:COMBINED] / combined) ** 2).mean(axis=1)
            + ((sums.values[:, COMBINED:] / group) ** 2).mean(axis=1)
            # Any linear combination of matchers that is trained on the items finds what is left of all preferences.
            + (sums.preferences**2).sum(axis=1) / every
            + (sums.firsts**2).mean(axis=1) / every
        ) / 5
        return costs

    def takes(self, scores: FloatArray) -> bool:
        """Whether the item with these scores can be built beside those that were noted."""
        now = float(self.costs(self.in_units(self._sums), self._made)[0])
        found = self.in_units(self.features_of(scores).plus(self._sums))
        # If the sums are too far from zero, whatever brings them closer fits.
        return bool(self.costs(found, self._made + 1)[0] <= max(1, now))

    def note(self, scores: FloatArray) -> None:
        """Count an item that was built."""
        self._made += 1
        self._sums = self.features_of(scores).plus(self._sums)


def _share_of_best(scores: FloatArray) -> FloatArray:
    """For each matcher and set, the share of masks whose correct candidate has the best score, standardized."""
    masks, candidates = scores.shape[2:]
    best = scores >= scores.max(axis=3, keepdims=True) - 1e-9
    shares = np.einsum("fsmm->fs", (best / best.sum(axis=3, keepdims=True))[..., :masks])
    standardized: FloatArray = (shares - masks / candidates) / np.sqrt(masks / candidates * (1 - 1 / candidates))
    return standardized


@dataclass(frozen=True)
class SearchSpace:
    """Masks and works among which items are searched."""

    scores: FloatArray
    """The scores of all matchers, by matcher, mask and work."""
    held: list[NDArray[np.bool_]]
    """For each mask, which works (rows) contain which words of its sentence (columns)."""
    excluded: NDArray[np.bool_]
    """For each mask (row), which works (columns) cannot be its candidates: its sentence names them, for instance."""

    def can_be_built(self, masks: IntArray, works: IntArray) -> NDArray[np.bool_]:
        """For each set of masks and works (rows): whether it has evidence, and no mask excludes one of the works."""
        possible: NDArray[np.bool_] = np.logical_not(
            self.excluded[masks[:, :, None], works[:, None, :]].any(axis=(1, 2))
        )
        possible[possible] = self.has_evidence(masks[possible], works[possible])
        return possible

    def has_evidence(self, masks: IntArray, works: IntArray) -> NDArray[np.bool_]:
        """For each set of masks and works (rows): whether a word of each mask's sentence tells its work, which is at
        the same place, from most others."""
        found = np.ones(len(masks), dtype=bool)
        for index in range(masks.shape[1]):
            for mask in np.unique(masks[:, index]):
                sets = np.flatnonzero(masks[:, index] == mask)
                held = self.held[mask]
                own = held[works[sets, index]]
                others = held[works[sets]].sum(axis=1) - own
                found[sets] &= (own & (2 * others < works.shape[1] - 1)).any(axis=1)
        return found


def choice_sets(searched: SearchSpace, candidates: int) -> IntArray:
    """Sets of works that can be the candidates of a choice about the first mask; the first of each is correct."""
    sets = _choices(searched.scores.shape[2], candidates)
    return sets[searched.can_be_built(np.zeros((len(sets), 1), int), sets)]


def choice_scores(searched: SearchSpace, sets: IntArray) -> FloatArray:
    """The scores of the matchers for these sets of candidates."""
    found: FloatArray = searched.scores[:, :, sets].transpose(0, 2, 1, 3)
    return found


def cloze_sets(searched: SearchSpace, sets: Sequence[tuple[int, ...]], cited: IntArray) -> IntArray:
    """The sets of masks, among `sets`, that can be a cloze; `cited` gives the number of each mask's work."""
    masks = np.array(sets)
    return masks[searched.can_be_built(masks, cited[masks])]


def cloze_scores(searched: SearchSpace, masks: IntArray, cited: IntArray) -> FloatArray:
    """The scores of the matchers for these sets of masks."""
    found: FloatArray = searched.scores[:, masks[:, :, None], cited[masks][:, None, :]]
    return found


@cache
def _choices(works: int, candidates: int) -> IntArray:
    """Sets of the correct work, which is number zero, and some of the other works: all, or a sample of them."""
    numbers, others = range(1, works), candidates - 1
    if comb(works - 1, others) <= MAX_SETS:
        return np.array([(0, *chosen) for chosen in combinations(numbers, others)])
    rng = Random(works)
    return np.array([(0, *sorted(rng.sample(numbers, others))) for _ in range(MAX_SETS)])
