"""The progress of runs: a bar on a terminal, elsewhere a line a minute."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from fathom.api.runs import RunProgress
from fathom.cli.output import LINE_SECONDS, escape_control_characters
from fathom.records.plurals import counted


@contextmanager
def run_progress(label: str) -> Iterator[Callable[[RunProgress], None]]:
    """A function that shows the progress of a run."""
    if not sys.stderr.isatty():
        yield _Lines(label)
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TaskProgressColumn(),
        TextColumn("{task.fields[state]}"),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(label, total=None, state="")

        def show(progress: RunProgress) -> None:
            if progress.notice:
                console.print(escape(_notice(progress)))
            bar.update(task, total=progress.total, completed=progress.done, state=escape(describe(progress)))

        yield show


class _Lines:
    """Prints notices at once, and the progress once a minute."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._last = time.monotonic()

    def __call__(self, progress: RunProgress) -> None:
        if progress.notice:
            click.echo(_notice(progress), err=True)
        elif time.monotonic() - self._last >= LINE_SECONDS:
            self._last = time.monotonic()
            click.echo(f"fathom: {self._label}: {describe(progress)}", err=True)


def _notice(progress: RunProgress) -> str:
    return escape_control_characters(f"fathom: {progress.notice}")


def describe(progress: RunProgress) -> str:
    """The state in a line: 120 of 600, 3:05 elapsed, 12:20 left, $0.42, 51 tokens/s, 2 errors, 5 retries."""
    parts = [f"{progress.done:,} of {progress.total:,}", f"{clock(progress.seconds)} elapsed"]
    if progress.seconds_left is not None:
        parts.append(f"{clock(progress.seconds_left)} left")
    if progress.usage.price:
        parts.append(f"${progress.usage.price:,.2f}")
    if progress.usage.output_tokens and progress.seconds >= 1:
        parts.append(f"{progress.usage.output_tokens / progress.seconds:,.0f} tokens/s")
    if progress.errors:
        parts.append(counted(progress.errors, "error"))
    if progress.retries:
        parts.append("1 retry" if progress.retries == 1 else f"{progress.retries:,} retries")
    return ", ".join(parts)


def clock(seconds: float) -> str:
    """3:05, or 1:03:05."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
