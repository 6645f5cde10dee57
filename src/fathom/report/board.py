"""The leaderboard: for each bench who answers how well, models before those that are none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fathom.analysis.findings import Findings, RunFinding
from fathom.report.columns import ASKED, FIVE, INTERVAL, asked_of, five, interval_of
from fathom.report.costs import price_a_question
from fathom.report.drawings.canvas import Node
from fathom.report.drawings.charts import Dot, Line, dots
from fathom.report.figures import Column, Figure, Value
from fathom.report.standing import Standing, came, is_partial, ranked, reservations, standings, waiting
from fathom.report.titles import bench_names
from fathom.report.where import GRAY
from fathom.report.words import point, some

COLUMNS = (
    Column("bench", "Bench"),
    Column("rank", "Rank", "count"),
    Column("model", "Model"),
    Column("system", "System"),
    Column("prompting", "Prompting"),
    Column("standing", "What it is"),
    Column("run", "Run shown"),
    Column("runs", "of so many", "count"),
    *INTERVAL,
    Column("beside", "Beside it"),
    Column("at_most", "At most", "share"),
    *ASKED,
    *FIVE,
    Column("price", "Price a question", "money"),
)


@dataclass(frozen=True)
class Entry:
    """One answerer on one bench."""

    run: RunFinding
    """The one that is shown."""
    runs: int
    """How many there are of it."""
    standing: Standing
    rank: int | None
    """None for what is not ranked: partial runs, and what is no model where there are models."""


def board(findings: Findings) -> Figure:
    """Every bench with those that answered it, the best first."""
    found = entries(findings)
    names = bench_names(findings)

    def draw(width: float) -> Node:
        lines = [
            Line(said := _said(entry, names), [Dot(_color(entry), point(said, entry.run.all.accuracy))])
            for entry in found
            if came(entry.run)
        ]
        return dots("The share right by bench, model and system", lines, width)

    note = (
        "Share right with the 95% interval, bench by bench: shares of different benches are not comparable. Models are "
        "ranked; simulated answerers, controls and runs that were not asked every question stand below them. Of "
        "several runs of one model and system the first that is whole is shown, whatever its score; the bench's own "
        "page has all."
    )
    return Figure("board", "Leaderboard", note, COLUMNS, tuple(_row(entry, names) for entry in found), draw)


def entries(findings: Findings) -> list[Entry]:
    """One entry for each model, system and prompting on each bench, bench by bench, the best first."""
    known = standings(findings)
    alike: dict[tuple[str, ...], list[RunFinding]] = {}
    for run in findings.runs:
        alike.setdefault(_answerer(run), []).append(run)
    shown = {_shown(runs).facts.name: len(runs) for runs in alike.values()}
    order = [run for run in ranked(findings) if run.facts.name in shown]
    ranks = {run.facts.name: rank for some_runs in _races(order, known) for rank, run in some_runs}
    return [Entry(run, shown[run.facts.name], known[run.facts.name], ranks.get(run.facts.name)) for run in order]


def _answerer(run: RunFinding) -> tuple[str, ...]:
    facts = run.facts
    return facts.bench, facts.model, facts.system, facts.prompting


def _shown(runs: Sequence[RunFinding]) -> RunFinding:
    """The first of the wholest: to show the best of many tries would flatter whoever tried often."""
    return min(runs, key=lambda run: (not came(run), is_partial(run), waiting(run) > 0))


def _races(order: Sequence[RunFinding], known: dict[str, Standing]) -> Iterator[list[tuple[int, RunFinding]]]:
    """For each bench its whole runs of the kind that stands first there, with their ranks."""
    by_bench: dict[str, list[RunFinding]] = {}
    for run in order:
        by_bench.setdefault(run.facts.bench, []).append(run)
    for runs in by_bench.values():
        first = known[runs[0].facts.name]
        racing = [run for run in runs if known[run.facts.name] == first and came(run) and not is_partial(run)]
        yield list(enumerate(racing, start=1))


def _said(entry: Entry, names: dict[str, str]) -> str:
    facts = entry.run.facts
    bench = f"{names[facts.bench]}: " if len(names) > 1 else ""
    beside = "" if entry.standing == "model" else f" ({entry.standing})"
    return f"{bench}{facts.model}, {facts.system}{beside}"


def _color(entry: Entry) -> int:
    return 0 if entry.standing == "model" else GRAY


def _row(entry: Entry, names: dict[str, str]) -> tuple[Value, ...]:
    run, group = entry.run, entry.run.all
    facts = run.facts
    several = f"{facts.name}, one of {some(entry.runs, 'run')}" if entry.runs > 1 else ""
    return (
        names[facts.bench],
        entry.rank,
        facts.model,
        facts.system,
        facts.prompting,
        entry.standing,
        facts.name,
        entry.runs,
        *(interval_of(group.accuracy) if came(run) else (None, None, None)),
        "; ".join(filter(None, [reservations(run), several])),
        group.at_most,
        *asked_of(run),
        *five(group.counts),
        price_a_question(run),
    )
