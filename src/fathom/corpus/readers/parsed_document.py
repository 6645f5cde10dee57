"""The result of every reader: a document's parts in order, before they are assembled into one text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, Literal, Protocol, runtime_checkable

from fathom.records.documents import DocumentKind, FieldName, SectionRole


class ReadError(Exception):
    """A document cannot be read. The message is the reason in the ingest report; other documents are still read."""


# Running text.


@dataclass(frozen=True)
class CitationMark:
    """An in-text citation as printed, and the keys of the references it points to."""

    text: str
    """The text without brackets: "7" in "[3, 7]", "Wu, 2020" in "(Lind, 2018; Wu, 2020)"."""
    keys: tuple[str, ...]
    """One key, or several for a range such as "4-6". An unknown key leaves the citation unresolved."""
    style: Literal["numeric", "author-year", "superscript"] | None = None
    """None: "author-year" if the text has letters, else "numeric"."""


@dataclass(frozen=True)
class TaggedNumber:
    """A printed number whose meaning a machine-readable filing states."""

    text: str
    """The number as printed."""
    entity: str
    attribute: str
    period: str
    """A year, a date, or "START/END"."""
    value: Decimal | None
    """In plain units; None if the filing states that there is no value."""
    unit: str
    part: str = ""
    """Segment or other part of the entity; empty for the whole."""
    others: tuple[TaggedNumber, ...] = ()
    """Further tags of the same characters: a filing may tag one number with several concepts or dates."""


Inline = str | CitationMark | TaggedNumber
Inlines = list[Inline]
"""Running text with citations and tagged numbers. Whitespace is normalized on assembly."""


# Blocks, in reading order.


@dataclass(frozen=True)
class Heading:
    """The start of a section, which ends at the next heading of the same or a higher rank."""

    level: int
    """2 for a section, 3 for a subsection, and so on."""
    inlines: Inlines
    role: SectionRole | None = None
    """None: derived from its text."""


@dataclass(frozen=True)
class Paragraph:
    """Running text, or preformatted lines."""

    inlines: Inlines
    verbatim: bool = False
    """Whether it is code or verse: line breaks are kept, and no sentences are detected."""


@dataclass(frozen=True)
class TableCell:
    """A cell of a table row."""

    inlines: Inlines
    header: bool = False
    columns: int = 1
    """Number of columns spanned. A cell that spans rows is not repeated."""


@dataclass(frozen=True)
class ParsedTable:
    """A table; its rows may differ in length."""

    caption: Inlines
    rows: list[list[TableCell]]


Block = Heading | Paragraph | ParsedTable


# Authors and references.


@dataclass(frozen=True)
class ParsedAuthor:
    """A person or a group in the byline."""

    given: str
    family: str
    """For a group, its full name."""
    group: bool = False
    ids: dict[str, str] = field(default_factory=dict)
    """Identifiers of the author, such as orcid."""
    printed: str = ""
    """The name as printed. If empty, the given name followed by the family name."""
    affiliations: tuple[str, ...] = ()


@dataclass(frozen=True)
class ParsedReference:
    """An entry of the reference list."""

    key: str
    """Key used by in-text citations."""
    text: str
    """The whole entry as printed."""
    title: str = ""
    """Searched for in `text`."""
    authors: tuple[str, ...] = ()
    """Each is searched for in `text`, in order."""
    year: int | None = None
    ids: dict[str, str] = field(default_factory=dict)
    """doi, arxiv, pmid, pmcid, without URLs and prefixes."""
    tagged: bool = False
    """Whether the source marks it as a reference, such as an entry of BibTeX: it need not look like one."""


PAPER_FIELDS: frozenset[FieldName] = frozenset(("authors", "abstract", "citations", "references"))
"""Fields of papers, which tables and company filings do not have."""


@dataclass
class ParsedDocument:
    """A whole document."""

    source: str
    """Path of the file, with the member's name for an archive."""
    format: str = ""
    """The name of the reader; set by its caller."""
    kind: DocumentKind = "article"
    language: str = "en"
    title: str = ""
    authors: list[ParsedAuthor] = field(default_factory=list)
    front: list[Block] = field(default_factory=list)
    """Text before the abstract that belongs to no other part, such as a byline that could not be parsed."""
    abstract: list[Block] = field(default_factory=list)
    body: list[Block] = field(default_factory=list)
    references: list[ParsedReference] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)
    """doi, arxiv, pmid, pmcid."""
    work: str | None = None
    """Id shared by all versions of a work, such as a preprint and its article."""
    published: date | None = None
    year: int | None = None
    venue: str | None = None
    subjects: list[str] = field(default_factory=list)
    """Keywords of the source, broadest first."""
    license: str = ""
    """SPDX name or URL, as given by the source; empty if unknown."""
    stated: frozenset[FieldName] = frozenset()
    """Fields that the source would state if it had them: an empty one is absent, not unknown."""
    unknown: dict[FieldName, str] = field(default_factory=dict)
    """Fields that the reader is not sure of, with the reason. Their values are kept, but not used."""
    notes: dict[str, str] = field(default_factory=dict)
    """Remarks on the reading: {"subtitle": "A study", "title": "from the file's metadata"}."""


class CompanionFiles(Protocol):
    """The files next to a document, in its folder or archive: bibliographies, included parts."""

    def get(self, name: str) -> bytes | None:
        """Return the content of a file, by its path relative to the document; None if missing or outside the folder."""

    def names(self) -> list[str]:
        """Return the names of the files in the document's folder."""


class NoCompanions:
    """No companion files."""

    def get(self, name: str) -> bytes | None:
        return None

    def names(self) -> list[str]:
        return []


class Reader(Protocol):
    """A module that reads one format."""

    @property
    def FORMAT(self) -> str:  # noqa: N802 - a module's constant
        """Name of the format, such as "jats"."""

    def matches(self, name: str, head: bytes) -> bool:
        """Return whether a file has this format, by its name and first 64 KB. Fast; never raises."""

    def read(self, content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
        """Yield the documents in a file, usually one; raises `ReadError` if there is none."""


@dataclass
class ParsedLine:
    """The document on one line of a JSON Lines file."""

    document: ParsedDocument
    attached: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Further documents that are attached to it, by an id. Each is read once for a file, after all lines."""


@runtime_checkable
class LineReader(Protocol):
    """A reader of files with one document on each line. Such files are streamed, and may have any size."""

    def read_line(self, line: bytes, name: str, number: int) -> ParsedLine:
        """Return the document on a line; raises `ReadError` if there is none."""

    def read_attached(self, attached: dict[str, Any], name: str, /) -> ParsedDocument:
        """Return a document that was attached to one on a line."""
