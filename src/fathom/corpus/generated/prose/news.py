"""News: dated dispatches on a flood, with corrections, changing units, relative dates and people of one name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from random import Random

from fathom.corpus.generated.prose.pack import Pack
from fathom.corpus.generated.prose.printing import print_value
from fathom.corpus.generated.prose.templates import Planted
from fathom.corpus.generated.prose.values import distinct, number_of, person_name, planted_name, planted_number
from fathom.corpus.generated.prose.writer import ProseWriter, Statement
from fathom.records.spans import Span

TOWNS, DONORS = 6, 4


class NewsWorld:
    """What happens, and in which dispatch it is reported."""

    def __init__(self, pack: Pack, language: str, rng: Random, scale: int) -> None:
        self._pack, self._language, self._rng = pack, language, rng
        names = pack.names
        towns = [
            begin + end for begin in rng.sample(names["beginnings"], TOWNS) for end in [rng.choice(names["endings"])]
        ]
        river = rng.choice(names["rivers"])
        self.towns = towns
        self.words = {"river": river, "paper": rng.choice(names["papers"]).format(river=river)}
        self.dispatches = 16 * scale
        self.days = self._dispatch_days()
        self.statements: list[list[Statement]] = [[] for _ in self.days]
        self._plan()

    def _dispatch_days(self) -> list[date]:
        day = date(self._rng.randint(1994, 2024), self._rng.randint(1, 11), self._rng.randint(1, 28))
        days = [day]
        for _ in range(self.dispatches - 1):
            days.append(days[-1] + timedelta(days=self._rng.randint(1, 4)))
        return days

    # What is reported.

    def _plan(self) -> None:
        last = self.dispatches - 1
        half = max(4, last // 2)
        self._figures("evacuated", distinct(self._rng, TOWNS, 180, 2900, gap=40), half)
        self._figures("homes", distinct(self._rng, TOWNS, 24, 640, gap=12), half)
        for town, level in zip(self.towns, distinct(self._rng, TOWNS, 310, 790, gap=9), strict=True):
            self._add(self._rng.randrange(half), "peak", town, self._number("peak", town, level))
        self._roads(half)
        self._people()
        self._donors(half)

    def _figures(self, attribute: str, values: Sequence[int], half: int) -> None:
        """A figure of each town; that of some is corrected in a later dispatch."""
        corrected = set(self._rng.sample(self.towns, self._rng.randint(2, 3)))
        for town, value in zip(self.towns, values, strict=True):
            first = self._rng.randrange(half)
            if town not in corrected:
                self._add(first, attribute, town, self._number(attribute, town, value))
                continue
            wrong = value + self._rng.choice((-1, 1)) * self._rng.randint(value // 20 + 1, value // 4 + 2)
            self._add(first, attribute, town, self._number(attribute, town, wrong))
            self._correct(
                attribute, town, wrong, value, self._rng.randrange(min(first + 3, self.dispatches - 1), self.dispatches)
            )

    def _correct(self, attribute: str, entity: str, wrong: int, value: int, dispatch: int) -> None:
        of = self._pack.attribute[attribute]
        old = planted_number(attribute, of, entity, wrong, self._language, self._rng, status="repeated")
        new = planted_number(attribute, of, entity, value, self._language, self._rng, status="restated")
        self._place(dispatch, self._rng.choice(of.correct), {"e": entity, "old": old, "v": new})

    def _roads(self, half: int) -> None:
        """Each road is closed in the first half, and reopened some days later."""
        for town, closure in zip(self.towns, distinct(self._rng, TOWNS, 4, 22), strict=True):
            dispatch = self._rng.randrange(1, half)
            closed = self.days[dispatch] - timedelta(days=self._rng.randint(1, 3))
            self._add(dispatch, "closed", town, self._number("closed", town, int(number_of(closed))))
            later = [at for at, day in enumerate(self.days) if day >= closed + timedelta(days=closure)]
            if later:
                self._add(self._rng.choice(later), "closure", town, self._number("closure", town, closure))

    def _people(self) -> None:
        """A coordinator for each town, each with an earlier post in another one; two have the same name."""
        rng = self._rng
        roles = rng.sample(self._pack.names["roles"], TOWNS)
        names = [self._person() for _ in roles]
        names[-1] = names[0]
        people = [self._titled(role, name) for role, name in zip(roles, names, strict=True)]
        moved = self.towns[1:] + self.towns[:1]
        for town, person, before in zip(self.towns, people, moved, strict=True):
            self._add(rng.randrange(self.dispatches), "coordinator", town, planted_name("coordinator", town, person))
            self._add(rng.randrange(self.dispatches), "earlier", person, planted_name("earlier", person, before))

    def _person(self) -> str:
        if self._language == "en":
            return person_name(self._rng)
        return self._rng.choice(self._pack.names["families"]) + self._rng.choice(self._pack.names["given"])

    def _titled(self, role: str, name: str) -> str:
        return f"the {role} {name}" if self._language == "en" else f"{role}{name}"

    def _donors(self, half: int) -> None:
        rng = self._rng
        donors = rng.sample(self._pack.names["donors"], DONORS)
        raised = rng.choice(donors)
        for donor, town, thousands, costs in zip(
            donors,
            rng.sample(self.towns, DONORS),
            distinct(rng, DONORS, 120, 2400, step=10, gap=20),
            distinct(rng, DONORS, 4, 19),
            strict=True,
        ):
            first = rng.randrange(half)
            pledge = thousands * 1000
            if donor == raised:
                announced = pledge - rng.randint(2, 9) * 10_000
                self._add(first, "pledge", donor, self._number("pledge", donor, announced))
                self._correct(
                    "pledge",
                    donor,
                    announced,
                    pledge,
                    rng.randrange(min(first + 3, self.dispatches - 1), self.dispatches),
                )
            else:
                self._add(first, "pledge", donor, self._number("pledge", donor, pledge))
            self._add(rng.randrange(self.dispatches), "costs", donor, self._number("costs", donor, costs))
            self._add(rng.randrange(self.dispatches), "recipient", donor, planted_name("recipient", donor, town))

    def _number(self, attribute: str, entity: str, value: int) -> Planted:
        return planted_number(attribute, self._pack.attribute[attribute], entity, value, self._language, self._rng)

    def _add(self, dispatch: int, attribute: str, entity: str, value: Planted) -> None:
        of = self._pack.attribute[attribute]
        self._place(dispatch, self._rng.choice(of.say), {"e": entity, "v": value})

    def _place(self, dispatch: int, template: str, scope: dict[str, str | Planted]) -> None:
        self.statements[dispatch].append(Statement(template, scope))


def write_news(pack: Pack, language: str, rng: Random, scale: int) -> tuple[ProseWriter, Span, int]:
    """The writer of a whole dossier, the span of its title, and its year."""
    world = NewsWorld(pack, language, rng, scale)
    writer = ProseWriter(pack, language, rng, world.words)
    title = writer.title()
    for template in pack.intro:
        writer.paragraph(Statement(template, {}))
    for day, statements in zip(world.days, world.statements, strict=True):
        town = rng.choice(world.towns)
        with writer.draft.section(writer.heading({"town": town})):
            printed = print_value("date", number_of(day), "", language, rng).text
            writer.paragraph(Statement(pack.dateline, {"place": town, "date": printed}))
            count = rng.randint(6, 7)
            body = [writer.filler({"town": rng.choice(world.towns)}) for _ in range(count)]
            for statement in statements:
                body.insert(rng.randint(1, len(body)), statement)
            for statement in body:
                writer.paragraph(statement)
    return writer, title, world.days[0].year
