"""The main table of a page, and the leaderboard: for each bench its models by accuracy, then simulated models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fathom.analysis.findings import Findings, RunSummary
from fathom.records.plurals import counted
from fathom.report.costs import amount, price_per_question, tokens_per_question
from fathom.report.drawings.canvas import GRAY, SvgNode
from fathom.report.drawings.charts import Dot, DotRow, dot_plot
from fathom.report.figures import Figure, FigureColumn, count_columns, interval_columns
from fathom.report.formatting import bench_names, effective_length, point
from fathom.report.ranking import (
    RunKind,
    asked_note,
    caveats,
    is_partial,
    missing,
    missing_note,
    ranked,
    received_count,
    run_colors,
    run_kinds,
)


def headline(findings: Findings) -> Figure:
    """All runs, the best first."""
    colors = run_colors(findings)
    benches = bench_names(findings)
    kinds = run_kinds(findings)
    runs = ranked(findings)

    def draw(width: float) -> SvgNode:
        lines = [
            DotRow(
                _label(run),
                [Dot(colors[run.info.name], point(_label(run), run.overall.accuracy))] if received_count(run) else [],
            )
            for run in runs
        ]
        return dot_plot("Accuracy of every run with its 95% interval", lines, width)

    measures = dict.fromkeys(name for run in runs for name in run.overall.measures)
    columns: tuple[FigureColumn[RunSummary], ...] = (
        FigureColumn("run", "Run", lambda run: run.info.name),
        FigureColumn("model", "Model", lambda run: run.info.model),
        FigureColumn("system", "System", lambda run: run.info.system),
        FigureColumn("bench", "Bench", lambda run: benches.get(run.info.bench, "")),
        *interval_columns(lambda run: run.overall.accuracy, "accuracy", "Accuracy"),
        FigureColumn("partial_credit", "Partial credit", lambda run: run.overall.partial_credit.value, "share"),
        *(column for name in measures for column in _measure_columns(name)),
        FigureColumn("max_accuracy", "Max accuracy", lambda run: run.overall.max_accuracy, "share"),
        FigureColumn("kind", "Kind", lambda run: kinds[run.info.name]),
        *response_columns(),
        FigureColumn("incorrect", "Incorrect", lambda run: run.overall.outcomes.incorrect, "count"),
        FigureColumn("unparseable", "Unparseable", lambda run: run.overall.outcomes.unparseable, "count"),
        FigureColumn("model_refused", "Refused by the model", lambda run: run.overall.outcomes.refused, "count"),
        FigureColumn("overflow", "Overflow", lambda run: run.overall.outcomes.overflow, "count"),
        FigureColumn("unjudged", "Unjudged", lambda run: run.overall.outcomes.unjudged, "count"),
        FigureColumn("unanswered", "Not asked yet", lambda run: run.overall.outcomes.unanswered, "count"),
        *count_columns(lambda run: run.overall.counts, runs),
        FigureColumn("price", "Price per question", price_per_question, "money"),
        FigureColumn("tokens", "Tokens per question", tokens_per_question, "count"),
        FigureColumn("seconds", "Seconds per question", lambda run: amount(run, "seconds"), "number"),
        FigureColumn("effective_length", "Effective length", _effective_length),
        FigureColumn("effective_tokens", "Effective tokens", _effective_tokens, "count", hidden=True),
    )
    note = "Accuracy over all responses, including missing ones, with a 95% interval clustered by context."
    return Figure.of("headline", "Accuracy", note, columns, runs, draw)


def response_columns() -> tuple[FigureColumn[RunSummary], ...]:
    """Questions asked and responses received."""
    return (
        FigureColumn("asked", "Questions asked", lambda run: run.overall.outcomes.questions, "count"),
        FigureColumn("not_asked", "Not asked", lambda run: run.not_asked, "count"),
        FigureColumn("responses", "Responses expected", lambda run: run.overall.outcomes.responses, "count"),
        FigureColumn("received", "Responses received", received_count, "count"),
    )


def _measure_columns(name: str) -> tuple[FigureColumn[RunSummary], ...]:
    return interval_columns(lambda run: run.overall.measures.get(name), name, name, prefix=f"{name}_")


def _label(run: RunSummary) -> str:
    """The run's name, with a note if it is incomplete."""
    notes = "; ".join(filter(None, [asked_note(run), missing_note(run)]))
    return f"{run.info.name} ({notes})" if notes else run.info.name


def _effective_length(run: RunSummary) -> str:
    effective = run.lengths.effective
    return "" if effective is None or not received_count(run) else effective_length(effective)


def _effective_tokens(run: RunSummary) -> int | None:
    effective = run.lengths.effective
    return None if effective is None or not received_count(run) else effective.tokens


