"""The verdict on one response."""

from __future__ import annotations

import operator
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fathom.records.documents import NonNegativeInt
from fathom.records.judgments import Judgment
from fathom.records.questions import QuestionId
from fathom.records.record import Record
from fathom.scoring.answers import Answer
from fathom.scoring.reasoning import ReasoningState

Outcome = Literal["correct", "incorrect", "unparseable", "refused", "overflow", "error", "unjudged"]
OUTCOMES: tuple[Outcome, ...] = ("correct", "incorrect", "unparseable", "refused", "overflow", "error", "unjudged")

GRADED = ("correct", "incorrect")
"""Outcomes that say something about the answer; only these can have a score above zero."""

JUDGE_AGREES = "judge agrees"
"""A measure of responses that were judged although they need no judge: whether judge and check agree."""

Share = Annotated[float, Field(ge=0, le=1)]


class PartVerdict(Record):
    """The verdict on one part of a response: a checklist item, a claim or a field."""

    name: str
    outcome: Outcome
    score: Share = 0.0
    reason: str = ""


class Verdict(Record):
    """Whether one response is correct, its score, and the answer parsed from it."""

    question_id: QuestionId
    sample: NonNegativeInt = 0
    outcome: Outcome
    """`error` and `unjudged` are states, not grades: the question is asked or judged again."""
    score: Share
    """Partial credit between 0 and 1. A family declares the minimum score of a correct response."""
    parsed: Answer | None = None
    """The answer parsed from the response; None if there was none."""
    reason: str = ""
    measures: dict[str, float] = Field(default={}, exclude_if=operator.not_)
    """Named measures such as precision, recall, F1 or IoU, and counts from which a family computes ratios."""
    values: dict[str, tuple[float, ...]] = Field(default={}, exclude_if=operator.not_)
    """Named lists of numbers, such as the distance of each pair of passages that the response links."""
    parts: tuple[PartVerdict, ...] = Field(default=(), exclude_if=operator.not_)
    judgments: tuple[Judgment, ...] = Field(default=(), exclude_if=operator.not_)
    """The judgments that the verdict is based on."""
    judged: dict[str, Literal["pass", "fail"]] = Field(default={}, exclude_if=operator.not_)
    """The judges' decisions on the parts that the check leaves open. The response is correct if all of them pass; empty
    if the check decides by itself."""
    reasoning: ReasoningState | None = Field(default=None, exclude_if=operator.not_)
    """Where the reasoning is, for families that check it."""

    @model_validator(mode="after")
    def _only_graded_responses_score(self) -> Self:
        if self.score and self.outcome not in GRADED:
            raise ValueError(f"a verdict of '{self.outcome}' cannot score {self.score}")
        return self
