"""Draws names and values of generated documents."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from random import Random

from fathom.corpus.generated.people import invent
from fathom.corpus.generated.prose.pack import Attribute
from fathom.corpus.generated.prose.printing import Printed, print_value
from fathom.corpus.generated.prose.templates import Planted
from fathom.records.documents import Fact
from fathom.records.spans import Span


def number_of(day: date) -> Decimal:
    """A date as 20240317."""
    return Decimal(day.year * 10_000 + day.month * 100 + day.day)


def distinct(rng: Random, count: int, low: int, high: int, step: int = 1, gap: int = 1) -> list[int]:
    """Random values in the range, multiples of `step`, any two at least `gap` apart."""
    values: list[int] = []
    while len(values) < count:
        value = rng.randrange(low, high) // step * step
        if all(abs(value - other) >= gap for other in values):
            values.append(value)
    return values


def person_name(rng: Random) -> str:
    """The full name of an invented person."""
    person = invent(rng, "")
    return f"{person.given} {person.family}"


def planted_number(
    attribute: str,
    of: Attribute,
    entity: str,
    value: Decimal | int,
    language: str,
    rng: Random,
    *,
    part: str = "",
    status: str = "reported",
) -> Planted:
    """A number to print for an attribute of an entity."""
    number = Decimal(value)
    fact = Fact(
        entity=entity,
        part=part,
        attribute=attribute,
        value=number,
        unit=of.unit,
        span=Span(0, 0),
        status=status,
        place="prose",
    )
    return Planted(print_value(of.type, number, currency(of.unit), language, rng), fact)


def planted_name(attribute: str, entity: str, name: str, *, part: str = "", status: str = "reported") -> Planted:
    """A name to print for an attribute of an entity."""
    fact = Fact(
        entity=entity,
        part=part,
        attribute=attribute,
        value=None,
        name=name,
        unit="",
        span=Span(0, 0),
        status=status,
        place="prose",
    )
    return Planted(Printed(name), fact)


def currency(unit: str) -> str:
    """A unit as prose prints it."""
    return {"EUR": "euros", "crowns": "crowns"}.get(unit, unit)
