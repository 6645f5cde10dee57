"""Documents into a corpus: read in as many processes as there are, then linked, then kept. A kill loses little."""

from __future__ import annotations

import json
import signal
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Annotated

import zstandard
from pydantic import Field, JsonValue

from fathom.corpus.linking import Entry, Linker, Match, Named, apply, entry_of
from fathom.corpus.manifest import CorpusManifest
from fathom.corpus.readers.catalog import bare_name, reader_of
from fathom.corpus.readers.compose import compose
from fathom.corpus.readers.found import Found, NoSiblings, Unreadable
from fathom.corpus.readers.opening import Opened, documents
from fathom.corpus.store import CorpusWriter, Packed, pack
from fathom.corpus.who import Signature, Who, signatures
from fathom.models.tokenizers import DEFAULT, tokenizer
from fathom.records.articles import Article, ArticleId, Count, PersonId
from fathom.records.errors import FathomError, touching
from fathom.records.files import replacing
from fathom.records.record import Record
from fathom.work import run_ordered

REPORT = "ingest.report.json"
PATIENCE = 120
"""Seconds for one document; what takes longer is refused."""

SAVED_EVERY = 32
"""Files between two saves: what a kill can lose."""


class Filters(Record):
    """What is kept of what was read."""

    kinds: tuple[str, ...] = ()
    """Readers by name; empty for all."""
    least_tokens: Count = 0
    most_tokens: Count | None = None
    least_tables: Count = 0
    full_text: bool = False
    """Only documents with a body, not those that are an abstract and a list of references."""
    licences: tuple[str, ...] = ()
    """Beginnings of allowed licences, such as CC-BY or CC0; empty for all."""

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
        if self.licences and not read.licence.upper().startswith(tuple(name.upper() for name in self.licences)):
            return f"licence {read.licence}"
        return None


@dataclass(frozen=True)
class Read:
    """What became of one document."""

    source: str
    kind: str
    """The reader's name; empty where none knows the file."""
    refused: str = ""
    """Why nothing came of it."""
    article: bytes = field(default=b"", repr=False)
    """The article as a line of JSON, packed."""
    front: bytes = field(default=b"", repr=False)
    """What linking needs of it, packed too: the whole article is opened once more and no oftener."""
    id: str = ""
    tokens: int = 0
    tables: int = 0
    licence: str = ""
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
    "licence",
    "subject",
)


class Told(Record):
    """What was read of one source or of one kind of document."""

    documents: Count = 0
    fields: dict[str, Count] = {}
    """How many documents have each field."""
    doubtful: dict[str, Count] = {}
    """How many have it with doubt."""
    citations: Count = 0
    resolved: Count = 0
    """Citations that point to an entry of the reference list."""

    def share(self, name: str) -> float:
        """The share of documents that have a field, or of citations that are resolved."""
        if name == "resolved":
            return self.resolved / self.citations if self.citations else 1.0
        return self.fields.get(name, 0) / self.documents if self.documents else 0.0


class IngestReport(Record):
    """How good the reading is."""

    documents: Count
    kept: Count
    refused: dict[str, Count]
    """Documents that could not be read, by reason."""
    refusals: tuple[tuple[str, str], ...]
    """The first hundred of them: source and reason."""
    passed_over: Count
    """Files of no known kind."""
    left_out: dict[str, Count]
    """Read, but kept out by a filter or since the same document was there already."""
    by_source: dict[str, Told]
    by_kind: dict[str, Told]
    links: dict[str, Count]
    """References by how the article they name was found, and those that name none."""
    works: Count
    """Documents that are versions of another one."""
    people: dict[str, Count]
    """Bylines whose person is certain, and those where it is not."""


Share = Annotated[float, Field(ge=0, le=1)]


def too_low(report: IngestReport, strict: dict[str, float]) -> list[str]:
    """Which of the wanted shares are not reached, in words."""
    whole = _together(report.by_kind.values())
    return [
        f"{name} {whole.share(name):.1%} of {whole.documents:,} documents, wanted {least:.1%}"
        for name, least in strict.items()
        if whole.share(name) < least
    ]


