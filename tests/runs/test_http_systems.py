"""Systems behind an address: what they are sent, what they may send back, and servers that misbehave."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import fathom
from fathom.cli.main import main
from fathom.records.errors import FathomError
from fathom.records.questions import Response
from fathom.runs.bench_view import BenchView
from fathom.runs.folder import RunSettings, read_responses, read_run
from fathom.runs.plan import jobs
from fathom.systems.http_contract import InvalidAnswerError, parse_answer
from fathom.systems.protocol import DOCUMENTS
from tests.pipeline import Pipeline, fetch, serving

Start = Callable[..., int]


@pytest.fixture
def start(tiny_bench: Path, tmp_path: Path) -> Start:
    """`fathom run` with a system on loopback; returns the exit code. The run is in tmp_path / "run"."""

    def run(pipeline: Pipeline, *words: object) -> int:
        usual = ["run", tiny_bench, "--system", pipeline.url, "--out", tmp_path / "run"]
        patience = ["--retries", 2, "--backoff", 0.01, "--timeout", 30]
        try:
            return main([str(word) for word in (*usual, *patience, *words)])
        except SystemExit as end:
            return int(end.code or 0)

    return run


@contextmanager
def documented_server(folder: Path) -> Iterator[str]:
    """The server that docs/own-system.md prints, on another port; gives its address."""
    page = (Path(__file__).parents[2] / "docs" / "own-system.md").read_text()
    [source] = re.findall(r"```python\n(# server\.py\n.*?)```", page, re.DOTALL)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "server.py").write_text(source.replace("8000", str(port)))
    process = subprocess.Popen([sys.executable, folder / "server.py"], stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 20
        while not _listens(port) and time.monotonic() < deadline:
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/answer"
    finally:
        process.kill()
        process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def responses(folder: Path) -> list[Response]:
    return list(read_responses(folder / "run").values())


def test_a_system_gets_the_question_and_the_documents_of_its_context(
    start: Start, tmp_path: Path, bench_view: BenchView, capsys: pytest.CaptureFixture[str]
) -> None:
    texts: dict[str, str] = {}

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        for document in request["documents"]:
            texts[document["id"]] = fetch(document["url"])
            assert len(texts[document["id"]]) == document["characters"]
        first = request["documents"][0]
        assert fetch(f"{first['url']}?start=5&end=50") == texts[first["id"]][5:50]
        assert fetch(first["url"], Range="bytes=0-9").encode() == texts[first["id"]].encode()[:10]
        assert fetch(first["url"], Range="bytes=-4").encode() == texts[first["id"]].encode()[-4:]
        words = texts[first["id"]].split()[20:30]
        return {
            "answer": "Answer: 7",
            "usage": {"input_tokens": 900, "cached_tokens": 100, "output_tokens": 5, "price": 0.25},
            "steps": [{"kind": "retrieval", "name": "search", "citations": [{"document": first["label"]}]}],
            "citations": [
                {"document": first["id"], "quote": "  \n".join(words)},
                {"document": first["id"], "start": 0, "end": 10},
                {"document": "nowhere"},
            ],
        }

    with serving(Pipeline(answer)) as pipeline:
        assert start(pipeline, "--samples", 2, "--limit", 3, "-S", 'settings={"k": 3}') == 0
    shown = capsys.readouterr().out
    assert "6 responses requested: answered 6" in shown
    assert "5,400 input tokens (600 from a cache), 30 output tokens, $1.5000" in shown
    asked = {job.question.id: job for group in jobs(bench_view, RunSettings(limit=3)) for job in group}
    views = [bench_view.view(job.context, job.question) for job in asked.values()]
    assert texts == {one.id: view.text(DOCUMENTS, *one.span) for view in views for one in view.documents}
    request = pipeline.requests[0]
    context, questions = next(
        (context, questions) for context, questions in bench_view.groups() if context.id == request["context_id"]
    )
    view = bench_view.view(context, questions[0])
    assert request["fathom"] == 1
    assert request["question"] in [question.text for question in questions]
    assert request["instruction"] == view.instruction("full, direct")
    assert (request["context_id"], request["settings"], request["model"]) == (context.id, {"k": 3}, None)
    assert len({request["id"] for request in pipeline.requests}) == 6, "each question and sample has its own id"
    assert pipeline.headers[0]["Idempotency-Key"] == request["id"]
    assert read_run(tmp_path / "run").model == "no model"
    for response in responses(tmp_path):
        assert response.text == "Answer: 7"
        assert (response.usage.price, response.usage.input_tokens) == (0.25, 900)
        assert response.usage.seconds > 0
        assert [(step.kind, step.name) for step in response.trace] == [
            ("tool", "http"),
            ("retrieval", "search"),
            ("retrieval", "citations"),
        ]
        first = asked[response.question_id].context.places[0].document
        assert [passage.document for passage in response.trace[1].passages] == [first]
        quoted, ranged = response.trace[2].passages
        assert texts[first][quoted.span.start : quoted.span.end].split() == texts[first].split()[20:30]
        assert tuple(ranged.span) == (0, 10)
        assert response.trace[2].error == "1 citation could not be located: there is no document 'nowhere'"


def test_the_text_server_gives_documents_of_open_questions_and_nothing_else(start: Start, tmp_path: Path) -> None:
    statuses: dict[str, int] = {}
    urls: list[str] = []

    def status(url: str, **headers: str) -> int:
        try:
            fetch(url, **headers)
        except urllib.error.HTTPError as error:
            error.close()
            return error.code
        return 200

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        url = request["documents"][0]["url"]
        base, token, context, _ = url.rsplit("/", 3)
        urls.append(url)
        statuses.update(
            good=status(url),
            token=status(f"{base}/{'x' * len(token)}/{context}/1"),
            number=status(f"{base}/{token}/{context}/9999"),
            zero=status(f"{base}/{token}/{context}/0"),
            digits=status(f"{base}/{token}/{context}/0000000019999"),
            context=status(f"{base}/{token}/c-0/1"),
            path=status(f"{base}/{token}/{context}/../../keys.jsonl"),
            keys=status(f"{base}/{token}/keys.jsonl"),
            root=status(f"{base}/"),
            characters=status(f"{url}?start=-1"),
            bytes=status(url, Range="bytes=99999999-"),
        )
        return {"answer": "Answer: 1"}

    with serving(Pipeline(answer)) as pipeline:
        assert start(pipeline, "--limit", 1) == 0
    assert statuses.pop("good") == 200
    assert statuses.pop("characters") == 400
    assert statuses.pop("bytes") == 416
    assert set(statuses.values()) == {404}, statuses
    with pytest.raises(urllib.error.URLError):
        fetch(urls[0])  # the server ends with the run


def test_no_secret_is_sent(start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    secret = "sk-a-secret-of-the-environment"
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    netrc = tmp_path / "netrc"
    netrc.write_text(f"machine 127.0.0.1 login me password {secret}\n")
    monkeypatch.setenv("NETRC", str(netrc))
    with serving(Pipeline(lambda request: {"answer": f"Answer: {os.environ['OPENAI_API_KEY']}"})) as pipeline:
        assert start(pipeline, "--limit", 1) == 0
    assert secret not in json.dumps([pipeline.requests, pipeline.headers])
    assert "authorization" not in {name.lower() for name in pipeline.headers[0]}
    assert responses(tmp_path)[0].text == "Answer: [OPENAI_API_KEY]"


FAULTS = {
    "silence": "did not answer within 3 s",
    "drip": "did not answer within 3 s",
    "half": "connection broke",
    "close": "connection broke",
    "garbage": "the body is not JSON",
    "list": "the body is not a JSON object",
    "deep": "",
    "nan": "the body is not JSON",
    "twice": "the body is not JSON",
    "huge": "more than 16,777,216 bytes",
    "wrong id": "the answer belongs to another request",
    "no answer": "the field 'answer' is missing",
    "compressed": "compressed",
    "redirect": "Redirects are not followed",
    "400": "refused the question (400",
}


def test_whatever_a_server_does_every_question_is_accounted_for_and_asked_again_once(
    start: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    faults = list(FAULTS)

    def fault(number: int, request: dict[str, Any]) -> str:
        return faults[number - 1] if number <= len(faults) else "two responses" if number % 2 else ""

    pipeline = Pipeline(fault=fault, silence=6.0)
    with serving(pipeline):
        # A busy machine takes more than a second for the answer of 16 MB.
        assert start(pipeline, "--timeout", 3, "--connections", 1) == 1
    first = responses(tmp_path)
    assert len(first) == 30
    failed = [response for response in first if response.outcome == "error"]
    errors = [response.error or "" for response in failed]
    for name, sentence in FAULTS.items():
        assert any(sentence in error for error in errors), name
    assert len(failed) == len(faults), "no request without an answer is sent twice by itself"
    assert {response.text for response in first if response.outcome == "answered"} == {"Answer: 1"}
    assert "13 requests got no answer and may have been paid for" in capsys.readouterr().out
    before = list(pipeline.requests)
    pipeline.fault = lambda number, request: ""
    with serving(pipeline):
        assert start(pipeline) == 0
    again = pipeline.requests[len(before) :]
    assert {request["question_id"] for request in again} == {response.question_id for response in failed}
    ids = {request["question_id"]: request["id"] for request in before}
    assert all(ids[request["question_id"]] == request["id"] for request in again), "the id stays"
    assert all(response.outcome == "answered" for response in responses(tmp_path))


def test_a_server_that_is_busy_is_asked_again_and_other_failures_only_if_that_is_safe(
    start: Start, tmp_path: Path
) -> None:
    def busy(number: int, request: dict[str, Any]) -> str:
        return ("429", "500", "")[(number - 1) % 3]

    with serving(Pipeline(fault=busy)) as pipeline:
        assert start(pipeline, "--limit", 4, "--connections", 1) == 0
        assert len(pipeline.requests) == 12
        assert set(pipeline.answered.values()) == {1}
    tries = Pipeline(fault=lambda number, request: "close" if number % 2 else "")
    with serving(tries):
        words = ("--limit", 4, "--connections", 1, "--out", tmp_path / "idempotent", "-S", "idempotent=true")
        assert start(tries, *words) == 0
    assert len(tries.requests) == 8


def test_a_server_that_dies_ends_the_run_which_can_be_resumed(
    start: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipeline = Pipeline()
    stop: list[Any] = []

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        if len(pipeline.requests) == 5:
            stop[0].__exit__(None, None, None)
        return {"answer": "Answer: 1"}

    pipeline.answer = answer
    stop.append(serving(pipeline))
    stop[0].__enter__()
    assert start(pipeline, "--connections", 1) == 1
    shown = capsys.readouterr().out
    assert "stopped: No server responds at" in shown
    assert "25 responses are missing: run the same command again" in shown
    assert start(pipeline) == 2
    assert "No server responds at" in capsys.readouterr().err
    pipeline.answer = lambda request: {"answer": "Answer: 1"}
    with serving(pipeline):
        assert start(pipeline) == 0
    assert set(pipeline.answered.values()) == {1}
    assert len(pipeline.answered) == 30


def test_an_answer_is_kept_although_its_optional_parts_are_invalid(start: Start, tmp_path: Path) -> None:
    broken = {
        "answer": "Answer: \ud800" + "x" * 1_000_001,
        "usage": {"input_tokens": -4},
        "citations": [{"quote": "no document"}, 3],
        "steps": "none",
        "debug": {"a": 1},
    }
    with serving(Pipeline(lambda request: broken)) as pipeline:
        assert start(pipeline, "--limit", 1) == 0
    [response] = responses(tmp_path)
    assert response.outcome == "truncated"
    assert response.text.startswith("Answer: ?x")
    assert response.usage.price is None
    error = response.trace[-1].error or ""
    for part in ("'usage'", "'citations[0]'", "'citations[1]'", "'steps' is not a list"):
        assert part in error


def test_usage_that_nobody_can_have_had_does_not_spoil_the_run(start: Start, tmp_path: Path) -> None:
    """The sum of such prices is not finite, and no command could list or analyze the run."""
    usage = {"input_tokens": 10**30, "price": 1e308}
    with serving(Pipeline(lambda request: {"answer": "Answer: 1", "outcome": None, "usage": usage})) as pipeline:
        assert start(pipeline, "--limit", 2) == 0
    assert {response.outcome for response in responses(tmp_path)} == {"answered"}
    [listed] = fathom.list_runs(tmp_path)
    assert listed.spent == 0


@pytest.mark.parametrize("outcome", [["answered"], {"a": 1}, 1, "", "unknown"])
def test_an_outcome_that_the_contract_does_not_have_is_an_invalid_answer(outcome: object) -> None:
    with pytest.raises(InvalidAnswerError, match="is not one of answered, truncated"):
        parse_answer(json.dumps({"id": "a", "answer": "1", "outcome": outcome}).encode(), "a")


def test_a_budget_needs_the_highest_price_of_a_question(
    start: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(Pipeline(lambda request: {"answer": "Answer: 1", "usage": {"price": 0.1}})) as pipeline:
        assert start(pipeline, "--budget", 1) == 2
        assert "-S max_price=0.05" in capsys.readouterr().err
        # Each question counts 0.2 while it is in flight, and 0.1 afterwards.
        assert start(pipeline, "--budget", 1.05, "-S", "max_price=0.2", "--connections", 4) == 1
        assert 5 <= len(pipeline.requests) <= 9
        assert "the budget is reached" in capsys.readouterr().out
        # How a system is called is not part of the run, so that it can be resumed with other settings.
        assert start(pipeline, "--budget", 10, "-S", "max_price=0.3", "-S", "idempotent=true") == 0
        assert start(pipeline, "-S", 'settings={"k": 1}') == 2
    assert len(pipeline.requests) == 30
    unknown = Pipeline(fault=lambda number, request: "close")
    with serving(unknown):
        words = ("--out", tmp_path / "unknown", "--budget", 1, "-S", "max_price=0.3", "--connections", 1)
        assert start(unknown, *words) == 1
        assert start(unknown, *words) == 1
    assert len(unknown.requests) == 3, "what may have been paid for counts, and after a resume too"


def test_a_plan_says_that_the_cost_is_unknown(tiny_bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["plan", str(tiny_bench), "--system", "http://127.0.0.1:9/answer"]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "30 requests; the cost of such a system is unknown" in shown
    assert main([*words, "-S", "max_price=0.05"]) == 0
    assert "at most $1.50" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--system", "http://"), "is not an address such as"),
        (("--system", "http://me:password@127.0.0.1/x"), "no user, password, query or fragment"),
        (("--system", "http://127.0.0.1/x?key=1"), "no user, password, query or fragment"),
        (("--system", "http://127.0.0.1:9/x"), "No server responds at '127.0.0.1:9'"),
        (("--system", "http://a..b/x"), "No server responds at 'a..b:80'"),
        (("--system", "ftp://127.0.0.1/x"), "is not an address such as http://"),
        (("--system", "http://127.0.0.1:9/x", "-S", "name=y"), "has no setting 'name'"),
        (("--system", "http://127.0.0.1:9/x", "--model", "sim/oracle"), "Leave out --model"),
        (("--system", "http://127.0.0.1:9/x", "--temperature", "1"), "--temperature has no effect"),
        (("--system", "full"), "needs a model"),
    ],
)
def test_misuse_is_one_sentence(
    tiny_bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    assert main(["run", str(tiny_bench), "--out", str(tmp_path / "run"), *words]) == 2
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_from_a_notebook(tiny_bench: Path, tmp_path: Path) -> None:
    import asyncio

    async def cell(url: str) -> fathom.Run:
        return fathom.run(tiny_bench, system=url, limit=2, out=tmp_path / "run")

    with serving(Pipeline()) as pipeline:
        assert asyncio.run(cell(pipeline.url)).status.outcomes == {"answered": 2}
    with pytest.raises(FathomError, match="No server responds"):
        fathom.run(tiny_bench, system=pipeline.url, limit=2, out=tmp_path / "other")


def test_the_server_of_the_docs_answers(tiny_bench: Path, tmp_path: Path) -> None:
    with documented_server(tmp_path) as url:
        made = fathom.run(tiny_bench, system=url, limit=4, out=tmp_path / "run")
    assert made.status.outcomes == {"answered": 4}
    assert made.status.usage.price == 0.0
    for response in made.responses():
        assert response.trace[-1].name == "citations"
        assert len(response.trace[-1].passages) == 1
