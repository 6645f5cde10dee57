"""A bench of memorization probes, built once."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.tasks.bench import Bench
from fathom.tasks.building import BuildInputs, build
from tests.sharing import SharedFolders


@pytest.fixture(scope="session")
def probes(small_folder: Path, build_once: SharedFolders) -> Bench:
    """Probes of both tasks over 48 documents; never write to it."""

    def make(folder: Path) -> None:
        build(
            BuildInputs(small_folder, small_folder / "none.jsonl", {"memorization": {"items": 60}}, 0), folder / "bench"
        )

    return Bench(build_once("probes", make) / "bench")
