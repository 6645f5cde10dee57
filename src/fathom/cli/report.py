"""`fathom report`"""

from __future__ import annotations

import json
from pathlib import Path

import click

from fathom.cli import options
from fathom.cli.output import escape_control_characters, progress_bar
from fathom.records.errors import FathomError

EXAMPLE = """
\b
Examples:
  fathom report runs/full runs/sql --out report.html
  fathom report runs/* --out report.html --figures figures
  fathom report --site leaderboard runs/*
"""


@click.command(epilog=EXAMPLE)
@click.argument("runs", metavar="RUN...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="The page to write.  [default: report.html]")
@click.option("--bench", type=click.Path(path_type=Path), help="Where the runs' bench is, if it has been moved.")
@click.option("--corpus", type=click.Path(path_type=Path), help="Where the bench's corpus is, if it has been moved.")
@click.option("--title", help="What stands above the page.  [default: the benches' names]")
@click.option(
    "--parts/--one-file",
    default=None,
    help="Details in numbered files beside the page, or all in the page.  [default: beside it when it would be large]",
)
@click.option(
    "--figures", type=click.Path(path_type=Path), help="Also a folder with every figure as CSV, JSON and SVG."
)
@click.option(
    "--site", type=click.Path(path_type=Path), help="Instead a folder: a leaderboard, and a page for each bench."
)
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
    figures: Path | None,
    site: Path | None,
    seed: int,
    processes: int,
    as_json: bool,
) -> None:
    """Write a page that shows what runs got right, where and why they fail, and every item.

    The page is one file that opens offline and asks nothing of the network. A run that is a folder of runs stands for
    all of them. Reads the runs, their benches and corpora; writes the page; calls no model.
    """
    from fathom.analysis.analyze import Settings, analyze
    from fathom.analysis.reading import contexts_ahead
    from fathom.report.figures import write_figures
    from fathom.report.pages import Choice, refuse_page, write_page
    from fathom.report.sections import all_figures
    from fathom.report.site import refuse_site, write_site
    from fathom.report.titles import title_of

    if site is not None and out is not None:
        raise FathomError("Give --out for one page or --site for a folder of them, not both.")
    if site is not None and figures is not None:
        raise FathomError("A site has the figures of each bench beside its page. Leave --figures out.")
    # Looked at first: an analysis takes its time, and its page should have a place.
    refuse_site(site) if site is not None else refuse_page(out or Path("report.html"))
    folders = run_folders(runs)
    with progress_bar("Analyzing", contexts_ahead(folders, bench)) as show:
        analyzed = analyze(folders, bench, corpus, Settings(seed=seed, processes=processes), show)
    found, items = analyzed.findings, analyzed.all_items()
    if site is not None:
        told = write_site(found, items, site, title or "Leaderboard", Choice(parts, corpus))
        click.echo(json.dumps(told.as_json(), indent=2) if as_json else escape_control_characters(told.describe()))
        return
    written = write_page(found, items, out or Path("report.html"), title or title_of(found), Choice(parts, corpus))
    drawn = write_figures(all_figures(found), figures) if figures is not None else []
    if as_json:
        click.echo(json.dumps(written.as_json() | {"figures": [str(path) for path in drawn]}, indent=2))
        return
    click.echo(escape_control_characters(written.describe()))
    if figures is not None:
        click.echo(f"  {len(drawn)} files of figures in {figures}")


def run_folders(named: tuple[Path, ...]) -> list[Path]:
    """The runs that are meant; a folder of runs stands for those in it."""
    from fathom.runs.folder import MANIFEST

    found: list[Path] = []
    for path in named:
        inside = [] if (path / MANIFEST).exists() else sorted(one.parent for one in path.glob(f"*/{MANIFEST}"))
        found.extend(inside or [path])
    if not found:
        raise FathomError("Name at least one run. Make one with `fathom run BENCH --model M`.")
    return list(dict.fromkeys(found))
