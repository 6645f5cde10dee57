"""What stands above everything: the page in two or three sentences."""

from __future__ import annotations

from math import hypot

from fathom.analysis.findings import Findings, LengthPoint, RunFinding
from fathom.report.standing import asked, came, is_partial, ranked, reservations, standings, waiting
from fathom.report.titles import bench_names
from fathom.report.where import why_together
from fathom.report.words import percent, points, some

MOST_BENCHES = 3
"""Benches of which the best run is named; the headline has the others."""


def lead(findings: Findings) -> list[str]:
    """The page in two or three sentences."""
    if not findings.runs:
        return ["There is nothing to show."]
    contests = _contests(findings)
    if len(contests) > 1:
        # Shares right on two benches are no race: each bench has its own best run.
        names = bench_names(findings)
        said = [f"{names[runs[0].facts.bench]}: {_best(runs[0])}" for runs in contests]
        return said[:MOST_BENCHES]
    runs = contests[0]
    said = [_best(runs[0]), _lost_length(runs[0]), _second(findings, runs[0], runs[1]) if len(runs) > 1 else ""]
    return [sentence for sentence in said if sentence]


def _contests(findings: Findings) -> list[list[RunFinding]]:
    """For each bench the runs that can be held against one another, the best first."""
    known = standings(findings)
    contests: dict[str, list[RunFinding]] = {}
    for run in ranked(findings):
        runs = contests.setdefault(run.facts.bench, [])
        if not runs or known[run.facts.name] == known[runs[0].facts.name]:
            runs.append(run)
    return [contests[bench.fingerprint] for bench in findings.benches if bench.fingerprint in contests]


def _best(run: RunFinding) -> str:
    right = run.all.accuracy
    if not came(run):
        responses = run.all.outcomes.responses
        of = f" ({asked(run)} questions)" if asked(run) else ""
        return f"Of {some(responses, 'response', 'responses')} wanted of {run.facts.name} none has come{of}."
    beside = reservations(run)
    return (
        f"{run.facts.name} answers {percent(right.value)} of the questions right "
        f"({percent(right.low)} to {percent(right.high)}){f'; {beside}' if beside else ''}."
    )


def _second(findings: Findings, best: RunFinding, next_best: RunFinding) -> str:
    if not came(next_best):
        return ""
    names = {best.facts.name, next_best.facts.name}
    pair = next((one for one in findings.comparisons if {one.first, one.second} == names and one.within == "all"), None)
    beside = reservations(next_best)
    # A partial run may have the higher share of the two, and stands below all the same.
    verb = "has" if is_partial(next_best) else "follows with"
    said = f"{next_best.facts.name} {verb} {percent(next_best.all.accuracy.value)}{f' ({beside})' if beside else ''}"
    if pair is None:
        return f"{said}."
    over = f" over the {some(pair.items, 'question')} that both were asked" if is_partial(next_best) else ""
    if pair.apart:
        return f"{said}: a difference that chance does not explain{over}."
    if pair.more_items == 0:
        return f"{said}: a difference that {why_together(pair)}."
    if pair.more_items:
        return f"{said}; about {some(pair.more_items, 'more question')} would be needed to tell the two apart."
    return f"{said}; the two cannot be told apart{over}."


def _lost_length(run: RunFinding) -> str:
    """What the longest context costs a run, with its interval; empty where the run cannot tell."""
    ends = _ends(run)
    if ends is None:
        return ""
    lost, low, high = _drop(*ends)
    verb = "loses" if lost >= 0 else "gains"
    low, high = (low, high) if lost >= 0 else (-high, -low)
    said = f"{points(abs(lost))} ({_whole(low)} to {_whole(high)})"
    lengths = f"From {ends[0].name} to {ends[1].name} tokens"
    if low <= 0 <= high:
        return f"{lengths} what it {verb} may be chance: {said}."
    return f"{lengths} it {verb} {said}."


def _ends(run: RunFinding) -> tuple[LengthPoint, LengthPoint] | None:
    """The shortest and the longest length of a whole run; None where it cannot tell what length costs."""
    found = sorted(run.lengths.points, key=lambda one: one.tokens)
    # A run with failures loses where they happened to fall, and a partial one may have been asked one length alone:
    # such runs once made a page say what it costs to go "from 32K to 32K".
    if is_partial(run) or waiting(run) or run.lengths.effective is None or len(found) < 2:
        return None
    return (found[0], found[-1]) if found[0].name != found[-1].name else None


def _drop(short: LengthPoint, long: LengthPoint) -> tuple[float, float, float]:
    """What is lost between two lengths, with the interval that those of the two give (their contexts are others)."""
    one, two = short.accuracy, long.accuracy
    lost = one.value - two.value
    return (
        lost,
        lost - hypot(one.value - one.low, two.high - two.value),
        lost + hypot(one.high - one.value, two.value - two.low),
    )


def _whole(share: float) -> str:
    """Points without a fraction; a little below nothing is 0, not -0."""
    return str(round(share * 100))
