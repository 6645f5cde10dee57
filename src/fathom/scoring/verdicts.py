"""What scoring says of one reply."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fathom.records.articles import Count
from fathom.records.questions import QuestionId
from fathom.records.record import Record
from fathom.scoring.answers import Answer


class Verdict(Record):
    """Whether one reply is right, how right, and what was read out of it."""

    question_id: QuestionId
    sample: Count = 0
    outcome: Literal["right", "wrong", "unreadable", "refused", "overflow", "failed"]
    """`failed` is no verdict on the system: nothing came back, and the question waits to be asked again."""
    score: Annotated[float, Field(ge=0, le=1)]
    """One where right; partial credit where the family gives any."""
    read_as: Answer | None = None
    """The answer as read from the reply; None where none could be read."""
    reason: str = ""

    @model_validator(mode="after")
    def _right_means_the_full_score(self) -> Self:
        if (self.outcome == "right") != (self.score == 1.0) or (self.score and self.outcome not in ("right", "wrong")):
            raise ValueError(f"a verdict of '{self.outcome}' cannot score {self.score}")
        return self
