"""A context: articles, whole or in part, laid end to end; kept as a recipe and never as a copy of their text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from fathom.records.articles import ArticleId, Count, Position
from fathom.records.record import Record
from fathom.records.spans import Span

ContextId = str
Way = Literal["random", "breadth", "depth", "candidates", "alone"]
"""How a context grew: at random, or breadth-first or depth-first over the citation graph; or it is a paper with works
that it may cite, or a single document."""


Split = Literal["train", "dev", "test"]


class Edit(Record):
    """A stretch of an article that is shown as something else, or not at all."""

    span: Span
    text: str = ""
    """What stands there instead; empty where the stretch is left out."""


class Place(Record):
    """Where one article stands in the laid-out text."""

    article: ArticleId
    span: Span
    """What is shown of the article, its boundary line left out."""
    token: Count
    """How many tokens stand before it, piece by piece: exact where the tokenizer splits at newlines."""
    edits: tuple[Edit, ...] = ()
    """In the order of the text and apart from one another; none where the article is shown as it is."""

    @field_validator("edits")
    @classmethod
    def _edits_follow_one_another(cls, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
        if any(one.span.end > two.span.start for one, two in pairwise(edits)):
            raise ValueError("its edits overlap")
        return edits

    def locate(self, span: Span) -> Span | None:
        """Where a span of the article stands in the laid-out text; None where one of its ends is not shown."""
        ends = [self._moved(span.start), self._moved(span.end)]
        return None if None in ends else Span(*(end for end in ends if end is not None))

    def _moved(self, position: int) -> int | None:
        moved = self.span.start
        for edit in self.edits:
            if edit.span.end > position:
                return None if edit.span.start < position else moved + position
            moved += len(edit.text) - (edit.span.end - edit.span.start)
        return moved + position


def edited(text: str, edits: Sequence[Edit]) -> str:
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
    """Which articles, in which order, laid out how."""

    id: ContextId
    """A fingerprint of what it renders to: the layout, the articles' texts in order, and what is changed in them."""
    layout: str
    """The name and version of the layout that renders it."""
    length: Position
    """The length asked for, in tokens; the laid-out text never has more."""
    tokens: Position
    """The exact length of the laid-out text."""
    tokenizer: str
    way: Way
    split: Split = "test"
    """No article stands in contexts of two splits."""
    places: tuple[Place, ...] = Field(min_length=1)

    @property
    def articles(self) -> tuple[ArticleId, ...]:
        """The ids of its articles, in order."""
        return tuple(place.article for place in self.places)

    @model_validator(mode="after")
    def _places_follow_one_another(self) -> Self:
        if len(set(self.articles)) != len(self.places):
            raise ValueError("an article stands in it twice")
        ends = tokens = 0
        for place in self.places:
            if place.span.start < ends or place.token < tokens:
                raise ValueError("its articles overlap")
            ends, tokens = place.span.end, place.token
        if self.tokens > self.length:
            raise ValueError(f"it has {self.tokens} tokens, more than the {self.length} asked for")
        return self
