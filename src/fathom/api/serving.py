"""Serve a project of people's work on the loopback address."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fathom.annotate.planned_project import PlannedProject
from fathom.annotate.project import Project
from fathom.records.errors import FathomError

if TYPE_CHECKING:
    from fastapi import FastAPI

PersonLinks = dict[str, str]
"""The link of each person."""


def require_server() -> None:
    """Raise an error if the packages of the web app are not installed."""
    try:
        import fastapi  # noqa: F401
        import jinja2  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise FathomError(
            f"The web app needs the package `{error.name}`. Install it with `pip install 'fathom-bench[annotate]'`."
        ) from error


def serve(
    folder: Path, app: Callable[[Callable[[], int]], FastAPI], port: int, started: Callable[[PersonLinks], None]
) -> None:
    """Serve until an interrupt, on the given port, the last one, or any. `app` gets a function that gives the port."""
    from fathom.annotate.web import LocalServer

    with Project(folder) as opened:
        server = LocalServer(port or opened.settings.port)
        # Open pages find the next server on the same port.
        opened.update_settings(port=server.port)
        people = [*opened.annotators(), *opened.annotators("adjudicator")]
        links = {name: server.link(opened.token(name)) for name in people}
    server.run(app(lambda: server.port), lambda: started(links))


def serve_planned(
    project: PlannedProject[Any],
    app: Callable[[Path, Path, Callable[[], int]], FastAPI],
    port: int,
    started: Callable[[PersonLinks], None],
) -> None:
    """Serve a project that was drawn from a bench; `app` also gets its folder and that of its corpus."""
    with project, project.open_bench().open_corpus() as corpus:
        folder, documents = project.folder, corpus.folder
    serve(folder, lambda of_server: app(folder, documents, of_server), port, started)
