"""Splits of small citation graphs."""

from __future__ import annotations

from fathom.contexts.document_selection import DocumentPool, assign_splits, clusters
from fathom.records.contexts import Split

CLIQUES = [(0, 1, 2, 3), (4, 5, 6, 7)]
"""In each of them every document cites every other."""


def pool(works: list[int]) -> DocumentPool:
    around = [tuple(near for near in clique if near != document) for clique in CLIQUES for document in clique]
    return DocumentPool([1_000] * 8, around, range(8), works)


def test_documents_that_cite_one_another_are_a_cluster() -> None:
    assert clusters(pool(list(range(8))), seed=0) == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_keeps_two_versions_of_a_work_in_one_split() -> None:
    """Document 4 is the preprint of document 3, and each is in a clique of its own."""
    for seed in range(20):
        splits = assign_splits(pool([0, 1, 2, 3, 3, 5, 6, 7]), {"train": 1, "test": 1}, seed)
        assert sorted(document for split in splits.values() for document in split) == list(range(8))
        assert any({3, 4} <= set(split) for split in splits.values())


def test_a_chain_of_versions_is_one_work() -> None:
    """Nothing is cited, so only the work connects them."""
    alone = DocumentPool([1_000] * 6, [()] * 6, range(6), [0, 0, 0, 3, 4, 5])
    assert clusters(alone, seed=0) == [[0, 1, 2], [3], [4], [5]]


def test_no_split_is_left_without_documents() -> None:
    """Two cliques are too few for three splits, so the documents are divided one by one."""
    shares: dict[Split, int] = {"train": 70, "dev": 10, "test": 20}
    splits = assign_splits(pool(list(range(8))), shares, seed=0)
    assert {split: len(members) for split, members in splits.items()} == {"train": 5, "dev": 1, "test": 2}
