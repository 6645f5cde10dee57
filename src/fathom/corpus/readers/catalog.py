"""The readers there are, and which one a file belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import cast

from fathom.corpus.readers.parsed_document import Reader

FORMATS = {
    "jats": "jats",
    "tei": "tei",
    "ixbrl": "ixbrl",
    "latexml": "latexml",
    "s2orc": "s2orc",
    "papers-jsonl": "annotated_papers",
    "pdf": "pdf",
    "myst": "myst",
    "rst": "rst",
    "latex": "latex",
    "markdown": "markdown",
    "tabular": "tabular",
}
"""Kinds of documents and the modules that read them, those that know their kind for certain before the others."""


def readers() -> Iterator[Reader]:
    """All readers, in the order in which they are asked; each is loaded at its turn, since it brings a parser along."""
    return map(_reader, FORMATS.values())


@cache
def _reader(module: str) -> Reader:
    return cast(Reader, import_module(f"fathom.corpus.readers.{module}.reader"))


def reader_of(name: str, content: bytes) -> Reader | None:
    """The reader that knows this kind of file; None where nobody does."""
    head = content[:65_536]
    return next((reader for reader in readers() if reader.matches(name, head)), None)


def bare_name(source: str) -> str:
    """A file's own name, out of its archive and without the ending of its wrapping."""
    name = source.rpartition("!")[2]
    for ending in (".gz", ".xz"):
        name = name.removesuffix(ending)
    return name
