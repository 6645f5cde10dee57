"""Parts of a corpus, on citation graphs small enough to be seen."""

from __future__ import annotations

from fathom.contexts.document_selection import Pool
from fathom.contexts.splits import clusters, divide

CIRCLES = [(0, 1, 2, 3), (4, 5, 6, 7)]
"""In each of them every document cites every other."""


def pool(works: list[int]) -> Pool:
    around = [tuple(near for near in circle if near != document) for circle in CIRCLES for document in circle]
    return Pool([1_000] * 8, around, range(8), works)


def test_documents_that_cite_one_another_make_a_cluster() -> None:
    assert clusters(pool(list(range(8))), seed=0) == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_two_versions_of_a_work_never_part_though_their_neighbors_do() -> None:
    """Document 4 is the preprint of document 3, and each stands in a circle of its own."""
    for seed in range(20):
        parts = divide(pool([0, 1, 2, 3, 3, 5, 6, 7]), {"train": 1, "test": 1}, seed)
        assert sorted(document for part in parts.values() for document in part) == list(range(8))
        assert any({3, 4} <= set(part) for part in parts.values())


def test_a_chain_of_versions_is_one_work() -> None:
    """Nothing is cited, so that nothing but the work holds them together."""
    alone = Pool([1_000] * 6, [()] * 6, range(6), [0, 0, 0, 3, 4, 5])
    assert clusters(alone, seed=0) == [[0, 1, 2], [3], [4], [5]]
