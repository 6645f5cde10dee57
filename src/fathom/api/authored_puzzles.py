"""Puzzles that people write: the authoring project, its baselines and its result; import of other collections."""

from __future__ import annotations

import gzip
import lzma
import os
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from fathom.annotate.authoring import AuthoringCounts, AuthoringProject
from fathom.annotate.project import FILE, Project, ProjectSettings
from fathom.api.arguments import Folder, as_path
from fathom.api.benches import build
from fathom.api.corpora import ingest
from fathom.api.runs import run
from fathom.api.scores import score_run
from fathom.api.serving import require_server, serve
from fathom.corpus.store import Corpus
from fathom.records.authored_puzzles import AuthoredPuzzle
from fathom.records.documents import NonNegativeInt
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import write_records
from fathom.records.record import Record
from fathom.tasks.bench import Bench
from fathom.tasks.puzzles.authored import puzzle_of
from fathom.tasks.puzzles.check import CORRECT
from fathom.tasks.puzzles.musr import Story, read_stories

__all__ = [
    "AuthoringCounts",
    "ImportedPuzzles",
    "authoring_counts",
    "create_authoring",
    "export_puzzles",
    "import_puzzles",
    "run_baselines",
    "serve_authoring",
]

CORPUS, PUZZLES = "corpus", "puzzles.jsonl"
MAX_BYTES = 64 << 20
"""The maximum size of a file of puzzles, unpacked."""


def create_authoring(corpus: Folder, project: Folder, people: Sequence[str]) -> AuthoringCounts:
    """Create a project in which people write puzzles about the documents of a corpus, or add people to it."""
    folder = as_path(project)
    if not (folder / FILE).exists():
        if not people:
            raise FathomError("A new project needs at least one --author.")
        with Corpus(as_path(corpus)) as documents:
            settings = ProjectSettings(
                corpus=Path(os.path.relpath(documents.folder.resolve(), folder.resolve())).as_posix(),
                corpus_fingerprint=documents.manifest.fingerprint,
                documents=tuple(entry.id for entry in documents.entries()),
            )
        Project.create(folder, settings).close()
    with AuthoringProject(folder) as opened:
        for name in people:
            if name not in opened.annotators():
                opened.add_annotator(name, ())
        return opened.stage_counts()


def authoring_counts(project: Folder) -> AuthoringCounts:
    """How many puzzles of a project reached each stage."""
    with AuthoringProject(as_path(project)) as opened:
        return opened.stage_counts()


def export_puzzles(project: Folder, out: Folder) -> int:
    """Write the final puzzles of a project as JSON lines; returns how many there are."""
    with AuthoringProject(as_path(project)) as opened:
        final = list(opened.final())
    if not final:
        raise FathomError(f"No puzzle of the project '{project}' is final. Review some first.")
    write_records(as_path(out), final)
    return len(final)


def run_baselines(project: Folder, models: Sequence[str]) -> int:
    """Let models answer the puzzles that need it, and record who gives the correct answer; returns their number.

    Only the answer counts here: a puzzle that is solved by guessing is too easy as well.
    """
    if not models:
        raise FathomError("No baseline was given. Give at least one --model.")
    with AuthoringProject(as_path(project)) as opened:
        waiting = [puzzle for puzzle in opened.puzzles().values() if puzzle.state == "needs baselines"]
        if not waiting:
            return 0
        corpus = _corpus_folder(opened)
    solved: dict[str, dict[str, bool]] = {history.id: {} for history in waiting}
    with tempfile.TemporaryDirectory(prefix="fathom-authoring-") as place:
        folder = Path(place)
        write_records(folder / PUZZLES, [history.puzzle for history in waiting])
        build("puzzles", corpus, out=folder / "bench", items=len(waiting), authored=folder / PUZZLES)
        ids = {puzzle_of(key).question: key.question_id for key in Bench(folder / "bench").all_keys()}
        for number, model in enumerate(models):
            run(folder / "bench", model=model, out=folder / f"run-{number}")
            scores = score_run(folder / f"run-{number}")
            correct = {verdict.question_id for verdict in scores.verdicts if verdict.measures.get(CORRECT)}
            for history in waiting:
                # A puzzle without an item in the bench has an answer that the audit rejects: no baseline can solve it.
                solved[history.id][model] = ids.get(history.puzzle.question) in correct
    with AuthoringProject(as_path(project)) as opened:
        for id, found in solved.items():
            opened.baselines(id, found)
    return len(waiting)


