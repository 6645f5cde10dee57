"""Correlates of failure."""

from __future__ import annotations

import numpy as np
import pytest

from fathom.analysis.correlates import correlates
from fathom.analysis.intervals import FloatArray


def asked(rng: np.random.Generator, contexts: int = 80) -> dict[str, FloatArray]:
    where = np.repeat(np.arange(contexts), 6)
    return {
        "documents": np.repeat(rng.integers(4, 40, contexts), 6).astype(float),
        "program length": rng.integers(2, 12, len(where)).astype(float),
    }


def test_the_model_separates_a_cause_from_its_correlate() -> None:
    rng = np.random.default_rng(1)
    sizes = asked(rng, 200)
    where = np.repeat(np.arange(200), 6)
    sizes["question length"] = sizes["program length"] * 3 + rng.normal(0, 6, len(where))
    right = (rng.random(len(where)) < 1 / (1 + np.exp(0.4 * (sizes["program length"] - 6)))).astype(float)
    found = {row.name: row for row in correlates(right, where, sizes).rows}
    assert found["program length"].correlation < -0.3
    assert found["program length"].p_holm < 0.001
    assert found["program length"].high < 0
    # Long questions correlate with failure, but only because their programs are long.
    assert found["question length"].p_holm < 0.01
    assert found["question length"].odds_p is not None
    assert found["question length"].odds_p > 0.05
    assert found["program length"].odds_ratio is not None
    assert found["program length"].odds_ratio < 0.5
    assert found["documents"].p_holm > 0.05


def test_a_property_of_contexts_raises_few_false_alarms() -> None:
    """Contexts differ in difficulty, whatever their documents: 480 questions are 80 draws."""
    rng = np.random.default_rng(2)
    alarms = odds_alarms = 0
    for _ in range(200):
        sizes = asked(rng)
        where = np.repeat(np.arange(80), 6)
        right = (rng.random(480) < rng.beta(1, 1, 80)[where]).astype(float)
        row = next(row for row in correlates(right, where, sizes).rows if row.name == "documents")
        alarms += row.p <= 0.05
        odds_alarms += row.odds_p is not None and row.odds_p <= 0.05
    assert alarms / 200 <= 0.09
    assert odds_alarms / 200 <= 0.1


def test_collinear_and_incomplete_properties_are_excluded_from_the_model() -> None:
    rng = np.random.default_rng(3)
    sizes = asked(rng)
    sizes["context length"] = sizes["documents"] * 8_000 + rng.normal(0, 100, 480)
    sizes["constant"] = np.ones(480)
    sizes["evidence spread"] = np.where(np.arange(480) % 3 == 0, np.nan, rng.random(480))
    right = (rng.random(480) < 0.5).astype(float)
    result = correlates(right, np.repeat(np.arange(80), 6), sizes)
    assert result.fit is not None
    assert set(result.fit.excluded) == {"context length", "evidence spread"}
    assert result.fit.excluded["evidence spread"] == "160 questions do not have it"
    assert result.excluded == {"constant": "it is the same for all questions"}
    assert {row.name for row in result.rows} == {"documents", "program length", "context length", "evidence spread"}
    spread = next(row for row in result.rows if row.name == "evidence spread")
    assert (spread.items, spread.odds_ratio) == (320, None)


def test_no_correlates_without_failures() -> None:
    result = correlates(np.ones(480), np.repeat(np.arange(80), 6), asked(np.random.default_rng(0)))
    assert (result.rows, result.fit) == ((), None)
    assert set(result.excluded.values()) == {"all of its questions have the same score"}


def test_many_properties_raise_few_false_alarms_and_few_contexts_get_no_model() -> None:
    rng = np.random.default_rng(5)
    alarms = 0
    for _ in range(200):
        where = np.repeat(np.arange(24), 10)
        sizes = {f"of contexts {number}": np.repeat(rng.random(24), 10) for number in range(2)}
        sizes |= {f"of questions {number}": rng.random(240) for number in range(4)}
        right = (rng.random(240) < rng.beta(2.4, 1.6, 24)[where]).astype(float)
        rows = correlates(right, where, sizes).rows
        assert all(row.odds_p is not None for row in rows)
        alarms += any(row.odds_p is not None and row.odds_p <= 0.05 for row in rows)
    assert alarms / 200 <= 0.1
    few = correlates(right[:120], where[:120], {name: values[:120] for name, values in sizes.items()})
    assert few.fit is None
    assert few.note == "12 contexts are too few for a logistic model with 6 properties."


def test_a_perfect_correlation_is_significant() -> None:
    where = np.repeat(np.arange(20), 2)
    right = np.tile([0.0, 1.0], 20)
    [row] = correlates(right, where, {"answer length": right * 3}).rows
    assert row.correlation == pytest.approx(1.0)
    assert row.p < 0.001


def test_coefficients_stay_finite_under_separation() -> None:
    sizes = {"documents": np.arange(100.0)}
    result = correlates((np.arange(100) < 50).astype(float), np.arange(100), sizes)
    [row] = result.rows
    assert row.odds_ratio is not None
    assert 0 < row.odds_ratio < 1
    assert row.odds_low is not None
    assert row.odds_low > 0


def test_lengths_in_words_are_reported_beside_the_model() -> None:
    rng = np.random.default_rng(3)
    sizes = asked(rng)
    sizes["query words"] = sizes["program length"] * 4 + rng.normal(0, 2, len(sizes["program length"]))
    right = (rng.random(len(sizes["query words"])) < 1 / (1 + np.exp(sizes["program length"] - 6))).astype(float)
    result = correlates(right, np.repeat(np.arange(80), 6), sizes)
    rows = {row.name: row for row in result.rows}
    assert rows["query words"].correlation < -0.3
    assert rows["query words"].odds_ratio is None
    assert rows["program length"].odds_ratio is not None
    assert result.fit is not None
    assert result.fit.excluded == {"query words": "another unit of program length"}
