"""A system behind an address: a pipeline in any language that answers questions over HTTP (docs/own-system.md)."""

from __future__ import annotations

import asyncio
import socket
import ssl
import time
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar
from urllib.parse import SplitResult, urlsplit

from pydantic import Field, JsonValue

from fathom.models.prompts import Completion
from fathom.records.errors import FathomError, file_errors
from fathom.records.questions import Question, Response
from fathom.records.record import digest
from fathom.records.version import __version__
from fathom.systems.http_contract import (
    HttpAnswer,
    InvalidAnswerError,
    QuestionRequest,
    ServedDocument,
    parse_answer,
    steps_of,
)
from fathom.systems.http_texts import LOOPBACK, TextServer
from fathom.systems.protocol import (
    NOT_RECORDED,
    CallError,
    CallEstimate,
    ContextView,
    Prompting,
    RequestLimits,
    ServiceSession,
    Session,
    System,
    response_to,
)

if TYPE_CHECKING:
    import httpx

SCHEMES = ("http://", "https://")
MAX_BODY = 16 * 1024 * 1024
"""Bytes of an answer that are read."""
MAX_WAIT = 60.0
"""The maximum number of seconds before another attempt, even if the server asks for more."""
MAX_REASON_LENGTH = 200
"""Characters of a server's error message that are kept."""

_LATER = frozenset({429, 500, 502, 503, 504})
"""Statuses that say: not answered, ask again."""


@dataclass(frozen=True)
class HttpSystem:
    """Sends each question to an address, where the user's own system answers it. Fathom calls no model."""

    name: str
    """The address, such as http://127.0.0.1:8000/answer."""
    prompting: Prompting = "direct"
    settings: Mapping[str, JsonValue] = field(default_factory=dict)
    """Sent with each question."""
    idempotent: bool = field(default=False, metadata={NOT_RECORDED: True})
    """Whether the system works once for each id: then a question is sent again when no answer came back."""
    max_price: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = field(
        default=None, metadata={NOT_RECORDED: True}
    )
    """The highest price of one question in US dollars, for plans and budgets."""
    text_host: str = field(default=LOOPBACK, metadata={NOT_RECORDED: True})
    """The name of this machine in the addresses of documents, for a system on another machine."""
    needs_model: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _checked_address(self.name)
        if not self.text_host or any(mark in self.text_host for mark in "/@? #"):
            raise ValueError(f"'{self.text_host}' is not a host name")

    @asynccontextmanager
    async def open(self, limits: RequestLimits, model: str | None) -> AsyncIterator[System]:
        """The system while a run uses it; an error if nothing listens at the address."""
        self.check_listening()
        async with TextServer(self.text_host).listening() as texts:
            yield ConnectedSystem(self, limits, model, texts)

    def check_listening(self) -> None:
        """Raise an error if nothing listens at the address."""
        address = _checked_address(self.name)
        port = address.port or (443 if address.scheme == "https" else 80)
        try:
            socket.create_connection((address.hostname or "", port), timeout=10).close()
        except (OSError, UnicodeError) as error:  # a name such as "a..b" cannot be encoded
            raise FathomError(
                f"No server responds at '{address.hostname}:{port}' ({error}). Start the system's server, or correct "
                f"its address: --system {self.name}"
            ) from error

    async def answer(self, question: Question, session: Session) -> Response:
        raise FathomError(f"The system '{self.name}' has to be opened. Run it with `fathom run`.")

    def estimate(self, question: Question, view: ContextView) -> CallEstimate:
        view.instruction(f"full, {self.prompting}")  # refuses a family that has no instruction for it
        return CallEstimate(calls=1, input_tokens=0, largest_call=0, price=self.max_price)


def is_address(name: str) -> bool:
    """Whether a system is named by an address."""
    return name.lower().startswith(SCHEMES)


def _checked_address(name: str) -> SplitResult:
    try:
        address = urlsplit(name)
        valid = is_address(name) and bool(address.hostname) and address.port != 0
    except ValueError:
        valid = False
    if not valid or any(character <= " " for character in name):
        raise ValueError(f"'{name}' is not an address such as http://127.0.0.1:8000/answer")
    if address.username is not None or address.query or address.fragment:
        # Addresses are written to run.json and to reports.
        raise ValueError(
            "an address must have no user, password, query or fragment; send settings with -S settings={...}"
        )
    return address


