"""The words for the attributes of a document, in questions and in responses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fathom.tasks.puzzles.tree import Compute, Lookup, Node


@dataclass(frozen=True)
class AttributeWords:
    """How questions name an attribute, and which words responses use when they speak of it."""

    ask: str
    """A noun phrase; {e} is the entity, {p} the part, {t} the period."""
    cues: tuple[str, ...]
    entity: str = ""
    """The class of its entities, such as "town"; empty if questions do not choose among them."""
    type: str = "number"
    """The class of its values: "number", "date", "year", or the class of names."""
    unit: str = ""
    asked_by: str = ""
    """The noun phrase for the entity of a name {n}."""
    most: str = ""
    least: str = ""
    """What is said of the entity with the largest and the smallest value."""

    @property
    def is_name(self) -> bool:
        """Whether its values are names."""
        return self.type not in ("number", "date", "year")


@dataclass(frozen=True)
class Vocabulary:
    """The attributes of one kind of document in one language, and what can be derived from them."""

    language: str
    attributes: Mapping[str, AttributeWords]
    derived: Mapping[str, AttributeWords]
    parts: Mapping[str, tuple[str, str, str]]
    """For each derived value: the operation and the two attributes."""

    case: Mapping[str, str] = field(default_factory=dict)
    """Sentences that describe the case in a question, by the condition that they state."""

    def measure(self, node: Node) -> AttributeWords:
        """The attribute or derived value that a node gives."""
        if isinstance(node, Lookup):
            return self.attributes[node.attribute]
        assert isinstance(node, Compute) and node.named, "only attributes and named values are compared"
        return self.derived[node.named]
