"""Search with embeddings from an OpenAI-compatible endpoint, and reranking by a model at one, on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

import fathom
from fathom.api.bench_views import open_bench_view
from fathom.records.errors import FathomError
from fathom.runs.folder import read_responses
from fathom.systems.catalog import load_system
from fathom.systems.retrieval import dense
from fathom.systems.retrieval import endpoint as endpoints
from fathom.systems.retrieval.index import ContextIndex
from fathom.systems.retrieval.rerank import order_by_endpoint
from fathom.systems.retrieval.settings import IndexSettings
from tests.systems.scripted import Scripted

Requests = list[tuple[dict[str, Any], str | None]]
"""The body and the authorization of each request."""


def embedding(text: str) -> list[float]:
    """A vector of the text's words, so that texts with common words are alike."""
    vector = [0.0] * 256
    for word in text.lower().split():
        vector[crc32(word.encode()) % 256] += 1.0
    return vector


def reply(texts: list[str]) -> object:
    """The vectors in reverse order: clients have to go by the index."""
    data = [{"object": "embedding", "index": place, "embedding": embedding(one)} for place, one in enumerate(texts)]
    return {"object": "list", "data": data[::-1]}


@contextmanager
def endpoint(answer: Callable[[Any], object] = reply, busy: int = 0) -> Iterator[tuple[str, Requests]]:
    """The address with a model's name, and the requests. The first `busy` requests are answered with 429."""
    received: Requests = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            return

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            received.append((body, self.headers["Authorization"]))
            known = {"/v1/embeddings": "input", "/v1/rerank": "documents"}
            status = 404 if self.path not in known else 429 if len(received) <= busy else 200
            sent = json.dumps(answer(body[known.get(self.path, "input")])).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1#some-model", received
    finally:
        server.shutdown()
        server.server_close()


def test_a_run_searches_with_the_embeddings_of_an_endpoint(
    tiny_bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-of-the-endpoint")
    monkeypatch.setattr(endpoints, "PAUSES", (0.0,))
    with endpoint(busy=1) as (address, received):
        settings = {"method": "hybrid", "embeddings": address, "k": 8}
        run = fathom.run(
            tiny_bench, model="sim/reader", system="rag", system_settings=settings, limit=2, out=tmp_path / "run"
        )
    assert run.status.outcomes == {"answered": 2}
    assert {body["model"] for body, _ in received} == {"some-model"}
    assert {key for _, key in received} == {"Bearer sk-a-key-of-the-endpoint"}
    assert max(len(body["input"]) for body, _ in received) <= dense.BATCH
    texts = [text for body, _ in received[1:] for text in body["input"]]
    assert len(texts) == len(set(texts)), "each chunk and each question is embedded once"
    for response in read_responses(tmp_path / "run").values():
        assert len(response.trace[-2].passages) == 8
    stored = b"".join(path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file())
    assert b"sk-a-key-of-the-endpoint" not in stored


def test_similar_texts_are_found(tiny_bench: Path, tmp_path: Path) -> None:
    with open_bench_view(tiny_bench) as bench, endpoint() as (address, _):
        context, questions = next(bench.groups())
        index = ContextIndex(
            Scripted(bench.view(context, questions[0]), folder=tmp_path), IndexSettings("dense", embeddings=address)
        )
        [wanted] = islice(index.search("zebra"), 1)
        for chunk in islice(index.search(index.text(wanted)), 1):
            assert chunk == wanted


def vectors(*embeddings: object) -> dict[str, object]:
    return {"data": [{"index": place, "embedding": one} for place, one in enumerate(embeddings)]}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda texts: {"data": []}, "returned 0 vectors for 2 texts"),
        (lambda texts: {"error": "no such model"}, "returned no embeddings (without 'data')"),
        (lambda texts: vectors([1, 2], [1]), "vectors of different lengths"),
        (lambda texts: vectors([1, 2], [1, float("nan")]), "not finite numbers"),
        (lambda texts: vectors([1, 2], [1, 1e999]), "not finite numbers"),
        (lambda texts: vectors([], []), "vectors of different lengths"),
        (lambda texts: vectors("x", "y"), "not finite numbers"),
        (lambda texts: vectors([1, 2]), "returned 1 vectors for 2 texts"),
        (lambda texts: {"data": [{"index": 0, "embedding": [1, 2]}] * 2}, "or not one for each of them"),
        (lambda texts: "hello", "no embeddings"),
    ],
)
def test_an_endpoint_that_gives_something_else_is_one_error(
    answer: Callable[[list[str]], object], message: str
) -> None:
    with endpoint(answer) as (address, received):
        with pytest.raises(FathomError) as error:
            dense.embedder(address)(["one", "two"])
        assert message in str(error.value)
        assert len(received) == 1


def test_vectors_of_other_dimensions_are_an_error(tiny_bench: Path, tmp_path: Path) -> None:
    def answer(texts: list[str]) -> object:
        return vectors(*([1.0] * (3 if texts == ["query"] else 2) for _ in texts))

    with open_bench_view(tiny_bench) as bench, endpoint(answer) as (address, _):
        context, questions = next(bench.groups())
        desk = Scripted(bench.view(context, questions[0]), folder=tmp_path)
        index = ContextIndex(desk, IndexSettings("dense", embeddings=address))
        with pytest.raises(FathomError, match="2 dimensions for some texts and 3 for others"):
            list(index.search("query"))


def test_a_wrong_address_is_one_error() -> None:
    with endpoint() as (address, received), pytest.raises(FathomError, match="returned no embeddings .*404"):
        dense.embedder(address.replace("/v1", "/v2"))(["one"])
    assert len(received) == 1
    with pytest.raises(FathomError, match="Check the address"):
        dense.embedder(address)(["one"])


# Reranking.


def by_length(documents: list[str]) -> object:
    """The longest texts are the best ones; the last text has no score."""
    return {"results": [{"index": place, "relevance_score": len(one)} for place, one in enumerate(documents[:-1])]}


def test_a_reranking_model_puts_the_candidates_into_order(tiny_bench: Path, tmp_path: Path) -> None:
    with endpoint(by_length) as (address, received):
        settings = {"rerank": 6, "reranker": address, "k": 3, "order": "rank"}
        run = fathom.run(
            tiny_bench, model="sim/reader", system="rag", system_settings=settings, limit=2, out=tmp_path / "run"
        )
    assert run.status.outcomes == {"answered": 2}
    for (body, _), response in zip(received, run.responses(), strict=True):
        best = sorted(body["documents"][:-1], key=len, reverse=True)[:3]
        shown = [passage.span.end - passage.span.start for passage in response.trace[-2].passages]
        assert len(body["documents"]) == 6 and body["model"] == "some-model"
        assert shown == list(map(len, best))
        assert [step.kind for step in response.trace].count("model") == 1, "the model of the run reranks nothing"


@pytest.mark.parametrize(
    "results",
    [{}, {"results": [{"index": 5, "relevance_score": 1}]}, {"results": [{"index": 0}]}, {"results": "no"}, "hello"],
)
def test_a_reranker_that_gives_something_else_is_one_error(results: object) -> None:
    with endpoint(lambda documents: results) as (address, _), pytest.raises(FathomError, match="The reranker"):
        order_by_endpoint(address, "salt", ["one", "two"])


@pytest.mark.parametrize("given", [{"reranker": "http://host/v1#m"}, {"reranker": "openai/gpt", "rerank": "9"}])
def test_a_reranker_needs_an_address_and_a_number(given: dict[str, str]) -> None:
    with pytest.raises(FathomError, match=r"rerank=60|not an address"):
        load_system("rag", settings=given)
