"""Data as documents: JSON of nested fields, tables in CSV and TSV, web pages with tables, tables with paragraphs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from fathom.corpus.readers.parsed_document import CompanionFiles, ParsedDocument, ParsedTable, ReadError, TableCell
from fathom.corpus.readers.parsing.decoding import decoded_with_doubt
from fathom.corpus.readers.parsing.titles import title_from, unwrapped
from fathom.corpus.readers.tabular.json_reports import read_json
from fathom.corpus.readers.tabular.limits import (
    MOST_CELLS,
    MOST_CHARACTERS,
    bounded_text,
    check_rows,
    check_size,
    checked,
)
from fathom.corpus.readers.tabular.web_pages import read_page

FORMAT = "tabular"


_PAGES = (".html", ".htm", ".xhtml")
_PAPERS = (b'"body_text"', b'"pdf_parse"', b'"bib_entries"')


def matches(name: str, head: bytes) -> bool:
    """Whether it is JSON, CSV, TSV or a web page by its name, and not a filing or a paper in the same clothes."""
    lower = name.lower()
    if lower.endswith((".csv", ".tsv")):
        return b"\0" not in head or head[:2] in (b"\xff\xfe", b"\xfe\xff")
    if lower.endswith(".json"):
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        return start in (b"{", b"[") and not any(mark in head for mark in _PAPERS)
    return lower.endswith(_PAGES) and b"inlineXBRL" not in head and b"<" in head


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """The reports in a file: one, or one for each context of a file of tables with paragraphs."""
    check_size(content)
    ending = unwrapped(name).lower().rpartition(".")[2]
    if ending == "json":
        return read_json(content, name)
    if ending in ("csv", "tsv"):
        return iter([_csv(content, name, ending)])
    return iter([read_page(content, name)])


def _csv(content: bytes, name: str, ending: str) -> ParsedDocument:
    text, doubt = decoded_with_doubt(content)
    delimiter = "\t" if ending == "tsv" else _delimiter(text)
    rows: list[list[TableCell]] = []
    cells = 0
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if not any(cell.strip() for cell in row):
                continue
            check_rows(len(rows) + 1)
            cells += len(row)
            if cells > MOST_CELLS:
                raise ReadError(f"it has more than {MOST_CELLS:,} cells")
            rows.append([TableCell([bounded_text(cell)], header=not rows) for cell in row])
    except csv.Error as error:
        raise ReadError(_csv_fault(error)) from error
    if len(rows) < 2:
        raise ReadError("it has no row below its header")
    found = ParsedDocument(name, kind="report", title=title_from(name), body=[checked(ParsedTable([], rows))])
    if doubt:
        found.uncertain["text"] = doubt
    return found


def _csv_fault(error: csv.Error) -> str:
    if "field larger" in str(error):
        return f"a cell holds more than {MOST_CHARACTERS:,} characters"
    return f"it is no table: {error}"


def _delimiter(text: str) -> str:
    """The sign that occurs most in the first line; a comma where none does."""
    line = text[:10_000].partition("\n")[0]
    return max(",;\t|", key=line.count) if line else ","
