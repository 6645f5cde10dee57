"""Searches for candidates among which matching shared words does no better than chance.

Matching shared words finds the correct candidate in most sets. Therefore many sets are scored for one item, by every
matcher at once; the item is then scored again as it will be shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from itertools import chain, combinations, repeat
from math import comb
from random import Random
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fathom.records.documents import DocumentId
from fathom.tasks.citations.draft import Draft
from fathom.tasks.citations.lexical import MATCHERS, Matcher, Stretch, damped, orders, rarity
from fathom.tasks.citations.papers import Mask, Paper
from fathom.tasks.citations.settings import MASKS
from fathom.tasks.citations.word_counts import FAR, WordCounts, Words

MAX_RANK_SHARE = 0.4
"""The maximum share of items in which a matcher ranks the correct candidate second (or third, or fourth), or in one of
the three classes of `rank_class` if there are more candidates."""

BEHIND = 2.0
"""The number of items by which a matcher may fall below chance: a matcher that is always wrong is informative too."""
SAVED = 16
"""After this many clozes, matchers should be one item below chance, as a reserve for papers whose masks they solve; the
reserve grows up to `BEHIND`."""


class Balance:
    """The accuracy of every matcher on one task at one level.

    If every item that shared words solve were dropped, the best match would always be incorrect, which is a shortcut as
    well. Therefore each matcher is kept at chance, neither better nor much worse.
    """

    def __init__(self) -> None:
        self.made = 0
        self._chance = 0.0
        """The number of items, or of clozes by their share, that guesses would solve."""
        self._ranks: dict[Matcher, Counter[int]] = {matcher: Counter() for matcher in MATCHERS}
        self._filled = dict.fromkeys(MATCHERS, 0.0)

    def note(self, draft: Draft) -> None:
        """Count an item that was built."""
        self.made += 1
        self._chance += draft.chance
        for matcher in MATCHERS:
            self._filled[matcher] += draft.share(matcher)
            if draft.task == "choice":
                self._ranks[matcher][rank_class(draft.rank(matcher), len(draft.candidates))] += 1

    def takes(self, draft: Draft) -> bool:
        """Whether every matcher stays within its bounds if this item is built."""
        if draft.task == "choice":
            places = [(matcher, rank_class(draft.rank(matcher), len(draft.candidates))) for matcher in MATCHERS]
            return all(self._takes(matcher, place, draft.chance) for matcher, place in places)
        return all(
            draft.share(matcher) <= most for matcher, most in zip(MATCHERS, self.most(draft.chance), strict=True)
        )

    def _takes(self, matcher: Matcher, place: int, chance: float) -> bool:
        ranks = self._ranks[matcher]
        if place == 1:
            return ranks[1] + 1 <= self._chance + chance + 0.5
        return ranks[place] <= self.made * MAX_RANK_SHARE + 1 and ranks[1] >= self._chance - BEHIND

    def places(self, candidates: int) -> NDArray[np.bool_]:
        """For each matcher, the ranks that the correct candidate of the next choice may have."""
        ranks = [rank_class(place, candidates) for place in range(1, candidates + 1)]
        return np.array([[self._takes(matcher, place, 1 / candidates) for place in ranks] for matcher in MATCHERS])

    def rarity(self, matcher: Matcher, candidates: int) -> NDArray[np.int_]:
        """How often the matcher has given the correct candidate each rank, or one of the same class."""
        ranks = [rank_class(place, candidates) for place in range(1, candidates + 1)]
        return np.array([self._ranks[matcher][place] for place in ranks])

    def most(self, chance: float) -> NDArray[np.float64]:
        """For each matcher, the maximum share of the next cloze that it may fill correctly."""
        return np.array([self._chance + chance - self._filled[matcher] for matcher in MATCHERS])

    def wanted(self, chance: float) -> NDArray[np.float64]:
        """For each matcher, the preferred share of the next cloze: less than `most`, to build up the reserve."""
        return np.maximum(0.0, self.most(chance) - min(BEHIND, self.made / SAVED))


def rank_class(place: int, candidates: int) -> int:
    """The class of a rank: 1 for the first, 2 to 4 for a third each of the others. With four candidates, the rank."""
    return 1 if place == 1 else 2 + (place - 2) * (MASKS - 1) // (candidates - 1)


STRONGEST = MATCHERS[2]
"""The matcher that must fail by a clear margin."""
CLEARLY = 1.15
"""If this matcher fails, an incorrect candidate must score higher by this factor: on a near tie, a slightly different
matcher would succeed."""

TIE = 1e-9
"""Scores that differ by less are equal."""
OFFERED = 3
"""Fitting sets that are returned: some may no longer fit once the item has its final form."""

Numbers = NDArray[np.int_]
Values = NDArray[np.float64]

MOST_SETS = 64
"""Sets of candidates that are tried for a choice; with more possible sets, a sample."""

_ORDERS = orders(MASKS)
_CORRECT_SHARE = (np.arange(MASKS) == _ORDERS).mean(axis=1)
"""The share of masks that each assignment of candidates fills correctly; the first assignment fills all."""
_DAMPED = np.array([0.0, *map(damped, range(1, FAR))])
_MATCHER_ORDER = sorted(
    range(len(MATCHERS)), key=lambda n: (MATCHERS[n] is not STRONGEST, MATCHERS[n].stretch != "sentence")
)
"""The strongest matcher first, then those of the sentence: a set that one matcher rules out is not scored again."""


class SearchResult(NamedTuple):
    """The result of a search."""

    tried: int
    """Sets that were scored."""
    fitting: int
    """Sets that keep every matcher within its bounds."""
    best: list[tuple[int, ...]]
    """The best of the fitting sets, each as the indices of its members."""


class ScoreTable:
    """The scores of works for masks, for many sets of both at once."""

    def __init__(self, wanted: Sequence[Words], works: Sequence[WordCounts]) -> None:
        column: dict[str, int] = {}
        self._wanted = [[column.setdefault(word, len(column)) for word in words] for words in wanted]
        # The last column belongs to no word; it pads short queries.
        rows = [chain(map(work.counts.get, column, repeat(0)), (0,)) for work in works]
        self._counts = np.fromiter(chain.from_iterable(rows), int).reshape(len(works), len(column) + 1)
        self._sizes = np.array([work.size for work in works])

    def scores(self, masks: Numbers, works: Numbers, cosine: bool) -> Values:
        """For each set and each of its masks, the score of each of its works."""
        return self._cosines[masks[:, :, None], works[:, None, :]] if cosine else self._sums(masks, works)

    @cached_property
    def _cosines(self) -> Values:
        lengths = np.sqrt([max(1, len(words)) for words in self._wanted])
        table: Values = self._counts[:, self._padded].sum(axis=2).T / self._sizes / lengths[:, None]
        return table

    def _sums(self, masks: Numbers, works: Numbers) -> Values:
        counts = self._damped[works[:, None, None, :], self._padded[masks][..., None]]
        found = np.count_nonzero(counts, axis=3)
        weights = np.array([rarity(number, works.shape[1]) for number in range(works.shape[1] + 1)])
        total: Values = np.einsum("smw,smwk->smk", weights[found], counts)
        return total

    @cached_property
    def _damped(self) -> Values:
        damped: Values = _DAMPED[self._counts]
        return damped

    @cached_property
    def _padded(self) -> Numbers:
        longest = max(map(len, self._wanted))
        return np.array([words + [-1] * (longest - len(words)) for words in self._wanted])


class Search:
    """Searches sets among some masks and works of one paper."""

    def __init__(
        self,
        paper: Paper,
        masks: Sequence[Mask],
        works: Sequence[DocumentId],
        words_of: Callable[[DocumentId], WordCounts],
    ) -> None:
        """`words_of` gives the word counts of the text of a work that will probably be shown."""
        self._paper, self._masks = paper, masks
        self._works = list(map(words_of, works))
        self._tables: dict[Stretch, ScoreTable] = {}

    def _scores(self, matcher: Matcher, masks: Numbers, works: Numbers) -> Values:
        stretch = matcher.stretch
        if stretch not in self._tables:
            wanted = [self._paper.queries.alone(stretch, mask.place) for mask in self._masks]
            self._tables[stretch] = ScoreTable(wanted, self._works)
        return self._tables[stretch].scores(masks, works, matcher.cosine)

    def beside(self, balance: Balance, others: int) -> SearchResult:
        """Sets of so many candidates for a choice, beside the first work, which is the correct one.

        Sets come first in which the correct work has the rank that it had least often so far.
        """
        left = sets = _choices(len(self._works) - 1, others)
        places = np.zeros(len(left), dtype=int)
        allowed = balance.places(others + 1)
        for number in _MATCHER_ORDER:
            found = self._scores(MATCHERS[number], np.zeros((len(left), 1), dtype=int), left)[:, 0, :]
            correct, best = found[:, 0], found[:, 1:].max(axis=1)
            place = (found[:, 1:] > found[:, :1]).sum(axis=1)
            fits = allowed[number, place]
            if MATCHERS[number] is STRONGEST:
                fits &= (best <= correct) | (best > correct * CLEARLY)
                places = place
            left, places = left[fits], places[fits]
        rare = balance.rarity(STRONGEST, others + 1)[places].argsort(kind="stable")
        return SearchResult(len(sets), len(left), list(map(tuple, left[rare[:OFFERED], 1:].tolist())))

    def together(self, sets: Sequence[tuple[int, ...]], cited: Sequence[int], balance: Balance) -> SearchResult:
        """Sets of four masks for a cloze of which no matcher fills more than its allowed share correctly.

        `sets` are the sets to try, and `cited` gives the number of each mask's work.
        """
        left, apart = np.array(sets), np.zeros(len(sets))
        works, most, wanted = np.array(cited), balance.most(1 / MASKS), balance.wanted(1 / MASKS)
        for number in _MATCHER_ORDER:
            totals = self._scores(MATCHERS[number], left, works[left])[:, np.arange(MASKS), _ORDERS].sum(axis=2)
            filled = _filled(totals)
            fits = filled <= most[number]
            if MATCHERS[number] is STRONGEST:
                fits &= (filled == 1) | (totals.max(axis=1) >= totals[:, 0] * CLEARLY)
            left, apart = left[fits], (apart + np.abs(filled - wanted[number]))[fits]
            if not len(left):
                break
        best = left[apart.argsort(kind="stable")[:OFFERED]]
        return SearchResult(len(sets), len(left), list(map(tuple, best.tolist())))


def _filled(totals: Values) -> Values:
    """The share of masks that the best assignment fills correctly; the mean if several tie, as with two masks in one
    sentence."""
    best = totals >= totals.max(axis=1, keepdims=True) - TIE
    share: Values = (best * _CORRECT_SHARE).sum(axis=1) / best.sum(axis=1)
    return share


@cache
def _choices(works: int, others: int) -> Numbers:
    """Sets of the correct work, which is number zero, and `others` of the other works: all, or a sample of them."""
    numbers = range(1, works + 1)
    if comb(works, others) <= MOST_SETS:
        return np.array([(0, *chosen) for chosen in combinations(numbers, others)])
    rng = Random(works)
    return np.array([(0, *sorted(rng.sample(numbers, others))) for _ in range(MOST_SETS)])
