"""An HTTP server on loopback with the OpenAI protocol: it simulates a prefix cache, calls tools, and misbehaves."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """What a scripted model replies to one request."""

    text: str = ""
    calls: tuple[tuple[str, str, str], ...] = ()
    """The id, the name and the arguments of each tool call; the arguments need not be JSON."""
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass
class Provider:
    """What the server does and what it has received."""

    response: Callable[[str], str] = lambda prompt: "Answer: 1"
    fault: Callable[[int, str], str] = lambda number, prompt: ""
    """For the n-th request: a fault by name, or nothing."""
    tool_calls: Callable[[list[dict[str, Any]]], list[tuple[str, dict[str, Any]]]] = lambda messages: []
    """The tools that the model calls after these messages, with their arguments; none where it answers."""
    reply: Callable[[dict[str, Any]], Reply] | None = None
    """Replies to the body of a request in place of `response` and `tool_calls`."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    """The bodies of the requests, where they are kept."""
    cached_prefixes: int = 4
    seconds: float = 0.0
    prompts: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    """How often each question was answered. Questions of different contexts may have the same text."""
    prefix_tokens: int = 0
    hit_tokens: int = 0
    possible_tokens: int = 0
    in_flight: int = 0
    most_in_flight: int = 0
    silence: float = 30.0
    keep_prompts: bool = True
    counts: bool = True
    """Whether it says how many tokens were used."""
    streams: bool = True
    """Whether it streams when it is asked to."""
    finish: str = "stop"
    """Why it ends its responses."""
    streamed_usage: dict[str, Any] | None = None
    """What streams give as their usage in place of the true one."""
    url: str = ""
    _cache: OrderedDict[str, None] = field(default_factory=OrderedDict)
    _known: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _number: int = 0

    def begin(self, prefix: str, prompt: str) -> tuple[int, str]:
        """Count one request; gives the tokens that the cache serves, and the fault if there is to be one."""
        with self._lock:
            self._number += 1
            self.in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            if self.keep_prompts:
                self.prompts.append(prompt)
            fault = self.fault(self._number, prompt)
            tokens = len(prefix) // 4
            self.prefix_tokens += tokens
            self.possible_tokens += tokens if prefix in self._known else 0
            self._known.add(prefix)
            hit = tokens if prefix in self._cache else 0
            self.hit_tokens += hit
            if hit:
                self._cache.move_to_end(prefix)
            return hit, fault

    def filled(self, prefix: str) -> None:
        """The prefix has been read: it is in the cache from now on."""
        with self._lock:
            self._cache[prefix] = None
            self._cache.move_to_end(prefix)
            while len(self._cache) > self.cached_prefixes:
                self._cache.popitem(last=False)

    def end(self) -> None:
        with self._lock:
            self.in_flight -= 1


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    provider: Provider

    def log_message(self, format: str, *args: object) -> None:
        return

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.endswith("/responses"):
            # Like most servers, it has only chat completions.
            self._send(404, {"error": {"message": "Not Found"}})
            return
        if self.provider.keep_prompts:
            self.provider.requests.append(body)
        users = [message for message in body["messages"] if message["role"] == "user"]
        parts = _parts(users[0]["content"])
        prefix, question = "".join(parts[:-1]), parts[-1]
        hit, fault = self.provider.begin(prefix, "".join(parts))
        try:
            if fault:
                self._misbehave(fault, body)
            else:
                self._answer(body, prefix, question, hit)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            self.provider.end()

    def _answer(self, body: dict[str, Any], prefix: str, question: str, hit: int) -> None:
        time.sleep(self.provider.seconds)
        self.provider.filled(prefix)
        if self.provider.reply is not None:
            self._say(body, *_scripted(self.provider.reply(body)))
            return
        calls = _native_calls(self.provider.tool_calls(body["messages"]))
        text = "" if calls else self.provider.response(prefix + question)
        self.provider.seen[f"{hash(prefix)} {question}"] += not calls
        usage = {
            "prompt_tokens": len(prefix + question) // 4,
            "completion_tokens": 5,
            "total_tokens": len(prefix + question) // 4 + 5,
            "prompt_tokens_details": {"cached_tokens": hit},
        }
        if not self.provider.counts:
            usage = None  # type: ignore[assignment]
        self._say(body, text, calls, usage)

    def _say(self, body: dict[str, Any], text: str, calls: list[dict[str, Any]], usage: dict[str, Any]) -> None:
        if body.get("stream") and self.provider.streams:
            self._stream(text, calls, usage)
        else:
            message = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
            ended = "tool_calls" if calls else self.provider.finish
            self._send(200, _completion("chat.completion", [_choice("message", message, ended)], usage))

    def _stream(self, text: str, calls: list[dict[str, Any]], usage: dict[str, Any]) -> None:
        self._begin_stream()
        delta = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
        self._chunk(_completion("chat.completion.chunk", [_choice("delta", delta, None)]))
        ended = "tool_calls" if calls else self.provider.finish
        self._chunk(_completion("chat.completion.chunk", [_choice("delta", {}, ended)]))
        self._chunk(_completion("chat.completion.chunk", [], self.provider.streamed_usage or usage))
        self._write(b"data: [DONE]\n\n")
        self._write(b"")

    def _misbehave(self, fault: str, body: dict[str, Any]) -> None:
        if fault.startswith("429 after "):
            self._raw(b'{"error": {"message": "slow down", "type": "rate_limit"}}', 429, {"Retry-After": fault[10:]})
        elif fault.isdigit():
            self._send(int(fault), {"error": {"message": f"a fault of kind {fault}", "type": "server_error"}})
        elif fault.startswith("say "):
            self._send(400, {"error": {"message": fault[4:], "type": "invalid_request_error"}})
        elif fault == "garbage":
            self._raw(b"<html>not what you wanted</html>")
        elif fault == "empty":
            self._raw(b"")
        elif fault.startswith("body "):
            self._raw(fault[5:].encode())
        elif fault == "half a stream":
            self._begin_stream()
            delta = {"role": "assistant", "content": "Answer: 4"}
            self._chunk(_completion("chat.completion.chunk", [_choice("delta", delta, None)]))
            self.wfile.flush()
            self.connection.shutdown(2)
        elif fault == "no choices":
            self._send(200, _completion("chat.completion", []))
        elif fault == "quiet end":
            self._begin_stream()
            delta = {"role": "assistant", "content": "Answer: 4"}
            self._chunk(_completion("chat.completion.chunk", [_choice("delta", delta, None)]))
            self._write(b"")  # a stream that ends as if it were complete
        elif fault == "silence":
            time.sleep(self.provider.silence)
            self.close_connection = True
        elif fault == "echo":
            # "Blocked" is a word by which the engine takes such an error for a refusal.
            said = f"blocked, cannot read: {json.dumps(body)}"
            self._send(400, {"error": {"message": said, "type": "invalid_request_error"}})

    def _send(self, status: int, content: dict[str, Any]) -> None:
        self._raw(json.dumps(content).encode(), status)

    def _raw(self, content: bytes, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _begin_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _chunk(self, content: dict[str, Any]) -> None:
        self._write(b"data: " + json.dumps(content).encode() + b"\n\n")

    def _write(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


def _parts(content: str | list[dict[str, Any]]) -> list[str]:
    return [content] if isinstance(content, str) else [part["text"] for part in content]


def _scripted(reply: Reply) -> tuple[str, list[dict[str, Any]], dict[str, Any]]:
    calls = [
        {"index": number, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (id, name, arguments) in enumerate(reply.calls)
    ]
    total = reply.input_tokens + reply.output_tokens
    usage = {
        "prompt_tokens": reply.input_tokens,
        "completion_tokens": reply.output_tokens,
        "total_tokens": total,
    }
    return reply.text, calls, usage


def _native_calls(calls: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    return [
        {
            "index": number,
            "id": f"call-{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(calls)
    ]


def _choice(kind: str, message: dict[str, Any], finish: str | None) -> dict[str, Any]:
    return {"index": 0, kind: message, "finish_reason": finish, "logprobs": None}


def _completion(kind: str, choices: list[dict[str, Any]], usage: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"id": "x", "object": kind, "created": 0, "model": "m", "choices": choices, "usage": usage}


class _Server(ThreadingHTTPServer):
    """A server with room for many connections at once; with the usual five, it resets some of 64."""

    request_queue_size = 256


@contextmanager
def serving(provider: Provider, port: int = 0) -> Iterator[Provider]:
    """The provider, listening at this port or a free one; its address is in `url`."""
    handler = type("Handler", (_Handler,), {"provider": provider})
    server = _Server(("127.0.0.1", port), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    provider.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
