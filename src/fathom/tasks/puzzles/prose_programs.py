"""The vocabulary and the programs of generated narratives, news and Chinese research articles."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

from fathom.corpus.generated.prose import DOMAINS
from fathom.corpus.generated.prose.pack import load_pack
from fathom.records.documents import Document
from fathom.tasks.puzzles.tree import Choose, Compute, GivenValue, Lookup, Node, Option, Owner, Pick, Value, nodes
from fathom.tasks.puzzles.vocabulary import AttributeWords, Vocabulary

_NUMBERS = ("count", "money", "length", "distance", "percent", "days")


@cache
def prose_vocabulary(domain: str) -> Vocabulary:
    """The vocabulary of a domain of generated prose."""
    kind = DOMAINS[domain]
    pack = load_pack(kind.kind, kind.language)
    # A response may be in the other language.
    translations = [entry for entry in DOMAINS.values() if entry.kind == kind.kind and entry.language != kind.language]
    other_pack = load_pack(translations[0].kind, translations[0].language) if translations else pack
    attributes = {
        name: AttributeWords(
            ask=entry.ask,
            cues=entry.cues + other_pack.attribute[name].cues,
            entity=entry.entity,
            type="number" if entry.type in _NUMBERS else entry.type,
            unit=entry.unit,
            asked_by=entry.asked_by,
            most=entry.most,
            least=entry.least,
        )
        for name, entry in pack.attribute.items()
    }
    derived = {
        name: AttributeWords(
            ask=entry.ask,
            cues=entry.cues + other_pack.derived[name].cues,
            entity=attributes[entry.left.partition(">")[0]].entity,
            type="number" if entry.sign == "years between" else attributes[entry.left.rpartition(">")[2]].type,
            unit="years" if entry.sign == "years between" else attributes[entry.left.rpartition(">")[2]].unit,
            most=entry.most,
            least=entry.least,
        )
        for name, entry in pack.derived.items()
    }
    parts = {name: (entry.sign, entry.left, entry.right) for name, entry in pack.derived.items()}
    return Vocabulary(kind.language, attributes, derived, parts, pack.case)


class ProseComposer:
    """Composes programs over the entities of one document."""

    def __init__(self, document: Document, vocabulary: Vocabulary, rng: Random) -> None:
        self._vocabulary, self._rng = vocabulary, rng
        self._entities: dict[str, list[str]] = {}
        """The entities of each class, in the order of the text."""
        self._stated: set[tuple[str, str]] = set()
        """Which attributes of which entities are stated."""
        for fact in document.facts:
            words = vocabulary.attributes[fact.attribute]
            entities = self._entities.setdefault(words.entity, [])
            if fact.entity not in entities:
                entities.append(fact.entity)
            self._stated.add((fact.attribute, fact.entity))

    def programs(self) -> Iterator[Node]:
        """An endless sequence of programs of all forms in turn; many of them make no puzzle."""
        forms = (
            self._draw_derived,
            self._difference,
            self._name_of_entity,
            self._time_between,
            self._conditional,
            self._ratio,
        )
        while True:
            for form in forms:
                program = form()
                if program is not None:
                    yield program

    # Forms of programs.

    def _draw_derived(self) -> Node | None:
        """A derived value of an entity that has to be found."""
        name = self._rng.choice(list(self._vocabulary.derived))
        entity = self._entity(self._vocabulary.derived[name].entity, self._rng.randint(1, 3))
        return entity and self._derived_value(name, entity)

    def _difference(self) -> Node | None:
        return self._pair("-")

    def _ratio(self) -> Node | None:
        return self._pair(self._rng.choice(("/", "+")))

    def _pair(self, sign: str) -> Node | None:
        """An operation on the same measure of two entities."""
        measure = self._measure("number")
        # Sums and quotients of ages make no sense, and neither do sums of quotients.
        if measure is None or (sign != "-" and self._unit(measure) == "years"):
            return None
        if sign == "+" and self._vocabulary.parts.get(measure, ("",))[0] == "/":
            return None
        kind = self._kind(measure)
        left_entity, right_entity = (
            self._entity(kind, self._rng.randint(1, 2)),
            self._entity(kind, self._rng.randint(0, 2)),
        )
        if left_entity is None or right_entity is None or left_entity == right_entity:
            return None
        return Compute(sign=sign, left=self._value(measure, left_entity), right=self._value(measure, right_entity))

    def _time_between(self) -> Node | None:
        """The days between two dates, or the years between two years."""
        unit = self._rng.choice(("date", "year"))
        left_measure, right_measure = self._measure(unit), self._measure(unit)
        if left_measure is None or right_measure is None:
            return None
        left_entity, right_entity = (
            self._entity(self._kind(left_measure), self._rng.randint(1, 2)),
            self._entity(self._kind(right_measure), 1),
        )
        if left_entity is None or right_entity is None:
            return None
        left_value, right_value = self._value(left_measure, left_entity), self._value(right_measure, right_entity)
        sign = "days between" if unit == "date" else "years between"
        return Compute(sign=sign, left=left_value, right=right_value) if left_value != right_value else None

    def _name_of_entity(self) -> Node | None:
        """A name that belongs to an entity which is found by a comparison."""
        options = [
            name
            for name, words in self._vocabulary.attributes.items()
            if words.is_name and words.entity in self._entities
        ]
        attribute = self._rng.choice(options)
        kind = self._vocabulary.attributes[attribute].entity
        entity = self._pick_entity(kind, derived=True) or self._entity(kind, 2)
        return entity and Lookup(attribute=attribute, of=entity)

    def _conditional(self) -> Node | None:
        """One of two values, depending on a comparison of two others."""
        measure, other_measure = self._measure("number"), self._measure("number")
        if measure is None or other_measure is None:
            return None
        kind = self._kind(measure)
        left_entity, right_entity = self._entity(kind, 1), self._entity(kind, 0)
        then_entity, otherwise_entity = (
            self._entity(self._kind(other_measure), 1),
            self._entity(self._kind(other_measure), 1),
        )
        if (
            left_entity is None
            or right_entity is None
            or then_entity is None
            or otherwise_entity is None
            or _compares(left_entity, self._value(measure, right_entity))
        ):
            return None
        derived = [
            name for name, words in self._vocabulary.derived.items() if words.entity == self._kind(other_measure)
        ]
        asked_measure = self._rng.choice(derived) if derived else other_measure
        return Choose(
            left=self._value(measure, left_entity),
            right=self._value(measure, right_entity),
            then=self._value(asked_measure, then_entity),
            otherwise=self._value(asked_measure, otherwise_entity),
        )

    # Entities and values.

    def _measure(self, type: str) -> str | None:
        """An attribute or derived value of a type."""
        all_attributes = {**self._vocabulary.attributes, **self._vocabulary.derived}
        measures = [
            name
            for name, attribute in all_attributes.items()
            if attribute.type == type and attribute.unit != "%" and len(self._entities.get(attribute.entity, ())) > 1
        ]
        return self._rng.choice(measures) if measures else None

    def _kind(self, measure: str) -> str:
        vocabulary = self._vocabulary
        return (vocabulary.derived.get(measure) or vocabulary.attributes[measure]).entity

    def _unit(self, measure: str) -> str:
        vocabulary = self._vocabulary
        return (vocabulary.derived.get(measure) or vocabulary.attributes[measure]).unit

    def _value(self, measure: str, entity: Node) -> Node:
        if measure in self._vocabulary.derived:
            return self._derived_value(measure, entity)
        return Lookup(attribute=measure, of=entity)

    def _derived_value(self, name: str, entity: Node) -> Node:
        sign, left, right = self._vocabulary.parts[name]
        return Compute(sign=sign, left=self._part(left, entity), right=self._part(right, entity), named=name)

    def _part(self, path: str, entity: Node) -> Node:
        """An operand of a derived value: a value of the entity, or of one that it is linked to ("elder>born")."""
        link, mark, measure = path.rpartition(">")
        return self._value(measure, Lookup(attribute=link, of=entity) if mark else entity)

    def _entity(self, kind: str, depth: int) -> Node | None:
        """An entity of a class, named or described in up to `depth` steps."""
        entities = self._entities.get(kind, [])
        if depth == 0:
            return GivenValue(value=Value(name=self._rng.choice(entities))) if entities else None
        descriptions = [self._pick_entity, self._linked_entity, self._owner]
        self._rng.shuffle(descriptions)
        for describe in descriptions:
            entity = describe(kind, depth=depth)
            if entity is not None:
                return entity
        return None

    def _pick_entity(self, kind: str, depth: int = 1, derived: bool = False) -> Node | None:
        """The entity with the largest or smallest value among three or four."""
        attributes = {} if derived else self._vocabulary.attributes
        all_attributes = {**attributes, **self._vocabulary.derived}
        measures = [name for name, attribute in all_attributes.items() if attribute.entity == kind and attribute.most]
        if not measures:
            return None
        measure = self._rng.choice(measures)
        candidates = [name for name in self._entities.get(kind, []) if self._is_stated(measure, name)]
        if len(candidates) < 3:
            return None
        chosen = self._rng.sample(candidates, self._rng.randint(3, min(4, len(candidates))))
        names = [GivenValue(value=Value(name=name)) for name in chosen]
        options = tuple(Option(name=name, value=self._value(measure, name)) for name in names)
        return Pick(which=self._rng.choice(("largest", "smallest")), options=options)

    def _is_stated(self, measure: str, entity: str) -> bool:
        parts = self._vocabulary.parts.get(measure)
        if parts is None:
            return (measure, entity) in self._stated
        return all(self._is_stated(path.partition(">")[0], entity) for path in parts[1:])

    def _linked_entity(self, kind: str, depth: int = 1) -> Node | None:
        """The entity that another one is linked to: the town in which a person worked."""
        links = [name for name, words in self._vocabulary.attributes.items() if words.type == kind and words.ask]
        if not links:
            return None
        attribute = self._rng.choice(links)
        of = self._entity(self._vocabulary.attributes[attribute].entity, depth - 1)
        return of and Lookup(attribute=attribute, of=of)

    def _owner(self, kind: str, depth: int = 1) -> Node | None:
        """The entity that a name belongs to: the town that a person coordinates."""
        links = [name for name, words in self._vocabulary.attributes.items() if words.entity == kind and words.asked_by]
        if not links:
            return None
        attribute = self._rng.choice(links)
        name = self._entity(self._vocabulary.attributes[attribute].type, depth - 1)
        return name and Owner(attribute=attribute, name=name)


def _compares(node: Node, value: Node) -> bool:
    """Whether a node is found by a comparison with this value, so another one would say nothing new."""
    return any(isinstance(inner, Pick) and value in [option.value for option in inner.options] for inner in nodes(node))
