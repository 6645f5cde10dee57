"""Signals to a run that waits for its endpoint, and a run whose terminal is closed."""

from __future__ import annotations

import os
import signal
import sys
import termios
import threading
from collections import Counter
from itertools import count
from pathlib import Path

import pytest

from fathom.cli.main import main
from fathom.runs.folder import lost_calls, read_end, read_responses
from tests.runs.conftest import KEY
from tests.runs.forked import Forked, ForkedCommand
from tests.serving import Provider, serving

ANSWERED = 5
FAULTS = {"429 after 60": 2, "500": 5, "503": 5}
"""Faults of all requests after the first ones, and after how many of them the signal arrives: with two connections, two
requests wait for a minute after a rate limit, and the others are repeated all the time."""


def _command(bench: Path, provider: Provider, out: Path, *words: object) -> ForkedCommand:
    usual = ["run", bench, "--model", "openai-api/mine/m", "--url", provider.url, "--window", "128K", "--out", out]
    return ForkedCommand(*usual, "--connections", 2, *words, log=out)


@pytest.mark.parametrize(
    ("fault", "number"), list(zip(FAULTS, [signal.SIGTERM, signal.SIGINT, signal.SIGHUP], strict=True)), ids=str
)
def test_a_run_that_is_to_stop_does_not_wait_for_retries(
    tiny_bench: Path, tmp_path: Path, fault: str, number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE_API_KEY", KEY)
    running: list[ForkedCommand] = []

    def fault_of(request: int, prompt: str) -> str:
        if request == ANSWERED + FAULTS[fault]:
            threading.Timer(0.3, lambda: running[0].signal(number)).start()
        return fault if request > ANSWERED else ""

    with serving(Provider(fault=fault_of)) as provider:
        process = _command(tiny_bench, provider, tmp_path / "run", "--retries", 20, "--backoff", 0.3)
        running.append(process)
        assert process.run() == 130, process.errors
        name = "Ctrl-C" if number == signal.SIGINT else number.name
        assert f"stopped: interrupted by {name}" in process.output
        assert "Traceback" not in process.errors
        found = read_responses(tmp_path / "run").values()
        assert Counter(one.outcome for one in found) == {"answered": ANSWERED}, (
            "what was not answered is asked next time"
        )
        assert not lost_calls(tmp_path / "run"), "the server has answered each request with an error"
        provider.fault = lambda request, prompt: ""
        assert main(process.words) == 0
    assert len(read_responses(tmp_path / "run")) == 30
    assert set(provider.seen.values()) == {1}


def test_a_run_that_is_to_stop_does_not_wait_for_its_pace(tiny_bench: Path, tmp_path: Path) -> None:
    running: list[ForkedCommand] = []

    def response(prompt: str) -> str:
        threading.Timer(0.5, lambda: running[0].signal(signal.SIGTERM)).start()
        return "Answer: 1"

    with serving(Provider(response)) as provider:
        running.append(_command(tiny_bench, provider, tmp_path / "run", "--requests-per-minute", 1))
        assert running[0].run() == 130, running[0].errors
    assert len(read_responses(tmp_path / "run")) == len(provider.prompts) == 1


def _on_terminal(name: str, words: list[str]) -> int:
    """Run a command on this terminal, which becomes its controlling one."""
    os.setsid()
    terminal = os.open(name, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(terminal, stream)
    sys.stdout = sys.__stdout__ = os.fdopen(1, "w", closefd=False)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = os.fdopen(2, "w", closefd=False)  # type: ignore[misc]
    return main(words)


@pytest.mark.parametrize("hangs_up", [True, False])
def test_a_run_survives_the_end_of_its_terminal(tiny_bench: Path, tmp_path: Path, hangs_up: bool) -> None:
    """The requests in flight are finished; a run that ignores the hangup, as with `nohup` or `disown`, goes on."""
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (40, 120))
    name, numbers = os.ttyname(theirs), count(1)
    reader = threading.Thread(target=_read_all, args=(ours, closing := threading.Event()))

    def response(prompt: str) -> str:
        if next(numbers) == 5:
            closing.set()
            reader.join()
        return "Answer: 1"

    with serving(Provider(response, seconds=0.1)) as provider:
        words = [str(word) for word in _command(tiny_bench, provider, tmp_path / "run").words]
        process = Forked(_on_terminal if hangs_up else _on_foreign_terminal, name, words)
        reader.start()
        code = process.run()
    os.close(theirs)
    end = read_end(tmp_path / "run")
    assert end is not None
    kept = read_responses(tmp_path / "run")
    if hangs_up:
        assert (code, end.stopped) == (130, "interrupted by SIGHUP")
        assert 5 <= len(kept) <= 7
    else:
        assert (code, end.stopped) == (0, None)
        assert len(kept) == 30
    assert not lost_calls(tmp_path / "run")


def _on_foreign_terminal(name: str, words: list[str]) -> int:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    return _on_terminal(name, words)


def _read_all(terminal: int, closing: threading.Event) -> None:
    """Read what a terminal shows until it is to be closed."""
    os.set_blocking(terminal, False)
    while not closing.wait(0.02):
        try:
            os.read(terminal, 100_000)
        except BlockingIOError:
            continue
    os.close(terminal)


def test_a_judge_that_is_to_stop_says_so_and_resumes(
    small_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE_API_KEY", KEY)
    bench, folder, running = tmp_path / "bench", tmp_path / "run", list[ForkedCommand]()
    built = ("build", "puzzles", small_folder, "--items", 16, "--per-document", 2, "--out", bench)
    ran = ("run", bench, "--model", "sim/oracle", "--prompting", "cot", "--out", folder)
    assert [main([str(word) for word in words]) for words in (built, ran)] == [0, 0]
    count_from = count(1)

    def response(prompt: str) -> str:
        if next(count_from) == 2:
            running[0].signal(signal.SIGTERM)
        return "The response states it.\nPASS"

    with serving(Provider(response, seconds=0.3)) as provider:
        monkeypatch.setenv("MINE_BASE_URL", provider.url)
        words = ("score", folder, "--judge", "openai-api/mine/m")
        environment = {"MINE_BASE_URL": provider.url}
        running.append(ForkedCommand(*words, log=tmp_path / "first", environment=environment))
        assert running[0].run() == 130
        assert "the judge stopped: interrupted by SIGTERM. Run the same command again" in running[0].errors
        assert not running[0].output, "scores that lack judgments are not shown"
        asked = len(provider.prompts)
        assert main([str(word) for word in words]) == 0
    assert asked < len(provider.prompts) == len(set(provider.prompts))
