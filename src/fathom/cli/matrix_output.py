"""The output of `fathom plan --matrix` and `fathom run --matrix`."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import click

from fathom.api.matrix import CellProgress, CellStatus, MatrixRequest, MatrixRun, PlannedCell
from fathom.api.runs import RunLimits, RunProgress
from fathom.cli.output import escape_control_characters, progress_bar
from fathom.cli.run_options import warn_of_age
from fathom.cli.run_progress import run_progress
from fathom.records.plurals import counted


def run_cells(request: MatrixRequest, limits: RunLimits, as_json: bool) -> None:
    """Run all cells, with a line for each, and write one report."""
    for planned in {planned.request.model: planned for planned in request.cells}.values():
        warn_of_age(planned.request)
    if not as_json:
        click.echo(f"{request.folder}: {counted(len(request.cells), 'cell')} on {request.bench}")
    with _Lines(silent=as_json) as progress:
        finished = request.run(limits, progress)
    page = _report(finished)
    if as_json:
        cells = [cell.model_dump(mode="json") for cell in finished.cells]
        click.echo(json.dumps({"folder": str(finished.folder), "cells": cells, "report": page and str(page)}, indent=2))
    else:
        click.echo("\n".join(_end(finished, page)))
    if finished.interrupted:
        raise SystemExit(130)
    if not finished.is_complete:
        raise SystemExit(1)


def _report(finished: MatrixRun) -> Path | None:
    """The page over all runs; None if no cell has a response."""
    if not finished.runs:
        return None
    page = finished.folder / "report.html"
    with progress_bar("Analyzing", None):
        finished.analyze().write_report(page)
    return page


def _end(finished: MatrixRun, page: Path | None) -> list[str]:
    lines = [f"  report: {page}"] if page else []
    missing = sum(cell.state != "complete" for cell in finished.cells)
    if missing:
        verb = "is" if missing == 1 else "are"
        lines.append(f"  {counted(missing, 'cell')} {verb} not complete: run the same command again")
    else:
        lines.append(f"next: fathom table {finished.folder} --rows model --columns system")
    return lines


class _Lines(CellProgress):
    """A progress bar for the cell that runs, and a line for each that ended."""

    def __init__(self, silent: bool) -> None:
        self._silent = silent
        self._bar = ExitStack()

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *details: object) -> None:
        self._bar.close()

    def begin(self, cell: PlannedCell, number: int, of: int) -> Callable[[RunProgress], None]:
        return self._bar.enter_context(run_progress(f"Cell {number} of {of}"))

    def end(self, status: CellStatus) -> None:
        self._bar.close()
        if not self._silent:
            click.echo(escape_control_characters(cell_line(status)))


def cell_line(cell: CellStatus) -> str:
    """The state of a cell in one line."""
    status = cell.status
    done = status.responses - status.waiting - status.outcomes.get("error", 0) if status else 0
    counts = f"{done:,} of {status.responses:,}" if status else "-"
    accuracy = "-" if cell.accuracy is None else f"{cell.accuracy:.1%}"
    price = "-" if status is None else "$?" if status.usage.price is None else f"${status.usage.price:,.4f}"
    line = f"  {cell.state:<10} {counts:>14} {accuracy:>7} {price:>10}  {cell.label}"
    reason = cell.error or (status.stopped if status else None)
    return f"{line}\n    {reason}" if reason else line


def describe_plans(request: MatrixRequest) -> str:
    """The plan of each cell, and their sum."""
    lines = [f"{request.folder}: {counted(len(request.cells), 'cell')} on {request.bench}"]
    prices: list[float | None] = []
    for cell, plan in request.plans():
        prices.append(plan.price_at_most if plan.requests else 0.0)
        bound = "cost unknown" if plan.price_at_most is None else f"at most ${plan.price_at_most:,.2f}"
        expected = "" if not plan.price else f"about ${plan.price:,.2f}, "
        left_out = f", {len(plan.overflow):,} questions do not fit" if plan.overflow else ""
        lines.append(
            f"  {plan.responses - plan.done:,} of {plan.responses:,} responses to get, {plan.requests:,} requests, "
            f"{expected}{bound}{left_out}: {cell.label}"
        )
    known = [price for price in prices if price is not None]
    unknown = len(prices) - len(known)
    also = f", and the unknown cost of {counted(unknown, 'cell')}" if unknown else ""
    lines.append(f"  together at most ${sum(known):,.2f}{also}")
    return escape_control_characters("\n".join(lines))
