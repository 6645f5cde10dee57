"""All readers, and the choice of the reader for a file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import cast

from fathom.corpus.readers.json_lines import BYTE_ORDER_MARK
from fathom.corpus.readers.parsed_document import LineReader, Reader

FORMATS = {
    "jats": "jats", "tei": "tei", "ixbrl": "ixbrl", "latexml": "latexml", "s2orc": "s2orc",
    "papers-jsonl": "annotated_papers", "pdf": "pdf", "docx": "docx", "epub": "epub", "myst": "myst", "rst": "rst",
    "latex": "latex", "markdown": "markdown", "html-article": "html_article", "xlsx": "xlsx", "tabular": "tabular",
    "text": "text",
}  # fmt: skip
"""Formats and their packages, in the order in which they are tried: specific formats first."""


def readers() -> Iterator[Reader]:
    """Yield all readers in order. Each is loaded only when needed, since it imports its parser."""
    return map(_reader, FORMATS.values())


@cache
def _reader(module: str) -> Reader:
    return cast(Reader, import_module(f"fathom.corpus.readers.{module}.reader"))


def reader_of(name: str, content: bytes) -> Reader | None:
    """Return the reader for a file; None if no reader matches."""
    head = content[:65_536]
    return next((reader for reader in readers() if reader.matches(name, head)), None)


def line_reader_of(name: str, head: bytes) -> Reader | None:
    """Return the reader for a file that may be JSON Lines, by its first 64 KB; None if it cannot be."""
    start = head.removeprefix(BYTE_ORDER_MARK).lstrip()
    if not start.startswith(b"{"):
        return None
    reader = reader_of(name, start)
    return reader if isinstance(reader, LineReader) else None


def reader_named(format: str) -> Reader:
    """Return the reader of a format."""
    return _reader(FORMATS[format])


def bare_name(source: str) -> str:
    """Return a file's name without its archive and its compression suffix."""
    name = source.rpartition("!")[2]
    for ending in (".gz", ".xz"):
        name = name.removesuffix(ending)
    return name
