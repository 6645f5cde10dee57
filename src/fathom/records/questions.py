"""Questions and responses."""

from __future__ import annotations

import operator
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from fathom.records.contexts import ContextId, Split
from fathom.records.documents import NonNegativeInt, Passage
from fathom.records.record import Record

QuestionId = str


class Question(Record):
    """A question. It contains nothing of the answer."""

    id: QuestionId
    family: str
    context_id: ContextId
    text: str
    """The whole wording, including the requested form of the answer."""
    split: Split = "test"
    tags: Annotated[dict[str, str], AfterValidator(lambda tags: dict(sorted(tags.items())))] = {}
    """Values by which scores are broken down: skill, topic, level, language."""


class Usage(Record):
    """Tokens, time and price of one call."""

    input_tokens: NonNegativeInt = 0
    cached_tokens: NonNegativeInt = 0
    """How many of the input tokens a cache served."""
    output_tokens: NonNegativeInt = 0
    seconds: Annotated[float, Field(ge=0)] = 0.0
    price: Annotated[float, Field(ge=0)] | None = None
    """In US dollars; None if no price is known."""

    def plus(self, other: Usage) -> Usage:
        """The sum; its price is known only if both prices are."""
        has_price = self.price is not None and other.price is not None
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            seconds=self.seconds + other.seconds,
            price=(self.price or 0.0) + (other.price or 0.0) if has_price else None,
        )

    @model_validator(mode="after")
    def _cached_tokens_are_input_tokens(self) -> Self:
        if self.cached_tokens > self.input_tokens:
            raise ValueError(f"{self.cached_tokens} cached tokens exceed {self.input_tokens} input tokens")
        return self


class Step(Record):
    """One step of a system that takes several: a model call, a tool call, or a retrieval."""

    kind: Literal["model", "tool", "retrieval"]
    name: str = ""
    """The purpose of the step, or the tool that was called."""
    input: str = ""
    """The question part of a prompt, the arguments of a tool, or a search query; never a whole context."""
    output: str = ""
    """The completion or the tool's result; long ones are shortened."""
    passages: tuple[Passage, ...] = ()
    """The passages that a retrieval or a tool gave the model to read, best first. Recall is computed from them."""
    error: str | None = None
    usage: Usage = Usage()


Ending = Literal["gave up", "out of steps", "out of tokens", "out of price"]
"""Why a system of several steps ended before its model was done."""


class Response(Record):
    """The response to one question, or the reason why there is none."""

    question_id: QuestionId
    sample: NonNegativeInt = 0
    """Number of the response among several to the same question, counted from zero."""
    outcome: Literal["answered", "truncated", "refused", "overflow", "error"]
    """Refused: by the model. Overflow: the question did not fit the model's window, and nothing was sent."""
    text: str = ""
    thinking: str = ""
    """The separate reasoning text of a reasoning model; never scored."""
    error: str | None = None
    """The message of the provider or system; set for the outcome `error` only."""
    usage: Usage = Usage()
    """The sum over all calls."""
    trace: tuple[Step, ...] = Field(default=(), exclude_if=operator.not_)
    """The steps of a system that makes several calls, in order; empty for a single call."""
    ending: Ending | None = Field(default=None, exclude_if=operator.not_)
    """Gave up: the model ended the work without an answer. Out of something: a limit of the system ended it, even if
    the model could still answer from what it had. None if the model ended it with an answer."""

    @model_validator(mode="after")
    def _an_error_has_a_message(self) -> Self:
        if (self.outcome == "error") != (self.error is not None):
            raise ValueError("`error` must be set for the outcome 'error' and for no other")
        return self
