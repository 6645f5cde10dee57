"""`fathom runs`"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom.cli import options
from fathom.cli.output import cut, escape_control_characters, lost_calls
from fathom.records.plurals import counted

if TYPE_CHECKING:
    from fathom.api.run_listing import RunListing


@click.command(epilog=options.examples("fathom runs", "fathom runs runs/study --json"))
@click.argument("folder", type=options.PATH, default="runs")
@options.as_json
def command(folder: Path, as_json: bool) -> None:
    """List runs with their state, progress, spending and accuracy.

    Lists the runs in FOLDER (runs) and in the folders in it, newest first: running, finished, or stopped and why. The
    accuracy is that of the latest scoring; a small run that was not scored is scored for the list. Reads runs and their
    benches; writes nothing; calls no model.
    """
    from fathom.api.run_listing import list_runs

    listings = list_runs(folder)
    if as_json:
        click.echo(json.dumps([listing.model_dump(mode="json") for listing in listings], indent=2))
    else:
        click.echo(escape_control_characters(describe(folder, listings)))


def describe(folder: Path, runs: Sequence[RunListing]) -> str:
    """A line for each run, and the reason of those that stopped."""
    states = Counter(listing.state for listing in runs)
    counts = ", ".join(f"{count} {state}" for state, count in states.most_common())
    lines = [f"{folder}: {counted(len(runs), 'run')}{f' ({counts})' if counts else ''}"]
    if not runs:
        return "\n".join([*lines, "next: fathom run BENCH --model MODEL"])
    lines.append(f"  {'state':<10} {'responses':>15} {'accuracy':>8} {'spent':>10}  {'latest (UTC)':<16}  run")
    for listing in runs:
        name = Path(listing.folder).relative_to(folder) if Path(listing.folder) != folder else Path(listing.folder)
        lines.append(
            f"  {listing.state:<10} {_progress(listing):>15} {_accuracy(listing):>8} {_spent(listing):>10}  "
            f"{listing.changed[:16].replace('T', ' '):<16}  {name}"
        )
        if listing.reason is not None:
            lines.append(f"    {cut(' '.join(listing.reason.split()), 110)}")
        if listing.lost_calls:
            lines.append(f"    {lost_calls(listing.lost_calls)}")
    finished = [listing for listing in runs if listing.state == "finished"]
    lines.append(f"next: fathom analyze {finished[0].folder}" if finished else "next: run the same command again")
    return "\n".join(lines)


def _progress(listing: RunListing) -> str:
    return (
        f"{listing.done:,} of {'?' if listing.wanted is None else f'{listing.wanted:,}'}"
        if listing.state != "unreadable"
        else "?"
    )


def _accuracy(listing: RunListing) -> str:
    return "?" if listing.accuracy is None else f"{listing.accuracy:.1%}"


def _spent(listing: RunListing) -> str:
    if listing.has_unknown_prices:
        return f"${listing.spent:,.2f} + ?" if listing.spent else "?"
    return f"${listing.spent:,.4f}"
