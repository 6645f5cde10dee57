"""Questions per second of `fathom run` with simulated models, on a bench of 6,550 questions over contexts of 64K.

The whole command including startup, the best of three; the run alone in this process, and again when all documents
have been read; and appending the same responses to a journal. Target: 2,000 per second for the whole command.
Questions per CPU second are printed too, for machines with other load.
"""

from __future__ import annotations

import time
from pathlib import Path

from _measuring import bench_of, best, fathom, workplace
from fathom.api.bench_views import open_bench_view
from fathom.api.runs import request_run
from fathom.api.simulation import open_simulated_model
from fathom.records.files import Journal
from fathom.records.questions import Response
from fathom.runs.folder import RESPONSES
from fathom.runs.run import run_simulated

NAMES = ("sim/oracle", "sim/reader?miss=0.1&ignore-not=0.3")
ROUNDS = 3


def run_alone(bench: Path, name: str, folder: Path) -> tuple[float, float]:
    """Seconds of a run without startup, and of a second one, when all documents have been read."""
    request = request_run(bench, name)
    taken = []
    with open_bench_view(bench) as view, open_simulated_model(bench, None, name, "full", 0) as model:
        for number in range(2):
            path = folder / f"run-{number}"
            start = time.perf_counter()
            manifest = request.manifest(view, path)
            ran = run_simulated(view, request.system, request.info, manifest, path, model)
            taken.append(time.perf_counter() - start)
            if not ran.is_complete:
                raise SystemExit(f"{name} has not answered every question: {ran.outcomes}")
    return taken[0], taken[1]


def journal_alone(responses: Path, copy: Path) -> float:
    """Seconds to append the same responses to a journal."""
    kept = list(Journal(responses, Response).read())
    start = time.perf_counter()
    with Journal(copy, Response) as journal:
        for response in kept:
            journal.append(response)
    return time.perf_counter() - start


with workplace() as folder:
    bench = bench_of(folder, "--documents", 662, length="64K", count=655)
    total = sum(1 for _ in (bench / "questions.jsonl").open())
    print(f"{total:,} questions; a second:")
    for number, name in enumerate(NAMES):
        place = folder / str(number)
        rounds = [fathom("run", bench, "--model", name, "--out", place / f"whole-{turn}") for turn in range(ROUNDS)]
        whole, cpu = best([one.wall for one in rounds]), best([one.cpu for one in rounds])
        cold, warm = run_alone(bench, name, place)
        journal = journal_alone(place / "whole-0" / RESPONSES, place / "copy.jsonl")
        print(
            f"{total / whole:7,.0f} whole command,{total / cold:7,.0f} run alone,{total / warm:7,.0f} the second time,"
            f"{total / journal:8,.0f} journal alone  {name}"
        )
        print(
            f"        {total / whole / 2_000:.2f} times the promised 2,000; {total / cpu:,.0f} a CPU second "
            f"({whole:.2f} s, {cpu:.2f} CPU s, {rounds[0].peak_megabytes:.0f} MB)"
        )
