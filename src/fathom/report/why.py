"""Figures that say how and why answers are wrong: patterns, causes, the ladder, steps, what goes with failure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fathom.analysis.findings import Attribution, Cause, Correlations, Estimate, Findings, Ladder, Pattern, RunFinding
from fathom.report.drawings.canvas import Node
from fathom.report.drawings.charts import Dot, Line, Piece, Point, dots, stacks
from fathom.report.figures import Column, Figure, Value
from fathom.report.standing import controls
from fathom.report.where import places
from fathom.report.words import interval, percent, point, some

RUNGS = {"full": "full text", "passages": "passages alone", "tables": "finished tables"}


def patterns(findings: Findings) -> tuple[Figure, ...]:
    """How responses went wrong, run by run."""
    found = [(run, one) for run in findings.runs for one in run.patterns if one.count]
    if not found:
        return ()
    names = by_weight((one.name, one.count) for _, one in found)
    colors = places(findings)

    def draw(width: float) -> Node:
        lines = [
            Line(
                name,
                [
                    Dot(colors[run.facts.name], point(f"{run.facts.name}, {name}", one.share))
                    for run, one in found
                    if one.name == name
                ],
            )
            for name in names
        ]
        high = max(one.share.high for _, one in found)
        return dots("How often each pattern of failure occurs", lines, width, 0.0, ceiling(high))

    columns = (
        Column("run", "Run"),
        Column("pattern", "Pattern"),
        Column("count", "Responses", "count"),
        Column("share", "Of all", "share"),
        Column("low", "from", "share"),
        Column("high", "to", "share"),
        Column("of_wrong", "Of those not right", "share"),
        Column("what", "What it is"),
    )
    rows = tuple(
        (run.facts.name, one.name, one.count, one.share.value, one.share.low, one.share.high, one.of_wrong, one.what)
        for name in names
        for run, one in found
        if one.name == name
    )
    note = "Told from the answers alone, type by type; each response that is not right shows one pattern."
    return (Figure("patterns", "Failure patterns", note, columns, rows, draw),)


def by_weight(counted: Iterable[tuple[str, float]]) -> list[str]:
    """The names, those that occur most first."""
    sums: dict[str, float] = {}
    for name, count in counted:
        sums[name] = sums.get(name, 0) + count
    return sorted(sums, key=lambda name: -sums[name])


def ceiling(high: float) -> float:
    """A round end for an axis of shares."""
    return next((end for end in (0.1, 0.2, 0.25, 0.5, 0.75) if high <= end), 1.0)


def _contenders(findings: Findings) -> list[RunFinding]:
    """The runs that are no controls, of which something is said in words; all of them where there are no others."""
    aside = controls(findings)
    return [run for run in findings.runs if run.facts.name not in aside] or list(findings.runs)


def says_patterns(findings: Findings) -> str:
    worst = _largest((run, one) for run in _contenders(findings) for one in run.patterns)
    if worst is None:
        return ""
    run, one = worst
    return f"Most often: {one.name} ({one.what}), {percent(one.of_wrong)} of what {run.facts.name} gets wrong."


def _largest(found: Iterable[tuple[RunFinding, Pattern]]) -> tuple[RunFinding, Pattern] | None:
    return max((pair for pair in found if pair[1].count), key=lambda pair: pair[1].count, default=None)


def causes(findings: Findings) -> tuple[Figure, ...]:
    """The likely causes, run by run."""
    found = [(run, one) for run in findings.runs if run.attribution for one in run.attribution.causes if one.count]
    if not found:
        return ()
    names = by_weight((one.name, one.count) for _, one in found)
    colors = places(findings)

    def draw(width: float) -> Node:
        lines = [
            Line(
                name,
                [
                    Dot(colors[run.facts.name], _rate(run, one, one.rate))
                    for run, one in found
                    if one.name == name and one.rate is not None
                ],
            )
            for name in names
        ]
        return dots("How often each cause strikes where it could", lines, width)

    columns = (
        Column("run", "Run"),
        Column("cause", "Cause"),
        Column("count", "Likeliest for", "count"),
        Column("certain", "Nothing else explains", "count"),
        Column("expected", "Shared out", "number"),
        Column("could_strike", "Could strike", "count"),
        Column("rate", "Strikes where it could", "share"),
        Column("rate_low", "from", "share"),
        Column("rate_high", "to", "share"),
        Column("operation", "Belongs to"),
        Column("rivals", "Rivals"),
        Column("what", "What it is"),
    )
    rows = tuple(_cause(run, one) for name in names for run, one in found if one.name == name)
    note = (
        "Where a question has a program, it is broken in one place at a time, and the cause is the break that gives "
        "the response's answer; other families say which answer each way of going astray leads to. The drawing "
        "shows how "
        "often a cause strikes where it could; that is left blank where it hardly could."
    )
    return (Figure("causes", "Likely causes", note, columns, rows, draw), *_unclear(findings))


def _rate(run: RunFinding, one: Cause, rate: Estimate) -> Point:
    where = f"of the {some(one.could_strike, 'question')} whose answer it would change"
    return Point(rate.value, rate.low, rate.high, f"{run.facts.name}, {one.name}: {interval(rate)} {where}")


def _cause(run: RunFinding, one: Cause) -> tuple[Value, ...]:
    rivals = ", ".join(f"{name} {count}" for name, count in one.rivals.items())
    return (
        run.facts.name,
        one.name,
        one.count,
        one.certain,
        one.expected,
        one.could_strike,
        *((None, None, None) if one.rate is None else (one.rate.value, one.rate.low, one.rate.high)),
        one.operation,
        rivals,
        one.what,
    )


def _unclear(findings: Findings) -> tuple[Figure, ...]:
    rows = tuple(
        (run.facts.name, one.wrong, one.explained, one.tied, one.unclear, reasons)
        for run in findings.runs
        if (one := run.attribution) is not None
        for reasons in [", ".join(f"{reason} {count}" for reason, count in one.unclear_why.items())]
    )
    columns = (
        Column("run", "Run"),
        Column("wrong", "Wrong answers", "count"),
        Column("explained", "Explained", "count"),
        Column("tied", "Two causes alike", "count"),
        Column("unclear", "Unclear", "count"),
        Column("why", "Why unclear"),
    )
    note = "An answer that no single cause explains is called unclear rather than guessed at."
    told = [(run.facts.name, run.attribution) for run in findings.runs if run.attribution and run.attribution.wrong]

    def draw(width: float) -> Node:
        return stacks("How many wrong answers have a likely cause", [(name, _parts(one)) for name, one in told], width)

    return (Figure("explained", "How much is explained", note, columns, rows, draw if told else None),)


def _parts(one: Attribution) -> list[Piece]:
    """Wrong answers by what can be said of them; those with two causes alike are among the unclear."""
    named = (
        ("kept", "explained", one.explained),
        ("reading", "two causes alike", one.tied),
        ("finding", "unclear", one.unclear - one.tied),
    )
    return [
        Piece(class_, name, count / one.wrong, f"{name}: {count:,} of {some(one.wrong, 'wrong answer')}")
        for class_, name, count in named
    ]


def says_causes(findings: Findings) -> str:
    told = [run.attribution for run in _contenders(findings) if run.attribution]
    wrong, explained = sum(one.wrong for one in told), sum(one.explained for one in told)
    if not wrong:
        return ""
    share = percent(explained / wrong)
    return f"A likely cause is named for {explained:,} of {some(wrong, 'wrong answer')} ({share})."


def ladders(findings: Findings) -> tuple[Figure, ...]:
    """What is lost in finding, in reading and in computing."""
    if not findings.ladders:
        return ()

    def draw(width: float) -> Node:
        return stacks("What is lost on each rung", [(one.model, _pieces(one)) for one in findings.ladders], width)

    columns = (
        Column("model", "Model"),
        Column("what", "What"),
        Column("share", "Share", "share"),
        Column("low", "from", "share"),
        Column("high", "to", "share"),
        Column("questions", "Questions", "count"),
    )
    rows = [row for one in findings.ladders for row in _rungs(one)]
    notes = " ".join(dict.fromkeys(note for one in findings.ladders for note in one.notes))
    note = notes or "Each question is asked on every rung; the table has the intervals."
    return (Figure("ladder", "The ladder", note, columns, tuple(rows), draw),)


def _rungs(one: Ladder) -> Iterator[tuple[Value, ...]]:
    """What is right on each rung, and what is lost between two."""
    for rung, right in one.accuracy.items():
        yield one.model, f"right over {RUNGS.get(rung, rung)}", right.value, right.low, right.high, right.items
    for step in one.steps:
        lost = step.lost
        yield one.model, f"lost in {step.name}: {step.what}", lost.value, lost.low, lost.high, lost.items


def _pieces(one: Ladder) -> list[Piece]:
    kept = one.accuracy.get("full")
    pieces = (
        [Piece("kept", "right over the full text", kept.value, f"right over the full text: {interval(kept)}")]
        if kept
        else []
    )
    for step in one.steps:
        # A loss below zero is chance; a bar has no room for it, the table shows it.
        name = f"lost in {step.name}"
        pieces.append(Piece(step.name.split()[0], name, max(0.0, step.lost.value), f"{name}: {interval(step.lost)}"))
    return pieces


def steps(findings: Findings) -> tuple[Figure, ...]:
    """Which intermediate values the reasoning reached."""
    found = [(run, run.steps) for run in findings.runs if run.steps is not None and run.steps.traces]
    if not found:
        return ()
    colors = places(findings)
    most = max(step.place for _, one in found for step in one.by_place) if any(one.by_place for _, one in found) else 0

    def draw(width: float) -> Node:
        lines = [
            Line(
                f"step {place}",
                [
                    Dot(colors[run.facts.name], _reached(run, step.reached, step.wanted))
                    for run, one in found
                    for step in one.by_place
                    if step.place == place and step.wanted
                ],
            )
            for place in range(1, most + 1)
        ]
        return dots("The share of traces that reach each step", lines, width)

    columns = (
        Column("run", "Run"),
        Column("step", "Step", "count"),
        Column("wanted", "Wanted", "count"),
        Column("reached", "Reached", "count"),
        Column("first_missed", "First one missed", "count"),
    )
    rows = tuple(
        (run.facts.name, step.place, step.wanted, step.reached, step.first_missed)
        for run, one in found
        for step in one.by_place
    )
    note = "Reasoning is searched for the intermediate values of the question's program."
    return (Figure("steps", "Steps reached", note, columns, rows, draw),)


def _reached(run: RunFinding, reached: int, wanted: int) -> Point:
    share = reached / wanted
    return Point(share, share, share, f"{run.facts.name}: {reached:,} of {wanted:,} ({percent(share)})")


def says_steps(findings: Findings) -> str:
    wrong = sum(run.steps.all_reached_and_wrong for run in findings.runs if run.steps)
    return (
        f"{some(wrong, 'trace')} {'reaches' if wrong == 1 else 'reach'} every step with a wrong answer all the same."
        if wrong
        else ""
    )


def goes_with(findings: Findings) -> tuple[Figure, ...]:
    """The table of what goes with failure, one for each run."""
    return tuple(_goes_with(number, run) for number, run in enumerate(findings.runs) if run.correlations.rows)


def _goes_with(number: int, run: RunFinding) -> Figure:
    def draw(width: float) -> Node:
        lines = [
            Line(
                one.what or one.name,
                [
                    Dot(
                        number,
                        Point(
                            one.correlation,
                            one.low,
                            one.high,
                            f"{one.name}: {one.correlation:+.2f} ({one.low:+.2f} to {one.high:+.2f})",
                        ),
                    )
                ],
            )
            for one in run.correlations.rows
        ]
        return dots("Correlation of success with properties of the questions", lines, width, -1.0, 1.0, "number")

    columns = (
        Column("property", "Property"),
        Column("what", "What it is"),
        Column("mean", "Mean", "number"),
        Column("correlation", "Correlation", "number"),
        Column("low", "from", "number"),
        Column("high", "to", "number"),
        Column("p", "p", "chance"),
        Column("p_adjusted", "p, Holm", "chance"),
        Column("odds_ratio", "Odds, others fixed", "number"),
        Column("odds_low", "from", "number"),
        Column("odds_high", "to", "number"),
        Column("odds_p", "p, Holm", "chance"),
    )
    rows = tuple(
        (
            one.name,
            one.what,
            one.mean,
            one.correlation,
            one.low,
            one.high,
            one.p,
            one.p_adjusted,
            one.odds_ratio,
            one.odds_low,
            one.odds_high,
            one.odds_p,
        )
        for one in run.correlations.rows
    )
    said = [
        "Below zero: the more, the less is right. Odds are for one standard deviation more, the other properties held "
        "fixed.",
        *_not_told(run.correlations),
    ]
    return Figure(f"goes-with-{number + 1}", run.facts.name, " ".join(said), columns, rows, draw)


def _not_told(found: Correlations) -> Iterator[str]:
    """Which properties nothing is said of, and why there is no model where there is none."""
    if found.note:
        yield found.note
    lacking = found.left_out | (found.fit.left_out if found.fit else {})
    if lacking:
        yield f"Left out: {'; '.join(f'{name} ({reason})' for name, reason in lacking.items())}."
