"""Effective length."""

from __future__ import annotations

import numpy as np
import pytest

from fathom.analysis.bench_data import RunArrays
from fathom.analysis.effective_length import curve, without_effective_length
from fathom.analysis.findings import (
    RESPONSE_OUTCOMES,
    Baseline,
    EffectiveLength,
    Group,
    LengthCurve,
    LengthPoint,
    Outcomes,
    RunInfo,
    RunSummary,
)
from fathom.analysis.intervals import share
from fathom.analysis.properties import QuestionProperties
from fathom.analysis.run_summary import length_curve


def effective(*shares: float, contexts: int = 200) -> tuple[str | None, int | None, int | None, bool]:
    """The effective length of a run with these accuracies at 64K, 128K, 256K, ..."""
    points, values, where = [], [], []
    for index, right in enumerate(shares):
        some = np.zeros(contexts * 5)
        some[: round(right * len(some))] = 1.0
        np.random.default_rng(index).shuffle(some)
        tokens = 65_536 * 2**index
        values.append(some)
        where.append(np.repeat(np.arange(contexts), 5))
        outcomes = Outcomes(
            questions=len(some), responses=len(some), correct=int(some.sum()), incorrect=int((1 - some).sum())
        )
        point = LengthPoint(
            name=f"{tokens // 1024}K", tokens=tokens, outcomes=outcomes, accuracy=share(some, where[-1])
        )
        points.append(point)
    found = curve(points, values, where, 500, np.random.default_rng(0)).effective
    assert found is not None
    if found.low is not None and found.high is not None:
        assert found.low <= found.tokens <= found.high
    return found.length, found.low, found.high, found.reaches_longest


def test_effective_length_is_the_longest_above_the_threshold() -> None:
    assert effective(0.8, 0.75, 0.4, 0.2) == ("128K", 131_072, 131_072, False)
    assert effective(0.8, 0.79, 0.8) == ("256K", 262_144, 262_144, True)
    assert effective(0.8, 0.3) == ("64K", 65_536, 65_536, False)
    assert effective(0.0, 0.0)[0] is None


def test_a_longer_length_does_not_make_up_for_a_drop() -> None:
    assert effective(0.8, 0.3, 0.8)[0] == "64K"


def test_near_the_threshold_the_interval_spans_both_lengths() -> None:
    _, low, high, _ = effective(0.8, 0.68, contexts=40)
    assert (low, high) == (65_536, 131_072)


def test_no_interval_with_few_contexts() -> None:
    assert effective(0.8, 0.3, contexts=4) == ("64K", None, None, False)


def curve_of(rows: list[tuple[str, int, float]]) -> LengthCurve:
    """The curve of questions with a family, a length and an accuracy; each has its own context."""
    places = np.arange(len(rows))
    asked = [
        QuestionProperties(f"q{index}", family, "number", index, {}, {}, tokens)
        for index, (family, tokens, _) in enumerate(rows)
    ]
    right = np.array([share for *_, share in rows])
    outcomes = np.zeros((len(rows), len(RESPONSE_OUTCOMES)), dtype=np.int64)
    outcomes[places, np.where(right == 1, RESPONSE_OUTCOMES.index("correct"), RESPONSE_OUTCOMES.index("incorrect"))] = 1
    found = RunArrays(places, places, right, right, outcomes)
    return length_curve(asked, found, 1, 100, np.random.default_rng(0))


def test_a_family_that_is_not_asked_at_every_length_is_left_out_of_the_curve() -> None:
    always = [("hard", length, float(index % 2)) for length in (1_024, 2_048) for index in range(20)]
    result_curve = curve_of(always + [("easy", 1_024, 1.0)] * 60)
    assert [point.accuracy.value for point in result_curve.points] == [0.5, 0.5]
    assert result_curve.families == ("hard",)
    assert result_curve.note == "Without easy, not asked at every length."
    assert result_curve.effective is not None
    assert result_curve.effective.reaches_longest
    apart = curve_of([("hard", 2_048, 0.0)] * 20 + [("easy", 1_024, 1.0)] * 20)
    assert apart.effective is None
    assert "No family is asked at every length" in apart.note
    assert len(apart.points) == 2


def test_one_length_has_no_effective_length() -> None:
    values = np.array([1.0, 0.0])
    outcomes = Outcomes(questions=2, responses=2, correct=1, incorrect=1)
    point = LengthPoint(name="64K", tokens=65_536, outcomes=outcomes, accuracy=share(values, np.arange(2)))
    assert curve([point], [values], [np.arange(2)], 10, np.random.default_rng(0)).effective is None


@pytest.mark.parametrize(("accuracy", "length"), [(0.3, "128K"), (0.2, None), (0.1, None)])
def test_a_run_that_is_no_better_than_a_baseline_has_no_effective_length(accuracy: float, length: str | None) -> None:
    values, contexts = (np.arange(100) < 100 * accuracy).astype(float), np.arange(100)
    found = EffectiveLength(
        shortest="64K",
        accuracy_at_shortest=accuracy,
        length="128K",
        tokens=131_072,
        low=65_536,
        high=131_072,
        reaches_longest=True,
        note="Keeps it.",
    )
    # Only what is compared, without validation.
    run = RunSummary.trusted(
        info=RunInfo.trusted(bench="b"),
        overall=Group.trusted(accuracy=share(values, contexts)),
        lengths=LengthCurve(points=(), effective=found, families=()),
    )
    guess = (np.arange(100) < 20).astype(float)
    baseline = Baseline(
        name="majority", description="", kind="baseline", bench="b", run=None, accuracy=share(guess, contexts)
    )
    elsewhere = baseline.model_copy(update={"bench": "another", "accuracy": share(np.ones(100), contexts)})
    effective = without_effective_length(run, [baseline, elsewhere]).lengths.effective
    assert effective is not None
    assert effective.length == length
    assert ("is not above the baseline 'majority' (20.0%)" in effective.note) == (length is None)
