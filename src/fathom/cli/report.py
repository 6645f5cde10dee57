"""`fathom report`"""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from fathom.cli import options
from fathom.cli.output import escape_control_characters, progress_bar
from fathom.records.errors import FathomError

REFRESH = 10
"""Seconds between two pages of --watch."""


@click.command(
    epilog=options.examples(
        "fathom report runs/full runs/sql --out report.html",
        "fathom report runs --out report.html --figures figures",
        "fathom report --watch runs/full",
        "fathom report --site leaderboard runs",
    )
)
@click.argument("runs", metavar="RUN...", nargs=-1, type=options.PATH)
@click.option("--out", type=options.PATH, help="The page to write.  [default: report.html]")
@click.option("--bench", type=options.PATH, help="The folder of the bench, if it was moved.")
@click.option("--corpus", type=options.PATH, help="The folder of the corpus, if it was moved.")
@click.option("--title", help="The page's title.  [default: the benches' names]")
@click.option(
    "--parts/--one-file",
    default=None,
    help="Put item details in files beside the page, or all in one file.  [default: by size]",
)
@options.length_limits
@click.option("--figures", type=options.PATH, help="Also write every figure as CSV, JSON and SVG here.")
@click.option("--watch", is_flag=True, help="Rewrite the page until the runs have ended.")
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
    watch: bool,
    site: Path | None,
    seed: int,
    processes: int,
    as_json: bool,
) -> None:
    """Write a report page: scores, breakdowns, errors and their causes, and every item.

    The page is one HTML file that opens offline and makes no network requests. A folder of runs means all runs in
    it. With --watch, a browser that shows the page reloads it while a run is in progress. Reads the runs, their benches
    and corpora; writes the page; calls no model.
    """
    from fathom.api.findings import Analysis, analyze, any_running, check_outputs, count_contexts

    if site is not None and out is not None:
        raise FathomError("--out writes one page and --site a folder of pages. Give one of them.")
    if site is not None and figures is not None:
        raise FathomError("A site already has the figures of each bench. Leave out --figures.")
    if site is not None and watch:
        raise FathomError("--watch rewrites one page, not a site. Leave out --site.")
    page = out or Path("report.html")
    check_outputs(None if site else page, site)

    def analyzed() -> Analysis:
        with progress_bar("Analyzing", count_contexts(runs, bench)) as show:
            return analyze(
                runs, bench=bench, corpus=corpus, seed=seed, lengths=bins or (), processes=processes, progress=show
            )

    while watch and any_running(runs):
        shown = analyzed().write_report(page, title=title, parts=parts, refresh=REFRESH)
        state = f"{shown.describe()}; a run is in progress, Ctrl-C stops watching"
        click.echo(escape_control_characters(state), err=True)
        time.sleep(REFRESH)
    analysis = analyzed()
    if site is not None:
        written_site = analysis.write_site(site, title=title or "Leaderboard", parts=parts)
        click.echo(
            json.dumps(written_site.as_json(), indent=2)
            if as_json
            else escape_control_characters(written_site.describe())
        )
        return
    written = analysis.write_report(page, title=title, parts=parts)
    drawn = analysis.write_figures(figures) if figures is not None else []
    if as_json:
        click.echo(json.dumps(written.as_json() | {"figures": [str(path) for path in drawn]}, indent=2))
        return
    click.echo(escape_control_characters(written.describe()))
    if figures is not None:
        click.echo(f"  {len(drawn)} figure files in {figures}")
