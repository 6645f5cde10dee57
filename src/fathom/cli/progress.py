"""A bar for whatever takes longer than a second, on a terminal alone."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(label: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Gives a function to be told how much of `total` is done; nothing is shown where nobody watches."""
    if not sys.stderr.isatty():
        yield lambda done: None
        return
    from rich.console import Console
    from rich.progress import Progress, TimeRemainingColumn

    with Progress(
        *Progress.get_default_columns()[:-1], TimeRemainingColumn(), console=Console(stderr=True), transient=True
    ) as progress:
        task = progress.add_task(label, total=total)
        yield lambda done: progress.update(task, completed=done if total is None else min(done, total))
