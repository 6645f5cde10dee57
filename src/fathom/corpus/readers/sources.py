"""Files, folders and archives as a stream of documents. Nothing is unpacked to disk, nothing outside is opened."""

from __future__ import annotations

import gzip
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from fathom.records.errors import FathomError, os_error

LARGEST = 256 * 1024 * 1024
"""Bytes of one document: a header that claims more is not believed, and a stream that gives more is cut off."""

COMPANIONS = frozenset((".bib", ".bbl", ".tex", ".yml", ".yaml", ".inc"))
"""Files that a document may ask for: its bibliography, its included parts."""

ROOM = 64 * 1024 * 1024
"""Bytes of companions kept of one archive."""

COMPANY = 8 * 1024 * 1024
"""Bytes of companions that go with one document to the process that reads it."""


_TAR = re.compile(r"\.(tar(\.(gz|xz|bz2))?|tgz|txz|tbz2?)$")


@dataclass(frozen=True)
class ArchiveCompanions:
    """The companions of a document in an archive; names are paths inside the archive."""

    folder: PurePosixPath
    files: dict[str, bytes] = field(repr=False)

    def get(self, name: str) -> bytes | None:
        """The companion of that name, looked for in the document's folder and below it."""
        path = _inside(self.folder / name)
        return self.files.get(path) if path is not None and _is_below(path, self.folder) else None

    def names(self) -> list[str]:
        return sorted(PurePosixPath(name).name for name in self.files if PurePosixPath(name).parent == self.folder)


@dataclass(frozen=True)
class FolderCompanions:
    """The files in a document's folder on disk, and nothing outside of it."""

    folder: Path

    def get(self, name: str) -> bytes | None:
        """The content of a file in the folder or below it."""
        try:
            path = (self.folder / name).resolve()
            if not path.is_relative_to(self.folder.resolve()) or not path.is_file() or path.stat().st_size > LARGEST:
                return None
            return path.read_bytes()
        except (OSError, ValueError):
            # A name that is no path, a file that cannot be read: there is no such companion.
            return None

    def names(self) -> list[str]:
        try:
            return sorted(entry.name for entry in self.folder.iterdir() if entry.is_file())
        except OSError:
            return []


@dataclass(frozen=True)
class SourceFile:
    """One file with its content, or the reason why it has none."""

    source: str
    """Its path, and behind an exclamation mark its name in an archive."""
    content: bytes = field(default=b"", repr=False)
    companions: ArchiveCompanions | FolderCompanions | None = None
    refusal: str = ""


def source_files(paths: Sequence[Path]) -> Iterator[SourceFile]:
    """Every file in the files, folders and archives, in a fixed order."""
    for path in paths:
        if not path.exists():
            raise FathomError(f"There is no '{path}'. Check the path.")
        yield from _folder(path) if path.is_dir() else _file(path)


def _folder(folder: Path) -> Iterator[SourceFile]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        raise os_error("read the folder", folder, error) from error
    for entry in entries:
        # A link may lead out of the folder, or round in a circle.
        if entry.is_symlink() or entry.name.startswith("."):
            continue
        if entry.is_dir():
            yield from _folder(entry)
        elif entry.is_file():
            yield from _file(entry)


def _file(path: Path) -> Iterator[SourceFile]:
    try:
        # Told by the name: a file of zeros looks like an empty tar archive.
        if _TAR.search(path.name.lower()):
            yield from _tar(path)
        elif path.suffix.lower() == ".zip":
            yield from _zip(path)
        elif path.stat().st_size > LARGEST:
            yield SourceFile(shown(str(path)), refusal=f"it has more than {LARGEST >> 20} MB")
        else:
            yield _unwrapped(shown(str(path)), path.read_bytes(), FolderCompanions(path.parent))
    except _BROKEN as error:
        yield SourceFile(shown(str(path)), refusal=f"it is damaged or cannot be opened ({_words(error)})")


_BROKEN = (
    OSError,
    EOFError,
    tarfile.TarError,
    zipfile.BadZipFile,
    lzma.LZMAError,
    zlib.error,
    RuntimeError,  # zipfile, of a member that wants a password or is compressed in a way that it does not know
)
"""What opening a file or a member can raise that is damaged, locked or of an unknown make."""


