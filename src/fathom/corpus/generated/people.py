"""Generated people: names with several spellings, and some people with the same name."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from fathom.corpus.generated.lexicon import names
from fathom.records.names import without_accents


@dataclass(frozen=True, slots=True)
class Person:
    """One person; bylines may spell the name differently."""

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
        """The name as printed in a byline."""
        return f"{self.given} {self.family}"


def invent(rng: Random, id: str, double: bool = False) -> Person:
    """A new person, with a double family name if `double`."""
    tradition = rng.choice(names().traditions)
    family = rng.choice(tradition.family)
    # Double names and particles break name parsers, so there are some.
    kind = rng.random()
    if double or kind < 0.07:
        other = rng.choice(tradition.family)
        family = f"{family}-{other}" if other != family else family
    elif kind < 0.12:
        family = f"{rng.choice(names().particles)} {family}"
    middle = rng.choice("ABCDEFGHJKLMPRSTW") if rng.random() < 0.3 else ""
    return Person(id, rng.choice(tradition.given), middle, family)


def short_form(person: Person) -> tuple[str, str]:
    """The shortest spelling of a name: an initial and the family name without accents."""
    return without_accents(person.given)[0], without_accents(person.family).replace("-", " ").casefold()


def with_same_name(of: Person, id: str) -> Person:
    """Another person with the same name."""
    return Person(id, of.given, of.middle, of.family)


def spell(person: Person, rng: Random, initials: bool) -> Spelling:
    """How a byline prints the name; `initials` is the style of the journal, the rest is random."""
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
