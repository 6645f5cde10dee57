"""The front page of a PDF: title, authors, and the identifiers and year printed in its margins."""

from __future__ import annotations

import itertools
import re

from fathom.corpus.readers.parsed_document import ParsedDocument
from fathom.corpus.readers.parsing.identifiers import find_identifiers
from fathom.corpus.readers.pdf.byline import read_byline
from fathom.corpus.readers.pdf.child_process import ExtractedLines
from fathom.corpus.readers.pdf.line import strip_marks
from fathom.corpus.readers.pdf.reading_order import LIST_HEADING, OrderedLines
from fathom.corpus.readers.pdf.title import read_title


def read_front(document: ParsedDocument, lines: OrderedLines, layout: ExtractedLines) -> int:
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
