"""The corpus store: one SQLite file with the schema below.

The text and the parts of a document are compressed separately, so that rendering a context reads only texts and a
table of contents reads neither.
"""

from __future__ import annotations

import json
import sqlite3
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import local
from typing import Any, NamedTuple, Self, TypeVar

import zstandard
from pydantic import ConfigDict, JsonValue, ValidationError

from fathom.corpus.compression import compressed
from fathom.corpus.manifest import FILE_NAME as MANIFEST
from fathom.corpus.manifest import FORMAT, REBUILD_ADVICE, CorpusManifest, read_manifest
from fathom.models.line_token_counts import LineLengths, LineTokens, line_lengths
from fathom.models.tokenizers import DEFAULT, Tokenizer, tokenizer
from fathom.records.documents import (
    FIELDS,
    BibliographicRecord,
    Document,
    DocumentId,
    DocumentOutline,
    FactSheet,
    FieldName,
)
from fathom.records.errors import FathomError, file_errors
from fathom.records.record import Record, digest, digest_stream, first_error
from fathom.records.version import __version__

STORE = "corpus.sqlite"
UNFINISHED = "corpus.sqlite.part"

SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (
    number INTEGER PRIMARY KEY,      -- from one, in the order of adding
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    language TEXT NOT NULL,
    subject TEXT,
    year INTEGER,
    license TEXT NOT NULL,
    title TEXT NOT NULL,             -- a copy of the title span, for tables of contents
    known TEXT NOT NULL,             -- the names of its known fields, separated by spaces
    characters INTEGER NOT NULL,
    fingerprint BLOB NOT NULL,       -- of the text only: context ids are derived from it
    text BLOB NOT NULL,              -- zstd of the text
    parts BLOB NOT NULL,             -- zstd of the document's JSON without its text
    outline BLOB NOT NULL            -- zstd of the outline: a tenth of the parts
);
CREATE TABLE tokens (
    tokenizer TEXT NOT NULL,
    document INTEGER NOT NULL REFERENCES documents (number),
    count INTEGER NOT NULL,
    lines BLOB NOT NULL,             -- zstd of the lengths of the lines in characters and tokens, as JSON
    PRIMARY KEY (tokenizer, document)
) WITHOUT ROWID;
CREATE TABLE links (                 -- which document cites which, by id
    citing TEXT NOT NULL,
    cited TEXT NOT NULL,
    PRIMARY KEY (citing, cited)
) WITHOUT ROWID;
"""


class DocumentEntry(NamedTuple):
    """A document in the table of contents."""

    number: int
    id: DocumentId
    kind: str
    language: str
    subject: str | None
    year: int | None
    license: str
    title: str
    known: str
    """The names of its known fields, separated by spaces."""
    characters: int
    fingerprint: bytes

    def knows(self, fields: Iterable[FieldName]) -> bool:
        """Whether all these fields are known."""
        return set(fields) <= set(self.known.split())


class CitationLink(NamedTuple):
    """One document of the corpus cites another."""

    citing: DocumentId
    cited: DocumentId


@dataclass(frozen=True)
class PackedDocument:
    """A document as stored; packed by workers, so that compression is distributed."""

    id: DocumentId
    kind: str
    language: str
    subject: str | None
    year: int | None
    license: str
    title: str
    known: str
    """The names of its known fields, separated by spaces."""
    characters: int
    fingerprint: bytes
    """A hash of the text."""
    text: bytes
    """Compressed, as are `parts` and `outline`."""
    parts: bytes
    """The document as JSON without its text."""
    outline: bytes
    """The `DocumentOutline` as JSON."""
    lines: LineLengths
    cited: tuple[DocumentId, ...]

    @property
    def tokens(self) -> int:
        return sum(self.lines.tokens)


def pack(document: Document) -> PackedDocument:
    """The document, compressed, with its tokens counted."""
    text = document.text.encode()
    parts = document.model_dump_json(exclude={"text"}).encode()
    return PackedDocument(
        id=document.id,
        kind=document.kind,
        language=document.language,
        subject=document.subject,
        year=document.year,
        license=document.license,
        title=document.title_text,
        known=" ".join(name for name in FIELDS if document.state(name) == "known"),
        characters=len(document.text),
        fingerprint=digest(text),
        text=compressed(text),
        parts=compressed(parts),
        outline=compressed(document.model_dump_json(include={*DocumentOutline.model_fields}).encode()),
        lines=line_lengths(document.text, tokenizer(DEFAULT)),
        cited=document.cited,
    )


A = TypeVar("A", Document, BibliographicRecord, FactSheet)


class _Version(Record):
    """The part of an outline that identifies the work."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    work: str | None = None


