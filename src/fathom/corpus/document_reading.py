"""Reads a file, or a part of one, into packed documents with the data that linking needs. Runs in worker processes."""

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
from fathom.corpus.readers.assembly import assemble_counted
from fathom.corpus.readers.catalog import bare_name, reader_named, reader_of
from fathom.corpus.readers.file_kinds import reason_left_out, unread_kind
from fathom.corpus.readers.json_lines import SourceLines
from fathom.corpus.readers.parsed_document import LineReader, NoCompanions, ParsedDocument, ReadError
from fathom.corpus.readers.sources import Source, SourceFile
from fathom.corpus.store import PackedDocument, pack
from fathom.records.documents import FIELDS, UNKNOWN_LICENSE, Document, FieldName, FieldState, NonNegativeInt
from fathom.records.record import Record

MAX_CPU_SECONDS = 120
"""CPU time for one document; one that takes longer is rejected. A busy machine changes the wall time, but not this."""


class Filters(Record):
    """Which documents to keep."""

    formats: tuple[str, ...] = ()
    """Readers by name; empty for all."""
    min_tokens: NonNegativeInt = 0
    max_tokens: NonNegativeInt | None = None
    min_tables: NonNegativeInt = 0
    full_text: bool = False
    """Only documents with a body, not those that have only an abstract and a reference list."""
    include_all: bool = False
    """Also READMEs, licenses, lists of files and the like, which are left out if they are not given by name."""
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
    corrected: int = 0
    contradicted: int = 0
    unlocated: int = 0
    """See `CitationCounts`."""
    left_out: str = ""
    """Why a file in a folder or archive was not read, such as "a README"."""
    kind: str = ""
    """The kind of a file that no reader supports, such as "image"."""
    incomplete: bool = False
    """Whether more than this document may be missing: the file is damaged or cut, or a limit ended its reading."""


class AttachedDocument(NamedTuple):
    """A document that is attached to others of a file, such as a cited work. It is read after them."""

    id: str
    """The same document may be attached to several; it is read once."""
    content: bytes
    """Compressed; see `read_attached`."""


class FileResult(NamedTuple):
    """The documents of a file or of a part of one."""

    source: str
    documents: list[ReadResult]
    key: str
    """The name of the file or part."""
    format: str = ""
    """The reader of a JSON Lines file; empty for other files."""
    is_first: bool = True
    """False for the later parts of a file."""
    attached: tuple[AttachedDocument, ...] = ()


def read_source(source: Source, filters: Filters, named_paths: frozenset[str] = frozenset()) -> FileResult:
    """Read a file or a part of one: any number of documents, each read or rejected with a reason.

    `named_paths`: paths of the files that the user named. Others may be left out, as READMEs and licenses are.
    """
    return _read_lines(source, filters) if isinstance(source, SourceLines) else read_file(source, filters, named_paths)


def read_file(file: SourceFile, filters: Filters, named_paths: frozenset[str] = frozenset()) -> FileResult:
    """Read one file: any number of documents, each read or rejected with a reason."""
    if file.refusal:
        refused = ReadResult(file.source, "", error=file.refusal, incomplete=True)
        return FileResult(file.source, [refused], file.key)
    if file.unread_kind:
        return FileResult(file.source, [ReadResult(file.source, "", kind=file.unread_kind)], file.key)
    results: list[ReadResult] = []
    format = ""
    companions = file.companions or NoCompanions()
    name, head = bare_name(file.source), file.content[:65_536]
    is_chosen = file.source in named_paths or filters.include_all
    if reason := "" if is_chosen else reason_left_out(name, head, file.siblings):
        return FileResult(file.source, [ReadResult(file.source, "", left_out=reason)], file.key)
    try:
        with cpu_limit():
            reader = reader_of(name, file.content) if file.content else None
            if reader is None or (filters.formats and reader.FORMAT not in filters.formats):
                kind = unread_kind(name, head) if reader is None else _FILTERED
                return FileResult(file.source, [ReadResult(file.source, "", kind=kind)], file.key)
            format = reader.FORMAT
            documents = reader.read(file.content, name, companions)
        while True:
            with cpu_limit():
                parsed = next(documents, None)
                if parsed is None:
                    break
                parsed.source = _number_source(file.source, len(results) + 1)
                results.append(_assemble_result(parsed, parsed.format or format))
    except _ALL_ERRORS as error:
        # The documents after the failed one are lost as well.
        cut = bool(results) or isinstance(error, TimeLimitExceededError)
        results.append(ReadResult(file.source, format, error=_message(error), incomplete=cut))
    return FileResult(file.source, results, file.key)


