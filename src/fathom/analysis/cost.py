"""Token, time and price totals of runs, and which runs are Pareto-optimal."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from fathom.analysis.findings import Cost
from fathom.records.questions import Usage


@dataclass
class UsageTotals:
    """Usage summed over the responses of one run."""

    responses: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    price: float = 0.0
    priced: bool = True

    def add(self, usage: Usage) -> None:
        self.responses += 1
        self.input_tokens += usage.input_tokens
        self.cached_tokens += usage.cached_tokens
        self.output_tokens += usage.output_tokens
        self.seconds += usage.seconds
        self.price += usage.price or 0.0
        # A response for which nothing was sent is free, whether or not the price is known.
        self.priced = self.priced and (usage.price is not None or not usage.input_tokens)

    def cost(self, questions: int, correct: float, spent: float | None) -> Cost:
        """The cost record, per question and per correct answer."""
        price = self.price if self.priced else None
        return Cost(
            responses=self.responses,
            input_tokens=self.input_tokens,
            cached_tokens=self.cached_tokens,
            output_tokens=self.output_tokens,
            seconds=self.seconds,
            price=price,
            spent=spent,
            tokens_per_question=(self.input_tokens + self.output_tokens) / max(1, questions),
            seconds_per_question=self.seconds / max(1, questions),
            price_per_question=None if price is None else price / max(1, questions),
            price_per_correct=None if price is None or not correct else price / correct,
            pareto_optimal=False,
        )


@dataclass(frozen=True)
class PricedAccuracy:
    """Price and accuracy of one run."""

    price: float | None
    accuracy: float
    questions: Hashable = None
    """Which questions were asked; only runs on the same questions are compared."""


def pareto_optimal(runs: Sequence[PricedAccuracy]) -> list[bool]:
    """For each run, whether no other run on the same questions is at least as good in both and better in one."""
    return [
        one.price is not None
        and not any(
            other.questions == one.questions
            and other.price is not None
            and other.price <= one.price
            and other.accuracy >= one.accuracy
            and (other.price < one.price or other.accuracy > one.accuracy)
            for other in runs
        )
        for one in runs
    ]
