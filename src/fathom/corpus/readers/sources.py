"""Files in folders and archives as one stream. Nothing is unpacked to disk, and no file outside them is opened.

A file is read as a whole, up to a maximum size. JSON Lines files of any size are read in parts.
"""

from __future__ import annotations

import gzip
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, cast

from fathom.corpus.readers.catalog import bare_name, line_reader_of, reader_of
from fathom.corpus.readers.file_kinds import may_describe
from fathom.corpus.readers.json_lines import (
    JsonLine,
    LineStream,
    PeekedStream,
    SourceLines,
    UnpackingRatioError,
    read_up_to,
    split,
)
from fathom.records.errors import FathomError, os_error

MAX_FILE_BYTES = 256 * 1024 * 1024
"""Maximum size of one file that is not JSON Lines, both as declared and as unpacked."""

COMPANION_SUFFIXES = frozenset((".bib", ".bbl", ".tex", ".yml", ".yaml", ".inc"))
"""Suffixes of files that a document may use: its bibliography, its included parts."""

MAX_ARCHIVE_COMPANION_BYTES = 64 * 1024 * 1024
"""Maximum size of the companion files kept for one archive."""

MAX_DOCUMENT_COMPANION_BYTES = 8 * 1024 * 1024
"""Maximum size of the companion files sent with one document to a worker process."""


_TAR = re.compile(r"\.(tar(\.(gz|xz|bz2))?|tgz|txz|tbz2?)$")


@dataclass(frozen=True)
class ArchiveCompanions:
    """The companion files of a document in an archive. Names are paths inside the archive."""

    folder: PurePosixPath
    files: dict[str, bytes] = field(repr=False)

    def get(self, name: str) -> bytes | None:
        """Return a file in the document's folder or below it."""
        path = _path_inside(self.folder / name)
        return self.files.get(path) if path is not None and _is_below(path, self.folder) else None

    def names(self) -> list[str]:
        return sorted(PurePosixPath(name).name for name in self.files if PurePosixPath(name).parent == self.folder)


@dataclass(frozen=True)
class FolderCompanions:
    """The files in a document's folder on disk, and nothing outside it."""

    folder: Path

    def get(self, name: str) -> bytes | None:
        """Return a file in the folder or below it."""
        try:
            root = self.folder.resolve()
            path = (root / name).resolve()
            if not path.is_relative_to(root) or not path.is_file() or path.stat().st_size > MAX_FILE_BYTES:
                return None
            return path.read_bytes()
        except (OSError, ValueError):
            # An invalid name or an unreadable file counts as missing.
            return None

    def names(self) -> list[str]:
        try:
            return sorted(entry.name for entry in self.folder.iterdir() if entry.is_file())
        except OSError:
            return []


@dataclass(frozen=True)
class SourceFile:
    """A file with its content, or the reason why it has none."""

    source: str
    """Path, followed by "!" and the member's name for an archive."""
    content: bytes = field(default=b"", repr=False)
    companions: ArchiveCompanions | FolderCompanions | None = None
    refusal: str = ""
    """Why it, or the rest of it, cannot be read: it is damaged or too large. Empty if it was read."""
    unread_kind: str = ""
    """The kind of a file that is not opened, such as a symbolic link."""
    siblings: tuple[str, ...] = ()
    """Names of files and folders beside it, for a file that may describe them."""

    @property
    def key(self) -> str:
        """The name by which a resumed ingest knows that the file is done."""
        return self.source


Source = SourceFile | SourceLines
"""A file, or a part of one."""


def check_exist(paths: Sequence[Path]) -> None:
    """Raise an error for a source that does not exist."""
    for path in paths:
        if not path.exists():
            raise FathomError(f"'{path}' does not exist. Check the path.")


def source_files(paths: Sequence[Path], results: Path | None = None) -> Iterator[Source]:
    """Yield every file in some files, folders and archives, in a fixed order, but none of the folder `results`."""
    check_exist(paths)
    for path in paths:
        yield from _folder(path, results and results.resolve()) if path.is_dir() else _file(path, _Neighbors())


def _folder(folder: Path, results: Path | None) -> Iterator[Source]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise os_error("read the folder", folder, error) from error
    has_corpus = any(_STORE.fullmatch(entry.name) for entry in entries)
    neighbors = _Neighbors()
    for entry in entries:
        neighbors.add(entry.name, entry.is_dir())
    for entry in entries:
        if entry.name.startswith(".") or _STAGING.search(entry.name):
            continue
        if has_corpus and (_STORE.fullmatch(entry.name) or entry.name in _CORPUS_FILES):
            continue
        if entry.is_symlink():
            # It may lead out of the folder or into a cycle.
            yield SourceFile(printable_name(str(entry)), unread_kind="symbolic link")
        elif entry.is_dir():
            if results is None or entry.resolve() != results:
                yield from _folder(entry, results)
        elif entry.is_file():
            yield from _file(entry, neighbors)


