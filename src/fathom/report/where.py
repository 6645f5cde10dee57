"""Figures that say how well and where: comparisons, lengths, breakdowns, heat maps, samples."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import log2

from fathom.analysis.findings import Comparison, Findings, HeatMap, RunFinding
from fathom.report.columns import FIVE, RIGHT, estimate, five
from fathom.report.drawings.canvas import Node
from fathom.report.drawings.charts import Curve, Dot, Field, Line, Point, curves, dots, heat
from fathom.report.figures import Column, Figure
from fathom.report.standing import came, with_responses
from fathom.report.words import interval, joined, point, some

GRAY = 6
"""The color of what is no run."""
FIRST = ("skill", "topic", "task", "level", "length", "answer", "documents", "position", "dispersion")
"""Properties that people look for stand first."""
MOST_PAIRS = 20
"""Pairs that are drawn; the table has all of them."""


def places(findings: Findings) -> dict[str, int]:
    """The number of each run, which decides its color everywhere."""
    return {run.facts.name: number for number, run in enumerate(findings.runs)}


def comparisons(findings: Findings) -> tuple[Figure, ...]:
    """Each two runs on the same questions."""
    pairs = findings.comparisons
    if not pairs:
        return ()
    # The closest pairs first: those are the ones that a reader wonders about.
    overall = sorted((one for one in pairs if one.within == "all"), key=lambda one: abs(one.difference.value))
    colors = places(findings)

    def draw(width: float) -> Node:
        lines = [_ahead(one, colors) for one in overall[:MOST_PAIRS]]
        low = min((dot.point.low for row in lines for dot in row.dots), default=0.0)
        high = max((dot.point.high for row in lines for dot in row.dots), default=0.1)
        return dots(
            "Differences between runs with their 95% intervals", lines, width, min(low, 0.0), high, "difference"
        )

    columns = (
        Column("first", "First"),
        Column("second", "Second"),
        Column("within", "Within"),
        Column("first_right", "First right", "share"),
        Column("second_right", "Second right", "share"),
        Column("difference", "Difference", "difference"),
        Column("low", "from", "difference"),
        Column("high", "to", "difference"),
        Column("least", "if all of the first came right", "difference"),
        Column("most", "if all of the second came right", "difference"),
        Column("waiting_first", "First waits for", "count"),
        Column("waiting_second", "Second waits for", "count"),
        Column("only_first", "Only first", "count"),
        Column("only_second", "Only second", "count"),
        Column("questions", "Questions", "count"),
        Column("p", "p", "chance"),
        Column("p_holm", "p, Holm", "chance"),
        Column("p_benjamini_hochberg", "p, Benjamini-Hochberg", "chance"),
        Column("apart", "Apart", "yes"),
        Column("more_questions", "More questions needed", "count"),
        Column("note", "Note"),
    )
    rows = tuple(
        (
            one.first,
            one.second,
            one.within,
            one.first_accuracy,
            one.second_accuracy,
            one.difference.value,
            one.difference.low,
            one.difference.high,
            one.least,
            one.most,
            one.waiting_first,
            one.waiting_second,
            one.only_first,
            one.only_second,
            one.items,
            one.p,
            one.p_holm,
            one.p_benjamini_hochberg,
            one.apart,
            one.more_items,
            one.note,
        )
        for one in pairs
    )
    note = (
        "By how many points the better run is ahead, paired by question and clustered by context, the closest pairs "
        "first. Gray: the two cannot be told apart."
    )
    return (Figure("comparisons", "Differences between runs", note, columns, rows, draw),)


def _ahead(one: Comparison, colors: dict[str, int]) -> Line:
    """The better of two over the other; gray where they cannot be told apart."""
    turned = one.difference.value < 0
    better, worse = (one.first, one.second) if turned else (one.second, one.first)
    sign = -1 if turned else 1
    low, high = sorted((sign * one.difference.low, sign * one.difference.high))
    value = abs(one.difference.value)
    tip = f"{better} is {value * 100:.1f} points ahead of {worse} ({low * 100:+.1f} to {high * 100:+.1f})"
    tip += "" if one.apart else f", which {why_together(one)}"
    return Line(
        f"{better} over {worse}", [Dot(colors.get(better, 0) if one.apart else GRAY, Point(value, low, high, tip))]
    )


def why_together(one: Comparison) -> str:
    """What keeps two runs from being told apart."""
    # More questions would not help where only the responses are wanting.
    return "responses that have not come may undo" if one.more_items == 0 else "may be chance"


def lengths(findings: Findings) -> tuple[Figure, ...]:
    """The share right by length, and how far each run holds."""
    runs = [run for run in with_responses(findings) if len(run.lengths.points) > 1]
    if not runs:
        return ()
    ticks = sorted({(float(one.tokens), one.name) for run in runs for one in run.lengths.points})
    colors = places(findings)

    def draw(width: float) -> Node:
        lines = [
            Curve(
                colors[run.facts.name],
                run.facts.name,
                [
                    (one.tokens, point(f"{run.facts.name} at {one.name}", one.accuracy))
                    for one in sorted(run.lengths.points, key=lambda one: one.tokens)
                ],
            )
            for run in runs
        ]
        return curves("The share right by length of the context", lines, ticks, width)

    columns = (Column("run", "Run"), Column("length", "Length"), Column("tokens", "Tokens", "count"), *RIGHT)
    rows = tuple(
        (run.facts.name, one.name, one.tokens, *estimate(one.accuracy)) for run in runs for one in run.lengths.points
    )
    said = ["Tokens of the context, on a doubling scale.", *_reserved(runs)]
    curve = Figure("lengths", "Share right by length", " ".join(said), columns, rows, draw)
    return (curve, *_effective(runs, colors))


def _reserved(runs: list[RunFinding]) -> Iterator[str]:
    """What has to be known of curves: families that are left out of them, or that make them incomparable."""
    for note in dict.fromkeys(run.lengths.note for run in runs if run.lengths.note):
        yield f"{joined([run.facts.name for run in runs if run.lengths.note == note])}: {note}"


def _effective(runs: list[RunFinding], colors: dict[str, int]) -> Iterator[Figure]:
    rows = tuple(
        (run.facts.name, one.at_shortest, one.shortest, one.length, one.low, one.high, one.reaches_the_end, one.note)
        for run in runs
        if (one := run.lengths.effective) is not None
    )
    if rows:
        columns = (
            Column("run", "Run"),
            Column("at_shortest", "Right at the shortest", "share"),
            Column("shortest", "Shortest"),
            Column("effective", "Effective length"),
            Column("low_tokens", "from (tokens)", "count"),
            Column("high_tokens", "to (tokens)", "count"),
            Column("reaches_the_end", "Reaches the end", "yes"),
            Column("note", "Note"),
        )
        note = "The longest length at which a run keeps 85% of its score at the shortest."
        yield Figure("effective-length", "Effective length", note, columns, rows, partial(_reach, runs, colors))


def _reach(runs: list[RunFinding], colors: dict[str, int], width: float) -> Node:
    """How far each run holds, on a doubling scale that begins with "none"."""
    shortest = min(one.tokens for run in runs for one in run.lengths.points)
    longest = max(one.tokens for run in runs for one in run.lengths.points)

    def at(tokens: int) -> float:
        return log2(max(tokens, shortest / 2))

    lines = [
        Line(run.facts.name, [Dot(colors[run.facts.name], Point(at(one.tokens), at(low), at(high), tip))])
        for run in runs
        if (one := run.lengths.effective) is not None
        for tip in [f"{run.facts.name}: {one.note}"]
        for low, high in [(one.low, one.high) if one.low is not None and one.high is not None else [one.tokens] * 2]
    ]
    return dots("How far each run holds", lines, width, at(0), log2(longest), "tokens")


def breakdowns(findings: Findings) -> tuple[Figure, ...]:
    """One figure for each property of the questions."""
    kinds = {one.by: one.what for run in with_responses(findings) for one in run.breakdowns if len(one.groups) > 1}
    order = sorted(kinds, key=lambda by: (FIRST.index(by) if by in FIRST else len(FIRST), by))
    return tuple(_breakdown(findings, by, kinds[by]) for by in order)


def _breakdown(findings: Findings, by: str, what: str) -> Figure:
    found = [(run, one) for run in with_responses(findings) for one in run.breakdowns if one.by == by]
    names = list(dict.fromkeys(group.name for _, one in found for group in one.groups))
    colors = places(findings)

    def draw(width: float) -> Node:
        lines = [
            Line(
                name or "(none)",
                [
                    Dot(colors[run.facts.name], point(f"{run.facts.name}, {name}", group.accuracy))
                    for run, one in found
                    for group in one.groups
                    if group.name == name
                ],
            )
            for name in names
        ]
        return dots(f"The share right by {what}", lines, width)

    columns = (
        Column("run", "Run"),
        Column("group", what.capitalize()),
        *RIGHT,
        Column("credit", "Credit", "share"),
        *FIVE,
    )
    rows = [
        (
            run.facts.name,
            group.name,
            *estimate(group.accuracy),
            group.credit.value,
            *five(group.counts),
        )
        for run, one in found
        for group in one.groups
    ]
    rows += [
        (run.facts.name, "mean over groups", *estimate(one.macro), *[None] * (1 + len(FIVE))) for run, one in found
    ]
    overlap = " A question may stand in several groups." if any(one.overlapping for _, one in found) else ""
    note = f"The share right by {what.lower()}, with 95% intervals.{overlap}"
    return Figure(f"by-{_file(by)}", what.capitalize(), note, columns, tuple(rows), draw)


def _file(name: str) -> str:
    """The name as part of a file's name: a tag may hold anything."""
    return "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in name.lower())[:60] or "unnamed"


