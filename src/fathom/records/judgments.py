"""A judgment: the decision of a model or a person about a response or one part of it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fathom.records.documents import NonNegativeInt, PositiveInt
from fathom.records.questions import QuestionId, Usage
from fathom.records.record import Record

Decision = Literal["pass", "fail", "unjudged"]
"""`unjudged` when no decision could be obtained; it is retried and never counts as a failure."""
Reasoning = Literal["visible", "thinking"]
"""The reasoning that counts: that of the visible response alone, or also the separate thinking text."""


class Judgment(Record):
    """The decision of one judge about one part of one response."""

    question_id: QuestionId
    sample: NonNegativeInt = 0
    """The sample number of the response."""
    part: str = ""
    """The checklist item, claim or field that was judged; empty for the response as a whole."""
    judge: str
    """A model's name, or a person's."""
    outcome: Decision
    score: Annotated[float, Field(ge=0, le=1)] | None = None
    reason: str = ""
    prompt_version: str = ""
    """Which version of the judge prompt was used; empty for a person."""
    usage: Usage = Usage()
    reasoning: Reasoning = "visible"
    """The reasoning that the judge saw."""
    attempts: PositiveInt = 1
    """How often the judge was asked until it decided, or gave no decision."""


class TraceRating(Record):
    """A judge's rating of the reasoning of one response."""

    question_id: QuestionId
    sample: NonNegativeInt = 0
    judge: str
    coherence: Annotated[int, Field(ge=1, le=5)]
    """Whether each step follows from those before it: 1 not at all, 5 throughout."""
    steps: NonNegativeInt
    repeated: NonNegativeInt
    """Steps that repeat an earlier one."""
    superfluous: NonNegativeInt
    """Steps that the answer does not need."""
    retrieved: NonNegativeInt
    """Values that the response takes from the document."""
    retrieved_correctly: NonNegativeInt
    prompt_version: str


class PlantedDecision(Record):
    """A judge's decision on a planted response, which is known to be correct or incorrect."""

    question_id: QuestionId
    part: str
    """The part of the response that was judged."""
    fault: str
    """The planted fault; empty for a response without one, which should pass."""
    judge: str
    outcome: Decision
    prompt_version: str
    reasoning: Reasoning = "visible"

    @property
    def is_correct(self) -> bool:
        return self.outcome == ("fail" if self.fault else "pass")
