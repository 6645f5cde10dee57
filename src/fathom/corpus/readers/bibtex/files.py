"""Bibliography files in the folder of a document."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.corpus.readers.bibtex.citations import CitationFormatter, CitedWork, cited_work
from fathom.corpus.readers.bibtex.parser import parse_bibtex
from fathom.corpus.readers.parsed_document import CompanionFiles, ParsedDocument
from fathom.corpus.readers.parsing.decoding import decode_lenient

_MAX_FILES = 50
"""Maximum number of bibliography files of one document."""


def read_companion(name: str, companions: CompanionFiles) -> bytes | None:
    """Return a file in the document's folder; None if it is missing or its name is invalid."""
    return companions.get(name) if 0 < len(name) <= 200 and name.isprintable() else None


def bib_file_names(companions: CompanionFiles) -> list[str]:
    """Return the names of the bibliography files in the document's folder."""
    return sorted(name for name in companions.names() if name.lower().endswith(".bib"))


def with_bib_suffix(name: str) -> str:
    """Return a bibliography file's name with its suffix, which many documents omit."""
    name = name.strip().strip("`").strip()
    return name if name.lower().endswith(".bib") else f"{name}.bib"


def read_bibliographies(names: Sequence[str], companions: CompanionFiles) -> tuple[dict[str, CitedWork], list[str]]:
    """Return the works in these bibliography files by key, and the names of the entries that cannot be parsed."""
    works: dict[str, CitedWork] = {}
    broken: list[str] = []
    for name in names[:_MAX_FILES]:
        content = read_companion(name, companions)
        if content is not None:
            file = parse_bibtex(decode_lenient(content))
            broken.extend(file.broken)
            for key, entry in file.entries.items():
                works.setdefault(key, cited_work(entry))
    return works, broken


def note_uncertainties(document: ParsedDocument, citations: CitationFormatter, broken: Sequence[str]) -> None:
    """Note how much of the bibliography is cited and which of its entries cannot be parsed."""
    if coverage := citations.coverage_note():
        document.uncertain["references"] = coverage
    if broken:
        document.uncertain["bibliography"] = "cannot be parsed: " + ", ".join(broken[:20])