_DAMAGE = (zstandard.ZstdError, UnicodeDecodeError, TypeError, MemoryError)
"""Exceptions that reading a damaged store can raise."""

_MAX_TEXT = 1 << 31
"""Bytes of one text: a header with a larger size is damaged."""


def _decompress(packed: bytes) -> bytes:
    if zstandard.frame_content_size(packed) > _MAX_TEXT:
        raise zstandard.ZstdError("the stated size is larger than any text")
    # One per thread: creating one takes as long as decompressing an outline, and threads cannot share it.
    if not hasattr(_THREAD, "decompressor"):
        _THREAD.decompressor = zstandard.ZstdDecompressor()
    content: bytes = _THREAD.decompressor.decompress(packed)
    return content


_THREAD = local()


class StoredText(NamedTuple):
    """The text of a document in UTF-8, with its fingerprint."""

    utf8: bytes
    fingerprint: bytes


class _TextCache:
    """The most recently read texts, up to a number of bytes: ten questions on one context decompress it only once."""

    def __init__(self, cache_bytes: int) -> None:
        self._free = cache_bytes
        self._texts: OrderedDict[DocumentId, StoredText] = OrderedDict()

    def get(self, id: DocumentId) -> StoredText | None:
        if id in self._texts:
            self._texts.move_to_end(id)
        return self._texts.get(id)

    def put(self, id: DocumentId, text: StoredText) -> None:
        self._texts[id] = text
        self._free -= len(text.utf8)
        while self._free < 0:
            _, oldest = self._texts.popitem(last=False)
            self._free += len(oldest.utf8)


class SqliteFile:
    """A SQLite file that is closed at the end of its `with` statement."""

    _db: sqlite3.Connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    @contextmanager
    def _closed_on_error(self) -> Iterator[None]:
        """Close the file if opening fails."""
        try:
            yield
        except BaseException:
            self._db.close()
            raise


