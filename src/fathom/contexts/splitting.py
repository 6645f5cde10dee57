"""Parts of a corpus that share no article: whole clusters of articles that cite one another go to one part.

A preprint and its article are one to this room: whoever trained on the one has read the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from fathom.contexts.growing import Pool
from fathom.records.chance import rng_for
from fathom.records.contexts import Split

ROUNDS = 12
"""Of passing labels on; they settle after a few."""


def divide(pool: Pool, shares: Mapping[Split, int], seed: int) -> dict[Split, list[int]]:
    """For each split its articles, about as many tokens of each as its share says."""
    if not shares:
        return {"test": list(pool.members)}
    parts: dict[Split, list[int]] = {split: [] for split in shares}
    weights: dict[Split, int] = dict.fromkeys(shares, 0)
    for cluster in clusters(pool, seed):
        # To whom the largest part of its share is still owed.
        neediest = min(shares, key=lambda split: weights[split] / shares[split])
        parts[neediest].extend(cluster)
        weights[neediest] += sum(pool.tokens[article] for article in cluster)
    return {split: sorted(members) for split, members in parts.items()}


def clusters(pool: Pool, seed: int) -> list[list[int]]:
    """Articles that cite one another more than others, largest cluster first: labels are passed on till they settle."""
    labels = list(range(len(pool)))
    versions: dict[int, list[int]] = {}
    for article in pool.members:
        versions.setdefault(pool.works[article], []).append(article)
    order = list(versions)
    for round in range(ROUNDS):
        rng_for(seed, "clusters", round).shuffle(order)
        changed = False
        for work in order:
            near = {pool.works[other] for version in versions[work] for other in pool.neighbours[version]}
            around = Counter(labels[other] for other in near - {work})
            if around:
                # The most frequent label around, and of several the smallest: chance decides only the order of work.
                best = min(around, key=lambda label: (-around[label], label))
                changed |= best != labels[work]
                labels[work] = best
        if not changed:
            break
    groups: dict[int, list[int]] = {}
    for article in sorted(pool.members):
        groups.setdefault(labels[pool.works[article]], []).append(article)
    return sorted(groups.values(), key=lambda group: (-len(group), group[0]))
