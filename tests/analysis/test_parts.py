"""Effective length, correlates of failure, reasoning steps, cost."""

from __future__ import annotations

import numpy as np
import pytest

from fathom.analysis.collection import RunArrays
from fathom.analysis.correlates import correlates
from fathom.analysis.cost import PricedAccuracy, UsageTotals, pareto_optimal
from fathom.analysis.effective_length import curve
from fathom.analysis.findings import OUTCOMES, LengthCurve, LengthPoint, Outcomes
from fathom.analysis.intervals import Values, share
from fathom.analysis.loading import ScoredResponse
from fathom.analysis.properties import QuestionProperties
from fathom.analysis.run_summary import length_curve
from fathom.analysis.steps import StepCounter, find_steps, reasoning_of
from fathom.records.questions import Usage
from fathom.tasks.family import ReasoningStep

# Lengths.


def effective(*shares: float, contexts: int = 200) -> tuple[str | None, int | None, int | None, bool]:
    """The effective length of a run with these accuracies at 64K, 128K, 256K, ..."""
    points, values, where = [], [], []
    for place, right in enumerate(shares):
        some = np.zeros(contexts * 5)
        some[: round(right * len(some))] = 1.0
        np.random.default_rng(place).shuffle(some)
        tokens = 65_536 * 2**place
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
        QuestionProperties(f"q{place}", family, "number", place, {}, {}, tokens)
        for place, (family, tokens, _) in enumerate(rows)
    ]
    right = np.array([share for *_, share in rows])
    outcomes = np.zeros((len(rows), len(OUTCOMES)), dtype=np.int64)
    outcomes[places, np.where(right == 1, OUTCOMES.index("correct"), OUTCOMES.index("incorrect"))] = 1
    found = RunArrays(places, places, right, right, outcomes)
    return length_curve(asked, found, 1, 100, np.random.default_rng(0))


def test_a_family_that_is_not_asked_at_every_length_is_left_out_of_the_curve() -> None:
    always = [("hard", length, float(place % 2)) for length in (1_024, 2_048) for place in range(20)]
    found = curve_of(always + [("easy", 1_024, 1.0)] * 60)
    assert [point.accuracy.value for point in found.points] == [0.5, 0.5]
    assert found.families == ("hard",)
    assert found.note == "Without easy, not asked at every length."
    assert found.effective is not None
    assert found.effective.reaches_longest
    apart = curve_of([("hard", 2_048, 0.0)] * 20 + [("easy", 1_024, 1.0)] * 20)
    assert apart.effective is None
    assert "No family is asked at every length" in apart.note
    assert len(apart.points) == 2


def test_one_length_has_no_effective_length() -> None:
    values = np.array([1.0, 0.0])
    outcomes = Outcomes(questions=2, responses=2, correct=1, incorrect=1)
    point = LengthPoint(name="64K", tokens=65_536, outcomes=outcomes, accuracy=share(values, np.arange(2)))
    assert curve([point], [values], [np.arange(2)], 10, np.random.default_rng(0)).effective is None


# Correlates of failure.


def asked(rng: np.random.Generator, contexts: int = 80) -> dict[str, Values]:
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
    found = correlates(right, np.repeat(np.arange(80), 6), sizes)
    assert found.fit is not None
    assert set(found.fit.excluded) == {"context length", "evidence spread"}
    assert found.fit.excluded["evidence spread"] == "160 questions do not have it"
    assert found.excluded == {"constant": "it is the same for all questions"}
    assert {row.name for row in found.rows} == {"documents", "program length", "context length", "evidence spread"}
    spread = next(row for row in found.rows if row.name == "evidence spread")
    assert (spread.items, spread.odds_ratio) == (320, None)


