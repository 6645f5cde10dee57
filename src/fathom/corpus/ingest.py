"""Ingests documents into a corpus: read in worker processes, linked, then written. Interrupted work continues.

One process opens sources, writes, and disambiguates authors; workers do everything else and are reused for all stages,
so two are almost twice as fast as one. Linking reads the staging file three times instead of keeping it in memory.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from pydantic import JsonValue, ValidationError

from fathom.corpus.author_disambiguation import AuthorDisambiguator
from fathom.corpus.document_reading import AttachedSource, Filters, read_attached, read_source, unpack_references
from fathom.corpus.ingest_report import IngestReport, Reporter
from fathom.corpus.link_writing import Links, apply_links
from fathom.corpus.linking import Linker
from fathom.corpus.manifest import FILE_NAME as MANIFEST
from fathom.corpus.manifest import CorpusManifest
from fathom.corpus.readers.parsing.sentences import clear_splitter_cache
from fathom.corpus.readers.sources import Source, check_exist, printable_name, source_files
from fathom.corpus.staging import StagingFile
from fathom.corpus.store import CorpusWriter, PackedDocument, finished_corpus
from fathom.parallel import WorkerPool
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import write_json
from fathom.records.record import first_error

REPORT = "ingest.report.json"

SAVE_INTERVAL = 32
"""Documents, files or parts of files between two commits."""

SAVE_SECONDS = 2.0
"""Seconds between two commits, if that comes first. A kill loses no more."""

MAX_COPIED = 200_000
"""Up to this number of documents every worker gets its own copy of the link index: about a kilobyte per document."""

StageProgress = Callable[[str, int], None]
"""Called with the stage and the number of documents done in it."""


def ingest(
    sources: Sequence[Path],
    folder: Path,
    filters: Filters,
    processes: int = 1,
    progress: StageProgress = lambda stage, done: None,
    results: Path | None = None,
) -> tuple[CorpusManifest, IngestReport]:
    """Read all sources into a corpus in `folder`; an interrupted call continues when it is repeated.

    `results`, by default `folder`, is not read where it is in a source: it has what is made from the documents.
    If `folder` contains the corpus of these sources and filters, and no source has changed since, nothing is done.
    """
    recipe: dict[str, JsonValue] = {
        "command": "ingest",
        "sources": [str(source) for source in sources],
        "filters": filters.model_dump(mode="json"),
    }
    existing, known = finished_corpus(folder, recipe), read_report(folder)
    if existing is not None and known is not None:
        if _changed_since(sources, folder, results or folder):
            raise FathomError(
                f"The documents have changed since they were read into '{folder}'. Choose another --out, or delete "
                "that folder first."
            )
        return existing, known
    check_exist(sources)  # before anything is written: the corrected command could not write to the same folder
    with CorpusWriter(folder, recipe) as writer, StagingFile(folder, recipe) as staging, WorkerPool(processes) as pool:
        _read_all(source_files(sources, results or folder), sources, filters, staging, pool, progress)
        clear_splitter_cache()  # Frees memory for linking, if this process did the reading.
        reporter = Reporter(sources)
        linker = _index(staging, filters, reporter)
        if not reporter.kept:
            staging.remove()
            raise FathomError(_nothing_kept(sources, reporter))
        links, versions = _link(staging, linker, pool, progress)
        del linker  # Author disambiguation takes as much memory again.
        authors = _write(staging, _disambiguator(staging), writer, pool, progress)
        report = reporter.report(links, versions, authors)
        # Before the store is finished: a finished corpus never lacks its report.
        write_json(folder / REPORT, report)
        manifest = writer.finish()
        staging.remove()
    return manifest, report


def _changed_since(sources: Sequence[Path], folder: Path, results: Path) -> bool:
    """Whether a source, or a file or folder in it, was changed after the corpus in `folder` was finished."""
    finished = (folder / MANIFEST).stat().st_mtime_ns
    with file_errors("read", folder):
        return any(
            path.stat().st_mtime_ns > finished
            for source in sources
            for path in _paths(source, results.resolve())
            if path.exists()
        )


def _paths(path: Path, results: Path) -> Iterator[Path]:
    """A source with all files and folders in it, without the folder of results."""
    yield path
    if path.is_dir() and not path.is_symlink():
        for entry in path.iterdir():
            if entry.resolve() != results:
                yield from _paths(entry, results)


def read_report(folder: Path) -> IngestReport | None:
    """The report in the corpus folder; None if the corpus was not ingested."""
    path = folder / REPORT
    if not path.exists():
        return None
    with file_errors("read", path):
        content = path.read_bytes()
    try:
        return IngestReport.model_validate_json(content)
    except ValidationError as error:
        raise FathomError(
            f"'{path}' is not an ingest report: {first_error(error)}. Ingest the documents again."
        ) from error


def _nothing_kept(sources: Sequence[Path], reporter: Reporter) -> str:
    if reporter.left_out:
        return f"The filters left out every document: {reporter.why_empty()}. Relax them, and run the command again."
    names = ", ".join(map(str, sources))
    return f"No document could be read from {names}: {reporter.why_empty()}. Give other sources."


def _read_all(
    files: Iterator[Source],
    sources: Sequence[Path],
    filters: Filters,
    staging: StagingFile,
    pool: WorkerPool,
    progress: StageProgress,
) -> None:
    done = staging.parts()
    unread = (source for source in files if not done or not staging.has(source.key))
    saver = _Saver(staging.save)
    named_paths = frozenset(printable_name(str(source)) for source in sources)
    read = partial(read_source, filters=filters, named_paths=named_paths)
    for number, result in enumerate(pool.map_ordered(read, unread), start=1):
        staging.add(result)
        saver.save_if_due()
        progress("Reading", done + number)
    _read_attached(staging, pool, saver)
    staging.save()


def _read_attached(staging: StagingFile, pool: WorkerPool, saver: _Saver) -> None:
    """Read the documents that are attached to others, each once."""
    source_positions: deque[tuple[int, int]] = deque()

    def unread() -> Iterator[AttachedSource]:
        for number, file, attached in staging.attached():
            source_positions.append((number, file))
            yield attached

    for result in pool.map_ordered(read_attached, unread()):
        staging.add_attached(*source_positions.popleft(), result)
        saver.save_if_due()


class _Saver:
    """Commits at intervals: a kill loses at most the work of one interval."""

    def __init__(self, save: Callable[[], None]) -> None:
        self._save = save
        self._count = 0
        self._last = monotonic()

    def save_if_due(self) -> None:
        self._count += 1
        if self._count >= SAVE_INTERVAL or monotonic() - self._last > SAVE_SECONDS:
            self._save()
            self._count, self._last = 0, monotonic()


def _index(staging: StagingFile, filters: Filters, reporter: Reporter) -> Linker:
    """A linker with every document that is kept; the others are only counted."""
    linker = Linker()
    ids: set[str] = set()
    for number, result, record in staging.results():
        if record is None:
            reporter.reject(result)
            continue
        id = record.entry.id
        reason = filters.reason_against(result) or ("duplicate document" if id in ids else None)
        if reason is not None:
            reporter.leave_out(reason, result.source)
            continue
        ids.add(id)
        reporter.keep(result)
        linker.add(record.entry)
        staging.keep(number)
    return linker


def _link(
    staging: StagingFile, linker: Linker, pool: WorkerPool, progress: StageProgress
) -> tuple[dict[str, int], int]:
    """Link the references; returns the counts by method, and how many documents are versions of another one."""
    versions = linker.versions  # First, since it builds the index that every worker then gets.
    waiting: deque[int] = deque()

    def queries() -> Iterator[tuple[str, bytes]]:
        for number, id, references in staging.references():
            waiting.append(number)
            yield id, references

    finders = pool if len(linker) <= MAX_COPIED else WorkerPool(1)
    for done, links in enumerate(finders.map_ordered(partial(_find, linker), queries()), start=1):
        linker.count(links.methods)
        staging.link(waiting.popleft(), links.cited, links.work)
        progress("Linking", done)
    return linker.report(), versions


class _DocumentLinks(NamedTuple):
    cited: tuple[str | None, ...]
    methods: tuple[str, ...]
    work: str | None


def _find(linker: Linker, query: tuple[str, bytes]) -> _DocumentLinks:
    """The documents that the document of that id cites, by its packed references."""
    id, references = query
    matches = linker.find(id, unpack_references(references))
    return _DocumentLinks(
        tuple(match.document for match in matches), tuple(match.method for match in matches), linker.work(id)
    )


def _disambiguator(staging: StagingFile) -> AuthorDisambiguator:
    """A disambiguator with every byline, and the works and citations that distinguish people with the same name."""
    authors = AuthorDisambiguator()
    for record, cited, work in staging.linking_records():
        authors.add(record.entry.id, record.signatures, record.subject, work, cited)
    return authors


def _write(
    staging: StagingFile, authors: AuthorDisambiguator, writer: CorpusWriter, pool: WorkerPool, progress: StageProgress
) -> dict[str, int]:
    """Write the corpus; returns how many author names have a certain person, and how many have none."""
    written = len(writer)
    saver = _Saver(writer.save)
    counts: Counter[str] = Counter()
    waiting: deque[PackedDocument] = deque()

    def linked() -> Iterator[Links]:
        for document, cited, work in staging.documents():
            people = authors.people(document.id)
            counts.update("certain" if person else "uncertain" for person in people)
            cited_ids = tuple(dict.fromkeys(id for id in cited if id is not None))
            waiting.append(replace(document, parts=b"", cited=cited_ids))
            yield Links(document.id, document.parts, cited, work, people)

    for number, parts in enumerate(pool.map_ordered(apply_links, linked()), start=1):
        document = waiting.popleft()
        # Documents that an earlier attempt wrote are skipped: the order is the same every time.
        if number > written:
            writer.add(replace(document, parts=parts.parts, outline=parts.outline))
        saver.save_if_due()
        progress("Writing", number)
    return dict(counts)
