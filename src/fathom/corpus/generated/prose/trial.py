"""Research articles in Chinese: a trial of filter media at six stations, with corrected figures and changing units."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from fathom.corpus.generated.prose.pack import ProsePack
from fathom.corpus.generated.prose.printing import date_number
from fathom.corpus.generated.prose.world import DocumentPlan, distinct, near
from fathom.corpus.generated.prose.writer import ProseWriter, StatedParagraph
from fathom.records.spans import Span

MEDIA = 6
"""Filter media, each of which is tested at a station of its own."""
_CHAPTERS = {
    "site": (1, 2),
    "chief": (2, 3, 4),
    "earlier": (2, 4, 5),
    "population": (2, 3),
    "distance": (2, 4),
    "depth": (1, 3),
    "started": (3, 5),
    "influent": (5, 6),
    "days": (7, 9, 11),
    "removal": (8, 11, 13),
    "purchase": (1, 9, 10),
    "regeneration": (9, 10, 13),
}
"""The chapters, counted from zero, that state an attribute."""
_PARTS = (("front", 5), ("run", 12), ("end", 15))
"""The parts of an article, and the chapters that come before their ends."""


def _trial_world(pack: ProsePack, language: str, rng: Random, scale: int) -> DocumentPlan:
    """The measurements of each medium and station, and the section that reports each."""
    world = DocumentPlan(pack, language, rng, len(pack.headlines) * scale)

    def section(attribute: str) -> int:
        return rng.choice(_CHAPTERS[attribute]) * scale + rng.randrange(scale)

    media, sites = rng.sample(pack.names["media"], MEDIA), world.places(MEDIA)
    people = world.people(rng.sample(pack.names["roles"], MEDIA))
    for medium, site, person, before in zip(media, sites, people, sites[1:] + sites[:1], strict=True):
        world.state_name("site", medium, site, section=section("site"))
        world.state_name("chief", site, person, section=section("chief"))
        world.state_name("earlier", person, before, section=section("earlier"))
    first = date(rng.randint(2009, 2023), rng.randint(1, 9), rng.randint(1, 28))
    started = [date_number(first + timedelta(days=days)) for days in distinct(rng, MEDIA, 0, 75, gap=2)]
    for entities, attribute, values, corrections, step in (
        (sites, "population", distinct(rng, MEDIA, 240, 2900, gap=20), 1, 1),
        (sites, "distance", distinct(rng, MEDIA, 2_000, 60_000, step=100, gap=700), 0, 1),
        (media, "depth", distinct(rng, MEDIA, 45, 190, gap=3), 0, 1),
        (media, "started", started, 0, 1),
        (media, "influent", distinct(rng, MEDIA, 110, 780, gap=7), 2, 1),
        (media, "days", distinct(rng, MEDIA, 32, 140, gap=3), 0, 1),
        (media, "removal", distinct(rng, MEDIA, 52, 97), 0, 1),
        (media, "purchase", distinct(rng, MEDIA, 18_000, 96_000, step=100, gap=700), 1, 100),
        (media, "regeneration", distinct(rng, MEDIA, 1_800, 15_000, step=100, gap=200), 0, 1),
    ):
        corrected = set(rng.sample(entities, corrections))
        for entity, value in zip(entities, values, strict=True):
            wrong = near(rng, value, step) if entity in corrected else None
            world.state(attribute, entity, value, wrong=wrong, section=section(attribute))
    return world


def write_trial(pack: ProsePack, language: str, rng: Random, scale: int) -> tuple[ProseWriter, Span, int | None]:
    """The writer of a whole article, the span of its title, and no year."""
    world = _trial_world(pack, language, rng, scale)
    writer = ProseWriter(pack, language, rng, {"river": rng.choice(pack.names["rivers"])})
    title = writer.title()
    for template in pack.intro:
        writer.paragraph(StatedParagraph(template, {}))
    for index, statements in enumerate(world.statements):
        chapter, section = divmod(index, scale)
        number = f"{chapter + 1}.{section + 1}" if scale > 1 else f"{chapter + 1}"
        part = next(name for name, end in _PARTS if chapter < end)
        with writer.draft.section(pack.section.format(number=number, heading=pack.headlines[chapter])):
            writer.body(statements, fillers=rng.randint(6, 7), part=part)
    return writer, title, None
