"""Policies: regulations on grants with definitions, conditions, exceptions far behind the rule, and amendments."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random

from fathom.corpus.generated.prose.pack import ProsePack
from fathom.corpus.generated.prose.printing import date_number
from fathom.corpus.generated.prose.templates import PlantedValue
from fathom.corpus.generated.prose.world import DocumentPlan, distinct
from fathom.corpus.generated.prose.writer import ProseWriter, StatedParagraph
from fathom.records.spans import Span

SCHEMES = 4
CATEGORIES = {"en": ("small household", "large household"), "zh": ("小型家庭", "大型家庭")}
"""The categories of households: those with few members, and those with many."""


def _policy_world(pack: ProsePack, language: str, rng: Random, scale: int, year: int) -> DocumentPlan:
    """The rules of each scheme; definitions come first, exceptions late, and amendments at the end."""
    world = DocumentPlan(pack, language, rng, 20 * scale)
    last = world.sections - 1
    quarters = [
        range(0, last // 4),
        range(last // 4, last // 2),
        range(last // 2, 3 * last // 4),
        range(last - 3, last),
    ]
    schemes = rng.sample(pack.names["schemes"], SCHEMES)
    offices = rng.sample(pack.names["offices"], SCHEMES)
    sizes = distinct(rng, SCHEMES, 3, 8)
    amounts = distinct(rng, 4 * SCHEMES, 310, 2400, step=10, gap=20)
    for number, (scheme, office) in enumerate(zip(schemes, offices, strict=True)):
        first_section, second_section, third_section, last_section = (rng.choice(list(part)) for part in quarters)
        world.state("large", scheme, sizes[number], section=first_section)
        world.state_name("office", scheme, office)
        # Large households receive more than small ones, and amended amounts are higher.
        scheme_amounts = sorted(amounts[4 * number : 4 * number + 4])
        for index, part in enumerate(CATEGORIES[language]):
            world.state("base", scheme, scheme_amounts[2 * index], section=second_section, part=part)
            world.state("amended", scheme, scheme_amounts[2 * index + 1], section=last_section, part=part)
        world.state("child", scheme, rng.randrange(45, 240, 5), section=rng.choice(list(quarters[1])))
        world.state("threshold", scheme, rng.randrange(14_000, 31_000, 500), section=rng.choice(list(quarters[1])))
        world.state("taper", scheme, rng.randint(3, 12), section=rng.choice(list(quarters[2])))
        world.state("seasonal", scheme, rng.randrange(35, 85, 5), section=third_section)
        day = date(year, rng.randint(1, 12), 1) + timedelta(days=rng.choice((0, 14)))
        world.state("effective", scheme, date_number(day), section=last_section)
        world.state("decision", scheme, rng.randint(12, 75))
        world.state("appeal", scheme, rng.randint(10, 45))
        world.state("fee", office, rng.randrange(8, 60), section=rng.choice(list(quarters[2])))
    return world


def _attribute(statement: StatedParagraph) -> str:
    value = statement.scope["v"]
    return value.fact.attribute if isinstance(value, PlantedValue) else ""


def write_policy(pack: ProsePack, language: str, rng: Random, scale: int) -> tuple[ProseWriter, Span, int | None]:
    """The writer of the regulations, the span of their title, and the year of the last amendments."""
    year = rng.randint(2012, 2025)
    place = DocumentPlan(pack, language, rng, 1).places(1)[0]
    world = _policy_world(pack, language, rng, scale, year)
    writer = ProseWriter(pack, language, rng, {"place": place})
    title = writer.title()
    for template in pack.intro:
        writer.paragraph(StatedParagraph(template, {}))
    for number, statements in enumerate(world.statements, start=1):
        amends = any(_attribute(statement) in ("amended", "effective") for statement in statements)
        form = pack.amendment if amends else pack.mixed if statements else pack.section
        with writer.draft.section(form.format(number=number, heading=writer.heading({}))):
            rng.shuffle(statements)
            writer.body(statements, fillers=rng.randint(6, 7))
    return writer, title, year
