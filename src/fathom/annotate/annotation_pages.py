"""The pages on which annotators mark claims and evidence in the documents of a corpus."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.exceptions import HTTPException

from fathom.annotate.document_html import DocumentHtml, document_html
from fathom.annotate.guidelines import GUIDELINES
from fathom.annotate.layers import VALUES, LayerElement
from fathom.annotate.pdf_pages import PageWord, PdfPage, pdf_file, pdf_pages, read_pdf
from fathom.annotate.project import LayerState, Project, SavedChange, StaleRevisionError
from fathom.annotate.project_writer import ProjectWriter
from fathom.annotate.selection import pages
from fathom.annotate.web import Input, page, require_attestation, user_of
from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.pdf.page_image import page_image
from fathom.corpus.store import Corpus, DocumentEntry
from fathom.records.documents import DocumentId
from fathom.records.quoted_claims import CLAIM_ATTRIBUTES, EVIDENCE_ATTRIBUTES
from fathom.records.spans import Span

CACHED_PAGES = 16


@dataclass
class AnnotationState:
    """A project with its corpus, open in the thread of the server."""

    project: Project
    corpus: Corpus
    writer: ProjectWriter

    def __post_init__(self) -> None:
        self.entries: dict[int, DocumentEntry] = {entry.number: entry for entry in self.corpus.entries()}
        self.numbers = {entry.id: entry.number for entry in self.entries.values()}
        self.html = lru_cache(maxsize=CACHED_PAGES)(self._html)
        self.pdf_file = lru_cache(maxsize=1_000)(lambda id: pdf_file(self.corpus, id))
        self._pdf = lru_cache(maxsize=4)(read_pdf)
        self._pdf_pages = lru_cache(maxsize=CACHED_PAGES)(pdf_pages)
        self._pdf_image = lru_cache(maxsize=64)(page_image)
        self.text = lru_cache(maxsize=CACHED_PAGES)(self.corpus.text)
        self.guidelines = markdown(self.project.settings.guidelines or GUIDELINES)

    def _html(self, number: int) -> DocumentHtml:
        """The body of a document's page."""
        return document_html(self.corpus.document(self.entries[number].id))

    async def pdf_pages(self, id: DocumentId) -> tuple[PdfPage, ...]:
        """The pages of the PDF that a document was read from; none if it is gone or another one."""
        path = self.pdf_file(id)
        content = None if path is None else self._pdf(path)
        # pdfium may take long: other people are served in the meantime.
        return () if content is None else await asyncio.to_thread(self._pdf_pages, content, self.text(id))

    async def pdf_image(self, id: DocumentId, place: int) -> bytes:
        """A page of that PDF as PNG."""
        path = self.pdf_file(id)
        content = None if path is None else self._pdf(path)
        if content is None or not 0 <= place < len(await self.pdf_pages(id)):
            raise HTTPException(404, "There is no such page.")
        try:
            return await asyncio.to_thread(self._pdf_image, content, place)
        except ReadError as error:
            raise HTTPException(404, f"The page is not shown: {error}.") from error

    def assigned(self, request: Request, number: int) -> DocumentEntry:
        """The document of that number, if it is assigned to the user."""
        entry = self.entries.get(number)
        if entry is None or not self.project.is_assigned(user_of(request), entry.id):
            raise HTTPException(404, "There is no such document among those assigned to you.")
        return entry

    def sentences(self, document: DocumentId) -> Sequence[Span]:
        """The sentences of a document."""
        return self.corpus.document(document).sentences


def markdown(text: str) -> Markup:
    """Markdown as HTML, without its HTML, links and images."""
    renderer = MarkdownIt("commonmark", {"html": False}).disable(["link", "image", "autolink"])
    return Markup(renderer.render(text))


def add_annotation(app: FastAPI) -> None:
    """Add the pages to the app of a project."""
    app.add_api_route("/documents/{number}", document)
    app.add_api_route("/documents/{number}/pages/{place}.png", pdf_image)
    app.add_api_route("/api/documents/{number}/pages", pdf_layer)
    app.add_api_route("/api/documents/{number}/layer", layer)
    app.add_api_route("/api/documents/{number}/changes", changes_since)
    app.add_api_route("/api/documents/{number}/changes", change, methods=["POST"])
    app.add_api_route("/api/documents/{number}/undo", undo, methods=["POST"])
    app.add_api_route("/api/documents/{number}/redo", redo, methods=["POST"])
    app.add_api_route("/api/documents/{number}/done", done, methods=["POST"])


def state_of(request: Request) -> AnnotationState:
    """The project of the server."""
    state: AnnotationState = request.app.state.served
    return state


def document_list(request: Request) -> Response:
    """The documents of the annotator with their progress."""
    state, user = state_of(request), user_of(request)
    counts = state.project.counts(user)
    rows = []
    for id in state.project.assigned(user):
        entry = state.entries[state.numbers[id]]
        claims, evidence, finished = counts.get(id, (0, 0, False))
        status: Literal["done", "started", "new"] = "done" if finished else "started" if claims + evidence else "new"
        rows.append(
            {
                "number": entry.number, "title": entry.title, "year": entry.year or "",
                "pages": pages(entry.characters), "claims": claims, "evidence": evidence, "status": status,
            }
        )  # fmt: skip
    finished_rows = sum(row["status"] == "done" for row in rows)
    return page(
        "index.html",
        title="Documents",
        user=user,
        rows=rows,
        finished=finished_rows,
        attested=state.project.attested(user),
        guidelines=state.guidelines,
    )


