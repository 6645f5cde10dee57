"""JSON Lines files as streams: read line by line in constant memory, in parts that each go to a worker process."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import IO, NamedTuple, cast

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

HEAD_BYTES = 65_536
"""The beginning of a file that decides on its format."""

MAX_LINE_BYTES = 64 << 20
"""Maximum size of one line. The file itself may have any size."""

PART_BYTES = 256 << 10
"""Size of a part: a few papers, so that one file keeps all workers busy."""

MAX_UNPACKING_RATIO = 200
"""How many times larger than its compressed form a large file may be: text is below 30, a bomb at 1,000."""

MIN_BOMB_BYTES = 256 << 20
"""The ratio is not checked below this size."""


class JsonLine(NamedTuple):
    """A line that is not blank."""

    number: int
    """In the file."""
    ordinal: int
    """Among the lines that are not blank."""
    content: bytes
    cut: str = ""
    """Why the line is incomplete; then it has no content."""


@dataclass(frozen=True)
class SourceLines:
    """A part of a JSON Lines file."""

    source: str
    format: str
    lines: tuple[JsonLine, ...] = field(repr=False)

    @property
    def is_first(self) -> bool:
        """Whether it is the first part of its file."""
        return self.lines[0].ordinal == 1

    @property
    def key(self) -> str:
        """The name of the part, by which a resumed ingest knows that it is done."""
        return f"{self.source}#{self.lines[0].ordinal}"


class PeekedStream(io.RawIOBase):
    """A stream whose beginning is known before it is read. Counts the bytes that were read."""

    def __init__(self, stream: IO[bytes]) -> None:
        # Files, archive members and compressed files are all buffered streams.
        self._stream = cast(io.BufferedIOBase, stream)
        self._error: Exception | None = None
        self.bytes_read = 0
        pieces: list[bytes] = []
        missing = HEAD_BYTES
        try:
            while missing and (piece := self._stream.read1(missing)):
                pieces.append(piece)
                missing -= len(piece)
        except Exception as error:
            # Raised when the reader gets there: the bytes before the damage are good.
            self._error = error
        self.head = b"".join(pieces)
        self._rest = io.BytesIO(self.head)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self._rest.read(len(buffer))
        if not piece:
            if self._error is not None:
                raise self._error
            # Not `read`: before damage, it would lose the good bytes that it has collected.
            piece = self._stream.read1(len(buffer))
        buffer[: len(piece)] = piece
        self.bytes_read += len(piece)
        return len(piece)


class UnpackingRatioError(OSError):
    """A file unpacks to many times its size."""


class LineStream:
    """The lines of a file, and whether it is JSON Lines."""

    def __init__(self, stream: PeekedStream, packed: PeekedStream) -> None:
        """`packed` is the same file before it was decompressed, or the same stream if it is not compressed."""
        self._head = stream.head
        self._stream = stream
        self._packed = packed
        self._buffer = io.BufferedReader(stream, HEAD_BYTES)
        self._first = self._line().removeprefix(BYTE_ORDER_MARK)
        self._blank_lines = 0
        while self._first and not self._first.strip():
            self._blank_lines += 1
            self._first = self._line()
        self._next: list[bytes] = []
        self._error: Exception | None = None
        self._read_to_second_line()

    def _read_to_second_line(self) -> None:
        """Read on to the second line that is not blank: a file with a single line is not JSON Lines."""
        try:
            while len(self._first) <= MAX_LINE_BYTES and (line := self._line()):
                self._next.append(line)
                if line.strip():
                    return
        except Exception as error:
            # Raised after the first line, which is good.
            self._error = error

    def is_json_lines(self) -> bool:
        """Whether there is an object on each line, as opposed to one object over many lines."""
        if len(self._first) > MAX_LINE_BYTES:
            return True
        if self._error is None and not any(line.strip() for line in self._next):
            return False
        if _is_object(self._first):
            return True
        # Its first line is damaged. Lines of one object over many lines start with other characters.
        lines = [line for line in self._head.split(b"\n") if line.strip()]
        return len(lines) > 1 and sum(line.lstrip().startswith(b"{") for line in lines) * 2 > len(lines)

    def whole(self, max_bytes: int) -> bytes | None:
        """The content of the file from its first line that is not blank; None if it has more bytes than that."""
        if self._error is not None:
            raise self._error
        return read_up_to(self._buffer, max_bytes, self._first + b"".join(self._next))

    def lines(self) -> Iterator[JsonLine]:
        """Every line that is not blank."""
        ordinal = 0
        for number, line in enumerate(chain([self._first], self._later_lines()), self._blank_lines + 1):
            if not line.strip():
                continue
            ordinal += 1
            if len(line) > MAX_LINE_BYTES:
                self._skip_line(line)
                yield JsonLine(number, ordinal, b"", f"a line has more than {MAX_LINE_BYTES >> 20} MB")
            elif not line.endswith(b"\n") and not line.rstrip().endswith(b"}"):
                yield JsonLine(number, ordinal, b"", "its last line is cut off")
            else:
                yield JsonLine(number, ordinal, line)

    def _later_lines(self) -> Iterator[bytes]:
        yield from self._next
        if self._error is not None:
            raise self._error
        while line := self._line():
            yield line

    def _line(self) -> bytes:
        self._check_ratio()
        return self._buffer.readline(MAX_LINE_BYTES + 1)

    def _skip_line(self, start: bytes) -> None:
        while start and not start.endswith(b"\n"):
            self._check_ratio()
            start = self._buffer.readline(1 << 20)

    def _check_ratio(self) -> None:
        if self._stream.bytes_read > max(MIN_BOMB_BYTES, MAX_UNPACKING_RATIO * self._packed.bytes_read):
            raise UnpackingRatioError(f"it unpacks to more than {MAX_UNPACKING_RATIO} times its size")


def read_up_to(stream: io.BufferedIOBase, max_bytes: int, start: bytes = b"") -> bytes | None:
    """Return the start and the rest of a stream; None if together they have more than `max_bytes`."""
    content = io.BytesIO()
    content.write(start)
    # In pieces: reading the maximum at once would reserve the memory for it.
    while content.tell() <= max_bytes and (piece := stream.read(1 << 20)):
        content.write(piece)
    return content.getvalue() if content.tell() <= max_bytes else None


def _is_object(line: bytes) -> bool:
    if not line.rstrip().endswith(b"}"):
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def split(source: str, format: str, lines: Iterable[JsonLine]) -> Iterator[SourceLines]:
    """Group lines into parts. The same lines always give the same parts, which a resumed ingest relies on."""
    part: list[JsonLine] = []
    size = 0
    for line in lines:
        part.append(line)
        size += len(line.content)
        if size >= PART_BYTES:
            yield SourceLines(source, format, tuple(part))
            part, size = [], 0
    if part:
        yield SourceLines(source, format, tuple(part))
