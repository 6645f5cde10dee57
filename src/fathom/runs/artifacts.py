"""Artifacts that a system creates once, such as an index: files or folders, named by a hash of their inputs."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from fathom.records.errors import file_errors


def make_artifact(folder: Path, key: str, make: Callable[[Path], None]) -> Path:
    """The path of the artifact with that key. If it does not exist, `make` writes it; it is renamed when complete."""
    path = folder / key
    if path.exists():
        return path
    with file_errors("make the folder", folder):
        folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f".{key}.part"
    _remove(draft)  # left by a killed process: only one process writes to a run
    try:
        make(draft)
        with file_errors("write", path):
            draft.rename(path)
    finally:
        _remove(draft)
    return path


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