def _read_lines(part: SourceLines, filters: Filters) -> FileResult:
    """Read some lines of a file. The failure of a line affects no other one."""
    if filters.formats and part.format not in filters.formats:
        skipped = [ReadResult(part.source, "", kind=_FILTERED)] if part.is_first else []
        return FileResult(part.source, skipped, part.key, is_first=part.is_first)
    reader = _line_reader(part.format)
    results: list[ReadResult] = []
    attached: dict[str, AttachedDocument] = {}
    for line in part.lines:
        source = _number_source(part.source, line.ordinal)
        try:
            if line.cut:
                raise LineCutError(line.cut)
            with cpu_limit():
                parsed = reader.read_line(line.content, bare_name(part.source), line.number)
                parsed.document.source = source
                results.append(_assemble_result(parsed.document, part.format))
                for id, content in parsed.attached.items():
                    attached.setdefault(id, AttachedDocument(id, _compress_json(content)))
        except _ALL_ERRORS as error:
            # The number is in parentheses, so that the report groups lines with the same reason.
            message = f"{_message(error)} (line {line.number:,})"
            cut = isinstance(error, LineCutError | TimeLimitExceededError)
            results.append(ReadResult(source, part.format, error=message, incomplete=cut))
    return FileResult(part.source, results, part.key, part.format, part.is_first, tuple(attached.values()))


class AttachedSource(NamedTuple):
    """An attached document with its place: it is numbered after the lines of its file."""

    source: str
    format: str
    number: int
    content: bytes


def read_attached(attached: AttachedSource) -> ReadResult:
    """Read an attached document."""
    source = _number_source(attached.source, attached.number)
    try:
        with cpu_limit():
            reader = _line_reader(attached.format)
            parsed = reader.read_attached(_decompress_json(attached.content), bare_name(attached.source))
            parsed.source = source
            return _assemble_result(parsed, attached.format)
    except _ALL_ERRORS as error:
        cut = isinstance(error, TimeLimitExceededError)
        return ReadResult(source, attached.format, error=_message(error), incomplete=cut)


def _line_reader(format: str) -> LineReader:
    reader = reader_named(format)
    assert isinstance(reader, LineReader)
    return reader


def _number_source(source: str, number: int) -> str:
    """The source of a document in a file: the first has the name of the file."""
    return source if number == 1 else f"{source}#{number}"


_FILTERED = "a format that --formats leaves out"


class LineCutError(Exception):
    """A line is incomplete."""


# One broken file must not stop an ingest of ten thousand; its failure is reported with the reason.
_ALL_ERRORS = (Exception, RecursionError, MemoryError)


def _message(error: BaseException) -> str:
    match error:
        case ReadError() | LineCutError():
            return str(error)
        case TimeLimitExceededError():
            return f"reading took longer than {MAX_CPU_SECONDS} s of CPU time"
        case _:
            return f"its reader failed ({type(error).__name__}: {error})"[:300]


def _assemble_result(parsed: ParsedDocument, format: str) -> ReadResult:
    parsed.format = format
    try:
        assembled = assemble_counted(parsed)
    except ReadError as error:
        return ReadResult(parsed.source, format, error=str(error))
    except ValueError as error:
        return ReadResult(parsed.source, format, error=f"its parts contradict one another ({error})"[:300])
    document, counts = assembled.document, assembled.citations
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
        citations=counts.located,
        resolved=counts.resolved,
        corrected=counts.corrected,
        contradicted=counts.contradicted,
        unlocated=counts.unlocated,
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
        fields = values["entry"]
        entry = LinkableDocument(**{**fields, "families": tuple(fields["families"]), "references": ()})
        return cls(entry, tuple(map(_signature, values["signatures"])), values["subject"])


def _signature(values: dict[str, Any]) -> Signature:
    # One string for each affiliation: all authors of a document have the same few.
    return Signature(**{**values, "affiliations": tuple(map(intern, values["affiliations"]))})


def unpack_references(packed: bytes) -> list[ReferenceQuery]:
    """The references of a document, from the bytes of a `ReadResult`."""
    return [ReferenceQuery(title, tuple(ids), *other_fields) for title, ids, *other_fields in _decompress_json(packed)]


def _compress_json(values: object) -> bytes:
    return zstandard.compress(json.dumps(values).encode(), 1)


def _decompress_json(packed: bytes) -> Any:
    return json.loads(zstandard.decompress(packed))


class TimeLimitExceededError(Exception):
    """A document took too long. Not a `TimeoutError`: that is an `OSError`, which a reader may catch as its own."""


@contextmanager
def cpu_limit() -> Iterator[None]:
    """Raise TimeLimitExceededError after `MAX_CPU_SECONDS` of this process; only possible in its main thread.

    Child processes are not counted: a reader that starts some sets their limits itself.
    """

    def expire(number: int, frame: FrameType | None) -> None:
        raise TimeLimitExceededError

    try:
        before = signal.signal(signal.SIGPROF, expire)
    except (ValueError, AttributeError):
        yield
        return
    signal.setitimer(signal.ITIMER_PROF, MAX_CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
