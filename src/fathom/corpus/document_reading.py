"""Reads one file into packed documents with the data that linking needs. Runs in worker processes."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from sys import intern
from types import FrameType
from typing import Any, NamedTuple

import zstandard

from fathom.corpus.author_disambiguation import Signature, signatures
from fathom.corpus.licenses import license_matches
from fathom.corpus.linking import LinkableDocument, ReferenceQuery, linkable
from fathom.corpus.readers.assembly import assemble
from fathom.corpus.readers.catalog import bare_name, reader_of
from fathom.corpus.readers.parsed_document import NoCompanions, ParsedDocument, ReadError
from fathom.corpus.readers.sources import SourceFile
from fathom.corpus.store import PackedDocument, pack
from fathom.records.documents import FIELDS, UNKNOWN_LICENSE, Count, Document, FieldName, FieldState
from fathom.records.record import Record

TIMEOUT = 120
"""Seconds for one file; a file that takes longer is rejected."""


class Filters(Record):
    """Which documents to keep."""

    formats: tuple[str, ...] = ()
    """Readers by name; empty for all."""
    min_tokens: Count = 0
    max_tokens: Count | None = None
    min_tables: Count = 0
    full_text: bool = False
    """Only documents with a body, not those that have only an abstract and a reference list."""
    licenses: tuple[str, ...] = ()
    """Allowed licenses in any version, such as CC-BY or CC0; "CC-BY*" also allows CC-BY-NC. Empty for all."""

    def reason_against(self, result: ReadResult) -> str | None:
        """Why a document is left out; None if it is kept."""
        if result.tokens < self.min_tokens:
            return f"fewer than {self.min_tokens:,} tokens"
        if self.max_tokens is not None and result.tokens > self.max_tokens:
            return f"more than {self.max_tokens:,} tokens"
        if result.tables < self.min_tables:
            return f"fewer than {self.min_tables} tables"
        if self.full_text and not result.has_body:
            return "no full text"
        if self.licenses and result.license == UNKNOWN_LICENSE:
            return "unknown license"
        if self.licenses and not any(license_matches(result.license, name) for name in self.licenses):
            return f"license {result.license}"
        return None


@dataclass(frozen=True)
class ReadResult:
    """The result of reading one document."""

    source: str
    format: str
    """The name of the reader; empty if no reader knows the file."""
    error: str = ""
    """Why the document was rejected."""
    document: PackedDocument | None = field(default=None, repr=False)
    """Without links, persons and work, which depend on the other documents."""
    linking_record: bytes = field(default=b"", repr=False)
    """A compressed `LinkingRecord`."""
    references: bytes = field(default=b"", repr=False)
    """Its compressed reference queries; see `unpack_references`."""
    tokens: int = 0
    tables: int = 0
    license: str = ""
    has_body: bool = False
    states: dict[FieldName, FieldState] = field(default_factory=dict)
    """Whether each field is known, absent or unknown."""
    unknown: dict[FieldName, str] = field(default_factory=dict)
    """Why fields are unknown, where the reader gives a reason."""
    citations: int = 0
    resolved: int = 0
    """Citations that point to an entry of the reference list."""


class FileResult(NamedTuple):
    """The documents of one file."""

    source: str
    documents: list[ReadResult]


def read_file(file: SourceFile, filters: Filters) -> FileResult:
    """Read one file: any number of documents, each read or rejected with a reason."""
    if file.refusal:
        return FileResult(file.source, [ReadResult(file.source, "", error=file.refusal)])
    name = bare_name(file.source)
    format = ""
    results: list[ReadResult] = []
    try:
        with _time_limit(TIMEOUT):
            reader = reader_of(name, file.content)
            if reader is None or (filters.formats and reader.FORMAT not in filters.formats):
                return FileResult(file.source, [ReadResult(file.source, "")])
            format = reader.FORMAT
            for number, parsed in enumerate(reader.read(file.content, name, file.companions or NoCompanions())):
                parsed.format = format
                parsed.source = file.source if number == 0 else f"{file.source}#{number + 1}"
                results.append(_assembled(parsed, format))
    except ReadError as error:
        results.append(ReadResult(file.source, format, error=str(error)))
    except TimeLimitExceededError:
        results.append(ReadResult(file.source, format, error=f"reading took longer than {TIMEOUT} s"))
    except (Exception, RecursionError, MemoryError) as error:
        # One broken file must not stop an ingest of ten thousand; its failure is reported with the reason.
        message = f"its reader failed ({type(error).__name__}: {error})"[:300]
        results.append(ReadResult(file.source, format, error=message))
    return FileResult(file.source, results)


def _assembled(parsed: ParsedDocument, format: str) -> ReadResult:
    try:
        document = assemble(parsed)
    except ReadError as error:
        return ReadResult(parsed.source, format, error=str(error))
    except ValueError as error:
        return ReadResult(parsed.source, format, error=f"its parts contradict one another ({error})"[:300])
    packed = pack(document)
    entry = linkable(document)
    return ReadResult(
        parsed.source,
        format,
        document=packed,
        linking_record=LinkingRecord.of(document, entry).to_bytes(),
        references=_compress_json([ReferenceQuery.of(reference) for reference in entry.references]),
        tokens=packed.tokens,
        tables=len(document.tables),
        license=document.license,
        has_body=any(section.role not in ("abstract", "references") for section in document.sections)
        or len(document.paragraphs) > 3,
        states={name: document.state(name) for name in FIELDS},
        unknown={**document.unknown},
        citations=len(document.citations),
        resolved=sum(citation.reference is not None for citation in document.citations),
    )


@dataclass(frozen=True)
class LinkingRecord:
    """The data of a document that linking and author disambiguation need, without its references."""

    entry: LinkableDocument
    signatures: tuple[Signature, ...]
    subject: str | None

    @classmethod
    def of(cls, document: Document, entry: LinkableDocument) -> LinkingRecord:
        return cls(replace(entry, references=()), signatures(document), document.subject)

    def to_bytes(self) -> bytes:
        return _compress_json(asdict(self))

    @classmethod
    def from_bytes(cls, packed: bytes) -> LinkingRecord:
        values = _decompress_json(packed)
        given = values["entry"]
        entry = LinkableDocument(**{**given, "families": tuple(given["families"]), "references": ()})
        return cls(entry, tuple(map(_signature, values["signatures"])), values["subject"])


def _signature(values: dict[str, Any]) -> Signature:
    # One string for each affiliation: all authors of a document have the same few.
    return Signature(**{**values, "affiliations": tuple(map(intern, values["affiliations"]))})


def unpack_references(packed: bytes) -> list[ReferenceQuery]:
    """The references of a document, from the bytes of a `ReadResult`."""
    return [ReferenceQuery(title, tuple(ids), *others) for title, ids, *others in _decompress_json(packed)]


def _compress_json(values: object) -> bytes:
    return zstandard.compress(json.dumps(values).encode(), 1)


def _decompress_json(packed: bytes) -> Any:
    return json.loads(zstandard.decompress(packed))


class TimeLimitExceededError(Exception):
    """A file took too long. Not a `TimeoutError`: that is an `OSError`, which a reader may catch as its own."""


@contextmanager
def _time_limit(seconds: int) -> Iterator[None]:
    """Raise TimeLimitExceededError after some seconds; only possible in the main thread of a process."""

    def expire(number: int, frame: FrameType | None) -> None:
        raise TimeLimitExceededError

    try:
        before = signal.signal(signal.SIGALRM, expire)
    except (ValueError, AttributeError):
        yield
        return
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
