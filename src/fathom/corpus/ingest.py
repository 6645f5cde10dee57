"""Documents into a corpus: read in as many processes as there are, then linked, then kept. A kill loses little.

One process opens, writes and tells who is who; all else is done by the workers, who stay from the first document to the
last, so that two are close to twice as fast. Linking goes over what was read three times instead of keeping it in
memory.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from fathom.corpus.author_disambiguation import Who
from fathom.corpus.document_reading import Filters, read, sought_from
from fathom.corpus.ingest_report import IngestReport, Reporter
from fathom.corpus.link_writing import Linked, relinked
from fathom.corpus.linking import Linker
from fathom.corpus.manifest import CorpusManifest
from fathom.corpus.readers.parsing.sentences import forget
from fathom.corpus.readers.sources import source_files
from fathom.corpus.staging import Staging
from fathom.corpus.store import CorpusWriter, PackedDocument
from fathom.records.errors import FathomError
from fathom.records.files import write_json
from fathom.work import Team

REPORT = "ingest.report.json"

SAVED_EVERY = 32
"""Files between two saves: what a kill can lose."""

COPIED = 200_000
"""Documents up to which every worker gets an index of its own to find references in: a kilobyte for each document."""

Watch = Callable[[str, int], None]
"""Told the stage, and how many documents are done in it."""


def ingest(
    sources: Sequence[Path],
    folder: Path,
    filters: Filters,
    processes: int = 1,
    watch: Watch = lambda stage, done: None,
) -> tuple[CorpusManifest, IngestReport]:
    """Read all sources into a corpus; broken off and called again it goes on."""
    recipe: dict[str, JsonValue] = {
        "command": "ingest",
        "sources": [str(source) for source in sources],
        "filters": filters.model_dump(mode="json"),
    }
    with CorpusWriter(folder, recipe) as writer, Staging(folder, recipe) as staging, Team(processes) as team:
        _read_all(sources, filters, staging, team, watch)
        forget()  # Where this process has read by itself, linking can use the room.
        reporter = Reporter(sources)
        linker = _gathered(staging, filters, reporter)
        if not reporter.kept:
            raise FathomError(_nothing(sources, reporter))
        links, works = _link(staging, linker, team, watch)
        del linker  # Who is who takes as much memory: one after the other.
        people = _keep(staging, _who(staging), writer, team, watch)
        report = reporter.report(links, works, people)
        manifest = writer.finish()
        write_json(folder / REPORT, report)
        staging.remove()
    return manifest, report


def _nothing(sources: Sequence[Path], reporter: Reporter) -> str:
    if reporter.left_out:
        return f"All that was read is left out by the filters: {reporter.why_none()}. Loosen them, and start anew."
    named = ", ".join(map(str, sources))
    return f"Nothing could be read from {named}: {reporter.why_none()}. Give other documents."


def _read_all(sources: Sequence[Path], filters: Filters, staging: Staging, team: Team, watch: Watch) -> None:
    done = staging.files()
    fresh = (opened for opened in source_files(sources) if not done or not staging.has(opened.source))
    for number, (source, found) in enumerate(team.ordered(partial(read, filters=filters), fresh), start=1):
        staging.add(source, found)
        if number % SAVED_EVERY == 0:
            staging.save()
        watch("Reading", done + number)
    staging.save()


def _gathered(staging: Staging, filters: Filters, reporter: Reporter) -> Linker:
    """A linker that knows every document that is kept; the others are reported."""
    linker = Linker()
    ids: set[str] = set()
    for number, told, front in staging.told():
        if front is None:
            reporter.refuse(told)
            continue
        id = front.entry.id
        objection = filters.objection(told) or ("the same document again" if id in ids else None)
        if objection is not None:
            reporter.leave_out(objection)
            continue
        ids.add(id)
        reporter.keep(told)
        linker.add(front.entry)
        staging.keep(number)
    return linker


def _link(staging: Staging, linker: Linker, team: Team, watch: Watch) -> tuple[dict[str, int], int]:
    """Note who cites whom; returns how references were told, and how many documents are versions of another one."""
    versions = linker.versions  # Told first: it takes the index, which then goes to every worker as it is.
    waiting: deque[int] = deque()

    def asked() -> Iterator[tuple[str, bytes]]:
        for number, id, sought in staging.sought():
            waiting.append(number)
            yield id, sought

    finders = team if len(linker) <= COPIED else Team(1)
    for done, found in enumerate(finders.ordered(partial(_find, linker), asked()), start=1):
        linker.count(found.ways)
        staging.link(waiting.popleft(), found.cited, found.work)
        watch("Linking", done)
    return linker.report(), versions


class _Links(NamedTuple):
    """What linking tells of one document."""

    cited: tuple[str | None, ...]
    ways: tuple[str, ...]
    work: str | None


def _find(linker: Linker, asked: tuple[str, bytes]) -> _Links:
    """Whom the document of that id cites, by its packed references."""
    id, sought = asked
    matches = linker.find(id, sought_from(sought))
    return _Links(tuple(match.document for match in matches), tuple(match.way for match in matches), linker.work(id))


def _who(staging: Staging) -> Who:
    """Who is who: co-authors, works and citations tell people of one name apart."""
    who = Who()
    for front, cited, work in staging.fronts():
        who.add(front.entry.id, front.signatures, front.subject, work, cited)
    return who


def _keep(staging: Staging, who: Who, writer: CorpusWriter, team: Team, watch: Watch) -> dict[str, int]:
    """Write the corpus; returns how many bylines have a person that is certain, and how many have none."""
    already = len(writer)
    people: Counter[str] = Counter()
    waiting: deque[PackedDocument] = deque()

    def linked() -> Iterator[Linked]:
        for packed, cited, work in staging.kept():
            whose = who.people(packed.id)
            people.update("certain" if person else "uncertain" for person in whose)
            named = tuple(dict.fromkeys(id for id in cited if id is not None))
            waiting.append(replace(packed, parts=b"", cited=named))
            yield Linked(packed.id, packed.parts, cited, work, whose)

    for number, made in enumerate(team.ordered(relinked, linked()), start=1):
        packed = waiting.popleft()
        # What an earlier try has kept stands: documents come in the same order every time.
        if number > already:
            writer.add(replace(packed, parts=made.parts, outline=made.outline))
        if number % SAVED_EVERY == 0:
            writer.save()
        watch("Keeping", number)
    return dict(people)
