"""`fathom analyze`"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom.cli import options
from fathom.cli.output import escape_control_characters, progress_bar
from fathom.records.errors import FathomError
from fathom.records.files import atomic_write, write_records

if TYPE_CHECKING:
    from fathom.analysis.findings import Attribution, Breakdown, Comparison, Estimate, Findings, Ladder, RunFinding

EXAMPLE = """
\b
Examples:
  fathom analyze runs/bench-full-smollm2
  fathom analyze runs/* --by topic --out findings.json --items items.jsonl
"""

USUAL = "length,skill"

MOST_LINES = 8
"""Patterns, causes and comparisons that are printed; the JSON has all of them."""


@click.command(epilog=EXAMPLE)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--bench", type=click.Path(path_type=Path), help="Where the runs' bench is, if it has been moved.")
@click.option("--corpus", type=click.Path(path_type=Path), help="Where its corpus is, if it has been moved.")
@click.option(
    "--by",
    type=options.CommaList(required=True),
    default=USUAL,
    show_default=True,
    help="Groupings to print; the JSON has all of them.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Write the findings there, as JSON.")
@click.option(
    "--items", type=click.Path(path_type=Path), help="Write what was found of each response there, a line each."
)
@options.seed
@options.processes
@options.as_json
def command(
    runs: tuple[Path, ...],
    bench: Path | None,
    corpus: Path | None,
    by: tuple[str, ...],
    out: Path | None,
    items: Path | None,
    seed: int,
    processes: int,
    as_json: bool,
) -> None:
    """Say where and why runs fail, and how surely.

    Scores with intervals that take each context as one draw, by every property of the questions; whether runs differ;
    how far scores hold as contexts grow; how wrong answers look, and which slip of a question's own program gives them.
    Every question that a run was to ask counts. Reads runs, their bench and its corpus; writes nothing but --out and
    --items; calls no model.
    """
    from fathom.analysis.analyze import Settings, analyze
    from fathom.analysis.reading import contexts_ahead

    with progress_bar("Analyzing", contexts_ahead(runs, bench)) as show:
        found = analyze(runs, bench, corpus, Settings(seed=seed, processes=processes), show)
    _check(by, found.findings)
    if out is not None:
        with atomic_write(out) as file:
            file.write(found.findings.model_dump_json(indent=2).encode() + b"\n")
    if items is not None:
        write_records(items, found.all_items())
    if as_json:
        click.echo(found.findings.model_dump_json(indent=2))
    else:
        click.echo(escape_control_characters("\n".join(page(found.findings, by))))


def _check(by: Sequence[str], findings: Findings) -> None:
    """Refuse a grouping that no question has; the usual ones may be missing from a bench."""
    known = dict.fromkeys(breakdown.by for run in findings.runs for breakdown in run.breakdowns)
    for name in by:
        if name not in known and name not in USUAL.split(","):
            raise FathomError(f"No question has a tag '{name}'. Choose among {', '.join(known)}.")


def page(findings: Findings, by: Sequence[str]) -> Iterator[str]:
    """The findings for a terminal."""
    yield from _headline(findings)
    for run in findings.runs:
        yield ""
        yield from _one_run(run, by)
    if findings.comparisons:
        yield ""
        yield "Do they differ? (second less first; p after Holm's correction)"
        whole = [one for one in findings.comparisons if one.within == "all"]
        for one in whole[:MOST_LINES]:
            yield from compared(one)
        if len(whole) > MOST_LINES:
            yield f"  ... and {len(whole) - MOST_LINES} more pairs in the JSON"
    for found in findings.ladders:
        yield ""
        yield from _ladder(found)
    yield ""
    yield "Floors and controls"
    for floor in findings.floors:
        yield f"  {floor.name:36} {spanned(floor.accuracy)}   {floor.what}"
    for known in findings.contamination:
        yield f"  {known.model} without the context {known.what}: {signed(known.above_floor)} against {known.floor}"
    if findings.notes:
        yield ""
        yield from (f"Note: {note}" for note in findings.notes)


def spanned(estimate: Estimate) -> str:
    """75.4% (73.7-77.1)"""
    return f"{estimate.value:6.1%} ({estimate.low * 100:.1f}-{estimate.high * 100:.1f})"


def signed(estimate: Estimate) -> str:
    """+3.1 (0.8 to 5.4) points"""
    return f"{estimate.value * 100:+.1f} ({estimate.low * 100:+.1f} to {estimate.high * 100:+.1f}) points"


def _headline(findings: Findings) -> Iterator[str]:
    for bench in findings.benches:
        counts = bench.counts
        yield (
            f"{bench.name}: {counts.built:,} questions built, {counts.fitted:,} fitted, {counts.refused:,} refused by "
            f"fitting, {counts.retired:,} retired; {bench.contexts:,} contexts of {bench.documents:,} documents"
        )
    width = max(20, *(len(run.facts.name) for run in findings.runs))
    yield f"  {'run':{width}} {'asked':>7} {'right, 95% interval':>22} {'credit':>7}   the rest"
    for run in findings.runs:
        outcomes = run.all.outcomes
        kinds = ("incorrect", "unparseable", "refused", "overflow", "error", "unjudged", "unanswered")
        rest = ", ".join(f"{kind} {count:,}" for kind in kinds if (count := getattr(outcomes, kind)))
        yield (
            f"  {run.facts.name:{width}} {outcomes.responses:>7,} {spanned(run.all.accuracy):>22} "
            f"{run.all.credit.value:>7.1%}   {rest}"
        )


def _one_run(run: RunFinding, by: Sequence[str]) -> Iterator[str]:
    yield f"{run.facts.name} ({run.facts.model}, {run.facts.system}, {run.facts.prompting})"
    for breakdown in run.breakdowns:
        if breakdown.by in by:
            yield from _breakdown(breakdown)
    if run.by_document is not None:
        yield f"  with other documents as well as other contexts: {spanned(run.by_document).strip()}"
    if run.lengths.effective is not None:
        found = run.lengths.effective
        span = (
            f"{found.low:,} to {found.high:,} tokens" if found.low is not None else "too few contexts for an interval"
        )
        yield f"  effective length {found.length or 'none'} ({span}): {found.note}"
    if run.lengths.note:
        yield f"    {run.lengths.note}"
    if run.samples is not None:
        passed = ", ".join(f"pass@{k} {spanned(share).strip()}" for k, share in list(run.samples.pass_at.items())[:3])
        yield f"  {run.samples.samples} samples: {passed}, majority {run.samples.majority:.1%}"
    sure = [row for row in run.correlations.rows if row.p_adjusted <= 0.05]
    if sure:
        yield "  goes with success: " + ", ".join(f"{row.name} {row.correlation:+.2f}" for row in sure)
    if run.patterns:
        yield f"  {'how responses go wrong':38} {'responses':>7} {'of all, 95% interval':>22}"
        for pattern in run.patterns[:MOST_LINES]:
            yield f"    {pattern.name:36} {pattern.count:>7,} {spanned(pattern.share):>22}"
    if run.attribution is not None and run.attribution.wrong:
        yield from _causes(run.attribution)
    if run.steps is not None:
        steps = run.steps
        yield (
            f"  {steps.traces:,} traces reach {steps.reached:,} of {steps.values:,} steps; "
            f"{steps.all_reached_and_wrong:,} reach all and are wrong"
        )
    yield from _cost(run)


def _breakdown(breakdown: Breakdown) -> Iterator[str]:
    yield f"  {'by ' + breakdown.by:38} {'asked':>7} {'right, 95% interval':>22} {'error':>7}"
    for group in breakdown.groups:
        yield (
            f"    {group.name:36} {group.outcomes.responses:>7,} {spanned(group.accuracy):>22} "
            f"{group.outcomes.error:>7,}"
        )
    if len(breakdown.groups) > 1 and not breakdown.overlapping:
        yield f"    {'each group counting the same':36} {'':>7} {spanned(breakdown.macro):>22}"


def _causes(attribution: Attribution) -> Iterator[str]:
    yield f"  {'likely causes of wrong answers':38} {'answers':>7} {'no rival':>9} {'strikes where it can':>22}"
    for cause in attribution.causes[:MOST_LINES]:
        if cause.count:
            rate = "too few to say" if cause.rate is None else spanned(cause.rate)
            yield f"    {cause.name:36} {cause.count:>7,} {cause.certain:>9,} {rate:>22}"
    yield f"    {'unclear':36} {attribution.unclear:>7,}"


def _cost(run: RunFinding) -> Iterator[str]:
    cost = run.cost
    price = "price unknown" if cost.price is None else f"${cost.price:,.4f}"
    each = "" if cost.price_a_right_answer is None else f", ${cost.price_a_right_answer:,.5f} a right answer"
    yield (
        f"  {cost.input_tokens:,} tokens in ({cost.cached_tokens:,} from a cache), {cost.output_tokens:,} out, "
        f"{cost.seconds:,.0f} s, {price}{each}"
    )


def _ladder(found: Ladder) -> Iterator[str]:
    yield f"Where {found.model} loses its answers ({found.items:,} questions asked on every rung)"
    yield "  " + ", ".join(f"{rung} {spanned(right).strip()}" for rung, right in found.accuracy.items())
    for step in found.steps:
        rate = "nothing comes so far" if step.rate is None else f"{step.rate.value:6.1%} of what comes so far"
        yield f"  {step.name:20} {signed(step.lost):34} {rate}: {step.what}"
    yield from (f"  {note}" for note in found.notes)


def compared(one: Comparison) -> Iterator[str]:
    """Two lines on two runs."""
    yield f"  {one.first} / {one.second}: {signed(one.difference)}, p {one.p_holm:.4f}, {one.items:,} questions"
    yield f"    {one.note}"
