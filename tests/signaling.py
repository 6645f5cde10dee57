"""Processes that signal themselves at a defined point: a signal from outside may come too late.

Each is a fork of the test process, which saves the start of an interpreter and all imports.
"""

from __future__ import annotations

import importlib
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fathom.cli.main import main


def forked(work: Callable[[], int | None]) -> subprocess.CompletedProcess[str]:
    """Run `work` in a process and a session of its own; what it returns is the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        printed = [Path(folder, name) for name in ("out", "err")]
        process = multiprocessing.get_context("fork").Process(target=_child, args=(work, *printed))
        process.start()
        process.join(300)
        assert process.exitcode is not None, "it does not end"
        return subprocess.CompletedProcess([], process.exitcode, *(path.read_text() for path in printed))


def _child(work: Callable[[], int | None], out: Path, err: Path) -> None:
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with out.open("w") as printed, err.open("w") as errors:
        os.dup2(printed.fileno(), 1)  # for worker processes
        os.dup2(errors.fileno(), 2)
        sys.stdout, sys.stderr = printed, errors
        sys.exit(work())


def run_until(
    function: str,
    calls: int,
    *words: object,
    number: signal.Signals = signal.SIGKILL,
    values: Mapping[str, object] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command that signals itself when the n-th call of `function` returns.

    `function` and the keys of `values`, which are set before, are written "package.module:Class.name".
    """

    def work() -> int:
        for path, value in (values or {}).items():
            setattr(*_find(path), value)
        owner, name = _find(function)
        original, results = getattr(owner, name), list[object]()

        def call_and_signal(*args: Any, **options: Any) -> object:
            results.append(original(*args, **options))
            if len(results) == calls:
                # Like a terminal, an interrupt reaches the whole group; a kill hits this process alone.
                os.kill(os.getpid() if number == signal.SIGKILL else 0, number)
            return results[-1]

        setattr(owner, name, call_and_signal)
        return main([str(word) for word in words])

    return forked(work)


def _find(path: str) -> tuple[Any, str]:
    """The module or class, and the name in it."""
    module, names = path.split(":")
    *owners, name = names.split(".")
    owner: Any = importlib.import_module(module)
    for each in owners:
        owner = getattr(owner, each)
    return owner, name
