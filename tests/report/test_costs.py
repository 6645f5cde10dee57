"""What a question takes: what is not known is not drawn as nothing."""

from __future__ import annotations

import json

import pytest

from fathom.analysis.findings import Findings
from fathom.report.costs import cost_summary, costs, price_per_question, question_cost
from tests.report.conftest import Sample
from tests.report.test_summary import altered, called, with_outcomes


def priced(findings: Findings, name: str, price: float | None) -> Findings:
    cost = called(findings, name).cost.model_copy(update={"price": price, "price_per_question": price})
    return altered(findings, name, cost=cost)


def drawn(findings: Findings) -> str:
    """All that the drawing says."""
    (figure,) = costs(findings)
    assert figure.draw is not None
    return json.dumps(figure.draw(880.0))


def test_a_run_whose_price_is_not_known_is_not_drawn_as_free(sample: Sample) -> None:
    findings = priced(sample.analysis.findings, "meadow", None)
    assert "meadow: " not in drawn(findings)
    assert "meadow, " not in drawn(findings)
    assert "meadow, " in drawn(sample.analysis.findings)
    (figure,) = costs(findings)
    assert "for want of a known price: meadow." in figure.note
    row = next(row for row in json.loads(figure.as_json())["rows"] if row["run"] == "meadow")
    assert row["price_per_question"] is None
    assert "of those whose price is known" in cost_summary(findings)


def test_a_run_that_is_known_to_be_free_is_drawn(sample: Sample) -> None:
    assert "meadow, 0 US dollars a question" in drawn(priced(sample.analysis.findings, "meadow", 0.0))


@pytest.mark.parametrize(("price", "said"), [(0.0, "all are free"), (None, "no price is known")])
def test_without_prices_tokens_are_drawn(price: float | None, said: str, sample: Sample) -> None:
    findings = sample.analysis.findings
    for run in findings.runs:
        findings = priced(findings, run.info.name, price)
    assert f"tokens a question ({said})" in drawn(findings)


def test_a_question_costs_what_those_cost_whose_responses_came(sample: Sample) -> None:
    findings = sample.analysis.findings
    run = called(findings, "harbour-large")
    half = run.overall.outcomes.responses // 2
    some = altered(findings, "harbour-large", overall=with_outcomes(run, 0.5, right=half, failed=half))
    before, after = question_cost(run), question_cost(called(some, "harbour-large"))
    assert before is not None
    assert after is not None
    assert after.price == pytest.approx(2 * (before.price or 0))
    assert after.tokens == pytest.approx(2 * before.tokens)
    none = altered(findings, "harbour-large", overall=with_outcomes(run, 0.0, failed=2 * half))
    assert price_per_question(called(none, "harbour-large")) is None
    assert "for want of responses: harbour-large" in costs(none)[0].note
