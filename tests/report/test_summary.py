"""What stands above everything, and the order of runs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fathom.analysis.findings import Estimate, Findings, Outcomes, RunSummary
from fathom.report.accuracy import breakdowns, heat_maps, lengths
from fathom.report.costs import costs
from fathom.report.headline import headline
from fathom.report.ranking import missing_note, ranked
from fathom.report.summary import summary
from tests.report.conftest import Sample


def altered(findings: Findings, name: str, **update: Any) -> Findings:
    """The findings with something else in one of the runs."""
    runs = [one.model_copy(update=update) if one.info.name == name else one for one in findings.runs]
    return findings.model_copy(update={"runs": tuple(runs)})


def called(findings: Findings, name: str) -> RunSummary:
    return next(one for one in findings.runs if one.info.name == name)


def with_outcomes(run: RunSummary, share: float, **kinds: int) -> Any:
    """The run's group with other outcomes."""
    responses = run.overall.outcomes.responses
    outcomes = Outcomes(questions=responses, responses=responses, **kinds)
    max_accuracy = (outcomes.correct + outcomes.error + outcomes.unanswered) / responses
    estimate = run.overall.accuracy.model_copy(update={"value": share})
    return run.overall.model_copy(update={"outcomes": outcomes, "correct": estimate, "max_accuracy": max_accuracy})


def test_the_lead_names_the_best_run_that_is_no_control(sample: Sample) -> None:
    said = summary(sample.analysis.findings)
    assert said[0].startswith("harbour-large answers ")
    assert "harbour-small-passages" not in " ".join(said)


def of(value: float, low: float, high: float) -> Estimate:
    return Estimate(value=value, low=low, high=high, items=40, clusters=5, effective=40.0, method="made up")


@pytest.mark.parametrize(
    ("short", "long", "said"),
    [
        (of(0.9, 0.86, 0.94), of(0.6, 0.57, 0.63), "it loses 30 points (25 to 35)."),
        (of(0.61, 0.51, 0.71), of(0.60, 0.5, 0.7), "what it loses may be chance: 1 point (-13 to 15)."),
        (of(0.5, 0.46, 0.54), of(0.8, 0.77, 0.83), "it gains 30 points (25 to 35)."),
    ],
)
def test_what_length_costs_is_said_with_its_interval(
    short: Estimate, long: Estimate, said: str, sample: Sample
) -> None:
    findings = sample.analysis.findings
    curve = called(findings, "harbour-large").lengths
    first, *between, last = curve.points
    points = (
        first.model_copy(update={"correct": short}),
        *between,
        last.model_copy(update={"correct": long}),
    )
    told = summary(altered(findings, "harbour-large", lengths=curve.model_copy(update={"points": points})))
    assert f"From 16K to 64K tokens {said}" in told


def test_nothing_is_said_of_length_where_the_best_run_has_one_length(sample: Sample) -> None:
    """Others have several: what they lose was once printed with the one length of the best as both ends."""
    findings = sample.analysis.findings
    curve = called(findings, "harbour-large").lengths
    told = summary(altered(findings, "harbour-large", lengths=curve.model_copy(update={"points": curve.points[:1]})))
    assert not any("tokens" in sentence for sentence in told)


def test_nothing_is_said_of_length_where_lengths_cannot_be_compared(sample: Sample) -> None:
    """Where every length has a family of its own, what falls is the family and not the score."""
    findings = sample.analysis.findings
    curve = called(findings, "harbour-large").lengths.model_copy(update={"effective": None, "note": "No such family."})
    other = altered(findings, "harbour-large", lengths=curve)
    assert not any("tokens" in sentence for sentence in summary(other))
    assert "harbour-large: No such family." in lengths(other)[0].note


def test_a_run_of_which_nothing_came_has_no_score(sample: Sample) -> None:
    findings = sample.analysis.findings
    run = findings.runs[0]
    alone = findings.model_copy(update={"runs": (run,), "comparisons": (), "ladders": (), "floors": ()})
    none = altered(alone, run.info.name, overall=with_outcomes(run, 0.0, failed=run.overall.outcomes.responses))
    assert summary(none) == [f"Of {run.overall.outcomes.responses} responses wanted of {run.info.name} none has come."]


def test_a_run_of_which_nothing_came_is_drawn_nowhere(sample: Sample) -> None:
    """Its zeros once stood among the scores of the others."""
    run = called(sample.analysis.findings, "meadow")
    failed = with_outcomes(run, 0.0, failed=run.overall.outcomes.responses)
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


def test_responses_that_have_not_come_are_told_beside_the_score(sample: Sample) -> None:
    findings = sample.analysis.findings
    run = called(findings, "harbour-large")
    responses = run.overall.outcomes.responses
    some = altered(
        findings, "harbour-large", overall=with_outcomes(run, 0.99, right=responses - 6, failed=4, unanswered=2)
    )
    told = summary(some)
    assert told[0].endswith(f"; of {responses} responses 6 have not come: at most 100%.")
    assert not any("tokens" in sentence for sentence in told)
    one = altered(findings, "harbour-large", overall=with_outcomes(run, 0.99, right=responses - 1, failed=1))
    assert missing_note(called(one, "harbour-large")) == f"of {responses} responses 1 has not come"


def test_a_partial_run_stands_below_whole_ones_and_says_what_it_was_asked(sample: Sample) -> None:
    findings = altered(sample.analysis.findings, "harbour-large", not_asked=500)
    questions = called(findings, "harbour-large").overall.outcomes.questions
    names = [run.info.name for run in ranked(findings)]
    assert names.index("harbour-small") < names.index("meadow") < names.index("harbour-large") < 3
    rows = [
        dict(zip((one.name for one in headline(findings).columns), row, strict=True)) for row in headline(findings).rows
    ]
    assert [row["run"] for row in rows] == names
    assert (rows[2]["asked"], rows[2]["not_asked"]) == (questions, 500)
    only = findings.model_copy(update={"runs": (called(findings, "harbour-large"),)})
    (said,) = summary(only)
    assert said.endswith(f"; asked {questions} of {questions + 500}.")


def test_a_difference_that_missing_responses_may_undo_is_said_to_be_one(sample: Sample) -> None:
    findings = sample.analysis.findings
    names = {"harbour-large", "harbour-small"}
    turning = tuple(
        one.model_copy(update={"significant": False, "more_questions": 0}) if {one.first, one.second} == names else one
        for one in findings.comparisons
    )
    told = summary(findings.model_copy(update={"comparisons": turning}))
    assert told[-1].endswith("a difference that responses that have not come may undo.")
    assert summary(findings)[-1].endswith("a difference that chance does not explain.")


def test_a_simulated_answerer_stands_below_models(sample: Sample) -> None:
    findings = sample.analysis.findings
    facts = called(findings, "harbour-large").info.model_copy(update={"model": "sim/reader?miss=0"})
    simulated = altered(findings, "harbour-large", info=facts)
    assert [run.info.name for run in ranked(simulated)][:3] == ["harbour-small", "meadow", "harbour-large"]
    assert summary(simulated)[0].startswith("harbour-small answers")
    assert not any("harbour-large" in sentence for sentence in summary(simulated))