def heat_maps(findings: Findings) -> tuple[Figure, ...]:
    """The heat maps that were worked out; the page makes those of any other two tags itself."""
    numbered = [(number, run) for number, run in enumerate(findings.runs, start=1) if came(run)]
    return tuple(_heat(number, run, one) for number, run in numbered for one in run.heat_maps)


def _heat(number: int, run: RunFinding, found: HeatMap) -> Figure:
    rows = list(dict.fromkeys(cell.row for cell in found.cells))
    columns = list(dict.fromkeys(cell.column for cell in found.cells))
    fields = [
        Field(
            cell.row,
            cell.column,
            cell.accuracy.value,
            cell.accuracy.items,
            f"{cell.row}, {cell.column}: {interval(cell.accuracy)}, {some(cell.accuracy.items, 'question')}",
        )
        for cell in found.cells
    ]
    what = f"{run.facts.name}: the share right by {found.rows} and {found.columns}"
    return Figure(
        f"heat-{number}-{_file(found.rows)}-{_file(found.columns)}",
        f"{run.facts.name}: {found.rows} against {found.columns}",
        "Shares right in per cent; empty where nothing was asked, small where fewer than ten questions were.",
        (Column("row", found.rows), Column("column", found.columns), *RIGHT),
        tuple((cell.row, cell.column, *estimate(cell.accuracy)) for cell in found.cells),
        partial(heat, what, rows, columns, fields),
    )


