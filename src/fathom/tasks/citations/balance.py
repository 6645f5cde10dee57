"""Keeps the accuracy of shared words at chance while items are built."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from fathom.tasks.citations.draft import Draft
from fathom.tasks.citations.lexical import MATCHERS, Matcher
from fathom.tasks.citations.settings import OPTIONS

MAX_RANK_SHARE = 0.4
"""The largest share of items whose correct candidate has the same rank below the first."""

BEHIND = 2.0
"""Items by which a matcher may fall below chance: being always wrong would be informative too."""
SAVED = 16
"""For so many clozes built, the fill of one more is saved, up to what a matcher may fall below chance."""


class Balance:
    """The accuracy of every matcher on one task at one level.

    If every item that shared words solve were dropped, the best match would always be incorrect: another shortcut. So
    each matcher is kept at chance, neither better nor much worse.
    """

    def __init__(self) -> None:
        self.made = 0
        self._ranks: dict[Matcher, Counter[int]] = {matcher: Counter() for matcher in MATCHERS}
        self._filled = dict.fromkeys(MATCHERS, 0.0)

    def note(self, draft: Draft) -> None:
        """Count one more item."""
        self.made += 1
        for matcher in MATCHERS:
            self._filled[matcher] += draft.share(matcher)
            if draft.task == "choice":
                self._ranks[matcher][draft.rank(matcher)] += 1

    def takes(self, draft: Draft) -> bool:
        """Whether every matcher stays within its bounds with this item."""
        if draft.task == "choice":
            return all(self._takes(matcher, draft.rank(matcher)) for matcher in MATCHERS)
        return all(draft.share(matcher) <= most for matcher, most in zip(MATCHERS, self.most, strict=True))

    def _takes(self, matcher: Matcher, place: int) -> bool:
        ranks = self._ranks[matcher]
        if place == 1:
            return ranks[1] + 1 <= (self.made + 1) / OPTIONS + 0.5
        return ranks[place] <= self.made * MAX_RANK_SHARE + 1 and ranks[1] >= self.made / OPTIONS - BEHIND

    @property
    def places(self) -> NDArray[np.bool_]:
        """For each matcher, the ranks that the correct candidate of the next choice may have."""
        return np.array([[self._takes(matcher, place + 1) for place in range(OPTIONS)] for matcher in MATCHERS])

    def rarity(self, matcher: Matcher) -> NDArray[np.int_]:
        """How often the correct candidate has had each rank by a matcher."""
        return np.array([self._ranks[matcher][place + 1] for place in range(OPTIONS)])

    @property
    def most(self) -> NDArray[np.float64]:
        """The share of the next cloze that each matcher may fill correctly."""
        return np.array([(self.made + 1) / OPTIONS - self._filled[matcher] for matcher in MATCHERS])

    @property
    def wanted(self) -> NDArray[np.float64]:
        """The preferred share: less while too little is saved for a paper whose masks mislead no matcher."""
        return np.maximum(0.0, self.most - min(BEHIND, self.made / SAVED))
