"""Answer types. Whether two answers agree depends on their type, never on their spelling."""

from __future__ import annotations

import operator
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from fathom.records.documents import NonNegativeInt, Passage, PositiveInt
from fathom.records.record import Record


class Number(Record):
    """A quantity: 4 equals 4.0; 50 is not 50%."""

    type: Literal["number"] = "number"
    value: Decimal
    decimals: NonNegativeInt | None = None
    """How many decimals the question asks for; None means the exact value."""
    unit: str = ""


class Text(Record):
    """A name, a title or another short string."""

    type: Literal["text"] = "text"
    value: str = Field(min_length=1, pattern=r"\S")
    aliases: tuple[Annotated[str, Field(pattern=r"\S")], ...] = ()
    """Other accepted spellings."""


Scalar = Annotated[Number | Text, Field(discriminator="type")]
"""A single value: what lists and tables consist of."""


class ValueSet(Record):
    """Distinct values in any order."""

    type: Literal["set"] = "set"
    items: tuple[Scalar, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _values_are_distinct(self) -> Self:
        # Decimal(4) and Decimal("4.0") are equal and have the same hash, so a set counts them as one.
        if len({(item.type, item.value) for item in self.items}) != len(self.items):
            raise ValueError("a set has a value twice; use a multiset")
        return self


class Multiset(Record):
    """Values in any order, with repeats."""

    type: Literal["multiset"] = "multiset"
    items: tuple[Scalar, ...] = Field(min_length=1)


class Ranking(Record):
    """Values in order, in groups; the values of a group are tied and may come in any order."""

    type: Literal["ranking"] = "ranking"
    groups: tuple[Annotated[tuple[Scalar, ...], Field(min_length=1)], ...] = Field(min_length=1)


class Rows(Record):
    """A table; the order of its rows matters only if the question asks for one."""

    type: Literal["rows"] = "rows"
    columns: tuple[str, ...] = Field(min_length=1)
    rows: tuple[tuple[Scalar, ...], ...] = Field(min_length=1)
    ordered: bool = False

    @model_validator(mode="after")
    def _rows_match_the_columns(self) -> Self:
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise ValueError(f"row {number} has {len(row)} cells for {len(self.columns)} columns")
        return self


class Choice(Record):
    """One of `of` options, counted from one."""

    type: Literal["choice"] = "choice"
    option: PositiveInt
    of: PositiveInt

    @model_validator(mode="after")
    def _the_option_exists(self) -> Self:
        if self.option > self.of:
            raise ValueError(f"option {self.option} of {self.of} does not exist")
        return self


class Assignment(Record):
    """The option, counted from one, for each slot in order."""

    type: Literal["assignment"] = "assignment"
    options: tuple[PositiveInt, ...] = Field(min_length=1)
    of: PositiveInt

    @model_validator(mode="after")
    def _the_options_exist(self) -> Self:
        if max(self.options) > self.of:
            raise ValueError(f"option {max(self.options)} of {self.of} does not exist")
        return self


class Selection(Record):
    """Some of `of` options, counted from one."""

    type: Literal["selection"] = "selection"
    options: tuple[PositiveInt, ...] = Field(min_length=1)
    """In ascending order, each once."""
    of: PositiveInt

    @model_validator(mode="after")
    def _the_options_exist_once(self) -> Self:
        if max(self.options) > self.of:
            raise ValueError(f"option {max(self.options)} of {self.of} does not exist")
        if list(self.options) != sorted(set(self.options)):
            raise ValueError("the options are not in ascending order, each once")
        return self


class Spans(Record):
    """Passages to find."""

    type: Literal["spans"] = "spans"
    passages: tuple[Passage, ...] = Field(min_length=1)


Attributes = Annotated[dict[str, str], Field(exclude_if=operator.not_)]
"""What an answer says about a passage, such as {"strength": "weak"}; passages are compared without it."""


Statements = Annotated[dict[str, Passage], Field(exclude_if=operator.not_)]
"""Passages that state something about a passage, such as {"conclusion": ...}."""


class Link(Record):
    """A passage that is linked to another one, such as the evidence of a claim."""

    passage: Passage
    attributes: Attributes = {}
    stated: Statements = {}


class LinkedSpan(Record):
    """A passage, such as a claim, with the passages linked to it, such as its evidence."""

    passage: Passage
    links: tuple[Link, ...] = ()
    attributes: Attributes = {}
    stated: Statements = {}

    @property
    def linked(self) -> tuple[Passage, ...]:
        """The passages linked to it."""
        return tuple(link.passage for link in self.links)


class LinkedSpans(Record):
    """Passages to find, each with the passages linked to it."""

    type: Literal["linked spans"] = "linked spans"
    spans: tuple[LinkedSpan, ...] = Field(min_length=1)


class Unanswerable(Record):
    """No answer: the question cannot be answered from the context, or a response says so."""

    type: Literal["none"] = "none"


Answer = Annotated[
    Number
    | Text
    | ValueSet
    | Multiset
    | Ranking
    | Rows
    | Choice
    | Assignment
    | Selection
    | Spans
    | LinkedSpans
    | Unanswerable,
    Field(discriminator="type"),
]
