"""Whether the stages of failures are those that were simulated: readers with dialled faults behind `rag`.

Each row is a simulated model with faults of one operation only, or one that refuses, or one without faults that is
shown too little. The table has the share of its failures at each stage. The last rows are of one model with all faults,
by the kinds of faults that occurred in a response. Target: at least nine in ten failures with a stage have the
simulated one.

    python benchmarks/failure_stages.py [BENCH...]
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import fathom as api
from _measuring import fathom, workplace
from fathom.analysis.analyze import Analysis, analyze
from fathom.analysis.failure_stages import GAVE_UP, READING, REASONING, RETRIEVAL, STAGES
from fathom.models.simulated import SimulatedModel
from fathom.records.questions import Response
from fathom.runs import run
from fathom.runs.plan import Job
from fathom.runs.simulated_session import answer_in_session
from fathom.systems.protocol import System
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family

ALL, FEW = 5_000, 8
"""Chunks: all that there are, and too few."""
STAGE_OF = {"finding": READING, "reading": READING, "computing": REASONING}


def dialled(bench: Path, stage: str, rate: float) -> str:
    """The parameters of the bench's families whose faults belong to the stage, each at the rate."""
    faults = {fault.name: fault for name in Bench(bench).manifest.families for fault in family(name).simulated_faults}
    names = [name for name, one in faults.items() if one.diagnosed and STAGE_OF[one.operation] == stage]
    return "&".join(f"{name}={rate}" for name in names)


def analyzed(bench: Path, parameters: str, k: int, folder: Path) -> Analysis:
    """A run over `rag` with these parameters, analyzed."""
    if not folder.exists():
        model = f"sim/reader?{parameters}" if parameters else "sim/reader"
        fathom("run", bench, "--model", model, "--system", "rag", "-S", f"k={k}", "--out", folder)
    return analyze([folder])


def row(label: str, found: Analysis) -> None:
    """Print the share of failures at each stage."""
    stages = {one.name: one for one in found.findings.runs[0].failure_stages}
    failures = sum(one.count for one in stages.values())
    shares = "".join(f"{stages[name].share_of_failures if name in stages else 0:>16.1%}" for name in STAGES)
    print(f"{label:34} {failures:>8}{shares}", flush=True)


def measure(bench: Path, place: Path) -> None:
    print(f"{bench.name}: {Bench(bench).manifest.questions} questions\n{'simulated':34} {'failures':>8}", end="")
    print("".join(f"{name:>16}" for name in STAGES))
    parts = {READING: dialled(bench, READING, 0.12), REASONING: dialled(bench, REASONING, 0.12), GAVE_UP: "refuse=0.15"}
    for name, parameters in parts.items():
        row(name, analyzed(bench, parameters, ALL, place / name))
    row(f"{RETRIEVAL} (k={FEW}, no faults)", analyzed(bench, "", FEW, place / "few"))
    mixture(bench, "&".join(parts.values()), place / "mixed")


def mixture(bench: Path, parameters: str, folder: Path) -> None:
    """All faults at once: the failures by the kinds of faults that occurred in the response, with their stages.

    Where faults of both kinds occurred, either stage is correct.
    """
    occurred: dict[str, set[str]] = defaultdict(set)
    stage_of = {
        fault.name: STAGE_OF[fault.operation]
        for name in Bench(bench).manifest.families
        for fault in family(name).simulated_faults
        if fault.diagnosed
    } | {"refuse": GAVE_UP}
    question = ""
    happens = SimulatedModel.happens

    def noticed(simulated: SimulatedModel, name: str, rng: Random) -> bool:
        found = happens(simulated, name, rng)
        if found and name in stage_of:
            occurred[question].add(stage_of[name])
        return found

    def begun(system: System, job: Job, *rest: Any) -> Response:
        nonlocal question
        question = job.question.id
        return answer_in_session(system, job, *rest)

    with patch.object(SimulatedModel, "happens", noticed), patch.object(run, "answer_in_session", begun):
        api.run(bench, model=f"sim/reader?{parameters}", system="rag", system_settings={"k": ALL}, out=folder)
    failed = [item for item in analyze([folder]).all_items() if item.outcome != "correct"]
    found = Counter((" and ".join(sorted(occurred[item.question_id])), item.stage) for item in failed)
    for kinds in sorted({kinds for kinds, _ in found}):
        count = sum(found[kinds, stage] for stage in STAGES)
        shares = "".join(f"{found[kinds, stage] / count:>16.1%}" for stage in STAGES)
        print(f"{'mixed: ' + (kinds or 'no fault'):34} {count:>8}{shares}", flush=True)


def main(benches: list[Path]) -> None:
    with workplace() as place:
        for number, bench in enumerate(benches or _built(place)):
            measure(bench, place / str(number))


def _built(place: Path) -> list[Path]:
    """A bench of statements over articles, and one of figures scattered over reports."""
    letters, reports = place / "letters", place / "reports"
    fathom("generate", "--out", letters, "--documents", 80, "--seed", 71)
    fathom("contexts", letters, "--lengths", "64K", "--count", 20)
    fathom("build", "numeric", letters, "--out", place / "numeric", "--seed", 7)
    fathom("generate", "--out", reports, "--documents", 120, "--domains", "companies", "--seed", 72)
    fathom("contexts", reports, "--lengths", "128K", "--count", 16, "--sampling", "random")
    fathom("build", "tables", reports, "--out", place / "tables", "--seed", 7)
    return [place / "numeric", place / "tables"]


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
