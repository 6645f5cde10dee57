"""`fathom status`"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom.cli import options
from fathom.cli.output import cut, escape_control_characters, how_to_resume, lost_calls
from fathom.cli.run_progress import clock
from fathom.records.plurals import counted

if TYPE_CHECKING:
    from fathom.api.run_listing import RunDetails, RunListing


@click.command(epilog=options.examples("fathom status runs/bench-full-m", "fathom status runs/bench-full-m --json"))
@click.argument("run", type=options.PATH)
@options.as_json
def command(run: Path, as_json: bool) -> None:
    """Show the progress, errors and spending of one run.

    Also says when, where and with which version of the model it was run, and how long it will take if it is still
    running. Reads the run and its bench; writes nothing; calls no model.
    """
    from fathom.api.run_listing import run_details

    found = run_details(run)
    text = found.model_dump_json(indent=2) if as_json else "\n".join(describe(found))
    click.echo(escape_control_characters(text))


def describe(details: RunDetails) -> Iterator[str]:
    """The state of a run in a few lines, and the next command."""
    run, used = details.run, details.usage
    wanted = "an unknown number of" if run.wanted is None else f"{run.wanted:,}"
    yield f"{run.folder}: {run.state}, {run.done:,} of {wanted} responses"
    if run.reason is not None:
        yield f"  {cut(' '.join(run.reason.split()), 110)}"
    yield f"  {run.bench} for {run.model}, system {run.system}"
    yield from _sessions(details)
    if details.outcomes:
        yield f"  {', '.join(f'{name} {count:,}' for name, count in details.outcomes.items())}"
    yield from (f"  error, {counted(count, 'time')}: {error}" for error, count in details.errors.items())
    yield (
        f"  {used.input_tokens:,} input tokens ({used.cached_tokens:,} from a cache), "
        f"{used.output_tokens:,} output tokens, {_spent(run)}"
    )
    if run.lost_calls:
        yield f"  {lost_calls(run.lost_calls)}"
    if run.accuracy is not None:
        yield f"  accuracy {run.accuracy:.1%} of all its questions"
    if run.state == "finished":
        yield f"next: fathom {'score' if run.accuracy is None else 'analyze'} {run.folder}"
    elif run.state == "stopped":
        yield f"next: {how_to_resume(run.reason)}"


def _spent(run: RunListing) -> str:
    if run.has_unknown_prices and not run.spent:
        return "price unknown"
    return f"${run.spent:,.4f} spent{' where prices are known' if run.has_unknown_prices else ''}"


def _sessions(details: RunDetails) -> Iterator[str]:
    """When, where and with what the latest process asked."""
    if not details.sessions:
        return
    latest = details.sessions[-1]
    versions = dict.fromkeys(version for session in details.sessions for version in session.model_versions)
    parts = [
        f"started {latest.started[:16].replace('T', ' ')} UTC",
        *([f"process {len(details.sessions)}"] if len(details.sessions) > 1 else []),
        *([f"at {latest.endpoint}"] if latest.endpoint else []),
        *([f"window {latest.window:,}"] if latest.window is not None else []),
        *([f"answered as {', '.join(versions)}"] if versions else []),
    ]
    yield f"  {'; '.join(parts)}"
    if details.seconds is not None:
        left = "" if details.seconds_left is None else f", about {clock(details.seconds_left)} left"
        yield f"  {clock(details.seconds)} elapsed{left}"
