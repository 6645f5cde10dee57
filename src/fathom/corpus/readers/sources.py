"""Files in folders and archives as one stream. Nothing is unpacked to disk, and no file outside them is opened."""

from __future__ import annotations

import gzip
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import IO, cast

from fathom.records.errors import FathomError, os_error

MAX_FILE_BYTES = 256 * 1024 * 1024
"""Maximum size of one file, both as declared and as unpacked."""

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
    """Why it cannot be read; empty if it was read."""


def source_files(paths: Sequence[Path]) -> Iterator[SourceFile]:
    """Yield every file in some files, folders and archives, in a fixed order."""
    for path in paths:
        if not path.exists():
            raise FathomError(f"'{path}' does not exist. Check the path.")
        yield from _folder(path) if path.is_dir() else _file(path)


def _folder(folder: Path) -> Iterator[SourceFile]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise os_error("read the folder", folder, error) from error
    for entry in entries:
        # A link may lead out of the folder or into a cycle.
        if entry.is_symlink() or entry.name.startswith("."):
            continue
        if entry.is_dir():
            yield from _folder(entry)
        elif entry.is_file():
            yield from _file(entry)


def _file(path: Path) -> Iterator[SourceFile]:
    try:
        # By name: a file of zeros is also an empty tar archive.
        if _TAR.search(path.name.lower()):
            yield from _tar(path)
        elif path.suffix.lower() == ".zip":
            yield from _zip(path)
        elif path.stat().st_size > MAX_FILE_BYTES:
            yield SourceFile(printable_name(str(path)), refusal=f"it has more than {MAX_FILE_BYTES >> 20} MB")
        else:
            yield _decompress(printable_name(str(path)), path.read_bytes(), FolderCompanions(path.parent))
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


def _decompress(source: str, content: bytes, companions: ArchiveCompanions | FolderCompanions) -> SourceFile:
    """Return a file, decompressed if it is gzip or xz."""
    if not content.startswith((b"\x1f\x8b", b"\xfd7zXZ")):
        return SourceFile(source, content, companions)
    unpack = gzip.open if content.startswith(b"\x1f") else lzma.open
    opened = _unpacked(source, lambda: cast(IO[bytes], unpack(io.BytesIO(content))))
    return opened if opened.refusal else replace(opened, companions=companions)


def _unpacked(source: str, open_stream: Callable[[], IO[bytes]]) -> SourceFile:
    """Return a compressed file. Its declared size may be wrong, so at most `MAX_FILE_BYTES` are unpacked."""
    try:
        with open_stream() as stream:
            content = stream.read(MAX_FILE_BYTES + 1)
    except _OPEN_ERRORS as error:
        return SourceFile(source, refusal=f"it is damaged ({_reason(error)})")
    if len(content) > MAX_FILE_BYTES:
        return SourceFile(source, refusal=f"it unpacks to more than {MAX_FILE_BYTES >> 20} MB")
    return SourceFile(source, content)


def _tar(path: Path) -> Iterator[SourceFile]:
    companions = _tar_companions(path)
    with tarfile.open(path) as archive:
        for member in _members(archive):
            if not member.isfile():
                continue
            source = printable_name(f"{path}!{member.name}")
            if member.size > MAX_FILE_BYTES:
                yield SourceFile(source, refusal=f"it claims more than {MAX_FILE_BYTES >> 20} MB")
                continue
            stream = archive.extractfile(member)
            content = stream.read(MAX_FILE_BYTES + 1) if stream is not None else b""
            yield _decompress(source, content, _companions_of(member.name, companions))


def _members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Yield every member without keeping it in memory."""
    while (member := archive.next()) is not None:
        yield member
        # The archive would keep a kilobyte for each of perhaps a million documents.
        archive.members.clear()  # type: ignore[attr-defined]


def _tar_companions(path: Path) -> dict[str, bytes]:
    companions: dict[str, bytes] = {}
    with tarfile.open(path) as archive:
        for member in _members(archive):
            name = _path_inside(PurePosixPath(member.name))
            if name is not None and member.isfile() and _is_companion(name, member.size, companions):
                stream = archive.extractfile(member)
                if stream is not None:
                    companions[name] = stream.read(MAX_ARCHIVE_COMPANION_BYTES)
    return companions


def _zip(path: Path) -> Iterator[SourceFile]:
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        companions: dict[str, bytes] = {}
        for member in members:
            name = _path_inside(PurePosixPath(member.filename))
            if name is not None and _is_companion(name, member.file_size, companions):
                companions[name] = _read_zip_member(archive, member).content
        for member in members:
            opened = _read_zip_member(archive, member)
            source = printable_name(f"{path}!{member.filename}")
            if opened.refusal:
                yield SourceFile(source, refusal=opened.refusal)
            else:
                yield _decompress(source, opened.content, _companions_of(member.filename, companions))


def _read_zip_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> SourceFile:
    if member.file_size > MAX_FILE_BYTES:
        return SourceFile(member.filename, refusal=f"it claims more than {MAX_FILE_BYTES >> 20} MB")
    return _unpacked(member.filename, lambda: archive.open(member))


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