@dataclass(frozen=True)
class ConnectedSystem:
    """An HttpSystem in a run."""

    system: HttpSystem
    limits: RequestLimits
    model: str | None
    texts: TextServer
    needs_model: ClassVar[bool] = False

    @property
    def name(self) -> str:
        return self.system.name

    def estimate(self, question: Question, view: ContextView) -> CallEstimate:
        return self.system.estimate(question, view)

    async def answer(self, question: Question, session: Session) -> Response:
        if not isinstance(session, ServiceSession):
            raise FathomError(f"The system '{self.name}' can only be run with `fathom run`.")
        with self.texts.serving(session.view) as documents:
            id = digest(_run_id(session), question.id, session.sample).hex()[:32]
            request = self.request(question, session.view, session.sample, id, documents)
            completion = await session.call(
                lambda: self._exchange(request), "http", question.text, self.system.max_price
            )
        if isinstance(completion.native, HttpAnswer):
            for step in steps_of(completion.native, session.view):
                session.record(step)
        return response_to(question, completion)

    def request(
        self, question: Question, view: ContextView, sample: int, id: str, documents: tuple[ServedDocument, ...]
    ) -> QuestionRequest:
        """The question as it is sent."""
        return QuestionRequest(
            id=id,
            question_id=question.id,
            sample=sample,
            question=question.text,
            instruction=view.instruction(f"full, {self.system.prompting}"),
            prompting=self.system.prompting,
            model=self.model,
            settings=dict(self.system.settings),
            context_id=view.context.id,
            documents=documents,
        )

    async def _exchange(self, request: QuestionRequest) -> Completion:
        """The answer to one question, after as many attempts as are safe."""
        body = request.model_dump_json().encode()
        for attempt in range(self.limits.retries + 1):
            try:
                return await self.post(body, request.id)
            except HttpCallError as error:
                safe = error.again or (error.maybe_paid and self.system.idempotent)
                if not safe or attempt == self.limits.retries:
                    raise
                wait = self.limits.backoff * 2**attempt if error.wait is None else error.wait
            await asyncio.sleep(min(wait, MAX_WAIT))
        raise RuntimeError("the number of attempts must be at least 1")

    async def post(self, body: bytes, id: str) -> Completion:
        """The answer of one attempt."""
        start = time.monotonic()
        try:
            async with asyncio.timeout(self.limits.timeout):
                received = await self._received(body, id)
        except TimeoutError:
            raise HttpCallError(
                f"The system did not answer within {self.limits.timeout:g} s.", maybe_paid=True
            ) from None
        try:
            answer = parse_answer(received, id)
        except InvalidAnswerError as error:
            raise HttpCallError(f"The system returned an invalid answer: {error}.", maybe_paid=True) from error
        seconds = round(time.monotonic() - start, 3)
        usage = answer.usage.model_copy(update={"seconds": seconds})
        return Completion(answer.text, answer.stop, answer.thinking, usage, native=answer)

    async def _received(self, body: bytes, id: str) -> bytes:
        """The body of an answer with status 200."""
        import httpx  # takes a tenth of a second, which `--help` should not

        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            # A new connection for each question: bytes that a server sends after an answer are not taken for the next.
            "Connection": "close",
            "Idempotency-Key": id,
            "User-Agent": f"fathom/{__version__}",
        }
        # Neither proxies nor passwords (.netrc) of the environment are used, and no redirect is followed.
        client = httpx.AsyncClient(verify=self._certificates, trust_env=False, timeout=None, follow_redirects=False)
        try:
            async with client, client.stream("POST", self.name, content=body, headers=headers) as response:
                if response.status_code != 200:
                    raise _status_error(response.status_code, response.headers, await _beginning(response))
                if response.headers.get("content-encoding", "identity").lower() != "identity":
                    raise HttpCallError("The system's answer is compressed. Send it as it is.", maybe_paid=True)
                return await _limited(response)
        except httpx.ConnectError as error:
            raise HttpCallError(f"No server responds at {self.name} ({error}).", again=True, ends_run=True) from error
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise HttpCallError(
                f"The connection broke before the answer was complete ({reason}).", maybe_paid=True
            ) from error

    @cached_property
    def _certificates(self) -> ssl.SSLContext | bool:
        # Reading the certificates takes 20 ms, for each question otherwise.
        return ssl.create_default_context() if self.name.lower().startswith("https") else False


class HttpCallError(CallError):
    """A request that gave no answer."""

    def __init__(
        self,
        message: str,
        maybe_paid: bool = False,
        ends_run: bool = False,
        again: bool = False,
        wait: float | None = None,
    ) -> None:
        super().__init__(message, maybe_paid, ends_run)
        self.again = again
        """Whether another attempt is safe: the system did not work on the question."""
        self.wait = wait
        """Seconds that the server asks to wait."""


def _status_error(status: int, headers: Mapping[str, str], body: bytes) -> HttpCallError:
    reason = " ".join(body.decode("utf-8", "replace").split())[:MAX_REASON_LENGTH]
    message = f"{status}: {reason}" if reason else str(status)
    if 300 <= status < 400:
        return HttpCallError(
            f"The system redirects to '{headers.get('location', '')[:MAX_REASON_LENGTH]}' ({status}). Redirects "
            "are not followed. Give the address itself."
        )
    if status in (401, 403, 404, 405):
        return HttpCallError(f"The system does not take questions at this address ({message}).", ends_run=True)
    if status in _LATER:
        given = headers.get("retry-after", "")
        wait = float(given) if given.isdecimal() and len(given) < 9 else None
        return HttpCallError(f"The system did not answer ({message}).", again=True, wait=wait)
    return HttpCallError(f"The system refused the question ({message}).")


async def _beginning(response: httpx.Response) -> bytes:
    """The first bytes of an error message."""
    async for chunk in response.aiter_raw():
        return bytes(chunk[:1_000])
    return b""


async def _limited(response: httpx.Response) -> bytes:
    chunks: list[bytes] = []
    size = 0
    async for chunk in response.aiter_raw():
        chunks.append(chunk)
        size += len(chunk)
        if size > MAX_BODY:
            raise HttpCallError(f"The system's answer has more than {MAX_BODY:,} bytes.", maybe_paid=True)
    return b"".join(chunks)


def _run_id(session: Session) -> str:
    """A random name that belongs to the run, so that another run of the same questions gets answers of its own."""

    def make(path: Path) -> None:
        path.write_text(uuid.uuid4().hex)

    path = session.artifact("http run id", make, scope="bench")
    with file_errors("read", path):
        return path.read_text()
