"""A bench of probes, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from fathom.tasks.bench import Bench, build


@pytest.fixture(scope="session")
def probes(small_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """Probes of both tasks over 48 documents."""
    folder = tmp_path_factory.mktemp("probes") / "bench"
    build(small_folder, small_folder / "none.jsonl", {"memorization": {"items": 60}}, 0, folder)
    return Bench(folder)
