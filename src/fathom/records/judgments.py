"""A judgment: the decision of a model or a person about a response or one part of it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fathom.records.documents import Count
from fathom.records.questions import QuestionId, Usage
from fathom.records.record import Record


class Judgment(Record):
    """The decision of one judge about one part of one response."""

    question_id: QuestionId
    sample: Count = 0
    """The sample number of the response."""
    part: str = ""
    """The checklist item, claim or field that was judged; empty for the response as a whole."""
    judge: str
    """A model's name, or a person's."""
    outcome: Literal["pass", "fail", "unjudged"]
    """`unjudged` when no decision could be obtained; it is retried and never counts as a failure."""
    score: Annotated[float, Field(ge=0, le=1)] | None = None
    reason: str = ""
    prompt_version: str = ""
    """Which version of the judge prompt was used; empty for a person."""
    usage: Usage = Usage()
