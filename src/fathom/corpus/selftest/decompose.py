"""From an article back to the parts that a reader would find: the way of `compose`, walked the other way."""

from __future__ import annotations

from collections.abc import Iterator

from fathom.corpus.readers.found import (
    Block,
    Figure,
    Found,
    FoundAuthor,
    FoundReference,
    FoundTable,
    Heading,
    Mark,
    Paragraph,
    TableCell,
    Words,
)
from fathom.records.articles import Article, Cell, Citation, Section, Table
from fathom.records.spans import Span


def decompose(article: Article) -> Found:
    """The article's parts in reading order, without its list of references among them."""
    blocks = list(_blocks(article))
    abstract = article.abstract
    return Found(
        source=article.source,
        kind=article.kind,
        language=article.language,
        title=article.title_text,
        authors=[
            FoundAuthor(author.given, author.family, author.group, printed=author.span.of(article.text))
            for author in article.authors
        ],
        abstract=[block for span, block in blocks if abstract is not None and abstract.holds(span)],
        body=[block for span, block in blocks if abstract is None or not abstract.holds(span)],
        references=[
            FoundReference(
                key=f"b{reference.number}",
                text=reference.span.of(article.text),
                title=reference.title.of(article.text) if reference.title is not None else "",
                authors=tuple(author.of(article.text) for author in reference.authors),
                year=reference.year,
                ids=dict(reference.ids),
            )
            for reference in article.references
        ],
        ids=dict(article.ids),
        year=article.year,
        venue=article.venue,
        subjects=[article.subject] if article.subject else [],
        licence=article.licence,
    )


def _blocks(article: Article) -> Iterator[tuple[Span, Block]]:
    """Headings, paragraphs and tables in the order in which they stand."""
    lists = [section.span for section in article.sections if section.role == "references"]
    tables = [table.span for table in article.tables]
    found: list[tuple[Span, Block]] = []
    for section in article.sections:
        heading = _heading(article, section)
        if heading is not None:
            found.append(heading)
    found.extend(
        (span, Paragraph(_words(article, span)))
        for span in article.paragraphs
        if not any(table.holds(span) for table in tables)
    )
    found.extend((table.span, _table(article, table)) for table in article.tables)
    for span, block in sorted(found, key=lambda pair: pair[0]):
        # Appendices may stand behind the list of references; only the list itself is left out.
        if not any(listed.holds(span) for listed in lists):
            yield span, block


def _heading(article: Article, section: Section) -> tuple[Span, Block] | None:
    if section.heading is None or section.role in ("abstract", "references"):
        return None
    return section.heading, Heading(section.level, [section.heading.of(article.text)], section.role)


def _words(article: Article, span: Span) -> Words:
    """The text of a stretch with its citations as marks, or with its figures where it is a report's."""
    if article.kind == "report":
        return _figures(article, span)
    words: Words = []
    place = span.start
    for citation_span, citations in _citations(article, span):
        words.append(article.text[place : citation_span.start])
        keys = tuple(f"b{one.reference}" for one in citations if one.reference is not None)
        words.append(Mark(citation_span.of(article.text), keys, citations[0].style))
        place = citation_span.end
    words.append(article.text[place : span.end])
    return [piece for piece in words if piece]


def _figures(article: Article, span: Span) -> Words:
    """The text of a stretch with its facts as figures; one inside another is left to it."""
    words: Words = []
    place = span.start
    for fact in sorted((fact for fact in article.facts if span.holds(fact.span)), key=lambda fact: fact.span):
        if fact.span.start >= place:
            words.append(article.text[place : fact.span.start])
            printed = fact.span.of(article.text)
            words.append(Figure(printed, fact.entity, fact.attribute, fact.period, fact.value, fact.unit, fact.part))
            place = fact.span.end
    words.append(article.text[place : span.end])
    return [piece for piece in words if piece]


def _citations(article: Article, span: Span) -> Iterator[tuple[Span, list[Citation]]]:
    """The citations in a stretch, those of one marker together, in order; a marker inside another is left to it."""
    by_span: dict[Span, list[Citation]] = {}
    for citation in article.citations:
        if span.holds(citation.span):
            by_span.setdefault(citation.span, []).append(citation)
    end = span.start
    for where in sorted(by_span):
        if where.start >= end:
            yield where, by_span[where]
            end = where.end


def _cell(article: Article, cell: Cell) -> Words:
    return _figures(article, cell.span) if article.kind == "report" else [cell.span.of(article.text)]


def _table(article: Article, table: Table) -> FoundTable:
    rows: dict[int, list[TableCell]] = {}
    for cell in table.cells:
        rows.setdefault(cell.row, []).append(TableCell(_cell(article, cell), cell.header))
    caption = table.caption.of(article.text) if table.caption is not None else ""
    return FoundTable([caption] if caption else [], [rows[number] for number in sorted(rows)])
