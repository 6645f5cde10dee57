"""Texts that are sent from one buffer."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import anyio
import httpx
import pytest

from fathom.models.prompts import TextReference
from fathom.runs.request_buffers import RequestBuffers, UnsupportedClientError, escaped

TEXT = 'A "context" with a \\ backslash,\ttabs,\r\n control \x01\x1f characters, é, 中, 😀 — and ⟦marks⟧. ' * 3_000
REFERENCE = TextReference("numeric", "c-1", "documents")


class Client:
    """A provider's client over a transport that keeps the requests."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self._client = httpx.AsyncClient(transport=httpx.MockTransport(self._receive))

    async def _receive(self, request: httpx.Request) -> httpx.Response:
        body = await request.aread()
        assert int(request.headers["content-length"]) == len(body)
        self.bodies.append(body)
        return httpx.Response(200, json={})

    @property
    def client(self) -> Client:
        return self

    async def post(self, text: str) -> int:
        response = await self._client.post("http://test/v1", json={"messages": [{"text": text}, {"text": "Why?"}]})
        return response.status_code


def sent(send: Callable[[Client, str], Awaitable[int]]) -> Client:
    """What a client sends with one placeholder."""
    api = Client()
    buffers = RequestBuffers(api, lambda reference: escaped(TEXT))

    async def run() -> None:
        assert buffers.usable
        name = buffers.placeholder(REFERENCE)
        assert name == buffers.placeholder(REFERENCE)
        await buffers.send(lambda: send(api, name), {name: REFERENCE})

    anyio.run(run)
    return api


def test_the_escapes_are_those_of_json() -> None:
    assert json.loads(b'"' + escaped(TEXT) + b'"') == TEXT


def test_the_text_is_inserted_below_the_client() -> None:
    [body] = sent(lambda api, name: api.post(name)).bodies
    assert json.loads(body)["messages"] == [{"text": TEXT}, {"text": "Why?"}]
    # A client may join the parts of a message.
    [joined] = sent(lambda api, name: api.post(f"Read: {name}!")).bodies
    assert json.loads(joined)["messages"][0]["text"] == f"Read: {TEXT}!"


def test_a_client_that_does_not_send_the_placeholder_is_noticed() -> None:
    with pytest.raises(UnsupportedClientError):
        sent(lambda api, name: api.post(name.upper()))


def test_a_request_whose_signature_covers_the_body_is_left_alone() -> None:
    async def post(api: Client, name: str) -> int:
        headers = {"Authorization": "AWS4-HMAC-SHA256 Credential=A/2026/eu/s/aws4_request, Signature=0a1b"}
        return (await api._client.post("http://test/v1", json={"text": name}, headers=headers)).status_code

    with pytest.raises(UnsupportedClientError):
        sent(post)


def test_a_client_without_such_a_transport_is_not_used() -> None:
    assert not RequestBuffers(object(), lambda reference: b"").usable
