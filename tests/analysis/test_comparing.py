"""Paired tests keep their promise: few false alarms, and true differences found with as many questions as they say."""

from __future__ import annotations

import numpy as np
import pytest

from fathom.analysis.comparing import (
    benjamini_hochberg,
    compare,
    contexts_needed,
    corrected,
    exchange_tests,
    holm,
)
from fathom.analysis.findings import Comparison
from fathom.analysis.intervals import Numbers, Values, difference
from tests.analysis.test_intervals import drawn


def totals(values: Values, contexts: Numbers) -> Values:
    return np.bincount(contexts, weights=values).astype(float)[:, None]


def chance(first: Values, second: Values, contexts: Numbers, rng: np.random.Generator, exchanges: int = 499) -> float:
    return float(exchange_tests(totals(second - first, contexts), exchanges, rng)[0])


@pytest.mark.parametrize("contexts", [10, 40])
def test_two_runs_that_are_equally_good_are_seldom_told_apart(contexts: int) -> None:
    rng = np.random.default_rng(contexts)
    alarms = naive = covered = 0
    rounds = 400
    for _ in range(rounds):
        first, where = drawn(rng, contexts, 10, 0.6, 0.25)
        second, _ = drawn(rng, contexts, 10, 0.6, 0.25)
        alarms += chance(first, second, where, rng) <= 0.05
        gap = second - first
        naive += abs(gap.mean()) > 1.96 * gap.std() / np.sqrt(len(gap))
        found = difference(gap, where)
        covered += found.low <= 0 <= found.high
    assert alarms / rounds <= 0.08
    assert covered / rounds >= 0.92
    assert naive / rounds > 0.15, "questions taken for independent raise false alarms"


def test_as_many_contexts_as_are_asked_for_find_the_difference() -> None:
    """The number named for 80% power gives a power of about 80%."""
    rng = np.random.default_rng(1)
    first, where = drawn(rng, 40_000, 8, 0.6, 0.2)
    second, _ = drawn(rng, 40_000, 8, 0.7, 0.2)
    needed = contexts_needed(second - first, where)
    assert needed is not None
    found = 0
    for _ in range(300):
        one, small = drawn(rng, round(needed), 8, 0.6, 0.2)
        two, _ = drawn(rng, round(needed), 8, 0.7, 0.2)
        found += chance(one, two, small, rng) <= 0.05
    assert 0.7 <= found / 300 <= 0.9


def test_all_exchanges_of_few_contexts_are_tried() -> None:
    rng = np.random.default_rng(0)
    assert exchange_tests(np.array([[1.0], [1.0], [1.0]]), 10, rng)[0] == pytest.approx(2 / 8)
    assert exchange_tests(np.array([[3.0], [-1.0], [0.0]]), 10, rng)[0] == pytest.approx(1.0)
    assert exchange_tests(np.zeros((5, 1)), 10, rng)[0] == 1.0


def test_many_tests_at_once_are_the_same_as_one_after_another() -> None:
    rng = np.random.default_rng(4)
    columns = rng.normal([0.0, 0.3, 2.0], size=(40, 3))
    together = exchange_tests(columns, 4_000, np.random.default_rng(1))
    alone = [exchange_tests(columns[:, [place]], 4_000, np.random.default_rng(2))[0] for place in range(3)]
    assert together == pytest.approx(alone, abs=0.04)
    assert together[2] < 0.01 < together[0]


def test_corrections() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert benjamini_hochberg([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.04, 0.04])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


def compared(first: Values, second: Values, where: Numbers, p: float) -> Comparison:
    return compare(("one", "two"), (first, second), where, p)


def test_what_is_said_of_two_runs() -> None:
    where = np.repeat(np.arange(10), 4)
    first = np.tile([1.0, 0.0, 0.0, 1.0], 10)
    second = np.tile([1.0, 1.0, 0.0, 0.0], 10)
    second[:4] = 1.0
    found = corrected([compared(first, second, where, 0.5)])[0]
    assert (found.both, found.only_first, found.only_second, found.neither) == (11, 9, 11, 9)
    assert not found.apart
    assert found.more_contexts is not None
    assert found.more_contexts > 0
    assert "cannot be told apart" in found.note
    same = corrected([compared(first, first, where, 1.0)])[0]
    assert (same.more_items, same.more_contexts) == (None, None)
    assert "do not differ at all" in same.note
    assert same.difference.low < 0 < same.difference.high, "that nothing differed does not mean that nothing ever will"
    better = corrected([compared(first, second, where, 0.001)])[0]
    assert better.apart
    assert (better.more_items, better.more_contexts) == (0, 0)
    assert better.note.startswith("two is better")


def test_a_difference_that_is_lost_among_many_tests_wants_more_questions() -> None:
    where = np.arange(20)
    first, second = np.zeros(20), np.array([1.0] * 12 + [0.0] * 8)
    crowd = [compared(first, second, where, 0.02)] + [compared(first, first, where, 1.0)] * 20
    found = corrected(crowd)[0]
    assert not found.apart
    assert found.more_contexts is not None
    assert found.more_contexts >= 1
