"""Answer keys with their proofs. Only packages that score may read them."""

from __future__ import annotations

from pydantic import Field

from fathom.records.documents import Passage
from fathom.records.questions import QuestionId
from fathom.records.record import Record
from fathom.scoring.answers import Answer


class Proof(Record):
    """The proof of an answer: running `program` over the same documents gives it again."""

    program: str
    """The program that computes the answer, in the notation of the family."""
    rows: tuple[tuple[str, ...], ...] = ()
    """The rows that the program used, as text."""
    passages: tuple[Passage, ...] = ()
    """The passages of the documents that those rows come from."""


class Key(Record):
    """The correct answer to one question."""

    question_id: QuestionId
    answer: Answer
    proof: Proof
    original: Answer | None = Field(default=None, exclude_if=lambda answer: answer is None)
    """In a counterfactual (swapped) bench: the answer from the original documents."""
    swapped_from: QuestionId | None = Field(default=None, exclude_if=lambda id: id is None)
    """In a counterfactual (swapped) bench: the id of the original question."""