class Corpus(SqliteFile):
    """A finished corpus, open for reading; caches up to `cache_bytes` of the texts read last."""

    def __init__(self, folder: Path, cache_bytes: int = 64 * 1024 * 1024) -> None:
        self.folder = folder
        self._recent = _TextCache(cache_bytes)
        self.manifest = read_manifest(folder)
        path = folder / STORE
        if not path.exists():
            raise FathomError(f"The corpus '{folder}' has no {STORE}. {REBUILD_ADVICE}")
        with file_errors("read", path):
            self._db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        with self._closed_on_error(), file_errors("read", path):
            count = self._db.execute("SELECT count(*) FROM documents").fetchone()[0]
            if count != self.manifest.documents:
                raise FathomError(
                    f"The corpus '{folder}' has {count} documents, but its manifest counts "
                    f"{self.manifest.documents}. {REBUILD_ADVICE}"
                )

    def __len__(self) -> int:
        return self.manifest.documents

    def has(self, id: DocumentId) -> bool:
        """Whether the corpus has a document of that id."""
        return any(self._query("SELECT 1 FROM documents WHERE id = ?", (id,)))

    def entries(self) -> Iterator[DocumentEntry]:
        """The table of contents, in corpus order, without texts."""
        columns = ", ".join(DocumentEntry._fields)
        return map(DocumentEntry._make, self._query(f"SELECT {columns} FROM documents ORDER BY number"))

    def document(self, id: DocumentId) -> Document:
        """One document with all its parts."""
        return self._parse_record(id, self._row(id, "text, parts"), Document)

    def bibliographic_record(self, id: DocumentId) -> BibliographicRecord:
        """The title, authors, references and text of one document."""
        return self._parse_record(id, self._row(id, "text, parts"), BibliographicRecord)

    def fact_sheet(self, id: DocumentId) -> FactSheet:
        """The facts and the text of one document."""
        return self._parse_record(id, self._row(id, "text, parts"), FactSheet)

    def outline(self, id: DocumentId) -> DocumentOutline:
        """The structure of one document, without its text."""
        (outline,) = self._row(id, "outline")
        with self._explain_damage(id):
            return DocumentOutline.model_validate_json(_decompress(outline))

    def documents(self) -> Iterator[Document]:
        """Every document with all its parts, one at a time, in corpus order."""
        for id, *packed in self._query("SELECT id, text, parts FROM documents ORDER BY number"):
            yield self._parse_record(id, packed, Document)

    def text(self, id: DocumentId) -> str:
        """The text of one document."""
        with self._explain_damage(id):
            return self.stored_text(id).utf8.decode()

    def stored_text(self, id: DocumentId, keep: bool = True) -> StoredText:
        """The text of one document in UTF-8, with its fingerprint; with `keep` it stays in the cache."""
        text = self._recent.get(id)
        if text is None:
            packed, fingerprint = self._row(id, "text, fingerprint")
            text = StoredText(self._decompress_text(id, packed), fingerprint)
            if keep:
                self._recent.put(id, text)
        return text

    def texts(self) -> Iterator[tuple[DocumentId, bytes]]:
        """The text of every document in UTF-8, in corpus order."""
        for id, text in self._query("SELECT id, text FROM documents ORDER BY number"):
            yield id, self._decompress_text(id, text)

    def links(self) -> Iterator[CitationLink]:
        """The citations between documents, sorted."""
        return map(CitationLink._make, self._query("SELECT citing, cited FROM links ORDER BY citing, cited"))

    def token_counts(self, counter: Tokenizer) -> dict[DocumentId, int]:
        """The token count of every document; counted here if the corpus does not store it."""
        stored = self._query(
            "SELECT id, count FROM tokens JOIN documents ON document = number WHERE tokenizer = ? ORDER BY number",
            (counter.name,),
        )
        counts: dict[DocumentId, int] = dict(stored)
        if counts and len(counts) != len(self):
            raise FathomError(
                f"The corpus '{self.folder}' has lengths for {len(counts)} of {len(self)} documents. {REBUILD_ADVICE}"
            )
        return counts or {id: counter.count(text.decode()) for id, text in self.texts()}

    def lines(self, id: DocumentId) -> LineTokens:
        """The line lengths of one document, by the default tokenizer."""
        (lines,) = self._row(id, "lines", f"tokens JOIN documents ON document = number AND tokenizer = '{DEFAULT}'")
        return LineTokens(*json.loads(self._decompress_text(id, lines)))

    def fingerprint(self, id: DocumentId) -> bytes:
        """The fingerprint of one document's text."""
        return bytes(self._row(id, "fingerprint")[0])

    def works(self) -> dict[DocumentId, str]:
        """The work of each document, where it is known."""
        works: dict[DocumentId, str] = {}
        for id, outline in self._query("SELECT id, outline FROM documents ORDER BY number"):
            with self._explain_damage(id):
                work = _Version.model_validate_json(_decompress(outline)).work
            if work is not None:
                works[id] = work
        return works

    def _query(self, sql: str, values: tuple[str, ...] = ()) -> Iterator[tuple[Any, ...]]:
        with file_errors("read", self.folder / STORE):
            yield from self._db.execute(sql, values)

    def _row(self, id: DocumentId, columns: str, table: str = "documents") -> tuple[Any, ...]:
        """The columns of one document."""
        rows = list(self._query(f"SELECT {columns} FROM {table} WHERE id = ?", (id,)))
        if not rows:
            raise FathomError(
                f"The corpus '{self.folder}' has no document '{id}'. List its documents with "
                f"`fathom show {self.folder}`, or use the corpus that the context was sampled from."
            )
        return rows[0]

    def _parse_record(self, id: DocumentId, packed: Sequence[bytes], type_: type[A]) -> A:
        """The record of a document, from its packed text and parts."""
        with self._explain_damage(id):
            value = json.dumps(_decompress(packed[0]).decode(), ensure_ascii=False).encode()
            # The text becomes the first field, so that one pass of the validator sees a whole document.
            return type_.model_validate_json(b'{"text":' + value + b"," + _decompress(packed[1])[1:])

    def _decompress_text(self, id: DocumentId, text: bytes) -> bytes:
        with self._explain_damage(id):
            return _decompress(text)

    @contextmanager
    def _explain_damage(self, id: DocumentId) -> Iterator[None]:
        """Turns what reading a damaged document raises into an error that names the document."""
        try:
            yield
        except (ValidationError, *_DAMAGE) as error:
            fault = first_error(error) if isinstance(error, ValidationError) else str(error)
            raise FathomError(
                f"Document '{id}' of the corpus '{self.folder}' is damaged: {fault}. {REBUILD_ADVICE}"
            ) from error


