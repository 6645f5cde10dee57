"""What shared words alone can do: a matcher without a model, by which shortcuts are found, measured and kept out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from math import log
from typing import Protocol

from fathom.records.spans import Span
from fathom.tasks.citations.words import words_of
from fathom.tasks.citations.works import Shown


class Counted(Protocol):
    """What counts its stems."""

    @property
    def counts(self) -> Mapping[str, int]: ...


class Candidate:
    """The words of what is shown of a work, up to where it is cut, by a few thousand characters."""

    def __init__(self, shown: Shown, end: int) -> None:
        self.counts: Mapping[str, int] = shown.stems.counts(end)


AROUND = 150
"""Characters on either side of a mask that the second matcher looks at."""


def wider(place: Span, text: str) -> Span:
    """A place with what stands around it."""
    return Span(max(0, place.start - AROUND), min(len(text), place.end + AROUND))


def query(text: str, around: Span, hidden: Iterable[Span]) -> frozenset[str]:
    """The stems of a stretch of a paper, as far as they are shown."""
    pieces, start = [], around.start
    for place in sorted(hidden):
        if place.start < around.end and around.start < place.end:
            pieces.append(text[start : place.start])
            start = max(start, place.end)
    return words_of(" ".join([*pieces, text[start : around.end]]))


def scores(wanted: Iterable[str], candidates: Sequence[Counted]) -> list[float]:
    """How well each candidate goes with the stems of the query; what all have tells little."""
    total = [0.0] * len(candidates)
    for word in sorted(wanted):
        counts = [candidate.counts.get(word, 0) for candidate in candidates]
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
