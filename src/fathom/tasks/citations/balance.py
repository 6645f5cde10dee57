"""Keeps the accuracy of matching shared words at chance level while items are built."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from fathom.tasks.citations.draft import Draft
from fathom.tasks.citations.lexical import MATCHERS, Matcher
from fathom.tasks.citations.settings import OPTIONS

MAX_RANK_SHARE = 0.4
"""The maximum share of items in which a matcher ranks the correct candidate second (or third, or fourth)."""

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
        self._ranks: dict[Matcher, Counter[int]] = {matcher: Counter() for matcher in MATCHERS}
        self._filled = dict.fromkeys(MATCHERS, 0.0)

    def note(self, draft: Draft) -> None:
        """Count an item that was built."""
        self.made += 1
        for matcher in MATCHERS:
            self._filled[matcher] += draft.share(matcher)
            if draft.task == "choice":
                self._ranks[matcher][draft.rank(matcher)] += 1

    def takes(self, draft: Draft) -> bool:
        """Whether every matcher stays within its bounds if this item is built."""
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
        """How often the matcher has given the correct candidate each rank."""
        return np.array([self._ranks[matcher][place + 1] for place in range(OPTIONS)])

    @property
    def most(self) -> NDArray[np.float64]:
        """For each matcher, the maximum share of the next cloze that it may fill correctly."""
        return np.array([(self.made + 1) / OPTIONS - self._filled[matcher] for matcher in MATCHERS])

    @property
    def wanted(self) -> NDArray[np.float64]:
        """For each matcher, the preferred share of the next cloze: less than `most`, to build up the reserve."""
        return np.maximum(0.0, self.most - min(BEHIND, self.made / SAVED))
