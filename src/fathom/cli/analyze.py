"""`fathom analyze`"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom.cli import options
from fathom.cli.measure_output import best_system_lines, distribution_lines, measure_lines, range_lines
from fathom.cli.output import OTHER_OUTCOMES, escape_control_characters, progress_bar
from fathom.records.errors import FathomError
from fathom.records.plurals import counted

if TYPE_CHECKING:
    from fathom.api.findings import (
        Attribution,
        BenchInfo,
        Breakdown,
        Comparison,
        Estimate,
        Findings,
        Group,
        LossDecomposition,
        RunSummary,
    )


MEASURES = ("span recall", "document recall")
"""Measures that breakdowns show in addition to accuracy; the JSON has all of them."""
MAX_LINES = 8
"""Patterns, causes and comparisons that are printed; the JSON has all of them."""


@click.command(
    epilog=options.examples(
        "fathom analyze runs/bench-full-smollm2",
        "fathom analyze runs --by topic --out findings.json --items items.jsonl",
    )
)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=options.PATH)
@click.option("--bench", type=options.PATH, help="The folder of the bench, if it was moved.")
@click.option("--corpus", type=options.PATH, help="The folder of the corpus, if it was moved.")
@click.option(
    "--by",
    type=options.CommaList(required=True),
    help="Breakdowns to print; the JSON has all of them.  [default: length and the families' main tags]",
)
@options.length_limits
@click.option("--out", type=options.PATH, help="Write the findings as JSON here.")
@click.option("--items", type=options.PATH, help="Write findings about each response as JSON lines here.")
@options.seed
@options.processes
@options.as_json
def command(
    runs: tuple[Path, ...],
    bench: Path | None,
    corpus: Path | None,
    by: tuple[str, ...] | None,
    bins: tuple[str, ...] | None,
    out: Path | None,
    items: Path | None,
    seed: int,
    processes: int,
    as_json: bool,
) -> None:
    """Analyze runs: accuracy, comparisons, error patterns and likely causes.

    Accuracy with intervals clustered by context, broken down by every property of the questions; pairwise comparisons;
    the effective context length; error patterns, and the faults in a question's program that explain incorrect
    answers. Every question that a run asks is in the denominator. Reads runs, their bench and its corpus; writes only
    --out and --items; calls no model.
    """
    from fathom.api.findings import analyze, count_contexts

    with progress_bar("Analyzing", count_contexts(runs, bench)) as show:
        analysis = analyze(
            runs, bench=bench, corpus=corpus, seed=seed, lengths=bins or (), processes=processes, progress=show
        )
    for name in by or ():
        if name not in analysis.groupings:
            raise FathomError(f"The questions have no tag '{name}'. Choose one of {', '.join(analysis.groupings)}.")
    if out is not None:
        analysis.write_json(out)
    if items is not None:
        analysis.write_items(items)
    if as_json:
        click.echo(analysis.findings.model_dump_json(indent=2))
    else:
        click.echo(escape_control_characters("\n".join(lines(analysis.findings, by or analysis.main_groupings))))
        click.echo(f"next: fathom report {' '.join(map(str, runs))}")


def lines(findings: Findings, by: Sequence[str]) -> Iterator[str]:
    """The findings for a terminal."""
    from fathom.api.findings import figures_of

    yield from map(_bench_line, findings.benches)
    yield from _accuracy(findings)
    for run in findings.runs:
        yield ""
        yield from _run(run, by, figures_of(findings, run.info.bench).by_length)
    yield from best_system_lines(findings)
    yield from cost_lines(findings)
    overall = [comparison for comparison in findings.comparisons if comparison.within == "all"]
    if overall:
        yield ""
        yield "Pairwise comparisons (second - first; p after Holm's correction)"
        for comparison in overall[:MAX_LINES]:
            yield from comparison_lines(comparison)
        if len(overall) > MAX_LINES:
            yield f"  ... and {len(overall) - MAX_LINES} more pairs in the JSON"
    yield from _settings(findings)
    for loss_decomposition in findings.loss_decompositions:
        yield ""
        yield from _loss_stages(loss_decomposition)
    yield ""
    yield "Baselines and controls"
    for baseline in findings.baselines:
        yield f"  {baseline.name:36} {with_interval(baseline.accuracy)}   {baseline.description}"
    for test in findings.closed_book:
        yield f"  {test.model} closed book: {test.conclusion} ({points(test.above_baseline)} above {test.baseline})"
    if findings.notes:
        yield ""
        yield from (f"Note: {note}" for note in findings.notes)


def _settings(findings: Findings) -> Iterator[str]:
    """The overall comparisons of settings, run by run."""
    overall = [comparison for comparison in findings.setting_comparisons if comparison.comparison.within == "all"]
    if overall:
        yield ""
        yield "Settings, paired by item (second - first; p after Holm's correction)"
    for run, some in groupby(overall, key=lambda setting: setting.run):
        if len(findings.runs) > 1:
            yield f"{run}:"
        for setting in some:
            yield from comparison_lines(setting.comparison, "pairs")


def with_interval(estimate: Estimate) -> str:
    """75.4% (73.7-77.1)"""
    return f"{estimate.value:6.1%} ({estimate.low * 100:.1f}-{estimate.high * 100:.1f})"


def points(estimate: Estimate) -> str:
    """+3.1 (+0.8 to +5.4) points"""
    return f"{estimate.value * 100:+.1f} ({estimate.low * 100:+.1f} to {estimate.high * 100:+.1f}) points"


def _bench_line(bench: BenchInfo) -> str:
    counts = bench.counts
    lost = (
        f" ({counts.built:,} built, {counts.dropped:,} dropped by fitting, {counts.retired:,} retired)"
        if counts.dropped or counts.retired or counts.built != counts.fitted
        else ""
    )
    return (
        f"{bench.name}: {counted(counts.fitted, 'question')}{lost}, {counted(bench.contexts, 'context')}, "
        f"{counted(bench.documents, 'document')}"
    )


def _accuracy(findings: Findings) -> Iterator[str]:
    width = max(20, *(len(run.info.name) for run in findings.runs))
    partial = any(abs(run.overall.partial_credit.value - run.overall.accuracy.value) > 5e-4 for run in findings.runs)
    credit = f" {'partial credit':>14}" if partial else ""
    yield f"  {'run':{width}} {'responses':>9} {'accuracy (95% CI)':>22}{credit}   other outcomes"
    for run in findings.runs:
        outcomes = run.overall.outcomes
        others = ", ".join(f"{kind} {count:,}" for kind in OTHER_OUTCOMES if (count := getattr(outcomes, kind)))
        credit = f" {run.overall.partial_credit.value:>14.1%}" if partial else ""
        yield (
            f"  {run.info.name:{width}} {outcomes.responses:>9,} {with_interval(run.overall.accuracy):>22}{credit}   "
            f"{others}"
        )


def _run(run: RunSummary, by: Sequence[str], by_length: Sequence[str]) -> Iterator[str]:
    yield f"{run.info.name} ({run.info.model}, {run.info.system}, {run.info.prompting})"
    declared = {measure.name for measure in run.measures}
    for name, mean in run.overall.measures.items():
        if name not in declared:
            yield f"  {name} {with_interval(mean).strip()}"
    yield from measure_lines(run.measures)
    yield from distribution_lines(run)
    yield from range_lines(run.length_ranges, by_length)
    yield from _retrieval(run)
    for breakdown in run.breakdowns:
        if breakdown.by in by:
            yield from _breakdown(breakdown)
    if run.accuracy_over_documents is not None:
        yield f"  with an interval over documents as well: {with_interval(run.accuracy_over_documents).strip()}"
    if run.lengths.effective is not None:
        effective = run.lengths.effective
        if effective.low is None:
            span = "too few contexts for an interval"
        else:
            span = f"95% interval {effective.low:,} to {effective.high:,} tokens"
        yield f"  effective length {effective.length or 'none'} ({span}): {effective.note}"
    if run.lengths.note:
        yield f"    {run.lengths.note}"
    if run.samples is not None:
        passed = ", ".join(
            f"pass@{k} {with_interval(share).strip()}" for k, share in list(run.samples.pass_at.items())[:3]
        )
        yield f"  {run.samples.samples} samples: {passed}, majority vote {run.samples.majority_accuracy:.1%}"
    significant = [row for row in run.correlates.rows if row.p_holm <= 0.05]
    if significant:
        yield "  correlates of success: " + ", ".join(f"{row.name} {row.correlation:+.2f}" for row in significant)
    if run.patterns:
        yield f"  {'error patterns':38} {'count':>7} {'share (95% CI)':>22}"
        for pattern in run.patterns[:MAX_LINES]:
            yield f"    {pattern.name:36} {pattern.count:>7,} {with_interval(pattern.share):>22}"
    yield from _failure_stages(run)
    if run.attribution is not None and run.attribution.incorrect:
        yield from _causes(run.attribution)
    if run.steps is not None:
        steps = run.steps
        yield (
            f"  reasoning: {steps.traces:,} traces reach {steps.reached:,} of {steps.values:,} steps; "
            f"{steps.complete_but_incorrect:,} reach all and are incorrect"
        )
    yield from _cost(run)


def _retrieval(run: RunSummary) -> Iterator[str]:
    """Recall at each number of passages, and how many items cannot be answered from so few."""
    retrieval = run.retrieval
    if retrieval is None:
        return
    yield f"  {'recall at k':38} {'needed spans (95% CI)':>22} {'needed documents':>22}"
    for recall in retrieval.at:
        yield f"    {f'k = {recall.k:,}':36} {with_interval(recall.spans):>22} {with_interval(recall.documents):>22}"
    if retrieval.too_few:
        yield f"  † fewer passages than needed documents: {retrieval.too_few:,} of {retrieval.responses:,} responses"


def _failure_stages(run: RunSummary) -> Iterator[str]:
    if run.failure_stages:
        yield f"  {'where failures arise':38} {'count':>7} {'share (95% CI)':>22}"
    for stage in run.failure_stages:
        if stage.count:
            yield f"    {stage.name:36} {stage.count:>7,} {with_interval(stage.share):>22}"


def _breakdown(breakdown: Breakdown) -> Iterator[str]:
    errors = any(group.outcomes.error for group in breakdown.groups)
    measures = [name for name in MEASURES if any(name in group.measures for group in breakdown.groups)]
    headings = "".join(f" {name:>{len(name)}}" for name in measures) + (" errors" if errors else "")
    yield f"  {'by ' + breakdown.by:38} {'count':>7} {'accuracy (95% CI)':>22}{headings}"
    for group in breakdown.groups:
        means = "".join(f" {_mean(group, name):>{len(name)}}" for name in measures)
        yield (
            f"    {group.name:36} {group.outcomes.responses:>7,} {with_interval(group.accuracy):>22}{means}"
            + (f" {group.outcomes.error:>6,}" if errors else "")
        )
    if len(breakdown.groups) > 1 and not breakdown.overlapping:
        yield f"    {'macro average':36} {'':>7} {with_interval(breakdown.macro_average):>22}"


def _mean(group: Group, measure: str) -> str:
    found = group.measures.get(measure)
    return "-" if found is None else f"{found.value:.1%}"


def _causes(attribution: Attribution) -> Iterator[str]:
    yield f"  {'likely causes of incorrect answers':38} {'count':>7} {'unambiguous':>12} {'rate (95% CI)':>22}"
    for cause in attribution.causes[:MAX_LINES]:
        if cause.count:
            rate = "too few questions" if cause.rate is None else with_interval(cause.rate)
            yield f"    {cause.name:36} {cause.count:>7,} {cause.unambiguous:>12,} {rate:>22}"
    yield f"    {'unclear':36} {attribution.unclear:>7,}"


def _cost(run: RunSummary) -> Iterator[str]:
    cost = run.cost
    price = "price unknown" if cost.price is None else f"${cost.price:,.4f}"
    each = "" if not cost.price_per_correct else f", ${cost.price_per_correct:,.5f} per correct answer"
    yield (
        f"  {cost.input_tokens:,} input tokens ({cost.cached_tokens:,} cached), {cost.output_tokens:,} output, "
        f"{cost.seconds:,.0f} s, {price}{each}"
    )


def cost_lines(findings: Findings) -> Iterator[str]:
    """What a question costs in each of several runs, and which runs are Pareto-optimal."""
    from fathom.api.findings import question_cost

    known = [(run, cost) for run in findings.runs if (cost := question_cost(run)) is not None]
    if len(known) < 2:
        return
    width = max(20, *(len(run.info.name) for run, _ in known))
    yield ""
    yield "Cost of a question (* Pareto-optimal: no other run on the same questions is as cheap and as accurate)"
    yield f"  {'run':{width}} {'accuracy':>8} {'dollars':>12} {'tokens':>12} {'seconds':>12}"
    for run, cost in known:
        price = "unknown" if cost.price is None else f"${cost.price:,.6f}"
        shown = {"price": price, "tokens": f"{cost.tokens:,.0f}", "seconds": f"{cost.seconds:,.2f}"}
        marked = " ".join(
            f"{words + (' *' if kind in run.cost.pareto_optimal else '  '):>12}" for kind, words in shown.items()
        )
        yield f"  {run.info.name:{width}} {run.overall.accuracy.value:8.1%} {marked}".rstrip()


def _loss_stages(loss: LossDecomposition) -> Iterator[str]:
    yield f"Accuracy lost by stage: {loss.model} ({loss.items:,} questions asked with every system)"
    yield "  " + ", ".join(f"{system} {with_interval(estimate).strip()}" for system, estimate in loss.accuracy.items())
    for stage in loss.stages:
        rate = "" if stage.rate is None else f"{stage.rate.value:6.1%} of the answers that get this far: "
        yield f"  {stage.name:20} {points(stage.lost):34} {rate}{stage.description}"
    yield from (f"  {note}" for note in loss.notes)


def comparison_lines(comparison: Comparison, noun: str = "questions") -> Iterator[str]:
    """Two lines about a pair of runs, or of settings."""
    difference = f"{points(comparison.difference)}, p {comparison.p_holm:.4f}"
    yield f"  {comparison.first} / {comparison.second}: {difference}, {comparison.items:,} {noun}"
    yield f"    {comparison.note}"
