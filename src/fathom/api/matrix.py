"""Run a matrix of models, systems, prompting and samples on a bench."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Unpack

from fathom.api.arguments import Folder, as_path
from fathom.api.bench_views import open_bench_view
from fathom.api.runs import (
    MODEL_OPTIONS,
    Plan,
    RunLimits,
    RunOptions,
    RunRequest,
    RunStatus,
    check_limits,
    is_run_folder,
    outside_event_loop,
    request_run,
)
from fathom.api.scores import score_run
from fathom.records.errors import FathomError
from fathom.records.record import Record
from fathom.runs.folder import read_states, spent_at_most
from fathom.runs.matrix import Matrix, MatrixCell, cells, parse_matrix, read_matrix
from fathom.runs.progress import ShowProgress, show_nothing
from fathom.runs.request_limits import Budget, SharedLimits
from fathom.runs.run import summarize
from fathom.systems.catalog import load_system
from fathom.systems.protocol import needs_model

if TYPE_CHECKING:
    from fathom.api.findings import Analysis

__all__ = ["CellStatus", "MatrixRequest", "MatrixRun", "PlannedCell", "request_matrix", "run_matrix"]

CellState = Literal["complete", "incomplete", "failed", "not begun"]


class CellStatus(Record):
    """The state of one cell of a matrix."""

    label: str
    folder: str
    state: CellState
    status: RunStatus | None = None
    accuracy: float | None = None
    """None if the cell has no responses, or the bench needs a judge."""
    error: str | None = None
    """Why the cell failed: a wrong key, a server that does not answer."""


class CellProgress:
    """Called while a matrix runs; these methods do nothing."""

    def begin(self, cell: PlannedCell, number: int, of: int) -> ShowProgress:
        """A cell begins; gives a function that is called with the progress of its run."""
        return show_nothing

    def end(self, status: CellStatus) -> None:
        """A cell ended."""


@dataclass(frozen=True)
class PlannedCell:
    """A cell of a matrix, before its run."""

    cell: MatrixCell
    request: RunRequest
    folder: Path

    @property
    def label(self) -> str:
        return self.cell.label


@dataclass(frozen=True)
class MatrixRequest:
    """A matrix on a bench, before its runs. All cells are valid."""

    bench: Path
    cells: tuple[PlannedCell, ...]
    folder: Path
    budget: float | None = None

    def plans(self) -> Iterator[tuple[PlannedCell, Plan]]:
        """The plan of each cell, without what it already has."""
        for cell in self.cells:
            yield cell, cell.request.plan(cell.folder)

    def run(self, limits: RunLimits, progress: CellProgress | None = None) -> MatrixRun:
        """Run the cells one after another, or resume them. One budget is for all of them together."""
        progress = progress or CellProgress()
        budget = limits.budget if limits.budget is not None else self.budget
        for cell in self.cells:
            try:
                cell.request.check(budget is not None)
            except FathomError as error:
                raise _cell_error(cell.cell, error) from error
        spent = sum(spent_at_most(cell.folder, cell.request.info) for cell in self.cells)
        limits = replace(limits, budget=budget, shared=SharedLimits(Budget(budget, spent)))
        statuses: list[CellStatus] = []
        interrupted = False
        for number, cell in enumerate(self.cells, start=1):
            status = self._waiting(cell) if interrupted else self._run_cell(cell, limits, progress, number)
            interrupted = interrupted or bool(status.status and status.status.interrupted)
            statuses.append(status)
            progress.end(status)
        return MatrixRun(self.folder, tuple(statuses), interrupted)

    def _run_cell(self, cell: PlannedCell, limits: RunLimits, progress: CellProgress, number: int) -> CellStatus:
        # A complete cell needs no model, so its server need not run.
        status = self._existing(cell)
        if status is None or not status.is_complete:
            show = progress.begin(cell, number, len(self.cells))
            own = replace(limits, connections=cell.request.connections, contexts_at_once=cell.request.contexts_at_once)
            try:
                status = cell.request.run(cell.folder, own, cell.cell.options.get("url"), show)
            except FathomError as error:
                return CellStatus(
                    label=cell.label,
                    folder=str(cell.folder),
                    state="failed",
                    status=self._existing(cell),
                    error=str(error),
                )
        state: CellState = "complete" if status.is_complete else "incomplete"
        return CellStatus(
            label=cell.label,
            folder=str(cell.folder),
            state=state,
            status=status,
            accuracy=_accuracy(cell.folder, status),
        )

    def _waiting(self, cell: PlannedCell) -> CellStatus:
        status = self._existing(cell)
        state: CellState = "not begun" if status is None else "complete" if status.is_complete else "incomplete"
        return CellStatus(label=cell.label, folder=str(cell.folder), state=state, status=status)

    def _existing(self, cell: PlannedCell) -> RunStatus | None:
        """The status of what a cell already has; None if it was not begun."""
        if not is_run_folder(cell.folder):
            return None
        with open_bench_view(self.bench, cell.request.corpus) as bench:
            return summarize(bench, cell.request.manifest(bench, cell.folder), read_states(cell.folder))


def _accuracy(folder: Path, status: RunStatus) -> float | None:
    return score_run(folder).accuracy if status.outcomes else None


@dataclass(frozen=True)
class MatrixRun:
    """The runs of a matrix."""

    folder: Path
    cells: tuple[CellStatus, ...]
    interrupted: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether every cell has all its responses."""
        return all(cell.state == "complete" for cell in self.cells)

    @property
    def runs(self) -> list[Path]:
        """The folders of the runs that have responses."""
        return [Path(cell.folder) for cell in self.cells if cell.status is not None and cell.status.outcomes]

    def analyze(self, processes: int = 1) -> Analysis:
        """The findings over all runs; see `fathom.analyze`."""
        from fathom.api.findings import analyze  # imports scipy, which `fathom run --help` should not

        return analyze(self.runs, processes=processes)


