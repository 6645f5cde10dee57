"""News: dated dispatches on a flood, with corrections, changing units, relative dates and people of one name."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from fathom.corpus.generated.prose.pack import ProsePack
from fathom.corpus.generated.prose.printing import date_number, print_value
from fathom.corpus.generated.prose.world import DocumentPlan, distinct, near
from fathom.corpus.generated.prose.writer import ProseWriter, StatedParagraph
from fathom.records.spans import Span

TOWNS, DONORS = 6, 4


def _news_world(pack: ProsePack, language: str, rng: Random, days: list[date], towns: list[str]) -> DocumentPlan:
    """The events in the towns, and the dispatch that reports each."""
    world = DocumentPlan(pack, language, rng, len(days))
    early = max(4, len(days) // 2)
    for attribute, values in (
        ("evacuated", distinct(rng, TOWNS, 180, 2900, gap=40)),
        ("homes", distinct(rng, TOWNS, 24, 640, gap=12)),
    ):
        corrected = set(rng.sample(towns, rng.randint(2, 3)))
        for town, value in zip(towns, values, strict=True):
            wrong = near(rng, value) if town in corrected else None
            world.state(attribute, town, value, wrong=wrong, section=rng.randrange(early))
    for town, level in zip(towns, distinct(rng, TOWNS, 310, 790, gap=9), strict=True):
        world.state("peak", town, level, section=rng.randrange(early))
    _add_roads(world, days, towns, early)
    people = world.people(rng.sample(pack.names["roles"], TOWNS))
    for town, person, before in zip(towns, people, towns[1:] + towns[:1], strict=True):
        world.state_name("coordinator", town, person)
        world.state_name("earlier", person, before)
    _add_donors(world, towns, early)
    return world


def _add_roads(world: DocumentPlan, days: list[date], towns: list[str], early: int) -> None:
    """Each road is closed early, and reopened some days later."""
    rng = world.rng
    for town, closure in zip(towns, distinct(rng, TOWNS, 4, 22), strict=True):
        dispatch = rng.randrange(1, early)
        closed = days[dispatch] - timedelta(days=rng.randint(1, 3))
        world.state("closed", town, date_number(closed), section=dispatch)
        later = [at for at, day in enumerate(days) if day >= closed + timedelta(days=closure)]
        if later:
            world.state("closure", town, closure, section=rng.choice(later))


def _add_donors(world: DocumentPlan, towns: list[str], early: int) -> None:
    rng = world.rng
    donors = rng.sample(world.pack.names["donors"], DONORS)
    raised = rng.choice(donors)
    pledges, costs = distinct(rng, DONORS, 120, 2400, step=10, gap=20), distinct(rng, DONORS, 4, 19)
    for donor, town, thousands, share in zip(donors, rng.sample(towns, DONORS), pledges, costs, strict=True):
        announced = (thousands - 10 * rng.randint(2, 9)) * 1000 if donor == raised else None
        world.state("pledge", donor, thousands * 1000, wrong=announced, section=rng.randrange(early))
        world.state("costs", donor, share)
        world.state_name("recipient", donor, town)


def write_news(pack: ProsePack, language: str, rng: Random, scale: int) -> tuple[ProseWriter, Span, int | None]:
    """The writer of a whole dossier, the span of its title, and its year."""
    days = [date(rng.randint(1994, 2024), rng.randint(1, 11), rng.randint(1, 28))]
    while len(days) < 16 * scale:
        days.append(days[-1] + timedelta(days=rng.randint(1, 4)))
    towns = DocumentPlan(pack, language, rng, 1).places(TOWNS)
    world = _news_world(pack, language, rng, days, towns)
    river = rng.choice(pack.names["rivers"])
    paper = rng.choice(pack.names["papers"]).format(river=river)
    writer = ProseWriter(pack, language, rng, {"river": river, "paper": paper}, {"town": towns})
    title = writer.title()
    for template in pack.intro:
        writer.paragraph(StatedParagraph(template, {}))
    for day, statements in zip(days, world.statements, strict=True):
        town = rng.choice(towns)
        with writer.draft.section(writer.heading({"town": town})):
            printed = print_value("date", date_number(day), "", language, rng).text
            writer.paragraph(StatedParagraph(pack.dateline, {"place": town, "date": printed}))
            writer.body(statements, fillers=rng.randint(6, 7))
    return writer, title, days[0].year
