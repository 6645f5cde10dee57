"""The pages on which people inspect the items of a bench with their proofs, dispute them and retire them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from pydantic import StringConstraints
from starlette.exceptions import HTTPException

from fathom.annotate.item_proof import proof_values
from fathom.annotate.project import Project, now
from fathom.annotate.web import Input, create_app, page, user_of
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.tasks.bench import Bench
from fathom.tasks.errata import Erratum, ErratumState, add_erratum, current_errata, read_errata
from fathom.tasks.family import Item

PAGE_SIZE = 100


@dataclass
class ReviewState:
    """A bench with its corpus and the people who review it, open in the thread of the server."""

    project: Project
    bench: Bench
    corpus: Corpus

    def __post_init__(self) -> None:
        self.items: list[tuple[Context, Item]] = [
            (context, item) for context, items in self.bench.by_context() for item in items
        ]
        self._titles = {entry.id: entry.title for entry in self.corpus.entries()}

    def documents(self, context: Context) -> str:
        """The title of the document that a question is about, or how many there are."""
        ids = context.documents
        return self._titles.get(ids[0], ids[0]) if len(ids) == 1 else f"{len(ids)} documents"

    def item(self, number: int) -> tuple[Context, Item]:
        if not 1 <= number <= len(self.items):
            raise HTTPException(404, "There is no such item.")
        return self.items[number - 1]


def review_app(folder: Path, bench: Path, corpus: Path, port: Callable[[], int]) -> FastAPI:
    """The app for the review of a bench."""

    @contextmanager
    def opened() -> Iterator[ReviewState]:
        with Project(folder) as project, Corpus(corpus) as documents:
            yield ReviewState(project, Bench(bench), documents)

    app = create_app(opened, port)
    app.add_api_route("/", item_list)
    app.add_api_route("/items/{number}", item)
    app.add_api_route("/api/items/{number}/errata", state_erratum, methods=["POST"])
    return app


def _state(request: Request) -> ReviewState:
    state: ReviewState = request.app.state.served
    return state


async def item_list(request: Request, q: str = "", only: str = "", start: int = 0) -> Response:
    """The items of the bench: all, those with some words, those with an erratum, or with one of a state."""
    state = _state(request)
    errata = current_errata(state.bench.folder)
    words = q.lower().strip()[:200]
    rows = []
    for number, (context, item) in enumerate(state.items, start=1):
        documents = state.documents(context)
        erratum = errata.get(item.question.id)
        is_shown = only == "" or (erratum is not None and only in ("errata", erratum.state))
        if is_shown and (words in f"{item.question.text} {documents}".lower() or words == item.question.id.lower()):
            rows.append({"number": number, "question": item.question, "documents": documents, "erratum": erratum})
    start = max(0, start)
    return page(
        "items.html",
        title="Items",
        user=user_of(request),
        rows=rows[start : start + PAGE_SIZE],
        total=len(rows),
        start=start,
        step=PAGE_SIZE,
        q=q[:200],
        only=only,
        errata=len(errata),
        disputed=sum(entry.state == "disputed" for entry in errata.values()),
    )


async def item(request: Request, number: int) -> Response:
    """One item with its proof."""
    state = _state(request)
    context, located = state.item(number)
    return page(
        "item.html",
        title=located.question.id,
        user=user_of(request),
        number=number,
        total=len(state.items),
        question=located.question,
        proof=proof_values(state.corpus, context, located),
        history=[erratum for erratum in read_errata(state.bench.folder) if erratum.question_id == located.question.id],
    )


class _Statement(Input):
    state: ErratumState
    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]


async def state_erratum(request: Request, number: int, body: _Statement) -> Response:
    state = _state(request)
    _, item = state.item(number)
    erratum = Erratum(question_id=item.question.id, state=body.state, reason=body.reason, by=user_of(request), at=now())
    add_erratum(state.bench.folder, erratum)
    return JSONResponse(erratum.model_dump())
