"""A puzzle that a person wrote: a question about one document, its answer, and the conclusions that lead to it."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from fathom.records.documents import DocumentId
from fathom.records.record import Record

PuzzleText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]
AuthoredOperation = Literal["temporal", "arithmetic", "bridging", "comparison", "conditional"]


class AuthoredPuzzle(Record):
    """A puzzle as `fathom author` records it; `fathom build puzzles --authored` builds items from such lines."""

    document: DocumentId
    question: PuzzleText
    answer: PuzzleText
    options: Annotated[tuple[PuzzleText, ...], Field(max_length=50)] = ()
    """The answers to choose from, the correct one among them; empty for a question with a free answer."""
    checklist: Annotated[tuple[PuzzleText, ...], Field(min_length=1, max_length=50)]
    """The conclusions that a correct solution must reach, each as a sentence."""
    reasoning: Annotated[tuple[PuzzleText, ...], Field(max_length=500)] = ()
    """The chain of reasoning, one step per line."""
    operations: tuple[AuthoredOperation, ...] = ()
    """Empty if they are not known."""
    kind: str = "other"
    """The kind of document: literature, news, policy, ..."""

    @model_validator(mode="after")
    def _the_answer_is_an_option(self) -> Self:
        if self.options and (self.options.count(self.answer) != 1 or len(set(self.options)) < len(self.options)):
            raise ValueError("the answer must be exactly one of the options, and no two options may be the same")
        return self
