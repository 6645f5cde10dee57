"""Simulated models give the same answer in one pass, in three, and claim by claim; traces have every call."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom


@pytest.mark.parametrize("system", ["three-pass", "one-by-one"])
def test_the_oracle_is_perfect_in_every_way_of_prompting(claims_bench: Path, tmp_path: Path, system: str) -> None:
    run = fathom.run(claims_bench, model="sim/oracle", system=system, limit=3, out=tmp_path / "run")
    scores = run.score()
    assert scores.accuracy == 1.0
    measures = {measure.name: measure.micro.value for measure in scores.measures}
    lower = {"fabrication rate", "JSON repaired", "passes without JSON"}
    assert measures.keys() >= {"claim F1", "evidence F1", "link F1", "evidence polarity accuracy", *lower}
    assert all(value == (0.0 if name in lower else 1.0) for name, value in measures.items())
    for response, verdict in zip(scores.responses, scores.verdicts, strict=True):
        calls = [step.name for step in response.trace if step.kind == "model"]
        claims = round(verdict.measures["claims predicted"])
        pairs = ["evidence", "conclusion"] * claims
        assert calls == (["claims", "evidence", "conclusions"] if system == "three-pass" else ["claims", *pairs])


def test_faults_have_the_same_effect_in_every_way_of_prompting(claims_bench: Path, tmp_path: Path) -> None:
    model = "sim/reader?miss=0.3&fabricate=0.3&mislink=0.2"
    found = {}
    for system in ("full", "three-pass", "one-by-one"):
        run = fathom.run(claims_bench, model=model, system=system, limit=3, out=tmp_path / system)
        found[system] = {measure.name: measure.micro.value for measure in run.score().measures}
    assert found["full"] == found["three-pass"] == found["one-by-one"]
    assert 0.0 < found["full"]["claim recall"] < 1.0
    broken = fathom.run(
        claims_bench, model="sim/reader?format=1", system="three-pass", limit=3, out=tmp_path / "broken"
    ).score()
    assert broken.overall.unparseable == 3
    # Claims that were not listed are in the denominator.
    assert {measure.name: measure.micro.value for measure in broken.measures}["claim recall"] == 0.0
