"""`fathom check-system`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import click

from fathom.api.systems import SystemReport, check_system
from fathom.cli import options
from fathom.cli.output import escape_control_characters
from fathom.cli.run_options import parse_settings


@click.command(
    epilog=options.examples(
        "fathom check-system http://127.0.0.1:8000/answer",
        "fathom check-system two_step.py:TwoStep -S words=300 --bench bench",
    )
)
@click.argument("system")
@click.option("--bench", type=options.PATH, help="Ask questions of this bench.  [default: a small generated one]")
@click.option("-S", "set_", multiple=True, metavar="NAME=VALUE", help="A setting of the system. Repeatable.")
@click.option(
    "--prompting", type=click.Choice(["direct", "cot"]), default="direct", show_default=True, help="As in `fathom run`."
)
@click.option(
    "--timeout", type=click.IntRange(1), default=60, show_default=True, help="Seconds for one answer of a server."
)
@click.option("--corpus", type=options.PATH, help="The folder of the corpus, if it was moved.")
@options.as_json
def command(
    system: str,
    bench: Path | None,
    set_: tuple[str, ...],
    prompting: Literal["direct", "cot"],
    timeout: int,
    corpus: Path | None,
    as_json: bool,
) -> None:
    """Check that a system of your own follows the contract.

    SYSTEM is an address (http://HOST:PORT/PATH), a class (path/to/file.py:Name or package.module:Name) or a built-in
    system. Asks it a few questions, one by one and at once, and prints a sentence for each check. A server is called,
    which may cost what its answers cost; a class gets a stub in place of a model. Exits with code 1 if a check failed.
    Writes nothing.
    """
    settings = parse_settings(set_)
    report = check_system(
        system, bench=bench, prompting=prompting, system_settings=settings, timeout=timeout, corpus=corpus
    )
    click.echo(report.model_dump_json(indent=2) if as_json else describe(report))
    if not report.passed:
        sys.exit(1)


def describe(report: SystemReport) -> str:
    """Each check with its result."""
    failures = sum(check.result == "failed" for check in report.checks)
    verdict = "all checks passed" if not failures else f"{failures} of {len(report.checks)} checks FAILED"
    words = {"passed": "passed", "failed": "FAILED", "note": "note"}
    lines = [
        f"{report.system}: {verdict}",
        *(f"  {words[result.result]}: {result.sentence}" for result in report.checks),
    ]
    if report.passed:
        model = "" if report.system.lower().startswith(("http://", "https://")) else "--model MODEL "
        lines.append(f"next: fathom run BENCH {model}--system {report.system}")
    return escape_control_characters("\n".join(lines))
