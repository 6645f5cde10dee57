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
                has_value = np.zeros(self.table.size, dtype=bool)
                has_value[axis.indices] = True
                lost = int((~has_value[self.selected]).sum())
                if lost:
                    yield f"{lost:,} responses have no value of '{axis.name}' and are left out."

    def averaged_runs(self, cells: Sequence[IntArray]) -> Iterator[str]:
        """Properties in which the runs of one cell differ."""
        constant = {axis.name for axis in (*self.axes, *self.cells.macro)}
        if "run" in constant:
            return
        runs_of_cells = {frozenset(np.unique(self.table.run[indices]).tolist()) for indices in cells}
        for name in IDENTITY:
            run_property = self.table.property(name)
            if name in constant or run_property is None or len(run_property.values) < 2:
                continue
            of_run = dict(zip(self.table.run[run_property.indices].tolist(), run_property.codes.tolist(), strict=True))
            if any(len({of_run.get(run, -1) for run in runs}) > 1 for runs in runs_of_cells):
                yield f"Some cells average over runs that differ in {name} ({_join_names(run_property.values)})."

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
            yield f"The price is not known for {_join_names(names)}."

    def macro(self, averages: Sequence[IntArray]) -> Iterator[str]:
        """Cells without some of the groups that are averaged. `averages` are the responses of each average."""
        if not self.cells.macro or not averages:
            return
        group_count = len(self.cells.grouped(self.cells.macro, self.selected))
        fewest = min(len(self.cells.grouped(self.cells.macro, indices)) for indices in averages)
        if fewest < group_count:
            by = ", ".join(axis.name for axis in self.cells.macro)
            yield (f"Some cells average over {fewest} of {group_count} groups by {by}, so they are not comparable.")


def _join_names(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_NAMES]) + (f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else "")
