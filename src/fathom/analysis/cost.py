"""Token, time and price totals of runs, the cost of a question, and which runs are Pareto-optimal."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from fathom.analysis.findings import Cost, CostKind, RunSummary
from fathom.records.questions import Usage

COST_KINDS: tuple[CostKind, ...] = ("price", "tokens", "seconds")
SAME_COST = 0.01
"""Costs that differ by a smaller share count as equal: one token less in a hundred thousand is no advantage."""


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
        self.priced = self.priced and usage.price is not None

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
        )


@dataclass(frozen=True)
class QuestionCost:
    """Mean cost of a question, over the responses that arrived."""

    price: float | None
    """None if unknown; 0 if known to be free."""
    tokens: float
    seconds: float

    def amount(self, kind: CostKind) -> float | None:
        return {"price": self.price, "tokens": self.tokens, "seconds": self.seconds}[kind]


def question_cost(run: RunSummary) -> QuestionCost | None:
    """The cost of a question; None without responses."""
    outcomes, cost = run.overall.outcomes, run.cost
    if not outcomes.received:
        return None
    # Per response received: a run half of whose calls failed would otherwise seem half as expensive.
    factor = outcomes.responses / outcomes.received
    price = None if cost.price_per_question is None else cost.price_per_question * factor
    return QuestionCost(price, cost.tokens_per_question * factor, cost.seconds_per_question * factor)


@dataclass(frozen=True)
class CostedAccuracy:
    """Cost and accuracy of one run."""

    cost: QuestionCost | None
    accuracy: float
    questions: Hashable = None
    """Which questions were asked; only runs on the same questions are compared."""


def pareto_optimal(runs: Sequence[CostedAccuracy]) -> list[tuple[CostKind, ...]]:
    """For each run, the costs for which no other run on the same questions is as good in both and better in one."""
    return [tuple(kind for kind in COST_KINDS if _is_optimal(run, runs, kind)) for run in runs]


def _is_optimal(costed: CostedAccuracy, runs: Sequence[CostedAccuracy], kind: CostKind) -> bool:
    mine = None if costed.cost is None else costed.cost.amount(kind)
    if mine is None:
        return False
    for other in runs:
        amount = None if other.cost is None else other.cost.amount(kind)
        if amount is None or other.questions != costed.questions or other.accuracy < costed.accuracy:
            continue
        is_cheaper, is_dearer = amount < mine * (1 - SAME_COST), amount > mine * (1 + SAME_COST)
        if is_cheaper or (other.accuracy > costed.accuracy and not is_dearer):
            return False
    return True


def with_pareto(runs: Sequence[RunSummary], questions: Sequence[Hashable]) -> list[RunSummary]:
    """The runs, each with the costs for which it is Pareto-optimal; `questions` says what each was asked."""
    costed = [
        CostedAccuracy(question_cost(run), run.overall.accuracy.value, questions_of_run)
        for run, questions_of_run in zip(runs, questions, strict=True)
    ]
    return [
        run.model_copy(update={"cost": run.cost.model_copy(update={"pareto_optimal": kinds})})
        for run, kinds in zip(runs, pareto_optimal(costed), strict=True)
    ]
