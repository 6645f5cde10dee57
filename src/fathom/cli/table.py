"""`fathom table`"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom.cli import options
from fathom.cli.output import escape_control_characters, progress_bar
from fathom.records.errors import FathomError

if TYPE_CHECKING:
    from fathom.api.tables import Detail

FORMATS = ("text", "markdown", "latex", "csv", "json")


@click.command(
    epilog=options.examples(
        "fathom table runs --rows model --columns system,length",
        "fathom table runs --rows model --columns skill --where length=128K --measure partial-credit",
        "fathom table runs --rows pattern --columns model --format latex",
        "fathom table runs --rows model --columns domain --totals domain --macro domain --out table.csv",
    )
)
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=options.PATH)
@click.option(
    "--rows",
    type=options.CommaList(required=True),
    default="run",
    show_default=True,
    help="Properties of the rows, outermost first.",
)
@click.option("--columns", type=options.CommaList(), help="Properties of the columns, outermost first.")
@click.option(
    "--measure",
    "measures",
    multiple=True,
    metavar="LIST",
    help="What cells show: accuracy, tokens, seconds:median, outcome=refused, ...  [default: accuracy, or share if "
    "rows or columns are of responses]",
)
@click.option(
    "--where",
    multiple=True,
    metavar="CONDITION",
    help="Only responses that meet this condition: task=choice, length>=128K. Repeatable.",
)
@click.option(
    "--macro", type=options.CommaList(), help="Average over the values of these properties, with equal weights."
)
@click.option("--totals", type=options.CommaList(), help="Add the value `all` to these rows or columns.")
@click.option(
    "--best", default="", metavar="PROPERTY", help="Add the best value of this property, by the first measure."
)
@click.option(
    "--difference",
    default="",
    metavar="PROPERTY=A,B",
    help="Add the difference B - A between two kinds of runs, paired by question.",
)
@click.option("--common", is_flag=True, help="Only questions that every run on their bench asks.")
@click.option(
    "--rename",
    multiple=True,
    metavar="PROPERTY:VALUE=NAME",
    help="Show a value under another name, or merge several values: model:*235b*=Qwen3-235B. Repeatable.",
)
@click.option(
    "--bins",
    multiple=True,
    metavar="NUMBER=LIMITS",
    help="Group a number into ranges: context-length=15K,20K. Repeatable.",
)
@click.option(
    "--cells",
    type=click.Choice(["value", "interval", "full"]),
    default="full",
    show_default=True,
    help="Values only, with intervals, or also with the number of questions.",
)
@click.option(
    "--decimals", type=click.IntRange(0, 6), default=1, show_default=True, help="Decimal places of percentages."
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    help="The output format.  [default: text, or by the suffix of --out]",
)
@click.option("--out", type=options.PATH, help="Write the table here: .csv, .md, .tex, .json or .txt.")
@click.option("--list", "listed", is_flag=True, help="List the properties with their values, and the measures.")
@click.option("--bench", type=options.PATH, help="The folder of the bench, if it was moved.")
@click.option("--corpus", type=options.PATH, help="The folder of the corpus, if it was moved.")
@options.processes
@options.as_json
def command(
    runs: tuple[Path, ...],
    rows: tuple[str, ...],
    columns: tuple[str, ...] | None,
    measures: tuple[str, ...],
    where: tuple[str, ...],
    macro: tuple[str, ...] | None,
    totals: tuple[str, ...] | None,
    best: str,
    difference: str,
    common: bool,
    rename: tuple[str, ...],
    bins: tuple[str, ...],
    cells: Detail,
    decimals: int,
    format_: str | None,
    out: Path | None,
    listed: bool,
    bench: Path | None,
    corpus: Path | None,
    processes: int,
    as_json: bool,
) -> None:
    """Tabulate a measure of runs by any of their properties.

    Properties of runs (model, system, prompting, settings, ...), of questions (every tag, length, operators, ...) and
    of responses (outcome, pattern, cause, stage); see --list. Intervals are clustered by context. Every question that a
    run asks is in the denominator. Cells that do not cover the same questions are marked. Reads the runs and their
    benches, and the corpus where a property needs it; writes only --out; calls no model.
    """
    from fathom.api.findings import count_contexts
    from fathom.api.tables import describe, format_of, table

    if listed:
        click.echo(escape_control_characters(describe(runs, bench=bench, corpus=corpus)))
        return
    chosen = "json" if as_json else format_ or (format_of(out) if out else "text")
    with progress_bar("Reading", count_contexts(runs, bench)) as show:
        results = table(
            runs,
            rows=rows,
            columns=columns or (),
            measure=_measures(measures),
            where=where,
            macro=macro or (),
            totals=totals or (),
            best=best,
            difference=difference,
            common=common,
            rename=_renames(rename),
            bins=_bins(bins),
            bench=bench,
            corpus=corpus,
            processes=processes,
            progress=show,
        )
    if out is not None:
        results.write(out, chosen, cells, decimals)
        click.echo(f"{out}: {len(results.content.row_values):,} rows, {len(results.content.column_values):,} columns")
        click.echo("".join(f"  note: {note}\n" for note in results.notes), nl=False)
        return
    click.echo(escape_control_characters(results.formatted(chosen, cells, decimals)).rstrip("\n"))


def _measures(arguments: Sequence[str]) -> list[str]:
    """The measures, separated by commas; those of a condition are part of it: outcome=error,overflow."""
    return [
        part.strip()
        for argument in arguments
        for part in ([argument] if "=" in argument else argument.split(","))
        if part.strip()
    ]


def _renames(arguments: Sequence[str]) -> dict[str, dict[str, str]]:
    """By property: values and their new names. A value may contain "=", as the names of simulated models do."""
    renames: dict[str, dict[str, str]] = {}
    for argument in arguments:
        name, _, rest = argument.partition(":")
        value, _, new = rest.rpartition("=")
        if not (name and value and new):
            raise FathomError(
                f"--rename does not take '{argument}'. Give PROPERTY:VALUE=NAME, such as model:*mini*=small."
            )
        renames.setdefault(name.strip(), {})[value] = new
    return renames


def _bins(arguments: Sequence[str]) -> dict[str, list[str | float]]:
    bins: dict[str, list[str | float]] = {}
    for argument in arguments:
        name, _, limits = argument.partition("=")
        if not (name and limits):
            raise FathomError(f"--bins does not take '{argument}'. Give NUMBER=LIMITS, such as context-length=15K,20K.")
        bins[name.strip()] = [limit.strip() for limit in limits.split(",")]
    return bins
