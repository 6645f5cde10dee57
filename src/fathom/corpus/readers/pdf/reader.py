"""Reads PDFs by rules of layout: what is title, name, heading, text, table or reference is told by size and place."""

from __future__ import annotations

from collections.abc import Iterator

from fathom.corpus.readers.parsed_document import CompanionFiles, ParsedDocument
from fathom.corpus.readers.parsing.sentences import is_chinese
from fathom.corpus.readers.pdf.body import read_blocks, set_abstract
from fathom.corpus.readers.pdf.citations import Citer
from fathom.corpus.readers.pdf.converters import converter
from fathom.corpus.readers.pdf.front_page import read_front
from fathom.corpus.readers.pdf.layout import Layout, layout
from fathom.corpus.readers.pdf.lines import Lines
from fathom.corpus.readers.pdf.references import part, read_references

FORMAT = "pdf"


def matches(name: str, head: bytes) -> bool:
    """Whether a file is a PDF, by its first bytes."""
    return b"%PDF-" in head[:1_024]


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """The one document of a PDF."""
    convert = converter()
    if convert is not None:
        yield from convert(content, name)
        return
    yield read_layout(layout(content), name)


def read_layout(laid_out: Layout, source: str) -> ParsedDocument:
    """What the lines of a PDF are, told by their sizes and places."""
    found = ParsedDocument(source=source)
    lines = Lines(laid_out.lines, laid_out.sheets)
    start = read_front(found, lines, laid_out)
    parted = part(lines, start)
    # A table may float to the head of the first page, or into the list of references.
    early = [number for number in range(start) if lines[number] in lines.tables]
    among = [number for number in parted.entries if lines[number] in lines.tables]
    entries = [number for number in parted.entries if lines[number] not in lines.tables]
    found.references = read_references(lines, entries)
    blocks = read_blocks(lines, [*early, *parted.text, *among]) + read_blocks(lines, parted.after)
    set_abstract(found, blocks)
    citer = Citer(found.references)
    found.abstract = [citer.block(block) for block in found.abstract]
    found.body = [citer.block(block) for block in found.body]
    found.language = "zh" if is_chinese(" ".join(line.text for line in lines[:60])) else "en"
    found.uncertain["layout"] = "sections, paragraphs, tables and citations are guessed from the layout"
    return found
