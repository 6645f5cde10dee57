"""An endpoint that stops answering: requests pause together, one at a time tries, and the run stops in the end."""

from __future__ import annotations

import socket
import time
from itertools import count
from pathlib import Path

import anyio
import pytest

from fathom.models.prompts import Message, Prompt
from fathom.records.questions import Usage
from fathom.runs.engine_model import EngineModel
from fathom.runs.folder import lost_calls, read_end, read_responses
from fathom.runs.model_caller import Attempts
from fathom.runs.outages import FAILURES, OutageError, Outages
from fathom.runs.request_limits import Budget
from fathom.runs.run import RunLimits
from fathom.runs.sent_calls import CallMark, SentCall
from tests.runs.conftest import Ask
from tests.serving import Provider, serving


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def notices() -> list[str]:
    return []


@pytest.fixture
def outages(clock: Clock, notices: list[str]) -> Outages:
    return Outages(60.0, 0.0, notices.append, clock)


def fail(outages: Outages, times: int) -> None:
    for attempt in range(times):
        outages.failed(attempt, outages._clock(), "ConnectError")


def test_a_few_failures_are_no_outage(outages: Outages, notices: list[str]) -> None:
    fail(outages, FAILURES - 1)
    outages.answered()
    fail(outages, FAILURES - 1)
    anyio.run(outages.admit)
    assert not outages.is_down
    assert notices == []


def test_a_request_that_times_out_again_and_again_is_no_outage(outages: Outages) -> None:
    for _ in range(10):
        outages.failed("the same call", 0.0, "AttemptTimeoutError")
    assert not outages.is_down


def test_while_the_endpoint_is_down_one_request_at_a_time_is_sent(outages: Outages, notices: list[str]) -> None:
    in_flight = most = sent = 0

    async def ask() -> None:
        nonlocal in_flight, most, sent
        await outages.admit()
        in_flight += 1
        most, sent = max(most, in_flight), sent + 1
        await anyio.sleep(0.001)
        in_flight -= 1
        if sent < 4:
            outages.failed(object(), 0.0, "ConnectError")
            await ask()
        else:
            outages.answered()

    async def run() -> None:
        fail(outages, FAILURES)
        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(ask)
            await anyio.sleep(0)
            assert most <= 1

    anyio.run(run)
    assert sent == 8 + 3
    assert [notice.split(" (")[0] for notice in notices] == [
        "the endpoint is not responding",
        "the endpoint answers again after 0 s; the run goes on",
    ]


def test_after_too_long_all_requests_end(outages: Outages, clock: Clock) -> None:
    fail(outages, FAILURES)
    clock.now = 61.0
    outages.failed("probe", 60.0, "ConnectError")
    with pytest.raises(OutageError, match="not answered for 61 s"):
        anyio.run(outages.admit)


def test_a_run_that_is_stopped_does_not_wait(outages: Outages) -> None:
    fail(outages, FAILURES)
    outages.stop_waiting("interrupted")
    with pytest.raises(OutageError, match="interrupted"):
        anyio.run(outages.admit)


def test_requests_that_were_in_flight_begin_no_more_probes(outages: Outages, clock: Clock) -> None:
    """Eight connections that broke at once began eight probes at a time."""
    sent = 0

    async def ask() -> None:
        nonlocal sent
        await outages.admit()
        sent += 1

    async def run() -> None:
        fail(outages, FAILURES)
        async with anyio.create_task_group() as group:
            for _ in range(8):
                group.start_soon(ask)
            await anyio.sleep(0.001)
            for late in range(5):
                outages.failed(("late", late), -1.0, "ConnectError")
                await anyio.sleep(0.001)
            await anyio.sleep(0.1)
            for late in range(5):
                outages.failed(("later", late), -1.0, "ConnectError")
                await anyio.sleep(0.001)
            await anyio.sleep(0.1)
            assert sent == 1
            outages.answered()

    anyio.run(run)
    assert sent == 8


def test_an_endpoint_that_dies_after_the_run_was_stopped_is_not_waited_for(outages: Outages) -> None:
    outages.stop_waiting("interrupted")
    anyio.run(outages.admit)  # requests in flight are finished
    fail(outages, FAILURES)
    with pytest.raises(OutageError, match="interrupted"):
        anyio.run(outages.admit)


