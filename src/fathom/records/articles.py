"""An article: its text once, and every part of it as a span of that text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fathom.records.record import Record
from fathom.records.spans import Span

ArticleId = str
PersonId = str

Count = Annotated[int, Field(ge=0)]
Position = Annotated[int, Field(ge=1)]
"""Counted from one, as people count."""

SectionRole = Literal[
    "abstract",
    "introduction",
    "background",
    "methods",
    "results",
    "discussion",
    "conclusion",
    "appendix",
    "references",
    "other",
]


class Author(Record):
    """One name in the byline."""

    position: Position
    span: Span
    """The name as printed."""
    given: str
    """Given names or initials as printed; empty where none are."""
    family: str
    person: PersonId | None
    """Who this is, however spelled; None where that is uncertain."""


class Section(Record):
    """A headed stretch of the text, its subsections included."""

    span: Span
    heading: Span
    level: Position
    role: SectionRole = "other"


class Reference(Record):
    """One entry of the reference list."""

    number: Position
    """Its place in the list, counted from one, whether or not the number is printed."""
    span: Span
    title: Span | None
    authors: tuple[Span, ...] = ()
    year: int | None = None
    ids: dict[str, str] = {}
    """Identifiers by scheme: doi, arxiv, pmid."""
    article: ArticleId | None = None
    """The article of the same corpus that it names; None where there is none or it is uncertain."""


class Citation(Record):
    """One in-text citation of one reference."""

    span: Span
    """Its own marker: "7" in "[3, 7]", "Wu, 2020" in "(Lind, 2018; Wu, 2020)"; a range "4-6" for all its members."""
    group: Span
    """The whole bracket it stands in, brackets included; equal to `span` where nothing encloses it."""
    reference: Position | None
    """The number of the reference it points to; None where unresolved."""
    style: Literal["numeric", "author-year", "superscript"]
    manner: Literal["attributional", "descriptive"] | None = None
    """Attributional names a method, model or data set; descriptive says what a work found. None: not known."""
    name: Span | None = None
    """What an attributional citation names."""


class Cell(Record):
    """One cell of a table."""

    row: Count
    """Counted from zero; header rows included."""
    column: Count
    span: Span
    header: bool = False


class Table(Record):
    """A table with its caption."""

    number: Position
    span: Span
    caption: Span | None
    cells: tuple[Cell, ...]


class Fact(Record):
    """One value of one attribute of one entity in one period, tied to the characters that print it."""

    entity: str
    attribute: str
    period: str
    """The year, quarter or condition it holds for; empty where it has none."""
    value: Decimal | None
    """In plain units ("3.2 million" is 3200000); None where the text says that it is missing."""
    unit: str
    """What one is: "EUR", "%", "persons"; empty for a bare number."""
    span: Span
    """The number as printed, without its unit or scale."""
    status: Literal["reported", "restated", "repeated", "missing"] = "reported"
    """Restated corrects an earlier document; repeated says again what an earlier one reported."""
    place: Literal["table", "prose"] = "table"


class Claim(Record):
    """An assertion of the article and what in the article supports it."""

    span: Span
    evidence: tuple[Span, ...]
    """The sentences and tables that support it; none for an assertion that nothing supports."""


class Article(Record):
    """A document: who wrote what where, its text, and where in the text each part stands."""

    id: ArticleId
    kind: Literal["article", "report"]
    language: str
    """An ISO 639-1 code: "en", "zh"."""
    title: Span
    authors: tuple[Author, ...] = ()
    abstract: Span | None = None
    year: int | None = None
    venue: str | None = None
    subject: str | None = None
    licence: str
    source: str
    """Where the document came from, so that it can be found again."""
    text: str
    """Begins with a visible character and ends with one newline, so that texts laid end to end keep their tokens."""
    sections: tuple[Section, ...] = ()
    paragraphs: tuple[Span, ...] = ()
    sentences: tuple[Span, ...] = ()
    citations: tuple[Citation, ...] = ()
    references: tuple[Reference, ...] = ()
    tables: tuple[Table, ...] = ()
    facts: tuple[Fact, ...] = ()
    claims: tuple[Claim, ...] = ()

    @property
    def title_text(self) -> str:
        """The title as printed."""
        return self.title.of(self.text)

    @property
    def cited(self) -> tuple[ArticleId, ...]:
        """The articles of the corpus that its references name, each once, in the order of the list."""
        return tuple(dict.fromkeys(r.article for r in self.references if r.article is not None))

    def lone_citations(self) -> Iterator[Citation]:
        """The citations that share their bracket with no other."""
        company = Counter(citation.group for citation in self.citations)
        return (citation for citation in self.citations if company[citation.group] == 1)

    def spans(self) -> Iterator[Span]:
        """Every span of every part."""
        yield self.title
        yield from (author.span for author in self.authors)
        if self.abstract is not None:
            yield self.abstract
        for section in self.sections:
            yield from (section.span, section.heading)
        yield from self.paragraphs
        yield from self.sentences
        for citation in self.citations:
            yield from (citation.span, citation.group)
            if citation.name is not None:
                yield citation.name
        for reference in self.references:
            yield reference.span
            yield from reference.authors
            if reference.title is not None:
                yield reference.title
        for table in self.tables:
            yield table.span
            if table.caption is not None:
                yield table.caption
            yield from (cell.span for cell in table.cells)
        yield from (fact.span for fact in self.facts)
        for claim in self.claims:
            yield claim.span
            yield from claim.evidence

    @model_validator(mode="after")
    def _text_is_plain(self) -> Self:
        text = self.text
        if "\r" in text or "\0" in text:
            raise ValueError("the text holds a carriage return or a NUL")
        if not text or text[0].isspace() or not text.endswith("\n") or text[-2:-1].isspace():
            raise ValueError("the text must begin with a visible character and end with exactly one newline")
        return self

    @model_validator(mode="after")
    def _parts_lie_in_the_text(self) -> Self:
        end = len(self.text)
        for span in self.spans():
            if span.end > end:
                raise ValueError(f"a part ends at {span.end}, past the text's {end} characters")
        return self

    @model_validator(mode="after")
    def _numbers_count_from_one(self) -> Self:
        for named, numbers in (
            ("authors", [author.position for author in self.authors]),
            ("references", [reference.number for reference in self.references]),
            ("tables", [table.number for table in self.tables]),
        ):
            if numbers != list(range(1, len(numbers) + 1)):
                raise ValueError(f"the {named} are not numbered one after another from one")
        beyond = [c.reference for c in self.citations if c.reference is not None and c.reference > len(self.references)]
        if beyond:
            raise ValueError(f"a citation points to reference {beyond[0]} of {len(self.references)}")
        return self
