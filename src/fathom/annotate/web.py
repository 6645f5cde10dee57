"""The basis of the local web apps: templates, scripts, errors, and the server."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from functools import cache
from importlib.resources import files
from typing import Any, Literal, Protocol, TypeVar

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.exceptions import HTTPException

from fathom.annotate.project import Project
from fathom.annotate.security import Guard, cookie_name
from fathom.records.errors import FathomError
from fathom.records.record import first_error
from fathom.report.pages import source

LOOPBACK = "127.0.0.1"

STYLES = {"app.css": ("theme.css", "app.css")}
SCRIPTS = {
    "plain.js": ("elements.js", "theme.js", "common.js"),
    "coding.js": ("elements.js", "theme.js", "common.js", "coding.js"),
    "checks.js": ("elements.js", "theme.js", "common.js", "offsets.js", "checks.js"),
    "index.js": ("elements.js", "theme.js", "common.js", "index.js"),
    "adjudication.js": ("elements.js", "theme.js", "common.js", "adjudication.js"),
    "item-review.js": ("elements.js", "theme.js", "common.js", "item-review.js"),
    "items.js": ("elements.js", "theme.js", "common.js", "items.js"),
    "authoring.js": ("elements.js", "theme.js", "common.js", "authoring.js"),
    "study.js": ("elements.js", "theme.js", "common.js", "study.js"),
    "document.js": (
        "elements.js", "theme.js", "common.js", "offsets.js", "pages.js", "layer.js", "marks.js", "search.js",
        "document.js",
    ),
}  # fmt: skip
"""The files that each script of a page consists of, in order; each uses only those before it."""


class ServedState(Protocol):
    """The state of an app: at least a project, whose people may open the pages."""

    @property
    def project(self) -> Project: ...


class Input(BaseModel):
    """The body of a request; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", strict=False)


@cache
def _asset(name: str) -> str:
    """A file of this package, or of the report, whose theme the pages share."""
    own = files("fathom.annotate").joinpath("static", name)
    return own.read_text("utf-8") if own.is_file() else source(name)


@cache
def asset(name: str) -> tuple[str, str] | None:
    """The content and type of a script or style; None if no file has that name."""
    if name in STYLES:
        return "\n".join(_asset(part) for part in STYLES[name]), "text/css"
    if name in SCRIPTS:
        joined = "\n".join(_asset(part) for part in SCRIPTS[name])
        return f'(() => {{\n"use strict";\n{joined}\n}})();\n', "text/javascript"
    return None


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("fathom.annotate", "templates"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"sort_keys": False}
    return environment


def page(template: str, **values: Any) -> HTMLResponse:
    """A page from a template; everything in it is escaped."""
    return HTMLResponse(_environment().get_template(template).render(**values))


S = TypeVar("S", bound=ServedState)


def create_app(opened: Callable[[], AbstractContextManager[S]], port: Callable[[], int]) -> FastAPI:
    """An app whose state is opened in the thread of the server, since a SQLite connection belongs to one thread."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> Any:
        with opened() as state:
            app.state.served = state
            yield

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)

    def known(token: str) -> str | None:
        project: Project = app.state.served.project
        return project.annotator_of(token)

    app.add_middleware(Guard, port=port, user_of=known)

    async def enter(token: str = "") -> Response:
        if known(token) is None:
            return HTMLResponse("The link is not valid. Open the one that the command printed last.", 401)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(cookie_name(port()), token, httponly=True, samesite="strict", path="/")
        return answer

    async def static(name: str) -> Response:
        content = asset(name)
        if content is None:
            raise HTTPException(404, "There is no such file.")
        return Response(content[0], media_type=content[1])

    async def icon() -> Response:
        return Response(status_code=204)

    app.add_api_route("/enter", enter)
    app.add_api_route("/favicon.ico", icon)
    app.add_api_route("/static/{name}", static)
    app.add_api_route("/api/attest", attest, methods=["POST"])
    app.add_exception_handler(FathomError, _misuse)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(ValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http_error)
    return app


def user_of(request: Request) -> str:
    """The person whose browser sent the request."""
    return str(request.state.user)


class _Attestation(Input):
    no_model_helped: Literal[True]


async def attest(request: Request, body: _Attestation) -> Response:
    """Record that no model helps the person."""
    project: Project = request.app.state.served.project
    project.attest(user_of(request))
    return JSONResponse({"attested": body.no_model_helped})


def require_attestation(request: Request) -> None:
    """Refuse a request of a person who has not attested yet that no model helps."""
    project: Project = request.app.state.served.project
    if project.attested(user_of(request)) is None:
        raise HTTPException(403, "First confirm on the start page that you work without a language model.")


def _sentence(request: Request, text: str, status: int) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": text}, status)
    answer = page("error.html", title="Error", message=text, user=getattr(request.state, "user", ""))
    answer.status_code = status
    return answer


async def _misuse(request: Request, error: Exception) -> Response:
    return _sentence(request, str(error), 400)


async def _invalid(request: Request, error: Exception) -> Response:
    if isinstance(error, ValidationError):
        return _sentence(request, f"The request is not valid: {first_error(error)}.", 400)
    return _sentence(request, "The request is not valid.", 400)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _sentence(request, f"{str(error.detail).rstrip('.')}.", error.status_code)


class LocalServer:
    """A server on the loopback address. The socket is bound when it is created, so that its port is known."""

    def __init__(self, port: int = 0) -> None:
        self._socket = _bind_socket(port)
        self.port: int = self._socket.getsockname()[1]

    def link(self, token: str) -> str:
        """The address that opens the app for the owner of a token."""
        return f"http://{LOOPBACK}:{self.port}/enter?token={token}"

    def run(self, app: FastAPI, started: Callable[[], None] = lambda: None) -> None:
        """Serve until an interrupt."""
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, h11_max_incomplete_event_size=64 * 1024
        )
        server = _Server(config)
        server.on_start = started
        self.stop = lambda: setattr(server, "should_exit", True)
        # An interrupt is how a server ends: what it stored is complete at any moment.
        with suppress(KeyboardInterrupt):
            server.run(sockets=[self._socket])

    stop: Callable[[], None] = staticmethod(lambda: None)
    """Ends the server that `run` started."""

    def close(self) -> None:
        self._socket.close()


class _Server(uvicorn.Server):
    on_start: Callable[[], None] = staticmethod(lambda: None)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.on_start()


def _bind_socket(port: int) -> socket.socket:
    for candidate in dict.fromkeys((port, 0)):
        server_socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        server_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server_socket.bind((LOOPBACK, candidate))
        except OSError:
            server_socket.close()
            continue
        return server_socket
    raise FathomError("No port of the loopback address is free. End other servers first.")
