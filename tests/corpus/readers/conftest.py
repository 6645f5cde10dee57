"""Real documents with gold data; tests that need them are skipped if they are not available."""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.jats import reader as jats
from fathom.corpus.readers.parsed_document import NoCompanions, ParsedDocument
from fathom.records.documents import Document
from tests.sharing import SharedFolders

SHARED = Path(__file__).parents[4] / "shared" / "data"

Members = Iterator[tuple[str, bytes]]


@pytest.fixture(scope="session")
def shared() -> Callable[[str], Path]:
    """The path of a file or folder among the real documents."""

    def find(name: str) -> Path:
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"needs the real documents: ../shared/data/{name} is not there")
        return path

    return find


def members(archive: Path) -> Members:
    """The files of a tar archive, one at a time."""
    with tarfile.open(archive) as opened:
        for member in opened:
            file = opened.extractfile(member) if member.isfile() else None
            if file is not None:
                yield member.name, file.read()


Elife = dict[str, tuple[bytes, ParsedDocument, Document]]


@pytest.fixture(scope="session")
def elife(shared: Callable[[str], Path], build_once: SharedFolders) -> Elife:
    """Every document of the eLife sets by set and file: its bytes, the parsed document, and the record."""
    folder = shared("elife-jats")
    return build_once.value("elife", lambda: _read_elife(folder))


def _read_elife(folder: Path) -> Elife:
    read = {}
    for archive in sorted(folder.glob("*.tar.xz")):
        for name, content in members(archive):
            (found,) = jats.read(content, name, NoCompanions())
            read["/".join(name.split("/")[-2:])] = (content, found, assemble(found))
    return read
