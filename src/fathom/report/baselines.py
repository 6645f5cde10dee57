"""Figures of baselines and controls, and of closed-book tests for contamination."""

from __future__ import annotations

from fathom.analysis.findings import Baseline, ClosedBookTest, Findings
from fathom.report.accuracy import GRAY
from fathom.report.drawings.canvas import Node
from fathom.report.drawings.charts import Dot, DotRow, dot_plot
from fathom.report.figures import Column, Figure, accuracy_columns, interval_columns
from fathom.report.formatting import bench_names, point
from fathom.report.ranking import run_colors


def baselines(findings: Findings) -> tuple[Figure, ...]:
    """Accuracy of guessing, shortcuts and controls."""
    if not findings.baselines:
        return ()
    colors = run_colors(findings)
    benches = bench_names(findings)

    def label(one: Baseline) -> str:
        # Each bench has an "always NULL" baseline of its own.
        return f"{one.name}, {benches.get(one.bench, one.bench)}" if len(benches) > 1 else one.name

    def draw(width: float) -> Node:
        lines = [
            DotRow(
                label(one),
                [Dot(colors.get(one.run or "", GRAY), point(f"{label(one)} ({one.description})", one.accuracy))],
            )
            for one in findings.baselines
        ]
        return dot_plot("Accuracy of baselines and controls", lines, width)

    columns: tuple[Column[Baseline], ...] = (
        Column("baseline", "Baseline", lambda one: one.name),
        Column("description", "Description", lambda one: one.description),
        Column("kind", "Kind", lambda one: one.kind),
        Column("bench", "Bench", lambda one: benches.get(one.bench, one.bench)),
        *accuracy_columns(lambda one: one.accuracy),
    )
    note = "Baselines do not read the context. Controls show the accuracy that is possible with perfect retrieval."
    return (Figure.of("baselines", "Baselines and controls", note, columns, findings.baselines, draw),)


def closed_book(findings: Findings) -> tuple[Figure, ...]:
    """Closed-book runs against their baselines."""
    tests = findings.closed_book
    if not tests:
        return ()
    colors = run_colors(findings)
    benches = bench_names(findings)

    def label(one: ClosedBookTest) -> str:
        return f"{one.model}, {benches.get(one.bench, one.bench)}" if len(benches) > 1 else one.model

    def draw(width: float) -> Node:
        lines = [
            DotRow(label(one), [Dot(colors.get(one.run, GRAY), point(f"{label(one)}, closed book", one.closed_book))])
            for one in tests
            if one.p is not None
        ]
        return dot_plot("Accuracy without the context", lines, width)

    columns: tuple[Column[ClosedBookTest], ...] = (
        Column("model", "Model", lambda one: one.model),
        Column("run", "Run", lambda one: one.run),
        Column("bench", "Bench", lambda one: benches.get(one.bench, one.bench)),
        *interval_columns(lambda one: one.closed_book, "closed_book", "Closed-book accuracy"),
        Column("baseline", "Baseline", lambda one: one.baseline),
        Column("above_baseline", "Above baseline", lambda one: one.above_baseline.value, "difference"),
        Column("p", "p", lambda one: one.p, "p"),
        Column("p_holm", "p (Holm)", lambda one: one.p_holm, "p"),
        Column("conclusion", "Conclusion", lambda one: one.conclusion),
    )
    note = " ".join(f"{label(one)} {one.conclusion}." for one in tests)
    drawn = draw if any(one.p is not None for one in tests) else None
    return (Figure.of("closed-book", "Accuracy without the context", note, columns, tests, drawn),)
