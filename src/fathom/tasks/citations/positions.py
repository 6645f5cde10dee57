"""Positions of the correct candidates, spread evenly."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import permutations
from typing import NamedTuple

from fathom.records.rng import rng_for


class ItemShape(NamedTuple):
    """The items that positions are drawn for: task, level, and numbers of candidates and correct ones."""

    task: str
    level: str
    candidates: int
    correct: int


class PositionSampler:
    """Draws positions in shuffled blocks. In a block every position is used once; if all candidates are correct, every
    order of them."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._blocks: dict[ItemShape, list[tuple[int, ...]]] = defaultdict(list)
        self._drawn: Counter[ItemShape] = Counter()

    def next(self, places: ItemShape) -> tuple[int, ...]:
        """The positions of the correct candidates, in the order of the masks; the same until they are taken."""
        if not self._blocks[places]:
            self._blocks[places] = self._block(places)
        return self._blocks[places][-1]

    def take(self, places: ItemShape) -> None:
        """Mark the next positions as used."""
        self._blocks[places].pop()
        self._drawn[places] += 1

    def _block(self, places: ItemShape) -> list[tuple[int, ...]]:
        rng = rng_for(self._seed, "orders", places.task, places.level, self._drawn[places])
        numbers, each = range(1, places.candidates + 1), places.correct
        if each == places.candidates:
            orders = list(permutations(numbers))
            rng.shuffle(orders)
            return orders
        shuffled = list(numbers)
        rng.shuffle(shuffled)
        return [tuple(shuffled[start : start + each]) for start in range(0, places.candidates - each + 1, each)]
