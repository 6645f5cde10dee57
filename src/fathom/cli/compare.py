"""`fathom compare`"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom.cli import options
from fathom.cli.analyze import comparison_lines, cost_lines, points, with_interval
from fathom.cli.output import escape_control_characters

if TYPE_CHECKING:
    from fathom.api.findings import Comparison, Findings


@click.command(epilog=options.examples("fathom compare runs/bench-full-smollm2 runs/bench-tables-smollm2"))
@click.argument("first", type=options.PATH)
@click.argument("second", type=options.PATH)
@click.option("--bench", type=options.PATH, help="The folder of the bench, if it was moved.")
@options.seed
@options.as_json
def command(first: Path, second: Path, bench: Path | None, seed: int, as_json: bool) -> None:
    """Compare two runs on one bench, question by question.

    The difference in accuracy with its interval, a permutation test clustered by context, the number of further
    questions needed to detect the difference, the same within groups, with Holm's correction, and what a question costs
    in each run. Reads the runs and their bench; writes nothing; calls no model.
    """
    from fathom.api.findings import compare

    findings = compare(first, second, bench=bench, seed=seed).findings
    if as_json:
        click.echo(
            json.dumps({"comparisons": [comparison.model_dump() for comparison in findings.comparisons]}, indent=2)
        )
    else:
        click.echo(escape_control_characters("\n".join(_lines(findings))))
        click.echo(f"next: fathom report {first} {second}")


def _lines(findings: Findings) -> Iterator[str]:
    for run in findings.runs:
        accuracy = with_interval(run.overall.accuracy).strip()
        yield f"{run.info.name}: accuracy {accuracy}, {run.overall.outcomes.responses:,} responses"
    if not findings.comparisons:
        yield "The runs have no question in common."
        return
    overall, *groups = findings.comparisons
    yield from comparison_lines(overall)
    yield (
        f"    both correct {overall.both:,}, only the first {overall.only_first:,}, only the second "
        f"{overall.only_second:,}, neither {overall.neither:,}"
    )
    if overall.missing_first or overall.missing_second:
        yield f"    missing: {overall.missing_first:,} of the first, {overall.missing_second:,} of the second"
    if groups:
        yield f"  {'within':38} {'questions':>9} {'second - first':>32} {'p (Holm)':>9}"
        yield from map(_line, groups)
    yield from cost_lines(findings)


def _line(comparison: Comparison) -> str:
    mark = " *" if comparison.significant else ""
    difference = points(comparison.difference)
    return f"    {comparison.within:36} {comparison.items:>9,} {difference:>32} {comparison.p_holm:>9.4f}{mark}"