def ingest(
    sources: Sequence[Path],
    folder: Path,
    filters: Filters,
    processes: int = 1,
    watch: Callable[[str, int], None] = lambda stage, done: None,
) -> tuple[CorpusManifest, IngestReport]:
    """Read all sources into a corpus; broken off and called again it goes on."""
    recipe: dict[str, JsonValue] = {
        "command": "ingest",
        "sources": [str(source) for source in sources],
        "filters": filters.model_dump(mode="json"),
    }
    with CorpusWriter(folder, recipe) as writer, _Staging(folder, recipe) as staging:
        _read_all(sources, filters, staging, processes, watch)
        if not staging.kept:
            raise FathomError(
                f"Nothing could be read from {', '.join(map(str, sources))}: {_why(staging)}. Give other documents."
            )
        report = _link_and_keep(sources, staging, writer, processes, watch)
        manifest = writer.finish()
        with replacing(folder / REPORT) as file:
            file.write(report.model_dump_json(indent=2).encode() + b"\n")
        staging.remove()
    return manifest, report


def _why(staging: _Staging) -> str:
    reasons = Counter(read.refused or "of no known kind" for read in staging.told())
    return ", ".join(f"{reason} ({count:,})" for reason, count in reasons.most_common(2)) or "there are no files"


# Reading.


def _read_all(
    sources: Sequence[Path],
    filters: Filters,
    staging: _Staging,
    processes: int,
    watch: Callable[[str, int], None],
) -> None:
    done = staging.files()
    fresh = (opened for opened in documents(sources) if opened.source not in done)
    for number, (source, found) in enumerate(run_ordered(partial(read, filters=filters), fresh, processes), start=1):
        staging.add(source, found)
        if number % SAVED_EVERY == 0:
            staging.save()
        watch("Reading", len(done) + number)
    staging.save()


def read(opened: Opened, filters: Filters) -> tuple[str, list[Read]]:
    """What becomes of one file: any number of documents, each read, refused or left out."""
    if opened.refused:
        return opened.source, [Read(opened.source, "", refused=opened.refused)]
    name = bare_name(opened.source)
    kind = ""
    found: list[Read] = []
    try:
        with _patience(PATIENCE):
            reader = reader_of(name, opened.content)
            if reader is None or (filters.kinds and reader.KIND not in filters.kinds):
                return opened.source, [Read(opened.source, "")]
            kind = reader.KIND
            for number, document in enumerate(reader.read(opened.content, name, opened.siblings or NoSiblings())):
                document.source = opened.source if number == 0 else f"{opened.source}#{number + 1}"
                found.append(_composed(document, kind))
    except Unreadable as reason:
        found.append(Read(opened.source, kind, refused=str(reason)))
    except LateError:
        found.append(Read(opened.source, kind, refused=f"it took longer than {PATIENCE} s"))
    except (Exception, RecursionError, MemoryError) as error:
        # A document must not end the reading of ten thousand others; what it did is told with its reason.
        found.append(Read(opened.source, kind, refused=f"its reader failed ({type(error).__name__}: {error})"[:300]))
    return opened.source, found


def _composed(document: Found, kind: str) -> Read:
    try:
        article = compose(document)
    except Unreadable as reason:
        return Read(document.source, kind, refused=str(reason))
    except ValueError as error:
        return Read(document.source, kind, refused=f"its parts contradict one another ({error})"[:300])
    return Read(
        document.source,
        kind,
        article=zstandard.compress(article.to_line(), 1),
        front=zstandard.compress(_front(article), 1),
        id=article.id,
        tokens=tokenizer(DEFAULT).count(article.text),
        tables=len(article.tables),
        licence=article.licence,
        has_body=any(section.role not in ("abstract", "references") for section in article.sections)
        or len(article.paragraphs) > 3,
        fields=tuple(name for name in FIELDS if _has(article, name)),
        citations=len(article.citations),
        resolved=sum(citation.reference is not None for citation in article.citations),
        doubts=tuple(sorted(document.notes)),
    )


def _front(article: Article) -> bytes:
    signed = [asdict(signature) for signature in signatures(article)]
    return json.dumps({"entry": asdict(entry_of(article)), "signatures": signed, "subject": article.subject}).encode()


@dataclass(frozen=True)
class _Front:
    """What the articles of a corpus are told apart and linked by."""

    entry: Entry
    signatures: tuple[Signature, ...]
    subject: str | None

    @classmethod
    def of(cls, packed: bytes) -> _Front:
        values = json.loads(zstandard.decompress(packed))
        given = values["entry"]
        named = [Named(**{**one, "authors": tuple(one["authors"])}) for one in given["references"]]
        entry = Entry(**{**given, "families": tuple(given["families"]), "references": tuple(named)})
        return cls(entry, tuple(Signature(**one) for one in values["signatures"]), values["subject"])


