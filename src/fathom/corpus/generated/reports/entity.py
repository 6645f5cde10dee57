"""The entity that a report is about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fathom.corpus.generated.reports.catalog import Metric
from fathom.corpus.generated.reports.ledger import (
    FIRST_YEAR,
    REPORTS,
    Derive,
    Inputs,
    Key,
    KnownFigures,
    Restatement,
    Withheld,
    figures_as_of,
)
from fathom.corpus.generated.reports.style import Style
from fathom.records.rng import rng_for


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
    metrics: Mapping[str, Metric]
    words: Mapping[str, str]
    """Words that templates may use: its place, people and trade."""
    parts: Mapping[str, tuple[str, ...]]
    """Its parts by group: segments and regions; faculties, halls and programmes; districts and types of home."""
    style: Style
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


def withhold(origin: Origin, metrics: Mapping[str, Metric], inputs: Inputs, derive: Derive) -> tuple[Withheld, ...]:
    """The figures that the entity withholds in their own year, and when it discloses them."""
    gaps: list[Withheld] = []
    for year in range(FIRST_YEAR, FIRST_YEAR + REPORTS):
        rng = rng_for(origin.seed, origin.domain, "withheld", origin.number, year)
        for key in derive(inputs, year):
            chance = metrics[key.metric].withheld
            # A figure of a part is withheld less often than one of the whole: a table of parts has many.
            if chance and key.period == str(year) and rng.random() < (chance / 3 if key.part else chance):
                gaps.append(Withheld(key, until=year + 1 if rng.random() < 0.4 else FIRST_YEAR + REPORTS))
    return tuple(gaps)


def year_key(metric: str, year: int, part: str = "") -> Key:
    """The key of a figure of a whole year."""
    return Key(metric, str(year), part)


def quarter_key(metric: str, year: int, number: int, part: str = "") -> Key:
    """The key of a figure of a quarter, counted from one."""
    return Key(metric, f"{year}-Q{number}", part)
