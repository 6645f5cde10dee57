"""A context: articles laid end to end, kept as a recipe and never as a copy of their text."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from fathom.records.articles import ArticleId, Count, Position
from fathom.records.record import Record
from fathom.records.spans import Span

ContextId = str
Way = Literal["random", "breadth", "depth"]
"""How a context grew: at random, or breadth-first or depth-first over the citation graph."""


Split = Literal["train", "dev", "test"]


class Place(Record):
    """Where one article stands in the laid-out text."""

    article: ArticleId
    span: Span
    """The article's own characters, its boundary line left out."""
    token: Count
    """How many tokens stand before it, piece by piece: exact where the tokenizer splits at newlines."""

    def locate(self, span: Span) -> Span:
        """Where a span of the article stands in the laid-out text."""
        return span.moved(self.span.start)


class Context(Record):
    """Which articles, in which order, laid out how."""

    id: ContextId
    """A fingerprint of what it renders to: the layout and the articles' texts in order."""
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
