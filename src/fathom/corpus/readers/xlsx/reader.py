"""Reader of Excel workbooks: a report with one table per sheet, of the values that Excel has stored."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

from lxml import etree

from fathom.corpus.readers.parsed_document import (
    PAPER_FIELDS,
    Block,
    CompanionFiles,
    Heading,
    Paragraph,
    ParsedDocument,
    ParsedTable,
    ReadError,
    TableCell,
)
from fathom.corpus.readers.parsing.tables import (
    MAX_CELLS,
    MAX_COLUMNS,
    check_cell,
    check_padding,
    check_rows,
    mark_header_rows,
)
from fathom.corpus.readers.parsing.text_cleanup import title_from_name
from fathom.corpus.readers.parsing.xml_trees import Element, local
from fathom.corpus.readers.parsing.zip_parts import ZipParts, attribute, child
from fathom.corpus.readers.xlsx.number_formats import NumberFormat, cell_formats, displayed

FORMAT = "xlsx"

_NAMES = (".xlsx", ".xlsm", ".xltx")
_CELL_NAME = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
_DEFAULT_NAME = re.compile(r"(?:sheet|tabelle|feuil|hoja|foglio|blad|лист|工作表|シート)\s?\d{1,3}", re.IGNORECASE)


def matches(name: str, head: bytes) -> bool:
    """Return whether a file is an Excel workbook since 2007."""
    return head.startswith(b"PK\x03\x04") and (name.lower().endswith(_NAMES) or b"xl/workbook.xml" in head)


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Read the one report of a workbook."""
    yield _WorkbookReader(ZipParts(content), name).read()


