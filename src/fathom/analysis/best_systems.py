"""Which system is best for each model, by the measures that a family declares for it."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from fathom.analysis.findings import Findings, MeasureSummary, RunSummary
from fathom.scoring.measures import MeasureFigures
from fathom.tasks.catalog import family

NO_FIGURES = MeasureFigures()


class BestSystem(NamedTuple):
    """The run of a model that is best by one measure, among the runs of the model on one bench."""

    measure: MeasureSummary
    run: RunSummary
    others: tuple[tuple[RunSummary, MeasureSummary], ...]
    """The model's other runs, the best first."""


def figures_of(findings: Findings, bench: str) -> MeasureFigures:
    """The figures of the first family of a bench that declares some."""
    families = next((info.families for info in findings.benches if info.fingerprint == bench), ())
    return next((figures for name in families if (figures := family(name).figures) != NO_FIGURES), NO_FIGURES)


def measure_of(run: RunSummary, name: str) -> MeasureSummary | None:
    """The measure of that name; None if the run does not have it."""
    return next((measure for measure in run.measures if measure.name == name), None)


def best_systems(findings: Findings) -> list[BestSystem]:
    """For each measure and each model with several runs on a bench, the best of them."""
    runs: dict[tuple[str, str], list[RunSummary]] = defaultdict(list)
    for run in findings.runs:
        runs[run.info.bench, run.info.model].append(run)
    best = []
    for (bench, _), runs_of_model in runs.items():
        for name in figures_of(findings, bench).best:
            measured = [(run, measure) for run in runs_of_model if (measure := measure_of(run, name)) is not None]
            if len(measured) > 1:
                sign = -1 if measured[0][1].less_is_better else 1
                ordered = sorted(measured, key=lambda pair: -sign * pair[1].micro.value)
                best.append(BestSystem(ordered[0][1], ordered[0][0], tuple(ordered[1:])))
    return best


def run_labels(findings: Findings) -> dict[str, str]:
    """The system of each run as a label; its name where a model has several runs with that system."""
    counts: dict[tuple[str, str, str], int] = defaultdict(int)
    for run in findings.runs:
        counts[run.info.bench, run.info.model, run.info.system] += 1
    return {
        run.info.name: run.info.system
        if counts[run.info.bench, run.info.model, run.info.system] == 1
        else run.info.name
        for run in findings.runs
    }
