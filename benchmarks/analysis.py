"""Speed of an analysis: bootstraps and permutation tests, and ten runs from folders to findings.

2,000 questions over 200 contexts. Each figure is compared with the simple way of doing the same, one resample or one
run at a time, in the same process. Target: 10,000 clustered paired resamples in under 2 seconds; ten runs of 2,000
questions in under 5.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from _measuring import bench_of, best, fathom, workplace
from fathom.analysis.analyze import AnalysisSettings, analyze
from fathom.analysis.intervals import ContextSums, FloatArray, draws
from fathom.analysis.significance import permutation_tests
from fathom.parallel import cores

RESAMPLES = 10_000
CONTEXTS, QUESTIONS = 200, 10
FAULTS = "miss=0.0{}&drop-filter=0.1{}&ignore-not=0.3&reverse=0.2&boundary=0.1"


def paired_resamples(first: ContextSums, second: ContextSums, resamples: int, rng: np.random.Generator) -> FloatArray:
    """Bootstrap differences of two runs' means, both over the same resampled contexts."""
    gap = second.totals - first.totals
    return np.concatenate([(piece @ gap) / (piece @ first.counts) for piece in draws(len(gap), resamples, rng)])


def seconds(work: Callable[[], object], rounds: int = 3) -> float:
    """Wall time of the fastest round."""
    found = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return best(found)


def one_by_one(first: FloatArray, second: FloatArray, resamples: int) -> list[float]:
    """The simple way: draw contexts, gather their questions, take the means."""
    rng = np.random.default_rng(0)
    members = np.arange(CONTEXTS * QUESTIONS).reshape(CONTEXTS, QUESTIONS)
    found = []
    for _ in range(resamples):
        rows = members[rng.integers(0, CONTEXTS, CONTEXTS)].ravel()
        found.append(float(second[rows].mean() - first[rows].mean()))
    return found


def resampling() -> None:
    rng = np.random.default_rng(1)
    where = np.repeat(np.arange(CONTEXTS), QUESTIONS)
    first, second = ((rng.random(len(where)) < share).astype(float) for share in (0.6, 0.63))
    sums = ContextSums.of(first, where), ContextSums.of(second, where)
    gaps = (sums[1].totals - sums[0].totals)[:, None]
    together = seconds(lambda: paired_resamples(*sums, RESAMPLES, np.random.default_rng(0)))
    tossed = seconds(lambda: permutation_tests(gaps, RESAMPLES, np.random.default_rng(0)))
    few = 500
    plain = seconds(lambda: one_by_one(first, second, few)) * RESAMPLES / few
    print(
        f"{RESAMPLES:,} paired resamples of {len(where):,} questions: {together:.2f} s, {plain / together:.0f} times as"
    )
    print(f"  fast as one at a time ({plain:.1f} s); a permutation test: {tossed:.2f} s")


def analyzing(folder: Path) -> None:
    bench = bench_of(folder, "--documents", 400, length="64K", count=CONTEXTS, questions=QUESTIONS)
    runs = [folder / f"run{number}" for number in range(10)]
    for number, run in enumerate(runs):
        fathom("run", bench, "--model", f"sim/reader?{FAULTS.format(number, number)}", "--out", run)
        fathom("score", run)
    ten = seconds(lambda: analyze(runs, settings=AnalysisSettings(processes=cores())), 3)
    scores = seconds(lambda: analyze(runs, settings=AnalysisSettings(causes=False)), 2)
    alone = seconds(lambda: analyze(runs[:1]), 2)
    found = analyze(runs, settings=AnalysisSettings(processes=cores())).findings
    asked = sum(run.overall.outcomes.questions for run in found.runs)
    print(f"10 runs, {asked:,} questions, {len(found.comparisons):,} comparisons: {ten:.2f} s,")
    print(f"  {10 * alone / ten:.1f} times as fast as one run at a time; {scores:.2f} s without causes")


# Worker processes import this file too.
if __name__ == "__main__":
    resampling()
    with workplace() as place:
        analyzing(place)
