"""`fathom ingest`"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from fathom.cli import options
from fathom.cli.holdings import describe as describe_corpus
from fathom.cli.progress import bar
from fathom.corpus.document_reading import FIELDS, Filters
from fathom.corpus.ingest import ingest
from fathom.corpus.ingest_report import IngestReport, Told, too_low
from fathom.corpus.manifest import CorpusManifest
from fathom.corpus.readers.catalog import FORMATS
from fathom.records.errors import FathomError

EXAMPLE = """
\b
Examples:
  fathom ingest papers/ more.tar.xz --out corpus
  fathom ingest filings.zip --out filings --kinds ixbrl --least-tokens 10240 --least-tables 1
  fathom ingest --self-test 20
  fathom ingest papers/ --out corpus --licenses CC-BY,CC0 --strict title=1,authors=0.99,resolved=0.95
"""


class Wanted(click.ParamType[dict[str, float]]):
    """Fields with the least share of documents that must have them: authors=0.99,resolved=0.95."""

    name = "shares"

    def convert(self, value: object, param: click.Parameter | None, context: click.Context | None) -> dict[str, float]:
        if isinstance(value, dict):
            return value
        wanted: dict[str, float] = {}
        for piece in filter(None, (word.strip() for word in str(value).split(","))):
            name, _, share = piece.partition("=")
            try:
                wanted[name] = float(share)
            except ValueError:
                wanted[name] = -1.0
            if name not in (*FIELDS, "resolved") or not 0 <= wanted[name] <= 1:
                known = ", ".join((*FIELDS, "resolved"))
                raise FathomError(f"'{piece}' is no share of a field. Write such as authors=0.99; known are {known}.")
        return wanted


@click.command(epilog=EXAMPLE)
@click.argument("sources", nargs=-1, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="The folder to write the corpus to.")
@click.option(
    "--kinds", type=options.Words(tuple(FORMATS)), default="", help="Only these kinds of documents, by reader."
)
@click.option("--least-tokens", type=options.Length(), default=0, help="Leave out what is shorter.")
@click.option("--most-tokens", type=options.Length(), help="Leave out what is longer.")
@click.option("--least-tables", type=click.IntRange(0), default=0, help="Leave out what has fewer tables.")
@click.option("--full-text", is_flag=True, help="Leave out what is an abstract and a list of references.")
@click.option("--licenses", type=options.Words(), default="", help="Only licenses that begin so: CC-BY,CC0.")
@click.option("--strict", type=Wanted(), default="", help="Exit 1 under these shares: authors=0.99,resolved=0.95.")
@click.option(
    "--self-test", type=click.IntRange(1, 10_000), help="Instead: how much of so many generated articles comes back."
)
@options.processes
@options.as_json
def command(
    sources: tuple[Path, ...],
    out: Path | None,
    kinds: tuple[str, ...],
    least_tokens: int,
    most_tokens: int | None,
    least_tables: int,
    full_text: bool,
    licenses: tuple[str, ...],
    strict: dict[str, float],
    self_test: int | None,
    processes: int,
    as_json: bool,
) -> None:
    """Read documents into a corpus.

    SOURCES are files, folders and archives (tar, zip, gz, xz); the kind of each file is found by looking. Every file is
    read or refused with its reason; references are linked to the documents they name, people told apart where that is
    safe. Writes a folder with a report on how good the reading is; calls no model. After a kill, the same command goes
    on where it was.
    """
    if self_test is not None:
        # Loaded here: it brings the generator along, which reading has no use for.
        from fathom.cli.reading_back import tell

        click.echo(tell(self_test, as_json))
        return
    if not sources or out is None:
        raise click.UsageError("There is nothing to read or nowhere to write to: give SOURCES and --out.")
    filters = Filters(
        kinds=kinds,
        least_tokens=least_tokens,
        most_tokens=most_tokens,
        least_tables=least_tables,
        full_text=full_text,
        licenses=licenses,
    )
    with bar("Reading", 0) as show:
        manifest, report = ingest(sources, out, filters, processes, watch=lambda stage, done: show(done))
    click.echo(report.model_dump_json(indent=2) if as_json else describe(out, manifest, report))
    missed = too_low(report, strict)
    if missed:
        click.echo(f"fathom: the reading is not good enough: {'; '.join(missed)}.", err=True)
        sys.exit(1)


def describe(out: Path, manifest: CorpusManifest, report: IngestReport) -> str:
    """What was read, what was refused, and how much of each field there is."""
    lines = [describe_corpus(out, manifest)]
    lines.append(
        f"  read {report.kept:,} of {report.documents:,} documents; {report.passed_over:,} files of no known kind"
    )
    for title, counts in (("refused", report.refused), ("left out", report.left_out)):
        lines += [f"  {title}: {reason} ({count:,})" for reason, count in list(counts.items())[:5]]
    names = list(report.by_kind)
    lines.append(f"  {'share of documents with':24}" + "".join(f"{name:>12}" for name in names))
    for field in FIELDS:
        shares = [report.by_kind[name].share(field) for name in names]
        if any(shares):
            lines.append(f"    {field:22}" + "".join(f"{share:>12.1%}" for share in shares))
    lines.append(f"    {'citations resolved':22}" + "".join(_resolved(report.by_kind[name]) for name in names))
    linked = {way: count for way, count in report.links.items() if count}
    if linked:
        lines.append("  references by how they were linked: " + ", ".join(f"{w} {c:,}" for w, c in linked.items()))
    if report.people:
        lines.append("  names in bylines: " + ", ".join(f"{kind} {count:,}" for kind, count in report.people.items()))
    return "\n".join(lines)


def _resolved(told: Told) -> str:
    return f"{told.share('resolved'):>12.1%}" if told.citations else f"{'-':>12}"
