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
    others = [entry for entry in DOMAINS.values() if entry.kind == kind.kind and entry.language != kind.language]
    other = load_pack(others[0].kind, others[0].language) if others else pack
    attributes = {
        name: AttributeWords(
            ask=entry.ask,
            cues=entry.cues + other.attribute[name].cues,
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
            cues=entry.cues + other.derived[name].cues,
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
            of = vocabulary.attributes[fact.attribute]
            known = self._entities.setdefault(of.entity, [])
            if fact.entity not in known:
                known.append(fact.entity)
            self._stated.add((fact.attribute, fact.entity))

    def programs(self) -> Iterator[Node]:
        """An endless sequence of programs of all forms in turn; many of them make no puzzle."""
        forms = (self._derived, self._difference, self._named, self._between, self._conditional, self._ratio)
        while True:
            for form in forms:
                program = form()
                if program is not None:
                    yield program

    # Forms of programs.

    def _derived(self) -> Node | None:
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
        one, two = self._entity(kind, self._rng.randint(1, 2)), self._entity(kind, self._rng.randint(0, 2))
        if one is None or two is None or one == two:
            return None
        return Compute(sign=sign, left=self._value(measure, one), right=self._value(measure, two))

    def _between(self) -> Node | None:
        """The days between two dates, or the years between two years."""
        unit = self._rng.choice(("date", "year"))
        one, two = self._measure(unit), self._measure(unit)
        if one is None or two is None:
            return None
        first, second = self._entity(self._kind(one), self._rng.randint(1, 2)), self._entity(self._kind(two), 1)
        if first is None or second is None:
            return None
        left, right = self._value(one, first), self._value(two, second)
        sign = "days between" if unit == "date" else "years between"
        return Compute(sign=sign, left=left, right=right) if left != right else None

    def _named(self) -> Node | None:
        """A name that belongs to an entity which is found by a comparison."""
        options = [
            name
            for name, words in self._vocabulary.attributes.items()
            if words.is_name and words.entity in self._entities
        ]
        attribute = self._rng.choice(options)
        kind = self._vocabulary.attributes[attribute].entity
        picked = self._picked(kind, derived=True) or self._entity(kind, 2)
        return picked and Lookup(attribute=attribute, of=picked)

    def _conditional(self) -> Node | None:
        """One of two values, depending on a comparison of two others."""
        measure, other = self._measure("number"), self._measure("number")
        if measure is None or other is None:
            return None
        kind = self._kind(measure)
        one, two = self._entity(kind, 1), self._entity(kind, 0)
        target, rest = self._entity(self._kind(other), 1), self._entity(self._kind(other), 1)
        if one is None or two is None or target is None or rest is None or _compares(one, self._value(measure, two)):
            return None
        derived = [name for name, found in self._vocabulary.derived.items() if found.entity == self._kind(other)]
        asked = self._rng.choice(derived) if derived else other
        return Choose(
            left=self._value(measure, one),
            right=self._value(measure, two),
            then=self._value(asked, target),
            otherwise=self._value(asked, rest),
        )

    # Entities and values.

    def _measure(self, type: str) -> str | None:
        """An attribute or derived value of a type."""
        both = {**self._vocabulary.attributes, **self._vocabulary.derived}
        measures = [
            name
            for name, attribute in both.items()
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
        known = self._entities.get(kind, [])
        if depth == 0:
            return GivenValue(value=Value(name=self._rng.choice(known))) if known else None
        ways = [self._picked, self._linked, self._owner]
        self._rng.shuffle(ways)
        for way in ways:
            found = way(kind, depth=depth)
            if found is not None:
                return found
        return None

    def _picked(self, kind: str, depth: int = 1, derived: bool = False) -> Node | None:
        """The entity with the largest or smallest value among three or four."""
        attributes = {} if derived else self._vocabulary.attributes
        both = {**attributes, **self._vocabulary.derived}
        measures = [name for name, attribute in both.items() if attribute.entity == kind and attribute.most]
        if not measures:
            return None
        measure = self._rng.choice(measures)
        known = [name for name in self._entities.get(kind, []) if self._is_stated(measure, name)]
        if len(known) < 3:
            return None
        chosen = self._rng.sample(known, self._rng.randint(3, min(4, len(known))))
        names = [GivenValue(value=Value(name=name)) for name in chosen]
        options = tuple(Option(name=name, value=self._value(measure, name)) for name in names)
        return Pick(which=self._rng.choice(("largest", "smallest")), options=options)

    def _is_stated(self, measure: str, entity: str) -> bool:
        parts = self._vocabulary.parts.get(measure)
        if parts is None:
            return (measure, entity) in self._stated
        return all(self._is_stated(path.partition(">")[0], entity) for path in parts[1:])

    def _linked(self, kind: str, depth: int = 1) -> Node | None:
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
