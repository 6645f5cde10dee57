"""Puzzles that people wrote: import from other collections."""

from __future__ import annotations

import gzip
import lzma
import tempfile
import zlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from fathom.api.arguments import Folder, as_path
from fathom.api.corpora import ingest
from fathom.records.authored_puzzles import AuthoredPuzzle
from fathom.records.documents import Count
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import write_records
from fathom.records.record import Record
from fathom.tasks.puzzles.musr import Story, read_stories

__all__ = ["ImportedPuzzles", "import_puzzles"]

CORPUS, PUZZLES = "corpus", "puzzles.jsonl"
MOST_BYTES = 64 << 20
"""The maximum size of a file of puzzles, unpacked."""


class ImportedPuzzles(Record):
    """What an import wrote."""

    out: str
    documents: Count
    puzzles: Count
    conclusions: Count
    """Items of all checklists."""
    left_out: dict[str, Count]
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
        conclusions=sum(len(one.checklist) for one in puzzles),
        left_out=dict(left_out),
    )


def _content(file: Path) -> bytes:
    """A file, unpacked if it is gzip or xz."""
    with file_errors("read", file), file.open("rb") as raw:
        head = raw.read(2)
    opened = gzip.open if head == b"\x1f\x8b" else lzma.open if head == b"\xfd7" else open
    try:
        with file_errors("read", file), opened(file, "rb") as unpacked:
            content: bytes = unpacked.read(MOST_BYTES + 1)
    except (EOFError, zlib.error, lzma.LZMAError) as error:
        raise FathomError(f"'{file}' is damaged: {error}. Get the file again.") from error
    if len(content) > MOST_BYTES:
        raise FathomError(f"'{file}' has more than {MOST_BYTES >> 20} MB unpacked. Split it.")
    return content
