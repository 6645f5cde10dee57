"""The manifest of a corpus: the settings that created it, its contents, and their licenses."""

from __future__ import annotations

from pathlib import Path

from pydantic import JsonValue

from fathom.records import manifests
from fathom.records.documents import NonNegativeInt
from fathom.records.errors import FathomError
from fathom.records.files import write_json
from fathom.records.record import Record

FORMAT = 5
"""Incremented whenever the files of a corpus change."""

FILE_NAME = "manifest.json"

REBUILD_ADVICE = "Restore a copy, or delete the folder and build the corpus again."
"""The advice for a damaged corpus."""


class CorpusManifest(Record):
    """The manifest. Written last, so that a corpus with a manifest is complete."""

    format: int = FORMAT
    fathom: str
    """The version of the program that wrote it."""
    recipe: dict[str, JsonValue]
    """The command and the settings that give the same corpus again."""
    fingerprint: str
    """A hash of all documents in order; two corpora with the same fingerprint have the same documents."""
    documents: NonNegativeInt
    characters: NonNegativeInt
    tokens: NonNegativeInt
    tokenizer: str
    """The name of the tokenizer that `tokens` is counted with."""
    links: NonNegativeInt
    """Citations from one document of the corpus to another."""
    kinds: dict[str, NonNegativeInt]
    subjects: dict[str, NonNegativeInt]
    languages: dict[str, NonNegativeInt]
    licenses: dict[str, NonNegativeInt]

    def write(self, folder: Path) -> None:
        """Write the manifest into `folder`."""
        write_json(folder / FILE_NAME, self)


def read_manifest(folder: Path) -> CorpusManifest:
    """The manifest of the corpus in `folder`."""
    path = folder / FILE_NAME
    if not folder.exists():
        raise FathomError(
            f"There is no corpus '{folder}': the folder does not exist. Create one with `fathom generate --out CORPUS`."
        )
    if not path.exists():
        raise FathomError(
            f"'{folder}' is not a finished corpus: it has no {FILE_NAME}. "
            "Run the command that was writing it again, or create one with `fathom generate --out CORPUS`."
        )
    return manifests.read_manifest(path, CorpusManifest, FORMAT, "corpus", REBUILD_ADVICE)
