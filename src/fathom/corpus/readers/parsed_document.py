"""What a reader finds in a document: its parts in order, not yet a text. Every reader gives this and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Literal, Protocol

from fathom.records.documents import SectionRole


class ReadError(Exception):
    """Why nothing can be made of a document, in plain words: it is counted and named, and the others are read."""


# Running text.


@dataclass(frozen=True)
class CitationMark:
    """An in-text citation as printed, and the keys of the references it points to."""

    text: str
    """Its own words: "7" of "[3, 7]", "Wu, 2020" of "(Lind, 2018; Wu, 2020)"; the brackets stand outside."""
    keys: tuple[str, ...]
    """One, or several for a range such as "4-6"; a key that no reference has leaves the citation unresolved."""
    style: Literal["numeric", "author-year", "superscript"] | None = None
    """None: told by whether the text has letters."""


@dataclass(frozen=True)
class TaggedNumber:
    """A number that a machine-readable filing says the meaning of, as printed."""

    text: str
    entity: str
    attribute: str
    period: str
    value: Decimal | None
    unit: str
    part: str = ""
    others: tuple[TaggedNumber, ...] = ()
    """What else the same characters say: a filing may tag one printed number with several concepts or dates."""


Inline = str | CitationMark | TaggedNumber
Inlines = list[Inline]
"""Running text with citations and tagged numbers. Whitespace is normalized on assembly."""


# Blocks, in reading order.


@dataclass(frozen=True)
class Heading:
    """Begins a section; the next heading of the same or a higher rank ends it."""

    level: int
    """Two for a section of the document, three for a subsection, and so on."""
    inlines: Inlines
    role: SectionRole | None = None
    """None: told by its words."""


@dataclass(frozen=True)
class Paragraph:
    inlines: Inlines
    verbatim: bool = False
    """Lines are kept as they are: code, verse; it has no sentences."""


@dataclass(frozen=True)
class TableCell:
    inlines: Inlines
    header: bool = False
    columns: int = 1
    """How many columns it spans; a cell that spans rows is repeated by nobody."""


@dataclass(frozen=True)
class ParsedTable:
    caption: Inlines
    rows: list[list[TableCell]]


Block = Heading | Paragraph | ParsedTable


# Who wrote it, and what it cites.


@dataclass(frozen=True)
class ParsedAuthor:
    given: str
    family: str
    """For a group: its whole name."""
    group: bool = False
    ids: dict[str, str] = field(default_factory=dict)
    """Such as orcid."""
    printed: str = ""
    """The name as the source prints it; given and family, in that order, where this is empty."""
    affiliations: tuple[str, ...] = ()


@dataclass(frozen=True)
class ParsedReference:
    """One entry of the reference list."""

    key: str
    """What in-text citations call it."""
    text: str
    """The whole entry as it is to be printed."""
    title: str = ""
    """Looked for in `text`."""
    authors: tuple[str, ...] = ()
    """Each looked for in `text`, in order."""
    year: int | None = None
    ids: dict[str, str] = field(default_factory=dict)
    """doi, arxiv, pmid, pmcid: bare, without an address before them."""


@dataclass
class ParsedDocument:
    """A whole document as read."""

    source: str
    """Where it came from, so that it can be found again: a path, with the member's name for an archive."""
    kind: Literal["article", "report"] = "article"
    language: str = "en"
    title: str = ""
    authors: list[ParsedAuthor] = field(default_factory=list)
    abstract: list[Block] = field(default_factory=list)
    body: list[Block] = field(default_factory=list)
    references: list[ParsedReference] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)
    """doi, arxiv, pmid, pmcid."""
    work: str | None = None
    published: date | None = None
    year: int | None = None
    venue: str | None = None
    subjects: list[str] = field(default_factory=list)
    """The source's own keywords, the broadest first."""
    license: str = ""
    """As the source names it: an SPDX name or an address; empty where it says nothing."""
    uncertain: dict[str, str] = field(default_factory=dict)
    """What was read with doubt, by field, with the reason: {"authors": "guessed from the layout"}."""
    refusal: str = ""
    """Why nothing could be made of this one of a file's many documents, the others being read all the same."""


class CompanionFiles(Protocol):
    """The files that lie beside a document, in its folder or its archive: bibliographies, included parts."""

    def get(self, name: str) -> bytes | None:
        """The content of a file named relative to the document; None where there is none, and never one outside."""
        ...

    def names(self) -> list[str]:
        """The files in the document's own folder."""
        ...


class NoCompanions:
    """A document on its own."""

    def get(self, name: str) -> bytes | None:
        return None

    def names(self) -> list[str]:
        return []


class Reader(Protocol):
    """A module that reads one kind of document."""

    @property
    def FORMAT(self) -> str:  # noqa: N802 - a module's constant
        """Its name: "jats", "tei"."""
        ...

    def matches(self, name: str, head: bytes) -> bool:
        """Whether a file is of this kind, by its name and its first 64 KB; quick, and never raises."""
        ...

    def read(self, content: bytes, name: str, companions: CompanionFiles) -> Iterator[ParsedDocument]:
        """The documents in a file, usually one; raises `ReadError` with the reason where there is none."""
        ...
