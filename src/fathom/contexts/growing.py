"""Three ways to grow a context from one article: at random, breadth-first and depth-first over the citation graph."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from struct import unpack

from fathom.records.contexts import Way


@dataclass(frozen=True)
class Pool:
    """The articles that contexts are grown from, by number."""

    tokens: Sequence[int]
    neighbours: Sequence[Sequence[int]]
    """Whom each article cites or is cited by."""
    members: Sequence[int]
    """Those that may be taken; all of them, or one split's."""
    works: Sequence[int]
    """For each article the first version of its work: a preprint and its article are one, all others their own."""

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def shortest(self) -> int:
        """The tokens of the shortest article that may be taken."""
        return min(self.tokens[member] for member in self.members)

    def only(self, members: Sequence[int]) -> Pool:
        """The same articles, of which only these may be taken and walked over."""
        if len(members) == len(self):
            return self
        allowed = set(members)
        inside = [[near for near in around if near in allowed] for around in self.neighbours]
        return Pool(self.tokens, inside, members, self.works)


@dataclass(frozen=True)
class Size:
    """How long a context may be."""

    most: int
    least: int
    enough: int
    """Growing stops here, so that the last gap need not be filled to the token."""
    articles: int
    """How many articles there must be at the least."""
    boundary: Callable[[int], int]
    """The tokens of the line above article `number`."""
    closing: int


def grow(pool: Pool, size: Size, way: Way, start: int, rng: Random) -> list[int] | None:
    """Articles from `start` on that together have the wanted length, in the order found; None if they run out."""
    chosen: list[int] = []
    works: set[int] = set()
    total = size.closing
    walk = _WALKS[way](pool, start, rng)
    offered = next(walk, None)
    while offered is not None:
        cost = pool.tokens[offered] + size.boundary(len(chosen) + 1)
        # A long article is passed over where the articles that must still follow would no longer fit.
        reserved = max(0, size.articles - len(chosen) - 1) * (pool.shortest + size.boundary(len(chosen) + 1))
        # Beside its preprint an article would be counted twice, and what it says found twice.
        fits = total + cost + reserved <= size.most and pool.works[offered] not in works
        if fits:
            chosen.append(offered)
            works.add(pool.works[offered])
            total += cost
            if total >= size.enough and len(chosen) >= size.articles:
                break
        try:
            # A walk goes on from an article only when it was taken: what is shown hangs together.
            offered = walk.send(fits)
        except StopIteration:
            break
    return chosen if total >= size.least and len(chosen) >= size.articles else None


Walk = Generator[int, bool, None]
"""Offers articles, and is told of each whether it was taken."""


def _at_random(pool: Pool, start: int, rng: Random) -> Walk:
    """Any article, without regard to who cites whom: a shuffle that is drawn only as far as it is needed."""
    yield start
    moved: dict[int, int] = {}
    for last in range(len(pool.members) - 1, -1, -1):
        place = rng.randint(0, last)
        article = pool.members[moved.get(place, place)]
        moved[place] = moved.get(last, last)
        if article != start:
            yield article


def _breadth_first(pool: Pool, start: int, rng: Random) -> Walk:
    """The nearest articles first."""
    waiting = deque((start,))
    return _over_the_graph(pool, rng, waiting, waiting.popleft)


def _depth_first(pool: Pool, start: int, rng: Random) -> Walk:
    """From each article on to one of its neighbours, as far as it goes."""
    waiting = deque((start,))
    return _over_the_graph(pool, rng, waiting, waiting.pop)


def _over_the_graph(pool: Pool, rng: Random, waiting: deque[int], next_of: Callable[[], int]) -> Walk:
    # One draw ranks all articles for this walk. Shuffling each list of neighbours took most of a gathering's time.
    rank = unpack(f"<{len(pool)}I", rng.randbytes(4 * len(pool))).__getitem__
    seen: set[int] = set()
    while waiting:
        article = next_of()
        if article in seen:
            continue
        seen.add(article)
        taken = yield article
        if taken:
            waiting.extend(sorted((near for near in pool.neighbours[article] if near not in seen), key=rank))


_WALKS: dict[Way, Callable[[Pool, int, Random], Walk]] = {
    "random": _at_random,
    "breadth": _breadth_first,
    "depth": _depth_first,
}

WAYS = tuple(_WALKS)
"""The ways in which contexts can be gathered; others belong to families that make contexts of their own."""
