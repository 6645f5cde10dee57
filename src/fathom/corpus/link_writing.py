"""Writes links, persons and the work into the parts of a document.

The parts stay JSON: parsing and validating them as a `Document` again took as long as reading the document.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

import zstandard

from fathom.corpus.compression import compressed
from fathom.records.documents import DocumentOutline
from fathom.records.errors import FathomError


@dataclass(frozen=True)
class Links:
    """The parts of a document, with its links, work and persons, which depend on the rest of the corpus."""

    id: str
    parts: bytes
    """Compressed JSON, as in a `PackedDocument`."""
    cited: tuple[str | None, ...]
    """For each reference the document it cites."""
    work: str | None
    people: tuple[str | None, ...]
    """For each author the person."""


class LinkedParts(NamedTuple):
    """The compressed parts and outline of a document, as the store has them."""

    parts: bytes
    outline: bytes


def apply_links(links: Links) -> LinkedParts:
    """The parts with the links, persons and work filled in, and the outline."""
    parts = json.loads(zstandard.decompress(links.parts))
    references, authors = parts["references"], parts["authors"]
    if len(links.cited) != len(references) or len(links.people) != len(authors):
        raise FathomError(
            f"Document '{links.id}' has {len(references)} references and {len(authors)} authors, but got "
            f"{len(links.cited)} links and {len(links.people)} people. Link the record made from this document."
        )
    if links.id in links.cited:
        # The only validation rule of `Document` that a link can break.
        raise FathomError(f"Document '{links.id}' would cite itself. Link it with the linker it was added to.")
    for reference, cited in zip(references, links.cited, strict=True):
        reference["document"] = cited
    for author, person in zip(authors, links.people, strict=True):
        author["person"] = person
    parts["work"] = links.work or parts["work"]
    outline = {name: value for name, value in parts.items() if name in DocumentOutline.model_fields}
    return LinkedParts(_pack(parts), _pack(outline))


def _pack(values: dict[str, Any]) -> bytes:
    # The same bytes that a record writes, so that a corpus does not depend on how it was written.
    return compressed(json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode())
