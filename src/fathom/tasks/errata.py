"""Errata of a bench: items that people dispute, uphold or retire, in a file beside its keys.

The bench itself never changes, so runs stay comparable: scores are given with and without retired items.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from fathom.records.errors import FathomError
from fathom.records.files import Journal
from fathom.records.questions import QuestionId
from fathom.records.record import Record
from fathom.tasks.bench import Bench

FILE = "errata.jsonl"

ErratumState = Literal["disputed", "upheld", "retired"]


class Erratum(Record):
    """A statement about one item; the last one about an item counts."""

    question_id: QuestionId
    state: ErratumState
    reason: Annotated[str, Field(min_length=1, max_length=2_000)]
    by: str
    at: str
    """When it was stated, in ISO 8601."""


def read_errata(folder: Path) -> Iterator[Erratum]:
    """The errata of a bench, oldest first."""
    return Journal(folder / FILE, Erratum).read()


def current_errata(folder: Path) -> dict[QuestionId, Erratum]:
    """The last erratum of each item that has some."""
    return {one.question_id: one for one in read_errata(folder)}


def retired_questions(folder: Path) -> frozenset[QuestionId]:
    """The questions of a bench that are retired."""
    return frozenset(id for id, one in current_errata(folder).items() if one.state == "retired")


def add_erratum(folder: Path, erratum: Erratum) -> None:
    """Add an erratum to those of a bench; raises an error if the bench has no such question."""
    if all(question.id != erratum.question_id for question in Bench(folder).all_questions()):
        raise FathomError(f"The bench '{folder}' has no question '{erratum.question_id}'. Give the id of one.")
    with Journal(folder / FILE, Erratum) as journal:
        journal.append(erratum)
