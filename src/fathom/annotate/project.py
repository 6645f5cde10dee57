"""An annotation project: a folder with one SQLite file that holds annotators, assignments, layers and their log."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from fathom.annotate.layers import (
    ADJUDICATED,
    ELEMENT,
    VALUES,
    Comment,
    EvidenceLink,
    Layer,
    LayerChange,
    annotation_of,
    complete_change,
    ends_of,
    layer_of,
)
from fathom.corpus.store import SqliteFile
from fathom.records.annotations import Annotation
from fathom.records.documents import DocumentId, NonNegativeInt
from fathom.records.errors import FathomError, file_errors
from fathom.records.record import Record, first_error
from fathom.records.version import __version__

FILE = "project.sqlite"
FORMAT = 1

SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE annotators (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL,               -- annotator or adjudicator
    token TEXT NOT NULL,
    attested TEXT                     -- when the annotator attested that no model helped
) WITHOUT ROWID;
CREATE TABLE assignments (            -- who annotates which document, in the order of work
    annotator TEXT NOT NULL,
    number INTEGER NOT NULL,
    document TEXT NOT NULL,
    PRIMARY KEY (annotator, number),
    UNIQUE (annotator, document)
) WITHOUT ROWID;
CREATE TABLE layers (
    document TEXT NOT NULL,
    annotator TEXT NOT NULL,
    revision INTEGER NOT NULL,        -- the number of changes so far
    depth INTEGER NOT NULL,           -- the number of edits that can be undone
    done INTEGER NOT NULL,
    PRIMARY KEY (document, annotator)
) WITHOUT ROWID;
CREATE TABLE elements (               -- the current state of each layer, derived from its changes
    document TEXT NOT NULL,
    annotator TEXT NOT NULL,
    id TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (document, annotator, id)
) WITHOUT ROWID;
CREATE TABLE changes (                -- append-only
    document TEXT NOT NULL,
    annotator TEXT NOT NULL,
    revision INTEGER NOT NULL,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,               -- edit, undo, redo, done, reopened, imported
    before TEXT NOT NULL,             -- the changed elements before and after, by id; null where there is none
    after TEXT NOT NULL,
    PRIMARY KEY (document, annotator, revision)
) WITHOUT ROWID;
CREATE TABLE history (                -- edits in effect, then those that can be redone
    document TEXT NOT NULL,
    annotator TEXT NOT NULL,
    position INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    PRIMARY KEY (document, annotator, position)
) WITHOUT ROWID;
"""

Role = Literal["annotator", "adjudicator"]
ChangeKind = Literal["edit", "undo", "redo", "done", "reopened", "imported"]


class ProjectSettings(Record):
    """The settings of a project: its corpus, documents and guidelines."""

    format: int = FORMAT
    fathom: str = __version__
    corpus: str
    """Path of the corpus, relative to the project's folder."""
    corpus_fingerprint: str
    guidelines: str = ""
    """The text of the guidelines, in Markdown."""
    shared: bool = True
    """Whether every annotator is assigned every document."""
    documents: tuple[DocumentId, ...]
    """The selected documents."""
    excluded: dict[str, NonNegativeInt] = {}
    """Documents that the selection left out, by reason."""
    port: int = 0
    """The port of the last server, so that open pages find the next one."""


@dataclass(frozen=True)
class LayerState:
    """A layer at one revision."""

    revision: int
    done: bool
    elements: Layer
    can_undo: bool
    can_redo: bool


@dataclass(frozen=True)
class SavedChange:
    """A change that is stored, or the changes of others that came first."""

    revision: int
    values: LayerChange
    """All elements that changed since the revision that the client knew."""
    can_undo: bool
    can_redo: bool
    done: bool


class StaleRevisionError(Exception):
    """The client's revision is not the current one: another tab changed the layer. Carries what changed since."""

    def __init__(self, saved: SavedChange) -> None:
        super().__init__(f"the layer is at revision {saved.revision}")
        self.saved = saved


