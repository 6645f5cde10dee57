"""`fathom report`"""

from __future__ import annotations

import json
from pathlib import Path

import click

from fathom.cli import options
from fathom.cli.output import escape_control_characters, progress_bar
from fathom.records.errors import FathomError


@click.command(
    epilog=options.examples(
        "fathom report runs/full runs/sql --out report.html",
        "fathom report runs/* --out report.html --figures figures",
        "fathom report --site leaderboard runs/*",
    )
)
@click.argument("runs", metavar="RUN...", nargs=-1, type=options.PATH)
@click.option("--out", type=options.PATH, help="The page to write.  [default: report.html]")
@click.option("--bench", type=options.PATH, help="The runs' bench, if it has been moved.")
@click.option("--corpus", type=options.PATH, help="The bench's corpus, if it has been moved.")
@click.option("--title", help="The page's title.  [default: the benches' names]")
@click.option(
    "--parts/--one-file",
    default=None,
    help="Put item details in files beside the page, or all in one file.  [default: by size]",
)
@options.length_limits
@click.option("--figures", type=options.PATH, help="Also write every figure as CSV, JSON and SVG here.")
@click.option("--site", type=options.PATH, help="Write a leaderboard folder instead, with a page for each bench.")
@options.seed
@options.processes
@options.as_json
def command(
    runs: tuple[Path, ...],
    out: Path | None,
    bench: Path | None,
    corpus: Path | None,
    title: str | None,
    parts: bool | None,
    bins: tuple[str, ...] | None,
    figures: Path | None,
    site: Path | None,
    seed: int,
    processes: int,
    as_json: bool,
) -> None:
    """Write a report page: scores, breakdowns, errors and their causes, and every item.

    The page is one HTML file that opens offline and makes no network requests. A folder of runs means all runs in
    it. Reads the runs, their benches and corpora; writes the page; calls no model.
    """
    from fathom.api.findings import analyze, check_outputs, count_contexts

    if site is not None and out is not None:
        raise FathomError("--out writes one page and --site a folder of pages. Give one of them.")
    if site is not None and figures is not None:
        raise FathomError("A site already has the figures of each bench. Leave out --figures.")
    page = out or Path("report.html")
    check_outputs(None if site else page, site)
    with progress_bar("Analyzing", count_contexts(runs, bench)) as show:
        found = analyze(
            runs, bench=bench, corpus=corpus, seed=seed, lengths=bins or (), processes=processes, progress=show
        )
    if site is not None:
        written_site = found.write_site(site, title=title or "Leaderboard", parts=parts)
        click.echo(
            json.dumps(written_site.as_json(), indent=2)
            if as_json
            else escape_control_characters(written_site.describe())
        )
        return
    written = found.write_report(page, title=title, parts=parts)
    drawn = found.write_figures(figures) if figures is not None else []
    if as_json:
        click.echo(json.dumps(written.as_json() | {"figures": [str(path) for path in drawn]}, indent=2))
        return
    click.echo(escape_control_characters(written.describe()))
    if figures is not None:
        click.echo(f"  {len(drawn)} figure files in {figures}")
