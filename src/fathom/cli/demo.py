"""`fathom demo`"""

from __future__ import annotations

from pathlib import Path

import click

from fathom.cli import audit, build, contexts, generate, options, show

EXAMPLE = """
\b
Example:
  fathom demo --out demo
"""


@click.command(epilog=EXAMPLE)
@click.option(
    "--out", type=click.Path(path_type=Path), default="demo", show_default=True, help="The folder to write to."
)
@options.seed
@click.pass_context
def command(caller: click.Context, out: Path, seed: int) -> None:
    """Everything Fathom does, on a small generated corpus.

    Generates research articles, gathers them into contexts of three lengths, asks questions about them and proves the
    keys. Writes to the folder of --out; needs no network and calls no model.
    """
    corpus = out / "corpus"
    _step(f"fathom generate --out {corpus} --articles 96 --seed {seed}")
    caller.invoke(generate.command, out=corpus, articles=96, seed=seed)
    _step(f"fathom contexts {corpus} --lengths 32K,64K,128K --count 24 --seed {seed}")
    caller.invoke(contexts.command, corpus=corpus, lengths=("32K", "64K", "128K"), count=24, seed=seed)
    bench = out / "bench"
    if not bench.exists():
        _step(f"fathom build {corpus} --out {bench} --seed {seed}")
        caller.invoke(build.command, corpus=corpus, out=bench, seed=seed)
    _step(f"fathom audit {bench}")
    caller.invoke(audit.command, bench=bench)
    _step(f"fathom show {corpus}")
    caller.invoke(show.command, corpus=corpus)


def _step(words: str) -> None:
    """The command that is about to run, as a reader would type it."""
    click.secho(f"$ {words}", bold=True)
