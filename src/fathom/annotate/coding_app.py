"""The pages on which coders sort incorrect responses into categories. They do not name the run or the other coders."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from pydantic import StringConstraints
from starlette.exceptions import HTTPException

from fathom.analysis.loading import read_verdicts, verdict_on
from fathom.annotate.error_coding import Category, Code, ErrorCoding
from fathom.annotate.item_proof import proof_values
from fathom.annotate.web import Input, create_app, page, require_attestation, user_of
from fathom.corpus.store import Corpus
from fathom.records import questions as records
from fathom.records.contexts import Context
from fathom.records.errors import FathomError
from fathom.records.questions import QuestionId
from fathom.runs.folder import read_responses
from fathom.scoring.answer_types.format import display
from fathom.scoring.verdicts import Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.checking import ShownContexts
from fathom.tasks.family import Item

MAX_SHOWN = 20_000
"""Characters of a response, of its thinking and of each part of a step that a page shows."""


@dataclass
class CodingState:
    """An error coding with its bench and the responses of its runs, open in the thread of the server."""

    project: ErrorCoding
    bench: Bench
    corpus: Corpus

    def __post_init__(self) -> None:
        case_questions = {case.question_id for case in self.project.plan.cases}
        self.items: dict[QuestionId, tuple[Context, Item]] = {
            item.question.id: (context, item)
            for context, items in self.bench.by_context()
            for item in items
            if item.question.id in case_questions
        }
        shown_contexts = ShownContexts(self.bench)
        responses_and_verdicts: dict[tuple[str, QuestionId], tuple[records.Response, Verdict]] = {}
        for name, path in self.project.plan.runs.items():
            folder = Path(os.path.normpath(self.project.folder.resolve() / path))
            responses = read_responses(folder)
            verdicts = {(verdict.question_id, verdict.sample): verdict for verdict in read_verdicts(folder)}
            for case in self.project.plan.cases:
                sample_key = case.question_id, 0
                if case.run == name and sample_key not in responses:
                    raise FathomError(
                        f"The run '{folder}' has no response to '{case.question_id}'. Restore a copy of it."
                    )
                if case.run == name:
                    item = self.items[case.question_id][1]
                    verdict = verdict_on(item, responses[sample_key], verdicts.get(sample_key), shown_contexts)
                    responses_and_verdicts[name, case.question_id] = responses[sample_key], verdict
        self.responses = responses_and_verdicts


def coding_app(folder: Path, corpus: Path, port: Callable[[], int]) -> FastAPI:
    """The app of an error coding."""

    @contextmanager
    def opened() -> Iterator[CodingState]:
        with ErrorCoding(folder) as project, Corpus(corpus) as documents:
            yield CodingState(project, project.open_bench(), documents)

    app = create_app(opened, port)
    app.add_api_route("/", case_list)
    app.add_api_route("/cases/{number}", case)
    app.add_api_route("/api/cases/{number}", code, methods=["POST"])
    app.add_api_route("/api/categories", add_category, methods=["POST"])
    return app


def _state(request: Request) -> CodingState:
    state: CodingState = request.app.state.served
    return state


def _own_codes(state: CodingState, coder: str) -> dict[int, Code]:
    return {code.place: code for code in state.project.codes() if code.coder == coder}


async def case_list(request: Request) -> Response:
    """The cases of the coder with their categories, and the categories with their numbers of cases."""
    state, user = _state(request), user_of(request)
    own_codes = _own_codes(state, user)
    rows = [
        {
            "number": number,
            "question": state.items[state.project.plan.cases[index].question_id][1].question,
            "code": own_codes.get(index),
        }
        for number, index in enumerate(state.project.order(user), start=1)
    ]
    used_categories = [code.category for code in own_codes.values()]
    return page(
        "coding.html",
        title="Error coding",
        user=user,
        rows=rows,
        done=len(own_codes),
        attested=state.project.attested(user),
        categories=[(category, used_categories.count(category.name)) for category in state.project.categories()],
    )


async def case(request: Request, number: int) -> Response:
    """One incorrect response with the question, the key and its proof."""
    require_attestation(request)
    state, user = _state(request), user_of(request)
    order = state.project.order(user)
    if not 1 <= number <= len(order):
        raise HTTPException(404, "There is no such case.")
    index = order[number - 1]
    found_case = state.project.plan.cases[index]
    context, item = state.items[found_case.question_id]
    response, verdict = state.responses[found_case.run, found_case.question_id]
    own_codes = _own_codes(state, user)
    following = [*range(number + 1, len(order) + 1), *range(1, number)]
    return page(
        "case.html",
        title=f"Case {number}",
        user=user,
        number=number,
        total=len(order),
        next_open=next((other_number for other_number in following if order[other_number - 1] not in own_codes), 0),
        question=item.question,
        proof=proof_values(state.corpus, context, item),
        verdict=verdict,
        parsed=None if verdict.parsed is None else display(verdict.parsed),
        text=response.text[:MAX_SHOWN],
        thinking=response.thinking[:MAX_SHOWN],
        steps=[
            {
                "kind": step.kind,
                "name": step.name,
                "input": step.input[:MAX_SHOWN],
                "output": step.output[:MAX_SHOWN],
                "error": step.error or "",
                "passages": len(step.passages),
            }
            for step in response.trace
        ],
        categories=state.project.categories(),
        code=own_codes.get(index),
    )


ShortText = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)]


class _Code(Input):
    category: ShortText
    note: ShortText = ""


async def code(request: Request, number: int, body: _Code) -> Response:
    require_attestation(request)
    state, user = _state(request), user_of(request)
    order = state.project.order(user)
    if not 1 <= number <= len(order):
        raise HTTPException(404, "There is no such case.")
    state.project.code(Code(coder=user, place=order[number - 1], category=body.category, note=body.note))
    return JSONResponse({"stored": True})


class _Category(Input):
    name: ShortText
    description: ShortText = ""


async def add_category(request: Request, body: _Category) -> Response:
    require_attestation(request)
    state = _state(request)
    state.project.add_category(Category(name=body.name, description=body.description), user_of(request))
    return JSONResponse({"stored": True})
