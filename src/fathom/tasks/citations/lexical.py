"""What shared words alone can do: a matcher without a model, by which shortcuts are found, measured and kept out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations
from math import log

from fathom.tasks.citations.works import Shown

STEP = 4_000
"""Characters by which a look into a candidate grows: of works that are cut nearly alike the words are counted once."""

class Candidate:
    """The words of what is shown of a work, up to where it is cut, by thousands of characters."""

    def __init__(self, shown: Shown, end: int) -> None:
        self.counts = shown.stems(max(STEP, end // STEP * STEP))


def scores(query: Iterable[str], candidates: Sequence[Candidate]) -> list[float]:
    """How well each candidate goes with the stems of the query; what all have tells little."""
    total = [0.0] * len(candidates)
    for word in sorted(query):
        counts = [candidate.counts[word] for candidate in candidates]
        found = sum(map(bool, counts))
        if not found:
            continue
        weight = log((len(candidates) + 1) / found)
        for number, count in enumerate(counts):
            if count:
                total[number] += weight * (1 + log(count))
    return total


def rank(answer: int, found: Sequence[float]) -> int:
    """The answer's place by score, from one; of equals those before it in the list come first."""
    return 1 + sum(
        score > found[answer] or (score == found[answer] and place < answer) for place, score in enumerate(found)
    )


def best_assignment(found: Sequence[Sequence[float]]) -> tuple[int, ...]:
    """For each mask the candidate, counted from zero, so that all scores together are highest."""
    return max(
        permutations(range(len(found))), key=lambda order: sum(found[mask][place] for mask, place in enumerate(order))
    )
