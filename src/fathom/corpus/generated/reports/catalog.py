"""The metrics of a domain: names, units, and how they relate to one another.

A fact's `attribute` is a metric's id. A fact about a part of the entity (a segment, region, faculty, hall, programme,
district or type of home) has the same attribute and names the part in `part`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal

Kind = Literal["money", "price", "per_share", "count", "percent", "rate", "ratio"]

DECIMALS: Mapping[Kind, int] = {"price": 0, "per_share": 2, "count": 0, "percent": 1, "rate": 2, "ratio": 1}
"""Decimals of each kind; those of money depend on the scale of the entity."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One attribute of an entity."""

    id: str
    kind: Kind
    labels: Mapping[str, tuple[str, ...]]
    """Wordings by language, the plainest first."""
    unit: str
    """Such as "persons" or "%"; empty for a bare number and for money, whose unit is the entity's currency."""
    low: float
    high: float
    """The plausible range of an entity's yearly value, in plain units."""
    equals: tuple[str, ...] = ()
    """Metrics of the same part and period that add up to it; "-x" is subtracted."""
    at_most: str | None = None
    """A metric of the same part and period that it never exceeds."""
    sums: tuple[str, ...] = ()
    """The groups of parts over which it adds up to the whole entity's value; "quarter": over quarters to the year's."""
    withheld: float = 0.0
    """The probability that a report withholds it."""

    @property
    def is_currency(self) -> bool:
        """Whether it is measured in the entity's currency."""
        return self.kind in ("money", "price", "per_share")


@cache
def read_words(name: str) -> dict[str, Any]:
    """The content of `words/NAME.toml`."""
    return tomllib.loads(resources.files(__package__).joinpath("words", f"{name}.toml").read_text(encoding="utf-8"))


@cache
def catalog(domain: str) -> Mapping[str, Metric]:
    """The metrics of a domain by id: those of "companies", "universities" or "housing"."""
    return {id: _metric(id, entry) for id, entry in read_words(f"{domain}.metrics").items()}


def _metric(id: str, entry: Mapping[str, object]) -> Metric:
    """The metric of one table of the file; lists become tuples, labels are collected by language."""
    fields = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    labels = {language: fields.pop(language) for language in ("en", "zh") if language in fields}
    unit = "%" if fields["kind"] in ("percent", "rate") else fields.pop("unit", "")
    return Metric(id=id, labels=labels, unit=unit, **fields)  # type: ignore[arg-type]
