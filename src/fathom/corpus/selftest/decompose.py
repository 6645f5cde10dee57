"""Decomposes a document into the parts that a reader returns: the inverse of `readers.assembly`."""

from __future__ import annotations

from collections.abc import Iterator

from fathom.corpus.readers.parsed_document import (
    Block,
    CitationMark,
    Heading,
    Inlines,
    Paragraph,
    ParsedAuthor,
    ParsedDocument,
    ParsedReference,
    ParsedTable,
    TableCell,
    TaggedNumber,
)
from fathom.corpus.readers.parsing.blocks import splice
from fathom.records.documents import Citation, Document, Table
from fathom.records.spans import Span


def decompose(document: Document) -> ParsedDocument:
    """Return the parts of a document in reading order. The reference list is in `references`, not in the body."""
    blocks = list(_blocks(document))
    abstract = document.abstract
    return ParsedDocument(
        source=document.source,
        kind=document.kind,
        language=document.language,
        title=document.title_text,
        authors=[
            ParsedAuthor(author.given, author.family, author.group, printed=author.span.of(document.text))
            for author in document.authors
        ],
        abstract=[block for span, block in blocks if abstract is not None and abstract.contains(span)],
        body=[block for span, block in blocks if abstract is None or not abstract.contains(span)],
        references=[
            ParsedReference(
                key=f"b{reference.number}",
                text=reference.span.of(document.text),
                title=reference.title.of(document.text) if reference.title is not None else "",
                authors=tuple(author.of(document.text) for author in reference.authors),
                year=reference.year,
                ids=dict(reference.ids),
            )
            for reference in document.references
        ],
        ids=dict(document.ids),
        year=document.year,
        venue=document.venue,
        subjects=[document.subject] if document.subject else [],
        license=document.license,
    )


def _blocks(document: Document) -> Iterator[tuple[Span, Block]]:
    """Yield the headings, paragraphs and tables in text order, without the reference list."""
    reference_lists = [section.span for section in document.sections if section.role == "references"]
    tables = [table.span for table in document.tables]
    blocks: list[tuple[Span, Block]] = []
    for section in document.sections:
        if section.heading is not None and section.role not in ("abstract", "references"):
            heading = Heading(section.level, [section.heading.of(document.text)], section.role)
            blocks.append((section.heading, heading))
    blocks.extend(
        (span, Paragraph(_inlines(document, span)))
        for span in document.paragraphs
        if not any(table.contains(span) for table in tables)
    )
    blocks.extend((table.span, _table(document, table)) for table in document.tables)
    for span, block in sorted(blocks, key=lambda pair: pair[0]):
        # Skip only the list itself: appendices may follow it.
        if not any(reference_list.contains(span) for reference_list in reference_lists):
            yield span, block


def _inlines(document: Document, span: Span) -> Inlines:
    """Return the text of a span with its citations, or with its tagged numbers in a report."""
    if document.kind == "report":
        return _tagged_inlines(document, span)
    marks: list[tuple[int, int, Inlines]] = []
    for marker, citations in _citations(document, span):
        keys = tuple(f"b{citation.reference}" for citation in citations if citation.reference is not None)
        marks.append((*marker, [CitationMark(marker.of(document.text), keys, citations[0].style)]))
    return [piece for piece in splice(document.text, marks, span.start, span.end) if piece]


def _tagged_inlines(document: Document, span: Span) -> Inlines:
    """Return the text of a span with its facts as tagged numbers. Of overlapping facts, the first is used."""
    marks: list[tuple[int, int, Inlines]] = []
    for fact in sorted((fact for fact in document.facts if span.contains(fact.span)), key=lambda fact: fact.span):
        printed = fact.span.of(document.text)
        number = TaggedNumber(printed, fact.entity, fact.attribute, fact.period, fact.value, fact.unit, fact.part)
        marks.append((*fact.span, [number]))
    return [piece for piece in splice(document.text, marks, span.start, span.end) if piece]


def _citations(document: Document, span: Span) -> list[tuple[Span, list[Citation]]]:
    """Return the citations in a span by marker, in text order."""
    by_span: dict[Span, list[Citation]] = {}
    for citation in document.citations:
        if span.contains(citation.span):
            by_span.setdefault(citation.span, []).append(citation)
    return sorted(by_span.items(), key=lambda pair: pair[0])


def _table(document: Document, table: Table) -> ParsedTable:
    rows: dict[int, list[TableCell]] = {}
    for cell in table.cells:
        report = document.kind == "report"
        inlines: Inlines = _tagged_inlines(document, cell.span) if report else [cell.span.of(document.text)]
        rows.setdefault(cell.row, []).append(TableCell(inlines, cell.header))
    caption = table.caption.of(document.text) if table.caption is not None else ""
    return ParsedTable([caption] if caption else [], [rows[number] for number in sorted(rows)])
