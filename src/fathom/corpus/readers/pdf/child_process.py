"""Extraction of a PDF's text lines in a child process, which may crash or be killed."""

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
from fathom.corpus.readers.pdf.line import Gap, Line, PageSize
from fathom.corpus.readers.pdf.line_extraction import MAX_PAGE_SECONDS, extract_as_json, limit_page_time

MAX_BYTES = 1 << 30
"""Memory limit of the child process. It needs 50 MB itself, and a page of a usual paper a few more."""
_TOO_LARGE = f"it needs more than {MAX_BYTES >> 30} GB of memory"


MAX_WALL_SECONDS = 1_800.0
"""Time for one document, against a child process that hangs. The CPU time is limited in the child, and far lower."""


@dataclass(frozen=True)
class ExtractedLines:
    """The text lines, page sizes and metadata of a PDF."""

    page_sizes: list[PageSize]
    lines: list[Line]
    """In the file's drawing order."""
    title: str
    """From the file's metadata. Often empty, sometimes wrong."""
    authors: str
    """From the file's metadata."""
    rotated_texts: list[str]
    """Text rotated by 90 degrees, such as the stamp of a preprint server."""


def extract_lines(content: bytes) -> ExtractedLines:
    """Return the lines of a PDF; raises `ReadError` if none can be extracted."""
    response = _own_process().extract(content)
    if "fault" in response:
        raise ReadError(response["fault"])
    return ExtractedLines(
        page_sizes=[PageSize(*size) for size in response["page_sizes"]],
        lines=list(map(_line, response["lines"])),
        title=response["title"],
        authors=response["authors"],
        rotated_texts=response["rotated_texts"],
    )


def _line(fields: list[Any]) -> Line:
    """Rebuild a line from JSON, where gaps are lists."""
    fields[-1] = tuple(Gap(*gap) for gap in fields[-1])
    return Line(*fields)


# The child process. A hostile file can crash pdfium, or nest drawings so that one page never ends. Checks between pages
# do not help against that, but a process can be killed from outside.


class _ExtractionProcess:
    """A child process that extracts lines, restarted after a crash."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def extract(self, content: bytes) -> dict[str, Any]:
        """Return the child's response, or a "fault" if it crashed or took too long."""
        with self._lock:
            process = self._running_process()
            timed_out = threading.Event()

            def end() -> None:
                timed_out.set()
                process.kill()

            timer = threading.Timer(MAX_WALL_SECONDS, end)
            timer.start()
            try:
                response = _exchange(process, content)
            except BaseException:
                # The response to an interrupted request would be read as that to the next one.
                self.close()
                raise
            finally:
                timer.cancel()
            if response is not None:
                result: dict[str, Any] = json.loads(response)
                return result
            status = process.wait()
            self.close()
        if timed_out.is_set():
            return {"fault": f"it took longer than {MAX_WALL_SECONDS:.0f} seconds"}
        if status == -getattr(signal, "SIGPROF", 0):
            return {"fault": f"one of its pages took longer than {MAX_PAGE_SECONDS:.0f} seconds"}
        if status == -signal.SIGABRT:  # pdfium ends its process when it gets no more memory.
            return {"fault": _TOO_LARGE}
        return {"fault": "it made the PDF library crash"}

    def _running_process(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(
                [sys.executable, "-c", "from fathom.corpus.readers.pdf.child_process import serve; serve()"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        return self._process

    def close(self) -> None:
        """Kill the process. The next request starts a new one."""
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
                    continue  # The child ended before it read all input.


def _exchange(process: subprocess.Popen[bytes], content: bytes) -> bytes | None:
    """Send a PDF and return the response; None if the child ended. Each message starts with its length in 8 bytes."""
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
    response = process.stdout.read(length)
    return response if len(response) == length else None


_processes: list[_ExtractionProcess] = []


def _own_process() -> _ExtractionProcess:
    """Return the child of the current process. A forked process must not use its parent's child."""
    if not _processes or _processes[-1].owner != os.getpid():
        _processes.append(_ExtractionProcess())
        atexit.register(_processes[-1].close)
    return _processes[-1]


def serve() -> None:
    """Answer requests until the input ends. Main function of the child process."""
    limit_memory()
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while head := _read_exactly(source, 8):
        (length,) = struct.unpack("<Q", head)
        response = json.dumps(_extract(_read_exactly(source, length))).encode()
        target.write(struct.pack("<Q", len(response)) + response)
        target.flush()


def _read_exactly(source: BinaryIO, length: int) -> bytes:
    content = source.read(length)
    if 0 < len(content) < length:
        raise EOFError("truncated request")
    return content


def limit_memory() -> None:
    """Limit the memory of this process."""
    try:
        import resource
    except ImportError:  # Windows has no such limit.
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(
        resource.RLIMIT_AS, (MAX_BYTES if hard == resource.RLIM_INFINITY else min(MAX_BYTES, hard), hard)
    )


def _extract(content: bytes) -> dict[str, Any]:
    limit_page_time()
    try:
        return extract_as_json(content)
    except ReadError as fault:
        return {"fault": str(fault)}
    except MemoryError:
        return {"fault": _TOO_LARGE}
