"""Chooses, among the possible items of many papers, those on which all matchers together do no better than chance.

Most possible items are solved by matching shared words. If each item had to be at chance by itself, or with those
before it, few would be left. So the items of all papers are chosen together: one that matchers solve is kept if another
one misleads them as much.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fathom.tasks.citations.candidate_search import BOUND, GROWTH, Features, MatcherBalance
from fathom.tasks.citations.settings import CitationTask
from fathom.tasks.citations.topics import FloatArray

SWEEPS = 3
"""How often every item is exchanged for the best other one, before any is given up and at the end."""
FREQUENT = 0.25
"""The weight of how much more items have an answer than have another candidate: answers in the fewest items of a paper,
or in the most, would be given away."""
LIMITS: dict[CitationTask, float] = {"choice": 0.35, "cloze": 0.5}
"""How far the sums of all items may be from zero. With a lower limit, matchers that are not balanced are closer to
chance as well, and fewer items are left. Clozes are few, and their matchers are no closer to chance with 0.35."""
STEP = 0.04
"""The share of the items that are given up at once, as long as matchers are not at chance."""
ROUNDS = 4
"""How often the chosen items are drafted and chosen again; then only those that were drafted are left."""

Drafted = Callable[[int, int], Features | None]
"""The features of an option of a paper as it will be shown, both by number; None if it cannot be built."""


@dataclass(frozen=True)
class PaperOptions:
    """The possible items of one paper, of which some can be built together."""

    features: Features
    """What the matchers say about each of them (rows)."""
    uses: NDArray[np.bool_]
    """What each of them uses (columns): places of the paper, and works of which each is asked about once."""
    shared: int
    """How much of what one of them uses another one may use too."""
    most: int
    """The number of items that are wanted of the paper."""
    shown: FloatArray
    """The works (columns) that each of them shows as candidates."""
    correct: FloatArray
    """One for its answer, and minus one for its other candidates together."""
    drafted: set[int] = field(default_factory=set)
    """Those whose features are exact: others are an estimate before the text to be shown is chosen."""
    refused: set[int] = field(default_factory=set)
    """Those that cannot be built."""

    def note(self, option: int, features: Features | None) -> None:
        """Set the exact features of an option, or that it cannot be built."""
        self.drafted.add(option)
        if features is None:
            self.refused.add(option)
            return
        for known, exact in zip(self.features, features, strict=True):
            known[option] = exact[0]


class _Selection:
    """The chosen items, and the sums of what the matchers say about them."""

    def __init__(self, papers: Sequence[PaperOptions], balance: MatcherBalance, limit: float) -> None:
        self._papers = [replace(paper, features=balance.in_units(paper.features)) for paper in papers]
        self._estimated = papers
        self._balance = balance
        self._limit = limit
        self.chosen: list[list[int]] = [[] for _ in papers]
        self.items = 0
        self._total = balance.no_features
        self._allowed = [np.array([n not in paper.refused for n in range(len(paper.uses))]) for paper in papers]
        self._frequent = np.zeros(len(papers))
        """By how much the answers of each paper are in more of its items than other candidates."""

    def best_option(self, paper: int) -> int | None:
        """The option that is best beside those chosen; None if none is left."""
        options, chosen = self._papers[paper], self.chosen[paper]
        common = options.uses.astype(int) @ options.uses[chosen].T.astype(int)
        possible = np.flatnonzero((common <= options.shared).all(axis=1) & self._allowed[paper])
        if not len(possible):
            return None
        shown, correct = options.shown[chosen].sum(axis=0), options.correct[chosen].sum(axis=0)
        frequent = shown @ correct + options.shown[possible] @ correct + options.correct[possible] @ shown
        total = options.features.of(possible).plus(self._total)
        costs = self._costs(total, self._frequent.sum() - self._frequent[paper] + frequent, self.items + 1)
        return int(possible[costs.argmin()])

    def _costs(self, total: Features, frequent: FloatArray, items: int) -> FloatArray:
        costs: FloatArray = (
            self._balance.costs(total, items) + FREQUENT * frequent**2 / (BOUND + GROWTH * items**0.5) ** 2
        )
        return costs

    def add(self, paper: int, option: int) -> None:
        self.chosen[paper].append(option)
        self._total = self._papers[paper].features.of([option]).plus(self._total)
        self.items += 1
        self._count(paper)

    def remove(self, paper: int, option: int) -> None:
        self.chosen[paper].remove(option)
        self._total = self._total.minus(self._papers[paper].features.of([option]))
        self.items -= 1
        self._count(paper)

    def _count(self, paper: int) -> None:
        options, chosen = self._papers[paper], self.chosen[paper]
        self._frequent[paper] = options.shown[chosen].sum(axis=0) @ options.correct[chosen].sum(axis=0)

    def fill(self, limit: float = inf, wanted: float = inf) -> None:
        """Add as many items of every paper as are wanted, and as the limit of the cost allows."""
        for paper, options in enumerate(self._papers):
            while len(self.chosen[paper]) < options.most and self.items < wanted:
                best = self.best_option(paper)
                if best is None:
                    break
                self.add(paper, best)
                if self.cost > limit:
                    self.remove(paper, best)
                    break

    def exchange(self) -> None:
        """Exchange every item for the one that is best beside all others."""
        for paper in range(len(self._papers)):
            for option in list(self.chosen[paper]):
                self.remove(paper, option)
                best = self.best_option(paper)
                assert best is not None  # the one that was removed is possible
                self.add(paper, best)

    def draft(self, drafted: Drafted) -> bool:
        """Use the exact features of the chosen items, and give up those that cannot be built; whether any was new."""
        new = [
            (paper, option)
            for paper, chosen in enumerate(self.chosen)
            for option in chosen
            if option not in self._papers[paper].drafted
        ]
        for paper, option in new:
            features = drafted(paper, option)
            self.remove(paper, option)
            self._estimated[paper].note(option, features)
            if features is None:
                self._allowed[paper][option] = False
            else:
                self._papers[paper].note(option, self._balance.in_units(features))
                self.add(paper, option)
        return bool(new)

    def allow_only_drafted(self) -> None:
        """Choose among those items alone that were drafted."""
        for number, options in enumerate(self._papers):
            self._allowed[number] &= np.isin(np.arange(len(options.uses)), list(options.drafted))

    def reduce(self, wanted: int) -> None:
        """Give up items until so many are left and all of them are at chance, and add those that fit beside them."""
        for _ in range(SWEEPS):
            self.exchange()
        while (surplus := self.items - wanted) > 0 or (self.items and self.cost > self._limit):
            self.give_up(min(max(1, round(STEP * self.items), surplus // 4), max(surplus, 0) or self.items))
            self.exchange()
        for _ in range(SWEEPS):
            # Items that were given up may fit beside those that others were exchanged for.
            self.exchange()
            self.fill(self._limit, wanted)

    @property
    def cost(self) -> float:
        return float(self._costs(self._total, self._frequent.sum(), self.items)[0])

    def give_up(self, items: int) -> None:
        """Remove the items without which the others are closest to chance."""
        every = [(paper, option) for paper, chosen in enumerate(self.chosen) for option in chosen]
        rows = [self._papers[paper].features.of([option]) for paper, option in every]
        left = self._total.minus(Features(*(np.concatenate(part) for part in zip(*rows, strict=True))))
        costs = self._balance.costs(left, max(1, self.items - 1))
        for number in costs.argsort(kind="stable")[:items].tolist():
            self.remove(*every[number])


class SelectionResult(NamedTuple):
    """The chosen items."""

    possible: int
    """The number of items before any was given up."""
    chosen: list[list[int]]
    """The numbers of the chosen options of each paper."""


def select(
    papers: Sequence[PaperOptions], balance: MatcherBalance, limit: float, wanted: int, drafted: Drafted
) -> SelectionResult:
    """As many items as can be kept at chance, `wanted` at most; all of them were drafted."""
    selection = _Selection(papers, balance, limit)
    selection.fill()
    possible = selection.items
    selection.reduce(wanted)
    for number in range(ROUNDS):
        if not selection.draft(drafted):
            break
        if number == ROUNDS - 1:
            selection.allow_only_drafted()
        selection.reduce(wanted)
    return SelectionResult(possible, selection.chosen)