class CorpusWriter(SqliteFile):
    """An unfinished corpus. A kill loses at most the documents since the last `save`; opening it again continues.

    Until `finish` the documents are in a file of another name, so that an unfinished corpus is never opened as one.
    """

    def __init__(self, folder: Path, recipe: dict[str, JsonValue]) -> None:
        self.folder = folder
        self.recipe = recipe
        _check_folder(folder, recipe)
        with file_errors("create the folder", folder):
            folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / UNFINISHED
        with file_errors("write", self._path):
            self._db = sqlite3.connect(self._path, isolation_level=None)
        with self._closed_on_error(), file_errors("write", self._path):
            self._db.execute("PRAGMA synchronous = NORMAL")
            # One writer at a time: a second one gets an error instead of mixing its documents in.
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._db.execute("BEGIN IMMEDIATE")
            self._begin()

    def _begin(self) -> None:
        """Create the schema, or check that the existing file has the same recipe."""
        recipe = json.dumps(self.recipe, sort_keys=True)
        if self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            for statement in filter(str.strip, _statements(SCHEMA)):
                self._db.execute(statement)
            self._db.execute("INSERT INTO meta VALUES ('recipe', ?)", (recipe,))
            self._db.execute(f"PRAGMA user_version = {FORMAT}")
        (existing,) = self._db.execute("SELECT value FROM meta WHERE name = 'recipe'").fetchone() or ("",)
        if not existing.startswith("{"):
            raise FathomError(f"'{self._path}' is damaged: it has no recipe. Delete it and start again.")
        if self._db.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
            raise FathomError(f"'{self._path}' was started by another version of Fathom. Delete it and start again.")
        if existing != recipe:
            differing = _describe_difference(json.loads(existing), self.recipe)
            raise FathomError(
                f"'{self.folder}' contains an unfinished corpus with other settings ({differing}). "
                "Give the same settings to finish it, or another --out."
            )

    def __len__(self) -> int:
        with file_errors("read", self._path):
            return int(self._db.execute("SELECT count(*) FROM documents").fetchone()[0])

    @property
    def tokens(self) -> int:
        """The number of tokens so far."""
        with file_errors("read", self._path):
            return int(self._db.execute("SELECT coalesce(sum(count), 0) FROM tokens").fetchone()[0])

    def add(self, packed: PackedDocument) -> None:
        """Add one document at the end."""
        with file_errors("write", self._path):
            try:
                added = self._db.execute(
                    "INSERT INTO documents (id, kind, language, subject, year, license, title, known, characters,"
                    " fingerprint, text, parts, outline) VALUES (:id, :kind, :language, :subject, :year, :license,"
                    " :title, :known, :characters, :fingerprint, :text, :parts, :outline)",
                    {name: value for name, value in vars(packed).items() if name not in ("lines", "cited")},
                )
            except sqlite3.IntegrityError as error:
                raise FathomError(
                    f"Document '{packed.id}' is already in the corpus. Give each document once."
                ) from error
            lines = compressed(json.dumps(packed.lines, separators=(",", ":")).encode())
            self._db.execute("INSERT INTO tokens VALUES (?, ?, ?, ?)", (DEFAULT, added.lastrowid, packed.tokens, lines))
            self._db.executemany("INSERT INTO links VALUES (?, ?)", ((packed.id, cited) for cited in packed.cited))

    def save(self) -> None:
        """Commit what was added."""
        with file_errors("write", self._path):
            self._db.execute("COMMIT")
            self._db.execute("BEGIN IMMEDIATE")

    def finish(self) -> CorpusManifest:
        """Write the store and the manifest; the bytes are the same however often the work was interrupted."""
        copy = self.folder / f"{STORE}.new"
        copy.unlink(missing_ok=True)
        try:
            with file_errors("write", self.folder / STORE):
                self._db.execute("COMMIT")
                self._db.execute("VACUUM INTO ?", (str(copy),))
                manifest = self._manifest()
                self._db.close()
                copy.replace(self.folder / STORE)
        finally:
            # A failed copy must not occupy the rest of a full disk.
            copy.unlink(missing_ok=True)
        manifest.write(self.folder)
        self._path.unlink()
        self._path.with_name(f"{UNFINISHED}-journal").unlink(missing_ok=True)
        return manifest

    def _manifest(self) -> CorpusManifest:
        def one(sql: str) -> int:
            return int(self._db.execute(sql).fetchone()[0])

        def counts(column: str) -> dict[str, int]:
            return dict(
                self._db.execute(
                    f"SELECT {column}, count(*) FROM documents WHERE {column} IS NOT NULL GROUP BY 1 ORDER BY 1"
                )
            )

        return CorpusManifest(
            fathom=__version__,
            recipe=self.recipe,
            fingerprint=digest_stream(self._contents()).hex(),
            documents=one("SELECT count(*) FROM documents"),
            characters=one("SELECT coalesce(sum(characters), 0) FROM documents"),
            tokens=one("SELECT coalesce(sum(count), 0) FROM tokens"),
            tokenizer=DEFAULT,
            links=one("SELECT count(*) FROM links"),
            kinds=counts("kind"),
            subjects=counts("subject"),
            languages=counts("language"),
            licenses=counts("license"),
        )

    def _contents(self) -> Iterator[bytes]:
        """The bytes that the fingerprint covers; decompressed, since another zstd may compress a text differently."""
        for id, text, parts in self._db.execute("SELECT id, fingerprint, parts FROM documents ORDER BY number"):
            yield from (id.encode(), text, _decompress(parts))