class _WorkbookReader:
    """Reads the sheets of a workbook."""

    def __init__(self, parts: ZipParts, name: str) -> None:
        self._parts, self._name = parts, name
        self._main = parts.main_part("xl/workbook.xml")
        workbook = parts.tree(self._main)
        sheets = child(workbook, "sheets")
        if sheets is None:
            raise ReadError("it has no Excel workbook in it")
        self._sheets = list(sheets)
        self._relations = parts.relations(self._main)
        related = dict(self._relations.values())
        self._texts = self._shared_texts(related.get("sharedStrings"))
        styles = related.get("styles")
        self._formats = cell_formats(parts.tree(styles)) if styles else []
        self._from_1904 = attribute(child(workbook, "workbookPr"), "date1904") in ("1", "true")
        self._cells = 0

    def read(self) -> ParsedDocument:
        body: list[Block] = []
        hidden = 0
        for sheet in self._sheets:
            if attribute(sheet, "state") in ("hidden", "veryHidden"):
                hidden += 1
                continue
            kind, path = self._relations.get(_relation_id(sheet), ("", ""))
            blocks = self._sheet(path) if kind == "worksheet" else []
            title = attribute(sheet, "name")
            if blocks and (len(self._sheets) > 1 or not _DEFAULT_NAME.fullmatch(title)):
                body.append(Heading(2, [title]))
            body.extend(blocks)
        if not any(isinstance(block, ParsedTable) for block in body):
            raise ReadError("it has no table")
        document = ParsedDocument(
            self._name, kind="report", title=title_from_name(self._name), body=body, stated=PAPER_FIELDS
        )
        if hidden:
            document.notes["tables"] = f"hidden sheets are left out ({hidden})"
        return document

    def _shared_texts(self, path: str | None) -> list[str]:
        root = self._parts.tree(path) if path else None
        return [_text(one) for one in (root if root is not None else ()) if local(one) == "si"]

    # Sheets.

    def _sheet(self, path: str) -> list[Block]:
        """Return the table of a sheet, and the lines above and below it."""
        rows = [row for row in self._rows(path) if any(row)]
        if not rows:
            return []
        width = max(len(row) for row in rows)
        start, end = 0, len(rows)
        if width > 1:
            while start < end and _is_line(rows[start]):
                start += 1
            while end > start and _is_line(rows[end - 1]) and len(rows[end - 1][0]) > 40:
                end -= 1
        above, table, below = rows[:start], rows[start:end], rows[end:]
        blocks: list[Block] = [Paragraph([row[0]]) for row in above]
        if len(table) > 1:
            blocks.append(check_padding(ParsedTable([], _with_headers(table))))
        else:
            blocks += [Paragraph([", ".join(filter(None, row))]) for row in table]
        return blocks + [Paragraph([row[0]]) for row in below]

    def _rows(self, path: str) -> Iterator[list[str]]:
        """Yield the rows of a sheet as texts. The tree is never whole in memory."""
        content = self._parts.get(path)
        if content is None:
            return
        events = etree.iterparse(
            io.BytesIO(content),
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        count = 0
        try:
            for _, element in events:
                if local(element) == "row":
                    count += 1
                    check_rows(count, "a sheet")
                    yield self._row(element)
                    element.clear()
                    while element.getprevious() is not None:
                        del element.getparent()[0]
        except etree.XMLSyntaxError as error:
            raise ReadError(f"a sheet is not well-formed XML: {str(error)[:200]}") from error

    def _row(self, row: Element) -> list[str]:
        texts: list[str] = []
        for cell in row:
            if local(cell) != "c":
                continue
            place = _CELL_NAME.fullmatch(attribute(cell, "r"))
            column = _column(place[1]) if place else len(texts)
            if column >= MAX_COLUMNS:
                raise ReadError(f"a sheet has more than {MAX_COLUMNS:,} columns")
            self._cells += 1
            if self._cells > MAX_CELLS:
                raise ReadError(f"it has more than {MAX_CELLS:,} cells")
            texts.extend([""] * (column - len(texts)))
            texts[column:] = [check_cell(self._value(cell))]
        while texts and not texts[-1]:
            texts.pop()
        return texts

    def _value(self, cell: Element) -> str:
        """Return the text of a cell; of a formula, the value that Excel has stored."""
        kind = attribute(cell, "t")
        if kind == "inlineStr":
            return _text(child(cell, "is"))
        stored = child(cell, "v")
        text = (stored.text or "").strip() if stored is not None else ""
        if kind == "s":
            number = int(text) if re.fullmatch(r"\d{1,8}", text) else -1
            return self._texts[number] if 0 <= number < len(self._texts) else ""
        if kind == "b":
            return "TRUE" if text == "1" else "FALSE" if text == "0" else text
        if kind in ("str", "e", "d") or not text:
            return " ".join(text.split())
        style = attribute(cell, "s")
        number = int(style) if re.fullmatch(r"\d{1,6}", style) else 0
        form = self._formats[number] if number < len(self._formats) else NumberFormat()
        return displayed(text, form, self._from_1904)


def _with_headers(rows: list[list[str]]) -> list[list[TableCell]]:
    """Return the cells, with the first row as a header unless it has numbers."""
    first = not any(re.fullmatch(r"[-(]?[\d.,]+[%)]?", text) for text in rows[0])
    cells = [[TableCell([text], header=first and number == 0) for text in row] for number, row in enumerate(rows)]
    return cells if first else mark_header_rows(cells)


def _is_line(row: list[str]) -> bool:
    """Return whether a row is a line of text in the first column."""
    return bool(row[0]) and len(row) == 1


def _text(element: Element | None) -> str:
    """Return the text of a string with its formatted parts, without the reading of East Asian names."""
    if element is None:
        return ""
    direct = [one for one in element if local(one) in ("t", "r")]
    pieces = [one if local(one) == "t" else child(one, "t") for one in direct]
    return " ".join("".join(piece.text or "" for piece in pieces if piece is not None).split())


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _relation_id(sheet: Element) -> str:
    """Return the id of a sheet's file, which is not its own number `sheetId`."""
    return next((value for key, value in sheet.attrib.items() if key.endswith("}id")), "")
