"""The entity that a report is about, and its unique name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd, prod

from fathom.corpus.generated.reports.ledger import (
    FIRST_YEAR,
    REPORTS,
    Derive,
    FigureKey,
    Inputs,
    KnownFigures,
    Restatement,
    WithheldFigure,
    figures_as_of,
)
from fathom.corpus.generated.reports.style import FigureStyle, ReportAttribute
from fathom.records.errors import FathomError
from fathom.records.rng import rng_for


def pick_words(lists: Sequence[Sequence[str]], seed: int, domain: str, entity: int) -> list[str]:
    """One word of each list; no two entities of a domain and seed get the same words."""
    sizes = [len(words) for words in lists]
    total = prod(sizes)
    if entity >= total:
        raise FathomError(
            f"There are names for {total} entities of '{domain}', not for number {entity}. Use another seed."
        )
    # entity -> (step * entity + offset) mod total visits every number once if step and total have no common factor.
    rng = rng_for(seed, domain, "names")
    step = next(step for step in iter(lambda: rng.randrange(total), None) if gcd(step, total) == 1)
    number = (step * entity + rng.randrange(total)) % total
    words = []
    for choices in lists:
        number, digit = divmod(number, len(choices))
        words.append(choices[digit])
    return words


def combine_words(beginnings: Sequence[str], endings: Sequence[str]) -> list[str]:
    """Every beginning with every ending, each word once."""
    return list(dict.fromkeys(beginning + ending for beginning in beginnings for ending in endings))


@dataclass(frozen=True, slots=True)
class Origin:
    """Identifies an entity; all random choices about it are seeded by these fields."""

    domain: str
    seed: int
    number: int


@dataclass(frozen=True, slots=True)
class Entity:
    """A company, university or housing market: its name, style and figures."""

    origin: Origin
    name: str
    metrics: Mapping[str, ReportAttribute]
    words: Mapping[str, str]
    """Words that templates may use: its place, people and trade."""
    parts: Mapping[str, tuple[str, ...]]
    """Its parts by group: segments and regions; faculties, halls and programmes; districts and types of home."""
    style: FigureStyle
    fullness: float
    """How long its reports are, from 0 to 1."""
    inputs: Inputs
    derive: Derive
    restatements: Mapping[int, Restatement]
    """Corrections by the fiscal year of the report that makes them."""

    def known_figures(self, year: int) -> KnownFigures:
        """The figures that the report on `year` knows, and those of the report before."""
        gaps = withhold(self.origin, self.metrics, self.inputs, self.derive)
        now, before = (
            figures_as_of(self.inputs, self.derive, self.restatements, gaps, report) for report in (year, year - 1)
        )
        return KnownFigures(now, before)


def withhold(
    origin: Origin, metrics: Mapping[str, ReportAttribute], inputs: Inputs, derive: Derive
) -> tuple[WithheldFigure, ...]:
    """The figures that the entity withholds in their own year, and when it discloses them."""
    gaps: list[WithheldFigure] = []
    for year in range(FIRST_YEAR, FIRST_YEAR + REPORTS):
        rng = rng_for(origin.seed, origin.domain, "withheld", origin.number, year)
        for key in derive(inputs, year):
            chance = metrics[key.metric].withheld
            # A figure of a part is withheld less often than one of the whole: a table of parts has many.
            if chance and key.period == str(year) and rng.random() < (chance / 3 if key.part else chance):
                gaps.append(WithheldFigure(key, until=year + 1 if rng.random() < 0.4 else FIRST_YEAR + REPORTS))
    return tuple(gaps)


@lru_cache(maxsize=1 << 16)
def year_key(metric: str, year: int, part: str = "") -> FigureKey:
    """The key of a figure of a whole year."""
    return FigureKey(metric, str(year), part)


@lru_cache(maxsize=1 << 16)
def quarter_key(metric: str, year: int, number: int, part: str = "") -> FigureKey:
    """The key of a figure of a quarter, counted from one."""
    return FigureKey(metric, f"{year}-Q{number}", part)