def test_a_run_that_is_stopped_sends_no_probe() -> None:
    down = Outages(120.0, backoff=15.0, notify=lambda text: None)

    async def probe() -> None:
        with pytest.raises(OutageError, match="interrupted"):
            await down.admit()

    async def run() -> None:
        fail(down, FAILURES)
        with anyio.fail_after(10):
            async with anyio.create_task_group() as group:
                group.start_soon(probe)
                await anyio.sleep(0.01)
                down.stop_waiting("interrupted")

    anyio.run(run)


def test_a_run_goes_on_when_the_endpoint_answers_again(
    ask: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(Provider(fault=lambda number, prompt: "503" if 5 < number <= 20 else "")) as provider:
        assert ask(provider, "--retries", 4, "--backoff", 0.01) == 0
    assert set(provider.seen.values()) == {1}
    assert len(read_responses(tmp_path / "run")) == 30
    said = capsys.readouterr().err
    assert "fathom: the endpoint is not responding" in said
    assert "answers again" in said


def test_a_dead_endpoint_stops_the_run_without_an_error_response(
    ask: Ask, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(Provider(fault=lambda number, prompt: "503" if number > 8 else "")) as provider:
        assert ask(provider, "--max-outage", 0.3) == 1
        shown = capsys.readouterr().out
        assert "stopped: the endpoint has not answered for" in shown
        assert "run the same command again" in shown
        responses = read_responses(tmp_path / "run").values()
        assert 0 < len(responses) <= 8
        assert {response.outcome for response in responses} == {"answered"}
        end = read_end(tmp_path / "run")
        assert end is not None
        assert "not answered" in str(end.stopped)
        provider.fault = lambda number, prompt: ""
        assert ask(provider) == 0
    assert set(provider.seen.values()) == {1}


def test_refused_connections_are_an_outage(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine loses the cause of the client's error, so that a dead endpoint looked like one that answers errors."""
    from inspect_ai.model import get_model

    monkeypatch.setenv("MINE_API_KEY", "none")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
    limits = RunLimits(retries=1, backoff=0.01, max_outage=0.0)
    model = EngineModel(get_model("openai-api/mine/m", base_url=address, memoize=False), str, limits)

    sent: list[SentCall] = []

    async def ask_three_times() -> None:
        async with anyio.create_task_group() as tasks:
            for _ in range(3):
                attempts = Attempts(CallMark(sent.append, count(1), Usage()), Budget(None), None)
                tasks.start_soon(model.complete, Prompt((Message("user", ("?",)),)), lambda: None, attempts)

    with pytest.raises(ExceptionGroup) as raised:
        anyio.run(ask_three_times)
    assert raised.group_contains(OutageError)
    ended = [call.ended for call in sent]
    assert ended.count(True) == ended.count(False) > 0, "an attempt that failed is not in flight"


@pytest.mark.parametrize(
    ("fault", "lost"),
    [("half a stream", 6), ("quiet end", 6), ("silence", 6), ("502", 6), ("503", 0), ("429", 0), ("500", 0)],
)
def test_calls_that_break_off_may_have_been_paid(ask: Ask, tmp_path: Path, fault: str, lost: int) -> None:
    """A provider bills what it has read and written, even if the answer never arrives."""
    timeout = 3 if fault == "silence" else 60
    faults = Provider(fault=lambda number, prompt: fault if number % 5 == 0 and number <= 30 else "", silence=6)
    with serving(faults) as provider:
        assert ask(provider, "--retries", 4, "--timeout", timeout, "--connections", 2) == 0
    assert len(lost_calls(tmp_path / "run")) == lost


def test_a_rate_limit_is_retried_when_the_server_says(ask: Ask) -> None:
    came: list[float] = []

    def fault(number: int, prompt: str) -> str:
        came.append(time.monotonic())
        return "429 after 1.5" if number == 1 else ""

    with serving(Provider(fault=fault)) as provider:
        assert ask(provider, "--limit", 1) == 0  # with a backoff of 0.05 s
    assert came[1] - came[0] >= 1.5
