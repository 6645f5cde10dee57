"""PDF reader: layout rules on font size and position find titles, authors, headings, text, tables and references."""

from __future__ import annotations

from collections.abc import Iterator

from fathom.corpus.readers.parsed_document import CompanionFiles, ParsedDocument
from fathom.corpus.readers.parsing.sentences import is_chinese
from fathom.corpus.readers.pdf.body import read_blocks, set_abstract
from fathom.corpus.readers.pdf.child_process import ExtractedLines, extract_lines
from fathom.corpus.readers.pdf.citations import CitationFinder
from fathom.corpus.readers.pdf.converters import converter
from fathom.corpus.readers.pdf.front_page import read_front
from fathom.corpus.readers.pdf.reading_order import OrderedLines
from fathom.corpus.readers.pdf.references import find_regions, read_references

FORMAT = "pdf"


def matches(name: str, head: bytes) -> bool:
    """Return whether a file is a PDF, from its first bytes."""
    return b"%PDF-" in head[:1_024]


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Yield the one document of a PDF."""
    convert = converter()
    if convert is not None:
        yield from convert(content, name)
        return
    yield read_layout(extract_lines(content), name)


def read_layout(extracted: ExtractedLines, source: str) -> ParsedDocument:
    """Return the document in the extracted lines of a PDF."""
    document = ParsedDocument(source=source)
    lines = OrderedLines(extracted.lines, extracted.page_sizes)
    start = read_front(document, lines, extracted)
    regions = find_regions(lines, start)
    # A table may float to the top of the first page, or into the reference list.
    early = [number for number in range(start) if lines[number] in lines.tables]
    in_references = [number for number in regions.entries if lines[number] in lines.tables]
    entries = [number for number in regions.entries if lines[number] not in lines.tables]
    document.references = read_references(lines, entries)
    blocks = read_blocks(lines, [*early, *regions.text, *in_references]) + read_blocks(lines, regions.after)
    set_abstract(document, blocks)
    finder = CitationFinder(document.references)
    document.abstract = [finder.mark_block(block) for block in document.abstract]
    document.body = [finder.mark_block(block) for block in document.body]
    document.language = "zh" if is_chinese(" ".join(line.text for line in lines[:60])) else "en"
    return document
