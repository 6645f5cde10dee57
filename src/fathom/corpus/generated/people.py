"""People with names that are spelled in many ways, and some whose names are the same."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from fathom.corpus.generated.lexicon import names
from fathom.records.names import without_accents


@dataclass(frozen=True, slots=True)
class Person:
    """One human being, whatever a byline makes of the name."""

    id: str
    given: str
    middle: str
    """An initial, or empty."""
    family: str


@dataclass(frozen=True)
class Spelling:
    """How one document prints one name."""

    given: str
    family: str

    @property
    def byline(self) -> str:
        """The name as it stands under a title."""
        return f"{self.given} {self.family}"


def invent(rng: Random, id: str, double: bool = False) -> Person:
    """A new person, with a double-barrelled name where asked for."""
    tradition = rng.choice(names().traditions)
    family = rng.choice(tradition.family)
    # Double-barrelled names and particles are what breaks name parsers, so there are some.
    kind = rng.random()
    if double or kind < 0.07:
        other = rng.choice(tradition.family)
        family = f"{family}-{other}" if other != family else family
    elif kind < 0.12:
        family = f"{rng.choice(names().particles)} {family}"
    middle = rng.choice("ABCDEFGHJKLMPRSTW") if rng.random() < 0.3 else ""
    return Person(id, rng.choice(tradition.given), middle, family)


def look(person: Person) -> tuple[str, str]:
    """What is left of a name when it is spelled shortest: an initial and the plain family name."""
    return without_accents(person.given)[0], without_accents(person.family).replace("-", " ").casefold()


def namesake(of: Person, id: str) -> Person:
    """Another person with the very same name."""
    return Person(id, of.given, of.middle, of.family)


def spell(person: Person, rng: Random, initials: bool) -> Spelling:
    """How a byline prints the person's name; `initials` is the journal's habit, the rest is chance."""
    given = initials_of(person.given) if initials else person.given
    if person.middle and rng.random() < 0.6:
        given = f"{given} {person.middle}."
    family = person.family
    chance = rng.random()
    if chance < 0.10:
        given, family = without_accents(given), without_accents(family)
    elif chance < 0.15:
        family = family.replace("-", " ")
    return Spelling(given, family)


def initials_of(given: str) -> str:
    """ "Jean-Luc" becomes "J.-L.", "Thị Mai" becomes "T. M."."""
    words = ["-".join(f"{part[0]}." for part in word.split("-")) for word in given.split()]
    return " ".join(words)
