"""Coverage of the intervals, and of intervals that treat questions as independent."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.analysis.intervals import (
    ContextSums,
    FloatArray,
    IntArray,
    clustered_error,
    difference,
    draws,
    macro_average,
    ratio_lost,
    share,
    wilson,
)
from fathom.analysis.shared_documents import SharedDocuments, _variance_components


def drawn(
    rng: np.random.Generator, contexts: int, questions: int, right: float, likeness: float
) -> tuple[FloatArray, IntArray]:
    """Binary scores whose mean differs from context to context."""
    scale = (1 - likeness) / likeness
    chances = rng.beta(right * scale, (1 - right) * scale, contexts)
    where = np.repeat(np.arange(contexts), questions)
    return (rng.random(len(where)) < chances[where]).astype(float), where


@pytest.mark.parametrize("questions", [5, 10])
@pytest.mark.parametrize("right", [0.3, 0.8])
def test_coverage_with_correlated_questions(questions: int, right: float) -> None:
    rng = np.random.default_rng([questions, int(right * 10)])
    rounds, covered, plain = 600, 0, 0
    for _ in range(rounds):
        values, contexts = drawn(rng, 60, questions, right, 0.25)
        estimate = share(values, contexts)
        covered += estimate.low <= right <= estimate.high
        low, high = wilson(float(values.mean()), len(values), 1.96)
        plain += low <= right <= high
    # Three standard errors of 600 rounds about 95% are 2.7 points.
    assert 0.923 <= covered / rounds <= 0.977
    assert plain / rounds < 0.88


def test_coverage_with_few_contexts() -> None:
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(400):
        values, contexts = drawn(rng, 8, 10, 0.6, 0.2)
        estimate = share(values, contexts)
        covered += estimate.low <= 0.6 <= estimate.high
    assert covered / 400 >= 0.92


@pytest.mark.parametrize("value", [0.0, 1.0])
@pytest.mark.parametrize(("contexts", "questions"), [(1, 1), (1, 10), (3, 10), (100, 10)])
def test_intervals_at_zero_and_one_have_width(value: float, contexts: int, questions: int) -> None:
    where = np.repeat(np.arange(contexts), questions)
    estimate = share(np.full(len(where), value), where)
    assert estimate.value == value
    assert estimate.high - estimate.low > 0.5 / len(where)
    assert 0 <= estimate.low <= value <= estimate.high <= 1


def test_clustered_intervals_at_one_are_wider_than_independent_ones() -> None:
    together = share(np.ones(200), np.repeat(np.arange(20), 10))
    apart = share(np.ones(200), np.arange(200))
    assert together.low < apart.low


@given(
    st.lists(st.tuples(st.integers(0, 6), st.sampled_from([0.0, 0.25, 1.0])), min_size=1, max_size=60),
)
def test_every_interval_contains_its_value_and_stays_in_bounds(rows: list[tuple[int, float]]) -> None:
    contexts = np.array([context for context, _ in rows])
    values = np.array([value for _, value in rows])
    estimate = share(values, contexts)
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert estimate.high > estimate.low
    assert estimate.clusters == len(set(contexts.tolist()))
    assert estimate.effective > 0
    gap = difference(values - 0.25, contexts)
    assert -1 <= gap.low <= gap.value <= gap.high <= 1
    assert gap.high > gap.low


def test_one_question_per_context_gives_the_textbook_error() -> None:
    values = np.array([1.0] * 30 + [0.0] * 20)
    error = clustered_error(ContextSums.of(values, np.arange(50)))
    assert error.variance == pytest.approx(values.var(ddof=1) / 50)
    assert error.freedom == pytest.approx(49)


def test_contexts_of_unequal_size_leave_fewer_degrees_of_freedom() -> None:
    contexts = np.repeat(np.arange(10), [91, 1, 1, 1, 1, 1, 1, 1, 1, 1])
    values = np.tile([0.0, 1.0], 50)
    assert clustered_error(ContextSums.of(values, contexts)).freedom < 2


def test_no_questions_give_an_empty_estimate() -> None:
    nothing = np.zeros(0), np.zeros(0, dtype=np.int64)
    assert (share(*nothing).low, share(*nothing).high) == (0, 1)
    assert (difference(*nothing).low, difference(*nothing).high) == (-1, 1)


def test_micro_and_macro_averages_agree_for_groups_of_equal_size() -> None:
    rng = np.random.default_rng(2)
    values, contexts = drawn(rng, 40, 10, 0.6, 0.2)
    odd = np.arange(400) % 2 == 1
    estimate = macro_average(values, contexts, [odd, ~odd])
    assert estimate.value == pytest.approx(values.mean())
    assert estimate.low == pytest.approx(share(values, contexts).low, abs=0.02)


def test_the_macro_average_weights_groups_equally() -> None:
    values = np.array([1.0] * 90 + [0.0] * 10)
    small = np.arange(100) >= 90
    estimate = macro_average(values, np.arange(100) % 20, [small, ~small])
    assert estimate.value == pytest.approx(0.5)


def test_shared_documents_widen_the_interval() -> None:
    """Scores depend on the document, and each document is in a quarter of the contexts."""
    rng = np.random.default_rng(7)
    contexts = np.repeat(np.arange(80), 5)
    documents = [np.array([context % 4, 4 + context]) for context in range(80)]
    chances = np.array([0.1, 0.9, 0.2, 0.8])[np.arange(80) % 4]
    values = (rng.random(400) < chances[contexts]).astype(float)
    plain = share(values, contexts)
    wider = SharedDocuments.of(documents).share(values, contexts)
    assert wider is not None
    assert wider.value == plain.value
    assert wider.high - wider.low > 1.5 * (plain.high - plain.low)


def test_coverage_with_shared_documents() -> None:
    """Thirty documents, five per context; a difficult document is difficult in all of its contexts."""
    rng = np.random.default_rng(12)
    hard = rng.normal(0, 2, (100_000, 5)).mean(axis=1) + rng.normal(0, 0.3, 100_000)
    truth = float((1 / (1 + np.exp(-0.5 - hard))).mean())
    rounds, covered, alone = 200, 0, 0
    for _ in range(rounds):
        documents = [rng.choice(30, 5, replace=False) for _ in range(40)]
        each = rng.normal(0, 2, 30)
        easy = 0.5 + np.array([each[document].mean() for document in documents]) + rng.normal(0, 0.3, 40)
        contexts = np.repeat(np.arange(40), rng.integers(5, 15, 40))
        values = (rng.random(len(contexts)) < (1 / (1 + np.exp(-easy)))[contexts]).astype(float)
        found, plain = SharedDocuments.of(documents).share(values, contexts), share(values, contexts)
        assert found is not None
        assert found.high - found.low >= plain.high - plain.low - 1e-12
        covered += found.low <= truth <= found.high
        alone += plain.low <= truth <= plain.high
    assert covered / rounds >= 0.88
    assert alone / rounds < 0.75


def test_variance_components_match_explicit_matrices() -> None:
    rng = np.random.default_rng(4)
    documents = [rng.choice(12, rng.integers(1, 5), replace=False) for _ in range(9)]
    held = SharedDocuments.of(documents).membership
    weights = rng.random(9)
    weights /= weights.sum()
    whole = held.toarray()
    likeness = whole @ whole.T
    centring = np.eye(9) - np.outer(np.ones(9), weights)
    one = centring.T @ np.diag(weights**2) @ centring
    two = centring.T @ np.diag(weights) @ likeness @ np.diag(weights) @ centring
    pull = weights * (centring @ rng.random(9))
    expected = np.array([[np.trace(one @ likeness), np.trace(one)], [np.trace(two @ likeness), np.trace(two)]])
    documents_part, contexts_part = np.linalg.solve(expected, [pull @ pull, pull @ likeness @ pull])
    found = _variance_components(held, weights, pull)
    assert found is not None
    if documents_part < 0:
        documents_part, contexts_part = 0.0, pull @ pull / np.trace(one)
    assert found.documents == pytest.approx(documents_part * (weights @ likeness @ weights))
    assert found.contexts == pytest.approx(max(0.0, contexts_part) * (weights**2).sum())


def test_no_interval_over_documents_if_all_contexts_have_the_same() -> None:
    values, contexts = drawn(np.random.default_rng(1), 10, 5, 0.6, 0.2)
    assert SharedDocuments.of([np.array([0, 1])] * 10).share(values, contexts) is None


def test_questions_in_no_group_do_not_narrow_the_macro_average() -> None:
    rng = np.random.default_rng(6)
    values = (rng.random(96) < 0.8).astype(float)
    contexts = np.concatenate([np.arange(16), 16 + np.arange(80) // 10])
    label = np.concatenate([[0] * 6 + [1] * 2 + [2] * 8, [-1] * 80])
    some = macro_average(values, contexts, [label == number for number in range(3)])
    only = macro_average(values[:16], contexts[:16], [label[:16] == number for number in range(3)])
    assert some == only
    assert (some.items, some.clusters) == (16, 16)


@pytest.mark.parametrize("shares", [(0.9, 0.02), (0.97, 0.95)])
def test_coverage_of_the_macro_average(shares: tuple[float, float]) -> None:
    rng = np.random.default_rng(8)
    covered = 0
    for _ in range(300):
        parts = [drawn(rng, 4, 8, right, 0.2)[0] for right in shares]
        second = np.repeat([False, True], 32)
        estimate = macro_average(np.concatenate(parts), np.arange(64) // 8, [second, ~second])
        covered += estimate.low <= float(np.mean(shares)) <= estimate.high
    assert covered / 300 >= 0.92


def test_the_paired_bootstrap_agrees_with_the_formula() -> None:
    rng = np.random.default_rng(9)
    first, contexts = drawn(rng, 100, 10, 0.6, 0.2)
    second, _ = drawn(rng, 100, 10, 0.7, 0.2)
    sums, gap = ContextSums.of(first, contexts), ContextSums.of(second - first, contexts)
    found = np.concatenate([(one @ gap.totals) / (one @ sums.counts) for one in draws(100, 4_000, rng)])
    estimate = difference(second - first, contexts)
    low, high = np.quantile(found, [0.025, 0.975])
    assert found.mean() == pytest.approx(estimate.value, abs=0.003)
    assert (high - low) == pytest.approx(estimate.high - estimate.low, rel=0.1)


def test_coverage_of_the_share_lost() -> None:
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(300):
        upper, contexts = drawn(rng, 50, 8, 0.7, 0.2)
        lower = upper * (rng.random(len(upper)) < 0.75)
        estimate = ratio_lost(upper, lower, contexts)
        assert estimate is not None
        covered += estimate.low <= 0.25 <= estimate.high
    assert covered / 300 >= 0.91
    assert ratio_lost(np.zeros(20), np.zeros(20), np.arange(20)) is None, "of nothing, nothing is lost"
    alone = ratio_lost(np.ones(4), np.array([1.0, 1.0, 0.0, 0.0]), np.zeros(4, dtype=np.int64))
    assert alone is not None
    assert (alone.value, alone.low, alone.high) == (0.5, -1.0, 1.0)
