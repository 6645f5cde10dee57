"""The runs that a list of paths names, as a shell expands `runs/*`."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.api.findings import run_folders
from fathom.records.errors import FathomError
from fathom.runs.folder import MANIFEST


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / MANIFEST).touch()
    (tmp_path / "report.html").touch()
    return tmp_path


def test_a_file_beside_runs_is_passed_over(folder: Path) -> None:
    runs = [folder / "first", folder / "second"]
    assert run_folders(sorted(folder.iterdir())) == run_folders(folder) == runs


def test_a_file_without_runs_beside_it_is_kept_for_the_error(folder: Path) -> None:
    assert run_folders(folder / "report.html") == [folder / "report.html"]
    other = folder / "first" / "notes.txt"
    assert run_folders([folder / "second", other]) == [folder / "second", other]


def test_no_run(folder: Path) -> None:
    with pytest.raises(FathomError, match="No run was given"):
        run_folders([])
