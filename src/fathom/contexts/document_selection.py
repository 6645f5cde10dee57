"""Three ways to grow a context from one document: at random, breadth-first and depth-first over the citation graph."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from struct import unpack

from fathom.records.contexts import Sampling


@dataclass(frozen=True)
class Pool:
    """The documents that contexts are grown from, by number."""

    tokens: Sequence[int]
    neighbors: Sequence[Sequence[int]]
    """Whom each document cites or is cited by."""
    members: Sequence[int]
    """Those that may be taken; all of them, or one split's."""
    works: Sequence[int]
    """For each document the first version of its work: a preprint and its document are one, all others their own."""

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def shortest(self) -> int:
        """The tokens of the shortest document that may be taken."""
        return min(self.tokens[member] for member in self.members)

    def only(self, members: Sequence[int]) -> Pool:
        """The same documents, of which only these may be taken and walked over."""
        if len(members) == len(self):
            return self
        allowed = set(members)
        inside = [[near for near in around if near in allowed] for around in self.neighbors]
        return Pool(self.tokens, inside, members, self.works)


@dataclass(frozen=True)
class Size:
    """How long a context may be."""

    most: int
    least: int
    enough: int
    """Growing stops here, so that the last gap need not be filled to the token."""
    documents: int
    """How many documents there must be at the least."""
    boundary: Callable[[int], int]
    """The tokens of the line above document `number`."""
    closing: int


def grow(pool: Pool, size: Size, sampling: Sampling, start: int, rng: Random) -> list[int] | None:
    """Documents from `start` on that together have the wanted length, in the order found; None if they run out."""
    chosen: list[int] = []
    works: set[int] = set()
    total = size.closing
    walk = _WALKS[sampling](pool, start, rng)
    offered = next(walk, None)
    while offered is not None:
        cost = pool.tokens[offered] + size.boundary(len(chosen) + 1)
        # A long document is passed over where the documents that must still follow would no longer fit.
        reserved = max(0, size.documents - len(chosen) - 1) * (pool.shortest + size.boundary(len(chosen) + 1))
        # Beside its preprint a document would be counted twice, and what it says found twice.
        fits = total + cost + reserved <= size.most and pool.works[offered] not in works
        if fits:
            chosen.append(offered)
            works.add(pool.works[offered])
            total += cost
            if total >= size.enough and len(chosen) >= size.documents:
                break
        try:
            # A walk goes on from a document only when it was taken: what is shown hangs together.
            offered = walk.send(fits)
        except StopIteration:
            break
    return chosen if total >= size.least and len(chosen) >= size.documents else None


Walk = Generator[int, bool, None]
"""Offers documents, and is told of each whether it was taken."""


def _at_random(pool: Pool, start: int, rng: Random) -> Walk:
    """Any document, without regard to who cites whom: a shuffle that is drawn only as far as it is needed."""
    yield start
    moved: dict[int, int] = {}
    for last in range(len(pool.members) - 1, -1, -1):
        place = rng.randint(0, last)
        document = pool.members[moved.get(place, place)]
        moved[place] = moved.get(last, last)
        if document != start:
            yield document


def _breadth_first(pool: Pool, start: int, rng: Random) -> Walk:
    """The nearest documents first."""
    waiting = deque((start,))
    return _over_the_graph(pool, rng, waiting, waiting.popleft)


def _depth_first(pool: Pool, start: int, rng: Random) -> Walk:
    """From each document on to one of its neighbors, as far as it goes."""
    waiting = deque((start,))
    return _over_the_graph(pool, rng, waiting, waiting.pop)


def _over_the_graph(pool: Pool, rng: Random, waiting: deque[int], next_of: Callable[[], int]) -> Walk:
    # One draw ranks all documents for this walk. Shuffling each list of neighbors took most of a gathering's time.
    rank = unpack(f"<{len(pool)}I", rng.randbytes(4 * len(pool))).__getitem__
    seen: set[int] = set()
    while waiting:
        document = next_of()
        if document in seen:
            continue
        seen.add(document)
        taken = yield document
        if taken:
            waiting.extend(sorted((near for near in pool.neighbors[document] if near not in seen), key=rank))


_WALKS: dict[Sampling, Callable[[Pool, int, Random], Walk]] = {
    "random": _at_random,
    "bfs": _breadth_first,
    "dfs": _depth_first,
}

SAMPLING_METHODS = tuple(_WALKS)
"""The ways in which contexts can be gathered; others belong to families that make contexts of their own."""
