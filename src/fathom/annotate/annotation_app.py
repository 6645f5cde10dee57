"""The app of an annotation project."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import Response

from fathom.annotate.adjudication_pages import add_adjudication, adjudication_list
from fathom.annotate.annotation_pages import AnnotationState, add_annotation, document_list, state_of
from fathom.annotate.project import Project
from fathom.annotate.project_writer import ProjectWriter
from fathom.annotate.web import create_app, user_of
from fathom.corpus.store import Corpus


def annotation_app(folder: Path, corpus: Path, port: Callable[[], int]) -> FastAPI:
    """The app of a project: documents for annotators, and pairs of layers for adjudicators."""

    @contextmanager
    def opened() -> Iterator[AnnotationState]:
        with Project(folder) as project, Corpus(corpus) as documents, ProjectWriter(folder) as writer:
            yield AnnotationState(project, documents, writer)

    app = create_app(opened, port)
    app.add_api_route("/", index)
    add_annotation(app)
    add_adjudication(app)
    return app


async def index(request: Request) -> Response:
    """The first page of the user."""
    if user_of(request) in state_of(request).project.annotators("adjudicator"):
        return adjudication_list(request)
    return document_list(request)
