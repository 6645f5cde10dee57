"""The readers there are, and which one a file belongs to."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import cast

from fathom.corpus.readers.found import Reader

KINDS = {
    "jats": "jats",
    "tei": "tei",
    "ixbrl": "ixbrl",
    "latexml": "latexml",
    "s2orc": "s2orc",
    "papers-jsonl": "annotated",
    "pdf": "pdf",
    "myst": "myst",
    "rst": "rst",
    "latex": "latex",
    "markdown": "markdown",
    "tabular": "tabular",
}
"""Kinds of documents and the modules that read them, those that know their kind for certain before the others."""


@cache
def readers() -> tuple[Reader, ...]:
    """All readers, in the order in which they are asked; loaded here, since they bring parsers with them."""
    return tuple(cast(Reader, import_module(f"fathom.corpus.readers.{module}")) for module in KINDS.values())


def reader_of(name: str, content: bytes) -> Reader | None:
    """The reader that knows this kind of file; None where nobody does."""
    head = content[:65_536]
    return next((reader for reader in readers() if reader.looks_like(name, head)), None)


def bare_name(source: str) -> str:
    """A file's own name, out of its archive and without the ending of its wrapping."""
    name = source.rpartition("!")[2]
    for ending in (".gz", ".xz"):
        name = name.removesuffix(ending)
    return name
