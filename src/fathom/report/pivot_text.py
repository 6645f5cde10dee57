"""Tables on demand as text for a terminal, Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from fathom.analysis.pivot import MEASURE, PivotCell, PivotMeasure, PivotTable
from fathom.analysis.pivot_terms import COUNTS
from fathom.report.drawings.canvas import text_width
from fathom.report.figures import csv_safe

Detail = Literal["value", "interval", "full"]
"""What a cell shows: the value, also its interval, also the number of questions."""

MISSING = "-"
"""A cell without a value, though there are responses."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}


def number(value: float, measure: PivotMeasure, decimals: int, is_difference: bool = False) -> str:
    """The value without a unit; shares are in percent."""
    sign = "+" if is_difference else ""
    if measure.kind == "share":
        return f"{value * 100:{sign}.{decimals}f}"
    if measure.kind == "count":
        return f"{value:{sign},.0f}"
    if measure.kind == "money":
        return f"{value:{sign},.2f}" if abs(value) >= 1 else f"{value:{sign}.3g}"
    return f"{value:{sign},.2f}" if abs(value) < 1000 else f"{value:{sign},.0f}"


@dataclass(frozen=True)
class _Layout:
    """The cells of a table in a grid, each as text."""

    table: PivotTable
    detail: Detail
    decimals: int

    @property
    def grid(self) -> list[list[PivotCell | None]]:
        cells = {(cell.row, cell.column): cell for cell in self.table.cells}
        return [[cells.get((row, column)) for column in self.table.column_values] for row in self.table.row_values]

    def words(self, cell: PivotCell | None, percent: str = "%", dash: str = "-") -> str:
        """A cell as text; empty if there is nothing in it."""
        if cell is None:
            return ""
        measure = next(measure for measure in self.table.measures if measure.name == cell.measure)
        mark = "" if cell.comparable else "*"
        if cell.value is None:
            return MISSING + mark
        unit = "" if measure.kind != "share" else percent
        prefix = "$" if measure.kind == "money" and percent else ""
        value = number(cell.value, measure, self.decimals, cell.is_difference)
        parts = [f"{prefix}{value}{unit}{mark}"]
        if self.detail != "value" and cell.low is not None and cell.high is not None:
            ends = [number(end, measure, self.decimals, cell.is_difference) for end in (cell.low, cell.high)]
            # A dash before a minus sign cannot be read.
            between = " to " if cell.is_difference or cell.low < 0 else dash
            parts.append(f"({between.join(ends)})")
        if self.detail == "full" and measure.name not in COUNTS:
            parts.append(f"n={cell.n:,}")
        return " ".join(parts)

    def title(self) -> str:
        """A description of the cells."""
        names = ", ".join(_measure_title(measure) for measure in self.table.measures)
        conditions = f" where {' and '.join(self.table.where)}" if self.table.where else ""
        macro = f", mean over {', '.join(self.table.macro)} with equal weights" if self.table.macro else ""
        return f"{names}{conditions}{macro}"


def _measure_title(measure: PivotMeasure) -> str:
    return f"{measure.name} (%)" if measure.kind == "share" else measure.name


def as_text(table: PivotTable, detail: Detail = "full", decimals: int = 1) -> str:
    """The table for a terminal, with its notes."""
    layout = _Layout(table, detail, decimals)
    levels = len(table.columns)
    body = [[layout.words(cell) for cell in line] for line in layout.grid]
    labels = [_indent(row, above) for row, above in zip(table.row_values, [None, *table.row_values], strict=False)]
    widths = [max(map(text_width, column)) for column in zip(*body, strict=True)] if body else []
    headings = [list(labels_of_level) for labels_of_level in zip(*table.column_values, strict=True)] if levels else []
    widths = _widen(widths, headings)
    row_labels = [line for lines in labels for line in lines]
    first = max(map(text_width, [*row_labels, " / ".join(table.rows)]), default=0)
    lines = [layout.title()]
    for level, heading in enumerate(headings):
        corner = " / ".join(table.rows) if level == levels - 1 else ""
        lines.append(f"  {_pad(corner, first)}  {_heading(heading, headings[:level], widths)}".rstrip())
    if not headings:
        lines.append(f"  {' / '.join(table.rows)}")
    for label, cells in zip(labels, body, strict=True):
        *outer, last = label
        lines += [f"  {line}" for line in outer]
        cell_text = "  ".join(_pad(cell, width, right=True) for cell, width in zip(cells, widths, strict=True))
        lines.append(f"  {_pad(last, first)}  {cell_text}".rstrip())
    lines += [f"  note: {note}" for note in table.notes]
    return "\n".join(lines)


