"""`fathom` in a process of its own that signals itself at a defined point: a signal from outside may come too late."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping

_PROGRAM = """
import importlib, json, os, sys
from fathom.cli.main import run

def find(path):
    module, names = path.split(":")
    *owners, name = names.split(".")
    owner = importlib.import_module(module)
    for each in owners:
        owner = getattr(owner, each)
    return owner, name

function, wanted, number, values = json.loads(sys.argv.pop(1))
for path, value in values.items():
    setattr(*find(path), value)
owner, name = find(function)
original, calls = getattr(owner, name), []

def call_and_signal(*args, **options):
    result = original(*args, **options)
    calls.append(result)
    if len(calls) == wanted:
        # Like a terminal, an interrupt reaches the whole group; a kill hits this process alone.
        os.kill(os.getpid() if number == 9 else 0, number)
    return result

setattr(owner, name, call_and_signal)
run()
"""


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
    about = json.dumps([function, calls, int(number), dict(values or {})])
    return subprocess.run(
        [sys.executable, "-c", _PROGRAM, about, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        start_new_session=True,
    )
