"""What is said when a command is stopped by hand that writes all or nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click


@contextmanager
def all_or_nothing(what: str) -> Iterator[None]:
    """Ends a command that keeps nothing when it is stopped, and says so; others go on where they stopped."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(f"fathom: stopped. No {what} was written; the same command starts afresh.", err=True)
        sys.exit(130)
