"""`fathom ingest`"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Unpack

import click

from fathom.api import corpora
from fathom.cli import options
from fathom.cli.ingest_summary import describe, describe_self_test
from fathom.cli.output import progress_bar
from fathom.records.errors import FathomError


class Thresholds(click.ParamType[dict[str, float]]):
    """Fields with the minimum share of documents that must have them: authors=0.99,resolved=0.95."""

    name = "shares"

    def convert(self, value: object, param: click.Parameter | None, context: click.Context | None) -> dict[str, float]:
        if isinstance(value, dict):
            return value
        known = (*corpora.FIELDS, "resolved")
        thresholds: dict[str, float] = {}
        for piece in filter(None, (word.strip() for word in str(value).split(","))):
            name, _, share = piece.partition("=")
            try:
                thresholds[name] = float(share)
            except ValueError:
                thresholds[name] = -1.0
            if name not in known or not 0 <= thresholds[name] <= 1:
                raise FathomError(
                    f"--strict does not take '{piece}'. Give shares from 0 to 1 such as authors=0.99, with fields "
                    f"from: {', '.join(known)}."
                )
        return thresholds


@click.command(
    epilog=options.examples(
        "fathom ingest papers/ more.tar.xz --out corpus",
        "fathom ingest filings.zip --out filings --formats ixbrl --min-tokens 10240 --min-tables 1",
        "fathom ingest --self-test 4",
        "fathom ingest papers/ --out corpus --licenses CC-BY,CC0 --strict title=1,authors=0.99,resolved=0.95",
    )
)
@click.argument("sources", nargs=-1, type=options.PATH)
@click.option("--out", type=options.PATH, help="The folder to write the corpus to.")
@click.option(
    "--formats", type=options.CommaList(tuple(corpora.FORMATS)), default="", help="Only documents of these formats."
)
@click.option("--min-tokens", type=options.Length(), default=0, help="Leave out shorter documents.")
@click.option("--max-tokens", type=options.Length(), help="Leave out longer documents.")
@click.option("--min-tables", type=click.IntRange(0), default=0, help="Leave out documents with fewer tables.")
@click.option(
    "--include-all",
    is_flag=True,
    help="Also read READMEs, licenses, file lists and the like in folders and archives as documents.",
)
@click.option("--full-text", is_flag=True, help="Leave out documents that have only an abstract and references.")
@click.option(
    "--licenses",
    type=options.CommaList(),
    default="",
    help="Only these licenses, in any version: CC-BY,CC0. CC-BY* also keeps CC-BY-NC and others.",
)
@click.option(
    "--strict",
    type=Thresholds(),
    default="",
    help="Exit with 1 if a field is known for a smaller share of the documents that may have it: authors=0.99, or if "
    "fewer citations are resolved: resolved=0.95.",
)
@click.option(
    "--allow-incomplete", is_flag=True, help="Exit with 0 even if a source is damaged, truncated or too large."
)
@click.option(
    "--self-test",
    type=click.IntRange(1, 10_000),
    help="Instead: write this many generated documents in every format, read them back and compare.",
)
@options.processes
@options.as_json
def command(
    sources: tuple[Path, ...],
    out: Path | None,
    strict: dict[str, float],
    allow_incomplete: bool,
    self_test: int | None,
    processes: int,
    as_json: bool,
    results: Path | None = None,
    **chosen: Unpack[corpora.IngestOptions],
) -> None:
    """Read documents into a corpus.

    SOURCES are files, folders and archives (tar, zip, gz, xz); the format of each file is detected. Every file is
    read, or rejected with a reason. References are linked to the documents they cite, and authors are disambiguated
    where that is safe. Writes a folder with a report on reading quality; calls no model. After an interruption, the
    same command continues where it stopped.
    """
    if self_test is not None:
        result = corpora.run_self_test(self_test)
        click.echo(result.model_dump_json(indent=2) if as_json else describe_self_test(result))
        return
    if not sources or out is None:
        raise click.UsageError("Give the SOURCES to read and --out, the folder to write.")
    with (
        progress_bar("Reading", None) as progress,
        corpora.ingest(
            *(sources, out), allow_incomplete=True, processes=processes, progress=progress, results=results, **chosen
        ) as corpus,
    ):
        report = corpus.ingest_report
        assert report is not None  # written by `ingest`
        click.echo(report.model_dump_json(indent=2) if as_json else describe(corpus, report))
    missed = corpora.below_thresholds(report, strict)
    if missed:
        click.echo(f"fathom: reading quality is below --strict: {'; '.join(missed)}.", err=True)
    if report.incomplete and not allow_incomplete:
        advice = "The corpus has everything else. Repair the file, or allow this with --allow-incomplete"
        click.echo(f"fathom: {corpora.describe_incomplete(report)} {advice}.", err=True)
    if missed or (report.incomplete and not allow_incomplete):
        sys.exit(1)