def _indent(row: tuple[str, ...], before: tuple[str, ...] | None) -> list[str]:
    """The labels of a row in lines, without the outer ones that it shares with the row before."""
    shared = 0
    while before is not None and shared < len(row) - 1 and row[: shared + 1] == before[: shared + 1]:
        shared += 1
    return [f"{'  ' * level}{label}" for level, label in enumerate(row) if level >= shared] or [""]


def _pad(words: str, width: int, right: bool = False) -> str:
    space = " " * max(0, width - text_width(words))
    return space + words if right else words + space


def _spans(heading: Sequence[str], above: Sequence[Sequence[str]]) -> list[tuple[str, int, int]]:
    """The labels of one level of columns with the columns that they cover: equal neighbors under equal labels."""
    keys = [tuple(labels_above[index] for labels_above in (*above, heading)) for index in range(len(heading))]
    spans, start = [], 0
    for key, members in groupby(keys):
        count = len(list(members))
        spans.append((key[-1], start, start + count))
        start += count
    return spans


def _widen(widths: Sequence[int], headings: Sequence[Sequence[str]]) -> list[int]:
    """Wide enough for every heading: the last column under a heading grows."""
    wide = list(widths)
    for level, heading in enumerate(headings):
        for label, start, end in _spans(heading, headings[:level]):
            lacking = text_width(label) - (sum(wide[start:end]) + 2 * (end - start - 1))
            wide[end - 1] += max(0, lacking)
    return wide


def _heading(heading: Sequence[str], above: Sequence[Sequence[str]], widths: Sequence[int]) -> str:
    spans = _spans(heading, above)
    return "  ".join(
        _pad(label, sum(widths[start:end]) + 2 * (end - start - 1), right=end - start == 1)
        for label, start, end in spans
    )


def as_markdown(table: PivotTable, detail: Detail = "full", decimals: int = 1) -> str:
    """The table in Markdown. Levels of columns are joined, since Markdown has one line of headings."""
    layout = _Layout(table, detail, decimals)
    columns = [" / ".join(_with_units(table, column)) for column in table.column_values]
    heads = [*map(_markdown, table.rows), *map(_markdown, columns)]
    if not table.columns:
        heads[-1:] = [_markdown(_measure_title(table.measures[0]))]
    lines = [
        f"| {' | '.join(heads)} |",
        f"|{' --- |' * len(table.rows)}{' ---: |' * len(table.column_values)}",
    ]
    for row, cells in zip(table.row_values, layout.grid, strict=True):
        words = [_markdown(layout.words(cell, percent="").replace("*", "†"), plain=False) for cell in cells]
        lines.append(f"| {' | '.join([*map(_markdown, row), *words])} |")
    notes = [f"\n{_markdown(note.replace('(*)', '(†)'))}" for note in (f"{layout.title()}.", *table.notes)]
    return "\n".join([*lines, *notes]) + "\n"


def _with_units(table: PivotTable, labels: tuple[str, ...]) -> list[str]:
    """The labels of a column, measures with their unit."""
    titles = {measure.name: _measure_title(measure) for measure in table.measures}
    return [
        titles.get(label, label) if name == MEASURE else label
        for name, label in zip(table.columns, labels, strict=True)
    ]


def _markdown(words: str, plain: bool = True) -> str:
    """The text with markup escaped; `plain=False` for numbers."""
    words = _one_line(words).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("|", "\\|")
    return re.sub(r"([*_`\[\]~#])", r"\\\1", words.replace("\\", "\\\\").replace("\\\\|", "\\|")) if plain else words