async def document(request: Request, number: int) -> Response:
    """The page of one document."""
    state = state_of(request)
    entry = state.assigned(request, number)
    require_attestation(request)
    html = state.html(number)
    assigned = state.project.assigned(user_of(request))
    index = assigned.index(entry.id)
    neighbors = {
        "previous": assigned[index - 1] if index else None,
        "next": assigned[index + 1] if index + 1 < len(assigned) else None,
    }
    return page(
        "document.html",
        title=entry.title,
        user=user_of(request),
        entry=entry,
        html=html,
        position=index + 1,
        total=len(assigned),
        neighbors={name: state.numbers[id] for name, id in neighbors.items() if id is not None},
        guidelines=state.guidelines,
        has_pdf=state.pdf_file(entry.id) is not None,
        choices={"claim": CLAIM_ATTRIBUTES, "evidence": EVIDENCE_ATTRIBUTES},
    )


# Pages of PDFs.


async def pdf_layer(request: Request, number: int) -> Response:
    """The words of all pages: text, place in percent of the page, and span in the document, if it is known."""
    state = state_of(request)
    pages = await state.pdf_pages(state.assigned(request, number).id)

    def written(word: PageWord) -> list[str | float]:
        return [word.text, *(round(value, 3) for value in word[1:5]), *(word.span or ())]

    return JSONResponse({"pages": [{"ratio": span.ratio, "words": list(map(written, span.words))} for span in pages]})


async def pdf_image(request: Request, number: int, place: int) -> Response:
    state = state_of(request)
    image = await state.pdf_image(state.assigned(request, number).id, place)
    return Response(image, media_type="image/png", headers={"Cache-Control": "private, max-age=3600"})


# Layers.


class RevisionInput(Input):
    """A request that changes a layer at a revision."""

    revision: int


class _ChangeInput(RevisionInput):
    values: dict[str, Any]


class _DoneInput(RevisionInput):
    done: bool


def _to_json(values: dict[str, LayerElement] | dict[str, LayerElement | None]) -> dict[str, Any]:
    return {id: None if value is None else value.model_dump(mode="json") for id, value in values.items()}


def layer_json(state: LayerState) -> dict[str, Any]:
    """A layer as the page reads it."""
    return {
        "revision": state.revision,
        "done": state.done,
        "values": _to_json(state.elements),
        "can_undo": state.can_undo,
        "can_redo": state.can_redo,
    }


def saved_json(saved: SavedChange) -> dict[str, Any]:
    """A stored change as the page reads it."""
    return {
        "revision": saved.revision,
        "done": saved.done,
        "values": _to_json(saved.values),
        "can_undo": saved.can_undo,
        "can_redo": saved.can_redo,
    }


async def saving(state: AnnotationState, act: Callable[[Project], SavedChange]) -> Response:
    """The stored change, or with status 409 what changed in the meantime."""
    try:
        return JSONResponse(saved_json(await state.writer.write(act)))
    except StaleRevisionError as stale:
        return JSONResponse(saved_json(stale.saved), 409)


async def layer(request: Request, number: int) -> Response:
    state = state_of(request)
    entry = state.assigned(request, number)
    return JSONResponse(layer_json(state.project.layer(entry.id, user_of(request))))


async def changes_since(request: Request, number: int, since: int = 0) -> Response:
    state = state_of(request)
    entry = state.assigned(request, number)
    return JSONResponse(saved_json(state.project.changes_since(entry.id, user_of(request), since)))


def _writing(request: Request, number: int) -> tuple[AnnotationState, DocumentEntry, str]:
    """The state, the document and the annotator of a request that changes a layer."""
    state, user = state_of(request), user_of(request)
    entry = state.assigned(request, number)
    require_attestation(request)
    return state, entry, user


async def change(request: Request, number: int, body: _ChangeInput) -> Response:
    state, entry, user = _writing(request, number)
    values = VALUES.validate_python(body.values)
    if any(value is not None and value.kind in ("decision", "comment") for value in values.values()):
        raise HTTPException(400, "A layer of an annotator has claims, evidence and links only.")
    text = state.text(entry.id)
    return await saving(state, lambda project: project.change(entry.id, user, body.revision, values, text))


async def undo(request: Request, number: int, body: RevisionInput) -> Response:
    state, entry, user = _writing(request, number)
    return await saving(state, lambda project: project.undo(entry.id, user, body.revision))


async def redo(request: Request, number: int, body: RevisionInput) -> Response:
    state, entry, user = _writing(request, number)
    return await saving(state, lambda project: project.redo(entry.id, user, body.revision))


async def done(request: Request, number: int, body: _DoneInput) -> Response:
    state, entry, user = _writing(request, number)
    return await saving(state, lambda project: project.set_done(entry.id, user, body.revision, body.done))