class Project(SqliteFile):
    """An annotation project, open for reading and writing. Every change is on disk when its method returns."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        path = folder / FILE
        if not path.is_file():
            raise FathomError(f"'{folder}' is not an annotation project. Create it with `fathom annotate CORPUS`.")
        self._db = connect(path)
        self._people: dict[bytes, str] = {}
        with self._closed_on_error(), file_errors("read", path):
            row = self._db.execute("SELECT value FROM meta WHERE name = 'settings'").fetchone()
            if row is None:
                raise FathomError(f"The project '{folder}' is not complete. Delete it, and create it again.")
            try:
                self.settings = ProjectSettings.model_validate_json(row[0])
            except ValidationError as error:
                raise FathomError(
                    f"The project '{folder}' was written by another version of Fathom: {first_error(error)}. "
                    "Use that version."
                ) from error

    @classmethod
    def create(cls, folder: Path, settings: ProjectSettings) -> Project:
        """Create an empty project in a folder."""
        path = folder / FILE
        if path.exists():
            raise FathomError(f"'{folder}' already contains a project. Choose another --project.")
        with file_errors("write", path):
            folder.mkdir(parents=True, exist_ok=True)
            # The file has the tokens of all annotators, so only its owner may read it.
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            db = connect(path)
            with db:
                db.executescript(SCHEMA)
                db.execute("INSERT INTO meta VALUES ('settings', ?)", (settings.model_dump_json(),))
            db.close()
        return cls(folder)

    @property
    def corpus_folder(self) -> Path:
        """The recorded path of the corpus: project and corpus may be moved together."""
        return Path(os.path.normpath(self.folder.resolve() / self.settings.corpus))

    def update_settings(self, **values: object) -> None:
        """Change settings of the project."""
        self.settings = self.settings.model_copy(update=values)
        with self._transaction():
            self._db.execute("UPDATE meta SET value = ? WHERE name = 'settings'", (self.settings.model_dump_json(),))

    def add_tables(self, schema: str) -> None:
        """Create further tables."""
        with file_errors("write", self.folder / FILE):
            self._db.executescript(schema)

    # Annotators.

    def add_annotator(self, name: str, documents: Sequence[DocumentId], role: Role = "annotator") -> None:
        """Add an annotator with the documents to annotate, or an adjudicator."""
        if name == ADJUDICATED:
            raise FathomError(f"'{ADJUDICATED}' is the name of the adjudicated layer. Choose another name.")
        if (
            not name.strip()
            or len(name) > 80
            or any(not character.isprintable() or character in "/\\" for character in name)
        ):
            raise FathomError(
                f"The annotator's name {name!a} is empty, too long or has control characters or slashes. Give another."
            )
        with self._transaction():
            self._db.execute("INSERT INTO annotators VALUES (?, ?, ?, NULL)", (name, role, secrets.token_urlsafe(24)))
            self._db.executemany(
                "INSERT INTO assignments VALUES (?, ?, ?)", [(name, number, id) for number, id in enumerate(documents)]
            )

    def annotators(self, role: Role = "annotator") -> list[str]:
        """The names of the people with a role."""
        query = "SELECT name FROM annotators WHERE role = ? ORDER BY name"
        return [name for (name,) in self._db.execute(query, (role,))]

    def token(self, annotator: str) -> str:
        """The secret in the link of an annotator."""
        (token,) = self._db.execute("SELECT token FROM annotators WHERE name = ?", (annotator,)).fetchone()
        return str(token)

    def annotator_of(self, token: str) -> str | None:
        """The annotator with that token. Digests are compared, so that the time taken reveals nothing about a token."""
        digest = _digest(token)
        if digest not in self._people:
            # Another process may have added people since.
            rows = self._db.execute("SELECT name, token FROM annotators ORDER BY name")
            self._people = {_digest(stored_token): name for name, stored_token in rows}
        return self._people.get(digest)

    def attest(self, annotator: str) -> None:
        """Record that the annotator attests to work without the help of a model."""
        with self._transaction():
            self._db.execute(
                "UPDATE annotators SET attested = ? WHERE name = ? AND attested IS NULL", (now(), annotator)
            )

    def attested(self, annotator: str) -> str | None:
        """When the annotator attested to work without the help of a model; None if that did not happen."""
        row = self._db.execute("SELECT attested FROM annotators WHERE name = ?", (annotator,)).fetchone()
        return row[0] if row else None

    def assigned(self, annotator: str) -> list[DocumentId]:
        """The documents of an annotator, in the order of work."""
        rows = self._db.execute("SELECT document FROM assignments WHERE annotator = ? ORDER BY number", (annotator,))
        return [document for (document,) in rows]

    def is_assigned(self, annotator: str, document: DocumentId) -> bool:
        """Whether a document is assigned to an annotator."""
        query = "SELECT 1 FROM assignments WHERE annotator = ? AND document = ?"
        return self._db.execute(query, (annotator, document)).fetchone() is not None

    def documents(self) -> dict[DocumentId, list[str]]:
        """All assigned documents with their annotators."""
        annotators: dict[DocumentId, list[str]] = {}
        query = "SELECT document, annotator FROM assignments ORDER BY number, annotator"
        for document, annotator in self._db.execute(query):
            annotators.setdefault(document, []).append(annotator)
        return annotators

    # Layers.

    def layer(self, document: DocumentId, annotator: str) -> LayerState:
        """The current state of a layer; empty if nothing was marked."""
        with self._reading():
            head = self._head(document, annotator)
            elements = self._elements(document, annotator)
        return LayerState(head.revision, head.done, elements, head.depth > 0, head.can_redo)

    def counts(self, annotator: str) -> dict[DocumentId, tuple[int, int, bool]]:
        """Claims and evidence marked in each document, and whether it is done."""
        rows = self._db.execute(
            'SELECT l.document, l.done, coalesce(sum(e.value LIKE \'{"kind":"claim"%\'), 0), '
            'coalesce(sum(e.value LIKE \'{"kind":"evidence"%\'), 0) FROM layers l '
            "LEFT JOIN elements e ON e.document = l.document AND e.annotator = l.annotator "
            "WHERE l.annotator = ? GROUP BY l.document, l.done",
            (annotator,),
        )
        return {document: (claims, evidence, bool(done)) for document, done, claims, evidence in rows}

    def layers(self) -> Iterator[tuple[DocumentId, str]]:
        """The document and annotator of every layer."""
        yield from self._db.execute("SELECT document, annotator FROM layers ORDER BY document, annotator").fetchall()

    def layer_names(self, document: DocumentId) -> list[str]:
        """The annotators with a layer of a document."""
        query = "SELECT annotator FROM layers WHERE document = ? ORDER BY annotator"
        return [name for (name,) in self._db.execute(query, (document,))]

    def change(
        self, document: DocumentId, annotator: str, revision: int, values: LayerChange, text: str
    ) -> SavedChange:
        """Store an edit of the layer at `revision`; raises StaleRevisionError if that is not the current one."""
        with self._transaction():
            head = self._expect(document, annotator, revision)
            after = complete_change(values, self._related_elements(document, annotator, values), text)
            self._append(document, annotator, head, "edit", after)
            self._db.execute(
                "DELETE FROM history WHERE document = ? AND annotator = ? AND position >= ?",
                (document, annotator, head.depth),
            )
            self._db.execute(
                "INSERT INTO history VALUES (?, ?, ?, ?)", (document, annotator, head.depth, head.revision + 1)
            )
            self._move(document, annotator, 1)
            return self._changes_since(document, annotator, revision)

    def undo(self, document: DocumentId, annotator: str, revision: int) -> SavedChange:
        """Store the inverse of the last edit in effect, if there is one."""
        with self._transaction():
            head = self._expect(document, annotator, revision)
            if head.depth:
                values = self._elements_at(document, annotator, head.depth - 1, "before")
                self._append(document, annotator, head, "undo", values)
                self._move(document, annotator, -1)
            return self._changes_since(document, annotator, revision)

    def redo(self, document: DocumentId, annotator: str, revision: int) -> SavedChange:
        """Store the last edit that was undone again, if there is one."""
        with self._transaction():
            head = self._expect(document, annotator, revision)
            if head.can_redo:
                values = self._elements_at(document, annotator, head.depth, "after")
                self._append(document, annotator, head, "redo", values)
                self._move(document, annotator, 1)
            return self._changes_since(document, annotator, revision)

    def set_done(self, document: DocumentId, annotator: str, revision: int, done: bool) -> SavedChange:
        """Mark a layer as done, or open it again."""
        with self._transaction():
            head = self._expect(document, annotator, revision)
            if head.done != done:
                self._append(document, annotator, head, "done" if done else "reopened", {})
                self._set_done(document, annotator, done)
            return self._changes_since(document, annotator, revision)

    def changes_since(self, document: DocumentId, annotator: str, revision: int) -> SavedChange:
        """The changes after a revision."""
        with self._reading():
            return self._changes_since(document, annotator, revision)

    def import_annotations(self, annotations: Sequence[Annotation]) -> None:
        """Store annotations as layers, or none of them if an annotator has one of that document already."""
        with self._transaction():
            for annotation in annotations:
                head = self._head(annotation.document, annotation.annotator)
                if head.revision:
                    raise FathomError(
                        f"'{annotation.annotator}' has already annotated document '{annotation.document}' in the "
                        "project. Import into another project."
                    )
                self._append(
                    annotation.document, annotation.annotator, head, "imported", dict(layer_of(annotation.claims))
                )
                self._set_done(annotation.document, annotation.annotator, annotation.complete)

    def annotations(self, annotators: Sequence[str] = (), unfinished: bool = False) -> Iterator[Annotation]:
        """The layers as annotation records, by document and annotator; those that are not done only on request."""
        for document, annotator in self.layers():
            state = self.layer(document, annotator)
            if (not annotators or annotator in annotators) and (state.done or unfinished):
                yield annotation_of(state.elements, document, annotator, state.done)

    def log(self, document: DocumentId, annotator: str) -> Iterator[dict[str, Any]]:
        """Every change of a layer, in order."""
        query = (
            "SELECT revision, at, kind, before, after FROM changes WHERE document = ? AND annotator = ? "
            "ORDER BY revision"
        )
        for revision, at, kind, before, after in self._db.execute(query, (document, annotator)):
            yield {
                "revision": revision, "at": at, "kind": kind, "before": json.loads(before), "after": json.loads(after)
            }  # fmt: skip

    # Parts.

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """One transaction for several changes, on disk when it ends. A change that fails undoes only itself."""
        with file_errors("write", self.folder / FILE):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                # A full disk may have ended the transaction already.
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        if not self._db.in_transaction:
            with self.transaction():
                yield
            return
        with file_errors("write", self.folder / FILE):
            self._db.execute("SAVEPOINT change")
            try:
                yield
            except BaseException:
                self._db.execute("ROLLBACK TO change")
                raise
            finally:
                self._db.execute("RELEASE change")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """A snapshot: revision and elements belong together even if another process writes."""
        with file_errors("read", self.folder / FILE):
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                self._db.execute("COMMIT")

    def _head(self, document: DocumentId, annotator: str) -> _Head:
        row = self._db.execute(
            "SELECT revision, depth, done, EXISTS (SELECT 1 FROM history h WHERE h.document = l.document "
            "AND h.annotator = l.annotator AND h.position >= l.depth) FROM layers l "
            "WHERE document = ? AND annotator = ?",
            (document, annotator),
        ).fetchone()
        return _Head(0, 0, False, False) if row is None else _Head(row[0], row[1], bool(row[2]), bool(row[3]))

    def _expect(self, document: DocumentId, annotator: str, revision: int) -> _Head:
        head = self._head(document, annotator)
        if head.revision != revision:
            raise StaleRevisionError(self._changes_since(document, annotator, revision))
        return head

    def _elements(self, document: DocumentId, annotator: str) -> Layer:
        query = "SELECT id, value FROM elements WHERE document = ? AND annotator = ? ORDER BY id"
        return {id: ELEMENT.validate_json(value) for id, value in self._db.execute(query, (document, annotator))}

    def _related_elements(self, document: DocumentId, annotator: str, values: LayerChange) -> Layer:
        """The elements that a change depends on: all of them only if it removes some, which may have links."""
        if None in values.values():
            return self._elements(document, annotator)
        ids = {
            end
            for element in values.values()
            if isinstance(element, EvidenceLink | Comment)
            for end in ends_of(element)
        }
        query = "SELECT value FROM elements WHERE document = ? AND annotator = ? AND id = ?"
        rows = {id: self._db.execute(query, (document, annotator, id)).fetchone() for id in sorted(ids)}
        return {id: ELEMENT.validate_json(row[0]) for id, row in rows.items() if row is not None}

    def _append(
        self, document: DocumentId, annotator: str, head: _Head, kind: ChangeKind, after: Mapping[str, Any]
    ) -> None:
        """Add a change to the log and apply it."""
        before: dict[str, Any] = {}
        for id in after:
            row = self._db.execute(
                "SELECT value FROM elements WHERE document = ? AND annotator = ? AND id = ?", (document, annotator, id)
            ).fetchone()
            before[id] = None if row is None else json.loads(row[0])
        written = {id: None if element is None else element.model_dump(mode="json") for id, element in after.items()}
        self._db.execute(
            "INSERT INTO layers VALUES (?, ?, 1, 0, 0) ON CONFLICT DO UPDATE SET revision = revision + 1",
            (document, annotator),
        )
        self._db.execute(
            "INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?, ?)",
            (document, annotator, head.revision + 1, now(), kind, json.dumps(before), json.dumps(written)),
        )
        for id, element in after.items():
            if element is None:
                self._db.execute(
                    "DELETE FROM elements WHERE document = ? AND annotator = ? AND id = ?", (document, annotator, id)
                )
            else:
                self._db.execute(
                    "INSERT OR REPLACE INTO elements VALUES (?, ?, ?, ?)",
                    (document, annotator, id, element.model_dump_json()),
                )

    def _set_done(self, document: DocumentId, annotator: str, done: bool) -> None:
        self._db.execute("UPDATE layers SET done = ? WHERE document = ? AND annotator = ?", (done, document, annotator))

    def _move(self, document: DocumentId, annotator: str, by: int) -> None:
        self._db.execute(
            "UPDATE layers SET depth = depth + ? WHERE document = ? AND annotator = ?", (by, document, annotator)
        )

    def _elements_at(
        self, document: DocumentId, annotator: str, position: int, side: Literal["before", "after"]
    ) -> LayerChange:
        """The elements before or after the edit at a position of the history."""
        (values,) = self._db.execute(
            f"SELECT c.{side} FROM history h JOIN changes c USING (document, annotator, revision) "
            "WHERE h.document = ? AND h.annotator = ? AND h.position = ?",
            (document, annotator, position),
        ).fetchone()
        return VALUES.validate_json(values)

    def _changes_since(self, document: DocumentId, annotator: str, revision: int) -> SavedChange:
        """Elements changed since a revision, as they are now."""
        head = self._head(document, annotator)
        rows = self._db.execute(
            "SELECT after FROM changes WHERE document = ? AND annotator = ? AND revision > ?",
            (document, annotator, revision),
        )
        ids = {id for (after,) in rows for id in json.loads(after)}
        values: LayerChange = {}
        for id in sorted(ids):
            row = self._db.execute(
                "SELECT value FROM elements WHERE document = ? AND annotator = ? AND id = ?", (document, annotator, id)
            ).fetchone()
            values[id] = None if row is None else ELEMENT.validate_json(row[0])
        return SavedChange(head.revision, values, head.depth > 0, head.can_redo, head.done)


@dataclass(frozen=True)
class _Head:
    revision: int
    depth: int
    done: bool
    can_redo: bool


def connect(path: Path) -> sqlite3.Connection:
    """A connection to a project's file: a write-ahead log, and every commit on disk before it is reported."""
    with file_errors("open", path):
        db = sqlite3.connect(path, isolation_level=None, timeout=30)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        return db


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def now() -> str:
    """The time for a log, in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
