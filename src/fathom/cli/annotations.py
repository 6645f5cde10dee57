"""`fathom annotations`"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from fathom.api.annotating import EXPORT_FORMATS, ExportFormat, ExportReport, export_annotations
from fathom.api.annotations import FORMATS, Format, ImportReport, import_annotations
from fathom.cli import options

LISTED = 5
"""Documents and quotes that the summary names."""


@click.group(
    epilog=options.examples("fathom annotations import brat/ --corpus corpus --format brat --out claims.jsonl")
)
def command() -> None:
    """Import annotations of claims and evidence for `fathom build claims`, or export those of a project."""


@command.command(
    "import",
    epilog=options.examples(
        "fathom annotations import export.json --corpus corpus --format label-studio --out claims.jsonl",
        "fathom annotations import pmc-rct-evidence/ --corpus pmc --format evidence-inference --out evidence.jsonl",
    ),
)
@click.argument("sources", nargs=-1, required=True, type=options.PATH)
@click.option("--corpus", type=options.PATH, required=True, help="The corpus with the annotated documents.")
@click.option("--out", type=options.PATH, required=True, help="The file to write: JSON Lines.")
@click.option("--format", "kind", type=click.Choice(FORMATS), required=True, help="The format of the sources.")
@click.option("--annotator", default="", help="The name of the annotator.  [default: the name in the sources]")
@options.as_json
def import_(sources: tuple[Path, ...], corpus: Path, out: Path, kind: Format, annotator: str, as_json: bool) -> None:
    """Import annotations made with another tool.

    SOURCES are files, folders or archives. Documents are found by id, DOI, file name or title. Every quote is located
    in the text of the corpus, regardless of whitespace, hyphenation and markup; quotes that are not found are listed
    and left out. Writes one file; calls no model.
    """
    report = import_annotations(sources, corpus, out, kind, annotator)
    click.echo(report.model_dump_json(indent=2) if as_json else "\n".join(_lines(out, report)))
    if not as_json:
        click.echo(f"next: fathom build claims {corpus} --annotations {out} --out bench")


@command.command(
    "export",
    epilog=options.examples(
        "fathom annotations export corpus-annotations --out claims.jsonl",
        "fathom annotations export corpus-annotations --format brat --annotator ada --out brat",
    ),
)
@click.argument("project", type=options.PATH)
@click.option("--out", type=options.PATH, required=True, help="The file to write; for brat a folder.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(EXPORT_FORMATS),
    default="annotations",
    show_default=True,
    help="The format; `annotations` is what `fathom build claims` and `fathom agree` read.",
)
@click.option("--annotator", "annotators", multiple=True, help="Only the layers of this annotator. Repeatable.")
@click.option("--unfinished", is_flag=True, help="Also write layers that are not done, marked as incomplete.")
@options.as_json
def export(
    project: Path, out: Path, kind: ExportFormat, annotators: tuple[str, ...], unfinished: bool, as_json: bool
) -> None:
    """Export finished layers of a `fathom annotate` project.

    Label Studio's and brat's files can be imported again without loss. Reads the project and its corpus; calls no
    model.
    """
    report = export_annotations(project, out, kind, annotators, unfinished)
    click.echo(report.model_dump_json(indent=2) if as_json else "\n".join(_export_lines(report)))
    if not as_json and kind == "annotations":
        click.echo(f"next: fathom build claims CORPUS --annotations {out} --out bench")


def _export_lines(report: ExportReport) -> Iterator[str]:
    yield f"{report.out}: {report.annotations:,} annotations of {report.documents:,} documents"
    yield f"  claims {report.claims:,}, pieces of evidence {report.evidence:,}"
    yield "  annotators: " + ", ".join(
        f"{name} {count:,}{' (attested)' if name in report.attested else ''}"
        for name, count in report.annotators.items()
    )
    if report.unfinished:
        yield f"  not done: {report.unfinished:,} layers"
    if report.decisions:
        yield "  adjudicated: " + ", ".join(f"{state} {count:,}" for state, count in report.decisions.items())
    if report.unlinked:
        yield f"  left out, evidence without a claim: {report.unlinked:,}"


def _lines(out: Path, report: ImportReport) -> Iterator[str]:
    yield f"{out}: {report.annotations:,} annotations of {report.documents:,} documents"
    if report.quotes:
        yield f"  quotes located: {report.located:,} of {report.quotes:,}"
    if report.claims or report.findings:
        yield f"  claims {report.claims:,}, answers to given questions {report.findings:,}"
    yield "  annotators: " + ", ".join(f"{name} {count:,}" for name, count in report.annotators.items())
    if report.labels:
        yield "  labels: " + ", ".join(f"{name} {count:,}" for name, count in report.labels.items())
    if report.incomplete:
        yield f"  incomplete, since a quote was not located: {report.incomplete:,} annotations"
    unplaced = (
        ("not in the corpus", report.unknown_documents),
        ("of these, in the corpus twice", report.ambiguous_documents),
        ("not located", report.not_located),
    )
    for label, problems in unplaced:
        for problem in problems[:LISTED]:
            yield f"  {label}: {problem[:150]}"
        if len(problems) > LISTED:
            yield f"  {label}: {len(problems) - LISTED:,} more (see --json)"
