"""Figures: a table of numbers and a drawing. The page, CSV, JSON and SVG are all made from these."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Literal, TypeVar

from fathom.analysis.findings import Estimate, StageCounts
from fathom.records.errors import file_errors
from fathom.records.files import atomic_write
from fathom.report.drawings.canvas import SvgNode, as_svg

ColumnFormat = Literal["text", "share", "count", "number", "money", "p", "difference", "yes"]
"""How the page formats a column; files have the plain value."""
ColumnValue = str | int | float | bool | None

WIDE, SLIM = 880.0, 340.0
"""Widths of the two drawings: for a desktop page and for a phone."""

R = TypeVar("R")


@dataclass(frozen=True)
class FigureColumn(Generic[R]):
    """One column of a table: its name, and how its value is read from a record."""

    name: str
    """In CSV and JSON."""
    title: str
    """On the page."""
    value: Callable[[R], ColumnValue]
    kind: ColumnFormat = "text"
    hidden: bool = False
    """Whether the page leaves it out; files always have it."""


@dataclass(frozen=True)
class RunRow(Generic[R]):
    """A row about one finding of a run."""

    run: str
    of: R


def interval_columns(
    get: Callable[[R], Estimate | None], name: str, title: str, kind: ColumnFormat = "share", prefix: str = ""
) -> tuple[FigureColumn[R], ...]:
    """A value and the ends of its interval; blank for a record without an estimate."""
    return (
        FigureColumn(name, title, _field(get, "value"), kind),
        FigureColumn(f"{prefix}low", "low", _field(get, "low"), kind),
        FigureColumn(f"{prefix}high", "high", _field(get, "high"), kind),
    )


def _field(get: Callable[[R], Estimate | StageCounts | None], name: str) -> Callable[[R], ColumnValue]:
    """Reads a field of what `get` returns for a record; None if that is None."""
    return lambda record: None if (value := get(record)) is None else getattr(value, name)


def accuracy_columns(get: Callable[[R], Estimate]) -> tuple[FigureColumn[R], ...]:
    """Accuracy with its interval and sample size."""
    return (
        *interval_columns(get, "accuracy", "Accuracy"),
        FigureColumn("questions", "Questions", lambda record: get(record).items, "count"),
        FigureColumn("contexts", "Contexts", lambda record: get(record).clusters, "count"),
    )


def count_columns(get: Callable[[R], StageCounts | None], records: Iterable[R]) -> tuple[FigureColumn[R], ...]:
    """Questions built, fitted, failed, dropped by fitting and retired. The page hides those that lost nothing."""
    counts = [count for record in records if (count := get(record)) is not None]
    dropped = any(count.built not in (None, count.fitted) for count in counts)
    is_shown = {
        "built": dropped,
        "fitted": dropped,
        "errors": any(count.errors for count in counts),
        "dropped": any(count.dropped for count in counts),
        "retired": any(count.retired for count in counts),
    }

    return tuple(
        FigureColumn(name, name.capitalize(), _field(get, name), "count", not show) for name, show in is_shown.items()
    )


@dataclass(frozen=True)
class Header:
    """A column without its values."""

    name: str
    title: str
    kind: ColumnFormat
    hidden: bool


@dataclass(frozen=True)
class Figure:
    """A table of numbers and its drawing."""

    id: str
    """Also the name of its files."""
    title: str
    note: str
    """The caption."""
    columns: tuple[Header, ...]
    rows: tuple[tuple[ColumnValue, ...], ...]
    draw: Callable[[float], SvgNode] | None = None
    """Makes the drawing for a width; None for a figure that is a table only."""

    @classmethod
    def of(
        cls,
        id: str,
        title: str,
        note: str,
        columns: Sequence[FigureColumn[R]],
        records: Iterable[R],
        draw: Callable[[float], SvgNode] | None = None,
    ) -> Figure:
        """The figure whose rows are read from `records`."""
        rows = tuple(tuple(column.value(record) for column in columns) for record in records)
        headers = tuple(Header(column.name, column.title, column.kind, column.hidden) for column in columns)
        return cls(id, title, note, headers, rows, draw)

    def as_csv(self) -> str:
        """The table as CSV."""
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow([column.name for column in self.columns])
        writer.writerows([list(map(csv_safe, row)) for row in self.rows])
        return lines.getvalue()

    def as_json(self) -> str:
        """The table as JSON: a list of objects."""
        names = [column.name for column in self.columns]
        records = [dict(zip(names, row, strict=True)) for row in self.rows]
        return json.dumps({"figure": self.id, "title": self.title, "note": self.note, "rows": records}, indent=1) + "\n"

    def as_svg(self) -> str | None:
        """The drawing as an SVG file; None for a figure without a drawing."""
        return None if self.draw is None else as_svg(self.draw(WIDE))

    def for_page(self) -> dict[str, object]:
        """The figure as data for the page's script."""
        return {
            "id": self.id,
            "title": self.title,
            "note": self.note,
            "columns": [[column.name, column.title, column.kind, column.hidden] for column in self.columns],
            "rows": [list(row) for row in self.rows],
            "drawings": None if self.draw is None else {"wide": self.draw(WIDE), "slim": self.draw(SLIM)},
        }


def csv_safe(value: ColumnValue) -> ColumnValue:
    """The value, quoted if a spreadsheet would run it as a formula."""
    if value is True or value is False:
        return str(value).lower()
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def write_figures(figures: Iterable[Figure], folder: Path) -> list[Path]:
    """Write every figure as CSV, JSON and, if it has a drawing, SVG."""
    with file_errors("make the folder", folder):
        folder.mkdir(parents=True, exist_ok=True)
    return [path for figure in figures for path in _write(figure, folder)]


def _write(figure: Figure, folder: Path) -> Iterator[Path]:
    for ending, content in (("csv", figure.as_csv()), ("json", figure.as_json()), ("svg", figure.as_svg())):
        if content is not None:
            path = folder / f"{figure.id}.{ending}"
            with atomic_write(path) as file:
                file.write(content.encode("utf-8", "replace"))
            yield path
