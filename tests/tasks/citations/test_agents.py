"""An agent on questions about citations."""

from __future__ import annotations

from pathlib import Path

import fathom
from fathom.systems.agent import Agent
from fathom.tasks.bench import Bench


def test_an_agent_finds_the_cited_works(cited: Bench, tmp_path: Path) -> None:
    run = fathom.run(cited.folder, model="sim/reader", system=Agent(protocol="text"), limit=6, out=tmp_path / "run")
    assert run.score().accuracy >= 0.8
    for response in run.responses():
        used = {step.name for step in response.trace if step.kind != "model"}
        assert used
        assert used <= {"search", "find", "read", "list_documents"}
        assert any(step.passages for step in response.trace)
