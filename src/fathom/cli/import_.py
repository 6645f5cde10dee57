"""`fathom import`"""

from __future__ import annotations

from pathlib import Path

import click

from fathom.cli import options
from fathom.records.plurals import counted


@click.group(epilog=options.examples("fathom import inspect logs/2026-03-31.eval --bench bench --out runs/imported"))
def command() -> None:
    """Make a run from the log of another tool."""


@command.command(
    "inspect",
    epilog=options.examples(
        "inspect eval fathom/numeric -T bench=bench --model openai/gpt-4.1-mini",
        "fathom import inspect logs/2026-03-31.eval --bench bench --out runs/imported",
    ),
)
@click.argument("log", type=options.PATH)
@click.option("--bench", type=options.PATH, required=True, help="The bench whose questions were asked.")
@click.option("--out", type=options.PATH, required=True, help="The folder of the run to write.")
@options.as_json
def inspect(log: Path, bench: Path, out: Path, as_json: bool) -> None:
    """Make a run from a log of Inspect.

    The run can be scored, analyzed and reported like any other. The samples of LOG are questions of the bench: those of
    `inspect eval fathom/FAMILY`, or of a task of your own whose samples have the ids of questions. Questions without a
    sample count as unanswered. Reads the log and the bench; writes the run's folder; calls no model.
    """
    from fathom.api.imports import import_inspect

    status = import_inspect(log, bench, out).status
    if as_json:
        click.echo(status.model_dump_json(indent=2))
        return
    outcomes = ", ".join(f"{name} {count:,}" for name, count in status.outcomes.items())
    click.echo(f"{out}: {counted(status.responses - status.waiting, 'response')} of {status.responses:,}: {outcomes}")
    if status.waiting:
        click.echo(f"  {counted(status.waiting, 'question')} without a sample in the log")
    click.echo(f"next: fathom score {out}")