def _corpus_folder(project: Project) -> Path:
    return Path(os.path.normpath(project.folder.resolve() / project.settings.corpus))


def serve_authoring(project: Folder, *, port: int = 0, started: Callable[[dict[str, str]], None]) -> None:
    """Serve an authoring project on the loopback address until an interrupt; `started` gets the link of each person."""
    require_server()
    from fathom.annotate.authoring_app import authoring_app

    folder = as_path(project)
    with AuthoringProject(folder) as opened:
        corpus = _corpus_folder(opened)
    serve(folder, lambda of_server: authoring_app(folder, corpus, of_server), port, started)


class ImportedPuzzles(Record):
    """The counts of an import."""

    out: str
    documents: NonNegativeInt
    puzzles: NonNegativeInt
    conclusions: NonNegativeInt
    """Items of all checklists."""
    left_out: dict[str, NonNegativeInt]
    """Puzzles that were left out, by reason."""


def import_puzzles(files: Sequence[Folder], out: Folder) -> ImportedPuzzles:
    """Read puzzles of MuSR, and write a corpus of their stories and `puzzles.jsonl` to the folder `out`.

    The conclusions of a question's reasoning tree become its checklist.
    """
    folder = as_path(out)
    if folder.exists():
        raise FathomError(f"'{folder}' already exists. Choose another --out.")
    stories: dict[str, Story] = {}
    for file in map(as_path, files):
        name = file.name.partition(".")[0].replace("_", " ").replace("-", " ")
        for number, story in enumerate(read_stories(_content(file), str(file)), start=1):
            stories[f"{name} {number}"] = story
    with tempfile.TemporaryDirectory(prefix="fathom-puzzles-") as sources:
        for title, story in stories.items():
            (Path(sources) / f"{title}.txt").write_text(f"Title: {title}\n\n{story.text}\n", "utf-8")
        with ingest(sources, folder / CORPUS) as corpus:
            ids = {entry.title: entry.id for entry in corpus.entries()}
    puzzles: list[AuthoredPuzzle] = []
    left_out: Counter[str] = Counter()
    for title, story in stories.items():
        if title not in ids:
            left_out["whose story is in the corpus under another title"] += len(story.questions)
            continue
        puzzles += [
            AuthoredPuzzle(
                document=ids[title],
                question=asked.text,
                answer=asked.answer,
                options=asked.options,
                checklist=asked.checklist,
                reasoning=asked.reasoning,
                kind="literature",
            )
            for asked in story.questions
        ]
    write_records(folder / PUZZLES, puzzles)
    return ImportedPuzzles(
        out=str(folder),
        documents=len(ids),
        puzzles=len(puzzles),
        conclusions=sum(len(puzzle.checklist) for puzzle in puzzles),
        left_out=dict(left_out),
    )


def _content(file: Path) -> bytes:
    """A file, unpacked if it is gzip or xz."""
    with file_errors("read", file), file.open("rb") as raw:
        head = raw.read(2)
    opened = gzip.open if head == b"\x1f\x8b" else lzma.open if head == b"\xfd7" else open
    try:
        with file_errors("read", file), opened(file, "rb") as unpacked:
            content: bytes = unpacked.read(MAX_BYTES + 1)
    except (EOFError, zlib.error, lzma.LZMAError) as error:
        raise FathomError(f"'{file}' is damaged: {error}. Get the file again.") from error
    if len(content) > MAX_BYTES:
        raise FathomError(f"'{file}' has more than {MAX_BYTES >> 20} MB unpacked. Split it.")
    return content
