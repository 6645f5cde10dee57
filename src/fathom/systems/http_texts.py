"""A small server that gives systems behind an address the text of documents, and nothing else."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import parse_qs, urlsplit

from fathom.records.contexts import ContextId
from fathom.systems.http_contract import ServedDocument
from fathom.systems.protocol import DOCUMENTS, ContextView

LOOPBACK = "127.0.0.1"
MAX_HEAD_LENGTH = 16_384
"""Bytes of a request's head."""
PATIENCE = 60.0
"""Seconds in which a request must arrive and its answer be read."""

_BYTES = re.compile(r"bytes=(\d*)-(\d*)")


@dataclass(frozen=True)
class _Reply:
    status: HTTPStatus
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def problem(cls, status: HTTPStatus, sentence: str) -> _Reply:
        return cls(status, f"{sentence}\n".encode())


class TextServer:
    """Serves the documents of contexts whose questions are open, to anyone with the token of this run.

    It runs in the event loop of the run, since a corpus can be read by one thread only. It has contexts and no keys:
    a view gives no access to a key, and only its documents are served.
    """

    def __init__(self, host: str = LOOPBACK) -> None:
        self._host = host
        self._token = secrets.token_urlsafe(16)
        self._views: dict[ContextId, ContextView] = {}
        self._users: Counter[ContextId] = Counter()
        self._address = ""
        self.fetched: Counter[tuple[ContextId, int]] = Counter()
        """How often each document was fetched, by context and number."""

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[TextServer]:
        """Listen inside the `with` block: on loopback, or on every interface if systems use another address."""
        bound = self._host if self._host in (LOOPBACK, "::1") else "0.0.0.0"
        server = await asyncio.start_server(self._connected, bound, 0, limit=MAX_HEAD_LENGTH)
        port = server.sockets[0].getsockname()[1]
        self._address = f"http://{f'[{self._host}]' if ':' in self._host else self._host}:{port}/{self._token}"
        try:
            yield self
        finally:
            server.close()

    @contextmanager
    def serving(self, view: ContextView) -> Iterator[tuple[ServedDocument, ...]]:
        """Serve the documents of a context inside the `with` block."""
        context = view.context.id
        self._views[context] = view
        self._users[context] += 1
        try:
            yield tuple(
                ServedDocument(
                    id=document.id,
                    label=document.label,
                    characters=document.span.end - document.span.start,
                    url=f"{self._address}/{context}/{document.number}",
                )
                for document in view.documents
            )
        finally:
            self._users[context] -= 1
            if not self._users[context]:
                del self._users[context], self._views[context]

    # Requests.

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(PATIENCE):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                method = head.partition(" ")[0]
                reply = self._reply(method, head)
                writer.write(_head(reply) + (b"" if method == "HEAD" else reply.body))
                await writer.drain()
        except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # the system went away, is too slow, or sent no request
        finally:
            writer.close()

    def _reply(self, method: str, head: str) -> _Reply:
        request, *lines = head.split("\r\n")
        words = request.split(" ")
        if len(words) != 3:
            return _Reply.problem(HTTPStatus.BAD_REQUEST, "This is not an HTTP request.")
        if method not in ("GET", "HEAD"):
            return _Reply.problem(HTTPStatus.METHOD_NOT_ALLOWED, "Use GET.")
        try:
            target = urlsplit(words[1])
            _, token, context, number = target.path.split("/")
            view = self._views[context] if secrets.compare_digest(token.encode(), self._token.encode()) else None
        except (ValueError, KeyError):
            view = None
        place = int(number) if view is not None and number.isdecimal() and len(number) < 10 else 0
        if view is None or not 1 <= place <= len(view.context.places):
            return _Reply.problem(HTTPStatus.NOT_FOUND, "There is no such document among those of the open questions.")
        self.fetched[context, place] += 1
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        return _text(view, place, parse_qs(target.query), headers.get("range", ""))


def _text(view: ContextView, number: int, query: Mapping[str, list[str]], wanted: str) -> _Reply:
    """The characters of a document that the query asks for, or the bytes of them that a `Range` header asks for."""
    span = view.documents[number - 1].span
    length = span.end - span.start
    given = {name: values[-1] for name, values in query.items() if name in ("start", "end")}
    if any(not value.isdecimal() or len(value) > 12 for value in given.values()):
        return _Reply.problem(HTTPStatus.BAD_REQUEST, "'start' and 'end' are numbers of characters.")
    start, end = min(length, int(given.get("start", 0))), min(length, int(given.get("end", length)))
    body = view.text(DOCUMENTS, span.start + start, span.start + end).encode() if start < end else b""
    match = _BYTES.fullmatch(wanted)
    if not match or match[0] == "bytes=-":
        return _Reply(HTTPStatus.OK, body)
    if match[1]:
        first, last = int(match[1][:12]), min(len(body), int(match[2][:12] or len(body)) + 1)
    else:
        first, last = max(0, len(body) - int(match[2][:12])), len(body)
    if not first < last:
        return _Reply(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, b"", {"Content-Range": f"bytes */{len(body)}"})
    return _Reply(
        HTTPStatus.PARTIAL_CONTENT, body[first:last], {"Content-Range": f"bytes {first}-{last - 1}/{len(body)}"}
    )


def _head(reply: _Reply) -> bytes:
    lines = [
        f"HTTP/1.1 {reply.status.value} {reply.status.phrase}",
        "Content-Type: text/plain; charset=utf-8",
        f"Content-Length: {len(reply.body)}",
        "Accept-Ranges: bytes",
        "Connection: close",
        *(f"{name}: {value}" for name, value in reply.headers.items()),
    ]
    return "\r\n".join((*lines, "", "")).encode()
