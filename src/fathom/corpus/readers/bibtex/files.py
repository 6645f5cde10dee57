"""The bibliography files beside a document, and what is told of them."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.corpus.readers.bibtex.parser import Citations, Source, read_bibtex, source_of
from fathom.corpus.readers.parsed_document import CompanionFiles, ParsedDocument
from fathom.corpus.readers.parsing.decoding import decoded_leniently

_MOST_FILES = 50


def beside(name: str, companions: CompanionFiles) -> bytes | None:
    """A file beside the document; a name that no file can have is not asked for."""
    return companions.get(name) if 0 < len(name) <= 200 and name.isprintable() else None


def all_beside(companions: CompanionFiles) -> list[str]:
    """The names of the bibliography files in the document's folder."""
    return sorted(name for name in companions.names() if name.lower().endswith(".bib"))


def with_ending(name: str) -> str:
    """A bibliography file's name: many documents leave its ending out."""
    name = name.strip().strip("`").strip()
    return name if name.lower().endswith(".bib") else f"{name}.bib"


def bibliography(names: Sequence[str], companions: CompanionFiles) -> tuple[dict[str, Source], list[str]]:
    """What these bibliography files beside the document hold, and the names of their broken entries."""
    sources: dict[str, Source] = {}
    broken: list[str] = []
    for name in names[:_MOST_FILES]:
        content = beside(name, companions)
        if content is not None:
            file = read_bibtex(decoded_leniently(content))
            broken.extend(file.broken)
            for key, entry in file.entries.items():
                sources.setdefault(key, source_of(entry))
    return sources, broken


def note_doubts(found: ParsedDocument, citations: Citations, broken: Sequence[str]) -> None:
    """Note which references are doubtful and which entries of the bibliography could not be read."""
    if citations.note():
        found.uncertain["references"] = citations.note()
    if broken:
        found.uncertain["bibliography"] = "cannot be read: " + ", ".join(broken[:20])
