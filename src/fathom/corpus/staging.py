"""Documents that were read, in a file beside the corpus until they are linked; it is gone when the corpus is there."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import JsonValue

from fathom.corpus.document_reading import Front, Read
from fathom.corpus.manifest import FORMAT
from fathom.corpus.store import PackedDocument
from fathom.models.lines import Lengths
from fathom.records.errors import FathomError, file_errors

_SCHEMA = """
CREATE TABLE IF NOT EXISTS settings (number INTEGER PRIMARY KEY, recipe TEXT);
CREATE TABLE IF NOT EXISTS files (source TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS documents (
    number INTEGER PRIMARY KEY,
    told TEXT NOT NULL,          -- what the report needs
    line TEXT,                   -- the article's line in the table of contents; NULL where nothing came of it
    front BLOB, sought BLOB,     -- the large ones last, so that those before them are read without them
    parts BLOB, text BLOB
);
CREATE TABLE IF NOT EXISTS kept (     -- made anew by every try
    document INTEGER PRIMARY KEY,
    cited TEXT,                  -- for each reference the article it names
    work TEXT
);
"""

_APART = ("packed", "front", "sought")
"""What is kept of a document in columns of its own."""


class Kept(NamedTuple):
    """A document that goes into the corpus, and whom it cites."""

    packed: PackedDocument
    cited: tuple[str | None, ...]
    work: str | None


class Staging:
    """The file; nothing in it is held in memory."""

    def __init__(self, folder: Path, recipe: dict[str, JsonValue]) -> None:
        self._path = folder.with_name(f"{folder.name}.reading")
        with file_errors("write", self._path):
            self._db = sqlite3.connect(self._path, isolation_level=None)
            self._db.executescript(_SCHEMA)
            known = self._db.execute("SELECT recipe FROM settings").fetchone()
            wanted = json.dumps({**recipe, "format": FORMAT}, sort_keys=True)
            if known is not None and known[0] != wanted:
                self._db.close()
                raise FathomError(
                    f"'{self._path}' holds what another command, or another version, began to read. "
                    "Delete it to start anew."
                )
            self._db.execute("INSERT OR REPLACE INTO settings VALUES (0, ?)", (wanted,))
            self._db.execute("DELETE FROM kept")
            self._db.execute("BEGIN")

    def __enter__(self) -> Staging:
        return self

    def __exit__(self, *error: object) -> None:
        self._db.close()

    def remove(self) -> None:
        """Leave nothing behind."""
        self._db.close()
        for ending in ("", "-journal", "-wal", "-shm"):
            Path(f"{self._path}{ending}").unlink(missing_ok=True)

    # While documents are read.

    def files(self) -> int:
        """How many files are done."""
        return int(self._db.execute("SELECT count(*) FROM files").fetchone()[0])

    def has(self, source: str) -> bool:
        """Whether a file is done."""
        return self._db.execute("SELECT 1 FROM files WHERE source = ?", (source,)).fetchone() is not None

    def add(self, source: str, found: Sequence[Read]) -> None:
        with file_errors("write", self._path):
            # An archive may hold two members of one name; both are read, and done when the first one is.
            self._db.execute("INSERT OR IGNORE INTO files VALUES (?)", (source,))
            for read in found:
                told = {name: value for name, value in vars(read).items() if name not in _APART}
                packed = read.packed
                line = json.dumps(_line(packed)) if packed is not None else None
                blobs = (read.front, read.sought, packed.parts, packed.text) if packed is not None else (None,) * 4
                self._db.execute(
                    "INSERT INTO documents (told, line, front, sought, parts, text) VALUES (?, ?, ?, ?, ?, ?)",
                    (json.dumps(told), line, *blobs),
                )

    def save(self) -> None:
        with file_errors("write", self._path):
            self._db.execute("COMMIT")
            self._db.execute("BEGIN")

    # While they are linked.

    def told(self) -> Iterator[tuple[int, Read, Front | None]]:
        """Every document in order, without its document: its number, and what tells it apart where it was read."""
        for number, told, front in self._rows("SELECT number, told, front FROM documents ORDER BY number"):
            yield number, _retold(told), Front.from_bytes(front) if front is not None else None

    def keep(self, document: int) -> None:
        """Note that a document goes into the corpus."""
        self._db.execute("INSERT INTO kept (document) VALUES (?)", (document,))

    def sought(self) -> Iterator[tuple[int, str, bytes]]:
        """Every document that is kept, in order: its number, its document's id and its references, packed."""
        for number, line, sought in self._rows(f"SELECT number, line, sought {_OF_KEPT}"):
            yield number, json.loads(line)["id"], sought

    def link(self, document: int, cited: Sequence[str | None], work: str | None) -> None:
        """Note whom a document cites, and which work it is."""
        told = (json.dumps(cited), work, document)
        self._db.execute("UPDATE kept SET cited = ?, work = ? WHERE document = ?", told)

    def fronts(self) -> Iterator[tuple[Front, list[str], str | None]]:
        """The documents that are kept and linked, in order, each with whom it cites and with its work."""
        for front, cited, work in self._rows(f"SELECT front, cited, work {_OF_KEPT}"):
            yield Front.from_bytes(front), [id for id in json.loads(cited) if id is not None], work

    def kept(self) -> Iterator[Kept]:
        """The documents that are kept and linked, in order."""
        for line, parts, text, cited, work in self._rows(f"SELECT line, parts, text, cited, work {_OF_KEPT}"):
            values = json.loads(line)
            fingerprint = bytes.fromhex(values.pop("fingerprint"))
            lines = Lengths(*map(tuple, values.pop("lines")))
            packed = PackedDocument(
                **values, fingerprint=fingerprint, lines=lines, text=text, parts=parts, outline=b"", cited=()
            )
            yield Kept(packed, tuple(json.loads(cited)), work)

    def _rows(self, sql: str) -> Iterator[tuple[Any, ...]]:
        with file_errors("read", self._path):
            yield from self._db.execute(sql)


_OF_KEPT = "FROM kept JOIN documents ON number = document ORDER BY number"


def _line(packed: PackedDocument) -> dict[str, JsonValue]:
    values = {name: value for name, value in vars(packed).items() if name not in ("parts", "outline", "text", "cited")}
    return {**values, "fingerprint": packed.fingerprint.hex()}


def _retold(told: str) -> Read:
    values = json.loads(told)
    for name in ("fields", "doubts"):
        values[name] = tuple(values[name])
    return Read(**values)
