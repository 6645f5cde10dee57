"""Writers of the formats that people have: plain text, Word documents, web pages, e-books, workbooks."""

from __future__ import annotations

import io
import re
import textwrap
import zipfile
from collections.abc import Iterator
from html import escape

from fathom.corpus.readers.parsed_document import (
    Block,
    CitationMark,
    Heading,
    Inlines,
    Paragraph,
    ParsedDocument,
    ParsedTable,
)
from fathom.corpus.readers.parsing.blocks import inlines_text

Files = dict[str, bytes]
"""File contents by name: the document first, then its companion files."""


PRINTED_NUMBER = re.compile(r"(?:\[\d+\]|\d+\.)\s+")
"""The number that the text of a reference starts with."""


def numbered_entries(document: ParsedDocument) -> Iterator[str]:
    """Yield the entries of the reference list with their numbers, all in one style."""
    for number, reference in enumerate(document.references, start=1):
        text = reference.text.strip()
        printed = PRINTED_NUMBER.match(text)
        yield f"[{number}] {text[printed.end() :] if printed else text}"


def plain_text(document: ParsedDocument) -> Files:
    """Return a document as plain text with lines of 80 characters."""

    def block(block_to_write: Block) -> str:
        match block_to_write:
            case Heading(_, inlines):
                return inlines_text(inlines).upper()
            case Paragraph(inlines):
                return textwrap.fill(inlines_text(inlines), 80, break_on_hyphens=False, break_long_words=False)
            case ParsedTable(caption, rows):
                table = "\n".join("\t".join(inlines_text(cell.inlines) for cell in row) for row in rows)
                return f"{inlines_text(caption)}\n\n{table}"

    parts = [document.title, ", ".join(author.printed for author in document.authors)]
    parts += ["ABSTRACT"] if document.abstract else []
    parts += map(block, (*document.abstract, *document.body))
    parts += ["REFERENCES", "\n".join(numbered_entries(document))] if document.references else []
    return {"paper.txt": ("\n\n".join(filter(None, parts)) + "\n").encode()}


_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def docx(document: ParsedDocument) -> Files:
    """Return a document as a Word file with the styles of a paper."""
    paragraphs = [_word_paragraph(document.title, "Title")]
    if document.authors:
        paragraphs.append(_word_paragraph(", ".join(author.printed for author in document.authors), "Author"))
    if document.abstract:
        paragraphs.append(_word_paragraph("Abstract", "Heading1"))
    paragraphs += map(_word_block, (*document.abstract, *document.body))
    if document.references:
        paragraphs.append(_word_paragraph("References", "Heading1"))
    paragraphs += [_word_paragraph(entry, "Bibliography") for entry in numbered_entries(document)]
    text = f'<w:document xmlns:w="{_WORD}"><w:body>{"".join(paragraphs)}</w:body></w:document>'
    return {"paper.docx": _office_file("word/document.xml", {"word/document.xml": text})}


def _word_paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    # Generated articles print superscript citations as "<sup>4</sup>".
    runs = "".join(
        f'<w:r>{_RAISED if number % 2 else ""}<w:t xml:space="preserve">{escape(piece)}</w:t></w:r>'
        for number, piece in enumerate(re.split(r"<sup>(.{0,200}?)</sup>", text))
    )
    return f"<w:p>{properties}{runs}</w:p>"


_RAISED = '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'


def _word_block(block: Block) -> str:
    match block:
        case Heading(level, inlines):
            return _word_paragraph(inlines_text(inlines), f"Heading{level - 1}")
        case Paragraph(inlines):
            return _word_paragraph(inlines_text(inlines))
        case ParsedTable(caption, rows):
            cells = "".join(
                f"<w:tr>{''.join(f'<w:tc>{_word_paragraph(inlines_text(cell.inlines))}</w:tc>' for cell in row)}</w:tr>"
                for row in rows
            )
            return _word_paragraph(inlines_text(caption), "Caption") + f"<w:tbl>{cells}</w:tbl>"


def _office_file(main: str, parts: dict[str, str]) -> bytes:
    """Return an Office file with a relation to its main part."""
    relation = (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" Type="{_OFFICE}/officeDocument"'
        f' Target="{main}"/></Relationships>'
    )
    return zipped({"_rels/.rels": relation, **parts})


