"""Sends long texts from one buffer: requests over one context share its bytes, where a client would copy each prompt.

The client of a provider gets a short placeholder for each text. Below the client, the placeholders in the JSON of a
request are replaced by the texts, which are sent in pieces. A copy of a context of 10M tokens takes 48 MB, and a client
makes three.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from sys import modules
from typing import Any, TypeVar

from fathom.models.prompts import TextReference

T = TypeVar("T")

PIECE = 1 << 18
"""Bytes that are given to the connection at once, which copies what it cannot send yet."""

_PLACEHOLDER = re.compile(rb"fathom-text-[0-9a-f]{32}")
_ESCAPES = {
    character.encode(): escape
    for character, escape in {
        "\\": b"\\\\",
        '"': b'\\"',
        "\n": b"\\n",
        "\r": b"\\r",
        "\t": b"\\t",
        **{chr(code): b"\\u%04x" % code for code in range(32) if chr(code) not in "\n\r\t"},
    }.items()
}
"""Escapes of JSON strings; the backslash comes first, since the others contain one."""

Texts = Mapping[str, TextReference]
"""The texts of a request, by the placeholders that stand for them."""


@dataclass(frozen=True)
class _Call:
    """A request that is being sent."""

    texts: Texts
    replaced: set[str] = field(default_factory=set)
    """The placeholders that were replaced."""


_call: ContextVar[_Call | None] = ContextVar("call", default=None)
"""What the current task sends."""


class UnsupportedClientError(Exception):
    """The client does not send the placeholders in a JSON body."""


def escaped(text: str) -> bytes:
    """The text as it is written between the quotes of a JSON string, in UTF-8."""
    content = text.encode()
    for character, escape in _ESCAPES.items():
        if character in content:
            content = content.replace(character, escape)
    return content


class BufferedTransport:
    """The transport of a client, which replaces placeholders in the bodies of requests."""

    def __init__(self, inner: Any, text: Callable[[TextReference], bytes]) -> None:
        """`text` gives the text of a reference as it is escaped in JSON."""
        self._inner = inner
        self._text = text

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def __aenter__(self) -> Any:
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._inner.__aexit__(*error)

    async def handle_async_request(self, request: Any) -> Any:
        """Send a request, with the texts that its body has placeholders for."""
        call = _call.get()
        return await self._inner.handle_async_request(request if call is None else self._filled(request, call))

    def _filled(self, request: Any, call: _Call) -> Any:
        body = getattr(request, "_content", b"")
        found = [mark for mark in _PLACEHOLDER.finditer(body) if mark[0].decode() in call.texts]
        if not found:
            return request  # such as one for an access token
        call.replaced.update(mark[0].decode() for mark in found)
        is_json = request.headers.get("content-type", "").startswith("application/json")
        is_signed = "signature" in request.headers.get("authorization", "").lower()  # of the body, as AWS requires it
        if not is_json or is_signed or len(call.replaced) < len(call.texts):
            raise UnsupportedClientError
        pieces: list[bytes] = []
        end = 0
        for mark in found:
            pieces += [body[end : mark.start()], self._text(call.texts[mark[0].decode()])]
            end = mark.end()
        pieces.append(body[end:])
        headers = request.headers.copy()
        headers["content-length"] = str(sum(map(len, pieces)))
        # Clients use different versions of one library, and accept only its own classes.
        library = modules[type(request).__module__.partition(".")[0]]
        stream = type("PiecesStream", (_Pieces, library.AsyncByteStream), {})(pieces)
        return type(request)(
            request.method, request.url, headers=headers, stream=stream, extensions=dict(request.extensions)
        )


class _Pieces:
    """A body that is sent piece by piece."""

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            for start in range(0, len(piece), PIECE):
                yield piece[start : start + PIECE]

    async def aclose(self) -> None:
        """Nothing to close."""


class RequestBuffers:
    """Sends the texts of a model's requests from buffers, if its client allows that."""

    def __init__(self, api: Any, text: Callable[[TextReference], bytes]) -> None:
        """`text` gives the text of a reference as it is escaped in JSON."""
        self._placeholders: dict[TextReference, str] = {}
        client = getattr(getattr(api, "client", None), "_client", None)
        self.usable = hasattr(getattr(client, "_transport", None), "handle_async_request")
        """Whether texts can be sent so."""
        if client is not None and self.usable:
            client._transport = BufferedTransport(client._transport, text)
            # Connections through a proxy have transports of their own.
            mounted = getattr(client, "_mounts", {})
            mounted.update(
                {key: BufferedTransport(transport, text) for key, transport in mounted.items() if transport is not None}
            )

    def placeholder(self, reference: TextReference) -> str:
        """What stands for a text in all its requests: providers derive keys of their caches from prompts.

        It is random, so that no text can contain it.
        """
        return self._placeholders.setdefault(reference, f"fathom-text-{secrets.token_hex(16)}")

    async def send(self, send: Callable[[], Awaitable[T]], texts: Texts) -> T:
        """The result of a call that sends a request with these placeholders.

        Raises UnsupportedClientError if the client did not send them where they can be replaced.
        """
        call = _Call(texts)
        before = _call.set(call)
        try:
            result = await send()
        except Exception as error:
            if _is_unsupported(error):
                raise UnsupportedClientError from error
            raise
        finally:
            _call.reset(before)
        if len(call.replaced) < len(texts):
            raise UnsupportedClientError
        return result


def _is_unsupported(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, UnsupportedClientError):
        error = error.__cause__ or error.__context__
    return error is not None
