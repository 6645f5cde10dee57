"""Takes a document apart into what a reader would parse: the inverse of `readers.assembly`."""

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
from fathom.records.documents import Cell, Citation, Document, Section, Table
from fathom.records.spans import Span


def decompose(document: Document) -> ParsedDocument:
    """The document's parts in reading order, without its list of references among them."""
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
    """Headings, paragraphs and tables in the order in which they stand."""
    lists = [section.span for section in document.sections if section.role == "references"]
    tables = [table.span for table in document.tables]
    found: list[tuple[Span, Block]] = []
    for section in document.sections:
        heading = _heading(document, section)
        if heading is not None:
            found.append(heading)
    found.extend(
        (span, Paragraph(_words(document, span)))
        for span in document.paragraphs
        if not any(table.contains(span) for table in tables)
    )
    found.extend((table.span, _table(document, table)) for table in document.tables)
    for span, block in sorted(found, key=lambda pair: pair[0]):
        # Appendices may stand behind the list of references; only the list itself is left out.
        if not any(listed.contains(span) for listed in lists):
            yield span, block


def _heading(document: Document, section: Section) -> tuple[Span, Block] | None:
    if section.heading is None or section.role in ("abstract", "references"):
        return None
    return section.heading, Heading(section.level, [section.heading.of(document.text)], section.role)


def _words(document: Document, span: Span) -> Inlines:
    """The text of a stretch with its citations as marks, or with its figures where it is a report's."""
    if document.kind == "report":
        return _figures(document, span)
    words: Inlines = []
    place = span.start
    for citation_span, citations in _citations(document, span):
        words.append(document.text[place : citation_span.start])
        keys = tuple(f"b{one.reference}" for one in citations if one.reference is not None)
        words.append(CitationMark(citation_span.of(document.text), keys, citations[0].style))
        place = citation_span.end
    words.append(document.text[place : span.end])
    return [piece for piece in words if piece]


def _figures(document: Document, span: Span) -> Inlines:
    """The text of a stretch with its facts as figures; one inside another is left to it."""
    words: Inlines = []
    place = span.start
    for fact in sorted((fact for fact in document.facts if span.contains(fact.span)), key=lambda fact: fact.span):
        if fact.span.start >= place:
            words.append(document.text[place : fact.span.start])
            printed = fact.span.of(document.text)
            words.append(
                TaggedNumber(printed, fact.entity, fact.attribute, fact.period, fact.value, fact.unit, fact.part)
            )
            place = fact.span.end
    words.append(document.text[place : span.end])
    return [piece for piece in words if piece]


def _citations(document: Document, span: Span) -> Iterator[tuple[Span, list[Citation]]]:
    """The citations in a stretch, those of one marker together, in order; a marker inside another is left to it."""
    by_span: dict[Span, list[Citation]] = {}
    for citation in document.citations:
        if span.contains(citation.span):
            by_span.setdefault(citation.span, []).append(citation)
    end = span.start
    for where in sorted(by_span):
        if where.start >= end:
            yield where, by_span[where]
            end = where.end


def _cell(document: Document, cell: Cell) -> Inlines:
    return _figures(document, cell.span) if document.kind == "report" else [cell.span.of(document.text)]


def _table(document: Document, table: Table) -> ParsedTable:
    rows: dict[int, list[TableCell]] = {}
    for cell in table.cells:
        rows.setdefault(cell.row, []).append(TableCell(_cell(document, cell), cell.header))
    caption = table.caption.of(document.text) if table.caption is not None else ""
    return ParsedTable([caption] if caption else [], [rows[number] for number in sorted(rows)])
