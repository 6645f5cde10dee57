"""One file into what becomes of it: documents packed for the store, with what linking needs of each. Done by
workers."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from sys import intern
from types import FrameType
from typing import Any

import zstandard

from fathom.corpus.author_disambiguation import Signature, signatures
from fathom.corpus.linking import Entry, Sought, entry_of
from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.catalog import bare_name, reader_of
from fathom.corpus.readers.parsed_document import NoCompanions, ParsedDocument, ReadError
from fathom.corpus.readers.sources import SourceFile
from fathom.corpus.store import PackedDocument, pack
from fathom.records.documents import Count, Document
from fathom.records.record import Record

PATIENCE = 120
"""Seconds for one document; what takes longer is refused."""


class Filters(Record):
    """What is kept of what was read."""

    kinds: tuple[str, ...] = ()
    """Readers by name; empty for all."""
    least_tokens: Count = 0
    most_tokens: Count | None = None
    least_tables: Count = 0
    full_text: bool = False
    """Only documents with a body, not those that are an abstract and a list of references."""
    licenses: tuple[str, ...] = ()
    """Beginnings of allowed licenses, such as CC-BY or CC0; empty for all."""

    def objection(self, read: Read) -> str | None:
        """Why a document is left out."""
        if read.tokens < self.least_tokens:
            return f"fewer than {self.least_tokens:,} tokens"
        if self.most_tokens is not None and read.tokens > self.most_tokens:
            return f"more than {self.most_tokens:,} tokens"
        if read.tables < self.least_tables:
            return f"fewer than {self.least_tables} tables"
        if self.full_text and not read.has_body:
            return "no full text"
        if self.licenses and not read.license.upper().startswith(tuple(name.upper() for name in self.licenses)):
            return f"license {read.license}"
        return None


@dataclass(frozen=True)
class Read:
    """What became of one document."""

    source: str
    kind: str
    """The reader's name; empty where none knows the file."""
    refused: str = ""
    """Why nothing came of it."""
    packed: PackedDocument | None = field(default=None, repr=False)
    """The document, but for what only the others can tell: its links, its people, its work."""
    front: bytes = field(default=b"", repr=False)
    """Who wrote what, for linking; packed."""
    sought: bytes = field(default=b"", repr=False)
    """Its references as they are looked for, packed too."""
    tokens: int = 0
    tables: int = 0
    license: str = ""
    has_body: bool = False
    fields: tuple[str, ...] = ()
    """Which fields it has."""
    citations: int = 0
    resolved: int = 0
    doubts: tuple[str, ...] = ()
    """Fields that were read with doubt."""


FIELDS = (
    "title",
    "authors",
    "abstract",
    "sections",
    "citations",
    "references",
    "reference titles",
    "tables",
    "facts",
    "ids",
    "year",
    "license",
    "subject",
)


def read(opened: SourceFile, filters: Filters) -> tuple[str, list[Read]]:
    """What becomes of one file: any number of documents, each read, refused or left out."""
    if opened.refusal:
        return opened.source, [Read(opened.source, "", refused=opened.refusal)]
    name = bare_name(opened.source)
    kind = ""
    found: list[Read] = []
    try:
        with _patience(PATIENCE):
            reader = reader_of(name, opened.content)
            if reader is None or (filters.kinds and reader.FORMAT not in filters.kinds):
                return opened.source, [Read(opened.source, "")]
            kind = reader.FORMAT
            for number, document in enumerate(reader.read(opened.content, name, opened.companions or NoCompanions())):
                document.source = opened.source if number == 0 else f"{opened.source}#{number + 1}"
                found.append(_composed(document, kind))
    except ReadError as reason:
        found.append(Read(opened.source, kind, refused=str(reason)))
    except LateError:
        found.append(Read(opened.source, kind, refused=f"it took longer than {PATIENCE} s"))
    except (Exception, RecursionError, MemoryError) as error:
        # A document must not end the reading of ten thousand others; what it did is told with its reason.
        found.append(Read(opened.source, kind, refused=f"its reader failed ({type(error).__name__}: {error})"[:300]))
    return opened.source, found


def _composed(document: ParsedDocument, kind: str) -> Read:
    try:
        article = assemble(document)
    except ReadError as reason:
        return Read(document.source, kind, refused=str(reason))
    except ValueError as error:
        return Read(document.source, kind, refused=f"its parts contradict one another ({error})"[:300])
    packed = pack(article)
    entry = entry_of(article)
    return Read(
        document.source,
        kind,
        packed=packed,
        front=Front.of(article, entry).to_bytes(),
        sought=_squeezed([Sought.of(reference) for reference in entry.references]),
        tokens=packed.tokens,
        tables=len(article.tables),
        license=article.license,
        has_body=any(section.role not in ("abstract", "references") for section in article.sections)
        or len(article.paragraphs) > 3,
        fields=tuple(name for name in FIELDS if _has(article, name)),
        citations=len(article.citations),
        resolved=sum(citation.reference is not None for citation in article.citations),
        doubts=tuple(sorted(document.uncertain)),
    )


@dataclass(frozen=True)
class Front:
    """What the documents of a corpus are told apart by."""

    entry: Entry
    """Without its references."""
    signatures: tuple[Signature, ...]
    subject: str | None

    @classmethod
    def of(cls, article: Document, entry: Entry) -> Front:
        return cls(replace(entry, references=()), signatures(article), article.subject)

    def to_bytes(self) -> bytes:
        return _squeezed(asdict(self))

    @classmethod
    def from_bytes(cls, packed: bytes) -> Front:
        values = _opened(packed)
        given = values["entry"]
        entry = Entry(**{**given, "families": tuple(given["families"]), "references": ()})
        return cls(entry, tuple(map(_signature, values["signatures"])), values["subject"])


def _signature(values: dict[str, Any]) -> Signature:
    # One string for each affiliation: all authors of a document have the same few.
    return Signature(**{**values, "affiliations": tuple(map(intern, values["affiliations"]))})


def sought_from(packed: bytes) -> list[Sought]:
    """The references of a document, as they are looked for."""
    return [Sought(title, tuple(ids), *others) for title, ids, *others in _opened(packed)]


def _squeezed(values: object) -> bytes:
    return zstandard.compress(json.dumps(values).encode(), 1)


def _opened(packed: bytes) -> Any:
    return json.loads(zstandard.decompress(packed))


def _has(article: Document, name: str) -> bool:
    match name:
        case "title":
            return True
        case "reference titles":
            titled = sum(reference.title is not None for reference in article.references)
            return bool(article.references) and titled >= 0.9 * len(article.references)
        case "year":
            return article.year is not None
        case "license":
            return article.license != "unknown"
        case "sections":
            return any(section.role not in ("abstract", "references") for section in article.sections)
        case _:
            return bool(getattr(article, name))


class LateError(Exception):
    """A document takes too long. No `TimeoutError`: that is an `OSError`, which a reader may take for its own."""


@contextmanager
def _patience(seconds: int) -> Iterator[None]:
    """Ends what takes too long, where the system can: in the main thread of a process."""

    def late(number: int, frame: FrameType | None) -> None:
        raise LateError

    try:
        before = signal.signal(signal.SIGALRM, late)
    except (ValueError, AttributeError):
        yield
        return
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
