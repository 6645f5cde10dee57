"""A bench of puzzles over all kinds of generated documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from fathom.api.corpora import generate
from fathom.models.simulated import SimulatedModel
from fathom.records.contexts import Context
from fathom.records.questions import Response
from fathom.records.rng import rng_for
from fathom.scoring.verdicts import Verdict
from fathom.tasks.bench import Bench
from fathom.tasks.building import BuildInputs, build
from fathom.tasks.family import Item
from fathom.tasks.puzzles.check import check
from fathom.tasks.puzzles.faults import FAULTS
from fathom.tasks.puzzles.simulate import Simulator
from tests.sharing import SharedFolders


class Puzzle(NamedTuple):
    """A puzzle with what can answer it."""

    context: Context
    item: Item
    simulator: Simulator

    def said(self, text: str) -> Verdict:
        """The verdict on a response."""
        return check(self.item.key, Response(question_id="q", outcome="answered", text=text))

    def text(self, name: str) -> str:
        """The response of a simulated model."""
        simulated = SimulatedModel.parse(name).resolved([fault.name for fault in FAULTS])
        return self.simulator.text(self.context, self.item, simulated, rng_for(1, self.item.question.id))


@pytest.fixture(scope="session")
def puzzles_bench(build_once: SharedFolders) -> Path:
    """A bench over narratives, news, policies, reports and articles in both languages; never write to it."""

    def make(folder: Path) -> None:
        generate(folder / "corpus", documents=26, domains="prose,reports,physics,economics,finance", seed=3).close()
        build(
            BuildInputs(folder / "corpus", Path("none"), {"puzzles": {"items": 40, "per_document": 2}}, 1),
            folder / "bench",
        )

    return build_once("puzzles", make) / "bench"


FEW = {"puzzles": {"items": 6, "per_document": 1}}


@pytest.fixture(scope="session")
def few_puzzles(build_once: SharedFolders) -> Path:
    """A bench of six puzzles, which is quickly audited; never write to it."""

    def make(folder: Path) -> None:
        generate(folder / "corpus", documents=8, domains="prose,physics", seed=3).close()
        build(BuildInputs(folder / "corpus", Path("none"), FEW, 1), folder / "bench")

    return build_once("few-puzzles", make) / "bench"


@pytest.fixture
def puzzles(puzzles_bench: Path) -> Iterator[list[Puzzle]]:
    """The puzzles of the bench."""
    bench = Bench(puzzles_bench)
    with bench.open_corpus() as corpus:
        simulator = Simulator(corpus, bench.all_keys)
        yield [Puzzle(context, item, simulator) for context, items in bench.by_context() for item in items]
