"""`fathom audit`"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from fathom.api import benches
from fathom.api.benches import AuditReport
from fathom.cli import options
from fathom.cli.output import all_or_nothing, counted, escape_control_characters, next_lines


@click.command(epilog=options.examples("fathom audit bench"))
@click.argument("bench", type=options.PATH)
@click.option("--corpus", type=options.PATH, help="The folder of the corpus, if it was moved.")
@options.seed
@options.as_json
def command(bench: Path, corpus: Path | None, seed: int, as_json: bool) -> None:
    """Verify every item of a bench from its files.

    Reads every document again, recomputes every key in a second way, tries near misses and mutants of each question's
    program, and measures baselines. Writes audit.json into the bench. Exits with code 1 if a check fails. Calls no
    model.
    """
    with all_or_nothing("audit"):
        report = benches.audit(bench, corpus, seed)
    click.echo(report.model_dump_json(indent=2) if as_json else describe(bench, report))
    if not report.passed:
        sys.exit(1)


def describe(folder: Path, report: AuditReport) -> str:
    """Each check with its outcome."""
    lines = [f"{folder}: {counted(report.questions, 'question')}, audit {'passed' if report.passed else 'FAILED'}"]
    for check in report.checks:
        if check.measures:
            lines.append(f"  {check.name} ({check.checked:,}):")
            lines += [f"    {name}: {value:.2%}" for name, value in check.measures.items()]
        elif check.failed:
            first = ", ".join(check.failures[:3])
            lines.append(f"  FAILED: {check.name} ({check.failed:,} of {check.checked:,}, first {first})")
        else:
            lines.append(f"  passed: {check.name} ({check.checked:,} checked)")
    for erratum in report.errata:
        said = escape_control_characters(f"{erratum.question_id} ({erratum.by}: {erratum.reason})")
        lines.append(f"  {erratum.state}: {said}")
    if report.passed:
        lines += next_lines(f"fathom run {folder} --model MODEL")
    return "\n".join(lines)
