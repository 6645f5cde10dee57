"""`fathom contamination`"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom.cli import options

if TYPE_CHECKING:
    from fathom.api.findings import Contamination, Estimate, ProbeResults, SwapResults


@click.command(
    epilog=options.examples(
        "fathom contamination runs/probes-full-openai-gpt-4.1-mini",
        "fathom contamination runs/swapped-full-openai-gpt-4.1-mini runs/bench-full-openai-gpt-4.1-mini",
    )
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN...", type=options.PATH)
@options.as_json
def command(runs: tuple[Path, ...], as_json: bool) -> None:
    """Measure how much of a run was memorized.

    For a run on memorization probes (`fathom build memorization`): the share completed from memory, by the year of the
    document, with a test for a trend. For a run on a swapped bench (`fathom swap`): the share of answers that match the
    text shown, and the share that match the original documents; with the same model's run on the original bench, also
    the drop in accuracy. Reads runs, their benches and keys; writes nothing; calls no model.
    """
    from fathom.api.findings import contamination

    by_run = contamination(runs)
    if as_json:
        click.echo(json.dumps({name: evidence.model_dump(mode="json") for name, evidence in by_run.items()}, indent=2))
    else:
        click.echo("\n".join(line for name, evidence in by_run.items() for line in describe(name, evidence)))


def describe(name: str, evidence: Contamination) -> list[str]:
    """The figures in a few lines."""
    lines = [f"{name}:"]
    for task, results in evidence.probes.items():
        lines += _probes(task, results)
    return [*lines, *(_swap(evidence.swapped) if evidence.swapped is not None else ())]


def _probes(task: str, results: ProbeResults) -> Iterator[str]:
    yield f"  {task} probes completed  {_share(results.overall)}{_unanswered(results.unanswered)}"
    yield from (f"    {year}  {_share(estimate)}" for year, estimate in results.by_year.items())
    if results.trend is None:
        yield "    no trend over the years can be estimated"
    else:
        slope, z, p = results.trend.slope, results.trend.z, results.trend.p
        yield f"    trend {100 * slope:+.1f} points per year (z {z:.1f}, p {p:.2g})"


def _swap(results: SwapResults) -> Iterator[str]:
    changed = f"{results.changed:,} of {results.questions:,} answers changed with the swap"
    yield f"  {changed}{_unanswered(results.unanswered)}; of these"
    yield f"    context-attributable  {_share(results.context_accuracy)}"
    yield f"    memorized             {_share(results.memorized)}"
    if results.before is not None and results.drop is not None:
        low, high = results.drop.low, results.drop.high
        yield f"    before the swap       {_share(results.before)}"
        yield f"    drop                  {100 * results.drop.value:.1f} points ({100 * low:.1f} to {100 * high:.1f})"


def _share(found: Estimate) -> str:
    hits = round(found.value * found.items)
    return f"{found.value:>6.1%}  ({found.low:.1%} to {found.high:.1%}; {hits:,} of {found.items:,})"


def _unanswered(count: int) -> str:
    return f", {count:,} without an answer" if count else ""
