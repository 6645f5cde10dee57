"""`fathom audit`"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from fathom.cli import options
from fathom.cli.stopping import all_or_nothing
from fathom.tasks.auditing import Audit, audit

EXAMPLE = """
\b
Example:
  fathom audit bench
"""


@click.command(epilog=EXAMPLE)
@click.argument("bench", type=click.Path(path_type=Path))
@click.option("--corpus", type=click.Path(path_type=Path), help="Where the corpus is now, if it was moved.")
@options.seed
@options.as_json
def command(bench: Path, corpus: Path | None, seed: int, as_json: bool) -> None:
    """Prove a bench again from its own files.

    Reads every document again, runs every query again, computes every key a second way, shuffles the rows, tries wrong
    readings, measures floors. Writes audit.json into the bench; exit code 1 when anything fails; calls no model.
    """
    with all_or_nothing("audit"):
        found = audit(bench, corpus, seed)
    click.echo(found.model_dump_json(indent=2) if as_json else describe(bench, found))
    if not found.passed:
        sys.exit(1)


def describe(folder: Path, found: Audit) -> str:
    """Each rule with its outcome."""
    lines = [f"{folder}: {found.questions:,} questions, {'proved' if found.passed else 'NOT PROVED'}"]
    for checked in found.checked:
        if checked.measured:
            lines.append(f"  {checked.rule} ({checked.looked_at:,}):")
            lines += [f"    {name}: {value:.2%}" for name, value in checked.measured.items()]
            continue
        outcome = (
            "holds" if not checked.failed else f"FAILS {checked.failed:,} times, first {', '.join(checked.faults[:3])}"
        )
        lines.append(f"  {checked.rule} ({checked.looked_at:,} looks): {outcome}")
    return "\n".join(lines)
