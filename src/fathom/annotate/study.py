"""A study: people answer questions of a bench. Its plan, its answers, and who is asked what."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Annotated, Literal

from pydantic import Field

from fathom.annotate.planned_project import (
    PlannedProject,
    SamplePlan,
    StratifiedSample,
    question_tags,
    stratified_sample,
)
from fathom.annotate.project import FILE, now
from fathom.records.documents import NonNegativeInt, PositiveInt
from fathom.records.errors import FathomError, file_errors
from fathom.records.questions import Question, QuestionId
from fathom.records.record import Record
from fathom.records.rng import rng_for

GRACE = 5.0
"""Seconds after the time limit in which a page may still send the answer."""

SCHEMA = """
CREATE TABLE answers (
    person TEXT NOT NULL,
    place INTEGER NOT NULL,           -- in the person's tasks
    shown TEXT NOT NULL,              -- when the question was first shown
    sent TEXT,                        -- when the answer came; NULL while it is open
    state TEXT,                       -- answered, gave up, timeout
    text TEXT,
    PRIMARY KEY (person, place)
) WITHOUT ROWID;
"""


class StudyTask(Record):
    """A question that one person is asked."""

    round: NonNegativeInt
    question_id: QuestionId
    """For a control: the question whose material is shown."""
    control: str = ""
    """The code that a control asks for; empty for a question of the bench."""


class StudyPlan(SamplePlan):
    """The sample of a study, and the tasks of each person."""

    show: str
    """The form of the material: documents or tables."""
    answers_per_question: PositiveInt
    controls: NonNegativeInt
    """Control questions in each round."""
    time_limit: Annotated[float, Field(gt=0)] | None = None
    """Seconds for each question; None for no limit."""
    tasks: dict[str, tuple[StudyTask, ...]]
    """By person, in order."""

    @property
    def questions(self) -> set[QuestionId]:
        """The sampled questions."""
        return {task.question_id for tasks in self.tasks.values() for task in tasks if not task.control}


class StudyAnswer(Record):
    """One person's answer to one task."""

    person: str
    place: NonNegativeInt
    state: Literal["answered", "gave up", "timeout"]
    text: str
    seconds: float


def draw_sample(questions: Iterable[Question], by: str, per: int, seed: int) -> StratifiedSample[Question]:
    """Questions for each value of a tag: `per` of each value, or all if there are fewer."""
    return stratified_sample(questions, question_tags, lambda question: question.id, by, per, seed)


def assign_tasks(
    sample: Sequence[Question], people: Sequence[str], answers: int, per_round: int, controls: int, seed: int
) -> dict[str, tuple[StudyTask, ...]]:
    """The tasks of each person: `answers` people for every question, in rounds, each in another order."""
    if len(set(people)) < answers:
        raise FathomError(f"{answers} answers to each question need {answers} people. Add --annotator NAME for each.")
    assigned_questions: dict[str, list[Question]] = {name: [] for name in people}
    for question in sample:
        order = sorted(
            people, key=lambda name: (len(assigned_questions[name]), rng_for(seed, question.id, name).random())
        )
        for name in order[:answers]:
            assigned_questions[name].append(question)
    tasks: dict[str, tuple[StudyTask, ...]] = {}
    for name, questions in assigned_questions.items():
        rng = rng_for(seed, "study", "order", name)
        rng.shuffle(questions)
        person_tasks: list[StudyTask] = []
        rounds = iter(questions)
        for number, round_questions in enumerate(iter(lambda: list(islice(rounds, per_round)), [])):  # noqa: B023
            members = [StudyTask(round=number, question_id=question.id) for question in round_questions]
            for _ in range(controls):
                control_question = rng.choice(round_questions).id
                code = f"{rng.randrange(10_000, 100_000)}"
                members.insert(
                    rng.randrange(len(members) + 1), StudyTask(round=number, question_id=control_question, control=code)
                )
            person_tasks += members
        tasks[name] = tuple(person_tasks)
    return tasks


def with_code(text: str, code: str) -> str:
    """The material of a control: a line with the code is added after one of its lines."""
    lines = text.split("\n")
    index = rng_for(0, "control", code).randrange(len(lines) + 1)
    return "\n".join([*lines[:index], f"Control code: {code}", *lines[index:]])


class Study(PlannedProject[StudyPlan]):
    """A study, open for reading and writing."""

    kind = "study"
    plan_file = "study.json"
    schema = SCHEMA

    @classmethod
    def plan_type(cls) -> type[StudyPlan]:
        return StudyPlan

    def next_place(self, person: str) -> int | None:
        """The place of the task that a person has to do; None after the last one."""
        (done,) = self._db.execute(
            "SELECT count(*) FROM answers WHERE person = ? AND sent IS NOT NULL", (person,)
        ).fetchone()
        return int(done) if done < len(self.plan.tasks.get(person, ())) else None

    def show(self, person: str, place: int) -> float:
        """Record that a task is shown, if it is for the first time; returns the seconds since then."""
        with self._transaction():
            self._db.execute(
                "INSERT OR IGNORE INTO answers (person, place, shown) VALUES (?, ?, ?)", (person, place, now())
            )
        return self._elapsed(person, place, now())

    def answer(self, person: str, place: int, text: str, gave_up: bool) -> None:
        """Store the answer to the task that is open; an answer after the time limit is a timeout."""
        if place != self.next_place(person):
            raise FathomError("This question has already been answered. Reload the page.")
        sent = now()
        limit = self.plan.time_limit
        with self._transaction():
            late = limit is not None and self._elapsed(person, place, sent) > limit + GRACE
            state = "timeout" if late else "gave up" if gave_up else "answered"
            self._db.execute(
                "UPDATE answers SET sent = ?, state = ?, text = ? WHERE person = ? AND place = ?",
                (sent, state, text, person, place),
            )

    def _elapsed(self, person: str, place: int, until: str) -> float:
        row = self._db.execute("SELECT shown FROM answers WHERE person = ? AND place = ?", (person, place)).fetchone()
        if row is None:
            raise FathomError("The question was not shown yet. Reload the page.")
        return (datetime.fromisoformat(until) - datetime.fromisoformat(row[0])).total_seconds()

    def answers(self) -> Iterator[StudyAnswer]:
        """All answers, by person and place."""
        query = (
            "SELECT person, place, state, text, shown, sent FROM answers WHERE sent IS NOT NULL ORDER BY person, place"
        )
        with file_errors("read", self.folder / FILE):
            for person, place, state, text, shown, sent in self._db.execute(query):
                seconds = (datetime.fromisoformat(sent) - datetime.fromisoformat(shown)).total_seconds()
                yield StudyAnswer(person=person, place=place, state=state, text=text, seconds=seconds)
