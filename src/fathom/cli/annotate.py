"""`fathom annotate`"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom.cli import options
from fathom.cli.output import link_printer
from fathom.records.errors import FathomError
from fathom.records.plurals import counted

if TYPE_CHECKING:
    from fathom.api.annotating import ProjectSummary


_CORPUS_ONLY = {
    "--adjudicator": "adjudicators",
    "--double": "double",
    "--year": "year",
    "--pages": "pages",
    "--mathematics": "mathematics",
    "--limit": "limit",
    "--guidelines": "guidelines",
    "--import": "imported",
    "--no-server": "no_server",
}
"""Options that have no meaning for a bench, by parameter."""


@click.command(
    epilog=options.examples(
        "fathom annotate corpus --annotator ada --annotator ben --adjudicator eve --double 30",
        "fathom annotate corpus --annotator ada --year 2020- --pages 5-20 --mathematics -0.02",
        "fathom annotations export corpus-annotations --out claims.jsonl",
        "fathom annotate bench --annotator eve",
    )
)
@click.argument("corpus", metavar="CORPUS|BENCH", type=options.PATH)
@click.option("--project", type=options.PATH, help="The folder of the project.  [default: CORPUS-annotations]")
@click.option("--annotator", "annotators", multiple=True, help="The name of an annotator. Repeatable.")
@click.option(
    "--adjudicator", "adjudicators", multiple=True, help="A person who merges the layers of annotators. Repeatable."
)
@click.option(
    "--double",
    type=click.IntRange(0),
    help="Divide the documents among the annotators, and give this many to two of them.",
)
@click.option("--year", help="Only documents of these years, such as 2019-2024.")
@click.option("--pages", help="Only documents with this many pages of 3,000 characters, such as 5-20.")
@click.option("--mathematics", help="Only documents with this share of characters in formulas, such as 0-0.05.")
@click.option("--limit", type=click.IntRange(1), help="At most this many documents, drawn at random.")
@options.seed
@click.option("--guidelines", type=options.PATH, help="Your own guidelines, in Markdown.")
@click.option("--import", "imported", type=options.PATH, help="Annotations to add as layers, in Fathom's format.")
@options.port
@click.option("--no-server", is_flag=True, help="Create or change the project, and serve nothing.")
@options.as_json
def command(
    corpus: Path,
    project: Path | None,
    annotators: tuple[str, ...],
    adjudicators: tuple[str, ...],
    double: int | None,
    year: str | None,
    pages: str | None,
    mathematics: str | None,
    limit: int | None,
    seed: int,
    guidelines: Path | None,
    imported: Path | None,
    port: int,
    no_server: bool,
    as_json: bool,
) -> None:
    """Mark claims and evidence in the documents of a corpus, or review the items of a bench, in a browser.

    Serves pages on the loopback address and prints a link for each person; the link contains a secret. Each person
    works on a separate layer. Every change is stored in the project's folder before the page shows it as saved. Run the
    same command again to continue. With a bench, the pages show its items with their proofs, and people dispute, uphold
    or retire them; errata are written to the bench's folder. Reads the corpus; writes the project; calls no model.
    """
    from fathom.api.annotating import (
        DocumentFilter,
        Range,
        create_project,
        import_into_project,
        is_bench,
        is_project,
        serve_project,
        serve_review,
    )

    options.require_path(corpus, "a corpus or a bench")
    folder = project or corpus.with_name(f"{corpus.name}-annotations")
    if not is_project(folder) and not annotators:
        raise FathomError("A new project needs at least one annotator. Give --annotator NAME.")
    if is_bench(corpus):
        given = [name for name, value in _CORPUS_ONLY.items() if (click.get_current_context().params[value] or None)]
        if given:
            raise FathomError(f"'{corpus}' is a bench, and {given[0]} is for a corpus. Leave it out.")
        serve_review(corpus, folder, annotators, port=port, started=link_printer(as_json))
        click.echo(f"next: fathom score RUN, fathom audit {corpus}")
        return
    year_range, pages_range, mathematics_range = (
        None if text is None else Range.parse(text) for text in (year, pages, mathematics)
    )
    selection = DocumentFilter(year_range, pages_range, mathematics_range, limit, seed)
    summary = create_project(
        corpus,
        folder,
        annotators,
        adjudicators=adjudicators,
        selection=selection,
        double=double,
        guidelines=guidelines,
    )
    layers = import_into_project(folder, imported) if imported is not None else 0
    if as_json:
        click.echo(summary.model_dump_json(indent=2))
    else:
        click.echo("\n".join(_lines(summary)))
        if layers:
            click.echo(f"  {counted(layers, 'layer')} imported")
    if no_server:
        if not as_json:
            click.echo(f"next: fathom annotate {corpus} --project {folder}")
        return

    serve_project(folder, corpus=corpus, port=port, started=link_printer(as_json))
    if not as_json:
        click.echo(f"next: fathom annotations export {folder} --out claims.jsonl")


def _lines(summary: ProjectSummary) -> Iterator[str]:
    yield f"{summary.project}: {counted(summary.documents, 'document')}"
    for reason, count in summary.excluded.items():
        yield f"  left out, {reason}: {count:,}"
    for name, count in summary.annotators.items():
        yield f"  {name}: {counted(count, 'document')} assigned, {summary.done.get(name, 0):,} done"
