"""A family's own measures as text: ratios of counts, distributions, the best system of each model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fathom.api.findings import Estimate, Findings, Group, MeasureSummary, RunSummary, Spread


def measure_lines(measures: Sequence[MeasureSummary]) -> Iterator[str]:
    """Micro and macro averages with their intervals, which are clustered by context."""
    if not measures:
        return
    width = max(24, *(len(measure.name) for measure in measures))
    yield f"  {'measures':{width}} {'micro (95% CI)':>22} {'macro (95% CI)':>22}   sums"
    for measure in measures:
        micro, macro = (_shown(average, measure.is_share) for average in (measure.micro, measure.macro))
        sums = f"{measure.numerator:,.6g} of {measure.denominator:,.6g}"
        yield f"  {measure.name:{width}} {micro:>22} {macro:>22}   {sums}"


def _shown(estimate: Estimate, is_share: bool) -> str:
    if is_share:
        value = f"{estimate.value:.1%}"
        return value if estimate.method == "none" else f"{value} ({estimate.low * 100:.1f}-{estimate.high * 100:.1f})"
    value = f"{estimate.value:.2f}"
    return value if estimate.method == "none" else f"{value} ({estimate.low:.2f}-{estimate.high:.2f})"


def distribution_lines(run: RunSummary) -> Iterator[str]:
    """Count, mean, quartiles, maximum and variance of each distribution, with those of the keys below."""
    if run.distributions:
        heads = ("count", "mean", "median", "quartiles", "max", "variance")
        yield f"  {'distributions':38} " + " ".join(f"{head:>13}" for head in heads)
    for distribution in run.distributions:
        unit = f" ({distribution.unit})" if distribution.unit else ""
        for label, found in (
            (f"{distribution.name}{unit}", distribution.of_run),
            (f"  {distribution.reference_label}", distribution.reference),
        ):
            if found is not None:
                yield f"    {label:36} " + " ".join(f"{cell:>13}" for cell in _spread(found))


def _spread(spread: Spread) -> tuple[str, ...]:
    return (
        f"{spread.count:,}",
        f"{spread.mean:,.2f}",
        f"{spread.median:,.1f}",
        f"{spread.p25:,.1f}-{spread.p75:,.1f}",
        f"{spread.max:,.0f}",
        f"{spread.variance:,.1f}",
    )


def range_lines(groups: Sequence[Group], measures: Sequence[str]) -> Iterator[str]:
    """Measures by ranges of the context's length."""
    shown = [name for name in measures if any(name in group.measures for group in groups)]
    if len(groups) < 2 or not shown:
        return
    yield f"  {'by length of the context':38} {'count':>7}" + "".join(f" {name:>22}" for name in shown)
    for group in groups:
        cells = (group.measures.get(name) for name in shown)
        shares = "".join(f" {'-' if cell is None else _shown(cell, is_share=True):>22}" for cell in cells)
        yield f"    {group.name:36} {group.outcomes.responses:>7,}{shares}"


def best_system_lines(findings: Findings) -> Iterator[str]:
    """The best system of each model by each measure that a family declares for that."""
    from fathom.api.findings import best_systems, run_labels

    winners = best_systems(findings)
    if not winners:
        return
    labels = run_labels(findings)
    yield ""
    yield "Best system of each model (chosen on the same questions, so the value is optimistic)"
    for system in winners:
        others = ", ".join(f"{labels[run.info.name]} {_value(measure)}" for run, measure in system.others)
        best = f"{labels[system.run.info.name]} {_value(system.measure)}"
        yield f"  {system.run.info.model}, {system.measure.name}: {best}; {others}"


def _value(measure: MeasureSummary) -> str:
    return f"{measure.micro.value:.1%}" if measure.is_share else f"{measure.micro.value:.2f}"
