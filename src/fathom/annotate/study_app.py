"""The pages on which people answer the questions of a study."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from fathom.annotate.project import Project
from fathom.annotate.study import Study, with_code
from fathom.annotate.web import Input, create_app, page, require_attestation, user_of
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.errors import FathomError
from fathom.records.questions import Question, QuestionId
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family

MAX_ANSWER = 20_000
TABLES = "tables"
"""The material that consists of tables."""
CONTROL = "This is a control question. Find the control code in the material, and enter it."


@dataclass
class StudyState:
    """A study with the questions of its bench, open in the thread of the server. It reads no keys."""

    study: Study
    bench: Bench
    corpus: Corpus

    def __post_init__(self) -> None:
        planned = self.study.plan.questions
        self.questions: dict[QuestionId, Question] = {
            question.id: question for question in self.bench.all_questions() if question.id in planned
        }
        needed = {question.context_id for question in self.questions.values()}
        self._contexts: dict[str, Context] = {
            context.id: context for context in self.bench.contexts() if context.id in needed
        }
        self.material = lru_cache(maxsize=8)(self._material)

    @property
    def project(self) -> Project:
        return self.study

    def _material(self, id: QuestionId) -> str:
        """The material that is shown with a question."""
        question = self.questions[id]
        name = question.family
        forms = family(name).views(self.corpus, self.bench.manifest.reports.get(name, {})).forms
        if self.study.plan.show not in forms:
            raise FathomError(f"The family '{name}' cannot show '{self.study.plan.show}'. It has: {', '.join(forms)}.")
        return forms[self.study.plan.show](self._contexts[question.context_id]).decode()


def study_app(folder: Path, corpus: Path, port: Callable[[], int]) -> FastAPI:
    """The app of a study."""

    @contextmanager
    def opened() -> Iterator[StudyState]:
        with Study(folder) as study, Corpus(corpus) as documents:
            yield StudyState(study, study.open_bench(), documents)

    app = create_app(opened, port)
    app.add_api_route("/", task)
    app.add_api_route("/api/tasks/{place}", answer, methods=["POST"])
    return app


def _state(request: Request) -> StudyState:
    state: StudyState = request.app.state.served
    return state


async def task(request: Request) -> Response:
    """The question that the person has to answer next."""
    state, user = _state(request), user_of(request)
    study = state.study
    tasks = study.plan.tasks[user]
    place = study.next_place(user)
    common = {"title": "Study", "user": user, "total": len(tasks)}
    if place is None:
        return page("study_end.html", **common)
    if study.attested(user) is None:
        return page("study_start.html", **common, limit=study.plan.time_limit)
    current = tasks[place]
    text = state.material(current.question_id)
    text = with_code(text, current.control) if current.control else text
    elapsed = study.show(user, place)
    limit = study.plan.time_limit
    return page(
        "study_task.html",
        **common,
        place=place,
        question=CONTROL if current.control else state.questions[current.question_id].text,
        parts=parts_of(text),
        tables=tables_of(text) if study.plan.show == TABLES else (),
        left=None if limit is None else max(0.0, limit - elapsed),
    )


class MaterialPart(NamedTuple):
    """A document or candidate of the material."""

    title: str
    """Empty for what is before the first one."""
    text: str


def parts_of(material: str) -> list[MaterialPart]:
    """The material divided before each line that announces a document, so that people can go to it."""
    pieces = re.split(r"(?m)^(?====== )", material)
    return [
        MaterialPart(piece.split("\n")[0].strip("= ") if number else "", piece) for number, piece in enumerate(pieces)
    ]


class MaterialTable(NamedTuple):
    """A table of the material."""

    title: str
    definition: list[str]
    """The descriptions of its columns, one per line."""
    columns: list[str]
    rows: list[list[str]]
    """A row of one cell is a line of its own, such as a control code."""


def tables_of(material: str) -> list[MaterialTable]:
    """The tables of a material of comma-separated values, each after its name or its definition."""
    tables: list[MaterialTable] = []
    is_defined = True
    for line in material.split("\n"):
        if heading := re.fullmatch(r"Table (\w+)|CREATE TABLE (\w+) \(", line):
            tables.append(MaterialTable(f"Table {heading[1] or heading[2]}", [], [], []))
            is_defined = heading[1] is not None
        elif not tables:
            tables.append(MaterialTable("", [line], [], []))
        elif not is_defined:
            is_defined = line == ");"
            tables[-1].definition.extend([] if is_defined else [line.strip()])
        elif row := next(csv.reader([line]), []):
            if tables[-1].columns or len(row) == 1:
                tables[-1].rows.append(row)
            else:
                tables[-1].columns.extend(row)
    return tables


class _Answer(Input):
    text: str = Field(max_length=MAX_ANSWER)
    gave_up: bool = False


async def answer(request: Request, place: int, body: _Answer) -> Response:
    require_attestation(request)
    state, user = _state(request), user_of(request)
    if not body.gave_up and not body.text.strip():
        raise FathomError("The answer is empty. Write one, or give up.")
    state.study.answer(user, place, body.text, body.gave_up)
    return JSONResponse({"stored": True})
