"""Memory of commands over large benches: `score`, `analyze`, `report` and a run that is resumed.

A bench of 200 questions is built and run; larger ones repeat its contexts and questions under other ids, so that
what the commands hold per question is the same as in a bench that was built so large. Prints peak memory and CPU time
for each size and the memory of one more question and run. Target: ten runs of 100,000 questions in under 1 GB.

    python benchmarks/memory.py --questions 5000,20000 --runs 2
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from _measuring import Cost, bench_of, fathom, workplace
from _repeating import repeat_bench, repeat_run

FAULTS = "miss=0.05&drop-filter=0.1&ignore-not=0.3&reverse=0.2&boundary=0.1"
CONTEXTS_BUILT, PER_CONTEXT = 20, 10


def measure(folder: Path, bench: Path, run: Path, questions: int, runs: int) -> dict[str, Cost]:
    """The cost of each command over a bench of that size."""
    times = questions // (CONTEXTS_BUILT * PER_CONTEXT)
    place = folder / f"{questions}"
    place.mkdir()
    large = repeat_bench(bench, place / "bench", times)
    shutil.copytree(bench.parent / "corpus", place / "corpus", copy_function=shutil.copyfile)
    all_runs = [repeat_run(run, large, place / f"run{number}", times) for number in range(runs)]
    found = {
        "run, nothing to do": fathom("run", large, "--model", f"sim/reader?{FAULTS}", "--out", all_runs[0]),
        "score": fathom("score", all_runs[0]),
    }
    found |= {
        f"analyze {runs} runs": fathom("analyze", *all_runs, "--processes", 1),
        f"report on {runs} runs": fathom("report", *all_runs, "--out", place / "report.html", "--processes", 1),
    }
    shutil.rmtree(place)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", default="5000,20000", help="sizes of the benches, multiples of 200")
    parser.add_argument("--runs", type=int, default=2)
    given = parser.parse_args()
    sizes = [int(one) for one in given.questions.split(",")]
    with workplace() as folder:
        bench = bench_of(folder, "--documents", 100, length="32K", count=CONTEXTS_BUILT, questions=PER_CONTEXT)
        run = folder / "run"
        fathom("run", bench, "--model", f"sim/reader?{FAULTS}", "--out", run)
        fathom("score", run)
        costs = [measure(folder, bench, run, size, given.runs) for size in sizes]
    for name in costs[0]:
        shown = ", ".join(
            f"{size:,}: {cost[name].peak_megabytes:,.0f} MB {cost[name].cpu:.1f} CPU s"
            for size, cost in zip(sizes, costs, strict=True)
        )
        grown = costs[-1][name].peak_megabytes - costs[0][name].peak_megabytes
        runs = given.runs if "runs" in name else 1
        each = grown * 1024 / max(1, sizes[-1] - sizes[0]) / runs
        print(f"{name:>20}: {shown}; {each:.2f} KB per question and run")


if __name__ == "__main__":
    main()
