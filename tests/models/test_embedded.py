"""The embedded model answers, caches contexts, refuses what is too long, and exits with its parent."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

import pytest

from fathom.models.embedded import EmbeddedServer
from fathom.models.weights import COMMAND, fetch
from fathom.records.errors import FathomError

CONTEXT = " ".join(f"In year {year} the harbour shipped {year * 7 % 90} tons of salt." for year in range(1900, 1930))


@pytest.fixture(scope="session")
def model() -> Path:
    """The real weights, fetched if they are not there yet."""
    return fetch()


@pytest.fixture(scope="module")
def server(model: Path) -> Iterator[EmbeddedServer]:
    with EmbeddedServer(window=1024) as server:
        yield server


def ask(server: EmbeddedServer, question: str, **more: Any) -> dict[str, Any]:
    """What the server answers; an error status raises."""
    body = {"messages": [{"role": "user", "content": question}], "temperature": 0, "max_tokens": 8, **more}
    request = Request(f"{server.url}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"})
    with build_opener(ProxyHandler({})).open(request, timeout=300) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def test_it_answers_a_chat(server: EmbeddedServer) -> None:
    # Asked "What is the capital of France?", so small a model sings the praise of the Marseillaise.
    found = ask(server, "Which city is the capital of France?", max_tokens=32)
    assert "Paris" in found["choices"][0]["message"]["content"]
    assert found["choices"][0]["finish_reason"] == "stop"
    assert found["model"] == server.name == "SmolLM2-135M-Instruct.Q4_1"


def test_a_response_at_its_limit_is_marked(server: EmbeddedServer) -> None:
    found = ask(server, "Tell me a story.", max_tokens=3)
    assert found["choices"][0]["finish_reason"] == "length"
    assert found["usage"]["completion_tokens"] == 3


def test_a_second_question_uses_the_cached_context(server: EmbeddedServer) -> None:
    read = server.count(CONTEXT)
    assert 500 < read < 900
    ask(server, f"{CONTEXT}\n\nWhat was shipped?")
    # Another prompt in between: the context must come back although something else took its slot.
    ask(server, "Name a color.")
    found = ask(server, f"{CONTEXT}\n\nWhen was most shipped?")["usage"]
    assert read <= found["prompt_tokens_details"]["cached_tokens"] < found["prompt_tokens"]


def test_refuses_a_prompt_that_is_too_long(server: EmbeddedServer) -> None:
    with pytest.raises(HTTPError) as caught:
        ask(server, CONTEXT * 2)
    with caught.value as error:
        body = json.load(error)["error"]
    assert error.code == 400
    assert body["type"] == "exceed_context_size_error"
    assert body["n_prompt_tokens"] > body["n_ctx"] == server.window == 1024


def test_the_child_ends_with_the_context(model: Path) -> None:
    with EmbeddedServer(window=256, cache=False) as server:
        responses = [ask(server, "Name a river.", seed=1, temperature=1) for _ in range(2)]
        child = _child(server)
        assert _is_running(child)
    assert not _is_running(child)
    # Without the cache, a seed repeats its response bit for bit.
    assert responses[0]["choices"] == responses[1]["choices"]
    assert responses[1]["usage"]["prompt_tokens_details"]["cached_tokens"] == 0


def _child(server: EmbeddedServer) -> int:
    assert server._process is not None
    return server._process.pid


def _is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(") ", 1)[1][0] != "Z"
    except OSError:
        return False


def test_the_child_is_gone_when_its_parent_is_killed(model: Path) -> None:
    # A process forked off by the parent lives on and holds the parent's end of the pipe; that must not matter.
    program = (
        "import os, time\n"
        "from fathom.models.embedded import EmbeddedServer\n"
        "with EmbeddedServer(window=256) as server:\n"
        "    fork = os.fork()\n"
        "    if fork:\n"
        "        print(server._process.pid, fork, flush=True)\n"
        "    time.sleep(300)\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    child, fork = map(int, parent.stdout.readline().split())
    try:
        assert _is_running(child)
        parent.kill()
        parent.wait()
        deadline = time.monotonic() + 30
        while _is_running(child) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not _is_running(child)
    finally:
        os.kill(fork, signal.SIGKILL)
        parent.stdout.close()


def test_reports_a_dead_child(model: Path) -> None:
    with EmbeddedServer(window=256) as server:
        os.kill(_child(server), signal.SIGKILL)
        with pytest.raises(FathomError, match="does not answer"):
            server.count("anything")


def test_without_weights_the_command_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FATHOM_MODELS", str(tmp_path))
    with pytest.raises(FathomError, match=COMMAND), EmbeddedServer():
        pass


def test_reports_an_invalid_model_file(tmp_path: Path) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(b"no model at all" * 100)
    with (
        pytest.raises(FathomError, match=r"broken.gguf' did not start: .*failed to load model"),
        EmbeddedServer(model=path),
    ):
        pass


def test_refuses_a_window_beyond_the_model(model: Path) -> None:
    with pytest.raises(FathomError, match="at most 8192 tokens, not 9000"), EmbeddedServer(window=9000):
        pass


def test_gives_up_on_a_silent_child(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # No child can load a model this fast, so this one is as silent as a hung one.
    monkeypatch.setattr("fathom.models.embedded._TIMEOUT", 0.01)
    server = EmbeddedServer(window=256)
    with pytest.raises(FathomError, match="did not start within 0 seconds: there is no message"), server:
        pass
    assert server._process is None
