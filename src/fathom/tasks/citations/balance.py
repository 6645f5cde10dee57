"""What shared words have told of the items made so far, and what they may tell of one more."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from fathom.tasks.citations.draft import Draft
from fathom.tasks.citations.lexical import MATCHERS, Matcher
from fathom.tasks.citations.settings import OPTIONS

MOST_OF_A_RANK = 0.4
"""The share of items whose right candidate may be second, third or last by shared words."""

BEHIND = 2.0
"""Items by which a matcher may fall behind chance: whoever is always wrong tells as much as whoever is right."""
PUT_BY = 16
"""For so many clozes that are made, what one more may fill is put by, up to what a matcher may fall behind."""


class Balance:
    """How every matcher fares on one task at one level.

    Were everything dropped that shared words solve, the best match would be known to be wrong: another shortcut. So
    each matcher is held at chance, neither better nor much worse.
    """

    def __init__(self) -> None:
        self.made = 0
        self._ranks: dict[Matcher, Counter[int]] = {matcher: Counter() for matcher in MATCHERS}
        self._filled = dict.fromkeys(MATCHERS, 0.0)

    def note(self, draft: Draft) -> None:
        """One more item was made."""
        self.made += 1
        for matcher in MATCHERS:
            self._filled[matcher] += draft.share(matcher)
            if draft.task == "choice":
                self._ranks[matcher][draft.rank(matcher)] += 1

    def takes(self, draft: Draft) -> bool:
        """Whether with this item each matcher stays where it should."""
        if draft.task == "choice":
            return all(self._takes(matcher, draft.rank(matcher)) for matcher in MATCHERS)
        return all(draft.share(matcher) <= most for matcher, most in zip(MATCHERS, self.most, strict=True))

    def _takes(self, matcher: Matcher, place: int) -> bool:
        ranks = self._ranks[matcher]
        if place == 1:
            return ranks[1] + 1 <= (self.made + 1) / OPTIONS + 0.5
        return ranks[place] <= self.made * MOST_OF_A_RANK + 1 and ranks[1] >= self.made / OPTIONS - BEHIND

    @property
    def places(self) -> NDArray[np.bool_]:
        """For each matcher the places that the right candidate of one more choice may have by it."""
        return np.array([[self._takes(matcher, place + 1) for place in range(OPTIONS)] for matcher in MATCHERS])

    def rarity(self, matcher: Matcher) -> NDArray[np.int_]:
        """How often the right candidate has had each place by a matcher."""
        return np.array([self._ranks[matcher][place + 1] for place in range(OPTIONS)])

    @property
    def most(self) -> NDArray[np.float64]:
        """The share of one more cloze that each matcher may fill rightly."""
        return np.array([(self.made + 1) / OPTIONS - self._filled[matcher] for matcher in MATCHERS])

    @property
    def wanted(self) -> NDArray[np.float64]:
        """What it had best fill: less, while not enough is put by for a paper whose masks mislead nobody."""
        return np.maximum(0.0, self.most - min(BEHIND, self.made / PUT_BY))
