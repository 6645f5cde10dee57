"""A user's system on loopback that speaks the HTTP contract, and misbehaves when it is told to."""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Fault = Callable[[int, dict[str, Any]], str]


@dataclass
class Pipeline:
    """What the server does and what it has received."""

    answer: Callable[[dict[str, Any]], dict[str, Any]] = lambda request: {"answer": "Answer: 1"}
    """The fields of an answer besides its id."""
    fault: Fault = lambda number, request: ""
    """For the n-th request: a fault by name, or nothing."""
    silence: float = 20.0
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    answered: Counter[str] = field(default_factory=Counter)
    """Ids of requests, by how often each was answered well."""
    url: str = ""
    port: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, request: dict[str, Any], headers: dict[str, str]) -> str:
        with self._lock:
            self.requests.append(request)
            self.headers.append(headers)
            return self.fault(len(self.requests), request)


def fetch(url: str, **headers: str) -> str:
    """The text behind the address of a document."""
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as response:
        text: str = response.read().decode()
        return text


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    pipeline: Pipeline

    def log_message(self, format: str, *args: object) -> None:
        return

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            request = json.loads(body)
        except ValueError:
            self._send(400, b"not JSON")
            return
        fault = self.pipeline.begin(request, dict(self.headers))
        try:
            if fault:
                self._misbehave(fault, request)
            else:
                answer = {"id": request["id"], **self.pipeline.answer(request)}
                self._send(200, json.dumps(answer).encode())
                self.pipeline.answered[request["id"]] += 1
        except OSError:
            self.close_connection = True

    def _misbehave(self, fault: str, request: dict[str, Any]) -> None:
        good = json.dumps({"id": request["id"], "answer": "Answer: 1"}).encode()
        if fault.isdigit():
            self._send(int(fault), b'{"error": "busy"}', {"Retry-After": "0"} if fault == "429" else {})
        elif fault == "silence":
            time.sleep(self.pipeline.silence)
        elif fault == "drip":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            for _ in range(int(self.pipeline.silence / 0.1)):
                self.wfile.write(b"X-Slow: 1\r\n")
                time.sleep(0.1)
        elif fault == "half":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + good[:10])
            self.wfile.flush()
            self.connection.shutdown(2)
        elif fault == "close":
            self.connection.shutdown(2)
        elif fault == "garbage":
            self._send(200, b"<html>\xff not what you wanted</html>")
        elif fault == "list":
            self._send(200, b"[1, 2]")
        elif fault == "deep":
            self._send(200, b"[" * 200_000)
        elif fault == "nan":
            self._send(200, good[:-1] + b', "usage": NaN}')
        elif fault == "twice":
            self._send(200, good + good)
        elif fault == "two responses":
            self._send(200, good)
            self._send(200, good.replace(b"Answer: 1", b"Answer: 2"))
        elif fault == "huge":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            for _ in range(64):
                self.wfile.write(b" " * 1_000_000)
        elif fault == "wrong id":
            self._send(200, good.replace(request["id"].encode(), b"another"))
        elif fault == "no answer":
            self._send(200, json.dumps({"id": request["id"]}).encode())
        elif fault == "redirect":
            self._send(307, b"", {"Location": f"http://127.0.0.1:{self.pipeline.port}/elsewhere"})
        elif fault == "compressed":
            self._send(200, good, {"Content-Encoding": "gzip"})
        else:
            raise AssertionError(fault)

    def _send(self, status: int, content: bytes, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def serving(pipeline: Pipeline) -> Iterator[Pipeline]:
    """The pipeline, listening at `url`; a second time on the same port, so that a run can be resumed."""
    handler = type("Handler", (_Handler,), {"pipeline": pipeline})
    server = ThreadingHTTPServer(("127.0.0.1", pipeline.port), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    pipeline.port = int(server.server_address[1])
    pipeline.url = f"http://127.0.0.1:{pipeline.port}/answer"
    try:
        yield pipeline
    finally:
        server.shutdown()
        server.server_close()
