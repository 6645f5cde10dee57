"""A small corpus with hostile text, a project, its server in a thread, and pages in a real browser."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fastapi import FastAPI

from fathom.annotate.annotation_app import annotation_app
from fathom.annotate.project import Project
from fathom.annotate.security import cookie_name
from fathom.annotate.web import LocalServer
from fathom.api.annotating import create_project
from fathom.api.corpora import ingest
from tests.browser import TIMEOUT, browser, problems
from tests.sharing import SharedFolders

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["browser", "problems"]

ENERGY = """# Pruning <script>window.hacked = 1</script> & energy

Ada Example, Ben Example

## Abstract

We show that 𝛼-pruning 🚀 halves the energy. It never fails.

## Results

The energy fell from 10.4 J to 5.1 J on all boards. 𝒳 stayed the same, </script><script>window.hacked = 2</script> too.

Table 1. Energy in J.

| | Before | After |
| --- | --- | --- |
| A | 10.4 | 5.1 |
| B | 9.8 | 4.7 |

## Conclusion

The energy is halved. The energy is halved.
"""
SPEED = """# A faster index

Cora Example

## Abstract

Our index is faster than hashing. We measured it on two machines.

## Results

Lookups took 3 ns with our index and 5 ns with hashing.
"""


@pytest.fixture(scope="session")
def corpus(build_once: SharedFolders) -> Path:
    """Two Markdown documents; never write to it."""

    def make(folder: Path) -> None:
        source = folder / "source"
        source.mkdir()
        (source / "energy.md").write_text(ENERGY)
        (source / "speed.md").write_text(SPEED)
        ingest(source, folder / "corpus")

    return build_once("annotate", make) / "corpus"


@dataclass
class Served:
    """An app on the loopback address."""

    port: int
    folder: Path

    def request(
        self, method: str, path: str, body: object = None, token: str = "", **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """One request as a program sends it: nothing that a browser adds."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        sent = {"Host": f"127.0.0.1:{self.port}", **{name.replace("_", "-"): value for name, value in headers.items()}}
        if token:
            sent["Cookie"] = f"{cookie_name(self.port)}={token}"
        if method == "POST":
            sent.setdefault("Origin", f"http://127.0.0.1:{self.port}")
            sent.setdefault("Content-Type", "application/json")
        content = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, content, sent)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def link(self, name: str) -> str:
        with Project(self.folder) as project:
            return f"http://127.0.0.1:{self.port}/enter?token={project.token(name)}"


@contextmanager
def serving(folder: Path, make: Callable[[LocalServer], FastAPI], port: int = 0) -> Iterator[Served]:
    """The app that `make` gives, in a thread."""
    server = LocalServer(port)
    started = threading.Event()
    thread = threading.Thread(target=lambda: server.run(make(server), started.set), daemon=True)
    thread.start()
    assert started.wait(20)
    try:
        yield Served(server.port, folder)
    finally:
        server.stop()
        thread.join(20)
        server.close()


@contextmanager
def serving_project(folder: Path, corpus: Path, port: int = 0) -> Iterator[Served]:
    """The app of a project."""
    with serving(folder, lambda server: annotation_app(folder, corpus, lambda: server.port), port) as served:
        yield served


@pytest.fixture
def project(corpus: Path, tmp_path: Path) -> Path:
    """A project of two annotators who attested, and an adjudicator."""
    folder = tmp_path / "project"
    create_project(corpus, folder, ["ada", "ben"], adjudicators=["eve"])
    with Project(folder) as opened:
        for name in ("ada", "ben", "eve"):
            opened.attest(name)
    return folder


@pytest.fixture
def served(project: Path, corpus: Path) -> Iterator[Served]:
    with serving_project(project, corpus) as served:
        yield served


Opening = Callable[..., Any]


@pytest.fixture
def opening(browser: Browser) -> Iterator[Opening]:
    """Opens a page in a browser of its own; fails if a page has an error or runs a script of a document."""
    contexts = []
    errors: list[str] = []

    def opened(link: str, path: str = "/", **settings: Any) -> Page:
        context = browser.new_context(
            **{"viewport": {"width": 1280, "height": 860}, "reduced_motion": "reduce", **settings}
        )
        contexts.append(context)
        context.set_default_timeout(TIMEOUT)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("dialog", lambda dialog: errors.append(dialog.message))
        page.goto(link)
        if path != "/":
            page.goto(link.split("/enter", maxsplit=1)[0] + path)
            page.wait_for_selector("html[data-ready]")
        return page

    yield opened
    for context in contexts:
        for page in context.pages:
            if not page.is_closed():
                assert page.evaluate("window.hacked") is None
        context.close()
    assert errors == []


def wait_saved(page: Page) -> None:
    page.wait_for_selector("#saved[data-state=saved]")