def _has(article: Article, name: str) -> bool:
    match name:
        case "title":
            return True
        case "reference titles":
            titled = sum(reference.title is not None for reference in article.references)
            return bool(article.references) and titled >= 0.9 * len(article.references)
        case "year":
            return article.year is not None
        case "licence":
            return article.licence != "unknown"
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


# What was read, until it is linked.


class _Staging:
    """Documents that were read, in a file beside the corpus; it is gone when the corpus is there."""

    def __init__(self, folder: Path, recipe: dict[str, JsonValue]) -> None:
        self._path = folder.with_name(f"{folder.name}.reading")
        with touching("write", self._path):
            self._db = sqlite3.connect(self._path, isolation_level=None)
            self._db.executescript(_STAGING)
            known = self._db.execute("SELECT recipe FROM settings").fetchone()
            wanted = json.dumps(recipe, sort_keys=True)
            if known is not None and known[0] != wanted:
                self._db.close()
                raise FathomError(f"'{self._path}' holds what another command began to read. Delete it to start anew.")
            self._db.execute("INSERT OR REPLACE INTO settings VALUES (0, ?)", (wanted,))
            self._db.execute("BEGIN")

    def __enter__(self) -> _Staging:
        return self

    def __exit__(self, *error: object) -> None:
        self._db.close()

    def files(self) -> set[str]:
        """The files that are done."""
        return {source for (source,) in self._db.execute("SELECT source FROM files")}

    def add(self, source: str, found: Sequence[Read]) -> None:
        with touching("write", self._path):
            self._db.execute("INSERT INTO files VALUES (?)", (source,))
            for read in found:
                told = {name: value for name, value in vars(read).items() if name not in ("article", "front")}
                self._db.execute(
                    "INSERT INTO documents (id, told, article, front) VALUES (?, ?, ?, ?)",
                    (read.id or None, json.dumps(told), read.article or None, read.front or None),
                )

    def save(self) -> None:
        with touching("write", self._path):
            self._db.execute("COMMIT")
            self._db.execute("BEGIN")

    def told(self) -> Iterator[Read]:
        """Every document in order, without its article."""
        for (told,) in self._db.execute("SELECT told FROM documents ORDER BY number"):
            yield _retold(told)

    @property
    def kept(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM documents WHERE article IS NOT NULL").fetchone()[0])

    def fronts(self) -> Iterator[tuple[Read, _Front]]:
        """The documents that were read, in order, each with what linking needs of it."""
        for told, packed in self._rows("front"):
            yield _retold(told), _Front.of(packed)

    def articles(self) -> Iterator[tuple[Read, bytes]]:
        """The documents that were read, in order, each with its packed article."""
        for told, packed in self._rows("article"):
            yield _retold(told), packed

    def _rows(self, column: str) -> Iterator[tuple[str, bytes]]:
        yield from self._db.execute(f"SELECT told, {column} FROM documents WHERE article IS NOT NULL ORDER BY number")

    def remove(self) -> None:
        """Leave nothing behind."""
        self._db.close()
        for ending in ("", "-journal", "-wal", "-shm"):
            Path(f"{self._path}{ending}").unlink(missing_ok=True)


_STAGING = """
CREATE TABLE IF NOT EXISTS settings (number INTEGER PRIMARY KEY, recipe TEXT);
CREATE TABLE IF NOT EXISTS files (source TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS documents (
    number INTEGER PRIMARY KEY, id TEXT, told TEXT NOT NULL, article BLOB, front BLOB
);
"""


def _retold(told: str) -> Read:
    values = json.loads(told)
    for name in ("fields", "doubts"):
        values[name] = tuple(values[name])
    return Read(**values)


# Linking.


def _link_and_keep(
    sources: Sequence[Path],
    staging: _Staging,
    writer: CorpusWriter,
    processes: int,
    watch: Callable[[str, int], None],
) -> IngestReport:
    linker, kept, left_out = _gathered(staging, Filters.model_validate(writer.recipe["filters"]))
    if not kept:
        reasons = ", ".join(f"{reason} ({count:,})" for reason, count in left_out.most_common(2))
        raise FathomError(f"All that was read is left out by the filters: {reasons}. Loosen them, and start anew.")
    links, who = _related(staging, kept, linker)
    already = len(writer)
    people: Counter[str] = Counter()

    def linked() -> Iterator[_Linked]:
        for read, packed in staging.articles():
            if read.source in kept:
                whose = who.people(read.id)
                people.update("certain" if person else "uncertain" for person in whose)
                yield _Linked(packed, links[read.id], linker.work(read.id), whose)

    for number, packed in enumerate(run_ordered(_packed, linked(), processes), start=1):
        # What an earlier try has kept stands: articles come in the same order every time.
        if number > already:
            writer.add(packed)
        if number % SAVED_EVERY == 0:
            writer.save()
        watch("Linking", number)
    return _report(sources, staging, kept, left_out, linker, people)


@dataclass(frozen=True)
class _Linked:
    """An article on its way into the corpus, with what all the others tell of it."""

    article: bytes
    links: tuple[Match, ...]
    work: str | None
    people: tuple[PersonId | None, ...]


def _packed(linked: _Linked) -> Packed:
    article = Article.from_line(zstandard.decompress(linked.article))
    return pack(apply(article, linked.links, linked.work, linked.people))


def _related(staging: _Staging, kept: set[str], linker: Linker) -> tuple[dict[ArticleId, tuple[Match, ...]], Who]:
    """Who cites whom, and who is who: co-authors, works and citations tell people of one name apart."""
    links: dict[ArticleId, tuple[Match, ...]] = {}
    who = Who()
    for read, front in staging.fronts():
        if read.source in kept:
            links[read.id] = found = linker.link(front.entry)
            cited = [match.article for match in found if match.article is not None]
            who.add(read.id, front.signatures, front.subject, linker.work(read.id), cited)
    return links, who


def _gathered(staging: _Staging, filters: Filters) -> tuple[Linker, set[str], Counter[str]]:
    """Which documents are kept, all of them known to the linker."""
    linker = Linker()
    kept: set[str] = set()
    ids: set[str] = set()
    left_out: Counter[str] = Counter()
    for read, front in staging.fronts():
        objection = filters.objection(read) or ("the same document again" if read.id in ids else None)
        if objection is not None:
            left_out[objection] += 1
            continue
        ids.add(read.id)
        kept.add(read.source)
        linker.add(front.entry)
    return linker, kept, left_out


# The report.


def _report(
    sources: Sequence[Path],
    staging: _Staging,
    kept: set[str],
    left_out: Counter[str],
    linker: Linker,
    people: Counter[str],
) -> IngestReport:
    refused: Counter[str] = Counter()
    refusals: list[tuple[str, str]] = []
    passed_over = total = 0
    by_source: dict[str, list[Read]] = {str(source): [] for source in sources}
    by_kind: dict[str, list[Read]] = {}
    for read in staging.told():
        if not read.kind and not read.refused:
            passed_over += 1
            continue
        total += 1
        if read.refused:
            refused[_shape(read.refused)] += 1
            refusals.append((read.source, read.refused))
        elif read.source in kept:
            by_source[_root(read.source, by_source)].append(read)
            by_kind.setdefault(read.kind, []).append(read)
    return IngestReport(
        documents=total,
        kept=len(kept),
        refused=dict(refused.most_common()),
        refusals=tuple(refusals[:100]),
        passed_over=passed_over,
        left_out=dict(left_out.most_common()),
        by_source={name: _told(reads) for name, reads in by_source.items()},
        by_kind={name: _told(reads) for name, reads in sorted(by_kind.items())},
        links=linker.report(),
        works=linker.versions,
        people=dict(people),
    )


def _root(source: str, roots: dict[str, list[Read]]) -> str:
    """The source, as the user named it, that a document came from."""
    return max((root for root in roots if source.startswith(root)), key=len, default=next(iter(roots)))


def _shape(reason: str) -> str:
    """A reason without what differs from one document to the next."""
    return reason.partition(" (")[0]


def _told(reads: Sequence[Read]) -> Told:
    fields = Counter(name for read in reads for name in read.fields)
    return Told(
        documents=len(reads),
        fields={name: fields[name] for name in FIELDS if fields[name]},
        doubtful=dict(sorted(Counter(name for read in reads for name in read.doubts).items())),
        citations=sum(read.citations for read in reads),
        resolved=sum(read.resolved for read in reads),
    )


def _together(parts: Iterable[Told]) -> Told:
    fields: Counter[str] = Counter()
    documents = citations = resolved = 0
    for told in parts:
        fields.update(told.fields)
        documents += told.documents
        citations += told.citations
        resolved += told.resolved
    return Told(documents=documents, fields=dict(fields), citations=citations, resolved=resolved)
