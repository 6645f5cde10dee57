"""A matrix of runs: models x systems x prompting x samples, without exclusions, with extra cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, JsonValue, ValidationError

from fathom.records.contexts import Split
from fathom.records.documents import PositiveInt
from fathom.records.errors import FathomError, file_errors
from fathom.records.record import Record, first_error
from fathom.records.toml import parse_toml
from fathom.systems.protocol import Prompting


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str | int | dict) else value


class CellOptions(Record):
    """Options of `fathom run` that a matrix, a model, a system or a cell may set; an inner one takes precedence."""

    max_tokens: int | str | None = None
    temperature: float | None = None
    seed: int | None = None
    top_p: float | None = None
    reasoning_tokens: int | str | None = None
    reasoning_effort: str | None = None
    window: int | str | None = None
    split: Split | None = None
    limit: PositiveInt | None = None
    url: str | None = None
    """The address of an OpenAI-compatible server."""

    @property
    def options(self) -> dict[str, Any]:
        """The options that are set."""
        found = {name: getattr(self, name) for name in CellOptions.model_fields}
        return {name: value for name, value in found.items() if value is not None}


class ModelEntry(CellOptions):
    """A model with options of its own."""

    model: str


class SystemEntry(CellOptions):
    """A system with its settings."""

    system: str
    settings: dict[str, JsonValue] = {}


class CellEntry(SystemEntry):
    """A cell in addition to those of the product."""

    model: str | None = None
    prompting: Prompting = "direct"
    samples: PositiveInt = 1


class Exclusion(Record):
    """Cells of the product that are left out. Values may have stars."""

    model: str = "*"
    system: str = "*"
    prompting: str = "*"
    samples: PositiveInt | Literal["*"] = "*"

    def matches(self, cell: MatrixCell) -> bool:
        """Whether the cell is left out."""
        return (
            fnmatchcase(cell.model or "", self.model)
            and fnmatchcase(cell.system, self.system)
            and fnmatchcase(cell.prompting, self.prompting)
            and self.samples in ("*", cell.samples)
        )


class Matrix(CellOptions):
    """What a matrix file contains."""

    models: Annotated[tuple[str | ModelEntry, ...], BeforeValidator(_listed)] = ()
    systems: Annotated[tuple[str | SystemEntry, ...], BeforeValidator(_listed)] = ()
    prompting: Annotated[tuple[Prompting, ...], BeforeValidator(_listed)] = ()
    samples: Annotated[tuple[PositiveInt, ...], BeforeValidator(_listed)] = ()
    exclude: tuple[Exclusion, ...] = ()
    cells: tuple[CellEntry, ...] = ()
    out: str | None = None
    """The folder of the runs, relative to the working folder."""
    budget: Annotated[float, Field(ge=0)] | None = None
    """US dollars for all cells together."""


@dataclass(frozen=True)
class MatrixCell:
    """One run of a matrix."""

    model: str | None
    system: str
    prompting: Prompting
    samples: int
    settings: Mapping[str, JsonValue] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options that the matrix, the model, the system or the cell sets."""
    marks: tuple[str, ...] = ()
    """A suffix for the folder's name, for cells of the same model, system, settings and prompting."""

    @property
    def label(self) -> str:
        """A short description."""
        settings = [f"{name}={value}" for name, value in self.settings.items()]
        samples = [f"{self.samples} samples"] if self.samples > 1 else []
        model = self.model or "no model"
        return ", ".join((model, self.system, *settings, self.prompting, *samples, *self._own_marks))

    @property
    def _own_marks(self) -> list[str]:
        return [mark for mark in self.marks if not mark.startswith("samples=")]


def read_matrix(path: Path) -> Matrix:
    """The matrix in a TOML file."""
    with file_errors("read the matrix", path):
        text = path.read_text("utf-8")
    return parse_matrix(parse_toml(text, f"'{path}'"), f"'{path}'")


def parse_matrix(values: Mapping[str, Any], name: str = "The matrix") -> Matrix:
    """The matrix that a file or a dictionary describes."""
    try:
        return Matrix.model_validate(dict(values))
    except ValidationError as error:
        raise FathomError(f"{name} is not a matrix of runs: {first_error(error)}. See docs/running.md.") from error


def cells(matrix: Matrix, needs_model: Mapping[str, bool], prompting: Prompting, samples: int) -> list[MatrixCell]:
    """The cells in order, models outermost. The last arguments are used where the matrix has no such list.

    A system that needs no model has one cell for each prompting and number of samples, not one for each model.
    """
    kept: list[MatrixCell] = []
    unused = set(range(len(matrix.exclude)))
    for cell in _product(matrix, needs_model, matrix.prompting or (prompting,), matrix.samples or (samples,)):
        matching = {number for number, exclusion in enumerate(matrix.exclude) if exclusion.matches(cell)}
        unused -= matching
        if not matching and cell not in kept:
            kept.append(cell)
    if unused:
        wrong = matrix.exclude[min(unused)].model_dump(exclude_defaults=True)
        raise FathomError(f"The exclusion {wrong} of the matrix matches no cell. Correct or remove it.")
    kept += [_extra(matrix, entry) for entry in matrix.cells]
    if not kept:
        raise FathomError("The matrix has no cells. Give it `models` and `systems`, or `[[cells]]`.")
    return kept


def _product(
    matrix: Matrix, needs_model: Mapping[str, bool], prompting: Sequence[Prompting], samples: Sequence[int]
) -> Iterator[MatrixCell]:
    systems = [SystemEntry(system=one) if isinstance(one, str) else one for one in matrix.systems or ("full",)]
    models: list[ModelEntry | None] = [
        ModelEntry(model=model) if isinstance(model, str) else model for model in matrix.models
    ]
    for model, system in product(models or [None], systems):
        if model is None and needs_model[system.system] and not matrix.cells:
            raise FathomError(f"The matrix has no `models`, and the system '{system.system}' needs one. Add them.")
        if model is None and needs_model[system.system]:
            continue
        used = model if needs_model[system.system] else None
        own = (used.options if used else {}) | system.options
        for how, count in product(prompting, samples):
            marks = [f"{name}={value}" for name, value in own.items() if name != "url"]
            yield MatrixCell(
                model=used.model if used else None,
                system=system.system,
                prompting=how,
                samples=count,
                settings=system.settings,
                options=matrix.options | own,
                marks=(*marks, *([f"samples={count}"] if len(samples) > 1 else [])),
            )


def _extra(matrix: Matrix, entry: CellEntry) -> MatrixCell:
    marks = [f"{name}={value}" for name, value in entry.options.items() if name != "url"]
    if entry.samples > 1:
        marks.append(f"samples={entry.samples}")
    return MatrixCell(
        model=entry.model,
        system=entry.system,
        prompting=entry.prompting,
        samples=entry.samples,
        settings=entry.settings,
        options=matrix.options | entry.options,
        marks=tuple(marks),
    )
