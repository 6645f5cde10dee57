"""A context: a sequence of documents, whole or edited, stored as document ids and edits, not as a copy of the text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from fathom.records.documents import DocumentId, NonNegativeInt, PositiveInt
from fathom.records.record import Record
from fathom.records.spans import Span

ContextId = str
Sampling = Literal["random", "bfs", "dfs", "year"]
"""How documents were selected: at random, breadth-first or depth-first over the citation graph, or two of three from
one year."""

Split = Literal["train", "dev", "test"]


class Edit(Record):
    """A span of a document that is replaced or left out."""

    span: Span
    text: str = ""
    """The replacement; empty if the span is left out."""


class Place(Record):
    """The place of one document in the laid-out text."""

    document: DocumentId
    span: Span
    """The shown text of the document, without its boundary line."""
    token: NonNegativeInt
    """The number of tokens before the document, summed over pieces: exact if the tokenizer splits at newlines."""
    edits: tuple[Edit, ...] = ()
    """In text order, without overlap; empty if the document is shown unchanged."""

    @field_validator("edits")
    @classmethod
    def _edits_do_not_overlap(cls, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
        if any(left.span.end > right.span.start for left, right in pairwise(edits)):
            raise ValueError("its edits overlap")
        return edits

    def locate(self, span: Span) -> Span | None:
        """Where a span of the document is in the laid-out text; None if one of its ends is not shown."""
        ends = [self._shifted(span.start), self._shifted(span.end)]
        return None if None in ends else Span(*(end for end in ends if end is not None))

    def source(self, start: int, end: int) -> Span:
        """The span of the document that the characters from `start` to `end` of the laid-out text show.

        An end within a replacement counts as the end of the span that it replaces.
        """
        return Span(self._unshifted(start, at_end=False), self._unshifted(end, at_end=True))

    def _unshifted(self, position: int, at_end: bool) -> int:
        shift = self.span.start
        for edit in self.edits:
            begin = shift + edit.span.start
            if position <= begin if at_end else position < begin:
                break
            if position < begin + len(edit.text) or (at_end and position == begin + len(edit.text)):
                return edit.span.end if at_end else edit.span.start
            shift += len(edit.text) - (edit.span.end - edit.span.start)
        return position - shift

    def _shifted(self, position: int) -> int | None:
        shifted = self.span.start
        for edit in self.edits:
            if edit.span.end > position:
                return None if edit.span.start < position else shifted + position
            shifted += len(edit.text) - (edit.span.end - edit.span.start)
        return shifted + position


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """The text with the edits applied."""
    if not edits:
        return text
    pieces: list[str] = []
    start = 0
    for edit in edits:
        pieces += [text[start : edit.span.start], edit.text]
        start = edit.span.end
    return "".join([*pieces, text[start:]])


class Context(Record):
    """The documents of a context, their order, and the layout that renders them."""

    id: ContextId
    """A hash of all that determines the rendered text: the layout, the texts of the documents in order, their edits."""
    layout: str
    """The name and version of the layout that renders it."""
    length: PositiveInt
    """The nominal length in tokens; the laid-out text never has more."""
    tokens: PositiveInt
    """The exact length of the laid-out text."""
    tokenizer: str
    """The name of the tokenizer that both lengths are counted with."""
    sampling: Sampling | None = None
    """None for a context that a family assembled itself."""
    split: Split = "test"
    """No document is in contexts of two splits."""
    places: tuple[Place, ...] = Field(min_length=1)

    @property
    def documents(self) -> tuple[DocumentId, ...]:
        """The ids of its documents, in order."""
        return tuple(place.document for place in self.places)

    @model_validator(mode="after")
    def _places_are_in_order(self) -> Self:
        if len(set(self.documents)) != len(self.places):
            raise ValueError("a document occurs twice")
        ends = tokens = 0
        for place in self.places:
            if place.span.start < ends or place.token < tokens:
                raise ValueError("its documents overlap")
            ends, tokens = place.span.end, place.token
        if self.tokens > self.length:
            raise ValueError(f"it has {self.tokens} tokens, more than its length of {self.length}")
        return self
