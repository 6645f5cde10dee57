"""Annotations of any format before import: quotes from documents that the source identifies in its own way."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from fathom.records.errors import FathomError, file_errors
from fathom.records.quoted_claims import QuotedClaim, QuotedEvidence

MAX_BYTES = 256 * 1024 * 1024
"""The maximum size of one file."""
_TAR = (".tar", ".tar.gz", ".tar.xz", ".tar.bz2", ".tgz", ".txz")


@dataclass(frozen=True)
class QuotedFinding:
    """An answer to a given question, with the quotes that show it."""

    id: str
    question: str
    options: tuple[str, ...]
    label: str
    evidence: tuple[QuotedEvidence, ...]
    valid: bool = True
    """False for one that its source rejects: its quotes are located, but it is not used."""


@dataclass(frozen=True)
class SourceAnnotation:
    """The marks of one annotator in one document, as quotes."""

    names: tuple[str, ...]
    """The document's name in the source: an id, a DOI, a file name or a title."""
    annotator: str
    claims: tuple[QuotedClaim, ...] = ()
    findings: tuple[QuotedFinding, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True)
class AnnotationFile:
    """One file of a source."""

    path: PurePosixPath
    content: bytes

    @property
    def text(self) -> str:
        """The content; raises FathomError if it is not UTF-8."""
        try:
            return self.content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise FathomError(f"'{self.path}' is not UTF-8: {error}. Convert it.") from error


def files_of(sources: Iterable[Path], suffixes: tuple[str, ...]) -> Iterator[AnnotationFile]:
    """The files with these suffixes: those given, those in given folders, and those in archives, in order of names."""
    for source in sources:
        if not source.exists():
            raise FathomError(f"'{source}' does not exist. Give files or folders with annotations.")
        paths = sorted(path for path in source.rglob("*") if path.is_file()) if source.is_dir() else [source]
        for path in paths:
            with file_errors("read", path):
                yield from _unpack(path, suffixes)


def _unpack(path: Path, suffixes: tuple[str, ...]) -> Iterator[AnnotationFile]:
    name = path.name.lower()
    if name.endswith(suffixes):
        yield AnnotationFile(
            PurePosixPath(path.as_posix()), _read_limited(path.name, path.stat().st_size, path.read_bytes)
        )
    elif name.endswith(_TAR):
        with tarfile.open(path) as archive:
            for member in archive:
                file = archive.extractfile(member) if member.name.lower().endswith(suffixes) else None
                if file is not None:
                    yield AnnotationFile(PurePosixPath(member.name), _read_limited(member.name, member.size, file.read))
    elif name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as packed:
            for info in packed.infolist():
                if info.filename.lower().endswith(suffixes):
                    read = packed.read(info) if info.file_size <= MAX_BYTES else b""
                    yield AnnotationFile(PurePosixPath(info.filename), read)


def _read_limited(name: str, size: int, read: object) -> bytes:
    if size > MAX_BYTES:
        raise FathomError(f"'{name}' is larger than {MAX_BYTES:,} bytes. Split it.")
    assert callable(read)
    content = read()
    assert isinstance(content, bytes)
    return content
