"""The main table: every run with its accuracy, interval and counts."""

from __future__ import annotations

from fathom.analysis.findings import Findings, RunSummary
from fathom.report.costs import price_per_question
from fathom.report.drawings.canvas import Node
from fathom.report.drawings.charts import Dot, DotRow, dot_plot
from fathom.report.figures import Column, Figure, count_columns, interval_columns
from fathom.report.formatting import bench_names, point
from fathom.report.ranking import asked_note, missing_note, ranked, received, run_colors, run_kinds


def headline(findings: Findings) -> Figure:
    """All runs, the best first."""
    colors = run_colors(findings)
    benches = bench_names(findings)
    kinds = run_kinds(findings)
    runs = ranked(findings)

    def draw(width: float) -> Node:
        lines = [
            DotRow(
                _label(run),
                [Dot(colors[run.info.name], point(_label(run), run.overall.accuracy))] if received(run) else [],
            )
            for run in runs
        ]
        return dot_plot("Accuracy of every run with its 95% interval", lines, width)

    measures = dict.fromkeys(name for run in runs for name in run.measures)
    columns: tuple[Column[RunSummary], ...] = (
        Column("run", "Run", lambda run: run.info.name),
        Column("model", "Model", lambda run: run.info.model),
        Column("system", "System", lambda run: run.info.system),
        Column("bench", "Bench", lambda run: benches.get(run.info.bench, "")),
        *interval_columns(lambda run: run.overall.accuracy, "accuracy", "Accuracy"),
        Column("partial_credit", "Partial credit", lambda run: run.overall.partial_credit.value, "share"),
        *(column for name in measures for column in _measure_columns(name)),
        Column("max_accuracy", "Max accuracy", lambda run: run.overall.max_accuracy, "share"),
        Column("kind", "Kind", lambda run: kinds[run.info.name]),
        *response_columns(),
        Column("incorrect", "Incorrect", lambda run: run.overall.outcomes.incorrect, "count"),
        Column("unparseable", "Unparseable", lambda run: run.overall.outcomes.unparseable, "count"),
        Column("model_refused", "Refused by the model", lambda run: run.overall.outcomes.refused, "count"),
        Column("overflow", "Overflow", lambda run: run.overall.outcomes.overflow, "count"),
        Column("unjudged", "Unjudged", lambda run: run.overall.outcomes.unjudged, "count"),
        Column("unanswered", "Not asked yet", lambda run: run.overall.outcomes.unanswered, "count"),
        *count_columns(lambda run: run.overall.counts, runs),
        Column("price", "Price per question", price_per_question, "money"),
        Column("effective_length", "Effective length", _effective_length),
    )
    note = "Accuracy over all responses, missing ones included, with a 95% interval clustered by context."
    return Figure.of("headline", "Accuracy", note, columns, runs, draw)


def response_columns() -> tuple[Column[RunSummary], ...]:
    """Questions asked and responses received."""
    return (
        Column("asked", "Questions asked", lambda run: run.overall.outcomes.questions, "count"),
        Column("not_asked", "Not asked", lambda run: run.not_asked, "count"),
        Column("responses", "Responses expected", lambda run: run.overall.outcomes.responses, "count"),
        Column("received", "Responses received", received, "count"),
    )


def _measure_columns(name: str) -> tuple[Column[RunSummary], ...]:
    return interval_columns(lambda run: run.measures.get(name), name, name, prefix=f"{name}_")


def _label(run: RunSummary) -> str:
    """The run's name, with a note if it is incomplete."""
    notes = "; ".join(filter(None, [asked_note(run), missing_note(run)]))
    return f"{run.info.name} ({notes})" if notes else run.info.name


def _effective_length(run: RunSummary) -> str:
    effective = run.lengths.effective
    if effective is None or not received(run):
        return ""
    if effective.length is None:
        return "none"
    return f"{effective.length}{'+' if effective.reaches_longest else ''}"
