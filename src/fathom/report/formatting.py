"""Numbers, benches and titles as text, and estimates as chart points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from fathom.analysis.findings import EffectiveLength, Estimate, Findings
from fathom.records.plurals import counted
from fathom.report.drawings.canvas import percent as rounded
from fathom.report.drawings.charts import Point


def percent(value: float, decimals: int = 0) -> str:
    """62% for 0.62. A value that is not exactly 0 or 1 is not rounded to 0% or 100%."""
    text = rounded(value, decimals)
    return rounded(value, 1) if text in ("100%", "0%") and value not in (0.0, 1.0) else text


def points(value: float) -> str:
    """A difference in percentage points."""
    return f"{value * 100:.0f} point{'' if round(value * 100) == 1 else 's'}"


def join_names(names: Sequence[str], most: int = 4) -> str:
    """a, b and c; long lists are shortened."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""


def interval(estimate: Estimate) -> str:
    """62.0% (55.1% to 68.2%)"""
    return f"{percent(estimate.value, 1)} ({percent(estimate.low, 1)} to {percent(estimate.high, 1)})"


def effective_length(effective: EffectiveLength) -> str:
    """64K, or 64K+ where the longest length tested is reached."""
    return "none" if effective.length is None else f"{effective.length}{'+' if effective.reaches_longest else ''}"


def point(name: str, estimate: Estimate) -> Point:
    """An estimate as a chart point with its tooltip."""
    questions, contexts = counted(estimate.items, "question"), counted(estimate.clusters, "context")
    tip = f"{name}: {interval(estimate)}, {questions}, {contexts}"
    return Point(estimate.value, estimate.low, estimate.high, tip)


def bench_names(findings: Findings) -> dict[str, str]:
    """The benches' names by fingerprint."""
    return {bench.fingerprint: bench.name for bench in findings.benches}


def short_names(names: Sequence[str]) -> dict[str, str]:
    """The names without the beginning that all share, up to a hyphen, slash or space: a drawing has little room."""
    columns = list(zip(*names, strict=False)) if len(names) > 1 else []
    shared = sum(1 for _ in takewhile(lambda signs: len(set(signs)) == 1, columns))
    cut = max(names[0].rfind(sign, 0, shared) for sign in "-/ ") + 1 if shared else 0
    return {name: f"…{name[cut:]}" if cut and all(len(name) > cut for name in names) else name for name in names}


def title_of(findings: Findings) -> str:
    """The names of the benches and the number of runs."""
    return f"{join_names(list(bench_names(findings).values()), 3)}: {counted(len(findings.runs), 'run')}"
