"""Domain packs: read one, measure what it finds in a corpus, and draft one from a corpus."""

from __future__ import annotations

from pathlib import Path

from fathom.api.arguments import Folder, as_path
from fathom.api.corpora import open_corpus
from fathom.records.errors import FathomError, file_errors
from fathom.tasks.tables.pack import Pack, pack_names, read_pack
from fathom.tasks.tables.pack_coverage import FieldCoverage, PackCoverage, pack_coverage
from fathom.tasks.tables.pack_draft import draft_pack

__all__ = ["FieldCoverage", "Pack", "PackCoverage", "check_pack", "pack_names", "read_pack", "write_draft"]


def check_pack(pack: str, corpus: Folder, seed: int = 0) -> PackCoverage:
    """The coverage of a pack, given by name or TOML file, in a corpus: of every field, with sample questions."""
    read = read_pack(pack)
    with open_corpus(corpus) as opened:
        return pack_coverage(read, opened, seed)


def write_draft(corpus: Folder, out: Folder) -> Path:
    """Write a pack with a field for every fact that recurs in the corpus; returns the file."""
    path = as_path(out)
    if path.suffix != ".toml":
        raise FathomError(f"A pack is a TOML file: write to '{path}.toml'.")
    if path.exists():
        raise FathomError(f"'{path}' exists. Choose another file, or remove it.")
    with open_corpus(corpus) as opened:
        text = draft_pack(opened, _name_of(path))
    with file_errors("write", path):
        path.write_text(text, "utf-8")
    return path


def _name_of(path: Path) -> str:
    name = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in path.stem.lower()).strip("-")
    return name if name[:1].isalpha() else f"pack-{name}".strip("-")
