"""PDF reader: layout rules on font size and position find titles, authors, headings, text, tables and references."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from fathom.corpus.readers.parsed_document import CompanionFiles, ParsedDocument, ReadError
from fathom.corpus.readers.parsing.identifiers import find_identifiers
from fathom.corpus.readers.parsing.sentences import is_chinese
from fathom.corpus.readers.parsing.superscripts import strip_marks
from fathom.corpus.readers.pdf.body import (
    find_unheaded_abstract,
    fold_keywords,
    read_blocks,
    set_abstract,
    split_run_in_headings,
)
from fathom.corpus.readers.pdf.byline import read_byline
from fathom.corpus.readers.pdf.child_process import ExtractedLines, extract_lines
from fathom.corpus.readers.pdf.citations import CitationFinder
from fathom.corpus.readers.pdf.confidence import mark_unknown
from fathom.corpus.readers.pdf.converters import converter
from fathom.corpus.readers.pdf.figures import is_figure, is_included_figure
from fathom.corpus.readers.pdf.reading_order import LIST_HEADING, OrderedLines
from fathom.corpus.readers.pdf.references import find_regions, read_references
from fathom.corpus.readers.pdf.title import read_title

FORMAT = "pdf"
_FIGURE = "it is a figure, not a document"


def matches(name: str, head: bytes) -> bool:
    """Return whether a file is a PDF, from its first bytes."""
    return b"%PDF-" in head[:1_024]


def read(content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
    """Yield the one document of a PDF."""
    if is_included_figure(name, companions):
        raise ReadError(_FIGURE)
    convert = converter()
    if convert is not None:
        yield from convert(content, name)
        return
    extracted = extract_lines(content)
    if _is_garbled("".join(line.text for line in extracted.lines)):
        raise ReadError("its text is garbled: its fonts do not name their letters (convert it with OCR)")
    if is_figure(extracted.lines, extracted.page_sizes):
        raise ReadError(_FIGURE)
    yield read_layout(extracted, name)


_USUAL_SIGNS = re.compile(r"[ -~]+")


def _is_garbled(text: str) -> bool:
    """Return whether fonts name their letters as symbols or not at all: "P❡♥❛❧✐③❡❞". Few papers have 10% of symbols."""
    text = strip_marks(text)
    categories = Counter(map(unicodedata.category, _USUAL_SIGNS.sub("", text)))
    signs = len(text) - text.count(" ") - categories["Zs"]
    return categories["So"] > 0.4 * signs or categories["Cc"] > 0.03 * signs


def read_layout(extracted: ExtractedLines, source: str) -> ParsedDocument:
    """Return the document in the extracted lines of a PDF."""
    document = ParsedDocument(source=source)
    lines = OrderedLines(extracted.lines, extracted.page_sizes)
    start = _read_front(document, lines, extracted)
    regions = find_regions(lines, start)
    # A table may float to the top of the first page, or into the reference list.
    early = [number for number in range(start) if lines[number] in lines.tables]
    in_references = [number for number in regions.entries if lines[number] in lines.tables]
    entries = [number for number in regions.entries if lines[number] not in lines.tables]
    document.references = read_references(lines, entries)
    abstract = find_unheaded_abstract(lines, regions.text)
    text = [*early, *(number for number in regions.text if number not in abstract), *in_references]
    blocks = fold_keywords(split_run_in_headings(read_blocks(lines, text) + read_blocks(lines, regions.after)))
    set_abstract(document, blocks)
    if abstract:
        document.abstract = read_blocks(lines, abstract, in_abstract=True)
    finder = CitationFinder(document.references)
    document.abstract = [finder.mark_block(block) for block in document.abstract]
    document.body = [finder.mark_block(block) for block in document.body]
    mark_unknown(document, finder, lines, [*text, *regions.after])
    document.language = "zh" if is_chinese(" ".join(line.text for line in lines[:60])) else "en"
    return document


# The front page.


def _read_front(document: ParsedDocument, lines: OrderedLines, layout: ExtractedLines) -> int:
    """Set the title, authors, ids and year; returns the index of the first line of the text."""
    title = read_title(lines, layout.title)
    byline = read_byline(lines, title.end, layout.authors)
    document.title = title.text
    document.authors = byline.authors
    doubt = title.doubt or ("the title may continue on the next line" if byline.title_may_continue else "")
    if doubt and not title.stated:
        document.unknown["title"] = doubt
    if byline.doubt:
        document.unknown["authors"] = byline.doubt
    _read_imprint(document, lines, layout)
    return byline.end


_PUBLISHED = re.compile(
    r"(?:Published:?|Proceedings|©|\(c\)|[Cc]opyright|\bc )[^\n]{0,120}?\b((?:19|20)\d\d)\b|\(((?:19|20)\d\d)\)\."
)


def _read_imprint(document: ParsedDocument, lines: OrderedLines, layout: ExtractedLines) -> None:
    """Set the identifiers and the year printed on the first page and in the margins."""
    first = [strip_marks(line.text) for line in lines[:40] if line.page == 0]
    # The reference list of a letter may start on page one, and its entries have identifiers too.
    first = list(itertools.takewhile(lambda text: not LIST_HEADING.fullmatch(text.strip()), first))
    edges = [*lines.margin, *lines.running, *layout.rotated_texts]
    labeled = [text for text in [*edges, *first] if re.search(r"\bdoi\b|doi\.org", text, re.IGNORECASE)]
    for text in labeled:
        ids = find_identifiers(text)
        if ids.get("doi"):
            document.ids["doi"] = ids["doi"]
            break
    stamp = find_identifiers("".join(layout.rotated_texts))
    if stamp.get("arxiv"):
        document.ids["arxiv"] = stamp["arxiv"]
    for text in [*lines.margin, *lines.running]:
        year = _PUBLISHED.search(text)
        if year:
            document.year = int(year[1] or year[2])
            document.notes["year"] = "read from a page margin"
            break
