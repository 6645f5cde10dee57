"""The pages on which people write puzzles about documents and review those of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from fathom.annotate.authoring import AuthoringProject, PuzzleHistory, Stage
from fathom.annotate.web import Input, create_app, page, user_of
from fathom.corpus.store import Corpus
from fathom.records.authored_puzzles import AuthoredOperation, AuthoredPuzzle
from fathom.tasks.puzzles.tree import OPERATIONS

KINDS = ("literature", "news", "policy", "financial report", "scientific paper", "other")


@dataclass
class AuthoringState:
    """A project with its corpus, open in the thread of the server."""

    project: AuthoringProject
    corpus: Corpus

    def puzzle(self, id: str) -> PuzzleHistory:
        history = self.project.puzzles().get(id)
        if history is None:
            raise HTTPException(404, "There is no such puzzle.")
        return history


def authoring_app(folder: Path, corpus: Path, port: Callable[[], int]) -> FastAPI:
    """The app of an authoring project."""

    @contextmanager
    def opened() -> Iterator[AuthoringState]:
        with AuthoringProject(folder) as project, Corpus(corpus) as documents:
            yield AuthoringState(project, documents)

    app = create_app(opened, port)
    app.add_api_route("/", overview)
    app.add_api_route("/documents/{number}", document)
    app.add_api_route("/puzzles/{id}", puzzle)
    app.add_api_route("/api/documents/{number}/puzzles", draft, methods=["POST"])
    app.add_api_route("/api/puzzles/{id}/revisions", revise, methods=["POST"])
    app.add_api_route("/api/puzzles/{id}/reviews", review, methods=["POST"])
    app.add_api_route("/api/puzzles/{id}/decisions", decide, methods=["POST"])
    return app


def _state(request: Request) -> AuthoringState:
    state: AuthoringState = request.app.state.served
    return state


async def overview(request: Request) -> Response:
    """The documents, and all puzzles with their states."""
    state, user = _state(request), user_of(request)
    titles = {entry.id: entry.title or entry.id for entry in state.corpus.entries()}
    documents = [(number, titles[id]) for number, id in enumerate(state.project.settings.documents, start=1)]
    rows = [(history, history.stages_for(user)) for history in state.project.puzzles().values()]
    counts = state.project.stage_counts()
    return page("authoring.html", title="Puzzles", user=user, documents=documents, rows=rows, counts=counts)


def _document_id(state: AuthoringState, number: int) -> str:
    documents = state.project.settings.documents
    if not 1 <= number <= len(documents):
        raise HTTPException(404, "There is no such document.")
    return documents[number - 1]


async def document(request: Request, number: int) -> Response:
    """A document, and the form of a new puzzle."""
    state = _state(request)
    text = state.corpus.text(_document_id(state, number))
    return page(
        "authoring_document.html",
        title="Draft",
        user=user_of(request),
        number=number,
        text=text,
        operations=OPERATIONS,
        kinds=KINDS,
    )


async def puzzle(request: Request, id: str) -> Response:
    """A puzzle with its document and history; a reviewer sees the answer only after giving their own."""
    state, user = _state(request), user_of(request)
    history = state.puzzle(id)
    hidden = history.is_hidden_from(user)
    return page(
        "authoring_puzzle.html",
        title=id,
        user=user,
        one=history,
        puzzle=history.puzzle,
        hidden=hidden,
        events=[event for event in history.events if not hidden or event.stage == "baselines"],
        stages=history.stages_for(user),
        text=state.corpus.text(history.puzzle.document),
        operations=OPERATIONS,
        kinds=KINDS,
    )


class _Draft(Input):
    question: str
    answer: str
    options: list[str] = []
    checklist: list[str]
    reasoning: list[str] = []
    operations: list[AuthoredOperation]
    kind: str = "other"
    reason: str = ""

    def puzzle(self, document: str) -> AuthoredPuzzle:
        return AuthoredPuzzle(
            document=document,
            question=self.question,
            answer=self.answer,
            options=tuple(self.options),
            checklist=tuple(self.checklist),
            reasoning=tuple(self.reasoning),
            operations=tuple(self.operations),
            kind=self.kind,
        )


async def draft(request: Request, number: int, body: _Draft) -> Response:
    state = _state(request)
    id = state.project.draft(user_of(request), body.puzzle(_document_id(state, number)))
    return JSONResponse({"id": id})


async def revise(request: Request, id: str, body: _Draft) -> Response:
    state = _state(request)
    state.project.revise(id, user_of(request), body.puzzle(state.puzzle(id).puzzle.document), body.reason)
    return JSONResponse({"id": id})


class _Review(Input):
    answer: str
    objection: str = ""


async def review(request: Request, id: str, body: _Review) -> Response:
    return JSONResponse({"agrees": _state(request).project.review(id, user_of(request), body.answer, body.objection)})


class _Decision(Input):
    stage: Stage
    reason: str


async def decide(request: Request, id: str, body: _Decision) -> Response:
    _state(request).project.conclude(id, body.stage, user_of(request), body.reason)
    return JSONResponse({"id": id})
