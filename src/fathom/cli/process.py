"""The process of a command: its signals, and its output streams."""

from __future__ import annotations

import errno
import io
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def end_signals_as_interrupts() -> Iterator[None]:
    """SIGTERM and SIGHUP, which job schedulers and closed terminals send, end a command as Ctrl-C does."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    # `nohup` has a command ignore SIGHUP.
    before = {number: signal.getsignal(number) for number in numbers if signal.getsignal(number) != signal.SIG_IGN}
    for number in before:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


class _Output(io.FileIO):
    """Standard output or standard error. What nobody can read any more is dropped.

    A run that works overnight must not end because the terminal that it was started from is closed.
    """

    dropped: tuple[int, ...] = (errno.EIO,)
    """The error of a closed terminal."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            if error.errno not in self.dropped:
                raise
            return len(data)


class _Messages(_Output):
    """Standard error: nor must a run end because the reader of a pipe is gone."""

    dropped = (errno.EIO, errno.EPIPE)


def keep_writing() -> None:
    """Let the standard streams survive the end of their reader, and print any character.

    A terminal that cannot print a Chinese title shows escapes. The end of a pipe from standard output still ends the
    command, as in `fathom show ... | head`.
    """
    for name, kind in (("stdout", _Output), ("stderr", _Messages)):
        stream = getattr(sys, name)
        if not isinstance(stream, io.TextIOWrapper):
            continue
        if stream is getattr(sys, f"__{name}__") and not isinstance(getattr(stream.buffer, "raw", None), kind):
            stream.flush()
            raw = kind(stream.fileno(), "w", closefd=False)
            stream = io.TextIOWrapper(
                io.BufferedWriter(raw),
                stream.encoding,
                line_buffering=stream.line_buffering,
                write_through=stream.write_through,
            )
            setattr(sys, name, stream)
        stream.reconfigure(errors="backslashreplace")
