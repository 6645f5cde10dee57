"""Narratives: a chronicle of a valley with people, places and things, relative dates and corrected figures."""

from __future__ import annotations

from random import Random

from fathom.corpus.generated.prose.pack import ProsePack
from fathom.corpus.generated.prose.world import DocumentPlan, distinct, near
from fathom.corpus.generated.prose.writer import ProseWriter, StatedParagraph
from fathom.records.spans import Span

ELDERS, PLACES, THINGS = 4, 5, 5
PEOPLE = 2 * ELDERS


def _narrative_world(pack: ProsePack, language: str, rng: Random, scale: int) -> DocumentPlan:
    """The plan of a narrative: people, homes, wages, heirs and things."""
    world = DocumentPlan(pack, language, rng, 15 * scale)
    people = world.people(rng.sample(pack.names["roles"], PEOPLE))
    _add_life_events(world, people)
    _add_wages(world, people)
    order = rng.sample(people, PEOPLE)
    for person, heir in zip(order, order[1:] + order[:1], strict=True):
        world.state_name("heir", person, heir)
    _add_homes(world, people)
    _add_things(world, rng.sample(people, THINGS))
    return world


def _add_life_events(world: DocumentPlan, people: list[str]) -> None:
    """Births, of the younger siblings relative to those of the elder ones, and departures."""
    rng = world.rng
    elders, younger = people[:ELDERS], people[ELDERS:]
    births = distinct(rng, ELDERS, 1802, 1848, gap=2)
    gaps = distinct(rng, ELDERS, 2, 15)
    corrected = rng.choice(elders)
    for person, year in zip(elders, births, strict=True):
        world.state("born", person, year, wrong=year + rng.choice((-7, -5, 4, 6)) if person == corrected else None)
    for person, elder, gap in zip(younger, elders, gaps, strict=True):
        world.state_name("elder", person, elder)
        world.state("gap", person, gap)
    years = [*births, *(birth + gap for birth, gap in zip(births, gaps, strict=True))]
    for person, year, age in zip(people, years, distinct(rng, PEOPLE, 17, 62), strict=True):
        world.state("left", person, year + age)


def _add_wages(world: DocumentPlan, people: list[str]) -> None:
    rng = world.rng
    corrected = set(rng.sample(people, 2))
    wages, dues = distinct(rng, PEOPLE, 140, 980, step=10, gap=10), distinct(rng, PEOPLE, 5, 26)
    for person, wage, share in zip(people, wages, dues, strict=True):
        world.state("wage", person, wage, wrong=near(rng, wage, 10) if person in corrected else None)
        world.state("dues", person, share)


def _add_homes(world: DocumentPlan, people: list[str]) -> None:
    rng = world.rng
    towns = world.places(PLACES)
    for number, person in enumerate(people):
        world.state_name("home", person, towns[number % PLACES])
    corrected = rng.choice(towns)
    for town, meters in zip(towns, distinct(rng, PLACES, 2_000, 60_000, step=100, gap=700), strict=True):
        world.state("distance", town, meters, wrong=near(rng, meters, 100) if town == corrected else None)


def _add_things(world: DocumentPlan, buyers: list[str]) -> None:
    """Add facts on purchases, repairs and sales."""
    rng = world.rng
    things = rng.sample(world.pack.names["things"], THINGS)
    corrected = rng.choice(things)
    sums = (distinct(rng, THINGS, 40, 400, gap=4), distinct(rng, THINGS, 6, 70), distinct(rng, THINGS, 5, 160))
    for thing, buyer, price, repair, profit in zip(things, buyers, *sums, strict=True):
        world.state_name("buyer", thing, buyer)
        world.state("price", thing, price, wrong=near(rng, price) if thing == corrected else None)
        world.state("repair", thing, repair)
        world.state("sold", thing, price + repair + profit)


def write_narrative(pack: ProsePack, language: str, rng: Random, scale: int) -> tuple[ProseWriter, Span, int | None]:
    """The writer of a whole chronicle, the span of its title, and no year."""
    world = _narrative_world(pack, language, rng, scale)
    writer = ProseWriter(pack, language, rng, {"valley": rng.choice(pack.names["valleys"])})
    title = writer.title()
    for template in pack.intro:
        writer.paragraph(StatedParagraph(template, {}))
    for number, statements in enumerate(world.statements, start=1):
        with writer.draft.section(pack.section.format(number=number, heading=writer.heading({}))):
            writer.body(statements, fillers=rng.randint(6, 8))
    return writer, title, None
