"""`fathom fit`"""

from __future__ import annotations

from pathlib import Path

import click

from fathom.cli import options
from fathom.cli.progress import bar
from fathom.cli.stopping import all_or_nothing
from fathom.records.lengths import print_length
from fathom.tasks.bench import Bench, BenchManifest
from fathom.tasks.fitting import Window, fit

EXAMPLE = """
\b
Examples:
  fathom fit bench --window 128K --out bench-128k
  fathom fit bench --window 128K --out bench-small --model anthropic/claude-sonnet-4-5 --reserve 8K
"""


@click.command(epilog=EXAMPLE)
@click.argument("bench", type=click.Path(path_type=Path))
@click.option(
    "--window", type=options.Length(), required=True, help="Tokens that prompt and response may have together."
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The folder to write the new bench to.")
@click.option(
    "--reserve",
    type=options.Length(),
    default="2K",
    show_default=True,
    help="Tokens of the window left to the response.",
)
@click.option("--corpus", type=click.Path(path_type=Path), help="Where the corpus is now, if it was moved.")
@click.option("--model", help="In whose tokens the window is; those of the contexts where it is not given.")
@options.as_json
def command(
    bench: Path, window: int, out: Path, reserve: int, corpus: Path | None, model: str | None, as_json: bool
) -> None:
    """Make a bench fit a model's window.

    Contexts that are too long lose whole documents, those first on which the fewest questions depend. Every key is
    proved again on what is left, or its question is left out and counted. Reads BENCH and its corpus; writes a whole
    bench of its own; calls no model.
    """
    with all_or_nothing("bench"), bar("Fitting", Bench(bench).manifest.contexts) as show:
        manifest = fit(bench, Window(window, reserve, model), out, corpus, show)
    click.echo(manifest.model_dump_json(indent=2) if as_json else describe(out, manifest))


def describe(folder: Path, manifest: BenchManifest) -> str:
    """What became of the questions, in a few lines."""
    fitted = manifest.fitted
    assert fitted is not None
    lines = [
        f"{folder}: {manifest.questions:,} questions over {manifest.contexts:,} contexts, "
        f"fitted to {print_length(fitted.window)} tokens, {print_length(fitted.reserve)} of them for the response",
        f"  of {fitted.built:,} questions {fitted.unchanged:,} are unchanged, {fitted.proved_again:,} proved again on "
        f"fewer articles, {sum(fitted.refused.values()):,} left out",
        *(f"    {count:,} left out: {reason}" for reason, count in fitted.refused.items()),
        f"  fingerprint {manifest.fingerprint[:16]}",
    ]
    return "\n".join(lines)
