"""`fathom fit`"""

from __future__ import annotations

from pathlib import Path

import click

from fathom.api import benches
from fathom.api.benches import Bench, BenchManifest
from fathom.cli import options
from fathom.cli.output import all_or_nothing, progress_bar
from fathom.records.lengths import format_length
from fathom.records.plurals import counted


@click.command(
    epilog=options.examples(
        "fathom fit bench --window 128K --out bench-128k",
        "fathom fit bench --window 128K --out bench-small --model anthropic/claude-sonnet-4-5 --reserve 8K",
    )
)
@click.argument("bench", type=options.PATH)
@click.option(
    "--window",
    type=options.Length(),
    required=True,
    help="Tokens that prompt and response may have together, such as 128K.",
)
@click.option("--out", type=options.PATH, required=True, help="The folder to write the new bench to.")
@click.option(
    "--reserve",
    type=options.Length(),
    default="2K",
    show_default=True,
    help="Tokens of the window reserved for the response.",
)
@click.option("--corpus", type=options.PATH, help="The folder of the corpus, if it was moved.")
@click.option("--model", help="Count in this model's tokens.  [default: those of the contexts' tokenizer]")
@options.as_json
def command(
    bench: Path, window: int, out: Path, reserve: int, corpus: Path | None, model: str | None, as_json: bool
) -> None:
    """Fit a bench to a model's context window.

    Contexts that are too long lose whole documents, first those that the fewest questions depend on. Every key is
    recomputed on the shorter context, or its question is left out and counted. Reads BENCH and its corpus. Writes a new
    bench. Calls no model.
    """
    with all_or_nothing("bench"), progress_bar("Fitting", Bench(bench).manifest.contexts) as show:
        fitted = benches.fit(bench, out, window, reserve=reserve, model=model, corpus=corpus, progress=show)
    manifest = fitted.manifest
    click.echo(manifest.model_dump_json(indent=2) if as_json else describe(out, manifest))


def describe(folder: Path, manifest: BenchManifest) -> str:
    """A summary of the fit in a few lines."""
    report = manifest.fit
    assert report is not None
    lines = [
        f"{folder}: {counted(manifest.questions, 'question')} over {counted(manifest.contexts, 'context')}, "
        f"fitted to {format_length(report.window)} tokens, {format_length(report.reserve)} of them for the response",
        f"  {report.built:,} questions: {report.unchanged:,} unchanged, {report.recomputed:,} recomputed on "
        f"fewer documents, {sum(report.refused.values()):,} left out",
        *(f"    {count:,} left out: {reason}" for reason, count in report.refused.items()),
        f"  fingerprint {manifest.fingerprint[:16]}",
        f"next: fathom audit {folder}",
    ]
    return "\n".join(lines)