def _one_line(words: str) -> str:
    """Without line breaks and other control characters."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]", " ", words)


def as_latex(table: PivotTable, detail: Detail = "full", decimals: int = 1) -> str:
    """The table for LaTeX with the package booktabs."""
    layout = _Layout(table, detail, decimals)
    count = len(table.rows)
    lines = [
        f"% {_latex(layout.title())}",
        rf"\begin{{tabular}}{{{'l' * count}{'r' * len(table.column_values)}}}",
        r"\toprule",
    ]
    titles = [_with_units(table, column) for column in table.column_values]
    headings = (
        [list(titles_of_level) for titles_of_level in zip(*titles, strict=True)]
        if table.columns
        else [[_measure_title(table.measures[0])]]
    )
    for level, heading in enumerate(headings):
        corner = [*map(_latex, table.rows)] if level == len(headings) - 1 else [""] * count
        spans = _spans(heading, headings[:level])
        lines.append(_latex_line([*corner, *(_latex_span(*span) for span in spans)]))
        rules = [rf"\cmidrule(lr){{{count + start + 1}-{count + end}}}" for _, start, end in spans if end - start > 1]
        lines += [" ".join(rules)] if rules and level < len(headings) - 1 else []
    lines.append(r"\midrule")
    previous: tuple[str, ...] | None = None
    for row, cells in zip(table.row_values, layout.grid, strict=True):
        if previous is not None and count > 1 and row[0] != previous[0]:
            lines.append(r"\midrule")
        labels = [
            "" if previous is not None and row[: n + 1] == previous[: n + 1] and n < count - 1 else label
            for n, label in enumerate(row)
        ]
        lines.append(
            _latex_line([*map(_latex, labels), *(_latex_cell(layout.words(cell, "", "--")) for cell in cells)])
        )
        previous = row
    notes = [f"% note: {_latex(note)}" for note in table.notes]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", *notes]) + "\n"


def _latex_line(cells: Sequence[str]) -> str:
    return " & ".join(cells).rstrip() + r" \\"


def _latex_span(label: str, start: int, end: int) -> str:
    return rf"\multicolumn{{{end - start}}}{{c}}{{{_latex(label)}}}" if end - start > 1 else _latex(label)


def _latex_cell(words: str) -> str:
    """The value in full size, interval and count in small print."""
    value, _, details = words.partition(" ")
    value = value.replace("*", r"\textsuperscript{*}")
    return rf"{value} {{\scriptsize {details}}}" if details else value


def _latex(words: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in _one_line(words))


NUMBERS = ("value", "low", "high", "n", "questions", "responses", "contexts", "runs", "missing", "comparable")
"""The fields of a record for one cell, after its labels."""


def as_csv(table: PivotTable) -> str:
    """One line for each cell, with all of its numbers."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    labels = [name for name in (*table.rows, *table.columns) if name != MEASURE]
    writer.writerow([*labels, "measure", *NUMBERS])
    writer.writerows([[csv_safe(value) for value in row.values()] for row in records(table)])
    return lines.getvalue()


def records(table: PivotTable) -> Iterator[dict[str, str | int | float | bool | None]]:
    """One record for each cell, as for a data frame."""
    for cell in table.cells:
        labels = zip((*table.rows, *table.columns), (*cell.row, *cell.column), strict=True)
        yield {
            **{name: label for name, label in labels if name != MEASURE},
            "measure": cell.measure,
            **cell.model_dump(include=set(NUMBERS)),
        }


FORMATS: dict[str, Callable[[PivotTable, Detail, int], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": lambda table, detail, decimals: as_csv(table),
    "json": lambda table, detail, decimals: table.model_dump_json(indent=2) + "\n",
}
"""The formats of a table."""
SUFFIXES = {".md": "markdown", ".tex": "latex", ".csv": "csv", ".json": "json", ".txt": "text"}
"""The format of a file by its name."""
