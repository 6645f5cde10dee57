"""What is right without reading: floors, controls, and what models knew before they were shown anything."""

from __future__ import annotations

from fathom.analysis.findings import Contamination, Findings, Floor
from fathom.report.columns import RIGHT, estimate
from fathom.report.drawings.canvas import Node
from fathom.report.drawings.charts import Dot, Line, dots
from fathom.report.figures import Column, Figure
from fathom.report.titles import bench_names
from fathom.report.where import GRAY, places
from fathom.report.words import percent, point


def floors(findings: Findings) -> tuple[Figure, ...]:
    """What a guess, a shortcut or a control gets right."""
    if not findings.floors:
        return ()
    colors = places(findings)
    benches = bench_names(findings)

    def named(one: Floor) -> str:
        # The keys of each bench give an "always NULL" of their own.
        return f"{one.name}, {benches.get(one.bench, one.bench)}" if len(benches) > 1 else one.name

    def draw(width: float) -> Node:
        lines = [
            Line(named(one), [Dot(colors.get(one.run or "", GRAY), point(f"{named(one)}: {one.what}", one.accuracy))])
            for one in findings.floors
        ]
        return dots("What is right without reading", lines, width)

    columns = (Column("floor", "Floor"), Column("what", "What it is"), Column("kind", "Kind"), Column("bench", "Bench"))
    rows = tuple(
        (one.name, one.what, one.kind, benches.get(one.bench, one.bench), *estimate(one.accuracy))
        for one in findings.floors
    )
    note = "Floors need no reading; controls show what the measuring itself can reach."
    return (Figure("floors", "Floors and controls", note, (*columns, *RIGHT), rows, draw),)


def contamination(findings: Findings) -> tuple[Figure, ...]:
    """Closed-book runs against their floors."""
    found = findings.contamination
    if not found:
        return ()
    colors = places(findings)
    benches = bench_names(findings)

    def named(one: Contamination) -> str:
        return f"{one.model}, {benches.get(one.bench, one.bench)}" if len(benches) > 1 else one.model

    def draw(width: float) -> Node:
        lines = [
            Line(named(one), [Dot(colors.get(one.run, GRAY), point(f"{named(one)}, closed book", one.closed_book))])
            for one in found
            if one.p is not None
        ]
        return dots("The share right without the context", lines, width)

    columns = (
        Column("model", "Model"),
        Column("run", "Run"),
        Column("bench", "Bench"),
        Column("closed_book", "Right without the context", "share"),
        Column("low", "from", "share"),
        Column("high", "to", "share"),
        Column("floor", "Floor"),
        Column("above_floor", "Above the floor", "difference"),
        Column("p", "p", "chance"),
        Column("p_holm", "p, Holm", "chance"),
        Column("what", "What it means"),
    )
    rows = tuple(
        (
            one.model,
            one.run,
            benches.get(one.bench, one.bench),
            one.closed_book.value,
            one.closed_book.low,
            one.closed_book.high,
            one.floor,
            one.above_floor.value,
            one.p,
            one.p_holm,
            one.what,
        )
        for one in found
    )
    said = " ".join(f"{named(one)} {one.what}." for one in found)
    note = f"{said} Intervals are at {percent(findings.level)}."
    drawn = draw if any(one.p is not None for one in found) else None
    return (Figure("contamination", "Right without the context", note, columns, rows, drawn),)
