"""Searches candidates for which shared words do no better than chance.

Shared words solve most sets of candidates. So many sets are scored for one item, by every matcher at once; the item is
then scored again as it will be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from itertools import chain, combinations, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fathom.records.documents import DocumentId
from fathom.tasks.citations.balance import Balance
from fathom.tasks.citations.lexical import MATCHERS, Matcher, Stretch, damped, orders, rarity
from fathom.tasks.citations.papers import Mask, Paper
from fathom.tasks.citations.settings import OPTIONS
from fathom.tasks.citations.word_counts import FAR, WordCounts, Words

STRONGEST = MATCHERS[2]
"""The matcher that must fail clearly."""
CLEARLY = 1.15
"""The factor by which an incorrect candidate must match better: a near tie is a hit of another matcher."""

TIE = 1e-9
"""Scores that differ by less are equal."""
OFFERED = 3
"""Fitting sets that are offered: in its final form an item may not fit."""

Numbers = NDArray[np.int_]
Values = NDArray[np.float64]

_ORDERS = orders(OPTIONS)
_CORRECT_SHARE = (np.arange(OPTIONS) == _ORDERS).mean(axis=1)
"""The share of masks that each order fills correctly; the first fills all."""
_RARITY = np.array([rarity(found, OPTIONS) for found in range(OPTIONS + 1)])
_DAMPED = np.array([0.0, *map(damped, range(1, FAR))])
_MATCHER_ORDER = sorted(
    range(len(MATCHERS)), key=lambda n: (MATCHERS[n] is not STRONGEST, MATCHERS[n].stretch != "sentence")
)
"""The strongest matcher first, then the short stretch: sets that fail one are not scored by the next."""


class SearchResult(NamedTuple):
    """The result of a search: the best fitting sets, each as the indices of its members."""

    tried: int
    fitting: int
    best: list[tuple[int, ...]]


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
        total: Values = np.einsum("smw,smwk->smk", _RARITY[found], counts)
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
        """`words_of` gives the word counts of what will be shown of a work, as far as that is known."""
        self._paper, self._masks = paper, masks
        self._works = list(map(words_of, works))
        self._tables: dict[Stretch, ScoreTable] = {}

    def _scores(self, matcher: Matcher, masks: Numbers, works: Numbers) -> Values:
        stretch = matcher.stretch
        if stretch not in self._tables:
            wanted = [self._paper.queries.alone(stretch, mask.place) for mask in self._masks]
            self._tables[stretch] = ScoreTable(wanted, self._works)
        return self._tables[stretch].scores(masks, works, matcher.cosine)

    def beside(self, balance: Balance) -> SearchResult:
        """Three works beside the first, which is the mask's; sets that give it its rarest rank come first."""
        left = sets = _choices(len(self._works) - 1)
        places = np.zeros(len(left), dtype=int)
        allowed = balance.places
        for number in _MATCHER_ORDER:
            found = self._scores(MATCHERS[number], np.zeros((len(left), 1), dtype=int), left)[:, 0, :]
            right, best = found[:, 0], found[:, 1:].max(axis=1)
            place = (found[:, 1:] > found[:, :1]).sum(axis=1)
            fits = allowed[number, place]
            if MATCHERS[number] is STRONGEST:
                fits &= (best <= right) | (best > right * CLEARLY)
                places = place
            left, places = left[fits], places[fits]
        rare = balance.rarity(STRONGEST)[places].argsort(kind="stable")
        return SearchResult(len(sets), len(left), list(map(tuple, left[rare[:OFFERED], 1:].tolist())))

    def together(self, sets: Sequence[tuple[int, ...]], own: Sequence[int], balance: Balance) -> SearchResult:
        """Four masks of whose works shared words fill as much as allowed, and no more."""
        left, apart = np.array(sets), np.zeros(len(sets))
        works, most, wanted = np.array(own), balance.most, balance.wanted
        for number in _MATCHER_ORDER:
            totals = self._scores(MATCHERS[number], left, works[left])[:, np.arange(OPTIONS), _ORDERS].sum(axis=2)
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
    """The share of masks that the best order fills correctly; the mean if several are best, as with two masks in one
    sentence."""
    best = totals >= totals.max(axis=1, keepdims=True) - TIE
    share: Values = (best * _CORRECT_SHARE).sum(axis=1) / best.sum(axis=1)
    return share


@cache
def _choices(others: int) -> Numbers:
    """The correct work, which is number zero, with every three of the others."""
    return np.array([(0, *chosen) for chosen in combinations(range(1, others + 1), OPTIONS - 1)])
