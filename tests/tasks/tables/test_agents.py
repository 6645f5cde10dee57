"""An agent on questions about figures in reports."""

from __future__ import annotations

from pathlib import Path

import fathom
from fathom.systems.agent import Agent


def test_an_agent_that_looks_longer_finds_more_figures(reports: Path, tmp_path: Path) -> None:
    def recall(steps: int) -> float:
        system = Agent(steps=steps)
        out = tmp_path / str(steps)
        run = fathom.run(reports / "bench", model="sim/reader", system=system, limit=4, out=out)
        assert all(sum(step.kind == "model" for step in response.trace) <= steps for response in run.responses())
        found = [verdict.measures["span recall"] for verdict in run.score().verdicts]
        return sum(found) / len(found)

    assert 0 < recall(4) < recall(30)
