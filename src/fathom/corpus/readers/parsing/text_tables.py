"""Tables in text markup as rows of cells: pipe, HTML, list, CSV, grid and simple tables."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from fathom.corpus.readers.parsed_document import Inlines, ParsedTable, TableCell

_MAX_COLUMNS = 200


@dataclass(frozen=True)
class TextCell:
    """A cell whose text still has its inline markup."""

    text: str
    header: bool = False
    columns: int = 1


TextRows = list[list[TextCell]]


def limit_columns(rows: Sequence[Sequence[TableCell]]) -> list[list[TableCell]]:
    """Return rows of at most 200 cells. Every row is padded to the widest, so one wide row enlarges them all."""
    return [list(row[:_MAX_COLUMNS]) for row in rows]


def build_table(rows: TextRows, caption: Inlines, parse: Callable[[str], Inlines]) -> list[ParsedTable]:
    """Return the table of some rows, whose inline markup `parse` reads; nothing if they have no cells."""
    cells = [[TableCell(parse(cell.text), cell.header, cell.columns) for cell in row] for row in rows]
    return [ParsedTable(caption, limit_columns(cells))] if any(cells) else []


def directive_rows(name: str, content: Sequence[str], options: Mapping[str, str]) -> TextRows | None:
    """Return the rows of a list table or a CSV table; None for another directive."""
    if name == "csv-table":
        return csv_table_rows(content, options)
    if name == "list-table":
        return mark_header_rows(list_table_rows(content), options.get("header-rows", ""))
    return None


def mark_header_rows(rows: Sequence[Sequence[TextCell]], count: str) -> TextRows:
    """Return the rows with the first `count` marked as headers; `count` is a directive's option, not yet validated."""
    headers = int(count) if re.fullmatch(r"\s*[0-9]{1,3}\s*", count) else 0
    return [[replace(cell, header=number < headers) for cell in row] for number, row in enumerate(rows)]


# Pipe tables.

_BAR = re.compile(r"(?<!\\)\|")


def is_header_divider(line: str) -> bool:
    """Return whether a line separates the header of a pipe table from its body."""
    return "|" in line and "-" in line and len(line) < 5_000 and set(line.strip()) <= set("|-: \t")


def split_pipe_row(line: str) -> list[str]:
    """Return the cells of one row; escaped pipes stay escaped."""
    bare = line.strip().removeprefix("|")
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [cell.strip() for cell in _BAR.split(bare)]


# HTML tables, which converters write where cells span columns.

_HTML_ROW = re.compile(r"<tr\b", re.IGNORECASE)
_HTML_CELL = re.compile(r"<(t[dh])\b([^<>]{0,500})>", re.IGNORECASE)
_OTHER_TAGS = re.compile(r"</t[dhr]\b[^<>]{0,500}>|</?(?:table|tbody|thead)\b[^<>]{0,500}>", re.IGNORECASE)
_COLSPAN = re.compile(r"colspan *= *[\"']?(\d{1,2})\b", re.IGNORECASE)


def html_table_rows(text: str) -> TextRows:
    """Return the rows of an HTML table."""
    rows: TextRows = []
    for row in _HTML_ROW.split(text)[1:]:
        parts = _HTML_CELL.split(row)[1:]
        cells = [
            TextCell(" ".join(_OTHER_TAGS.sub("", inner).split()), tag.lower() == "th", _colspan(attributes))
            for tag, attributes, inner in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
        ]
        if cells:
            rows.append(cells)
    return rows


def _colspan(attributes: str) -> int:
    columns = _COLSPAN.search(attributes)
    return max(1, int(columns[1])) if columns else 1


# List tables and CSV tables.

_LIST_TABLE_LINE = re.compile(r"(?P<row>\s*[*-]\s+[-*](?=\s|$)|\*\s*$)|(?P<cell>\s*[-*](?=\s|$))")


