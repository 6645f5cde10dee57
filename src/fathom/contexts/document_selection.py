"""Selects the documents of a context, starting from one: at random, or breadth- or depth-first over citations."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from random import Random
from struct import unpack

from fathom.records.contexts import Sampling, Split
from fathom.records.rng import rng_for


@dataclass(frozen=True)
class DocumentPool:
    """The documents that contexts are sampled from; a document is its index in `tokens`."""

    tokens: Sequence[int]
    neighbors: Sequence[Sequence[int]]
    """The documents that each document cites or is cited by."""
    members: Sequence[int]
    """The documents that may be selected: all, or those of one split."""
    works: Sequence[int]
    """For each document the number of the first version of its work: a preprint and its article have the same."""
    years: Sequence[int | None] = ()
    """The year of each document, for sampling by year."""

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def shortest(self) -> int:
        """The tokens of the shortest document that may be selected."""
        return min(self.tokens[member] for member in self.members)

    def restricted_to(self, members: Sequence[int]) -> DocumentPool:
        """The same documents, of which only these may be selected and traversed."""
        if len(members) == len(self):
            return self
        allowed = set(members)
        inside = [[near for near in adjacent if near in allowed] for adjacent in self.neighbors]
        return DocumentPool(self.tokens, inside, members, self.works, self.years)


@dataclass(frozen=True)
class SizeLimits:
    """How long a context may be."""

    max_tokens: int
    min_tokens: int
    target_tokens: int
    """Selection stops here, so that the last gap need not be filled to the token."""
    min_documents: int
    boundary: Callable[[int], int]
    """The tokens of the line above document `number`."""
    closing: int
    """The tokens of the closing line."""


def select_documents(
    pool: DocumentPool, limits: SizeLimits, sampling: Sampling, start: int, rng: Random
) -> list[int] | None:
    """Documents from `start` on that together have the wanted length, in traversal order; None if they run out."""
    selected: list[int] = []
    works: set[int] = set()
    total = limits.closing
    traversal = _TRAVERSALS[sampling](pool, start, rng)
    document = next(traversal, None)
    while document is not None:
        boundary = limits.boundary(len(selected) + 1)
        cost = pool.tokens[document] + boundary
        # A long document is skipped if the minimum number of documents would no longer fit after it.
        reserved = max(0, limits.min_documents - len(selected) - 1) * (pool.shortest + boundary)
        # One version of a work only: its preprint would be counted again, and its content found twice.
        fits = total + cost + reserved <= limits.max_tokens and pool.works[document] not in works
        if fits:
            selected.append(document)
            works.add(pool.works[document])
            total += cost
            if total >= limits.target_tokens and len(selected) >= limits.min_documents:
                break
        try:
            # The traversal continues only from selected documents, so that they are connected by citations.
            document = traversal.send(fits)
        except StopIteration:
            break
    return selected if total >= limits.min_tokens and len(selected) >= limits.min_documents else None


Traversal = Generator[int, bool, None]
"""Yields documents, and receives for each whether it was selected."""


def _random(pool: DocumentPool, start: int, rng: Random) -> Traversal:
    """All documents in random order, regardless of citations: a Fisher-Yates shuffle that draws on demand."""
    yield start
    moved_to: dict[int, int] = {}
    for last in range(len(pool.members) - 1, -1, -1):
        index = rng.randint(0, last)
        document = pool.members[moved_to.get(index, index)]
        moved_to[index] = moved_to.get(last, last)
        if document != start:
            yield document


def _by_year(pool: DocumentPool, start: int, rng: Random) -> Traversal:
    """Two documents of the start's year for each one of another year, as long as there are both."""
    yield start
    other_documents = [document for document in pool.members if document != start]
    rng.shuffle(other_documents)
    same_year = [document for document in other_documents if pool.years[document] == pool.years[start]]
    other_years = [document for document in other_documents if pool.years[document] != pool.years[start]]
    while same_year or other_years:
        for source in (same_year, same_year, other_years):
            if source:
                yield source.pop()


def _breadth_first(pool: DocumentPool, start: int, rng: Random) -> Traversal:
    """The nearest documents first."""
    queue = deque((start,))
    return _traverse(pool, rng, queue, queue.popleft)


