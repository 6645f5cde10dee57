"""Errata of a bench: items that people dispute, uphold or retire, in a file beside its keys.

The bench itself never changes, so runs stay comparable: scores are given with and without retired items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from fathom.records.documents import NonNegativeInt
from fathom.records.errors import FathomError
from fathom.records.files import Journal
from fathom.records.questions import QuestionId
from fathom.records.record import Record
from fathom.tasks.bench import Bench

FILE = "errata.jsonl"

Reason = Annotated[str, Field(min_length=1, max_length=2_000)]
PersonName = Annotated[str, Field(min_length=1, max_length=200)]
ErratumState = Literal["disputed", "upheld", "retired"]


class Erratum(Record):
    """A statement about one item; the last one about an item counts."""

    question_id: QuestionId
    state: ErratumState
    reason: Reason
    by: PersonName
    at: str
    """When it was stated, in ISO 8601."""


class Dispute(Record):
    """A dispute of one item as a report page writes it: the page is a file, and cannot reach the bench."""

    bench: str
    """The fingerprint of the bench."""
    question_id: QuestionId
    reason: Reason
    by: PersonName
    at: Annotated[str, Field(max_length=40)]


class ImportedDisputes(Record):
    """The counts of an import of disputes."""

    added: NonNegativeInt
    known: NonNegativeInt
    """Disputes that are already in the errata."""
    retired: NonNegativeInt
    """Disputes of items that are already retired, which change nothing."""


def read_errata(folder: Path) -> Iterator[Erratum]:
    """The errata of a bench, oldest first."""
    return Journal(folder / FILE, Erratum).read()


def current_errata(folder: Path) -> dict[QuestionId, Erratum]:
    """The last erratum of each item that has some."""
    return {erratum.question_id: erratum for erratum in read_errata(folder)}


def retired_questions(folder: Path) -> frozenset[QuestionId]:
    """The questions of a bench that are retired."""
    return frozenset(id for id, erratum in current_errata(folder).items() if erratum.state == "retired")


def add_erratum(folder: Path, erratum: Erratum) -> None:
    """Add an erratum to those of a bench; raises an error if the bench has no such question."""
    if all(question.id != erratum.question_id for question in Bench(folder).all_questions()):
        raise FathomError(f"The bench '{folder}' has no question '{erratum.question_id}'. Give the id of one.")
    with Journal(folder / FILE, Erratum) as journal:
        journal.append(erratum)


def import_disputes(folder: Path, disputes: Iterable[Dispute]) -> ImportedDisputes:
    """Add disputes to the errata of a bench, or none of them if one is of another bench or an unknown question."""
    bench = Bench(folder)
    questions = {question.id for question in bench.all_questions()}
    disputes_read = list(disputes)
    for dispute in disputes_read:
        if dispute.bench != bench.manifest.fingerprint:
            raise FathomError(
                f"The dispute of '{dispute.question_id}' is not about the bench '{folder}'. Give its bench."
            )
        if dispute.question_id not in questions:
            raise FathomError(f"The bench '{folder}' has no question '{dispute.question_id}'. Remove its dispute.")
    retired = retired_questions(folder)
    recorded = set(read_errata(folder))
    added = 0
    with Journal(folder / FILE, Erratum) as journal:
        for dispute in disputes_read:
            erratum = Erratum(
                question_id=dispute.question_id, state="disputed", reason=dispute.reason, by=dispute.by, at=dispute.at
            )
            # The last statement about an item counts: a dispute must not bring back an item that was retired.
            if dispute.question_id not in retired and erratum not in recorded:
                journal.append(erratum)
                recorded.add(erratum)
                added += 1
    retired_count = sum(dispute.question_id in retired for dispute in disputes_read)
    return ImportedDisputes(added=added, known=len(disputes_read) - added - retired_count, retired=retired_count)
