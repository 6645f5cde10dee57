"""The summary at the top of the page: two or three sentences."""

from __future__ import annotations

from math import hypot

from fathom.analysis.findings import Findings, LengthPoint, RunSummary
from fathom.models.model_info import model_info
from fathom.records.plurals import counted
from fathom.report.accuracy import why_not_significant
from fathom.report.formatting import bench_names, percent, points
from fathom.report.ranking import asked_note, caveats, is_partial, missing, ranked, received_count, run_kinds

MAX_BENCHES = 3
"""Benches whose best run is named."""


def summary(findings: Findings) -> list[str]:
    """Two or three sentences about the best runs."""
    if not findings.runs:
        return ["There are no runs."]
    rankings = _rankings(findings)
    if len(rankings) > 1:
        # Accuracies on different benches are not comparable: each bench has its own best run.
        return [_best_run_sentence(findings, runs[0]) for runs in rankings][:MAX_BENCHES]
    best, *others = rankings[0]
    second = _second_run_sentence(findings, best, others[0]) if others else ""
    return [sentence for sentence in (_best_run_sentence(findings, best), _length_effect(best), second) if sentence]


def _rankings(findings: Findings) -> list[list[RunSummary]]:
    """For each bench the runs of its first kind, the best first."""
    kinds = run_kinds(findings)
    rankings: dict[str, list[RunSummary]] = {}
    for run in ranked(findings):
        runs = rankings.setdefault(run.info.bench, [])
        if not runs or kinds[run.info.name] == kinds[runs[0].info.name]:
            runs.append(run)
    return [rankings[bench.fingerprint] for bench in findings.benches if bench.fingerprint in rankings]


def _full_name(run: RunSummary) -> str:
    """The run's name, with its model where the name does not contain it; a simulated model without its parameters."""
    model = run.info.model.partition("?")[0]
    return run.info.name if model.rpartition("/")[2] in run.info.name else f"{run.info.name} ({model})"


def _best_run_sentence(findings: Findings, run: RunSummary) -> str:
    """The accuracy of a run on its bench, and what to know about its model."""
    accuracy = run.overall.accuracy
    if not received_count(run):
        responses = counted(run.overall.outcomes.responses, "response")
        asked = f" ({asked_note(run)} questions)" if asked_note(run) else ""
        return f"{run.info.name} has none of its {responses} yet{asked}."
    notes = f"; {caveats(run)}" if caveats(run) else ""
    expected = model_info(run.info.model).note
    bench = bench_names(findings)[run.info.bench]
    return (
        f"{_full_name(run)} answers {percent(accuracy.value)} of the questions of {bench} "
        f"correctly (95% interval {percent(accuracy.low)} to {percent(accuracy.high)}){notes}."
        f"{expected and f' {expected}'}"
    )


def _second_run_sentence(findings: Findings, best: RunSummary, second: RunSummary) -> str:
    if not received_count(second):
        return ""
    names = {best.info.name, second.info.name}
    pair = next(
        (
            comparison
            for comparison in findings.comparisons
            if {comparison.first, comparison.second} == names and comparison.within == "all"
        ),
        None,
    )
    notes = f" ({caveats(second)})" if caveats(second) else ""
    # A partial run is ranked below complete ones even if its accuracy is higher.
    verb = "has" if is_partial(second) else "follows with"
    sentence = f"{second.info.name} {verb} {percent(second.overall.accuracy.value)}{notes}"
    if pair is None:
        return f"{sentence}."
    over = f" over the {counted(pair.items, 'question')} that both were asked" if is_partial(second) else ""
    if pair.significant:
        return f"{sentence}, a significant difference{over}."
    if pair.more_questions == 0:
        return f"{sentence}, a significant difference, {why_not_significant(pair)}."
    if pair.is_unconfirmed:
        return f"{sentence}, a clear difference{over}, {why_not_significant(pair)}."
    if pair.more_questions:
        needed = counted(pair.more_questions, "more question")
        return f"{sentence}; the difference is not significant{over} (about {needed} needed to detect it)."
    return f"{sentence}; the difference is not significant{over}."


def _length_effect(run: RunSummary) -> str:
    """How accuracy changes from the shortest to the longest context; empty if the run cannot show it."""
    ends = _ends(run)
    if ends is None:
        return ""
    lost, low, high = _drop(*ends)
    start = f"From {ends[0].name} to {ends[1].name} tokens its accuracy"
    if round(lost * 100) == 0:
        return f"{start} changes by less than a point."
    if low <= 0 <= high:
        # With a sign: a fall of "-13 to 15 points" would be hard to read.
        span = f"95% interval {_signed(-high)} to {_signed(-low)}"
        return f"{start} does not change significantly ({_signed_rounded(-lost)}, {span})."
    low, high = sorted((abs(low), abs(high)))
    return f"{start} {'falls' if lost > 0 else 'rises'} by {points(abs(lost))} ({_rounded(low)} to {_rounded(high)})."


def _ends(run: RunSummary) -> tuple[LengthPoint, LengthPoint] | None:
    """The shortest and the longest length of a complete run."""
    points = sorted(run.lengths.points, key=lambda point: point.tokens)
    # An incomplete run loses accuracy where its failures happen to be, and a partial one may have a single length.
    if is_partial(run) or missing(run) or run.lengths.effective is None or len(points) < 2:
        return None
    return (points[0], points[-1]) if points[0].name != points[-1].name else None


def _drop(short: LengthPoint, long: LengthPoint) -> tuple[float, float, float]:
    """The accuracy lost between two lengths, with Newcombe's interval (the lengths have different contexts)."""
    short_accuracy, long_accuracy = short.accuracy, long.accuracy
    lost = short_accuracy.value - long_accuracy.value
    return (
        lost,
        lost - hypot(short_accuracy.value - short_accuracy.low, long_accuracy.high - long_accuracy.value),
        lost + hypot(short_accuracy.high - short_accuracy.value, long_accuracy.value - long_accuracy.low),
    )


def _signed(share: float) -> str:
    points = round(share * 100)
    return f"{points:+d}".replace("-", "−") if points else "0"


def _signed_rounded(share: float) -> str:
    return f"{_signed(share)} point{'' if abs(round(share * 100)) == 1 else 's'}"


def _rounded(share: float) -> str:
    """Points without a fraction, and never -0."""
    return str(round(share * 100))
