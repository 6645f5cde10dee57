"""The words of one kind of document in one language, read from TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from pydantic import Field

from fathom.records.record import Record


class Attribute(Record):
    """An attribute that documents state about entities, and how they and questions word it."""

    entity: str
    """The class of its entities: "town", "person"."""
    type: str
    """How values are printed: "count", "money", "date"; for a name the class of the names."""
    unit: str = ""
    ask: str
    """The noun phrase that questions use; {e} is the entity, {p} the part."""
    asked_by: str = ""
    """For names that belong to one entity each: the noun phrase for the entity of a name {n}; otherwise empty."""
    cues: tuple[str, ...] = Field(min_length=1)
    """Beginnings of words that a response uses when it speaks of the attribute."""
    most: str = ""
    """The phrase for the entity with the largest value, after "the town"; empty if values are not compared."""
    least: str = ""
    say: tuple[str, ...] = Field(min_length=1)
    """Paragraphs that state a value {v} of an entity {e}."""
    correct: tuple[str, ...] = ()
    """Paragraphs that correct a value: {old} was wrong, {v} is the value."""


class DerivedValue(Record):
    """A value that follows from two attributes of one entity, under the name by which questions ask for it."""

    sign: str
    """The operation, as in the programs of the family `puzzles`."""
    left: str
    right: str
    ask: str
    most: str
    least: str
    cues: tuple[str, ...] = Field(min_length=1)


class SentenceGroup(Record):
    """Sentences on one subject, of which a paragraph has some, in their order."""

    sentences: tuple[str, ...] = Field(min_length=3)
    part: str = ""
    """The part of the document that has such paragraphs; empty for all."""


class ProsePack(Record):
    """The words of one kind of document in one language."""

    titles: tuple[str, ...]
    intro: tuple[str, ...] = ()
    headlines: tuple[str, ...]
    dateline: str = ""
    section: str = ""
    """How a heading is numbered; empty if headings are not."""
    mixed: str = ""
    """The same for a section of regulations that also has rules on single benefits."""
    amendment: str = ""
    """The heading of a section of amendments."""
    names: Mapping[str, tuple[str, ...]]
    phrases: Mapping[str, tuple[str, ...]]
    attribute: Mapping[str, Attribute]
    derived: Mapping[str, DerivedValue] = {}
    case: Mapping[str, str] = {}
    """Sentences that describe the case which a question is about."""
    topic: tuple[SentenceGroup, ...]


@cache
def load_pack(kind: str, language: str) -> ProsePack:
    """The pack of a kind of document, such as "news", in a language."""
    content = files(__package__).joinpath("words", f"{kind}.{language}.toml").read_text("utf-8")
    return ProsePack.model_validate(tomllib.loads(content))
