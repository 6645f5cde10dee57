"""Measures that a family declares: ratios of counts, and distributions of numbers, that its verdicts contain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class RatioMeasure:
    """A ratio of weighted sums of counts, such as 2 * matched / (predicted + gold) for F1.

    Over several questions it is the ratio of the sums (micro average), or the mean of the questions' ratios (macro).
    """

    name: str
    """The name of the measure, such as "claim F1"; in `fathom table` it is claim-f1."""
    top: Mapping[str, float]
    """Weights of counts, by their names in the measures of a verdict."""
    bottom: Mapping[str, float]
    is_share: bool = True
    """Whether it is between 0 and 1; otherwise it is a mean of counts, such as a distance."""
    summary: bool = False
    """Whether summaries such as the table of `fathom score` have a column for it."""
    less_is_better: bool = False

    @property
    def counts(self) -> frozenset[str]:
        """The names of the counts that it is made from."""
        return frozenset((*self.top, *self.bottom))

    @property
    def weight(self) -> float:
        """A divisor of both sums: without it, F1 as 2m / (p + g) would seem to be based on twice as many claims."""
        return max(self.top.values())

    def sums(self, counts: Mapping[str, float]) -> tuple[float, float] | None:
        """Numerator and denominator of one response; None if it has none of the counts."""
        if self.counts.isdisjoint(counts):
            return None
        top, bottom = (
            sum(weight * counts.get(name, 0.0) for name, weight in side.items()) for side in (self.top, self.bottom)
        )
        return top / self.weight, bottom / self.weight


@dataclass(frozen=True)
class Distribution:
    """Numbers of which a response has any number, such as the distance of each pair that it links."""

    name: str
    """The name of the list in the values of a verdict."""
    unit: str = ""
    reference: str = ""
    """The list with the values of the keys, which the others are compared with; empty if there are none."""
    reference_label: str = "keys"


@dataclass(frozen=True)
class PrecisionRecall:
    """Two ratio measures that are drawn against each other."""

    label: str
    """Their subject, such as "claims"."""
    precision: str
    recall: str


@dataclass(frozen=True)
class MeasureFigures:
    """Which figures of a family's measures reports show."""

    precision_recall: tuple[PrecisionRecall, ...] = ()
    """Drawn in one plot, with lines of equal F1."""
    best: tuple[str, ...] = ()
    """Measures by which the best system of each model is chosen; the first one decides."""
    by_length: tuple[str, ...] = ()
    """Measures that are shown by the length of the context."""
    lengths: tuple[int, ...] = ()
    """Limits of the ranges of lengths, in tokens."""


def counts_of(measures: Iterable[RatioMeasure]) -> frozenset[str]:
    """The names of all counts that ratios are made from; their means say nothing."""
    return frozenset[str]().union(*(measure.counts for measure in measures))


def micro_average(measure: RatioMeasure, responses: Iterable[Mapping[str, float]]) -> float | None:
    """The ratio of the sums over responses; None if the denominator is zero."""
    sums = [found for response in responses if (found := measure.sums(response)) is not None]
    bottom = sum(below for _, below in sums)
    return sum(above for above, _ in sums) / bottom if bottom else None
