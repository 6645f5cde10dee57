"""`fathom audit`"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

import click

from fathom.api import benches
from fathom.api.benches import AuditReport, Bench
from fathom.cli import options
from fathom.cli.output import all_or_nothing, escape_control_characters, next_lines, progress_bar, wrapped
from fathom.records.plurals import counted


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
    # A damaged bench is audited as well: the audit says what is damaged.
    total = Bench(bench, verify=False).manifest.contexts
    with all_or_nothing("audit"), progress_bar("Auditing", total) as show:
        report = benches.audit(bench, corpus, seed, progress=show)
    click.echo(report.model_dump_json(indent=2) if as_json else describe(bench, report))
    if not report.passed:
        sys.exit(1)


def describe(folder: Path, report: AuditReport) -> str:
    """Each check with its outcome."""
    lines = [f"{folder}: {counted(report.questions, 'question')}, audit {'passed' if report.passed else 'FAILED'}"]
    for check in report.checks:
        if check.measures:
            lines.append(f"  {check.name} ({check.checked:,}):")
            lines += chain.from_iterable(wrapped(line, indent=4) for line in _measures(check.measures))
        elif check.failed:
            first = ", ".join(check.failures[:3])
            lines.append(f"  FAILED: {check.name} ({check.failed:,} of {check.checked:,}, first {first})")
        else:
            lines.append(f"  passed: {check.name} ({check.checked:,} checked)")
    for erratum in report.errata:
        reason = escape_control_characters(f"{erratum.question_id} ({erratum.by}: {erratum.reason})")
        lines.append(f"  {erratum.state}: {reason}")
    if report.passed:
        lines += next_lines(f"fathom run {folder} --model MODEL")
    return "\n".join(lines)


def _measures(measures: Mapping[str, float]) -> Iterator[str]:
    """A line for each measure; those whose names have two parts ("choice, easy: position") by one of the parts."""
    named = {tuple(name.split(": ", 1)): value for name, value in measures.items()}
    if any(len(name) == 1 for name in named):
        yield from (f"{': '.join(name)}: {_share(value)}" for name, value in named.items())
        return
    part = min((0, 1), key=lambda place: len({name[place] for name in named}))
    for title in dict.fromkeys(name[part] for name in named):
        values = [f"{name[1 - part]} {_share(value)}" for name, value in named.items() if name[part] == title]
        yield f"{title}: {', '.join(values)}"


def _share(value: float) -> str:
    """In percent; only zero is 0.0%."""
    return "<0.1%" if 0 < value < 0.0005 else f"{value:.1%}"
