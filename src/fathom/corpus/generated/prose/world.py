"""The facts that a generated document states, and the section of each."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from random import Random

from fathom.corpus.generated.people import invent
from fathom.corpus.generated.prose.pack import Attribute, ProsePack
from fathom.corpus.generated.prose.printing import PrintedValue, print_value
from fathom.corpus.generated.prose.templates import PlantedValue
from fathom.corpus.generated.prose.writer import StatedParagraph
from fathom.records.documents import Fact
from fathom.records.spans import Span

_UNITS = {"EUR": "euros"}
"""Units as prose prints them, where it spells them otherwise."""


class DocumentPlan:
    """The statements of each section, under construction."""

    def __init__(self, pack: ProsePack, language: str, rng: Random, sections: int) -> None:
        self.pack, self.language, self.rng = pack, language, rng
        self.statements: list[list[StatedParagraph]] = [[] for _ in range(sections)]

    @property
    def sections(self) -> int:
        return len(self.statements)

    def people(self, roles: Sequence[str]) -> list[str]:
        """People with these roles, the first and the last of one name."""
        names = [self._name() for _ in roles]
        names[-1] = names[0]
        pattern = "the {role} {name}" if self.language == "en" else "{role}{name}"
        return [pattern.format(role=role, name=name) for role, name in zip(roles, names, strict=True)]

    def _name(self) -> str:
        if self.language == "en":
            person = invent(self.rng, "")
            return f"{person.given} {person.family}"
        return self.rng.choice(self.pack.names["families"]) + self.rng.choice(self.pack.names["given"])

    def places(self, count: int) -> list[str]:
        """Invented places; no two begin with the same letters."""
        beginnings, endings = self.pack.names["beginnings"], self.pack.names["endings"]
        return [begin + self.rng.choice(endings) for begin in self.rng.sample(beginnings, count)]

    def state_name(self, attribute: str, entity: str, name: str, *, section: int | None = None) -> None:
        """State a name, by default in any section."""
        fact = _fact(attribute, entity, None, name, "")
        where = self.rng.randrange(self.sections) if section is None else section
        self._state(where, attribute, entity, PlantedValue(PrintedValue(name), fact))

    def state(
        self,
        attribute: str,
        entity: str,
        value: int,
        *,
        wrong: int | None = None,
        section: int | None = None,
        part: str = "",
    ) -> None:
        """State a number, by default in any section; `wrong` is stated first and corrected some sections later."""
        if section is None:
            section = self.rng.randrange(self.sections if wrong is None else max(1, self.sections // 2))
        first = self._number(attribute, entity, value if wrong is None else wrong, part=part)
        self._state(section, attribute, entity, first, part)
        if wrong is None:
            return
        later = self.rng.randrange(min(section + 3, self.sections - 1), self.sections)
        scope: dict[str, str | PlantedValue] = {
            "e": entity,
            "old": self._number(attribute, entity, wrong, "repeated"),
            "v": self._number(attribute, entity, value, "restated"),
        }
        self.statements[later].append(StatedParagraph(self.rng.choice(self.pack.attribute[attribute].correct), scope))

    def _number(
        self, attribute: str, entity: str, value: int, status: str = "reported", part: str = ""
    ) -> PlantedValue:
        of = self.pack.attribute[attribute]
        number = Decimal(value)
        printed = print_value(of.type, number, _UNITS.get(of.unit, of.unit), self.language, self.rng)
        return PlantedValue(printed, _fact(attribute, entity, number, "", of.unit, status, part))

    def _state(self, section: int, attribute: str, entity: str, value: PlantedValue, part: str = "") -> None:
        of: Attribute = self.pack.attribute[attribute]
        self.statements[section].append(StatedParagraph(self.rng.choice(of.say), {"e": entity, "v": value, "p": part}))


def _fact(
    attribute: str,
    entity: str,
    value: Decimal | None,
    name: str,
    unit: str,
    status: str = "reported",
    part: str = "",
) -> Fact:
    """A fact whose span is not known yet."""
    return Fact.model_validate(
        {
            "entity": entity,
            "part": part,
            "attribute": attribute,
            "value": value,
            "name": name,
            "unit": unit,
            "span": Span(0, 0),
            "status": status,
            "place": "prose",
        }
    )


def distinct(rng: Random, count: int, low: int, high: int, step: int = 1, gap: int = 1) -> list[int]:
    """Random values in the range, multiples of `step`, any two at least `gap` apart."""
    values: list[int] = []
    while len(values) < count:
        value = rng.randrange(low, high) // step * step
        if all(abs(value - other) >= gap for other in values):
            values.append(value)
    return values


def near(rng: Random, value: int, step: int = 1) -> int:
    """A wrong value close to a correct one, and not equal to it."""
    size = max(2 * step, value // 5 // step * step)
    return value + rng.choice((-1, 1)) * rng.randrange(step, size + 1, step)
