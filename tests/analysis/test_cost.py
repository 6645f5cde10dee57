"""Costs and Pareto-optimal runs."""

from __future__ import annotations

import pytest

from fathom.analysis.cost import PricedAccuracy, UsageTotals, pareto_optimal
from fathom.records.questions import Usage


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