@dataclass(frozen=True)
class LeaderboardEntry:
    """One model and system on one bench."""

    run: RunSummary
    """The run that is shown."""
    runs: int
    """Number of runs of this model and system."""
    kind: RunKind
    rank: int | None
    """None for partial runs, and for simulated models and controls if there are models."""


def leaderboard(findings: Findings) -> Figure:
    """Every bench with its entries, the best first."""
    all_entries = entries(findings)
    names = bench_names(findings)

    def label(entry: LeaderboardEntry) -> str:
        info = entry.run.info
        bench = f"{names[info.bench]}: " if len(names) > 1 else ""
        kind = "" if entry.kind == "model" else f" ({entry.kind})"
        return f"{bench}{info.model}, {info.system}{kind}"

    def draw(width: float) -> SvgNode:
        lines = [
            DotRow(
                label(entry),
                [Dot(0 if entry.kind == "model" else GRAY, point(label(entry), entry.run.overall.accuracy))],
            )
            for entry in all_entries
            if received_count(entry.run)
        ]
        return dot_plot("Accuracy by bench, model and system", lines, width)

    columns: tuple[FigureColumn[LeaderboardEntry], ...] = (
        FigureColumn("bench", "Bench", lambda entry: names[entry.run.info.bench]),
        FigureColumn("rank", "Rank", lambda entry: entry.rank, "count"),
        FigureColumn("model", "Model", lambda entry: entry.run.info.model),
        FigureColumn("system", "System", lambda entry: entry.run.info.system),
        FigureColumn("prompting", "Prompting", lambda entry: entry.run.info.prompting),
        FigureColumn("kind", "Kind", lambda entry: entry.kind),
        FigureColumn("run", "Run shown", lambda entry: entry.run.info.name),
        FigureColumn("runs", "Runs", lambda entry: entry.runs, "count"),
        *interval_columns(
            lambda entry: entry.run.overall.accuracy if received_count(entry.run) else None, "accuracy", "Accuracy"
        ),
        FigureColumn("notes", "Notes", _notes),
        FigureColumn("max_accuracy", "Max accuracy", lambda entry: entry.run.overall.max_accuracy, "share"),
        *(_of_run(column) for column in response_columns()),
        *count_columns(lambda entry: entry.run.overall.counts, all_entries),
        FigureColumn("price", "Price per question", lambda entry: price_per_question(entry.run), "money"),
    )
    note = (
        "Accuracy with a 95% interval for each bench; accuracies on different benches are not comparable. Models are "
        "ranked. Simulated models, controls and runs that did not ask every question are listed below them; "
        "if there are no other models, simulated models are ranked. If a model and system has several runs, the first "
        "complete one is shown, whatever its score; the bench's page has all."
    )
    return Figure.of("leaderboard", "Leaderboard", note, columns, all_entries, draw)


def _of_run(column: FigureColumn[RunSummary]) -> FigureColumn[LeaderboardEntry]:
    return FigureColumn(column.name, column.title, lambda entry: column.value(entry.run), column.kind, column.hidden)


def _notes(entry: LeaderboardEntry) -> str:
    several = f"{entry.run.info.name}, one of {counted(entry.runs, 'run')}" if entry.runs > 1 else ""
    return "; ".join(filter(None, [caveats(entry.run), several]))


def entries(findings: Findings) -> list[LeaderboardEntry]:
    """One entry for each model, system and prompting on each bench, the best first."""
    kinds = run_kinds(findings)
    by_system: dict[tuple[str, ...], list[RunSummary]] = {}
    for run in findings.runs:
        info = run.info
        by_system.setdefault((info.bench, info.model, info.system, info.prompting), []).append(run)
    runs_by_name = {_run_to_show(runs).info.name: len(runs) for runs in by_system.values()}
    order = [run for run in ranked(findings) if run.info.name in runs_by_name]
    ranks = {run.info.name: rank for ranking in _rankings(order, kinds) for rank, run in ranking}
    return [
        LeaderboardEntry(run, runs_by_name[run.info.name], kinds[run.info.name], ranks.get(run.info.name))
        for run in order
    ]


def _run_to_show(runs: Sequence[RunSummary]) -> RunSummary:
    """The first of the most complete runs: showing the best of many would favor models that were run often."""
    return min(runs, key=lambda run: (not received_count(run), is_partial(run), missing(run) > 0))


def _rankings(order: Sequence[RunSummary], kinds: dict[str, RunKind]) -> Iterator[list[tuple[int, RunSummary]]]:
    """For each bench, the complete runs of its first kind with their ranks."""
    by_bench: dict[str, list[RunSummary]] = {}
    for run in order:
        by_bench.setdefault(run.info.bench, []).append(run)
    for runs in by_bench.values():
        first = kinds[runs[0].info.name]
        competing = [
            run for run in runs if kinds[run.info.name] == first and received_count(run) and not is_partial(run)
        ]
        yield list(enumerate(competing, start=1))
