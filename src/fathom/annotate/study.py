"""A study: people answer questions of a bench. Its plan, its answers, and who is asked what."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from fathom.annotate.project import FILE, Project, ProjectSettings
from fathom.records.documents import Count, Position
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import write_json
from fathom.records.manifests import read_manifest
from fathom.records.questions import Question, QuestionId
from fathom.records.record import Record
from fathom.records.rng import rng_for
from fathom.records.version import __version__
from fathom.tasks.bench import Bench

PLAN = "study.json"
FORMAT = 1
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

    round: Count
    question_id: QuestionId
    """For a control: the question whose material is shown."""
    control: str = ""
    """The code that a control asks for; empty for a question of the bench."""


class StudyPlan(Record):
    """The sample of a study, and the tasks of each person."""

    format: int = FORMAT
    fathom: str = __version__
    bench: str
    """Path of the bench, relative to the study's folder."""
    bench_fingerprint: str
    show: str
    """The form of the material: documents or tables."""
    by: str
    """The tag that the sample is stratified by."""
    strata: dict[str, Count]
    """Sampled questions by value of the tag."""
    available: dict[str, Count]
    """Questions of the bench by value of the tag."""
    answers_per_question: Position
    controls: Count
    """Control questions in each round."""
    time_limit: Annotated[float, Field(gt=0)] | None = None
    """Seconds for each question; None for no limit."""
    seed: int
    tasks: dict[str, tuple[StudyTask, ...]]
    """By person, in order."""

    @property
    def questions(self) -> set[QuestionId]:
        """The sampled questions."""
        return {one.question_id for tasks in self.tasks.values() for one in tasks if not one.control}


class StudyAnswer(Record):
    """What one person said to one task."""

    person: str
    place: Count
    state: Literal["answered", "gave up", "timeout"]
    text: str
    seconds: float


def draw_sample(questions: Sequence[Question], by: str, per: int, seed: int) -> dict[str, list[Question]]:
    """Questions for each value of a tag, in random order: `per` of each value, or all if there are fewer."""
    groups: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        value = {"family": question.family, "split": question.split, **question.tags}.get(by)
        if value is not None:
            groups[value].append(question)
    if not groups:
        tags = sorted({"family", "split", *(name for question in questions for name in question.tags)})
        raise FathomError(f"No question has the tag '{by}'. Choose among {', '.join(tags)}.")
    sample = {}
    for value in sorted(groups):
        members = sorted(groups[value], key=lambda one: one.id)
        sample[value] = rng_for(seed, "study", by, value).sample(members, min(per, len(members)))
    return sample


def assign_tasks(
    sample: Sequence[Question], people: Sequence[str], answers: int, per_round: int, controls: int, seed: int
) -> dict[str, tuple[StudyTask, ...]]:
    """The tasks of each person: every question goes to `answers` people, each in another order, in rounds."""
    if len(set(people)) < answers:
        raise FathomError(f"{answers} answers to each question need {answers} people. Give more --annotator.")
    given: dict[str, list[Question]] = {name: [] for name in people}
    for question in sample:
        order = sorted(people, key=lambda name: (len(given[name]), rng_for(seed, question.id, name).random()))
        for name in order[:answers]:
            given[name].append(question)
    tasks: dict[str, tuple[StudyTask, ...]] = {}
    for name, questions in given.items():
        rng = rng_for(seed, "study", "order", name)
        rng.shuffle(questions)
        found: list[StudyTask] = []
        rounds = iter(questions)
        for number, some in enumerate(iter(lambda: list(islice(rounds, per_round)), [])):  # noqa: B023
            members = [StudyTask(round=number, question_id=one.id) for one in some]
            for _ in range(controls):
                shown = rng.choice(some).id
                code = f"{rng.randrange(10_000, 100_000)}"
                members.insert(
                    rng.randrange(len(members) + 1), StudyTask(round=number, question_id=shown, control=code)
                )
            found += members
        tasks[name] = tuple(found)
    return tasks


def with_code(text: str, code: str) -> str:
    """The material of a control: a line with the code is added after one of its lines."""
    lines = text.split("\n")
    place = rng_for(0, "control", code).randrange(len(lines) + 1)
    return "\n".join([*lines[:place], f"Control code: {code}", *lines[place:]])


class Study(Project):
    """A study, open for reading and writing. Every answer is on disk when its method returns."""

    def __init__(self, folder: Path) -> None:
        self.plan = read_plan(folder)
        super().__init__(folder)

    @classmethod
    def begin(cls, folder: Path, plan: StudyPlan, corpus: str) -> Study:
        """Create the folder of a study with its people."""
        if (folder / PLAN).exists() or (folder / FILE).exists():
            raise FathomError(f"'{folder}' contains a study already. Choose another --out.")
        settings = ProjectSettings(corpus=corpus, corpus_fingerprint="", documents=())
        with Project.create(folder, settings) as project:
            project.add_tables(SCHEMA)
            for name in plan.tasks:
                project.add_annotator(name, ())
        write_json(folder / PLAN, plan)
        return cls(folder)

    @property
    def bench_folder(self) -> Path:
        """The recorded path of the bench."""
        return Path(os.path.normpath(self.folder.resolve() / self.plan.bench))

    def open_bench(self) -> Bench:
        """The bench of the study; an error if it has changed."""
        bench = Bench(self.bench_folder)
        if bench.manifest.fingerprint != self.plan.bench_fingerprint:
            raise FathomError(f"The bench '{bench.folder}' is not the one of the study. Restore it.")
        return bench

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
                "INSERT OR IGNORE INTO answers (person, place, shown) VALUES (?, ?, ?)", (person, place, _now())
            )
        return self._elapsed(person, place, _now())

    def answer(self, person: str, place: int, text: str, gave_up: bool) -> None:
        """Store the answer to the task that is open; an answer after the time limit is a timeout."""
        if place != self.next_place(person):
            raise FathomError("This question was answered already. Reload the page.")
        now = _now()
        limit = self.plan.time_limit
        with self._transaction():
            late = limit is not None and self._elapsed(person, place, now) > limit + GRACE
            state = "timeout" if late else "gave up" if gave_up else "answered"
            self._db.execute(
                "UPDATE answers SET sent = ?, state = ?, text = ? WHERE person = ? AND place = ?",
                (now, state, text, person, place),
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


def read_plan(folder: Path) -> StudyPlan:
    """The plan of the study in a folder."""
    return read_manifest(folder / PLAN, StudyPlan, FORMAT, "study", "Create the study again.")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
