"""`fathom swap`"""

from __future__ import annotations

from pathlib import Path

import click

from fathom.api import benches
from fathom.cli import options
from fathom.cli.output import progress_bar
from fathom.tasks.bench import Bench, BenchManifest
from fathom.tasks.swapping import REPORT

EXAMPLE = """
\b
Example:
  fathom swap bench --out bench-swapped
"""


@click.command(epilog=EXAMPLE)
@click.argument("bench", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to write the new bench to.")
@click.option("--corpus", type=click.Path(path_type=Path), help="Where the corpus is now, if it was moved.")
@options.seed
@options.as_json
def command(bench: Path, out: Path, corpus: Path | None, seed: int, as_json: bool) -> None:
    """Make a bench whose documents nobody has seen: other names, other numbers.

    Every family name of the corpus becomes a made-up one wherever it stands, one word of every title becomes another
    or gets one before it, and the numbers of facts change; every key is proved again on the new text and keeps the
    answer before. A model that reads is right on it; one that recites says what the documents said before. Reads BENCH
    and its corpus; writes a whole bench with a corpus of its own inside; calls no model.
    """
    with progress_bar("Swapping", Bench(bench).manifest.contexts) as show:
        manifest = benches.swap(bench, out, seed=seed, corpus=corpus, progress=show).manifest
    click.echo(manifest.model_dump_json(indent=2) if as_json else describe(out, manifest))


def describe(folder: Path, manifest: BenchManifest) -> str:
    """What changed, in a few lines."""
    told = manifest.reports[REPORT]
    lost = told["left out"]
    assert isinstance(lost, dict)
    lines = [
        f"{folder}: {manifest.questions:,} questions over {manifest.contexts:,} contexts with other names and numbers",
        f"  {told['names']:,} names and {told['titles']:,} titles became others, "
        f"{told['facts with another number']:,} of {told['facts']:,} facts have another number; "
        f"{told['changes in the texts']:,} places of the texts changed",
        f"  {told['answers that changed']:,} answers changed; {told['answers that no swap can change']:,} cannot, "
        f"such as counts, and tell nothing",
        *(f"  {count:,} left out: {reason}" for reason, count in lost.items()),
    ]
    if told["contexts left out"]:
        lines.append(f"  contexts left out, since nothing asks about them any more: {told['contexts left out']:,}")
    if told["contexts that outgrew their length"]:
        lines.append(f"  contexts that outgrew their length: {told['contexts that outgrew their length']:,}")
    lines.append(f"  fingerprint {manifest.fingerprint[:16]}")
    return "\n".join(lines)
