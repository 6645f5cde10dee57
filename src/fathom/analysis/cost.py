"""What runs took, and which are worth it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from fathom.analysis.findings import Cost
from fathom.records.questions import Usage


@dataclass
class Spending:
    """What the responses of one run took, added up."""

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
        # A response for which nothing was sent cost nothing, whether or not a price is known.
        self.priced = self.priced and (usage.price is not None or not usage.input_tokens)

    def cost(self, questions: int, right: float, spent: float | None) -> Cost:
        """`right` counts right answers, `questions` all that were asked."""
        price = self.price if self.priced else None
        return Cost(
            responses=self.responses,
            input_tokens=self.input_tokens,
            cached_tokens=self.cached_tokens,
            output_tokens=self.output_tokens,
            seconds=self.seconds,
            price=price,
            spent=spent,
            tokens_a_question=(self.input_tokens + self.output_tokens) / max(1, questions),
            seconds_a_question=self.seconds / max(1, questions),
            price_a_question=None if price is None else price / max(1, questions),
            price_a_right_answer=None if price is None or not right else price / right,
            best_for_its_price=False,
        )


@dataclass(frozen=True)
class Offer:
    """A run as a buyer sees it."""

    price: float | None
    right: float
    asked: Hashable = None
    """What it was asked; a run that was asked other questions is no rival."""


def best_for_their_price(offers: Sequence[Offer]) -> list[bool]:
    """For each run, whether no other on the same questions is at least as good for less, or better for as much."""
    return [
        one.price is not None
        and not any(
            other.asked == one.asked
            and other.price is not None
            and other.price <= one.price
            and other.right >= one.right
            and (other.price < one.price or other.right > one.right)
            for other in offers
        )
        for one in offers
    ]
