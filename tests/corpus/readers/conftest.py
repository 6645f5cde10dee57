"""Real documents with gold, where they are: tests that need them are skipped elsewhere, and say so."""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[4] / "shared" / "data"

Members = Iterator[tuple[str, bytes]]


@pytest.fixture
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
