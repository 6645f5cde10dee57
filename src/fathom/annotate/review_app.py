"""The pages on which people inspect the items of a bench with their proofs, dispute them and retire them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from pydantic import StringConstraints
from starlette.exceptions import HTTPException

from fathom.annotate.project import Project
from fathom.annotate.web import Input, create_app, page, user_of
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.scoring.answer_types.format import display
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.errata import Erratum, ErratumState, add_erratum, current_errata, read_errata
from fathom.tasks.family import Item

PAGE_SIZE = 100
SURROUNDINGS = 120
"""Characters shown before and after a passage."""
MAX_PASSAGES = 200
MAX_QUOTE = 2_000


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

    def annotator_of(self, token: str) -> str | None:
        return self.project.annotator_of(token)

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
    state: ReviewState = request.app.state.project
    return state


async def item_list(request: Request, q: str = "", only: str = "", start: int = 0) -> Response:
    """The items of the bench: all, those with some words, or those with an erratum."""
    state = _state(request)
    errata = current_errata(state.bench.folder)
    words = q.lower().strip()[:200]
    found = []
    for number, (_, one) in enumerate(state.items, start=1):
        erratum = errata.get(one.question.id)
        shown = erratum is not None if only == "errata" else True
        if shown and (words in one.question.text.lower() or words == one.question.id.lower()):
            found.append({"number": number, "question": one.question, "erratum": erratum})
    start = max(0, start)
    return page(
        "items.html",
        title="Items",
        user=user_of(request),
        rows=found[start : start + PAGE_SIZE],
        total=len(found),
        start=start,
        step=PAGE_SIZE,
        q=q[:200],
        only=only,
        errata=sorted(errata.values(), key=lambda one: one.at),
    )


async def item(request: Request, number: int) -> Response:
    """One item with its proof."""
    state = _state(request)
    context, found = state.item(number)
    proof = found.key.proof
    return page(
        "item.html",
        title=found.question.id,
        user=user_of(request),
        number=number,
        total=len(state.items),
        question=found.question,
        answer=display(found.key.answer),
        steps=list(family(found.question.family).explain(found.key)),
        program=proof.program,
        rows=proof.rows[:MAX_PASSAGES],
        passages=list(_passages(state, context, found)),
        left_out=max(0, len(proof.passages) - MAX_PASSAGES),
        history=[one for one in read_errata(state.bench.folder) if one.question_id == found.question.id],
    )


def _passages(state: ReviewState, context: Context, found: Item) -> Iterator[dict[str, Any]]:
    """The passages of the proof as the documents print them, with what is before and after."""
    numbers = {document: place for place, document in enumerate(context.documents, start=1)}
    for one in found.key.proof.passages[:MAX_PASSAGES]:
        text, (start, end) = state.corpus.text(one.document), one.span
        yield {
            "number": numbers.get(one.document, 0),
            "document": one.document,
            "before": text[max(0, start - SURROUNDINGS) : start],
            "quote": text[start : min(end, start + MAX_QUOTE)],
            "after": text[end : end + SURROUNDINGS],
        }


class _Statement(Input):
    state: ErratumState
    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]


async def state_erratum(request: Request, number: int, body: _Statement) -> Response:
    state = _state(request)
    _, found = state.item(number)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    erratum = Erratum(question_id=found.question.id, state=body.state, reason=body.reason, by=user_of(request), at=now)
    add_erratum(state.bench.folder, erratum)
    return JSONResponse(erratum.model_dump())