def _depth_first(pool: DocumentPool, start: int, rng: Random) -> Traversal:
    """From each document to one of its neighbors; back to the last open one at a dead end."""
    stack = deque((start,))
    return _traverse(pool, rng, stack, stack.pop)


def _traverse(pool: DocumentPool, rng: Random, frontier: deque[int], pop: Callable[[], int]) -> Traversal:
    rank = _ranks(len(pool), rng)
    visited: set[int] = set()
    while frontier:
        document = pop()
        if document in visited:
            continue
        visited.add(document)
        selected = yield document
        if selected:
            frontier.extend(sorted((near for near in pool.neighbors[document] if near not in visited), key=rank))


DRAWN_AT_ONCE = 100_000
"""Maximum number of documents that are all ranked in one draw."""


def _ranks(documents: int, rng: Random) -> Callable[[int], int]:
    """A random rank for each document. Shuffling each list of neighbors took most of the sampling time."""
    if documents <= DRAWN_AT_ONCE:
        return unpack(f"<{documents}I", rng.randbytes(4 * documents)).__getitem__
    # A traversal of a large corpus visits few documents, and ranking all of them took more time than all else.
    key = rng.randbytes(16)
    return lambda document: int.from_bytes(
        blake2b(document.to_bytes(4, "little"), key=key, digest_size=8).digest(), "little"
    )


_TRAVERSALS: dict[Sampling, Callable[[DocumentPool, int, Random], Traversal]] = {
    "random": _random,
    "bfs": _breadth_first,
    "dfs": _depth_first,
    "year": _by_year,
}

ROUNDS = 12
"""Maximum rounds of label propagation; labels settle after a few."""


def assign_splits(pool: DocumentPool, shares: Mapping[Split, int], seed: int) -> dict[Split, list[int]]:
    """The documents of each split; their tokens are about proportional to its share."""
    if not shares:
        return {"test": list(pool.members)}
    splits = _distribute(clusters(pool, seed), pool, shares)
    if not all(splits.values()):
        # Few large clusters would leave a split without documents: 12 letters gave 8 to train, 4 to dev, none to test.
        splits = _distribute(_versions(pool).values(), pool, shares)
    return splits


def _distribute(
    groups: Iterable[Sequence[int]], pool: DocumentPool, shares: Mapping[Split, int]
) -> dict[Split, list[int]]:
    """Each group goes to the split that is furthest below its share."""
    splits: dict[Split, list[int]] = {split: [] for split in shares}
    tokens: dict[Split, int] = dict.fromkeys(shares, 0)
    for group in groups:
        neediest = min(shares, key=lambda split: tokens[split] / shares[split])
        splits[neediest].extend(group)
        tokens[neediest] += sum(pool.tokens[document] for document in group)
    return {split: sorted(members) for split, members in splits.items()}


def _versions(pool: DocumentPool) -> dict[int, list[int]]:
    """The documents of each work."""
    versions: dict[int, list[int]] = {}
    for document in pool.members:
        versions.setdefault(pool.works[document], []).append(document)
    return versions


def clusters(pool: DocumentPool, seed: int) -> list[list[int]]:
    """Clusters of documents that cite one another, largest first, found by label propagation."""
    labels = list(range(len(pool)))
    versions = _versions(pool)
    order = list(versions)
    for round in range(ROUNDS):
        rng_for(seed, "clusters", round).shuffle(order)
        changed = False
        for work in order:
            adjacent = {pool.works[other] for version in versions[work] for other in pool.neighbors[version]}
            counts = Counter(labels[other] for other in adjacent - {work})
            if counts:
                # The most frequent label of the neighbors; of several the smallest. Only the order of work is random.
                best = min(counts, key=lambda label: (-counts[label], label))
                changed |= best != labels[work]
                labels[work] = best
        if not changed:
            break
    groups: dict[int, list[int]] = {}
    for document in sorted(pool.members):
        groups.setdefault(labels[pool.works[document]], []).append(document)
    return sorted(groups.values(), key=lambda group: (-len(group), group[0]))