def test_no_correlates_without_failures() -> None:
    found = correlates(np.ones(480), np.repeat(np.arange(80), 6), asked(np.random.default_rng(0)))
    assert (found.rows, found.fit) == ((), None)
    assert set(found.excluded.values()) == {"all of its questions have the same score"}


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
    found = correlates((np.arange(100) < 50).astype(float), np.arange(100), sizes)
    [row] = found.rows
    assert row.odds_ratio is not None
    assert 0 < row.odds_ratio < 1
    assert row.odds_low is not None
    assert row.odds_low > 0


# Steps.

STEPS = (
    ReasoningStep("the articles that fit", (("Tides of Time", "Article 3"), ("Winds", "Article 5"))),
    ReasoningStep("their values", (("3",), ("12",))),
    ReasoningStep("the result", (("15",),)),
)


def said(text: str, thinking: str = "") -> ScoredResponse:
    return ScoredResponse("incorrect", 0.0, Usage(), text=text, thinking=thinking)


def test_steps_are_found_in_the_reasoning_but_not_in_the_answer() -> None:
    trace = reasoning_of(said("Articles that fit: article 3 and Winds. They have 3 and 12 references.\nAnswer: 15"))
    seen = find_steps(trace, STEPS)
    assert [one.at is not None for one in seen] == [True, True, False]
    assert seen[0].at is not None
    assert seen[1].at is not None
    assert seen[0].at < seen[1].at


def test_a_number_is_not_found_inside_another() -> None:
    trace = "There are 13 and 312 of them, 3.5 on average, 1,512 in all, and A3 is a paper size."
    assert [one.at for one in find_steps(trace, STEPS)][1:] == [None, None]
    assert find_steps("There were 12, then 3.", STEPS)[1].at is not None


def test_a_bare_answer_is_not_reasoning() -> None:
    assert reasoning_of(said("Answer: 15")) == ""
    assert reasoning_of(said("Answer: 15", thinking="Let me see which of the articles have any references at all."))


def test_step_counts_add_up() -> None:
    taken = StepCounter()
    assert taken.summary() is None
    taken.add(find_steps("Article 3, Article 5: 3 + 12 = 15", STEPS), correct=False)
    taken.add(find_steps("15 it is, I am sure of it", STEPS), correct=True)
    taken.add(find_steps("no idea", STEPS), correct=True)
    found = taken.summary()
    assert found is not None
    assert (found.traces, found.values, found.reached) == (3, 9, 4)
    assert (found.complete_but_incorrect, found.none_but_correct) == (1, 1)
    assert [(place.reached, place.first_missing) for place in found.by_step] == [(1, 2), (1, 0), (2, 0)]


# Cost.


def test_costs_add_up_and_an_unknown_price_stays_unknown() -> None:
    spending = UsageTotals()
    spending.add(Usage(input_tokens=100, cached_tokens=40, output_tokens=5, seconds=2, price=0.5))
    spending.add(Usage())
    cost = spending.cost(questions=4, correct=2, spent=0.75)
    assert (cost.input_tokens, cost.cached_tokens, cost.output_tokens, cost.seconds) == (100, 40, 5, 2)
    assert (cost.price, cost.spent, cost.price_per_question, cost.price_per_correct) == (0.5, 0.75, 0.125, 0.25)
    spending.add(Usage(input_tokens=10))
    assert spending.cost(4, 2, None).price is None
    assert spending.cost(4, 0, None).price_per_correct is None


@pytest.mark.parametrize(
    ("runs", "best"),
    [
        ([PricedAccuracy(1.0, 0.5), PricedAccuracy(2.0, 0.7), PricedAccuracy(3.0, 0.6)], [True, True, False]),
        ([PricedAccuracy(1.0, 0.5), PricedAccuracy(1.0, 0.5)], [True, True]),
        ([PricedAccuracy(None, 0.9), PricedAccuracy(1.0, 0.5)], [False, True]),
        ([PricedAccuracy(1.0, 0.5, "all"), PricedAccuracy(0.5, 0.9, "the easy ones")], [True, True]),
    ],
)
def test_pareto_optimal_runs(runs: list[PricedAccuracy], best: list[bool]) -> None:
    assert pareto_optimal(runs) == best
