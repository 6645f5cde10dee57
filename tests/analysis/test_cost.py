"""Costs and Pareto-optimal runs."""

from __future__ import annotations

import pytest

from fathom.analysis.cost import CostedAccuracy, QuestionCost, UsageTotals, pareto_optimal
from fathom.records.questions import Usage


def test_costs_add_up_and_an_unknown_price_stays_unknown() -> None:
    spending = UsageTotals()
    spending.add(Usage(input_tokens=100, cached_tokens=40, output_tokens=5, seconds=2, price=0.5))
    spending.add(Usage(price=0.0))
    cost = spending.cost(questions=4, correct=2, spent=0.75)
    assert (cost.input_tokens, cost.cached_tokens, cost.output_tokens, cost.seconds) == (100, 40, 5, 2)
    assert (cost.price, cost.spent, cost.price_per_question, cost.price_per_correct) == (0.5, 0.75, 0.125, 0.25)
    spending.add(Usage(seconds=1))
    assert spending.cost(4, 2, None).price is None
    assert spending.cost(4, 0, None).price_per_correct is None


def costed(price: float | None, accuracy: float, questions: str = "all") -> CostedAccuracy:
    return CostedAccuracy(QuestionCost(price, 100.0, 1.0), accuracy, questions)


@pytest.mark.parametrize(
    ("runs", "best"),
    [
        ([costed(1.0, 0.5), costed(2.0, 0.7), costed(3.0, 0.6)], [True, True, False]),
        ([costed(1.0, 0.5), costed(1.0, 0.5)], [True, True]),
        ([costed(1.0, 0.5), costed(1.001, 0.7), costed(0.9, 0.4)], [False, True, True]),  # the same price
        ([costed(None, 0.9), costed(1.0, 0.5)], [False, True]),
        ([costed(1.0, 0.5), costed(0.5, 0.9, "the easy ones")], [True, True]),
        ([CostedAccuracy(None, 0.0), costed(0.5, 0.9)], [False, True]),
    ],
)
def test_pareto_optimal_runs(runs: list[CostedAccuracy], best: list[bool]) -> None:
    assert ["price" in kinds for kinds in pareto_optimal(runs)] == best


def test_each_cost_has_its_own_front() -> None:
    runs = [
        CostedAccuracy(QuestionCost(None, 10.0, 9.0), 0.5),
        CostedAccuracy(QuestionCost(1.0, 20.0, 3.0), 0.6),
        CostedAccuracy(QuestionCost(2.0, 5.0, 1.0), 0.4),
        CostedAccuracy(QuestionCost(3.0, 15.0, 5.0), 0.45),
    ]
    assert pareto_optimal(runs) == [("tokens",), ("price", "tokens", "seconds"), ("tokens", "seconds"), ()]
