"""The figure that stands first: every run with its interval and its five counts."""

from __future__ import annotations

from fathom.analysis.findings import Findings, RunFinding
from fathom.models.simulated import PREFIX
from fathom.report.drawings.canvas import Node
from fathom.report.drawings.charts import Dot, Line, dots
from fathom.report.figures import Column, Figure, Value
from fathom.report.titles import bench_names
from fathom.report.words import point

COLUMNS = (
    Column("run", "Run"),
    Column("model", "Model"),
    Column("system", "System"),
    Column("bench", "Bench"),
    Column("right", "Right", "share"),
    Column("low", "from", "share"),
    Column("high", "to", "share"),
    Column("credit", "Credit", "share"),
    Column("at_most", "At most", "share"),
    Column("replies", "Replies wanted", "count"),
    Column("wrong", "Wrong", "count"),
    Column("unreadable", "Unreadable", "count"),
    Column("model_refused", "Refused by the model", "count"),
    Column("overflow", "Too long", "count"),
    Column("unanswered", "Not asked yet", "count"),
    Column("built", "Built", "count"),
    Column("fitted", "Fitted", "count"),
    Column("failed", "Failed", "count"),
    Column("refused", "Refused", "count"),
    Column("retired", "Retired", "count"),
    Column("price", "Price a question", "money"),
    Column("effective_length", "Holds to"),
)


def controls(findings: Findings) -> set[str]:
    """Runs that are there to compare with: they are told what a system has to find, or shown nothing."""
    told = {run for ladder in findings.ladders for rung, run in ladder.runs.items() if rung != "full"}
    # Of the simulated answerers only a reader may be taken for a model; an oracle knows the keys.
    known = {run.facts.name for run in findings.runs if _is_no_reader(run.facts.model)}
    return told | known | {one.run for one in findings.floors if one.run is not None}


def _is_no_reader(model: str) -> bool:
    return model.startswith(PREFIX) and not model.startswith(f"{PREFIX}reader")


def headline(findings: Findings) -> Figure:
    """Runs, the best first, and below them those that are there to compare with."""
    places = {run.facts.name: number for number, run in enumerate(findings.runs)}
    benches = bench_names(findings)
    aside = controls(findings)
    runs = sorted(findings.runs, key=lambda run: (run.facts.name in aside, -run.all.right.value))

    def draw(width: float) -> Node:
        lines = [
            Line(run.facts.name, [Dot(places[run.facts.name], point(run.facts.name, run.all.right))]) for run in runs
        ]
        return dots("The share right of every run with its 95% interval", lines, width)

    return Figure(
        "headline",
        "Share right",
        "Share right of all replies wanted, answered or not, with the 95% interval clustered by context. Built, "
        "fitted, failed, refused, retired: the five counts that stand beside every score.",
        COLUMNS,
        tuple(_row(run, benches.get(run.facts.bench, "")) for run in runs),
        draw,
    )


def _row(run: RunFinding, bench: str) -> tuple[Value, ...]:
    group, facts = run.all, run.facts
    outcomes, counts = group.outcomes, group.counts
    return (
        facts.name,
        facts.model,
        facts.system,
        bench,
        group.right.value,
        group.right.low,
        group.right.high,
        group.credit.value,
        group.at_most,
        outcomes.replies,
        outcomes.wrong,
        outcomes.unreadable,
        outcomes.refused,
        outcomes.overflow,
        outcomes.unanswered,
        counts.built,
        counts.fitted,
        counts.failed,
        counts.refused,
        counts.retired,
        run.cost.price_a_question,
        _holds_to(run),
    )


def _holds_to(run: RunFinding) -> str:
    """The effective length in a word."""
    effective = run.lengths.effective
    if effective is None:
        return ""
    if effective.length is None:
        return "none"
    return f"{effective.length}{'+' if effective.reaches_the_end else ''}"
