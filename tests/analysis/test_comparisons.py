"""Paired tests: few false alarms, and true differences are found with the estimated number of questions."""

from __future__ import annotations

import numpy as np
import pytest

from fathom.analysis.comparisons import MissingResponses, compare, contexts_needed, correct_for_multiple_tests
from fathom.analysis.findings import Comparison
from fathom.analysis.intervals import FloatArray, IntArray, difference
from fathom.analysis.significance import benjamini_hochberg, holm, permutation_tests
from tests.analysis.test_intervals import drawn


def totals(values: FloatArray, contexts: IntArray) -> FloatArray:
    return np.bincount(contexts, weights=values).astype(float)[:, None]


def chance(
    first: FloatArray, second: FloatArray, contexts: IntArray, rng: np.random.Generator, exchanges: int = 499
) -> float:
    return float(permutation_tests(totals(second - first, contexts), exchanges, rng)[0])


@pytest.mark.parametrize("contexts", [10, 40])
def test_equally_good_runs_are_seldom_called_different(contexts: int) -> None:
    rng = np.random.default_rng(contexts)
    alarms = naive = covered = 0
    rounds = 400
    for _ in range(rounds):
        first, where = drawn(rng, contexts, 10, 0.6, 0.25)
        second, _ = drawn(rng, contexts, 10, 0.6, 0.25)
        alarms += chance(first, second, where, rng) <= 0.05
        gap = second - first
        naive += abs(gap.mean()) > 1.96 * gap.std() / np.sqrt(len(gap))
        estimate = difference(gap, where)
        covered += estimate.low <= 0 <= estimate.high
    assert alarms / rounds <= 0.08
    assert covered / rounds >= 0.92
    assert naive / rounds > 0.15, "questions taken for independent raise false alarms"


def test_the_estimated_number_of_contexts_has_the_stated_power() -> None:
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
    assert permutation_tests(np.array([[1.0], [1.0], [1.0]]), 10, rng)[0] == pytest.approx(2 / 8)
    assert permutation_tests(np.array([[3.0], [-1.0], [0.0]]), 10, rng)[0] == pytest.approx(1.0)
    assert permutation_tests(np.zeros((5, 1)), 10, rng)[0] == 1.0


def test_tests_of_many_columns_agree_with_tests_of_one() -> None:
    rng = np.random.default_rng(4)
    columns = rng.normal([0.0, 0.3, 2.0], size=(40, 3))
    together = permutation_tests(columns, 4_000, np.random.default_rng(1))
    alone = [permutation_tests(columns[:, [index]], 4_000, np.random.default_rng(2))[0] for index in range(3)]
    assert together == pytest.approx(alone, abs=0.04)
    assert together[2] < 0.01 < together[0]


def test_corrections() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert benjamini_hochberg([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.04, 0.04])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []


def compared(first: FloatArray, second: FloatArray, where: IntArray, p: float) -> Comparison:
    return compare(("one", "two"), (first, second), where, p)


def test_notes_of_a_comparison() -> None:
    where = np.repeat(np.arange(10), 4)
    first = np.tile([1.0, 0.0, 0.0, 1.0], 10)
    second = np.tile([1.0, 1.0, 0.0, 0.0], 10)
    second[:4] = 1.0
    comparison = correct_for_multiple_tests([compared(first, second, where, 0.5)])[0]
    assert (comparison.both, comparison.only_first, comparison.only_second, comparison.neither) == (11, 9, 11, 9)
    assert not comparison.significant
    assert comparison.more_contexts is not None
    assert comparison.more_contexts > 0
    assert "No significant difference" in comparison.note
    few = np.repeat(np.arange(4), 6)
    p = float(permutation_tests(np.full((4, 1), 6.0), 10, np.random.default_rng(0))[0])
    large = correct_for_multiple_tests([compared(np.zeros(24), np.ones(24), few, p)])[0]
    assert (p, large.significant, large.is_unconfirmed) == (0.125, False, True)
    assert large.note.startswith("The interval excludes zero, but the test over 4 contexts does not confirm")
    same = correct_for_multiple_tests([compared(first, first, where, 1.0)])[0]
    assert (same.more_questions, same.more_contexts) == (None, None)
    assert "same score on every question" in same.note
    assert same.difference.low < 0 < same.difference.high, "equal scores do not prove a difference of zero"
    better = correct_for_multiple_tests([compared(first, second, where, 0.001)])[0]
    assert better.significant
    assert (better.more_questions, better.more_contexts) == (0, 0)
    assert better.note.startswith("two is better")


def test_a_difference_that_is_significant_alone_needs_more_questions_among_many_tests() -> None:
    where = np.arange(20)
    first, second = np.zeros(20), np.array([1.0] * 12 + [0.0] * 8)
    crowd = [compared(first, second, where, 0.02)] + [compared(first, first, where, 1.0)] * 20
    comparison = correct_for_multiple_tests(crowd)[0]
    assert not comparison.significant
    assert comparison.more_contexts is not None
    assert comparison.more_contexts >= 1


def test_missing_responses_can_cancel_a_difference() -> None:
    where = np.arange(20)
    first, second = np.zeros(20), np.array([1.0] * 10 + [0.0] * 10)
    some = compare(
        ("one", "two"), (first, second), where, 0.001, missing=(MissingResponses(4, 0.2), MissingResponses())
    )
    found = correct_for_multiple_tests([some])[0]
    assert found.significant
    assert found.note == (
        "two is better by 50.0 points. "
        "one has 4 missing responses; if all were correct, the difference would be +30.0 points."
    )
    all_of_them = compare(
        ("one", "two"), (first, second), where, 0.001, missing=(MissingResponses(10, 0.5), MissingResponses(1, 0.05))
    )
    found = correct_for_multiple_tests([all_of_them])[0]
    assert (found.missing_first, found.missing_second, found.significant) == (10, 1, False)
    assert "is better" not in found.note
    assert "two has 1 missing response" in found.note
    assert found.more_questions == 0, "no further question would help"
    turned = compare(
        ("one", "two"), (second, first), where, 0.001, missing=(MissingResponses(), MissingResponses(10, 0.5))
    )
    assert not correct_for_multiple_tests([turned])[0].significant


def test_notes_distinguish_equal_accuracy_from_equal_scores() -> None:
    where = np.repeat(np.arange(4), 2)
    first, second = np.tile([1.0, 0.0], 4), np.tile([0.0, 1.0], 4)
    equal = correct_for_multiple_tests([compared(first, second, where, 1.0)])[0]
    assert equal.note == "The accuracies are equal; 8 questions came out differently."
    alone = correct_for_multiple_tests([compared(np.zeros(8), np.ones(8), np.zeros(8, dtype=np.int64), 1.0)])[0]
    assert "one context is not enough" in alone.note
    same = correct_for_multiple_tests([compared(first, first, np.zeros(8, dtype=np.int64), 1.0)])[0]
    assert "same score on every question" in same.note


def test_contexts_needed_grow_with_the_number_of_tests_and_of_equal_contexts() -> None:
    where = np.arange(100)
    first, second = np.zeros(100), np.array([1.0] * 20 + [0.0] * 80)
    alone = compare(("one", "two"), (first, second), where, 0.5)
    crowded = compare(("one", "two"), (first, second), where, 0.5, tests=1_000)
    assert alone.more_contexts == 0
    assert crowded.more_contexts is not None
    assert crowded.more_contexts > 0
    # Two contexts of which one differs: at least six have to differ for p < 5%.
    needed = contexts_needed(np.array([1.0, 0.0]), np.arange(2))
    assert needed is not None
    assert needed >= 12
