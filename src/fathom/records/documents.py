"""A document: its text, and every part as a span of that text."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Annotated, Literal, Self, get_args

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from fathom.records.record import Record
from fathom.records.spans import Span

DocumentId = Annotated[str, Field(min_length=1)]
PersonId = Annotated[str, Field(min_length=1)]

DocumentKind = Literal["article", "report", "narrative", "news", "policy"]
NonNegativeInt = Annotated[int, Field(ge=0)]
PositiveInt = Annotated[int, Field(ge=1)]

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


def _sort_ids(ids: dict[str, str]) -> dict[str, str]:
    """Sorted by key, so that equal records give equal bytes."""
    return dict(sorted(ids.items()))


Ids = Annotated[dict[str, str], AfterValidator(_sort_ids)]
"""Identifiers by scheme: doi, arxiv, pmid."""


FieldName = Literal[
    "title",
    "authors",
    "abstract",
    "sections",
    "citations",
    "references",
    "tables",
    "ids",
    "year",
    "venue",
    "license",
    "subject",
]
FIELDS: tuple[FieldName, ...] = get_args(FieldName)

FieldState = Literal["known", "absent", "unknown"]
"""`absent`: the document has none, as its source states. `unknown`: it cannot be determined."""

UNKNOWN_LICENSE = "unknown"


class DocumentFields(Record):
    """Which fields of a document are known. An empty field is unknown unless the source states that it has no value."""

    absent: tuple[FieldName, ...] = ()
    """Fields that the document does not have: its source states that, or its format would state them."""
    unknown: dict[FieldName, str] = {}
    """Fields that must not be used, with the reason: {"authors": "the byline has words that are not names"}."""

    def state(self, field: FieldName) -> FieldState:
        """Whether the field is known, known to be absent, or unknown."""
        if field in self.unknown:
            return "unknown"
        if self._has_value(field):
            return "known"
        return "absent" if field in self.absent else "unknown"

    def _has_value(self, field: FieldName) -> bool:
        value = getattr(self, field)
        if field == "sections":
            return any(section.role not in ("abstract", "references") for section in value)
        return bool(value) and value != UNKNOWN_LICENSE

    def empty_fields(self) -> tuple[FieldName, ...]:
        """The fields without a value, in order."""
        return tuple(field for field in FIELDS if field in type(self).model_fields and not self._has_value(field))


class Passage(Record):
    """A span of one document's text."""

    document: DocumentId
    span: Span


class Author(Record):
    """One author in the byline."""

    position: PositiveInt
    span: Span
    """The name as printed."""
    given: str
    """Given names or initials as printed; empty if there are none."""
    family: str
    person: PersonId | None
    """The same for all spellings of one person's name; None if uncertain."""
    group: bool = False
    """A consortium or another group; its whole name is in `family`."""
    affiliations: tuple[str, ...] = Field(default=(), exclude_if=operator.not_)
    """As given in the source; no spans, since few texts print them."""


class Section(Record):
    """A section of the text, including its subsections."""

    span: Span
    heading: Span | None
    """None for a section without a heading."""
    level: PositiveInt
    """The depth of its Markdown heading: 2 for a section, 3 for a subsection."""
    role: SectionRole = "other"


class Reference(Record):
    """One entry of the reference list."""

    number: PositiveInt
    """Its position in the list, counted from one, whether or not the number is printed."""
    span: Span
    title: Span | None
    authors: tuple[Span, ...] = ()
    year: int | None = None
    ids: Ids = {}
    document: DocumentId | None = None
    """The document of the corpus that it cites; None if there is none or it is uncertain."""


CitationStyle = Literal["numeric", "author-year", "superscript"]

CitationType = Literal["attributional", "descriptive"]
"""Whether the sentence of a citation names a method, model or data set of the work, or describes a finding."""


class Citation(Record):
    """One in-text citation of one reference."""

    span: Span
    """Its own marker: "7" in "[3, 7]", "Wu, 2020" in "(Lind, 2018; Wu, 2020)"; a range "4-6" for all its members."""
    group: Span
    """The whole bracket around it, including the brackets; equal to `span` if there is none."""
    reference: PositiveInt | None
    """The number of the reference it points to; None if unresolved."""
    style: CitationStyle
    type: Literal["attributional", "descriptive"] | None = None
    """Attributional names a method, model or data set; descriptive states a finding of the work. None if unknown."""
    name: Span | None = None
    """The name that an attributional citation uses."""
    authors: Span | None = None
    """The cited work's authors, where the sentence names them: "Lind and Wu" in "Lind and Wu [12]"."""


