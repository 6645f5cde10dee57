"""What is right, with its proof. Only the rooms that score may read this."""

from __future__ import annotations

from pydantic import Field

from fathom.records.documents import Passage
from fathom.records.questions import QuestionId
from fathom.records.record import Record
from fathom.scoring.answers import Answer


class Proof(Record):
    """Why the answer is the answer: run `program` again over the same documents and see."""

    program: str
    """What computes the answer, in the family's own notation."""
    rows: tuple[tuple[str, ...], ...] = ()
    """The rows the program touched, as text."""
    passages: tuple[Passage, ...] = ()
    """Where in the documents those rows were read."""


class Key(Record):
    """The right answer to one question."""

    question_id: QuestionId
    answer: Answer
    proof: Proof
    original: Answer | None = Field(default=None, exclude_if=lambda answer: answer is None)
    """For a bench whose names and numbers were swapped: the answer of the documents as they were."""
    swapped_from: QuestionId | None = Field(default=None, exclude_if=lambda id: id is None)
    """The question that it was before the swap."""
