"""Simulated readers of every family through systems that read in parts and answer from notes."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom
from fathom.systems.map_reduce import MapReduce
from fathom.systems.memory import Memory
from fathom.systems.protocol import System
from tests.tasks.citations.conftest import cited  # noqa: F401 - a fixture
from tests.tasks.tables.conftest import reports  # noqa: F401 - a fixture


def accuracy(bench: Path, out: Path, system: System) -> float:
    return fathom.run(bench, model="sim/reader", system=system, limit=4, out=out).score().accuracy


@pytest.mark.parametrize("fixture", ["cited", "reports"])
def test_a_reader_answers_from_notes_and_loses_what_is_cut(
    fixture: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    built = request.getfixturevalue(fixture)
    bench = built / "bench" if isinstance(built, Path) else built.folder
    large = 32_000
    for name, system in (("map", MapReduce(documents=50)), ("memory", Memory(chunk=large, memory=4_000))):
        assert accuracy(bench, tmp_path / name, system) == 1.0
    assert accuracy(bench, tmp_path / "small", Memory(chunk=large, memory=20)) < 1.0