# The files of a corpus in the folder, such as the one that is being written, are not sources.
_STORE = re.compile(r"corpus\.sqlite(?:\.part)?(?:-\w+)?")
_STAGING = re.compile(r"\.reading(?:-(?:journal|wal|shm))?$")
_CORPUS_FILES = frozenset(("manifest.json", "ingest.report.json", "contexts.jsonl", "contexts.report.json"))


def is_only_corpus(path: Path) -> bool:
    """Whether a folder has the files of a corpus and nothing else."""
    names = [entry.name for entry in path.iterdir()] if path.is_dir() else []
    stored = [name for name in names if _STORE.fullmatch(name)]
    return bool(stored) and {*names} <= {*stored, *_CORPUS_FILES}


class _Neighbors:
    """Names of files and folders, by the folder that has them: a few of each suffix, since there may be a million."""

    def __init__(self) -> None:
        self._names: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))

    def add(self, path: str, is_folder: bool = False) -> None:
        folder, _, name = path.rpartition("/")
        names = self._names[folder]["/" if is_folder else _bare_suffix(name)]
        if len(names) < _MAX_NEIGHBORS:
            names.append(f"{name}/" if is_folder else name)

    def of(self, path: str) -> tuple[str, ...]:
        """Return the names beside a file that may describe them; none for other files."""
        folder, _, name = path.rpartition("/")
        if not may_describe(bare_name(name)):
            return ()
        kinds = self._names.get(folder, {})
        return tuple(one for suffix, names in kinds.items() if suffix != _bare_suffix(name) for one in names)


def _bare_suffix(name: str) -> str:
    return PurePosixPath(bare_name(name)).suffix.lower()


_MAX_NEIGHBORS = 100
"""Names of one suffix in a folder that are kept."""


def _file(path: Path, neighbors: _Neighbors) -> Iterator[Source]:
    try:
        # By name: a file of zeros is also an empty tar archive.
        if _TAR.search(path.name.lower()):
            yield from _tar(path)
        elif path.suffix.lower() == ".zip":
            yield from _zip(path)
        else:
            with path.open("rb") as stream:
                companions = FolderCompanions(path.parent)
                size = path.stat().st_size
                yield from _opened(printable_name(str(path)), stream, companions, size, neighbors.of(path.name))
    except _OPEN_ERRORS as error:
        yield SourceFile(printable_name(str(path)), refusal=f"it is damaged or cannot be opened ({_reason(error)})")


_OPEN_ERRORS = (
    OSError,
    EOFError,
    tarfile.TarError,
    zipfile.BadZipFile,
    lzma.LZMAError,
    zlib.error,
    RuntimeError,  # zipfile: an encrypted member or an unknown compression method
)
"""Errors from damaged, encrypted or unknown files and members."""


def printable_name(name: str) -> str:
    """Return a name that can be printed and stored: bytes that are not UTF-8 become lone surrogates in Python."""
    return _SURROGATE.sub("\ufffd", name)


_SURROGATE = re.compile(r"[\ud800-\udfff]")


def _opened(
    source: str,
    stream: IO[bytes],
    companions: ArchiveCompanions | FolderCompanions,
    size: int,
    siblings: tuple[str, ...],
) -> Iterator[Source]:
    """Yield a file, or its parts; decompressed if it is gzip or xz. Its size is as declared, and may be wrong."""
    packed = PeekedStream(stream)
    unpacked = packed
    too_large = f"it has more than {MAX_FILE_BYTES >> 20} MB"
    if packed.head.startswith((b"\x1f\x8b", b"\xfd7zXZ")):
        unpack = gzip.open if packed.head.startswith(b"\x1f") else lzma.open
        unpacked = PeekedStream(cast(IO[bytes], unpack(io.BufferedReader(packed))))
        too_large = f"it unpacks to more than {MAX_FILE_BYTES >> 20} MB"
        size = 0
    reader = line_reader_of(bare_name(source), unpacked.head)
    try:
        if reader is not None:
            lines = LineStream(unpacked, packed)
            if lines.is_json_lines():
                yield from _parts(source, reader.FORMAT, lines.lines())
                return
            content = lines.whole(MAX_FILE_BYTES)
        elif size > MAX_FILE_BYTES:
            content = None
        else:
            content = read_up_to(io.BufferedReader(unpacked), MAX_FILE_BYTES)
    except _OPEN_ERRORS as error:
        yield SourceFile(source, refusal=f"it is damaged ({_reason(error)})")
        return
    if content is not None:
        yield SourceFile(source, content, companions, siblings=siblings)
    elif unpacked is packed and reader_of(bare_name(source), unpacked.head) is None:
        # Of no known kind, such as a video or a database: its size does not matter.
        yield SourceFile(source, unpacked.head, companions)
    else:
        yield SourceFile(source, refusal=too_large)