class Cell(Record):
    """One cell of a table."""

    row: NonNegativeInt
    """Counted from zero, including header rows."""
    column: NonNegativeInt
    span: Span
    header: bool = False


class Table(Record):
    """A table with its caption."""

    number: PositiveInt
    span: Span
    caption: Span | None
    cells: tuple[Cell, ...]


class Fact(Record):
    """One value of one attribute of one entity in one period, tied to the characters that print it."""

    entity: str
    """A company, university or housing market; in an article the method that was measured."""
    part: str = ""
    """Which part of the entity or which condition: a segment, a district, a data set; empty for the whole."""
    attribute: str
    """What was measured: "revenue", "accuracy"."""
    period: str = ""
    """The year or quarter; empty if it has none."""
    value: Decimal | None
    """In plain units ("3.2 million" is 3200000); a date is 20240317. None if the text states that it is missing, and if
    the value is a name."""
    name: str = Field(default="", exclude_if=operator.not_)
    """The value of an attribute that is not a number, such as a person or a place; empty for a number."""
    unit: str
    """The unit, such as "EUR", "%" or "persons"; empty for a bare number."""
    span: Span
    """The number as printed, without its unit or scale."""
    status: Literal["reported", "restated", "repeated", "missing"] = "reported"
    """`restated` corrects a value of an earlier document; `repeated` is an earlier document's value, unchanged."""
    place: Literal["table", "prose"] = "table"


