"""The summary at the top of the page, and the order of runs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fathom.analysis.findings import Estimate, Findings, Outcomes, RunSummary
from fathom.report.accuracy import breakdowns, heat_maps, lengths
from fathom.report.costs import costs
from fathom.report.leaderboard import headline
from fathom.report.ranking import missing_note, ranked
from fathom.report.summary import summary
from tests.report.conftest import Sample


def altered(findings: Findings, name: str, **update: Any) -> Findings:
    """The findings with some fields of one run replaced."""
    runs = [run.model_copy(update=update) if run.info.name == name else run for run in findings.runs]
    return findings.model_copy(update={"runs": tuple(runs)})


def run_named(findings: Findings, name: str) -> RunSummary:
    return next(run for run in findings.runs if run.info.name == name)


def with_outcomes(run: RunSummary, share: float, **kinds: int) -> Any:
    """The run's group with other outcomes."""
    responses = run.overall.outcomes.responses
    outcomes = Outcomes(questions=responses, responses=responses, **kinds)
    max_accuracy = (outcomes.correct + outcomes.error + outcomes.unanswered) / responses
    estimate = run.overall.accuracy.model_copy(update={"value": share})
    return run.overall.model_copy(update={"outcomes": outcomes, "accuracy": estimate, "max_accuracy": max_accuracy})


def test_the_summary_names_the_best_run_that_is_not_a_control(sample: Sample) -> None:
    said = summary(sample.analysis.findings)
    assert said[0].startswith("harbor-large (harbor/large-2) answers ")
    assert " of the questions of bench correctly (95% interval " in said[0]
    assert "harbor-small-passages" not in " ".join(said)


def test_the_summary_says_what_to_expect_of_the_embedded_model(sample: Sample) -> None:
    findings = sample.analysis.findings
    info = run_named(findings, "harbor-large").info.model_copy(update={"model": "local/smollm2"})
    best, *others = summary(altered(findings, "harbor-large", info=info))
    assert best.startswith("harbor-large (local/smollm2) answers ")
    assert "A low score is expected" in best
    assert not any("expected" in sentence for sentence in others)


def of(value: float, low: float, high: float) -> Estimate:
    return Estimate(value=value, low=low, high=high, items=40, clusters=5, effective=40.0, method="made up")


@pytest.mark.parametrize(
    ("short", "long", "said"),
    [
        (of(0.9, 0.86, 0.94), of(0.6, 0.57, 0.63), "falls by 30 points (25 to 35)."),
        (
            of(0.61, 0.51, 0.71),
            of(0.60, 0.5, 0.7),
            "does not change significantly (−1 point, 95% interval −15 to +13).",
        ),
        (of(0.6, 0.5, 0.7), of(0.6, 0.5, 0.7), "changes by less than a point."),
        (of(0.5, 0.46, 0.54), of(0.8, 0.77, 0.83), "rises by 30 points (25 to 35)."),
    ],
)
def test_the_effect_of_length_has_an_interval(short: Estimate, long: Estimate, said: str, sample: Sample) -> None:
    findings = sample.analysis.findings
    curve = run_named(findings, "harbor-large").lengths
    first, *between, last = curve.points
    points = (
        first.model_copy(update={"accuracy": short}),
        *between,
        last.model_copy(update={"accuracy": long}),
    )
    sentences = summary(altered(findings, "harbor-large", lengths=curve.model_copy(update={"points": points})))
    assert f"From 16K to 64K tokens its accuracy {said}" in sentences


def test_no_effect_of_length_if_the_best_run_has_one_length(sample: Sample) -> None:
    """Other runs have several lengths; their effect was once printed with the one length of the best as both ends."""
    findings = sample.analysis.findings
    curve = run_named(findings, "harbor-large").lengths
    sentences = summary(
        altered(findings, "harbor-large", lengths=curve.model_copy(update={"points": curve.points[:1]}))
    )
    assert not any("tokens" in sentence for sentence in sentences)


def test_no_effect_of_length_if_lengths_are_not_comparable(sample: Sample) -> None:
    """Each length has its own family."""
    findings = sample.analysis.findings
    curve = run_named(findings, "harbor-large").lengths.model_copy(
        update={"effective": None, "note": "No such family."}
    )
    other = altered(findings, "harbor-large", lengths=curve)
    assert not any("tokens" in sentence for sentence in summary(other))
    assert "harbor-large: No such family." in lengths(other)[0].note