def zipped(parts: dict[str, str]) -> bytes:
    """Return an archive of XML parts; the same parts give the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            member = zipfile.ZipInfo(name)
            member.compress_type = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(member, text if name == "mimetype" else f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return packed.getvalue()


# Web pages and e-books.


def _page_body(document: ParsedDocument) -> str:
    """Return the text of a document as HTML, with its reference list and links to it."""
    numbers = {reference.key: number for number, reference in enumerate(document.references, start=1)}

    def inline(inlines: Inlines) -> str:
        text = "".join(
            f'<a href="#ref{numbers[piece.keys[0]]}">{escape(piece.text)}</a>'
            if isinstance(piece, CitationMark) and len(piece.keys) == 1 and piece.keys[0] in numbers
            else escape(inlines_text([piece]))
            for piece in inlines
        )
        return text.replace("&lt;sup&gt;", "<sup>").replace("&lt;/sup&gt;", "</sup>")

    def block(block_to_write: Block) -> str:
        match block_to_write:
            case Heading(level, inlines):
                return f"<h{level}>{inline(inlines)}</h{level}>"
            case Paragraph(inlines):
                return f"<p>{inline(inlines)}</p>"
            case ParsedTable(caption, rows):
                tag = ["th" if all(cell.header for cell in row) else "td" for row in rows]
                cells = "".join(
                    "<tr>" + "".join(f"<{name}>{inline(cell.inlines)}</{name}>" for cell in row) + "</tr>"
                    for name, row in zip(tag, rows, strict=True)
                )
                return f"<table><caption>{inline(caption)}</caption>{cells}</table>"

    entries = "".join(
        f'<li id="ref{number}">{escape(reference.text)}</li>'
        for number, reference in enumerate(document.references, start=1)
    )
    abstract = "<h2>Abstract</h2>" + "".join(map(block, document.abstract)) if document.abstract else ""
    reference_list = f"<h2>References</h2><ol>{entries}</ol>" if entries else ""
    return abstract + "".join(map(block, document.body)) + reference_list


def html_article(document: ParsedDocument) -> Files:
    """Return a document as a publisher's web page, with a menu, a banner and a footer around the text."""
    tags = {"citation_title": [document.title], "citation_author": [author.printed for author in document.authors]}
    tags["citation_date"] = [str(document.year or "")]
    meta = "".join(
        f'<meta name="{name}" content="{escape(value)}">' for name, values in tags.items() for value in values
    )
    text = (
        f'<!DOCTYPE html><html lang="{document.language}"><head><meta charset="utf-8">'
        f"<title>{escape(document.title)} | Journal</title>{meta}</head><body>"
        '<div class="cookie-banner"><p>We use cookies.</p></div><nav><a href="/">Home</a> <a href="/new">New</a></nav>'
        f"<main><article><h1>{escape(document.title)}</h1>{_page_body(document)}</article></main>"
        "<footer>Terms and conditions</footer></body></html>"
    )
    return {"paper.html": text.encode()}


def epub(document: ParsedDocument) -> Files:
    """Return a document as an e-book of one chapter."""
    creators = "".join(f"<dc:creator>{escape(author.printed)}</dc:creator>" for author in document.authors)
    chapter = (
        f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{escape(document.title)}</title></head>'
        f"<body>{_page_body(document)}</body></html>"
    )
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<dc:title>{escape(document.title)}</dc:title>{creators}<dc:language>{document.language}</dc:language>"
        f"<dc:date>{document.year or ''}</dc:date></metadata>"
        '<manifest><item id="c" href="chapter.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="c"/></spine></package>'
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
        '<rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    parts = {"mimetype": "application/epub+zip", "META-INF/container.xml": container}
    return {"paper.epub": zipped({**parts, "book/package.opf": package, "book/chapter.xhtml": chapter})}


# Workbooks.

_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def xlsx(document: ParsedDocument) -> Files:
    """Return the tables of a report as a workbook with one sheet for each, named after the report."""
    tables = [block for block in document.body if isinstance(block, ParsedTable)]
    sheets = "".join(f'<sheet name="Table {n}" sheetId="{n}" r:id="r{n}"/>' for n in range(1, len(tables) + 1))
    relations = "".join(
        f'<Relationship Id="r{n}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, len(tables) + 1)
    )
    parts = {
        "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_OFFICE}"><sheets>{sheets}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}</Relationships>',
    }
    for number, table in enumerate(tables, start=1):
        parts[f"xl/worksheets/sheet{number}.xml"] = _sheet(table)
    name = re.sub(r"[^\w ,().-]+", " ", document.title)
    return {f"{name}.xlsx": _office_file("xl/workbook.xml", parts)}


def _sheet(table: ParsedTable) -> str:
    rows = [[inlines_text(cell.inlines) for cell in row] for row in table.rows]
    cells = (
        "".join(f'<c t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>' for text in row)
        for row in rows
    )
    data = "".join(f"<row>{row}</row>" for row in cells)
    return f'<worksheet xmlns="{_SHEET}"><sheetData>{data}</sheetData></worksheet>'