def list_table_rows(content: Sequence[str]) -> TextRows:
    """Return the rows of a list table: a list of lists."""
    rows: list[list[list[str]]] = []
    for line in content:
        lead = _LIST_TABLE_LINE.match(line)
        text = line[lead.end() :].strip() if lead else line.strip()
        if lead and lead["row"] is not None:
            rows.append([[text]] if len(lead["row"].split()) == 2 else [])
        elif lead and rows:
            rows[-1].append([text])
        elif rows and rows[-1]:
            rows[-1][-1].append(text)
    return [[TextCell(" ".join(filter(None, cell))) for cell in row] for row in rows]


def csv_table_rows(content: Sequence[str], options: Mapping[str, str]) -> TextRows:
    """Return the rows of a CSV table with the delimiter and the header of its options."""
    delimiter = {"tab": "\t", "space": " "}.get(options.get("delim", ","), options.get("delim", ",")[:1] or ",")
    try:
        head = list(csv.reader([options["header"]], skipinitialspace=True)) if options.get("header") else []
        body = list(csv.reader([line for line in content if line], delimiter=delimiter, skipinitialspace=True))
    except (csv.Error, TypeError, ValueError):
        head, body = [], [line.split(",") for line in content if line]
    option = options.get("header-rows", "").strip()
    count = len(head) + (int(option) if re.fullmatch("[0-9]{1,3}", option) else 0)
    return mark_header_rows([[TextCell(cell) for cell in row] for row in [*head, *body]], str(count))


# Grid tables and simple tables of reStructuredText.

GRID_LINE = re.compile(r"\+[-=]+(?:\+[-=]+)*\+\s*$")
"""A horizontal line of a grid table over its whole width."""
SIMPLE_TABLE_LINE = re.compile(r"=+(?: +=+)+\s*$")
"""The line above or below a simple table."""


def grid_table_rows(lines: Sequence[str]) -> TextRows:
    """Return the rows of a grid table; a cell over several columns is one cell."""
    edges = sorted({match.start() for line in lines if GRID_LINE.match(line) for match in re.finditer(r"\+", line)})
    edges = edges[: _MAX_COLUMNS + 1]
    rows: TextRows = []
    headers = 0
    pending: list[str] = []
    for line in lines:
        if line.startswith("+") or re.match(r"\|.*\+[-=]{2,}\+", line):
            if pending:
                rows.append(_grid_row(pending, edges))
                pending = []
            if "=" in line and GRID_LINE.match(line) and not headers:
                headers = len(rows)
        else:
            pending.append(line)
    if pending:
        rows.append(_grid_row(pending, edges))
    return mark_header_rows(rows, str(headers))


def _grid_row(lines: Sequence[str], edges: Sequence[int]) -> list[TextCell]:
    cells: list[TextCell] = []
    start, span = 0, 1
    for position, edge in enumerate(edges[1:], start=1):
        if position < len(edges) - 1 and not all(line[edge : edge + 1] in ("|", "+", "") for line in lines):
            span += 1
            continue
        left = edges[start] + 1
        text = " ".join(filter(None, (line[left:edge].strip().strip("|").strip() for line in lines)))
        cells.append(TextCell(text, columns=span))
        start, span = position, 1
    return cells


def simple_table_rows(lines: Sequence[str], position: int) -> tuple[TextRows, int]:
    """Return the rows of the simple table at a line, and the line after it."""
    starts = [match.start() for match in re.finditer(r"=+", lines[position])]
    rows: TextRows = []
    headers = 0
    end = position + 1
    rules = 1
    while end < len(lines):
        line = lines[end]
        end += 1
        if line.startswith("=") and set(line) <= set("= "):
            rules += 1
            if end >= len(lines) or not lines[end]:
                break
            headers = headers or len(rows)
        elif line.startswith("-") and set(line) <= set("- "):
            continue
        elif line:
            cells = [line[a:b].strip() for a, b in zip(starts, [*starts[1:], len(line) + 1], strict=True)]
            if rows and not cells[0]:
                rows[-1] = [TextCell(f"{old.text} {new}".strip()) for old, new in zip(rows[-1], cells, strict=True)]
            else:
                rows.append([TextCell(cell) for cell in cells])
        elif rules >= 3 and not any(other.startswith("=") for other in lines[end : end + 40]):
            break  # Blank lines may separate rows, but here the last rule is missing.
    return mark_header_rows(rows, str(headers)), end
