"""A context: documents, whole or in part, laid end to end; kept as a recipe and never as a copy of their text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from fathom.records.documents import Count, DocumentId, Position
from fathom.records.record import Record
from fathom.records.spans import Span

ContextId = str
Sampling = Literal["random", "bfs", "dfs"]
"""How documents were chosen: at random, or breadth-first or depth-first over the citation graph."""


Split = Literal["train", "dev", "test"]


class Edit(Record):
    """A stretch of a document that is shown as something else, or not at all."""

    span: Span
    text: str = ""
    """What stands there instead; empty where the stretch is left out."""


class Place(Record):
    """Where one document stands in the laid-out text."""

    document: DocumentId
    span: Span
    """What is shown of the document, its boundary line left out."""
    token: Count
    """How many tokens stand before it, piece by piece: exact where the tokenizer splits at newlines."""
    edits: tuple[Edit, ...] = ()
    """In the order of the text and apart from one another; none where the document is shown as it is."""

    @field_validator("edits")
    @classmethod
    def _edits_follow_one_another(cls, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
        if any(one.span.end > two.span.start for one, two in pairwise(edits)):
            raise ValueError("its edits overlap")
        return edits

    def locate(self, span: Span) -> Span | None:
        """Where a span of the document stands in the laid-out text; None where one of its ends is not shown."""
        ends = [self._moved(span.start), self._moved(span.end)]
        return None if None in ends else Span(*(end for end in ends if end is not None))

    def _moved(self, position: int) -> int | None:
        moved = self.span.start
        for edit in self.edits:
            if edit.span.end > position:
                return None if edit.span.start < position else moved + position
            moved += len(edit.text) - (edit.span.end - edit.span.start)
        return moved + position


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """The text as it is shown."""
    if not edits:
        return text
    pieces: list[str] = []
    start = 0
    for edit in edits:
        pieces += [text[start : edit.span.start], edit.text]
        start = edit.span.end
    return "".join([*pieces, text[start:]])


class Context(Record):
    """Which documents, in which order, laid out how."""

    id: ContextId
    """A fingerprint of what it renders to: the layout, the documents' texts in order, and what is changed in them."""
    layout: str
    """The name and version of the layout that renders it."""
    length: Position
    """The length asked for, in tokens; the laid-out text never has more."""
    tokens: Position
    """The exact length of the laid-out text."""
    tokenizer: str
    sampling: Sampling | None = None
    """None for a context that a family composed itself."""
    split: Split = "test"
    """No document stands in contexts of two splits."""
    places: tuple[Place, ...] = Field(min_length=1)

    @property
    def documents(self) -> tuple[DocumentId, ...]:
        """The ids of its documents, in order."""
        return tuple(place.document for place in self.places)

    @model_validator(mode="after")
    def _places_follow_one_another(self) -> Self:
        if len(set(self.documents)) != len(self.places):
            raise ValueError("an article stands in it twice")
        ends = tokens = 0
        for place in self.places:
            if place.span.start < ends or place.token < tokens:
                raise ValueError("its articles overlap")
            ends, tokens = place.span.end, place.token
        if self.tokens > self.length:
            raise ValueError(f"it has {self.tokens} tokens, more than the {self.length} asked for")
        return self
