"""Memory of commands over large benches: `score`, `analyze`, `report` and a run that is resumed.

A bench of 200 questions is built and run; larger ones repeat its contexts and questions under other ids, so that
what the commands hold per question is the same as in a bench that was built so large. Prints peak memory and CPU time
for each size and the memory of one more question and run. Target: ten runs of 100,000 questions in under 1 GB.

    python benchmarks/memory.py --questions 5000,20000 --runs 2
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

from _measuring import Cost, bench_of, fathom, workplace
from fathom.records.files import Journal, line_with_checksum, write_json
from fathom.runs.folder import RESPONSES, SPENDING, VERDICTS, RunManifest, read_responses, read_run
from fathom.scoring.verdicts import Verdict
from fathom.tasks.bench import Bench, BenchManifest
from fathom.tasks.bench_folder import CONTEXTS, KEYS, QUESTIONS, fingerprint_of, hashes_of

FAULTS = "miss=0.05&drop-filter=0.1&ignore-not=0.3&reverse=0.2&boundary=0.1"
CONTEXTS_BUILT, PER_CONTEXT = 20, 10


def repeat_bench(bench: Path, out: Path, times: int) -> Path:
    """The bench with every context and question several times, under other ids."""
    shutil.copytree(bench, out)
    for name, ids in ((CONTEXTS, ("id",)), (QUESTIONS, ("id", "context_id")), (KEYS, ("question_id",))):
        lines = [json.loads(line) for line in (bench / name).read_text().splitlines()]
        with (out / name).open("w") as file:
            for turn in range(times):
                for line in lines:
                    file.write(json.dumps({**line, **{id: f"{line[id]}{turn}" for id in ids}}) + "\n")
    old = Bench(bench).manifest
    counts = {"questions": old.questions * times, "contexts": old.contexts * times}
    new = old.model_copy(update=counts | _prints(out))
    write_json(out / "manifest.json", BenchManifest.model_validate(new.model_dump()))
    return out


def _prints(folder: Path) -> dict[str, object]:
    return {"fingerprint": fingerprint_of(folder), "hashes": hashes_of(folder)}


def repeat_run(run: Path, bench: Path, out: Path, times: int) -> Path:
    """The run with every response and verdict several times, for the repeated bench."""
    out.mkdir(parents=True)
    responses = [*read_responses(run).responses.values()]
    verdicts = [*Journal(run / VERDICTS, Verdict).read()]
    for name, records in ((RESPONSES, responses), (VERDICTS, verdicts)):
        with (out / name).open("wb") as file:
            for turn in range(times):
                for one in records:
                    file.write(line_with_checksum(one.model_copy(update={"question_id": f"{one.question_id}{turn}"})))
    (out / SPENDING).touch()
    manifest = read_run(run).model_copy(
        update={"bench": str(bench), "bench_fingerprint": Bench(bench).manifest.fingerprint, "sessions": ()}
    )
    write_json(out / "run.json", RunManifest.model_validate(manifest.model_dump()))
    return out


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
