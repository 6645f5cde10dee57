"""Accuracy of cause attribution on simulated models with known faults: each alone, four, and fourteen at once.

Only incorrect answers with one fault count. Target: of the answers with a named cause, at least nine in ten have the
correct one, for every fault; the others are unclear. The true faults are drawn again as the simulator drew them.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from _measuring import bench_of, fathom, workplace
from fathom.analysis.analyze import analyze
from fathom.corpus.store import Corpus
from fathom.models.simulated import SimulatedModel
from fathom.records.rng import rng_for
from fathom.tasks.bench import Bench
from fathom.tasks.numeric.faults import FAULTS
from fathom.tasks.numeric.key_programs import program_of
from fathom.tasks.numeric.simulate import Simulator
from fathom.tasks.programs.faults import Interpretation

FOUR = "sim/reader?drop-filter=0.2&ignore-not=0.4&reverse=0.2&miss-document=0.3"
ALL = "sim/reader?" + "&".join(f"{fault}=0.06" for fault in FAULTS)


def true_faults(bench: Bench, simulated: SimulatedModel) -> dict[str, list[str]]:
    """The faults that occurred in each question."""
    found: dict[str, list[str]] = {}
    with Corpus(bench.corpus_folder) as corpus:
        simulator = Simulator(corpus)
        for context, items in bench.by_context():
            for item in items:
                rng = rng_for(0, simulated.name, item.question.id, 0, 0)
                reading = Interpretation(program_of(item.key), simulator.read(context))
                found[item.question.id] = []
                for fault in [name for name in FAULTS if simulated.happens(name, rng)]:
                    after = FAULTS[fault].apply(reading, rng)
                    if after is not None:
                        reading = after
                        found[item.question.id].append(fault)
    return found


def measure(folder: Path, bench: Path, names: list[str]) -> None:
    runs = []
    for number, name in enumerate(names):
        runs.append(folder / f"run{number}")
        fathom("run", bench, "--model", name, "--out", runs[-1])
        fathom("score", runs[-1])
    found = analyze(runs)
    for run in found.findings.runs:
        truth = true_faults(Bench(bench), SimulatedModel.parse(run.info.model))
        answers, named, right, among = 0, 0, 0, 0
        confused: Counter[str] = Counter()
        for item in found.items[run.info.name]:
            if item.outcome == "incorrect" and len(truth[item.question_id]) == 1:
                [fault] = truth[item.question_id]
                answers += 1
                among += fault in {one.cause for one in item.candidates}
                if not item.unclear:
                    named += 1
                    right += item.candidates[0].cause == fault
                    if item.candidates[0].cause != fault:
                        confused[f"{fault} taken for {item.candidates[0].cause}"] += 1
        label = run.info.model.removeprefix("sim/reader?").replace("=0.3", "") if answers else run.info.model
        label = label if len(label) < 40 else f"{label[:36]}..."
        print(
            f"{label:40} {answers:5} answers, {named / max(1, answers):6.1%} named, {right / max(1, named):6.1%} "
            f"correct, true fault a candidate in {among / max(1, answers):.1%}  {dict(confused.most_common(2)) or ''}",
            flush=True,
        )


with workplace() as place:
    made = bench_of(place, "--documents", 300, length="64K", count=125)
    measure(place, made, [f"sim/reader?{fault}=0.3" for fault in FAULTS] + [FOUR, ALL])
