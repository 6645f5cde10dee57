"""What commands for work by people share: they create a project, serve its pages, and print its results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import click

from fathom.cli.output import link_printer
from fathom.records.record import Record


class Serve(Protocol):
    """Serves the pages of a project until an interrupt."""

    def __call__(self, folder: Path, /, *, port: int, started: Callable[[dict[str, str]], None]) -> None: ...


@dataclass(frozen=True)
class ProjectOptions:
    """The options that these commands have in common."""

    out: Path | None
    per: tuple[str, int] | None
    people: tuple[str, ...]
    seed: int
    port: int
    no_server: bool
    results: bool
    as_json: bool

    def show(self, record: Record, lines: Iterable[str]) -> None:
        """Print a plan or results: the record as JSON, or the lines."""
        click.echo(record.model_dump_json(indent=2) if self.as_json else "\n".join(lines))

    def serve(self, folder: Path, serve: Serve, command: str) -> None:
        """Serve the pages, unless the options say not to; then print the command that shows the results."""
        if self.no_server:
            return
        serve(folder, port=self.port, started=link_printer(self.as_json))
        if not self.as_json:
            click.echo(f"next: fathom {command} {folder} --results")