def _statements(script: str) -> Iterable[str]:
    """The statements of a script: sqlite3's own `executescript` would commit the current transaction."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _check_folder(folder: Path, recipe: dict[str, JsonValue]) -> None:
    """Refuse a folder with another corpus or with anything else in it."""
    if folder.is_file():
        raise FathomError(f"Cannot write a corpus to '{folder}': it is a file. Give a folder.")
    if not folder.exists():
        return
    with file_errors("read the folder", folder):
        present = {entry.name for entry in folder.iterdir()}
    if not present or UNFINISHED in present:
        return
    if MANIFEST in present:
        raise FathomError(
            f"'{folder}' already contains a corpus ({_describe_difference(read_manifest(folder).recipe, recipe)}). "
            "Choose another --out, or delete it first."
        )
    raise FathomError(f"'{folder}' is not empty (it contains '{min(present)}'). Choose another --out.")


def _describe_difference(existing: dict[str, JsonValue], requested: dict[str, JsonValue]) -> str:
    """The first setting in which two recipes differ, in words."""
    for name in sorted({*existing, *requested}):
        if existing.get(name) != requested.get(name):
            return f"{name} {json.dumps(existing.get(name))}, not {json.dumps(requested.get(name))}"
    return "the same settings"


def finished_corpus(folder: Path, recipe: dict[str, JsonValue]) -> CorpusManifest | None:
    """The manifest of the finished corpus in `folder` with this recipe; None if there is none."""
    if not ((folder / MANIFEST).exists() and (folder / STORE).exists()) or (folder / UNFINISHED).exists():
        return None
    manifest = read_manifest(folder)
    return manifest if manifest.recipe == recipe else None
