"""`fathom compare`"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom.cli import options
from fathom.cli.analyze import compared, signed, spanned
from fathom.cli.output import escape_control_characters

if TYPE_CHECKING:
    from fathom.analysis.findings import Comparison, Findings

EXAMPLE = """
\b
Example:
  fathom compare runs/bench-full-smollm2 runs/bench-tables-smollm2
"""


@click.command(epilog=EXAMPLE)
@click.argument("first", type=click.Path(path_type=Path))
@click.argument("second", type=click.Path(path_type=Path))
@click.option("--bench", type=click.Path(path_type=Path), help="Where the runs' bench is, if it has been moved.")
@options.seed
@options.as_json
def command(first: Path, second: Path, bench: Path | None, seed: int, as_json: bool) -> None:
    """Say whether two runs on one bench differ, question by question.

    The difference with its interval, the chance of it if the runs were exchanged context by context, how many more
    questions it would take to tell them apart, and the same within lengths and skills, corrected for their number.
    Reads the runs and their bench; writes nothing; calls no model.
    """
    from fathom.analysis.analyze import Settings, compare_runs

    findings = compare_runs(first, second, bench, Settings(seed=seed)).findings
    if as_json:
        made = {"comparisons": [one.model_dump() for one in findings.comparisons]}
        click.echo(json.dumps(made, indent=2))
    else:
        click.echo(escape_control_characters("\n".join(_page(findings))))


def _page(findings: Findings) -> Iterator[str]:
    for run in findings.runs:
        yield f"{run.facts.name}: {spanned(run.all.accuracy).strip()} of {run.all.outcomes.responses:,} responses right"
    if not findings.comparisons:
        yield "They have no question in common."
        return
    whole = findings.comparisons[0]
    yield from compared(whole)
    yield (
        f"    both right {whole.both:,}, only the first {whole.only_first:,}, only the second {whole.only_second:,}, "
        f"neither {whole.neither:,}"
    )
    if whole.waiting_first or whole.waiting_second:
        yield f"    not come: {whole.waiting_first:,} of the first, {whole.waiting_second:,} of the second"
    rest = findings.comparisons[1:]
    if rest:
        yield f"  {'within':38} {'questions':>9} {'second less first':>32} {'p (Holm)':>9}"
        yield from map(_line, rest)


def _line(one: Comparison) -> str:
    mark = " *" if one.apart else ""
    return f"    {one.within:36} {one.items:>9,} {signed(one.difference):>32} {one.p_holm:>9.4f}{mark}"
