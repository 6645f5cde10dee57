"""Runs in processes of their own that are killed or interrupted in the middle, and resumed."""

from __future__ import annotations

import contextlib
import json
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from fathom.cli.main import main
from fathom.records.files import Journal
from fathom.records.questions import Response
from fathom.runs.folder import RESPONSES, SPENDING, UNFINISHED, lost_calls
from tests import pipeline
from tests.runs.conftest import KEY
from tests.runs.forked import ForkedCommand
from tests.serving import Provider, Reply, serving

QUESTIONS = 5
SYSTEMS: dict[str, tuple[str, ...]] = {
    "memory": ("-S", "chunk=16K"),
    "map-reduce": ("-S", "combine=sql"),
    "agent": (),
    "three-pass": (),
    "one-by-one": (),
}
"""Systems that call a model several times for a question, with settings."""
CLAIMS = ("three-pass", "one-by-one")
"""Those that answer questions on claims."""
LISTED = 2
"""Claims that the first pass lists."""


def command(folder: Path, *words: object) -> ForkedCommand:
    """`fathom run` with one connection, on a few questions."""
    return ForkedCommand("run", *words, "--connections", 1, "--limit", QUESTIONS, "--out", folder)


class Disturbance:
    """Sends a signal to the client in the middle of one request."""

    def __init__(self, number: signal.Signals, moment: int) -> None:
        self._number = number
        self._moment = moment
        self.command: ForkedCommand | None = None
        self.asked: Counter[str] = Counter()
        """Requests, by how often each was made."""
        self.struck: list[str] = []
        """The request in flight at a kill."""

    def request(self, content: str) -> None:
        """The client sent a request, which is not answered yet."""
        self.asked[content] += 1
        if self.asked.total() == self._moment:
            self.struck += [content] if self._number == signal.SIGKILL else []
            assert self.command is not None
            self.command.signal(self._number)

    def check(self) -> None:
        """Only a request in flight at a kill was made again."""
        assert [content for content, count in self.asked.items() if count > 1] == self.struck
        assert self.asked.total() == len(self.asked) + len(self.struck)


@contextlib.contextmanager
def _model(disturbance: Disturbance) -> Iterator[Provider]:
    def reply(body: dict[str, Any]) -> Reply:
        disturbance.request(json.dumps(body["messages"]))
        steps = sum(message["role"] == "assistant" for message in body["messages"])
        if "tools" in body and steps < 4:
            return Reply("", ((f"{steps}", "find", json.dumps({"text": "the", "document": "", "skip": steps})),))
        text = "Columns: a\nOrder: 2, 1\nAnswer: 4"
        if "List the claims, without their evidence" in str(body["messages"]):
            # The last of three passes does not show the documents: other claims make its prompts differ.
            article = crc32(json.dumps(body["messages"]).encode())
            text = json.dumps({"claims": [{"quote": f"Claim {number} of {article}."} for number in range(LISTED)]})
        return Reply(text, input_tokens=10, output_tokens=2)

    with serving(Provider(reply=reply)) as provider:
        yield provider


def _responses(folder: Path) -> list[Response]:
    return list(Journal(folder / RESPONSES, Response).read())


def _check_responses(folder: Path) -> list[Response]:
    """The responses: one answer to each question."""
    found = _responses(folder)
    assert Counter(response.outcome for response in found) == {"answered": QUESTIONS}
    assert len({response.question_id for response in found}) == QUESTIONS
    return found


ENDS = {signal.SIGKILL: -signal.SIGKILL, signal.SIGINT: 130, signal.SIGTERM: 130, signal.SIGHUP: 130}
"""The exit code after each signal."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("system", "number"),
    [*((system, signal.SIGKILL) for system in SYSTEMS), *(("agent", number) for number in ENDS if ENDS[number] > 0)],
)
def test_a_run_that_is_resumed_pays_no_finished_call_again(
    tiny_bench: Path,
    claims_bench: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    system: str,
    number: signal.Signals,
) -> None:
    monkeypatch.setenv("MINE_API_KEY", KEY)
    folder = tmp_path / "run"
    disturbance = Disturbance(number, 8)
    with _model(disturbance) as provider:
        words = ["--model", "openai-api/mine/m", "--url", provider.url, "--window", "128K"]
        bench = claims_bench if system in CLAIMS else tiny_bench
        forked = disturbance.command = command(folder, bench, *words, "--system", system, *SYSTEMS[system])
        assert forked.run() == ENDS[number]
        assert (folder / UNFINISHED).exists() == (number == signal.SIGKILL), "Ctrl-C lets begun questions finish"
        assert len(_responses(folder)) < QUESTIONS
        # The call that the server saw, and those of other questions that were on their way to it.
        struck = len(disturbance.struck)
        assert struck <= len(lost_calls(folder)) <= struck * QUESTIONS
        assert main(forked.words) == 0
    disturbance.check()
    found = _check_responses(folder)
    paid = [json.loads(line) for line in (folder / SPENDING).read_text().splitlines()]
    calls = sum(step.kind == "model" for response in found for step in response.trace)
    assert len(paid) == calls == len(disturbance.asked), "the traces have each call once, whichever process made it"
    if system in CLAIMS:
        per_question = 3 if system == "three-pass" else 1 + 2 * LISTED
        assert calls == QUESTIONS * per_question
    assert sum(one["input_tokens"] for one in paid) == sum(response.usage.input_tokens for response in found) > 0
    assert not (folder / UNFINISHED).exists()


@pytest.mark.parametrize("number", ENDS)
def test_a_system_at_an_address_gets_each_question_once_or_with_the_same_id(
    tiny_bench: Path, tmp_path: Path, number: signal.Signals
) -> None:
    disturbance = Disturbance(number, 3)
    sent: dict[str, dict[str, Any]] = {}

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        disturbance.request(request["id"])
        told = {**request, "documents": [one["id"] for one in request["documents"]]}
        assert sent.setdefault(request["id"], told) == told
        return {"answer": "Answer: 4", "usage": {"input_tokens": 10, "output_tokens": 2, "price": 0.5}}

    with pipeline.serving(pipeline.Pipeline(answer)) as served:
        disturbance.command = command(tmp_path / "run", tiny_bench, "--system", served.url)
        assert disturbance.command.run() == ENDS[number]
        assert len(_responses(tmp_path / "run")) == (2 if number == signal.SIGKILL else 3)
        assert len(lost_calls(tmp_path / "run")) == len(disturbance.struck)
        assert main(disturbance.command.words) == 0
    disturbance.check()
    _check_responses(tmp_path / "run")
    spending = (tmp_path / "run" / SPENDING).read_text().splitlines()
    assert [json.loads(line)["price"] for line in spending] == [0.5] * QUESTIONS
