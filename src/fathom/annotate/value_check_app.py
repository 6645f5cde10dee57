"""The pages on which people check extracted values against the documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from pydantic import StringConstraints

from fathom.analysis.value_checks import CheckVerdict
from fathom.annotate.document_html import DocumentHtml, document_html
from fathom.annotate.value_checks import CheckStep, ValueCheck, ValueChecks
from fathom.annotate.web import Input, create_app, page, require_attestation, user_of
from fathom.corpus.store import Corpus
from fathom.records.documents import DocumentId


@dataclass
class ValueCheckState:
    """Value checks with their corpus, open in the thread of the server."""

    project: ValueChecks
    corpus: Corpus

    def __post_init__(self) -> None:
        self.html = lru_cache(maxsize=8)(self._html)

    def _html(self, document: DocumentId) -> DocumentHtml:
        return document_html(self.corpus.document(document))


def value_check_app(folder: Path, corpus: Path, port: Callable[[], int]) -> FastAPI:
    """The app of value checks."""

    @contextmanager
    def opened() -> Iterator[ValueCheckState]:
        with ValueChecks(folder) as project, Corpus(corpus) as documents:
            yield ValueCheckState(project, documents)

    app = create_app(opened, port)
    app.add_api_route("/", task)
    app.add_api_route("/api/values/{place}", check, methods=["POST"])
    return app


def _state(request: Request) -> ValueCheckState:
    state: ValueCheckState = request.app.state.served
    return state


async def task(request: Request) -> Response:
    """The value that the person has to check next, beside its document."""
    state, user = _state(request), user_of(request)
    project = state.project
    tasks, done = project.open_tasks(user), project.done(user)
    common = {"title": "Value check", "user": user, "done": done, "total": done + len(tasks)}
    if not tasks:
        return page("check_end.html", **common)
    if project.attested(user) is None:
        return page("check_start.html", **common)
    current = tasks[0]
    value = project.plan.values[current.place]
    return page(
        "check.html",
        **common,
        place=current.place,
        step=current.step,
        earlier=current.earlier,
        value=value,
        language=value.tags.get("language", ""),
        html=state.html(value.document),
    )


class _Check(Input):
    step: CheckStep
    verdict: CheckVerdict
    note: Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)] = ""


async def check(request: Request, place: int, body: _Check) -> Response:
    require_attestation(request)
    user = user_of(request)
    _state(request).project.add(
        ValueCheck(person=user, place=place, step=body.step, verdict=body.verdict, note=body.note)
    )
    return JSONResponse({"stored": True})
