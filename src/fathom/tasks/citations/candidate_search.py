"""Which works stand beside the right ones, so that shared words tell no more of them than chance would.

Most sets of candidates are told apart by their words. So many sets are looked at for one item, by every matcher at
once; the item itself is then compared as it will be shown.
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
"""The matcher that must not only fail, but fail clearly."""
CLEARLY = 1.15
"""How much better than the right one a wrong candidate must match: a near tie is another matcher's hit."""

TIE = 1e-9
"""Scores that are no further apart are equal."""
OFFERED = 3
"""Sets that are offered of those that fit: as the item is shown, one of them may not."""

Numbers = NDArray[np.int_]
Values = NDArray[np.float64]

_ORDERS = orders(OPTIONS)
_RIGHT = (np.arange(OPTIONS) == _ORDERS).mean(axis=1)
"""The share of masks that each order fills rightly; the first fills all."""
_RARITY = np.array([rarity(found, OPTIONS) for found in range(OPTIONS + 1)])
_DAMPED = np.array([0.0, *map(damped, range(1, FAR))])
_LOOKED = sorted(range(len(MATCHERS)), key=lambda n: (MATCHERS[n] is not STRONGEST, MATCHERS[n].stretch != "sentence"))
"""The strongest matcher first, then the short stretch: what one tells apart need not be shown to the next."""


class SearchResult(NamedTuple):
    """What came of looking through sets: the best of those that fit, each by the places of its members."""

    tried: int
    fitting: int
    best: list[tuple[int, ...]]


class ScoreTable:
    """How well works go with masks by the words around these, for many sets of both at once."""

    def __init__(self, wanted: Sequence[Words], works: Sequence[WordCounts]) -> None:
        column: dict[str, int] = {}
        self._wanted = [[column.setdefault(word, len(column)) for word in words] for words in wanted]
        # The last column is that of no word, with which short queries are filled up.
        rows = [chain(map(work.counts.get, column, repeat(0)), (0,)) for work in works]
        self._counts = np.fromiter(chain.from_iterable(rows), int).reshape(len(works), len(column) + 1)
        self._sizes = np.array([work.size for work in works])

    def scores(self, masks: Numbers, works: Numbers, cosine: bool) -> Values:
        """For each set, for each of its masks, how well each of its works goes with it."""
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
    """Looks for sets among some masks and works of one paper."""

    def __init__(
        self,
        paper: Paper,
        masks: Sequence[Mask],
        works: Sequence[DocumentId],
        words_of: Callable[[DocumentId], WordCounts],
    ) -> None:
        """`words_of` gives the words of what will be shown of a work, as far as that is known yet."""
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
        """Three works to stand beside the first, which is the mask's; first what puts it where it has stood least."""
        left = sets = _threes(len(self._works) - 1)
        places = np.zeros(len(left), dtype=int)
        allowed = balance.places
        for number in _LOOKED:
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
        """Four masks of whose works about as much is filled by shared words as may be, and no more."""
        left, apart = np.array(sets), np.zeros(len(sets))
        works, most, wanted = np.array(own), balance.most, balance.wanted
        for number in _LOOKED:
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
    """The share of masks that the best order fills rightly; where several are best, as two masks of one sentence make
    them, what they fill on average."""
    best = totals >= totals.max(axis=1, keepdims=True) - TIE
    share: Values = (best * _RIGHT).sum(axis=1) / best.sum(axis=1)
    return share


@cache
def _threes(others: int) -> Numbers:
    """The right one, which is number zero, with each three of the others."""
    return np.array([(0, *chosen) for chosen in combinations(range(1, others + 1), OPTIONS - 1)])
