"""Divides a corpus into splits that share no document: documents that cite one another go to one split.

All versions of a work stay together: a model trained on a preprint has read the published article.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from fathom.contexts.document_selection import Pool
from fathom.records.contexts import Split
from fathom.records.rng import rng_for

ROUNDS = 12
"""Maximum rounds of label propagation; labels settle after a few."""


def assign_splits(pool: Pool, shares: Mapping[Split, int], seed: int) -> dict[Split, list[int]]:
    """The documents of each split; their tokens are about proportional to its share."""
    if not shares:
        return {"test": list(pool.members)}
    splits: dict[Split, list[int]] = {split: [] for split in shares}
    tokens: dict[Split, int] = dict.fromkeys(shares, 0)
    for cluster in clusters(pool, seed):
        # To the split that is furthest below its share.
        neediest = min(shares, key=lambda split: tokens[split] / shares[split])
        splits[neediest].extend(cluster)
        tokens[neediest] += sum(pool.tokens[document] for document in cluster)
    return {split: sorted(members) for split, members in splits.items()}


def clusters(pool: Pool, seed: int) -> list[list[int]]:
    """Clusters of documents that cite one another, largest first, found by label propagation."""
    labels = list(range(len(pool)))
    versions: dict[int, list[int]] = {}
    for document in pool.members:
        versions.setdefault(pool.works[document], []).append(document)
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
