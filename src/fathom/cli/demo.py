"""`fathom demo`"""

from __future__ import annotations

import time
from pathlib import Path

import click

from fathom.api.benches import BenchRecipe
from fathom.api.runs import open_run
from fathom.cli import audit, build, contexts, generate, options, report, run, score
from fathom.work import cores

RUNS = (
    ("oracle", "sim/oracle", "full"),
    ("careless", "sim/reader?miss=0.2&ignore-not=0.5", "full"),
    ("closed-book", "local/smollm2", "closed-book"),
    ("full", "local/smollm2", "full"),
)
"""The runs of the demo: folder, model, system. The slowest comes last."""

MAX_TOKENS = 48
"""Answers are short, and the embedded model writes about forty tokens per second."""


@click.command(epilog=options.examples("fathom demo --out demo"))
@click.option("--out", type=options.PATH, default="demo", show_default=True, help="The folder to write to.")
@options.seed
@click.pass_context
def command(caller: click.Context, out: Path, seed: int) -> None:
    """Run all of Fathom on a small generated corpus with the embedded model.

    Generates letters, samples contexts that a small model can read, builds and audits a bench, runs the embedded model
    with and without the context and two simulated models, scores the four runs, and writes a report page. Writes to the
    folder of --out. Needs no network. Takes a few minutes; a second call resumes.
    """
    start = time.monotonic()
    corpus, bench = out / "corpus", out / "bench"
    _step(f"fathom generate --out {corpus} --documents 60 --length short --seed {seed}")
    caller.invoke(generate.command, out=corpus, documents=60, length="short", seed=seed)
    _step(f"fathom contexts {corpus} --lengths 1500,2500 --count 2 --sampling bfs,dfs --seed {seed}")
    caller.invoke(
        contexts.command, corpus=corpus, lengths=("1500", "2500"), count=2, sampling=("bfs", "dfs"), seed=seed
    )
    _step(f"fathom build numeric {corpus} --out {bench} --questions 6 --seed {seed}")
    build.run_build(BenchRecipe(corpus, bench, {"numeric": {"questions": 6}}, seed=seed), cores())
    _step(f"fathom audit {bench}")
    caller.invoke(audit.command, bench=bench)
    for name, model, system in RUNS:
        folder = out / "runs" / name
        _step(f"fathom run {bench} --model '{model}' --system {system} --max-tokens {MAX_TOKENS} --out {folder}")
        caller.invoke(
            run.command, bench=bench, model=model, system=system, max_tokens=MAX_TOKENS, temperature=0.0, out=folder
        )
        _step(f"fathom score {folder}")
        caller.invoke(score.command, target=folder)
    click.echo(_table(out))
    page = out / "report.html"
    _step(f"fathom report {out / 'runs'} --out {page}")
    caller.invoke(report.command, runs=(out / "runs",), out=page)
    click.echo(f"\nEverything is in {out} ({time.monotonic() - start:.0f} s). Open {page} in a browser.")


def _step(words: str) -> None:
    """Print the command that is about to run, as a user would type it."""
    click.secho(f"\n$ {words}", bold=True)


def _table(out: Path) -> str:
    """The scores of all runs side by side."""
    lines = [
        f"\n{'':14} {'model':36} {'system':12} {'accuracy':>8} {'partial':>7} {'tokens':>10} {'cached':>7} {'out':>6}"
    ]
    for name, model, system in RUNS:
        folder = out / "runs" / name
        opened = open_run(folder)
        found, used = opened.score().overall, opened.status.usage
        cached = used.cached_tokens / used.input_tokens if used.input_tokens else 0.0
        lines.append(
            f"{name:14} {model:36} {system:12} {found.accuracy:>8.1%} {found.partial_credit:>7.1%} "
            f"{used.input_tokens:>10,} {cached:>7.0%} {used.output_tokens:>6,}"
        )
    return "\n".join(lines)
