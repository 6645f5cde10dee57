"""Parts of a corpus that share no document: whole clusters of documents that cite one another go to one part.

A preprint and its document are one to this room: whoever trained on the one has read the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from fathom.contexts.document_selection import Pool
from fathom.records.contexts import Split
from fathom.records.rng import rng_for

ROUNDS = 12
"""Of passing labels on; they settle after a few."""


def divide(pool: Pool, shares: Mapping[Split, int], seed: int) -> dict[Split, list[int]]:
    """For each split its documents, about as many tokens of each as its share says."""
    if not shares:
        return {"test": list(pool.members)}
    parts: dict[Split, list[int]] = {split: [] for split in shares}
    weights: dict[Split, int] = dict.fromkeys(shares, 0)
    for cluster in clusters(pool, seed):
        # To whom the largest part of its share is still owed.
        neediest = min(shares, key=lambda split: weights[split] / shares[split])
        parts[neediest].extend(cluster)
        weights[neediest] += sum(pool.tokens[document] for document in cluster)
    return {split: sorted(members) for split, members in parts.items()}


def clusters(pool: Pool, seed: int) -> list[list[int]]:
    """Documents that cite one another more than others, largest cluster first: labels are passed on till they
    settle."""
    labels = list(range(len(pool)))
    versions: dict[int, list[int]] = {}
    for document in pool.members:
        versions.setdefault(pool.works[document], []).append(document)
    order = list(versions)
    for round in range(ROUNDS):
        rng_for(seed, "clusters", round).shuffle(order)
        changed = False
        for work in order:
            near = {pool.works[other] for version in versions[work] for other in pool.neighbors[version]}
            around = Counter(labels[other] for other in near - {work})
            if around:
                # The most frequent label around, and of several the smallest: chance decides only the order of work.
                best = min(around, key=lambda label: (-around[label], label))
                changed |= best != labels[work]
                labels[work] = best
        if not changed:
            break
    groups: dict[int, list[int]] = {}
    for document in sorted(pool.members):
        groups.setdefault(labels[pool.works[document]], []).append(document)
    return sorted(groups.values(), key=lambda group: (-len(group), group[0]))
