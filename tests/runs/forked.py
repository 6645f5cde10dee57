"""`fathom` in a process of its own that can be signaled: a fork of one that has imported the engine.

A new interpreter takes several seconds to import the engine, far longer than a small run takes.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Mapping
from multiprocessing import connection
from pathlib import Path

from fathom.cli.main import main
from tests.runs.conftest import KEY

PRELOADED = [__name__, "inspect_ai.model._providers.openai_compatible", "acp", "fastapi"]


def _call(function: Callable[..., int], arguments: tuple[object, ...]) -> None:
    os.environ["MINE_API_KEY"] = KEY
    sys.exit(function(*arguments))


class Forked:
    """A call of a function of a module; its result is the exit code."""

    def __init__(self, function: Callable[..., int], *arguments: object) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(PRELOADED)
        self._process = context.Process(target=_call, args=(function, arguments), daemon=True)

    def start(self) -> None:
        self._process.start()

    def wait(self) -> int:
        """Wait for its end; gives the exit code."""
        self._process.join(120)
        assert self._process.exitcode is not None, "it does not end"
        return self._process.exitcode

    def run(self) -> int:
        """Start it and wait for its end."""
        self.start()
        return self.wait()

    def signal(self, number: signal.Signals) -> None:
        assert self._process.pid is not None
        os.kill(self._process.pid, number)
        if number == signal.SIGKILL:
            # Another thread may be in `wait`: only one of them can read the exit code.
            connection.wait([self._process.sentinel], 120)


def _run(words: list[str], output: Path, errors: Path, environment: Mapping[str, str]) -> int:
    os.environ.update(environment)
    with (
        output.open("w") as out,
        errors.open("w") as err,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        return main(words)


class ForkedCommand(Forked):
    """A command; what it prints goes to two files beside `log`, or nowhere.

    The process that is forked may be older than the test: variables that the command needs are set by `environment`.
    """

    def __init__(self, *words: object, log: Path | None = None, environment: Mapping[str, str] | None = None) -> None:
        self._output, self._errors = (
            Path(os.devnull) if log is None else log.with_suffix(suffix) for suffix in (".out", ".err")
        )
        self.words = [str(word) for word in words]
        super().__init__(_run, self.words, self._output, self._errors, environment or {})

    @property
    def output(self) -> str:
        """What it has printed."""
        return self._output.read_text()

    @property
    def errors(self) -> str:
        """What it has printed to the error stream."""
        return self._errors.read_text()
