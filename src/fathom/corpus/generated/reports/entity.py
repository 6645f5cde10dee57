"""Who a report is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fathom.corpus.generated.reports.catalog import Metric
from fathom.corpus.generated.reports.ledger import (
    FIRST_YEAR,
    REPORTS,
    Book,
    Derive,
    Key,
    Leaves,
    Restatement,
    Withheld,
    known,
)
from fathom.corpus.generated.reports.style import Style
from fathom.records.rng import rng_for


@dataclass(frozen=True, slots=True)
class Origin:
    """What all chance about an entity hangs on."""

    domain: str
    seed: int
    number: int


@dataclass(frozen=True, slots=True)
class Entity:
    """A company, university or housing market: its name, its habits and its figures."""

    origin: Origin
    name: str
    metrics: Mapping[str, Metric]
    words: Mapping[str, str]
    """What the templates may call by name: its place, its people, its trade."""
    parts: Mapping[str, tuple[str, ...]]
    """Its parts by group: segments and regions; faculties, halls and programmes; districts and types of home."""
    style: Style
    fullness: float
    """How much its reports say, from 0 to 1."""
    leaves: Leaves
    derive: Derive
    restatements: Mapping[int, Restatement]
    """Corrections by the fiscal year of the report that makes them."""

    def book(self, year: int) -> Book:
        """What the report on `year` knows, and what the one before knew."""
        gaps = withhold(self.origin, self.metrics, self.leaves, self.derive)
        now, before = (known(self.leaves, self.derive, self.restatements, gaps, report) for report in (year, year - 1))
        return Book(now, before)


def withhold(origin: Origin, metrics: Mapping[str, Metric], leaves: Leaves, derive: Derive) -> tuple[Withheld, ...]:
    """The figures that the entity leaves out in their own year, and when it discloses them after all."""
    gaps: list[Withheld] = []
    for year in range(FIRST_YEAR, FIRST_YEAR + REPORTS):
        rng = rng_for(origin.seed, origin.domain, "withheld", origin.number, year)
        for key in derive(leaves, year):
            chance = metrics[key.metric].withheld
            # A part's figure is left out less often than the whole's: a table of parts has many.
            if chance and key.period == str(year) and rng.random() < (chance / 3 if key.part else chance):
                gaps.append(Withheld(key, until=year + 1 if rng.random() < 0.4 else FIRST_YEAR + REPORTS))
    return tuple(gaps)


def keyed(metric: str, year: int, part: str = "") -> Key:
    """The key of a figure of a whole year."""
    return Key(metric, str(year), part)


def quarter(metric: str, year: int, number: int, part: str = "") -> Key:
    """The key of a figure of a quarter, counted from one."""
    return Key(metric, f"{year}-Q{number}", part)
