"""The staging file: documents that were read, until they are linked. Removed when the corpus is complete."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import JsonValue

from fathom.corpus.document_reading import AttachedSource, FileResult, LinkingRecord, ReadResult
from fathom.corpus.manifest import FORMAT
from fathom.corpus.store import PackedDocument, SqliteFile
from fathom.models.line_token_counts import LineLengths
from fathom.records.errors import FathomError, file_errors

_SCHEMA = """
CREATE TABLE IF NOT EXISTS settings (number INTEGER PRIMARY KEY, recipe TEXT);
CREATE TABLE IF NOT EXISTS parts (key TEXT PRIMARY KEY) WITHOUT ROWID;  -- files, and parts of files, that are done
CREATE TABLE IF NOT EXISTS documents (
    number INTEGER PRIMARY KEY,
    file INTEGER NOT NULL,                 -- files are numbered in order
    attached INTEGER,                      -- the number of an attached document; NULL for others
    result TEXT NOT NULL,                  -- the small fields of the `ReadResult`, for the report
    entry TEXT,                            -- the document's entry in the table of contents; NULL if it was rejected
    linking_record BLOB, reference_queries BLOB,  -- large columns last: SQLite reads the ones before without them
    parts BLOB, text BLOB
);
CREATE INDEX IF NOT EXISTS in_order ON documents (file, attached, number);  -- attached documents after the others
CREATE TABLE IF NOT EXISTS attached (      -- attached documents that are read after all files
    number INTEGER PRIMARY KEY,
    file INTEGER NOT NULL, id TEXT NOT NULL, source TEXT NOT NULL, format TEXT NOT NULL, content BLOB,
    UNIQUE (file, id)
);
CREATE TABLE IF NOT EXISTS kept (          -- written again by every attempt, in order
    position INTEGER PRIMARY KEY,
    document INTEGER NOT NULL UNIQUE,
    cited TEXT,                            -- for each reference the document it cites
    work TEXT
);
"""

_VERSION = 2
"""Version of the staging file: one of another version cannot be continued."""

MAX_REFUSED = 1_000
"""Maximum number of lines of one file that are refused one by one. Then the reading of the file ends."""

_OWN_COLUMNS = ("document", "linking_record", "references")
"""Fields of a `ReadResult` that are stored in other columns than `result`."""


class KeptDocument(NamedTuple):
    """A document that goes into the corpus, and the documents it cites."""

    document: PackedDocument
    cited: tuple[str | None, ...]
    work: str | None


class StagingFile(SqliteFile):
    """The open staging file; its rows are read when needed, not kept in memory."""

    def __init__(self, folder: Path, recipe: dict[str, JsonValue]) -> None:
        self._path = folder.with_name(f"{folder.name}.reading")
        with file_errors("write", self._path):
            self._db = sqlite3.connect(self._path, isolation_level=None)
            self._db.executescript(_SCHEMA)
            existing = self._db.execute("SELECT recipe FROM settings").fetchone()
            stored_recipe = json.dumps({**recipe, "format": FORMAT, "staging": _VERSION}, sort_keys=True)
            if existing is not None and existing[0] != stored_recipe:
                self._db.close()
                raise FathomError(
                    f"'{self._path}' was started by another command or another version of Fathom. "
                    "Delete it to start again."
                )
            self._db.execute("INSERT OR REPLACE INTO settings VALUES (0, ?)", (stored_recipe,))
            self._db.execute("DELETE FROM kept")
            self._db.execute("BEGIN")
            self._file = int(self._db.execute("SELECT coalesce(max(file), 0) FROM documents").fetchone()[0])
            self._refused = self._count("file = ? AND attached IS NULL AND entry IS NULL", self._file)

    def remove(self) -> None:
        self._db.close()
        for ending in ("", "-journal", "-wal", "-shm"):
            Path(f"{self._path}{ending}").unlink(missing_ok=True)

    # While documents are read.

    def parts(self) -> int:
        """How many files and parts of files are done."""
        return int(self._db.execute("SELECT count(*) FROM parts").fetchone()[0])

    def has(self, key: str) -> bool:
        """Whether a file or part is done."""
        return self._db.execute("SELECT 1 FROM parts WHERE key = ?", (key,)).fetchone() is not None

    def add(self, result: FileResult) -> None:
        """Add the documents of one file or part; the parts of a file follow one another."""
        with file_errors("write", self._path):
            if result.is_first:
                self._file += 1
                self._refused = 0
            # An archive may have two members with the same name: both are read, and the name is recorded once.
            self._db.execute("INSERT OR IGNORE INTO parts VALUES (?)", (result.key,))
            for document in self._up_to_limit(result):
                self._insert(document, self._file)
            # The first of several with the same id is kept.
            self._db.executemany(
                "INSERT OR IGNORE INTO attached (file, id, source, format, content) VALUES (?, ?, ?, ?, ?)",
                ((self._file, id, result.source, result.format, content) for id, content in result.attached),
            )

    def _up_to_limit(self, result: FileResult) -> list[ReadResult]:
        """The documents up to the line at which too many lines of the file are refused to read on."""
        if not result.format:
            return result.documents
        documents: list[ReadResult] = []
        for document in result.documents:
            if self._refused > MAX_REFUSED:
                break
            self._refused += bool(document.error)
            if self._refused > MAX_REFUSED:
                reason = f"more than {MAX_REFUSED:,} of its lines cannot be read"
                documents.append(ReadResult(result.source, result.format, error=reason, incomplete=True))
            else:
                documents.append(document)
        return documents

    def attached(self) -> Iterator[tuple[int, int, AttachedSource]]:
        """The attached documents that are not yet read: number, file, and content."""
        lines: dict[int, int] = {}
        for number, file, rank, source, format, content in self._rows(_UNREAD_ATTACHED):
            if file not in lines:
                lines = {file: self._count("file = ? AND attached IS NULL", file)}
            yield number, file, AttachedSource(source, format, lines[file] + rank, content)

    def add_attached(self, number: int, file: int, result: ReadResult) -> None:
        """Add an attached document."""
        with file_errors("write", self._path):
            self._insert(result, file, number)

    def _insert(self, result: ReadResult, file: int, attached: int | None = None) -> None:
        counts = {name: value for name, value in vars(result).items() if name not in _OWN_COLUMNS}
        document = result.document
        entry: str | None = None
        blobs: tuple[bytes | None, ...] = (None,) * 4
        if document is not None:
            entry = json.dumps(_entry(document))
            blobs = (result.linking_record, result.references, document.parts, document.text)
        self._db.execute(
            "INSERT INTO documents (file, attached, result, entry, linking_record, reference_queries, parts, text)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (file, attached, json.dumps(counts), entry, *blobs),
        )

    def _count(self, condition: str, file: int) -> int:
        return int(self._db.execute(f"SELECT count(*) FROM documents WHERE {condition}", (file,)).fetchone()[0])

    def save(self) -> None:
        """Commit what was added."""
        with file_errors("write", self._path):
            self._db.execute("COMMIT")
            self._db.execute("BEGIN")

    # While they are linked.

    def results(self) -> Iterator[tuple[int, ReadResult, LinkingRecord | None]]:
        """Every document in order, without its content: number, result, and linking record (None if rejected)."""
        for number, counts, record in self._rows(
            "SELECT number, result, linking_record FROM documents ORDER BY file, attached, number"
        ):
            yield (
                number,
                ReadResult(**json.loads(counts)),
                LinkingRecord.from_bytes(record) if record is not None else None,
            )

    def keep(self, document: int) -> None:
        """Mark a document as part of the corpus."""
        self._db.execute("INSERT INTO kept (document) VALUES (?)", (document,))

    def references(self) -> Iterator[tuple[int, str, bytes]]:
        """Every kept document in order: number, id, and packed references."""
        for number, entry, references in self._rows(f"SELECT number, entry, reference_queries {_FROM_KEPT}"):
            yield number, json.loads(entry)["id"], references

    def link(self, document: int, cited: Sequence[str | None], work: str | None) -> None:
        """Set the documents that a document cites, and its work."""
        values = (json.dumps(cited), work, document)
        self._db.execute("UPDATE kept SET cited = ?, work = ? WHERE document = ?", values)

    def linking_records(self) -> Iterator[tuple[LinkingRecord, list[str], str | None]]:
        """The linked documents in order, each with the documents it cites and its work."""
        for record, cited, work in self._rows(f"SELECT linking_record, cited, work {_FROM_KEPT}"):
            yield LinkingRecord.from_bytes(record), [id for id in json.loads(cited) if id is not None], work

    def documents(self) -> Iterator[KeptDocument]:
        """The linked documents in order."""
        for entry, parts, text, cited, work in self._rows(f"SELECT entry, parts, text, cited, work {_FROM_KEPT}"):
            values = json.loads(entry)
            fingerprint = bytes.fromhex(values.pop("fingerprint"))
            lines = LineLengths(*map(tuple, values.pop("lines")))
            document = PackedDocument(
                **values, fingerprint=fingerprint, lines=lines, text=text, parts=parts, outline=b"", cited=()
            )
            yield KeptDocument(document, tuple(json.loads(cited)), work)

    def _rows(self, sql: str) -> Iterator[tuple[Any, ...]]:
        with file_errors("read", self._path):
            yield from self._db.execute(sql)


_FROM_KEPT = "FROM kept CROSS JOIN documents ON number = document ORDER BY position"
"""A cross join, so that SQLite reads `kept` in order instead of sorting the documents."""

_UNREAD_ATTACHED = """
SELECT number, file, number - (SELECT min(number) FROM attached AS others WHERE others.file = attached.file) + 1,
    source, format, content
FROM attached WHERE number > (SELECT coalesce(max(attached), 0) FROM documents) ORDER BY number
"""


def _entry(document: PackedDocument) -> dict[str, JsonValue]:
    left_out = ("parts", "outline", "text", "cited")
    values = {name: value for name, value in vars(document).items() if name not in left_out}
    return {**values, "fingerprint": document.fingerprint.hex()}
