"""Costs of questions: an unknown price is not drawn as zero."""

from __future__ import annotations

import json

import pytest

from fathom.analysis.cost import question_cost
from fathom.analysis.findings import Findings
from fathom.report.costs import cost_summary, costs, price_per_question
from tests.report.conftest import Sample
from tests.report.test_summary import altered, run_named, with_outcomes


def priced(findings: Findings, name: str, price: float | None) -> Findings:
    cost = run_named(findings, name).cost.model_copy(update={"price": price, "price_per_question": price})
    return altered(findings, name, cost=cost)


def drawn(findings: Findings) -> str:
    """The drawing as JSON."""
    figure = costs(findings)[0]
    assert figure.draw is not None
    return json.dumps(figure.draw(880.0))


def test_a_run_with_unknown_price_is_not_drawn_as_free(sample: Sample) -> None:
    findings = priced(sample.analysis.findings, "meadow", None)
    assert "meadow: " not in drawn(findings)
    assert "meadow, " not in drawn(findings)
    assert "meadow, " in drawn(sample.analysis.findings)
    figure = costs(findings)[0]
    assert "Not drawn, price unknown: meadow." in figure.note
    row = next(row for row in json.loads(figure.as_json())["rows"] if row["run"] == "meadow")
    assert row["price_per_question"] is None
    assert "of the runs with a known price" in cost_summary(findings)


def test_a_free_run_is_drawn(sample: Sample) -> None:
    assert "meadow, 0 US dollars per 1,000 questions" in drawn(priced(sample.analysis.findings, "meadow", 0.0))


@pytest.mark.parametrize("price", [0.0, None])
def test_without_prices_tokens_and_seconds_are_drawn(price: float | None, sample: Sample) -> None:
    findings = sample.analysis.findings
    assert [figure.id for figure in costs(findings)] == ["cost-price", "cost-tokens", "cost-seconds"]
    for run in findings.runs:
        findings = priced(findings, run.info.name, price)
    assert [figure.id for figure in costs(findings)] == ["cost-tokens", "cost-seconds"]
    assert "tokens per question" in drawn(findings)
    assert "Pareto-optimal in tokens" in cost_summary(findings)


def test_each_drawing_joins_the_runs_on_its_front(sample: Sample) -> None:
    findings = sample.analysis.findings
    for figure in costs(findings):
        kind = figure.id.removeprefix("cost-")
        best = [run for run in findings.runs if kind in run.cost.pareto_optimal]
        assert figure.draw is not None
        assert json.dumps(figure.draw(880.0)).count("frontier") == len(best) - 1
        rows = json.loads(figure.as_json())["rows"]
        assert [row["run"] for row in rows if row[f"pareto_optimal_{kind}"]] == [run.info.name for run in best]


def test_cost_is_averaged_over_received_responses(sample: Sample) -> None:
    findings = sample.analysis.findings
    run = run_named(findings, "harbor-large")
    half = run.overall.outcomes.responses // 2
    some = altered(findings, "harbor-large", overall=with_outcomes(run, 0.5, correct=half, error=half))
    before, after = question_cost(run), question_cost(run_named(some, "harbor-large"))
    assert before is not None
    assert after is not None
    assert after.price == pytest.approx(2 * (before.price or 0))
    assert after.tokens == pytest.approx(2 * before.tokens)
    none = altered(findings, "harbor-large", overall=with_outcomes(run, 0.0, error=2 * half))
    assert price_per_question(run_named(none, "harbor-large")) is None
    assert "Not drawn, no responses: harbor-large" in costs(none)[0].note
