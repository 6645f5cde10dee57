"""The figure that stands first: every run with its interval and its five counts."""

from __future__ import annotations

from fathom.analysis.findings import Findings, RunFinding
from fathom.report.columns import ASKED, FIVE, INTERVAL, asked_of, five, interval_of
from fathom.report.costs import price_a_question
from fathom.report.drawings.canvas import Node
from fathom.report.drawings.charts import Dot, Line, dots
from fathom.report.figures import Column, Figure, Value
from fathom.report.standing import asked, came, missing, ranked, standings
from fathom.report.titles import bench_names
from fathom.report.words import point

COLUMNS = (
    Column("run", "Run"),
    Column("model", "Model"),
    Column("system", "System"),
    Column("bench", "Bench"),
    *INTERVAL,
    Column("credit", "Credit", "share"),
    Column("at_most", "At most", "share"),
    Column("standing", "What it is"),
    *ASKED,
    Column("incorrect", "Incorrect", "count"),
    Column("unparseable", "Unparseable", "count"),
    Column("model_refused", "Refused by the model", "count"),
    Column("overflow", "Too long", "count"),
    Column("unanswered", "Not asked yet", "count"),
    *FIVE,
    Column("price", "Price a question", "money"),
    Column("effective_length", "Holds to"),
)


def headline(findings: Findings) -> Figure:
    """Runs, the best first; partial ones below whole ones, and below all those that are there to compare with."""
    places = {run.facts.name: number for number, run in enumerate(findings.runs)}
    benches = bench_names(findings)
    known = standings(findings)
    runs = ranked(findings)

    def draw(width: float) -> Node:
        lines = [
            Line(_named(run), [Dot(places[run.facts.name], point(_named(run), run.all.accuracy))] if came(run) else [])
            for run in runs
        ]
        return dots("The share right of every run with its 95% interval", lines, width)

    return Figure(
        "headline",
        "Share right",
        "Share right of all responses wanted, answered or not, with the 95% interval clustered by context. Built, "
        "fitted, failed, refused, retired: the five counts that stand beside every score.",
        COLUMNS,
        tuple(_row(run, benches.get(run.facts.bench, ""), known[run.facts.name]) for run in runs),
        draw,
    )


def _row(run: RunFinding, bench: str, standing: str) -> tuple[Value, ...]:
    group, facts = run.all, run.facts
    outcomes = group.outcomes
    return (
        facts.name,
        facts.model,
        facts.system,
        bench,
        *interval_of(group.accuracy),
        group.credit.value,
        group.at_most,
        standing,
        *asked_of(run),
        outcomes.incorrect,
        outcomes.unparseable,
        outcomes.refused,
        outcomes.overflow,
        outcomes.unanswered,
        *five(group.counts),
        price_a_question(run),
        _holds_to(run),
    )


def _named(run: RunFinding) -> str:
    """The run's name, with what a drawing must not hide of it."""
    said = "; ".join(filter(None, [asked(run), missing(run)]))
    return f"{run.facts.name} ({said})" if said else run.facts.name


def _holds_to(run: RunFinding) -> str:
    """The effective length in a word."""
    effective = run.lengths.effective
    if effective is None or not came(run):
        return ""
    if effective.length is None:
        return "none"
    return f"{effective.length}{'+' if effective.reaches_the_end else ''}"
