"""Figures as people say them."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.analysis.findings import Estimate
from fathom.report.drawings.canvas import percent as rounded
from fathom.report.drawings.charts import Point


def percent(value: float, decimals: int = 0) -> str:
    """62% for 0.62; what is not quite all or nothing is not rounded to it."""
    said = rounded(value, decimals)
    return rounded(value, 1) if said in ("100%", "0%") and value not in (0.0, 1.0) else said


def points(value: float) -> str:
    """A difference of shares in points of a hundred."""
    return f"{value * 100:.0f} point{'' if round(value * 100) == 1 else 's'}"


def some(count: int, noun: str, several: str = "") -> str:
    """1 context, 2 contexts."""
    return f"{count:,} {noun if count == 1 else several or f'{noun}s'}"


def joined(names: Sequence[str], most: int = 4) -> str:
    """a, b and c; of many the first few."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""


def interval(estimate: Estimate) -> str:
    return f"{percent(estimate.value, 1)} ({percent(estimate.low, 1)} to {percent(estimate.high, 1)})"


def point(name: str, estimate: Estimate) -> Point:
    """An estimate as charts take it."""
    tip = f"{name}: {interval(estimate)}, {some(estimate.items, 'question')} over {some(estimate.clusters, 'context')}"
    return Point(estimate.value, estimate.low, estimate.high, tip)


def chance(p: float) -> str:
    """A p-value as it is printed."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
