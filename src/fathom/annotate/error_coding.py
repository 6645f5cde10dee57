"""Error coding: people sort the incorrect responses of runs into categories of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from fathom.annotate.planned_project import PlannedProject, SamplePlan
from fathom.annotate.project import FILE, now
from fathom.records.documents import NonNegativeInt
from fathom.records.errors import FathomError, file_errors
from fathom.records.questions import QuestionId
from fathom.records.record import Record
from fathom.records.rng import rng_for

MAX_CATEGORIES = 100

SCHEMA = """
CREATE TABLE categories (
    name TEXT PRIMARY KEY,
    description TEXT NOT NULL,
    coder TEXT NOT NULL,              -- who added it; empty if the plan did
    at TEXT NOT NULL
);
CREATE TABLE codes (                  -- append-only: the last code of a coder for a case counts
    id INTEGER PRIMARY KEY,
    coder TEXT NOT NULL,
    place INTEGER NOT NULL,           -- in the cases of the plan
    category TEXT NOT NULL,
    note TEXT NOT NULL,
    at TEXT NOT NULL
);
CREATE INDEX codes_by_case ON codes (coder, place, id);
"""

FailedBy = Literal["any", "all"]


class CodingCase(Record):
    """An incorrect response of one run."""

    run: str
    question_id: QuestionId
    stratum: str


class CodingPlan(SamplePlan):
    """The responses that are coded."""

    runs: dict[str, str]
    """Paths of the runs by name, relative to the project's folder."""
    failed_by: FailedBy
    """Whether questions were drawn that some run fails, or that every run fails."""
    coders: tuple[str, ...]
    cases: tuple[CodingCase, ...]


class Category(Record):
    """A kind of error, in the coders' own words."""

    name: Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[^(]")]
    """Not in parentheses: those are the rows that are not categories."""
    description: str = ""


class Code(Record):
    """The category that one coder gave to one case."""

    coder: str
    place: NonNegativeInt
    category: str
    note: str = ""


class ErrorCoding(PlannedProject[CodingPlan]):
    """An error coding, open for reading and writing."""

    kind = "coding"
    plan_file = "coding.json"
    schema = SCHEMA

    @classmethod
    def plan_type(cls) -> type[CodingPlan]:
        return CodingPlan

    def order(self, coder: str) -> list[int]:
        """The places of the cases, in another random order for each coder."""
        indices = list(range(len(self.plan.cases)))
        rng_for(self.plan.seed, "coding", coder).shuffle(indices)
        return indices

    def categories(self) -> list[Category]:
        """The categories, in the order in which they were added."""
        with file_errors("read", self.folder / FILE):
            rows = self._db.execute("SELECT name, description FROM categories ORDER BY rowid").fetchall()
        return [Category(name=name, description=description) for name, description in rows]

    def add_category(self, category: Category, coder: str = "") -> None:
        """Add a category that all coders can use."""
        categories = self.categories()
        if any(existing.name.casefold() == category.name.casefold() for existing in categories):
            raise FathomError(f"The category '{category.name}' already exists. Choose another name.")
        if len(categories) >= MAX_CATEGORIES:
            raise FathomError(f"There are already {MAX_CATEGORIES} categories. Use one of them.")
        with self._transaction():
            self._db.execute(
                "INSERT INTO categories VALUES (?, ?, ?, ?)", (category.name, category.description, coder, now())
            )

    def code(self, code: Code) -> None:
        """Store the category of a case; an earlier one of the same coder no longer counts."""
        if not 0 <= code.place < len(self.plan.cases):
            raise FathomError("There is no such case. Reload the page.")
        if all(category.name != code.category for category in self.categories()):
            raise FathomError(f"There is no category '{code.category}'. Add it first.")
        with self._transaction():
            self._db.execute(
                "INSERT INTO codes (coder, place, category, note, at) VALUES (?, ?, ?, ?, ?)",
                (code.coder, code.place, code.category, code.note, now()),
            )

    def codes(self) -> Iterator[Code]:
        """The last code of each coder for each case."""
        query = (
            "SELECT coder, place, category, note FROM codes WHERE id IN "
            "(SELECT max(id) FROM codes GROUP BY coder, place) ORDER BY place, coder"
        )
        with file_errors("read", self.folder / FILE):
            rows = self._db.execute(query).fetchall()
        for coder, place, category, note in rows:
            yield Code(coder=coder, place=place, category=category, note=note)