def _with_values(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    for fact in facts:
        if (fact.status == "missing") != (fact.value is None and not fact.name):
            raise ValueError("a missing fact has no value, and every other fact has one")
        if fact.name and fact.value is not None:
            raise ValueError("the value of a fact is a number or a name, not both")
    return facts


Facts = Annotated[tuple[Fact, ...], AfterValidator(_with_values)]
"""The facts of a document. They are checked together: a validator of each would take a third of the time to read it."""


ClaimType = Literal["methodology", "result", "contribution", "performance"]
Polarity = Literal["supports", "contradicts"]
EvidenceType = Literal["primary", "secondary"]
Strength = Literal["strong", "moderate", "weak"]
Level = Literal["high", "medium", "low"]
NoEvidenceReason = Literal["untested", "asserted"]
"""Why a claim has no evidence: it was not tested, or it is about other work, which the document cannot test."""


class Evidence(Record):
    """A passage that supports or contradicts a claim. Unknown attributes are None."""

    span: Span
    polarity: Polarity = "supports"
    type: EvidenceType | None = Field(default=None, exclude_if=operator.not_)
    strength: Strength | None = Field(default=None, exclude_if=operator.not_)
    limitations: str = Field(default="", exclude_if=operator.not_)
    note: str = Field(default="", exclude_if=operator.not_)
    """A remark of the annotator; never scored."""


class Claim(Record):
    """An assertion of the document and the evidence for it. Unknown attributes are None."""

    span: Span
    evidence: tuple[Evidence, ...] = ()
    """The sentences and tables that support or contradict it; empty for an assertion without evidence."""
    type: ClaimType | None = Field(default=None, exclude_if=operator.not_)
    robustness: Level | None = Field(default=None, exclude_if=operator.not_)
    confidence: Level | None = Field(default=None, exclude_if=operator.not_)
    no_evidence_reason: str = Field(default="", exclude_if=operator.not_)
    """Why there is no evidence: a `NoEvidenceReason`, or free text such as "a conjecture about other settings"."""
    conclusion: str = Field(default="", exclude_if=operator.not_)
    """What the authors conclude."""
    justified: bool | None = Field(default=None, exclude_if=lambda value: value is None)
    """Whether the evidence justifies the conclusion."""
    note: str = Field(default="", exclude_if=operator.not_)
    """A remark of the annotator; never scored."""


class Document(DocumentFields):
    """A document: metadata, text, and the spans of its parts."""

    id: DocumentId
    format: str = ""
    """The reader that read it, such as "jats"; "generated" if Fathom wrote it."""
    kind: DocumentKind
    language: str
    """An ISO 639-1 code: "en", "zh"."""
    title: Span
    authors: tuple[Author, ...] = ()
    abstract: Span | None = None
    ids: Ids = {}
    work: str | None = None
    """An id shared by all versions of a work, such as a preprint and its article; they count as one document."""
    published: date | None = None
    year: int | None = None
    venue: str | None = None
    subject: str | None = None
    license: str = Field(min_length=1)
    source: str
    """The file or address that the document came from."""
    text: str
    """Starts with a visible character and ends with one newline, so that token counts of documents add up."""
    sections: tuple[Section, ...] = ()
    paragraphs: tuple[Span, ...] = ()
    sentences: tuple[Span, ...] = ()
    citations: tuple[Citation, ...] = ()
    references: tuple[Reference, ...] = ()
    tables: tuple[Table, ...] = ()
    facts: Facts = ()
    claims: tuple[Claim, ...] = ()

    @property
    def title_text(self) -> str:
        """The title as printed."""
        return self.title.of(self.text)

    @property
    def cited(self) -> tuple[DocumentId, ...]:
        """The documents of the corpus that its references cite, each once, in list order."""
        return tuple(dict.fromkeys(r.document for r in self.references if r.document is not None))

    def single_citations(self) -> Iterator[Citation]:
        """The citations that share their bracket with no other."""
        sizes = Counter(citation.group for citation in self.citations)
        return (citation for citation in self.citations if sizes[citation.group] == 1)

    def spans(self) -> Iterator[Span]:
        """Every span of every part."""
        yield self.title
        yield from (author.span for author in self.authors)
        if self.abstract is not None:
            yield self.abstract
        for section in self.sections:
            yield section.span
            if section.heading is not None:
                yield section.heading
        yield from self.paragraphs
        yield from self.sentences
        for citation in self.citations:
            yield from (citation.span, citation.group)
            yield from (span for span in (citation.name, citation.authors) if span is not None)
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
            yield from (evidence.span for evidence in claim.evidence)

    @model_validator(mode="after")
    def _text_is_plain(self) -> Self:
        text = self.text
        if "\r" in text or "\0" in text:
            raise ValueError("the text contains a carriage return or a NUL")
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise ValueError("the text contains a lone surrogate") from error
        if not text or text[0].isspace() or not text.endswith("\n") or text[-2:-1].isspace():
            raise ValueError("the text must start with a visible character and end with exactly one newline")
        return self

    @model_validator(mode="after")
    def _parts_are_in_the_text(self) -> Self:
        end = len(self.text)
        for span in self.spans():
            if span.end > end:
                raise ValueError(f"a part ends at {span.end}, past the text's {end} characters")
        return self

    @model_validator(mode="after")
    def _parts_are_in_their_containers(self) -> Self:
        if not self.title_text.strip():
            raise ValueError("the title is empty")
        if any(not citation.group.contains(citation.span) for citation in self.citations):
            raise ValueError("a citation is outside its group")
        for table in self.tables:
            if any(not table.span.contains(cell.span) for cell in table.cells):
                raise ValueError(f"a cell is outside table {table.number}")
        if any(reference.document == self.id for reference in self.references):
            raise ValueError("the document cites itself")
        return self

    @model_validator(mode="after")
    def _numbers_count_from_one(self) -> Self:
        for name, numbers in (
            ("authors", [author.position for author in self.authors]),
            ("references", [reference.number for reference in self.references]),
            ("tables", [table.number for table in self.tables]),
        ):
            if numbers != list(range(1, len(numbers) + 1)):
                raise ValueError(f"the {name} are not numbered consecutively from one")
        beyond = [c.reference for c in self.citations if c.reference is not None and c.reference > len(self.references)]
        if beyond:
            raise ValueError(f"a citation points to reference {beyond[0]} of {len(self.references)}")
        return self

    @model_validator(mode="after")
    def _absent_fields_are_empty(self) -> Self:
        for field in self.absent:
            if field in self.unknown or self._has_value(field):
                raise ValueError(f"the field '{field}' is declared absent, but is unknown or has a value")
        return self


class DocumentOutline(DocumentFields):
    """The structure of a document without its text: read 20 times as fast as the document."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: DocumentId
    title: Span
    authors: tuple[Author, ...] = ()
    abstract: Span | None = None
    ids: Ids = {}
    work: str | None = None
    published: date | None = None
    year: int | None = None
    sections: tuple[Section, ...] = ()
    paragraphs: tuple[Span, ...] = ()


class FactSheet(Record):
    """The facts and the text of a document: read twice as fast as the document."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: DocumentId
    kind: DocumentKind
    language: str
    year: int | None = None
    text: str
    facts: Facts = ()

    @property
    def has_structure(self) -> bool:
        """Whether the facts are all that is read of the document; of others, tables and sentences are read."""
        return bool(self.facts) and self.kind != "article"


class BibliographicRecord(DocumentFields):
    """The title, authors, references and text of a document: read 3 times as fast as the document."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: DocumentId
    title: Span
    authors: tuple[Author, ...] = ()
    ids: Ids = {}
    references: tuple[Reference, ...] = ()
    text: str

    @property
    def title_text(self) -> str:
        """The title as printed."""
        return self.title.of(self.text)
