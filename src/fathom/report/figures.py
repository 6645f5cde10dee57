"""A figure: its numbers as a table, and its drawing. The page, the CSV, the JSON and the SVG all come from here."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fathom.records.errors import file_errors
from fathom.records.files import atomic_write
from fathom.report.drawings.canvas import Node, as_svg

Kind = Literal["text", "share", "count", "number", "money", "chance", "difference", "yes"]
"""How a column is shown; files hold the plain value."""
Value = str | int | float | bool | None

WIDE, SLIM = 880.0, 340.0
"""Widths a drawing is made for: a page, and a telephone."""


@dataclass(frozen=True)
class Column:
    """One column of a figure's numbers."""

    name: str
    title: str
    kind: Kind = "text"


@dataclass(frozen=True)
class Figure:
    """Numbers, and what they look like."""

    id: str
    """Also the name of its files."""
    title: str
    note: str
    """How to read it, in a sentence or two."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    draw: Callable[[float], Node] | None = None
    """The drawing for a width; None for what is best read as a table."""

    def as_csv(self) -> str:
        """The numbers as CSV."""
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow([column.name for column in self.columns])
        writer.writerows([list(map(harmless, row)) for row in self.rows])
        return lines.getvalue()

    def as_json(self) -> str:
        """The numbers as JSON: a list of records."""
        names = [column.name for column in self.columns]
        records = [dict(zip(names, row, strict=True)) for row in self.rows]
        return json.dumps({"figure": self.id, "title": self.title, "note": self.note, "rows": records}, indent=1) + "\n"

    def as_svg(self) -> str | None:
        """The drawing as a file of its own; None where there is none."""
        return None if self.draw is None else as_svg(self.draw(WIDE))

    def for_page(self) -> dict[str, object]:
        """All of it as the page takes it."""
        return {
            "id": self.id,
            "title": self.title,
            "note": self.note,
            "columns": [[column.name, column.title, column.kind] for column in self.columns],
            "rows": [list(row) for row in self.rows],
            "drawings": None if self.draw is None else {"wide": self.draw(WIDE), "slim": self.draw(SLIM)},
        }


def harmless(value: Value) -> Value:
    """The value as a spreadsheet may read it: a text that begins like a formula would be run as one."""
    if value is True or value is False:
        return str(value).lower()
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def write_figures(figures: Iterable[Figure], folder: Path) -> list[Path]:
    """Every figure as CSV, JSON and, where it is drawn, SVG."""
    with file_errors("make the folder", folder):
        folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for figure in figures:
        forms: Sequence[tuple[str, str | None]] = (
            ("csv", figure.as_csv()),
            ("json", figure.as_json()),
            ("svg", figure.as_svg()),
        )
        for ending, content in forms:
            if content is not None:
                path = folder / f"{figure.id}.{ending}"
                with atomic_write(path) as file:
                    file.write(content.encode("utf-8", "replace"))
                written.append(path)
    return written