def samples(findings: Findings) -> tuple[Figure, ...]:
    """pass@k and what repeated responses agree on."""
    rows = tuple(
        (run.facts.name, one.samples, k, share.value, share.low, share.high, one.mean, one.majority, one.agreement)
        for run in with_responses(findings)
        if (one := run.samples) is not None
        for k, share in one.pass_at.items()
    )
    columns = (
        Column("run", "Run"),
        Column("samples", "Samples", "count"),
        Column("k", "k", "count"),
        Column("pass_at_k", "pass@k", "share"),
        Column("low", "from", "share"),
        Column("high", "to", "share"),
        Column("mean", "Mean", "share"),
        Column("majority", "Majority right", "share"),
        Column("agreement", "Two samples agree", "share"),
    )
    note = "pass@k: the share of questions of which at least one of k responses is right."
    return (Figure("samples", "Repeated responses", note, columns, rows, partial(_passed, findings)),) if rows else ()


def _passed(findings: Findings, width: float) -> Node:
    """pass@k against k."""
    found = [(run, run.samples) for run in with_responses(findings) if run.samples is not None]
    colors = places(findings)
    lines = [
        Curve(
            colors[run.facts.name],
            run.facts.name,
            [(k, point(f"{run.facts.name}, pass@{k}", share)) for k, share in one.pass_at.items()],
        )
        for run, one in found
    ]
    ticks = sorted({k for _, one in found for k in one.pass_at})
    return curves("pass@k against k", lines, [(k, str(k)) for k in ticks], width)


def repeated(findings: Findings) -> tuple[Figure, ...]:
    """Runs of the same model and system taken together."""
    columns = (
        Column("model", "Model"),
        Column("system", "System"),
        Column("prompting", "Prompting"),
        Column("runs", "Runs", "count"),
        *RIGHT,
        Column("spread", "Spread from run to run", "difference"),
    )
    rows = tuple(
        (one.model, one.system, one.prompting, len(one.runs), *estimate(one.accuracy), one.spread)
        for one in findings.repeated
    )
    note = "The mean over runs of one model and system, question by question; the spread is a standard deviation."

    def draw(width: float) -> Node:
        lines = [
            Line(name, [Dot(number, point(f"{name}: {', '.join(one.runs)}", one.accuracy))])
            for number, one in enumerate(findings.repeated)
            for name in [f"{one.model}, {one.system}, {some(len(one.runs), 'run')}"]
        ]
        return dots("The mean over repeated runs", lines, width)

    return (Figure("repeated", "Repeated runs", note, columns, rows, draw),) if rows else ()
