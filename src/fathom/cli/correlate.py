"""`fathom correlate`"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom.cli import options
from fathom.cli.output import cut, escape_control_characters

if TYPE_CHECKING:
    from fathom.api.model_correlations import ModelCorrelations


@click.command(epilog=options.examples("fathom correlate runs"))
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=options.PATH)
@click.option("--bench", type=options.PATH, help="The folder of the bench, if it was moved.")
@options.seed
@options.as_json
def command(runs: tuple[Path, ...], bench: Path | None, seed: int, as_json: bool) -> None:
    """Correlate properties of models over runs on one bench.

    Exploration (pass@k - pass@1) and response length with accuracy; the gain from step-by-step prompting with the
    accuracy without it, and the accuracy above which it helps. Rank correlations with permutation tests, from four
    models on. A folder of runs means all runs in it. Reads scored runs; writes nothing; calls no model.
    """
    from fathom.api.model_correlations import correlate_models

    found = correlate_models(runs, bench=bench, seed=seed)
    text = found.model_dump_json(indent=2) if as_json else "\n".join(_lines(found))
    click.echo(escape_control_characters(text))


def _lines(correlations: ModelCorrelations) -> Iterator[str]:
    yield f"  {'run':30} {'prompting':9} {'samples':>7} {'pass@1':>7} {'pass@k':>7} {'exploration':>11} {'tokens':>7}"
    for point in correlations.points:
        yield (
            f"  {cut(point.run, 30):30} {point.prompting:9} {point.samples:>7,} {point.accuracy:>7.1%} "
            f"{point.pass_at_k:>7.1%} {point.exploration:>11.1%} {point.output_tokens:>7,.0f}"
        )
    for gain in correlations.gains:
        change = f"gain {100 * gain.gain:+.1f} points"
        yield f"  {cut(gain.model, 40)}: direct {gain.direct:.1%}, cot {gain.cot:.1%}, {change}"
    if correlations.threshold is not None:
        threshold = f"{correlations.threshold:.1%}"
        yield f"  step-by-step prompting helps models from an accuracy of {threshold} on (least-squares line)"
    for correlation in correlations.correlations:
        measured = f"Spearman {correlation.value:+.2f} over {correlation.models:,} runs (p = {correlation.p:.3f})"
        yield f"  {correlation.of}: {measured}"
    if not correlations.correlations:
        yield "  no correlation: it needs four runs that differ"
