"""What can be asked of the family: the dimensions of difficulty, the levels made of them, and how much of each."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from fathom.records.documents import Count, Position
from fathom.records.record import Record
from fathom.tasks.citations.naming import CitationType

Task = Literal["choice", "cloze"]
Scope = Literal["full", "section"]
Sampling = Literal["random", "nearest"]
Form = Literal["concise", "full", "body"]
Masking = Literal["all", "one"]

OPTIONS = 4
"""Candidates of an item, and masks of a cloze."""


class Difficulty(Record):
    """How hard an item is, in four dimensions."""

    citation_type: CitationType
    """Attributional: the sentence names the method, model or data set. Descriptive: it does not."""
    sampling: Sampling
    """Candidates at random from the reference list, or from the works that one section of the paper cites."""
    form: Form
    """What is shown of a candidate: title and abstract; all of it; or its body without what gives it away."""
    scope: Scope = "full"
    """The whole question paper, or the section that the mask stands in."""
    filtered: bool = False
    """Whether items are kept only as long as shared words do no better on them than chance."""


LEVELS: dict[str, Difficulty] = {
    "easy": Difficulty(citation_type="attributional", sampling="random", form="full"),
    "medium": Difficulty(citation_type="descriptive", sampling="random", form="full"),
    "hard": Difficulty(citation_type="descriptive", sampling="nearest", form="body", filtered=True),
}


class Typed(Record):
    """What a model said of the types of a corpus's citations, beside the rule; each citation counts once."""

    agree: Count = 0
    disagree: Count = 0
    unclear: Count = 0
    """It answered, and named neither type."""
    without: Count = 0
    """No response came: the rule alone decides."""

    @property
    def citations(self) -> int:
        return self.agree + self.disagree + self.unclear + self.without


class Citing(Record):
    """What is asked of the family."""

    tasks: tuple[Task, ...] = ("choice", "cloze")
    levels: dict[str, Difficulty] = LEVELS
    """By name; those of the paper, or one of the user's own making."""
    items: Position = 100
    """For each task and level."""
    yearly: bool = False
    """Whether so many are wanted for each year of the question papers, as in the published data, or in all."""
    per_paper: Position = 5
    """Items that one question paper may give."""
    mask: Masking = "all"
    """Hide every mention of the candidates in the question paper, or the asked citation alone."""
    types: dict[str, CitationType | None] = {}
    """What a model says of citations; those that it takes otherwise than the rule are not asked about."""
    typed: Typed | None = None
    """How many citations the model was asked about, and what came of it."""
    characters: int = Field(default=100_000, ge=4_000)
    """What a question paper and its candidates have together; candidates are trimmed evenly to fit."""
