"""What a system sees, and what came back."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import model_validator

from fathom.records.articles import Count
from fathom.records.contexts import ContextId
from fathom.records.record import Record

QuestionId = str


class Question(Record):
    """What a system is asked. Nothing here tells the answer."""

    id: QuestionId
    family: str
    context_id: ContextId
    text: str
    """The whole wording, the form of the wanted answer included."""
    split: Literal["train", "dev", "test"] = "test"
    tags: dict[str, str] = {}
    """What scores are broken down by: skill, topic, level, language."""


class Usage(Record):
    """What one call cost."""

    input_tokens: Count = 0
    cached_tokens: Count = 0
    """How many of the input tokens a cache served."""
    output_tokens: Count = 0
    seconds: float = 0.0
    price: float | None = None
    """In US dollars; None where no price is known."""


class Reply(Record):
    """What came back for one question, or why nothing did."""

    question_id: QuestionId
    sample: Count = 0
    """Which of several answers to the same question, counted from zero."""
    outcome: Literal["answered", "truncated", "refused", "failed"]
    text: str = ""
    thinking: str = ""
    """A reasoning model's separate thoughts; never scored."""
    error: str | None = None
    """For `failed`: which boundary broke (provider, system, reading), in its own words."""
    usage: Usage = Usage()

    @model_validator(mode="after")
    def _a_failure_says_why(self) -> Self:
        if (self.outcome == "failed") != (self.error is not None):
            raise ValueError("a failed reply says why in `error`, and only a failed one does")
        return self
