"""What a corpus says of itself: how it was made, what is in it, under which licenses."""

from __future__ import annotations

from pathlib import Path

from pydantic import JsonValue

from fathom.records import manifests
from fathom.records.documents import Count
from fathom.records.errors import FathomError
from fathom.records.files import write_json
from fathom.records.record import Record

FORMAT = 3
"""Raised whenever the files of a corpus change their shape."""

FILE_NAME = "manifest.json"

REBUILD_ADVICE = "Restore a copy, or delete the folder and make the corpus again."
"""What to do about a corpus that is damaged."""


class CorpusManifest(Record):
    """Written last, so that a corpus with a manifest is a finished one."""

    format: int = FORMAT
    fathom: str
    """The version of the program that wrote it."""
    recipe: dict[str, JsonValue]
    """The command and the settings that make the same corpus again."""
    fingerprint: str
    """Of every document in order; two corpora of one fingerprint hold the same documents."""
    documents: Count
    characters: Count
    tokens: Count
    tokenizer: str
    links: Count
    """Citations from one document of the corpus to another."""
    kinds: dict[str, Count]
    subjects: dict[str, Count]
    languages: dict[str, Count]
    licenses: dict[str, Count]

    def write(self, folder: Path) -> None:
        """Put it into `folder`, readable by people."""
        write_json(folder / FILE_NAME, self)


def read_manifest(folder: Path) -> CorpusManifest:
    """The manifest of the corpus in `folder`; every way in which there is none is an error of its own."""
    path = folder / FILE_NAME
    if not folder.exists():
        raise FathomError(
            f"There is no corpus '{folder}': the folder does not exist. Make one with `fathom generate --out CORPUS`."
        )
    if not path.exists():
        raise FathomError(
            f"'{folder}' is no finished corpus: it has no {FILE_NAME}. "
            "Run the command that was making it again, or make one with `fathom generate --out CORPUS`."
        )
    return manifests.read_manifest(path, CorpusManifest, FORMAT, "corpus", REBUILD_ADVICE)