def _parts(source: str, format: str, lines: Iterator[JsonLine]) -> Iterator[Source]:
    """Yield the parts of a JSON Lines file, and if it is damaged, the reason after those before the damage."""
    faults: list[str] = []

    def undamaged() -> Iterator[JsonLine]:
        line = None
        try:
            for line in lines:
                yield line
        except UnpackingRatioError as error:
            faults.append(str(error))
        except _OPEN_ERRORS as error:
            faults.append(f"it is damaged ({_reason(error)}, after line {line.number if line else 0:,})")

    yield from split(source, format, undamaged())
    for fault in faults:
        yield SourceFile(source, refusal=fault)


def _tar(path: Path) -> Iterator[Source]:
    companions, neighbors = _tar_companions(path)
    with tarfile.open(path) as archive:
        for member in _members(archive):
            if not member.isfile():
                continue
            stream = archive.extractfile(member)
            if stream is not None:
                source = printable_name(f"{path}!{member.name}")
                beside = _companions_of(member.name, companions)
                yield from _opened(source, stream, beside, member.size, neighbors.of(member.name))
        _check_end(archive)


def _check_end(archive: tarfile.TarFile) -> None:
    """Raise an error if an archive has no end mark: one that was cut between two members looks complete otherwise."""
    stream = archive.fileobj
    assert stream is not None
    stream.seek(archive.offset)
    if stream.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
        raise tarfile.ReadError("its end is missing")


def _members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield every member without keeping it in memory."""
    while (member := archive.next()) is not None:
        yield member
        # The archive would keep a kilobyte for each of perhaps a million documents.
        archive.members.clear()  # type: ignore[attr-defined]


def _tar_companions(path: Path) -> tuple[dict[str, bytes], _Neighbors]:
    companions: dict[str, bytes] = {}
    neighbors = _Neighbors()
    try:
        with tarfile.open(path) as archive:
            for member in _members(archive):
                neighbors.add(member.name, member.isdir())
                name = _path_inside(PurePosixPath(member.name))
                if name is not None and member.isfile() and _is_companion(name, member.size, companions):
                    stream = archive.extractfile(member)
                    if stream is not None:
                        companions[name] = stream.read(MAX_ARCHIVE_COMPANION_BYTES)
    except _OPEN_ERRORS:
        # Reported when its members are read: those before the damage are good.
        pass
    return companions, neighbors


def _zip(path: Path) -> Iterator[Source]:
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        companions: dict[str, bytes] = {}
        neighbors = _Neighbors()
        for member in members:
            neighbors.add(member.filename)
            name = _path_inside(PurePosixPath(member.filename))
            if name is not None and _is_companion(name, member.file_size, companions):
                companions[name] = _zip_companion(archive, member)
        for member in members:
            source = printable_name(f"{path}!{member.filename}")
            try:
                with archive.open(member) as stream:
                    beside = _companions_of(member.filename, companions)
                    yield from _opened(source, stream, beside, member.file_size, neighbors.of(member.filename))
            except _OPEN_ERRORS as error:
                yield SourceFile(source, refusal=f"it is damaged ({_reason(error)})")


def _zip_companion(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """Return a small member; empty if it is damaged."""
    try:
        with archive.open(member) as stream:
            return stream.read(MAX_ARCHIVE_COMPANION_BYTES)
    except _OPEN_ERRORS:
        return b""


def _companions_of(name: str, companions: dict[str, bytes]) -> ArchiveCompanions:
    folder = PurePosixPath(_path_inside(PurePosixPath(name)) or name).parent
    below: dict[str, bytes] = {}
    for path, content in companions.items():
        if _is_below(path, folder) and len(content) < MAX_DOCUMENT_COMPANION_BYTES - _total_size(below):
            below[path] = content
    return ArchiveCompanions(folder, below)


def _path_inside(path: PurePosixPath) -> str | None:
    """Return a normalized path; None if it leads out of the archive."""
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in (".", "/"):
            parts.append(part)
    return "/".join(parts) or None


def _is_below(path: str, folder: PurePosixPath) -> bool:
    return str(folder) == "." or PurePosixPath(path).is_relative_to(folder)


def _is_companion(name: str, size: int, others: dict[str, bytes]) -> bool:
    """Return whether a member is a companion file and fits next to the others."""
    suffix = PurePosixPath(name).suffix.lower()
    return suffix in COMPANION_SUFFIXES and size < MAX_ARCHIVE_COMPANION_BYTES - _total_size(others)


def _total_size(files: dict[str, bytes]) -> int:
    return sum(map(len, files.values()))


def _reason(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
