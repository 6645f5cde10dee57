"""Three ways to grow a context from one article: at random, breadth-first and depth-first over the citation graph."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from random import Random

from fathom.records.contexts import Way


@dataclass(frozen=True)
class Pool:
    """The articles that contexts are grown from, by number."""

    tokens: Sequence[int]
    neighbours: Sequence[Sequence[int]]
    """Whom each article cites or is cited by."""

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True)
class Size:
    """How long a context may be."""

    most: int
    least: int
    enough: int
    """Growing stops here, so that the last gap need not be filled to the token."""
    boundary: Callable[[int], int]
    """The tokens of the line above article `number`."""
    closing: int


def grow(pool: Pool, size: Size, way: Way, rng: Random) -> list[int] | None:
    """Articles that together have a wanted length, in the order found; None where the walk ended too short."""
    chosen: list[int] = []
    total = size.closing
    walk = _WALKS[way](pool, rng)
    offered = next(walk, None)
    while offered is not None:
        cost = pool.tokens[offered] + size.boundary(len(chosen) + 1)
        fits = total + cost <= size.most
        if fits:
            chosen.append(offered)
            total += cost
            if total >= size.enough:
                break
        try:
            # A walk goes on from an article only when it was taken: what is shown hangs together.
            offered = walk.send(fits)
        except StopIteration:
            break
    return chosen if total >= size.least else None


Walk = Generator[int, bool, None]
"""Offers articles, and is told of each whether it was taken."""


def _at_random(pool: Pool, rng: Random) -> Walk:
    """Any article, without regard to who cites whom: a shuffle that is drawn only as far as it is needed."""
    moved: dict[int, int] = {}
    for last in range(len(pool) - 1, -1, -1):
        place = rng.randint(0, last)
        yield moved.get(place, place)
        moved[place] = moved.get(last, last)


def _breadth_first(pool: Pool, rng: Random) -> Walk:
    """The nearest articles first."""
    waiting: deque[int] = deque()
    return _over_the_graph(pool, rng, waiting, waiting.popleft)


def _depth_first(pool: Pool, rng: Random) -> Walk:
    """From each article on to one of its neighbours, as far as it goes."""
    waiting: deque[int] = deque()
    return _over_the_graph(pool, rng, waiting, waiting.pop)


def _over_the_graph(pool: Pool, rng: Random, waiting: deque[int], next_of: Callable[[], int]) -> Walk:
    waiting.append(rng.randrange(len(pool)))
    seen: set[int] = set()
    while waiting:
        article = next_of()
        if article in seen:
            continue
        seen.add(article)
        taken = yield article
        if taken:
            around = [neighbour for neighbour in pool.neighbours[article] if neighbour not in seen]
            rng.shuffle(around)
            waiting.extend(around)


_WALKS: dict[Way, Callable[[Pool, Random], Walk]] = {
    "random": _at_random,
    "breadth": _breadth_first,
    "depth": _depth_first,
}
