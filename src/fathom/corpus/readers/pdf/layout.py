"""The lines of a PDF with their places and sizes, read in a process of its own that may crash or be ended."""

from __future__ import annotations

import atexit
import json
import os
import signal
import struct
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import Any, BinaryIO

from fathom.corpus.readers.parsed_document import ReadError
from fathom.corpus.readers.pdf.characters import PAGE_SECONDS, SECONDS, Gap, Line, Sheet, limit_time, read_pages

BYTES = 4 << 30
"""Memory that the reading process may take."""


@dataclass(frozen=True)
class Layout:
    sheets: list[Sheet]
    lines: list[Line]
    """In the order in which the file draws them."""
    title: str
    """What the file itself says in its properties; often empty, sometimes wrong."""
    authors: str
    stamps: list[str]
    """What stands turned by ninety degrees: the stamp of a preprint server."""


def layout(content: bytes) -> Layout:
    """The lines of a document; raises `ReadError` where there are none to be had."""
    answer = _child().ask(content)
    if "fault" in answer:
        raise ReadError(answer["fault"])
    return Layout(
        sheets=[Sheet(*sheet) for sheet in answer["sheets"]],
        lines=list(map(_line, answer["lines"])),
        title=answer["title"],
        authors=answer["authors"],
        stamps=answer["stamps"],
    )


def _line(fields: list[Any]) -> Line:
    """A line as it came over; its gaps came as lists."""
    fields[-1] = tuple(Gap(*gap) for gap in fields[-1])
    return Line(*fields)


# The process that reads. A hostile file can make the library crash, or nest drawings so that one page never ends:
# no check between pages helps against that, but a process can be ended from outside.


class _Child:
    def __init__(self) -> None:
        self.owner = os.getpid()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, content: bytes) -> dict[str, Any]:
        """What the process answers; a fault where it does not."""
        with self._lock:
            process = self._started()
            late = threading.Event()

            def end() -> None:
                late.set()
                process.kill()

            timer = threading.Timer(SECONDS, end)
            timer.start()
            try:
                answer = _exchange(process, content)
            except BaseException:
                # Whoever broke it off would leave an answer behind, to be taken for that of the next document.
                self.close()
                raise
            finally:
                timer.cancel()
            if answer is not None:
                found: dict[str, Any] = json.loads(answer)
                return found
            status = process.wait()
            self.close()
        if late.is_set():
            return {"fault": f"it took longer than {SECONDS:.0f} seconds"}
        if status == -getattr(signal, "SIGPROF", 0):
            return {"fault": f"one of its pages took longer than {PAGE_SECONDS:.0f} seconds"}
        return {"fault": "it made the PDF library crash"}

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(
                [sys.executable, "-c", "from fathom.corpus.readers.pdf.layout import serve; serve()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        return self._process

    def close(self) -> None:
        """End the process; the next question starts another."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue  # What was still to be written has no reader any more.


def _exchange(process: subprocess.Popen[bytes], content: bytes) -> bytes | None:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(struct.pack("<Q", len(content)))
        process.stdin.write(content)
        process.stdin.flush()
    except (BrokenPipeError, OSError):
        return None
    head = process.stdout.read(8)
    if len(head) < 8:
        return None
    (length,) = struct.unpack("<Q", head)
    answer = process.stdout.read(length)
    return answer if len(answer) == length else None


_children: list[_Child] = []


def _child() -> _Child:
    """This process's own reader: one inherited from the process it was forked from serves that one."""
    if not _children or _children[-1].owner != os.getpid():
        _children.append(_Child())
        atexit.register(_children[-1].close)
    return _children[-1]


def serve() -> None:
    """Answer documents until the input ends: the reading process's main function."""
    _limit_memory()
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while head := _exactly(source, 8):
        (length,) = struct.unpack("<Q", head)
        answer = json.dumps(_answer(_exactly(source, length))).encode()
        target.write(struct.pack("<Q", len(answer)) + answer)
        target.flush()


def _exactly(source: BinaryIO, length: int) -> bytes:
    content = source.read(length)
    if 0 < len(content) < length:
        raise EOFError("the question ends too early")
    return content


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limit.
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (BYTES if hard == resource.RLIM_INFINITY else min(BYTES, hard), hard))


def _answer(content: bytes) -> dict[str, Any]:
    limit_time()
    try:
        return read_pages(content)
    except ReadError as fault:
        return {"fault": str(fault)}
    except MemoryError:
        return {"fault": "it needs more memory than one document may take"}
