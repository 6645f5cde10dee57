"""Facts of a filing: their contexts, units and values."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from itertools import islice

from fathom.corpus.readers.ixbrl.elements import MAX_TEXT, attribute, element_text, is_ixbrl, local_name
from fathom.corpus.readers.ixbrl.numbers import scaled_value
from fathom.corpus.readers.parsing.xml_trees import Element


@dataclass(frozen=True)
class RawFact:
    """One tagged fact, with its context."""

    concept: str
    """As written, with its prefix: "us-gaap:Revenues"."""
    entity: str
    """The registrant's identifier: a CIK, a company number."""
    start: str
    """An ISO date; empty for an instant."""
    end: str
    """An ISO date: the instant, or the last day."""
    dimensions: tuple[tuple[str, str], ...]
    """Pairs of axis and member; empty for the whole entity."""
    numeric: bool
    value: Decimal | None
    """In plain units; None for text, nil and unparseable numbers."""
    unit: str
    text: str
    """As printed; long text is truncated."""
    hidden: bool
    """Whether it is in the hidden part of the file."""
    nil: bool
    """Whether the filing states that there is no value."""
    decimals: str
    """Precision, as written: "-6" for millions, "INF" for exact."""
    fault: str = ""
    """Why a number has no value."""

    @property
    def period(self) -> str:
        """The instant, or "START/END"."""
        return f"{self.start}/{self.end}" if self.start else self.end

    @property
    def part(self) -> str:
        """The dimensions as text: "axis=member; axis=member"."""
        return "; ".join(f"{axis}={member}" for axis, member in self.dimensions)


# Contexts and units.


@dataclass(frozen=True)
class FactContext:
    """Entity, period and dimensions of a fact."""

    entity: str = ""
    start: str = ""
    end: str = ""
    dimensions: tuple[tuple[str, str], ...] = ()


def read_context(element: Element) -> FactContext:
    """Return the context that an element defines."""
    entity = start = end = ""
    dimensions: list[tuple[str, str]] = []
    for inner in element.iter():
        match local_name(inner):
            case "identifier":
                entity = element_text(inner).strip()
            case "instant" | "enddate":
                end = _day(element_text(inner), last=True)
            case "startdate":
                start = _day(element_text(inner), last=False)
            case "explicitmember" | "typedmember":
                dimensions.append((attribute(inner, "dimension"), " ".join(element_text(inner).split())))
    return FactContext(entity, start, end, tuple(dimensions))


_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(T00:00:00)?")


def _day(text: str, last: bool) -> str:
    """Return an ISO date. Midnight at the end of a period means the day before."""
    match = _DAY.match(text.strip())
    if match is None:
        return ""
    try:
        day = date(int(match[1]), int(match[2]), int(match[3]))
        return (day - timedelta(days=1) if match[4] and last else day).isoformat()
    except (ValueError, OverflowError):
        return ""


def read_unit(element: Element) -> str:
    """Return a unit such as "USD" or "USD/shares"."""
    numerator: list[str] = []
    denominator: list[str] = []
    for inner in element.iter():
        if local_name(inner) == "measure":
            parent = inner.getparent()
            measures = denominator if parent is not None and local_name(parent) == "unitdenominator" else numerator
            measures.append(element_text(inner).strip().rpartition(":")[2])
    return "*".join(numerator) + ("/" + "*".join(denominator) if denominator else "")


# Values.


def fact_value(element: Element) -> Decimal:
    """Return the value of a tagged number or fraction; raises ValueError if it is not a number."""
    return _fraction_value(element) if local_name(element) == "fraction" else _number_value(element)


def _number_value(element: Element) -> Decimal:
    form, scale, sign = (attribute(element, name) for name in ("format", "scale", "sign"))
    return scaled_value(element_text(element), form, scale, sign)


def _fraction_value(element: Element) -> Decimal:
    """Return the value of a tagged fraction: 0.25 for "1 for every 4"."""
    parts = {
        name: inner
        for inner in islice(element.iter(), MAX_TEXT)
        if (name := local_name(inner)) in _FRACTION_PARTS and is_ixbrl(inner)
    }
    if len(parts) < len(_FRACTION_PARTS):
        raise ValueError("a fraction without numerator or denominator")
    numerator, denominator = (_number_value(parts[name]) for name in _FRACTION_PARTS)
    if not denominator:
        raise ValueError("a fraction with a zero denominator")
    return Decimal(format(numerator / denominator, "f"))


_FRACTION_PARTS = ("numerator", "denominator")
