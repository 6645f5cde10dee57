"""`fathom swap`"""

from __future__ import annotations

from pathlib import Path

import click

from fathom.api import benches
from fathom.api.benches import REPORT, Bench, BenchManifest
from fathom.cli import options
from fathom.cli.output import progress_bar
from fathom.records.plurals import counted


@click.command(epilog=options.examples("fathom swap bench --out bench-swapped"))
@click.argument("bench", type=options.PATH)
@click.option("--out", type=options.PATH, required=True, help="The folder to write the new bench to.")
@click.option("--corpus", type=options.PATH, help="The folder of the corpus, if it was moved.")
@options.seed
@options.as_json
def command(bench: Path, out: Path, corpus: Path | None, seed: int, as_json: bool) -> None:
    """Make a counterfactual bench: the same questions over documents with swapped names and numbers.

    Family names of people are replaced by invented ones, a word of every title is replaced or added, and the numbers of
    facts change. Every key is recomputed on the new text and records the original answer. A model that reads the
    context answers correctly; a model that answers from memory gives the original answers. Reads BENCH and its
    corpus. Writes a new bench with its own corpus inside. Calls no model.
    """
    with progress_bar("Swapping", Bench(bench).manifest.contexts) as show:
        manifest = benches.swap(bench, out, seed=seed, corpus=corpus, progress=show).manifest
    click.echo(manifest.model_dump_json(indent=2) if as_json else describe(out, manifest))


def describe(folder: Path, manifest: BenchManifest) -> str:
    """A summary of the swap in a few lines."""
    report = manifest.reports[REPORT]
    lost = report["left out"]
    assert isinstance(lost, dict)
    lines = [
        f"{folder}: {counted(manifest.questions, 'question')} over {counted(manifest.contexts, 'context')}, "
        "names and numbers swapped",
        f"  {report['names']:,} names and {report['titles']:,} titles swapped, "
        f"{report['changed facts']:,} of {report['facts']:,} facts with another number; "
        f"{report['edits']:,} changes in the texts",
        f"  {report['answers that changed']:,} answers changed; {report['answers that no swap can change']:,}, "
        "such as counts, cannot change",
        *(f"  {count:,} left out: {reason}" for reason, count in lost.items()),
    ]
    if report["documents whose authors are unknown"]:
        lines.append(
            f"  documents that keep their byline, which is unknown: {report['documents whose authors are unknown']:,}"
        )
    if report["contexts left out"]:
        lines.append(f"  contexts left out because no question is left: {report['contexts left out']:,}")
    if report["contexts that outgrew their length"]:
        lines.append(f"  contexts longer than before: {report['contexts that outgrew their length']:,}")
    lines += [f"  fingerprint {manifest.fingerprint[:16]}", f"next: fathom audit {folder}"]
    return "\n".join(lines)
