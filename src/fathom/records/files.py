"""Files of records: streamed, appended so that a kill loses at most one line, or replaced atomically.

Lines that are not meant to be edited end with a checksum, which is verified when they are read.
"""

from __future__ import annotations

import errno
import fcntl
import glob
import hashlib
import os
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Generic, Self, TypeVar, overload
from weakref import finalize

from pydantic import ValidationError

from fathom.records.errors import FathomError, file_errors
from fathom.records.record import Record, first_error

K = TypeVar("K")
R = TypeVar("R", bound=Record)


def read_records(path: Path, kind: type[R]) -> Iterator[R]:
    """The records of a finished file, one at a time; an invalid line is an error with its number."""
    with file_errors("read", path), path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            yield _read_line(path, number, line, kind)


def _read_line(path: Path, number: int, line: bytes, kind: type[R]) -> R:
    if not line.endswith(b"\n"):
        raise FathomError(
            f"'{path}' is truncated in line {number}: its last line has no newline. "
            "Run the command that wrote it again, or restore a copy."
        )
    try:
        return kind.from_line(verified_line(path, number, line))
    except ValidationError as error:
        if _CHECKSUM_NAME in line:  # written again by another program
            raise _changed_line(path, number) from error
        raise FathomError(
            f"Line {number} of '{path}' is not a valid {kind.__name__.lower()}: {first_error(error)}. "
            "Correct the line, or create the file again."
        ) from error


class RecordFile(Generic[R]):
    """A file whose records are read by their positions; it stays open, since opening takes longer than reading."""

    def __init__(self, path: Path, kind: type[R]) -> None:
        self._path = path
        self._kind = kind
        self._file: BinaryIO | None = None

    def open(self) -> None:
        """Open the file now: even if another one replaces it, its records can be read."""
        if self._file is None:
            with file_errors("read", self._path):
                self._file = self._path.open("rb")
            finalize(self, self._file.close)

    def at(self, position: int) -> R:
        """The record whose line begins at this position."""
        self.open()
        assert self._file is not None
        with file_errors("read", self._path):
            self._file.seek(position)
            line = self._file.readline()
            try:
                return self._kind.from_line(verified_line(self._path, 0, line))
            except (ValidationError, FathomError):
                self._file.seek(0)
                number = self._file.read(position).count(b"\n") + 1
                return _read_line(self._path, number, line, self._kind)  # raises the error that names the line


class StoredSequence(Sequence[R]):
    """Records of a file, each read when it is used: only their positions are in memory."""

    def __init__(self, path: Path, kind: type[R], positions: array[int]) -> None:
        self._file = RecordFile(path, kind)
        self._file.open()
        self._positions = positions

    def __len__(self) -> int:
        return len(self._positions)

    @overload
    def __getitem__(self, index: int) -> R: ...
    @overload
    def __getitem__(self, index: slice) -> list[R]: ...
    def __getitem__(self, index: int | slice) -> R | list[R]:
        if isinstance(index, slice):
            return [self._file.at(position) for position in self._positions[index]]
        return self._file.at(self._positions[index])

    def __iter__(self) -> Iterator[R]:
        return map(self._file.at, self._positions)


class StoredMapping(Mapping[K, R]):
    """Records of a file by name, each read when it is used: only their positions are in memory."""

    def __init__(self, path: Path, kind: type[R], positions: Mapping[K, int]) -> None:
        self._file = RecordFile(path, kind)
        self.positions = positions

    def __getitem__(self, name: K) -> R:
        return self._file.at(self.positions[name])

    def __contains__(self, name: object) -> bool:
        return name in self.positions

    def __iter__(self) -> Iterator[K]:
        return iter(self.positions)

    def __len__(self) -> int:
        return len(self.positions)


_CHECKSUM_NAME = b'"crc32"'
_CHECKSUM = b',%s:"' % _CHECKSUM_NAME
"""The text before the checksum, the last field of a line. Quotes in texts are escaped, so no text contains it."""


def line_with_checksum(record: Record) -> bytes:
    """A record as a line that ends with the checksum of the line without it."""
    line = record.to_line()
    return b'%s%s%08x"}\n' % (line[:-2], _CHECKSUM, zlib.crc32(line))


def verified_line(path: Path, number: int, line: bytes) -> bytes:
    """The line without its checksum; an error if it does not match. Lines without one are read as they are."""
    body, mark, checksum = line.rpartition(_CHECKSUM)
    if not mark and b'"crc32"' not in line[-40:]:
        return line
    body += b"}\n"
    if checksum != b'%08x"}\n' % zlib.crc32(body):
        raise _changed_line(path, number)
    return body


def _changed_line(path: Path, number: int) -> FathomError:
    return FathomError(
        f"Line {number} of '{path}' was changed or damaged after it was written: its checksum does not match. "
        "Restore a copy, or remove the field 'crc32' if you changed the line yourself."
    )


@contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """A new file that replaces `path` only when it is complete and on disk; until then the old one stays."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with file_errors("write", path), draft.open("wb") as file:
            # After opening: an unfinished folder always contains a draft by which it is recognized.
            _remove_stale_drafts(path)
            yield file
            file.flush()
            os.fsync(file.fileno())
            draft.replace(path)  # While open: a lock on it lasts until it has its final name.
    finally:
        # A folder that cannot be written cannot be cleaned up either; the error was raised already.
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _remove_stale_drafts(path: Path) -> None:
    """Remove the drafts of killed processes that were writing `path`."""
    for draft in path.parent.glob(f".{glob.escape(path.name)}.*.part"):
        number = draft.name.split(".")[-2]
        if number.isdigit() and not _is_alive(int(number)):
            with suppress(OSError):
                draft.unlink()


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def file_hash(path: Path) -> str:
    """A hash of the bytes of a file."""
    with file_errors("read", path), path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def write_json(path: Path, record: Record, checksum: bool = False) -> None:
    """Write a record as a JSON file, on request with a checksum that `verified_json` verifies."""
    content = pretty_json(record)
    if checksum:
        content = b'%s,\n  %s: "%08x"\n}\n' % (content[:-3], _CHECKSUM_NAME, zlib.crc32(content))
    with atomic_write(path) as file:
        file.write(content)


def verified_json(path: Path, content: bytes) -> bytes:
    """The content of a JSON file without its checksum; an error if it does not match. One without is read as it is."""
    body, mark, checksum = content.rpartition(b",\n  %s: " % _CHECKSUM_NAME)
    if not mark and _CHECKSUM_NAME not in content[-40:]:
        return content
    body += b"\n}\n"
    if checksum != b'"%08x"\n}\n' % zlib.crc32(body):
        raise FathomError(
            f"'{path}' was changed or damaged after it was written: its checksum does not match. "
            "Restore a copy, or remove the field 'crc32' if you changed the file yourself."
        )
    return body


def pretty_json(record: Record) -> bytes:
    """A record as indented JSON, for people to read."""
    return record.model_dump_json(indent=2).encode() + b"\n"


def write_records(path: Path, records: Iterable[R], checksums: bool = False) -> array[int]:
    """Write all records to `path`, or nothing; returns their positions in the file."""
    positions = array("q")
    with atomic_write(path) as file:
        position = 0
        for record in records:
            positions.append(position)
            position += file.write(line_with_checksum(record) if checksums else record.to_line())
    return positions


class Journal(Generic[R]):
    """A file of records that is appended line by line and survives a kill at any moment.

    Each record is one system write, so a killed process leaves at most one torn line; opening the journal again
    removes it. Only one process can have it open.
    """

    def __init__(self, path: Path, kind: type[R]) -> None:
        self.path = path
        self._kind = kind
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        with file_errors("write", self.path):
            self._file = self.path.open("ab+", buffering=0)
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                self._file.close()
                raise FathomError(
                    f"Cannot write '{self.path}': another process is writing it. Wait until it ends, then try again."
                ) from error
            _cut_torn_line(self._file)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def append(self, record: R) -> None:
        """Append one record; when this returns, a kill no longer loses it."""
        if self._file is None:
            raise RuntimeError("a journal must be opened with `with`")
        line = line_with_checksum(record)
        with file_errors("write", self.path):
            end = self._file.seek(0, os.SEEK_END)
            written = self._file.write(line)
            if written != len(line):
                # A nearly full disk takes part of a line: remove it, so that the file stays valid.
                self._file.truncate(end)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def count_lines(self) -> int:
        """The number of whole lines in the file."""
        with file_errors("read", self.path), self.path.open("rb") as file:
            return sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 20), b""))

    def read(self) -> Iterator[R]:
        """The records so far; a torn last line is skipped, since opening to append will remove it."""
        return (record for _, record in self.read_positions())

    def read_positions(self) -> Iterator[tuple[int, R]]:
        """The records so far, each with its position in the file."""
        if not self.path.exists():
            return
        position = 0
        with file_errors("read", self.path), self.path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.endswith(b"\n"):
                    yield position, _read_line(self.path, number, line, self._kind)
                position += len(line)


def is_locked(path: Path) -> bool:
    """Whether a process has the journal open for writing."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _cut_torn_line(file: BinaryIO) -> None:
    """Remove everything after the last newline. Reads backwards, so the time does not depend on the file's length."""
    end = file.seek(0, os.SEEK_END)
    position = end
    while position > 0:
        start = max(0, position - 65536)
        file.seek(start)
        newline = file.read(position - start).rfind(b"\n")
        if newline >= 0:
            if start + newline + 1 < end:
                file.truncate(start + newline + 1)
            return
        position = start
    if end:
        file.truncate(0)
