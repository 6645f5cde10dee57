"""Folders and values that all test processes of one run share."""

from __future__ import annotations

import fcntl
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Value = TypeVar("Value")


class SharedFolders:
    """Builds each named folder once; other processes wait for it."""

    def __init__(self, base: Path) -> None:
        self._base = base
        base.mkdir(parents=True, exist_ok=True)

    def __call__(self, name: str, build: Callable[[Path], object]) -> Path:
        """The folder of that name, filled by `build` when it is first needed. Never write to it."""
        folder, finished = self._base / name, self._base / f"{name}.finished"
        with (self._base / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not finished.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                build(folder)
                finished.touch()
        return folder

    def value(self, name: str, make: Callable[[], Value]) -> Value:
        """The value of that name, computed once by whichever process needs it first."""
        folder = self(name, lambda folder: (folder / "value").write_bytes(pickle.dumps(make())))
        value: Value = pickle.loads((folder / "value").read_bytes())
        return value
