"""Loss decomposition: the same questions over the full text, over the passages they need, and over the tables.

Accuracy that `passages` recovers was lost in finding; what `tables` recovers beyond that, in reading; the rest in
computing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from fathom.analysis.bench_data import BenchData, RunData
from fathom.analysis.findings import LossDecomposition, LossStage
from fathom.analysis.intervals import BoolArray, FloatArray, IntArray, difference, ratio_lost, share

SYSTEMS = ("full", "passages", "tables")
_STAGES = {
    ("full", "passages"): ("finding", "the needed passages were not found in the full text"),
    ("passages", "tables"): ("reading", "the needed passages were given and misread"),
    ("full", "tables"): ("finding and reading", "lost before any computation; run `passages` to separate the two"),
}
_LAST = ("computing", "incorrect although every value was given")


def decompose(
    model: str,
    bench: str,
    runs: dict[str, str],
    values: dict[str, FloatArray],
    contexts: IntArray,
    notes: tuple[str, ...] = (),
) -> LossDecomposition:
    """The decomposition for one model; `values` has its accuracy on the shared questions, by system."""
    systems = [system for system in SYSTEMS if system in values]
    stages = [
        _stage(*_STAGES[lower, upper], values[lower], values[upper], contexts) for lower, upper in pairwise(systems)
    ]
    if "tables" in values:
        perfect = np.ones_like(values["tables"])
        stages.append(_stage(*_LAST, values["tables"], perfect, contexts))
    paths = Counter(
        ", ".join(f"{system} {'correct' if values[system][index] >= 0.5 else 'incorrect'}" for system in systems)
        for index in range(len(contexts))
    )
    return LossDecomposition(
        model=model,
        bench=bench,
        runs=runs,
        items=len(contexts),
        accuracy={system: share(values[system], contexts) for system in systems},
        stages=tuple(stages),
        paths=dict(paths.most_common()),
        notes=notes,
    )


def _stage(name: str, description: str, lower: FloatArray, upper: FloatArray, contexts: IntArray) -> LossStage:
    return LossStage(
        name=name,
        description=description,
        lost=difference(upper - lower, contexts),
        rate=ratio_lost(upper, lower, contexts),
    )


def _by_system(runs: Sequence[RunData]) -> dict[tuple[object, ...], dict[str, list[RunData]]]:
    """The runs of each model by system, among runs on the same questions with the same prompting and effort."""
    groups: dict[tuple[object, ...], dict[str, list[RunData]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        info = run.run.info(True)
        if info.system in SYSTEMS:
            own = run.run.manifest.settings
            questions = run.arrays.rows.tobytes()
            groups[info.model, info.prompting, own.temperature, own.reasoning_effort, questions][info.system].append(
                run
            )
    return groups


def loss_decompositions(bench: BenchData, runs: Sequence[RunData], fingerprint: str) -> list[LossDecomposition]:
    """One for each model that was asked the same questions over two systems or more."""
    decompositions = []
    for (model, *_), by_system in _by_system(runs).items():
        if len(by_system) < 2:
            continue
        chosen = {system: runs_of_system[0] for system, runs_of_system in by_system.items()}
        rows = next(iter(chosen.values())).arrays.rows
        notes = [
            f"There are {len(runs_of_system)} runs over '{system}'; the first is used."
            for system, runs_of_system in by_system.items()
            if len(runs_of_system) > 1
        ]
        # A call that failed with one system only would count as a loss in finding, or as a gain.
        answered = _answered_by_all(list(chosen.values()), rows)
        if not answered.all():
            notes.append(
                f"{int((~answered).sum()):,} of {len(rows):,} questions are excluded because some system has no answer "
                "to them (error, not asked yet, or too long for the window)."
            )
        rows = rows[answered]
        if len(rows):
            values = {system: run.accuracy_at(rows) for system, run in chosen.items()}
            names = {system: run.name for system, run in chosen.items()}
            decompositions.append(decompose(str(model), fingerprint, names, values, bench.contexts[rows], tuple(notes)))
    return decompositions


def _answered_by_all(runs: Sequence[RunData], rows: IntArray) -> BoolArray:
    return np.asarray(np.logical_and.reduce([run.answered(rows) for run in runs]))


def explain_missing(runs: Sequence[RunData]) -> list[str]:
    """Why models that were run over several systems have no loss decomposition."""
    grouped = _by_system(runs)
    systems: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        systems[run.run.manifest.model] |= {run.run.manifest.system} & set(SYSTEMS)
    complete = {key[0] for key, by_name in grouped.items() if len(by_name) > 1}
    unanswered = [
        f"{key[0]} has no loss decomposition: no question was answered with every system."
        for key, by_name in grouped.items()
        if len(by_name) > 1
        and not _answered_by_all(
            chosen := [runs_of_system[0] for runs_of_system in by_name.values()], chosen[0].arrays.rows
        ).any()
    ]
    return unanswered + [
        f"{model} has no loss decomposition: its runs over {', '.join(sorted(tried))} have different questions or "
        "settings."
        for model, tried in systems.items()
        if len(tried) > 1 and model not in complete
    ]
