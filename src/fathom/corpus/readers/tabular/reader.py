"""Tabular reader: JSON with nested fields, CSV and TSV, web pages with tables, tables with paragraphs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from fathom.corpus.readers.parsed_document import CompanionFiles, ParsedDocument, ParsedTable, ReadError, TableCell
from fathom.corpus.readers.parsing.decoding import decode_with_note
from fathom.corpus.readers.parsing.tables import (
    MAX_CELL_CHARACTERS,
    MAX_CELLS,
    check_cell,
    check_padding,
    check_rows,
    check_size,
)
from fathom.corpus.readers.parsing.text_cleanup import strip_compression, title_from_name
from fathom.corpus.readers.tabular.json_reports import read_json
from fathom.corpus.readers.tabular.web_pages import read_page

FORMAT = "tabular"


_PAGES = (".html", ".htm", ".xhtml")
_PAPERS = (b'"body_text"', b'"pdf_parse"', b'"bib_entries"')


def matches(name: str, head: bytes) -> bool:
    """Return whether a file is JSON, CSV, TSV or a web page by its name, and not a filing or a paper."""
    lower = name.lower()
    if lower.endswith((".csv", ".tsv")):
        return b"\0" not in head or head[:2] in (b"\xff\xfe", b"\xfe\xff")
    if lower.endswith(".json"):
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
        return start in (b"{", b"[") and not any(mark in head for mark in _PAPERS)
    return lower.endswith(_PAGES) and b"inlineXBRL" not in head and b"<" in head


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Yield the reports in a file: one, or one for each context of a file of tables with paragraphs."""
    check_size(content)
    ending = strip_compression(name).lower().rpartition(".")[2]
    if ending == "json":
        return read_json(content, name)
    if ending in ("csv", "tsv"):
        return iter([_csv(content, name, ending)])
    return iter([read_page(content, name)])


def _csv(content: bytes, name: str, ending: str) -> ParsedDocument:
    text, encoding_note = decode_with_note(content)
    delimiter = "\t" if ending == "tsv" else _delimiter(text)
    rows: list[list[TableCell]] = []
    cells = 0
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
            if not any(cell.strip() for cell in row):
                continue
            check_rows(len(rows) + 1)
            cells += len(row)
            if cells > MAX_CELLS:
                raise ReadError(f"it has more than {MAX_CELLS:,} cells")
            rows.append([TableCell([check_cell(cell)], header=not rows) for cell in row])
    except csv.Error as error:
        raise ReadError(_csv_fault(error)) from error
    if len(rows) < 2:
        raise ReadError("it has no row below its header")
    document = ParsedDocument(
        name, kind="report", title=title_from_name(name), body=[check_padding(ParsedTable([], rows))]
    )
    if encoding_note:
        document.uncertain["text"] = encoding_note
    return document


def _csv_fault(error: csv.Error) -> str:
    if "field larger" in str(error):
        return f"a cell has more than {MAX_CELL_CHARACTERS:,} characters"
    return f"it is not a table: {error}"


def _delimiter(text: str) -> str:
    """Return the most frequent delimiter in the first line; a comma by default."""
    line = text[:10_000].partition("\n")[0]
    return max(",;\t|", key=line.count) if line else ","
