"""Value checks: people compare values that were read from documents with what the documents print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from fathom.analysis.value_checks import CheckVerdict
from fathom.annotate.planned_project import PlannedProject, SamplePlan
from fathom.annotate.project import FILE, now
from fathom.records.documents import NonNegativeInt
from fathom.records.errors import FathomError, file_errors
from fathom.records.record import Record
from fathom.tasks.family import ExtractedValue

SCHEMA = """
CREATE TABLE checks (
    person TEXT NOT NULL,
    place INTEGER NOT NULL,           -- in the values of the plan
    step TEXT NOT NULL,               -- first or second
    verdict TEXT NOT NULL,            -- correct, incorrect, unclear
    note TEXT NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (place, step)
) WITHOUT ROWID;
"""

CheckStep = Literal["first", "second"]


class ValueCheckPlan(SamplePlan):
    """The values that are checked, and by whom."""

    values: tuple[ExtractedValue, ...]
    first: dict[str, tuple[NonNegativeInt, ...]]
    """The places of the values that each person checks first."""


class ValueCheck(Record):
    """One person's verdict on one value."""

    person: str
    place: NonNegativeInt
    step: CheckStep
    verdict: CheckVerdict
    note: str = ""
    """The value that the document states instead, or why it is unclear."""


@dataclass(frozen=True)
class CheckTask:
    """A value that a person has to check."""

    place: int
    step: CheckStep
    earlier: ValueCheck | None
    """For a second review: the first check."""


def assign_values(count: int, people: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """The places of the values, dealt out in turn so that every person gets a similar number of each stratum."""
    if len(people) < 2:
        raise FathomError("A second person reviews disagreements. Give --annotator at least twice.")
    return {name: tuple(range(number, count, len(people))) for number, name in enumerate(people)}


class ValueChecks(PlannedProject[ValueCheckPlan]):
    """Value checks, open for reading and writing.

    Every value is checked by one person. If that person does not confirm it, another person reviews it, and the second
    verdict counts.
    """

    kind = "value check"
    plan_file = "checks.json"
    schema = SCHEMA

    @classmethod
    def plan_type(cls) -> type[ValueCheckPlan]:
        return ValueCheckPlan

    def checks(self) -> Iterator[ValueCheck]:
        """All checks, by value."""
        with file_errors("read", self.folder / FILE):
            rows = self._db.execute("SELECT person, place, step, verdict, note FROM checks ORDER BY place, step")
            for person, place, step, verdict, note in rows.fetchall():
                yield ValueCheck(person=person, place=place, step=step, verdict=verdict, note=note)

    def open_tasks(self, person: str) -> list[CheckTask]:
        """The values that a person has to check: first their own, then unconfirmed ones of others."""
        done_checks = {(check.place, check.step): check for check in self.checks()}
        first_tasks = [
            CheckTask(place, "first", None) for place in self.plan.first[person] if (place, "first") not in done_checks
        ]
        return first_tasks + [
            CheckTask(place, "second", check)
            for (place, step), check in done_checks.items()
            if step == "first"
            and check.verdict != "correct"
            and (place, "second") not in done_checks
            and self._second(place) == person
        ]

    def _second(self, place: int) -> str:
        """The person who reviews a value that its first checker did not confirm: in turn one of the others."""
        people = list(self.plan.first)
        first = next(number for number, name in enumerate(people) if place in self.plan.first[name])
        return people[(first + 1 + (place // len(people)) % (len(people) - 1)) % len(people)]

    def done(self, person: str) -> int:
        """The number of checks that a person has made."""
        return Counter(check.person for check in self.checks())[person]

    def add(self, check: ValueCheck) -> None:
        """Store the check of a task that the person has."""
        if not any((task.place, task.step) == (check.place, check.step) for task in self.open_tasks(check.person)):
            raise FathomError("This value has already been checked. Reload the page.")
        if check.verdict != "correct" and not check.note.strip():
            raise FathomError("Say what the document states instead, or what is unclear.")
        with self._transaction():
            self._db.execute(
                "INSERT INTO checks VALUES (?, ?, ?, ?, ?, ?)",
                (check.person, check.place, check.step, check.verdict, check.note.strip(), now()),
            )
