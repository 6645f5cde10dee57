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

    found = contamination(runs)
    if as_json:
        click.echo(json.dumps({name: one.model_dump(mode="json") for name, one in found.items()}, indent=2))
    else:
        click.echo("\n".join(line for name, one in found.items() for line in describe(name, one)))


def describe(name: str, found: Contamination) -> list[str]:
    """The figures in a few lines."""
    lines = [f"{name}:"]
    for task, results in found.probes.items():
        lines += _probes(task, results)
    return [*lines, *(_swap(found.swapped) if found.swapped is not None else ())]


def _probes(task: str, found: ProbeResults) -> Iterator[str]:
    yield f"  {task} probes completed  {_share(found.overall)}{_unanswered(found.unanswered)}"
    yield from (f"    {year}  {_share(estimate)}" for year, estimate in found.by_year.items())
    if found.trend is None:
        yield "    no trend over the years can be estimated"
    else:
        slope, z, p = found.trend.slope, found.trend.z, found.trend.p
        yield f"    trend {100 * slope:+.1f} points per year (z {z:.1f}, p {p:.2g})"


def _swap(found: SwapResults) -> Iterator[str]:
    yield (
        f"  {found.changed:,} of {found.questions:,} answers changed with the swap{_unanswered(found.unanswered)}; of "
        "these"
    )
    yield f"    context-attributable  {_share(found.context_accuracy)}"
    yield f"    memorized             {_share(found.memorized)}"
    if found.before is not None and found.drop is not None:
        low, high = found.drop.low, found.drop.high
        yield f"    before the swap       {_share(found.before)}"
        yield f"    drop                  {100 * found.drop.value:.1f} points ({100 * low:.1f} to {100 * high:.1f})"


def _share(found: Estimate) -> str:
    hits = round(found.value * found.items)
    return f"{found.value:>6.1%}  ({found.low:.1%} to {found.high:.1%}; {hits:,} of {found.items:,})"


def _unanswered(count: int) -> str:
    return f", {count:,} without an answer" if count else ""
