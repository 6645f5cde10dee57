"""Access control of the local server: only its own pages, in a browser that opened the printed link."""

from __future__ import annotations

from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY = 512 * 1024
"""The maximum size of a request in bytes."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

_REFUSAL = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Fathom</title></head><body><main>'
    "<h1>No access</h1><p>Open the link that the command printed.</p></main></body></html>"
)


def cookie_name(port: int) -> str:
    """The name of the cookie. It includes the port, since browsers share cookies between the ports of a host."""
    return f"fathom-{port}"


class Guard:
    """Middleware that refuses other hosts, other sites, requests without a token, and large requests.

    A page of another site can send requests to the loopback address. It cannot read the token, its requests carry
    another `Origin`, and a name that it points to the loopback address (DNS rebinding) is not an allowed `Host`.
    """

    def __init__(self, app: ASGIApp, port: Callable[[], int], user_of: Callable[[str], str | None]) -> None:
        self._app = app
        self._port = port
        self._user_of = user_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, guarded)
            return
        body = await _read_limited(receive)
        if body is None:
            await JSONResponse({"error": "The request is too large."}, 413)(scope, receive, guarded)
            return
        await self._app(scope, _replay(body, receive), guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        """The response to a request that may not reach the app; sets the user of any other request."""
        headers = Headers(scope=scope)
        origins = {f"http://{name}:{self._port()}" for name in ("127.0.0.1", "localhost")}
        if f"http://{headers.get('host', '')}" not in origins:
            return JSONResponse({"error": "Unknown host."}, 421)
        site = headers.get("sec-fetch-site", "none")
        entering = scope["method"] == "GET" and scope["path"] == "/enter"
        if site not in ("same-origin", "none") and not entering:
            return JSONResponse({"error": "Requests from other sites are refused."}, 403)
        if scope["method"] not in ("GET", "HEAD") and headers.get("origin", "") not in origins:
            return JSONResponse({"error": "Requests from other sites are refused."}, 403)
        if entering:
            return None
        user = self._user_of(_cookie(headers.get("cookie", ""), cookie_name(self._port())))
        if user is None:
            if scope["path"].startswith("/api/"):
                return JSONResponse({"error": "Open the link that the command printed."}, 401)
            return HTMLResponse(_REFUSAL, 401)
        scope.setdefault("state", {})["user"] = user
        return None


def _cookie(header: str, name: str) -> str:
    try:
        morsel = SimpleCookie(header).get(name)
    except CookieError:
        return ""
    return morsel.value if morsel is not None else ""


async def _read_limited(receive: Receive) -> bytes | None:
    """The body of a request; None if it is too large."""
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b""
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > MAX_BODY:
            return None
        if not message.get("more_body", False):
            return b"".join(pieces)


def _replay(body: bytes, receive: Receive) -> Receive:
    sent = False

    async def replay() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
