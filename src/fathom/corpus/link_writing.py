"""What all the others tell of a document, written into its parts: whom it cites, who wrote it, which work it is.

The parts stay JSON: taking them for an `Document`, with everything checked once more, took as long as reading it.
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
class Linked:
    """A document's parts on their way into the corpus."""

    id: str
    parts: bytes
    """As packed."""
    cited: tuple[str | None, ...]
    """For each reference the document it names."""
    work: str | None
    people: tuple[str | None, ...]
    """For each author who that is."""


class Relinked(NamedTuple):
    """What the store keeps of a document beside its text."""

    parts: bytes
    outline: bytes


def relinked(linked: Linked) -> Relinked:
    """The parts with all that in them, packed, and the outline that is made of them."""
    parts = json.loads(zstandard.decompress(linked.parts))
    references, authors = parts["references"], parts["authors"]
    if len(linked.cited) != len(references) or len(linked.people) != len(authors):
        raise FathomError(
            f"Article {linked.id} has {len(references)} references and {len(authors)} authors, and got "
            f"{len(linked.cited)} links and {len(linked.people)} people. Link the entry made of this very article."
        )
    if linked.id in linked.cited:
        # The one rule of the record that a link can break.
        raise FathomError(f"Article {linked.id} would cite itself. Link it with the linker it was added to.")
    for reference, cited in zip(references, linked.cited, strict=True):
        reference["document"] = cited
    for author, person in zip(authors, linked.people, strict=True):
        author["person"] = person
    parts["work"] = linked.work or parts["work"]
    outline = {name: value for name, value in parts.items() if name in DocumentOutline.model_fields}
    return Relinked(_packed(parts), _packed(outline))


def _packed(values: dict[str, Any]) -> bytes:
    # The very bytes that a record writes, so that a corpus does not tell by which way it was made.
    return compressed(json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode())