def test_a_run_without_responses_has_no_score(sample: Sample) -> None:
    findings = sample.analysis.findings
    run = findings.runs[0]
    alone = findings.model_copy(update={"runs": (run,), "comparisons": (), "loss_decompositions": (), "baselines": ()})
    none = altered(alone, run.info.name, overall=with_outcomes(run, 0.0, error=run.overall.outcomes.responses))
    assert summary(none) == [f"{run.info.name} has none of its {run.overall.outcomes.responses} responses yet."]


def test_a_run_without_responses_is_not_drawn(sample: Sample) -> None:
    """Its zeros were once drawn among the scores of other runs."""
    run = run_named(sample.analysis.findings, "meadow")
    failed = with_outcomes(run, 0.0, error=run.overall.outcomes.responses)
    findings = altered(sample.analysis.findings, "meadow", overall=failed)
    shown = [*lengths(findings), *breakdowns(findings), *heat_maps(findings), *costs(findings), headline(findings)]
    for figure in shown:
        assert figure.draw is not None
        drawn = json.dumps(figure.draw(880.0))
        assert '"meadow: ' not in drawn
        assert '"meadow, ' not in drawn
        assert '"meadow at ' not in drawn
    row = next(row for row in json.loads(headline(findings).as_json())["rows"] if row["run"] == "meadow")
    assert (row["effective_length"], row["price"]) == ("", None)


def test_missing_responses_are_noted_beside_the_score(sample: Sample) -> None:
    findings = sample.analysis.findings
    run = run_named(findings, "harbor-large")
    responses = run.overall.outcomes.responses
    some = altered(
        findings, "harbor-large", overall=with_outcomes(run, 0.99, correct=responses - 6, error=4, unanswered=2)
    )
    sentences = summary(some)
    assert sentences[0].endswith(f"; 6 of {responses} responses missing (at most 100%).")
    assert not any("tokens" in sentence for sentence in sentences)
    one = altered(findings, "harbor-large", overall=with_outcomes(run, 0.99, correct=responses - 1, error=1))
    assert missing_note(run_named(one, "harbor-large")) == f"1 of {responses} responses missing"


def test_a_partial_run_is_ranked_below_complete_ones(sample: Sample) -> None:
    findings = altered(sample.analysis.findings, "harbor-large", not_asked=500)
    questions = run_named(findings, "harbor-large").overall.outcomes.questions
    names = [run.info.name for run in ranked(findings)]
    assert names.index("harbor-small") < names.index("meadow") < names.index("harbor-large") < 3
    rows = [
        dict(zip((column.name for column in headline(findings).columns), row, strict=True))
        for row in headline(findings).rows
    ]
    assert [row["run"] for row in rows] == names
    assert (rows[2]["asked"], rows[2]["not_asked"]) == (questions, 500)
    only = findings.model_copy(update={"runs": (run_named(findings, "harbor-large"),)})
    (said,) = summary(only)
    assert said.endswith(f"; asked {questions} of {questions + 500}.")


def test_a_difference_that_missing_responses_could_cancel_is_noted(sample: Sample) -> None:
    findings = sample.analysis.findings
    names = {"harbor-large", "harbor-small"}
    turning = tuple(
        comparison.model_copy(update={"significant": False, "more_questions": 0})
        if {comparison.first, comparison.second} == names
        else comparison
        for comparison in findings.comparisons
    )
    sentences = summary(findings.model_copy(update={"comparisons": turning}))
    assert sentences[-1].endswith("but missing responses could cancel it.")
    assert summary(findings)[-1].endswith(", a significant difference.")


def test_a_simulated_model_is_ranked_below_models(sample: Sample) -> None:
    findings = sample.analysis.findings
    info = run_named(findings, "harbor-large").info.model_copy(update={"model": "sim/reader?miss=0"})
    simulated = altered(findings, "harbor-large", info=info)
    assert [run.info.name for run in ranked(simulated)][:3] == ["harbor-small", "meadow", "harbor-large"]
    assert summary(simulated)[0].startswith("harbor-small (harbor/small-2) answers")
    assert not any("harbor-large" in sentence for sentence in summary(simulated))
