"""Output helpers of the commands: progress bars, safe text, corpus summaries, interrupts."""

from __future__ import annotations

import re
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from fathom.records.plurals import counted

if TYPE_CHECKING:
    from fathom.api.corpora import Corpus
    from fathom.api.findings import Estimate

OTHER_OUTCOMES = ("incorrect", "unparseable", "refused", "overflow", "error", "unjudged", "unanswered")
"""Outcomes of responses other than correct, in the order in which they are printed."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@contextmanager
def progress_bar(label: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """A function that shows how much of `total` is done: a bar on a terminal, elsewhere a line a minute."""
    if not sys.stderr.isatty():
        yield _ProgressLines(label, total)
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    # Without a total, such as while documents are read, the count and the time are all that changes.
    clock = TimeElapsedColumn() if total is None else TimeRemainingColumn()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), clock)
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=total)
        yield lambda done: progress.update(task, completed=done if total is None else min(done, total))


LINE_SECONDS = 60.0
"""Seconds between two lines of progress."""


class _ProgressLines:
    """Prints how much is done, once a minute."""

    def __init__(self, label: str, total: int | None) -> None:
        self._label = label
        self._total = total
        self._begun = self._last = time.monotonic()

    def __call__(self, done: int) -> None:
        now = time.monotonic()
        if now - self._last >= LINE_SECONDS:
            self._last = now
            # Families that choose their own contexts do more than was announced.
            of = f" of {self._total:,}" if self._total is not None and done <= self._total else ""
            click.echo(f"fathom: {self._label}: {done:,}{of} after {now - self._begun:.0f} s", err=True)


@contextmanager
def all_or_nothing(what: str) -> Iterator[None]:
    """Ends an interrupted command that writes everything or nothing, with a message that nothing was written."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"fathom: interrupted. No {what} was written; run the same command to start again.", err=True)
        sys.exit(130)


_SILENT = "fathom.next"


def silence_next_lines() -> None:
    """Let the commands that this command runs name no next command: it runs that one itself."""
    click.get_current_context().meta[_SILENT] = True


def next_lines(command: str) -> list[str]:
    """The line that names the next command; none in a command that runs several."""
    context = click.get_current_context(silent=True)
    return [] if context is not None and _SILENT in context.meta else [f"next: {command}"]


def lost_calls(count: int) -> str:
    """A line on calls that broke off after they were sent, or were in flight when a process was killed."""
    calls = f"{counted(count, 'call')} got no complete answer (broken off, timed out or killed)"
    return f"{calls} and may have been paid for; a budget counts them"


def how_to_resume(stopped: str | None) -> str:
    """Advice on missing responses; `stopped` is why the run ended early."""
    by_budget = stopped is not None and stopped.startswith("the budget is reached")
    return f"run the same command again{' with a higher --budget' if by_budget else ''}"


def print_notice(text: str) -> None:
    """Print a notice during a command, such as that an endpoint does not respond."""
    if text:
        click.echo(f"fathom: {escape_control_characters(text)}", err=True)


def escape_control_characters(text: str) -> str:
    """The text with control characters spelled out, so that a document cannot control the terminal."""
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", text)


WIDTH = 100
"""Columns of a summary."""


def columns(text: str) -> int:
    """The width of a text on a terminal: Chinese and Japanese characters take two columns."""
    return len(text) + sum(unicodedata.east_asian_width(character) in "WF" for character in text)


def cut(text: str, width: int = WIDTH) -> str:
    """The text without control characters, shortened to some columns."""
    text = escape_control_characters(text)
    if columns(text) <= width:
        return text
    text = text[:width]
    while columns(text) >= width:
        text = text[:-1]
    return f"{text}…"


def wrapped(text: str, indent: int = 2) -> list[str]:
    """The text in lines of at most `WIDTH` columns; only a longer word, such as a path, is not divided."""
    spread = "".join(
        f"{character}\0" if columns(character) == 2 else character for character in text
    )  # `wrap` counts characters
    lines = wrap(
        spread,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
        break_on_hyphens=False,
        break_long_words=False,
    )
    return [line.replace("\0", "") for line in lines]


MAX_NAMES = 8
"""Subjects and licenses that a summary names."""


def most_frequent(counts: Mapping[str, int], limit: int) -> dict[str, int]:
    """At most that many entries: all in their order, or else those with the highest counts."""
    if len(counts) <= limit:
        return dict(counts)
    return dict(sorted(counts.items(), key=lambda entry: -entry[1])[:limit])


def shortened(names: Sequence[str], total: int, width: int = 30) -> str:
    """The names, each cut to some characters, and how many of the total are not among them."""
    shown = ", ".join(cut(name, width) for name in names)
    return shown + (f" and {total - len(names):,} more" if total > len(names) else "")


def describe_corpus(corpus: Corpus) -> str:
    """The contents of a corpus, in a few lines."""
    manifest = corpus.manifest
    subjects = [f"{name} {count}" for name, count in most_frequent(manifest.subjects, MAX_NAMES).items()]
    if len(manifest.subjects) > MAX_NAMES:
        # Keywords of real documents are long: as many as fit on the line.
        subjects = [
            subject for n, subject in enumerate(subjects) if sum(len(name) + 2 for name in subjects[: n + 1]) < 85
        ]
    contents = (
        f"{corpus.folder}: {counted(manifest.documents, 'document')}, {manifest.tokens:,} tokens "
        f"({manifest.tokenizer}), {counted(manifest.links, 'citation')} among them"
    )
    licenses = shortened(list(manifest.licenses)[:MAX_NAMES], len(manifest.licenses))
    return "\n".join(
        (
            *wrapped(contents, indent=0),
            *wrapped(shortened(subjects, len(manifest.subjects)) or "no subjects"),
            *wrapped(f"fingerprint {manifest.fingerprint[:16]}, licenses {licenses}"),
        )
    )


def percent(estimate: Estimate | None) -> str:
    """A share with its interval, in percent."""
    if estimate is None:
        return "undefined"
    return f"{estimate.value:.1%} ({estimate.low * 100:.1f}-{estimate.high * 100:.1f})"


def link_printer(as_json: bool) -> Callable[[Mapping[str, str]], None]:
    """A function that prints the link of each person when a server has started."""

    def started(links: Mapping[str, str]) -> None:
        for name, link in links.items():
            click.echo(f"  {name}: {link}", err=as_json)
        click.echo("Press Ctrl+C to end. Everything is kept.", err=as_json)

    return started
