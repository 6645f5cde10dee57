"""Writers of the formats that people have: plain text and Word documents."""

from __future__ import annotations

import io
import textwrap
import zipfile
from collections.abc import Iterator
from html import escape

from fathom.corpus.readers.parsed_document import Block, Heading, Inlines, Paragraph, ParsedDocument, ParsedTable
from fathom.corpus.readers.parsing.blocks import inlines_text

Files = dict[str, bytes]
"""File contents by name: the document first, then its companion files."""


def _entries(document: ParsedDocument) -> Iterator[str]:
    """Yield the entries of the reference list with their numbers."""
    for number, reference in enumerate(document.references, start=1):
        yield f"[{number}] {reference.text}"


def plain_text(document: ParsedDocument) -> Files:
    """Return a document as plain text with lines of 80 characters."""

    def block(one: Block) -> str:
        match one:
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
    parts += ["REFERENCES", "\n".join(_entries(document))] if document.references else []
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
    paragraphs += [_word_paragraph(entry, "Bibliography") for entry in _entries(document)]
    text = f'<w:document xmlns:w="{_WORD}"><w:body>{"".join(paragraphs)}</w:body></w:document>'
    return {"paper.docx": _office_file("word/document.xml", {"word/document.xml": text})}


def _word_paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f'<w:p>{properties}<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r></w:p>'


def _word_block(block: Block) -> str:
    match block:
        case Heading(level, inlines):
            return _word_paragraph(inlines_text(inlines), f"Heading{level - 1}")
        case Paragraph(inlines):
            return _word_paragraph(inlines_text(inlines))
        case ParsedTable(caption, rows):
            cells = "".join(
                f"<w:tr>{''.join(f'<w:tc>{_cell(cell.inlines)}</w:tc>' for cell in row)}</w:tr>" for row in rows
            )
            return _word_paragraph(inlines_text(caption), "Caption") + f"<w:tbl>{cells}</w:tbl>"


def _cell(inlines: Inlines) -> str:
    return _word_paragraph(inlines_text(inlines))


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