def shown(name: str) -> str:
    """A name as it can be printed and kept: each byte that is no UTF-8 reaches Python as half a character."""
    return _HALF.sub("\ufffd", name)


_HALF = re.compile(r"[\ud800-\udfff]")


def _unwrapped(source: str, content: bytes, companions: ArchiveCompanions | FolderCompanions) -> SourceFile:
    """A single file, out of the gzip or xz that it may be wrapped in."""
    if not content.startswith((b"\x1f\x8b", b"\xfd7zXZ")):
        return SourceFile(source, content, companions)
    packed = io.BytesIO(content)
    try:
        with gzip.open(packed) if content.startswith(b"\x1f") else lzma.open(packed) as stream:
            inside = stream.read(LARGEST + 1)
    except _BROKEN as error:
        return SourceFile(source, refusal=f"it is damaged ({_words(error)})")
    if len(inside) > LARGEST:
        return SourceFile(source, refusal=f"it unpacks to more than {LARGEST >> 20} MB")
    return SourceFile(source, inside, companions)


def _tar(path: Path) -> Iterator[SourceFile]:
    companions = _tar_companions(path)
    with tarfile.open(path) as archive:
        for member in _members(archive):
            if not member.isfile():
                continue
            source = shown(f"{path}!{member.name}")
            if member.size > LARGEST:
                yield SourceFile(source, refusal=f"it claims more than {LARGEST >> 20} MB")
                continue
            stream = archive.extractfile(member)
            content = stream.read(LARGEST + 1) if stream is not None else b""
            yield _unwrapped(source, content, _kept(member.name, companions))


def _members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Every member, each let go when the next is wanted."""
    while (member := archive.next()) is not None:
        yield member
        # The archive remembers them all: a kilobyte for each of perhaps a million documents.
        archive.members.clear()  # type: ignore[attr-defined]


def _tar_companions(path: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with tarfile.open(path) as archive:
        for member in _members(archive):
            name = _inside(PurePosixPath(member.name))
            if member.isfile() and name is not None and _is_companion(name) and member.size < ROOM - _size(found):
                stream = archive.extractfile(member)
                if stream is not None:
                    found[name] = stream.read(ROOM)
    return found


def _zip(path: Path) -> Iterator[SourceFile]:
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if not member.is_dir()]
        companions: dict[str, bytes] = {}
        for member in members:
            name = _inside(PurePosixPath(member.filename))
            if name is not None and _is_companion(name) and member.file_size < ROOM - _size(companions):
                companions[name] = _zipped(archive, member).content
        for member in members:
            opened = _zipped(archive, member)
            source = shown(f"{path}!{member.filename}")
            if opened.refusal:
                yield SourceFile(source, refusal=opened.refusal)
            else:
                yield _unwrapped(source, opened.content, _kept(member.filename, companions))


def _zipped(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> SourceFile:
    """One member; what it claims to be is not believed, so no more than the limit is ever unpacked."""
    if member.file_size > LARGEST:
        return SourceFile(member.filename, refusal=f"it claims more than {LARGEST >> 20} MB")
    try:
        with archive.open(member) as stream:
            content = stream.read(LARGEST + 1)
    except _BROKEN as error:
        return SourceFile(member.filename, refusal=f"it is damaged ({_words(error)})")
    if len(content) > LARGEST:
        return SourceFile(member.filename, refusal=f"it unpacks to more than {LARGEST >> 20} MB")
    return SourceFile(member.filename, content)


def _kept(name: str, companions: dict[str, bytes]) -> ArchiveCompanions:
    folder = PurePosixPath(_inside(PurePosixPath(name)) or name).parent
    below: dict[str, bytes] = {}
    for path, content in companions.items():
        if _is_below(path, folder) and len(content) < COMPANY - _size(below):
            below[path] = content
    return ArchiveCompanions(folder, below)


def _inside(path: PurePosixPath) -> str | None:
    """The path without its dots; None where it leads out of the archive."""
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


def _is_companion(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in COMPANIONS


def _size(files: dict[str, bytes]) -> int:
    return sum(map(len, files.values()))


def _words(error: BaseException) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
