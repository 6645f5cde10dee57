"""Caveats for comparing the cells of a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fathom.analysis.intervals import IntArray
from fathom.analysis.pivot_cells import Cells
from fathom.analysis.response_table import Property, ResponseTable

IDENTITY = ("model", "system", "prompting", "effort", "temperature", "bench")
"""Properties that the runs of one cell should share."""
MAX_NAMES = 6


@dataclass(frozen=True)
class PivotNotes:
    """Notes on a table with these axes over the selected responses."""

    table: ResponseTable
    cells: Cells
    axes: Sequence[Property]
    selected: IntArray

    def incomparable(self, comparable: Sequence[bool]) -> Iterator[str]:
        lacking = comparable.count(False)
        if lacking:
            yield (
                f"{lacking:,} of {len(comparable):,} cells (*) lack questions that other runs are asked, so they are "
                "not comparable with the others. --common keeps the questions that every run on a bench asks."
            )

    def left_out(self) -> Iterator[str]:
        """Responses that are in no cell."""
        for axis in self.axes:
            if axis.level != "response":
                has = np.zeros(self.table.size, dtype=bool)
                has[axis.places] = True
                lost = int((~has[self.selected]).sum())
                if lost:
                    yield f"{lost:,} responses have no value of '{axis.name}' and are left out."

    def averaged_runs(self, cells: Sequence[IntArray]) -> Iterator[str]:
        """Properties in which the runs of one cell differ."""
        settled = {axis.name for axis in (*self.axes, *self.cells.macro)}
        if "run" in settled:
            return
        together = {frozenset(np.unique(self.table.run[places]).tolist()) for places in cells}
        for name in IDENTITY:
            named = self.table.property(name)
            if name in settled or named is None or len(named.values) < 2:
                continue
            of_run = dict(zip(self.table.run[named.places].tolist(), named.codes.tolist(), strict=True))
            if any(len({of_run.get(run, -1) for run in runs}) > 1 for runs in together):
                yield f"Some cells average over runs that differ in {name} ({_listed(named.values)})."

    def missing(self) -> Iterator[str]:
        missing, total = self.cells.missing(self.selected), len(self.selected)
        if missing:
            yield f"{missing:,} of {total:,} responses are missing (failed or not asked yet) and are not correct."
        overflow = int(self.table.has_outcome("overflow")[self.selected].sum())
        if 0 < overflow < total:
            yield (
                f"{overflow:,} responses are missing because the question did not fit the model's window, and are not "
                "correct; leave them out with --where outcome!=overflow."
            )

    def prices(self) -> Iterator[str]:
        names = self.table.prices_unknown()
        if names:
            yield f"The price is not known for {_listed(names)}."

    def macro(self, averages: Sequence[IntArray]) -> Iterator[str]:
        """Cells without some of the groups that are averaged. `averages` are the responses of each average."""
        if not self.cells.macro or not averages:
            return
        every = len(self.cells.grouped(self.cells.macro, self.selected))
        fewest = min(len(self.cells.grouped(self.cells.macro, places)) for places in averages)
        if fewest < every:
            by = ", ".join(axis.name for axis in self.cells.macro)
            yield (f"Some cells average over {fewest} of {every} groups by {by}, so they are not comparable.")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_NAMES]) + (f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else "")
