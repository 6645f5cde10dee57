"""The `fathom` command inside the test process, which saves a second per call."""

from __future__ import annotations

import io
import subprocess
from contextlib import redirect_stderr, redirect_stdout

from fathom.cli.main import main


def run_command(*words: object, merged: bool = False) -> subprocess.CompletedProcess[str]:
    """The exit code and the output of a command; `merged` puts errors into the output, as a terminal does."""
    arguments = [str(word) for word in words]
    out, err = _stream(), _stream()
    with redirect_stdout(out), redirect_stderr(out if merged else err):
        try:
            code = main(arguments)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    return subprocess.CompletedProcess(arguments, code, _text(out), _text(err))


def _stream() -> io.TextIOWrapper:
    """A stream that takes bytes as well, as a terminal does."""
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
