"""The kind of each run (model, simulated, control), its missing responses, and the order of runs."""

from __future__ import annotations

from typing import Literal

from fathom.analysis.findings import Findings, RunSummary
from fathom.models.simulated import PREFIX
from fathom.records.plurals import counted
from fathom.report.formatting import percent

RunKind = Literal["model", "simulated", "control"]
ORDER: tuple[RunKind, ...] = ("model", "simulated", "control")
"""Models come first: simulated models and controls do not compete with them."""


def controls(findings: Findings) -> set[str]:
    """Runs that serve as controls or baselines: they are given the needed passages or values, or no context."""
    helped = {
        run
        for decomposition in findings.loss_decompositions
        for system, run in decomposition.runs.items()
        if system != "full"
    }
    # Of the simulated models only a reader behaves like a model; an oracle knows the keys.
    reader = f"{PREFIX}reader"
    simulated = {run.info.name for run in findings.runs if is_simulated(run) and not run.info.model.startswith(reader)}
    return helped | simulated | {baseline.run for baseline in findings.baselines if baseline.run is not None}


def is_simulated(run: RunSummary) -> bool:
    """Whether the run is of a simulated model."""
    return run.info.model.startswith(PREFIX)


def run_kinds(findings: Findings) -> dict[str, RunKind]:
    """The kind of each run, by name."""
    control_names = controls(findings)
    return {
        run.info.name: "control" if run.info.name in control_names else "simulated" if is_simulated(run) else "model"
        for run in findings.runs
    }


def ranked(findings: Findings) -> list[RunSummary]:
    """The runs by bench and accuracy: models before other kinds, complete runs before partial ones."""
    kinds = run_kinds(findings)
    benches = [bench.fingerprint for bench in findings.benches]

    # Without the order by completeness, a run of ten easy questions out of a thousand would rank first.
    def key(run: RunSummary) -> tuple[int, int, bool, bool, float]:
        kind = ORDER.index(kinds[run.info.name])
        return (
            benches.index(run.info.bench),
            kind,
            not received_count(run),
            is_partial(run),
            -run.overall.accuracy.value,
        )

    return sorted(findings.runs, key=key)


def in_page_order(findings: Findings) -> Findings:
    """The findings with their runs as `ranked`: tables, legends, colors and items all have this order."""
    return findings.model_copy(update={"runs": tuple(ranked(findings))})


def is_partial(run: RunSummary) -> bool:
    """Whether the bench has questions that the run does not ask."""
    return run.not_asked > 0


def missing(run: RunSummary) -> int:
    """Responses that failed or are not asked yet."""
    return run.overall.outcomes.error + run.overall.outcomes.unanswered


def received_count(run: RunSummary) -> int:
    """Responses that arrived."""
    return run.overall.outcomes.received


def asked_note(run: RunSummary) -> str:
    """How many questions of the bench the run asks; empty if it asks all."""
    questions = run.overall.outcomes.questions
    return f"asked {questions:,} of {questions + run.not_asked:,}" if is_partial(run) else ""


def missing_note(run: RunSummary) -> str:
    """How many responses are missing; empty if none are."""
    return f"{missing(run):,} of {counted(run.overall.outcomes.responses, 'response')} missing" if missing(run) else ""


def caveats(run: RunSummary) -> str:
    """A remark on the score of an incomplete run; empty for a complete one."""
    absent = missing_note(run)
    # Without any response, "at most 100%" would say nothing.
    limit = f" (at most {percent(run.overall.max_accuracy)})" if absent and received_count(run) else ""
    return "; ".join(filter(None, [asked_note(run), absent + limit]))


def with_responses(findings: Findings) -> list[RunSummary]:
    """The runs with at least one response. A run with errors only is not drawn."""
    return [run for run in findings.runs if received_count(run)]


def run_colors(findings: Findings) -> dict[str, int]:
    """The number of each run, which determines its color in every figure."""
    return {run.info.name: number for number, run in enumerate(findings.runs)}
