"""`fathom judges`"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom.cli import options
from fathom.cli.output import cut, escape_control_characters
from fathom.records.plurals import counted

if TYPE_CHECKING:
    from fathom.api.findings import Estimate
    from fathom.api.judges import JudgeReport, JudgeSummary
    from fathom.api.ratings import RatingSummary

REASONING = {
    "visible": "of the visible response alone",
    "thinking": "of the visible response and of the separate thinking text",
}
STATES = {
    "shown": "shown",
    "separate": "in a thinking text that is not judged",
    "hidden": "hidden by the provider",
    "none": "none",
}
"""Where the reasoning of responses is."""


@click.command(
    epilog=options.examples(
        "fathom judges runs/bench-full-gpt", "fathom judges runs/monday runs/friday --people people.jsonl"
    )
)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=options.PATH)
@click.option("--bench", type=options.PATH, help="The folder of the bench, if it was moved.")
@click.option(
    "--people",
    type=options.PATH,
    help="Judgments by people on responses of the first run, JSON lines as in judgments.jsonl.",
)
@click.option("--rate", metavar="MODEL", help="Let a model rate the reasoning of every response first.")
@options.as_json
def command(runs: tuple[Path, ...], bench: Path | None, people: Path | None, rate: str | None, as_json: bool) -> None:
    """Report on the judges of runs: error, agreement, drift, and scores corrected for their error.

    Runs are judged by `fathom score --judge`. With every run each judge also judges planted responses, of which it is
    known whether they should pass; its error there is propagated into the interval of the corrected accuracy. Its
    decisions on them are compared with those in the first run, which shows drift. Agreement is that of judges with each
    other, with the check, and with people. Reads the runs and their bench; scores the runs again; calls no model
    without --rate, which writes ratings.jsonl.
    """
    from fathom.api.judges import is_judged, judge_report
    from fathom.api.judging import role_model
    from fathom.api.ratings import rate_traces, rating_summaries

    if rate is not None:
        for run in runs:
            missing = rate_traces(run, role_model(rate), bench=bench)
            if missing:
                click.echo(f"fathom: {run}: {missing:,} responses have no rating. Run again to ask again.", err=True)
    # Ratings need no judgments.
    judged = rate is None or all(is_judged(run) for run in runs)
    reports = judge_report(runs, bench=bench, people=people) if judged else []
    ratings = {str(run): found for run in runs if (found := rating_summaries(run, bench=bench))}
    if as_json:
        click.echo(json.dumps(_as_json(reports, ratings), indent=2))
        return
    lines = [line for report in reports for line in _lines(report)]
    lines += [line for run, found in ratings.items() for line in _rating_lines(run, found)]
    click.echo(escape_control_characters("\n".join(lines)))


def _as_json(reports: Sequence[JudgeReport], ratings: Mapping[str, Sequence[RatingSummary]]) -> dict[str, object]:
    return {
        "runs": [report.model_dump() for report in reports],
        "ratings": {run: [summary.model_dump() for summary in found] for run, found in ratings.items()},
    }


def _lines(report: JudgeReport) -> Iterator[str]:
    whole = counted(report.responses, "response")
    yield f"{report.run}: {report.judged:,} of {whole} judged, {report.unjudged:,} unjudged"
    if report.reasoning_states:
        states = ", ".join(f"{STATES[state]} {count:,}" for state, count in report.reasoning_states.items())
        yield f"  the reasoning {REASONING[report.reasoning]} counts: {states}"
    yield f"  accuracy as judged: {_interval(report.accuracy)}"
    if report.corrected is not None:
        yield f"  accuracy {report.corrected.method}: {_interval(report.corrected)}"
    for judge in report.judges:
        yield from _judge_lines(judge)
    yield from _agreement_lines(report)
    for change in report.drift:
        yield (
            f"  drift of {cut(change.judge, 40)} since {change.before}: {_interval(change.changed)} of "
            f"{change.changed.items:,} decisions on planted responses changed, {change.better:,} for the better and "
            f"{change.worse:,} for the worse (p = {change.p:.3f})"
        )


def _judge_lines(summary: JudgeSummary) -> Iterator[str]:
    asked = (
        f"{summary.judgments:,} judgments, {summary.asked_again:,} asked again, {summary.unjudged:,} without a decision"
    )
    yield f"  {summary.judge}: {asked}"
    for part, error in summary.errors.items():
        name = f" ({part})" * bool(part)
        yield (
            f"    planted responses{name}: passes {_interval(error.sensitivity)} of {error.correct:,} without a fault, "
            f"fails {_interval(error.specificity)} of {error.faulty:,} with one, {error.unjudged:,} without a decision"
        )
    faults = ", ".join(
        f"{fault} {passed:,} of {count:,}" for fault, (passed, count) in summary.accepted.items() if fault
    )
    if faults:
        yield f"    passed with a fault: {faults}"


def _agreement_lines(report: JudgeReport) -> Iterator[str]:
    if report.agreements:
        yield f"  {'agreement':46} {'responses':>9}   {'agreement (95% CI)':19}  kappa (95% CI)"
    for pair in report.agreements:
        names = f"{cut(pair.first, 16)} and {cut(pair.second, 16)}" + f", {pair.part}" * bool(pair.part)
        kappa = "-" if pair.kappa is None else f"{pair.kappa.value:.2f} ({pair.kappa.low:.2f}-{pair.kappa.high:.2f})"
        yield f"    {names:44} {pair.agreement.items:>9,}   {_interval(pair.agreement):19}  {kappa}"


def _rating_lines(run: str, ratings: Sequence[RatingSummary]) -> Iterator[str]:
    headings = "  ".join(f"{name:19}" for name in ("repeated steps", "superfluous steps", "correct retrievals"))
    yield f"{run}: ratings of the reasoning"
    yield f"  {'':14} {'responses':>9}   {'coherence (1-5)':17}  {headings}".rstrip()
    for rating in ratings:
        coherence = f"{rating.coherence.value:.2f} ({rating.coherence.low:.2f}-{rating.coherence.high:.2f})"
        shares = (rating.repeated, rating.superfluous, rating.retrieval_accuracy)
        cells = "  ".join(f"{'-' if share is None else _interval(share):19}" for share in shares)
        yield f"  {rating.outcome:14} {rating.responses:>9,}   {coherence:17}  {cells}".rstrip()


def _interval(found: Estimate) -> str:
    return f"{found.value:.1%} ({100 * found.low:.1f}-{100 * found.high:.1f})"
