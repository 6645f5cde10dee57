"""Figures of systems of several steps: recall of what was retrieved, and the stages at which failures arise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fathom.analysis.findings import Estimate, FailureStage, Findings, RecallAt
from fathom.records.plurals import counted
from fathom.report.drawings.canvas import SvgNode
from fathom.report.drawings.charts import Dot, Segment, dot_plot, dot_rows, stacked_bars
from fathom.report.figures import Figure, FigureColumn, RunRow, interval_columns
from fathom.report.formatting import point
from fathom.report.ranking import run_colors
from fathom.scoring.recall import DOCUMENT_RECALL, SPAN_RECALL, TOO_FEW

STYLES = {
    "retrieval miss": "finding",
    "reading miss": "reading",
    "reasoning miss": "computing",
    "gave up": "gave-up",
    "out of budget": "spent",
}
"""The drawing class of each stage; others are gray."""


def recall(findings: Findings) -> tuple[Figure, ...]:
    """Recall of needed spans and documents at each number of passages, and by every property of the questions."""
    rows = [RunRow(run.info.name, at) for run in findings.runs if run.retrieval is not None for at in run.retrieval.at]
    if not rows:
        return ()
    colors = run_colors(findings)
    ranks = sorted({row.of.k for row in rows})

    def draw(width: float) -> SvgNode:
        dots = (
            (f"k = {row.of.k:,}", Dot(colors[row.run], point(f"{row.run}, k = {row.of.k}", row.of.spans)))
            for row in rows
        )
        return dot_plot("Recall of needed spans", dot_rows((f"k = {k:,}" for k in ranks), dots), width)

    columns: tuple[FigureColumn[RunRow[RecallAt]], ...] = (
        FigureColumn("run", "Run", lambda row: row.run),
        FigureColumn("k", "k", lambda row: row.of.k, "count"),
        *interval_columns(lambda row: row.of.spans, "spans", "Needed spans", prefix="spans_"),
        *interval_columns(lambda row: row.of.documents, "documents", "Needed documents", prefix="documents_"),
    )
    note = (
        "The mean share of needed spans that are completely in the first k retrieved passages. The table also "
        "has the share of needed documents with any such passage."
    )
    return (Figure.of("recall", "Recall at k", note, columns, rows, draw), _recall_by_group(findings))


@dataclass(frozen=True)
class _GroupRow:
    run: str
    by: str
    group: str
    spans: Estimate
    documents: Estimate
    too_few: Estimate

    @property
    def name(self) -> str:
        return self.group if self.by == self.group else f"{self.by}: {self.group}"


def _recall_by_group(findings: Findings) -> Figure:
    rows = list(_group_rows(findings))
    colors = run_colors(findings)

    def draw(width: float) -> SvgNode:
        names = dict.fromkeys(row.name for row in rows)
        dots = ((row.name, Dot(colors[row.run], point(f"{row.run}, {row.name}", row.spans))) for row in rows)
        return dot_plot("Recall of needed spans by group", dot_rows(names, dots), width)

    columns: tuple[FigureColumn[_GroupRow], ...] = (
        FigureColumn("run", "Run", lambda row: row.run),
        FigureColumn("by", "By", lambda row: row.by),
        FigureColumn("group", "Group", lambda row: row.group),
        FigureColumn("questions", "Questions", lambda row: row.spans.items, "count"),
        *interval_columns(lambda row: row.spans, "spans", "Needed spans", prefix="spans_"),
        *interval_columns(lambda row: row.documents, "documents", "Needed documents", prefix="documents_"),
        FigureColumn("too_few", "† Too few passages", lambda row: row.too_few.value, "share"),
    )
    note = (
        "Recall of needed spans. The table also has the recall of needed documents, and the share of responses for "
        "which fewer passages were retrieved than documents are needed (†)."
    )
    return Figure.of("recall-by-group", "Recall by group", note, columns, rows, draw)


def _group_rows(findings: Findings) -> Iterator[_GroupRow]:
    for run in findings.runs:
        split_breakdowns = [breakdown for breakdown in run.breakdowns if len(breakdown.groups) > 1]
        groups = [
            ("all", run.overall),
            *((breakdown.by.capitalize(), group) for breakdown in split_breakdowns for group in breakdown.groups),
        ]
        for by, group in groups:
            measures = group.measures
            if SPAN_RECALL in measures:
                yield _GroupRow(
                    run.info.name, by, group.name, measures[SPAN_RECALL], measures[DOCUMENT_RECALL], measures[TOO_FEW]
                )


def recall_summary(findings: Findings) -> str:
    with_retrieval = [run for run in findings.runs if run.retrieval is not None]
    if not with_retrieval:
        return ""
    few = sum(run.retrieval.too_few for run in with_retrieval if run.retrieval)
    marked = f" {counted(few, 'response')} had fewer passages than needed documents (†)." if few else ""
    return f"How much of the evidence that the questions need was retrieved.{marked}"


def failure_stages(findings: Findings) -> tuple[Figure, ...]:
    """The stages at which systems of several steps failed."""
    failed_runs = [run for run in findings.runs if run.failure_stages]
    rows = [RunRow(run.info.name, stage) for run in failed_runs for stage in run.failure_stages if stage.count]
    if not rows:
        return ()

    def draw(width: float) -> SvgNode:
        bars = [
            (run.info.name, [_segment(stage_of_run) for stage_of_run in run.failure_stages if stage_of_run.count])
            for run in failed_runs
        ]
        return stacked_bars("Failures by stage", bars, width, run_colors(findings))

    columns: tuple[FigureColumn[RunRow[FailureStage]], ...] = (
        FigureColumn("run", "Run", lambda row: row.run),
        FigureColumn("stage", "Stage", lambda row: row.of.name),
        FigureColumn("count", "Responses", lambda row: row.of.count, "count"),
        *interval_columns(lambda row: row.of.share, "share", "Share of all"),
        FigureColumn("share_of_errors", "Share of failures", lambda row: row.of.share_of_failures, "share"),
        FigureColumn("description", "Description", lambda row: row.of.description),
    )
    note = "Each failure of a multi-step system has one stage, based on its trace, its key and its likely cause."
    return (Figure.of("failure-stages", "Failures by stage", note, columns, rows, draw),)


def _segment(stage: FailureStage) -> Segment:
    tip = f"{stage.name}: {counted(stage.count, 'response')}"
    return Segment(STYLES.get(stage.name, "unclear"), stage.name, stage.share_of_failures, tip)