def run_matrix(
    bench: Folder,
    matrix: Folder | Mapping[str, Any],
    *,
    out: Folder | None = None,
    budget: float | None = None,
    retries: int = 4,
    timeout: int = 600,
    connect_timeout: float = 30.0,
    backoff: float = 2.0,
    max_outage: float = 120.0,
    requests_per_minute: float | None = None,
    progress: CellProgress | None = None,
    **options: Unpack[RunOptions],
) -> MatrixRun:
    """Run the cells of a matrix, a TOML file or its contents as a dictionary, one after another; or resume them.

    `budget` is for all cells together. Other options are those of `fathom.run`, for cells that do not set them.
    """
    request = request_matrix(bench, matrix, out=out, **options)
    given: dict[str, Any] = {
        "budget": budget,
        "retries": retries,
        "timeout": timeout,
        "connect_timeout": connect_timeout,
        "backoff": backoff,
        "max_outage": max_outage,
        "requests_per_minute": requests_per_minute,
    }
    check_limits(**given)
    limits = RunLimits(**given)
    return outside_event_loop(lambda: request.run(limits, progress))


def request_matrix(
    bench: Folder, matrix: Folder | Mapping[str, Any], *, out: Folder | None = None, **options: Unpack[RunOptions]
) -> MatrixRequest:
    """The cells of a matrix, each with its checked options. An error in one of them is raised before anything runs."""
    path = None if isinstance(matrix, Mapping) else as_path(matrix)
    read = parse_matrix(matrix) if isinstance(matrix, Mapping) else read_matrix(as_path(matrix))
    given_options: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if "system" in given_options or given_options.get("system_settings"):
        raise FathomError("A matrix has its own systems. Leave out --system and -S.")
    defaults = {
        name: given_options.pop(name) for name in ("prompting", "samples", "system_settings") if name in given_options
    }
    chosen = cells(read, _needs_model(read), defaults.get("prompting", "direct"), defaults.get("samples", 1))
    name = f"{as_path(bench).resolve().name}-{path.stem if path else 'matrix'}"
    folder = as_path(out) or Path(read.out or Path("runs") / name)
    planned: dict[Path, PlannedCell] = {}
    for cell in chosen:
        one = _planned(as_path(bench), cell, folder, given_options)
        if one.folder in planned:
            raise FathomError(f"The matrix has the cell '{cell.label}' twice. Remove one of them.")
        planned[one.folder] = one
    return MatrixRequest(as_path(bench), tuple(planned.values()), folder, read.budget)


def _needs_model(matrix: Matrix) -> dict[str, bool]:
    """Whether each system of the product needs a model."""
    needs: dict[str, bool] = {}
    for system in matrix.systems or ("full",):
        name, settings = (system, {}) if isinstance(system, str) else (system.system, system.settings)
        needs[name] = needs_model(load_system(name, settings=settings).system)
    return needs


def _planned(bench: Path, cell: MatrixCell, folder: Path, given: Mapping[str, Any]) -> PlannedCell:
    options = {**given, **cell.options}
    # What the matrix sets for all cells concerns those that have a model.
    for name in ("url", *(MODEL_OPTIONS if cell.model is None else ())):
        options.pop(name, None)
    options |= {"system": cell.system, "system_settings": cell.settings}
    try:
        request = request_run(bench, cell.model, **options, prompting=cell.prompting, samples=cell.samples)
    except FathomError as error:
        raise _cell_error(cell, error) from error
    name = "-".join((request.default_folder.name, *cell.marks))
    return PlannedCell(cell, request, folder / name)


def _cell_error(cell: MatrixCell, error: FathomError) -> FathomError:
    return FathomError(f"Cell '{cell.label}' of the matrix: {error}")
