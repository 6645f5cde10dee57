"""A context as it was shown, for checks that look for a response's quotes in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fathom.records.contexts import Place
from fathom.records.documents import Document, DocumentId


@dataclass(frozen=True)
class ShownContext:
    """The text that a system was shown, and the documents in it."""

    text: str
    places: tuple[Place, ...]
    documents: Mapping[DocumentId, Document]
