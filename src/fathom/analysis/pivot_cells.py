"""The value of one cell of a table, from the responses in it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fathom.analysis.correlates import correlation, reason_to_exclude
from fathom.analysis.findings import Estimate
from fathom.analysis.intervals import BoolArray, FloatArray, IntArray, difference, macro_average, mean_estimate, share
from fathom.analysis.pivot_terms import TableMeasure
from fathom.analysis.ratios import linearize, ratio_estimate
from fathom.analysis.response_table import NOT_SENT, Property, ResponseColumn, ResponseTable
from fathom.scoring.scores import pass_at_k


@dataclass(frozen=True)
class CellValue:
    """A value, and its interval if it has one; the value is None if there is nothing to compute it from."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    """Questions with a value, counted once for each run."""


NOTHING = CellValue(None)

Groups = dict[tuple[int, ...], IntArray]
"""Responses by the indices of their values."""


@dataclass(frozen=True)
class _Units:
    """Values of questions: the mean over the samples of a question in one run."""

    numbers: IntArray
    """Run and question as one number."""
    values: FloatArray
    contexts: IntArray


@dataclass(frozen=True)
class Cells:
    """Computes cells; `macro` are the properties over whose values is averaged, each with the same weight."""

    table: ResponseTable
    macro: tuple[Property, ...] = ()

    def grouped(self, axes: tuple[Property, ...], indices: IntArray) -> Groups:
        """The responses of each combination of values; one without a value of some property is in none."""
        codes: list[IntArray] = []
        for axis in axes:
            repeated, axis_codes = axis.at(indices, self.table.size)
            codes, indices = [*(code[repeated] for code in codes), axis_codes], indices[repeated]
        if not len(indices):
            return {}
        key = np.zeros(len(indices), dtype=np.int64)
        for axis, axis_codes in zip(axes, codes, strict=True):
            key = key * len(axis.values) + axis_codes
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        return {
            tuple(int(code[order[start]]) for code in codes): part
            for start, part in zip(starts, np.split(indices[order], starts[1:]), strict=True)
        }

    def value(self, measure: TableMeasure, indices: IntArray, base: IntArray) -> CellValue:
        """The value over the responses at `indices`; `base` are the responses that shares refer to."""
        match measure.statistic:
            case "share":
                return self._share(indices, base)
            case "number":
                return CellValue(float(self.count(measure.name, indices)), n=self.count("units", indices))
            case "pass":
                return self._pass_at(measure.k, indices)
            case "ratio":
                return self._per_correct(indices)
        column = measure.column
        assert column is not None
        if column.name == "dollars" and self._unpriced[indices].any():
            return NOTHING
        indices = indices[~np.isnan(column.values[indices])]
        if not len(indices):
            return NOTHING
        if measure.statistic == "mean" and column.top is not None and column.bottom is not None:
            return self._ratio(column, column.top, column.bottom, indices)
        if measure.statistic in ("mean", "macro"):
            return self._mean(self._units(column.values, indices), indices, column.is_share)
        if measure.statistic == "correlation":
            return self._correlation(column.values, indices)
        values = column.values[indices]
        if column.lists is not None:
            values = np.concatenate([np.asarray(column.lists[index], dtype=float) for index in indices])
        return CellValue(_statistic(measure.statistic, values), n=self.count("units", indices))

    def count(self, unit: str, indices: IntArray) -> int:
        """How many questions, responses, runs or contexts there are; `units` are questions of each run."""
        if unit == "responses":
            return len(indices)
        numbers = {
            "questions": self.table.question,
            "runs": self.table.run,
            "contexts": self.table.context,
            "units": self._unit,
        }[unit]
        return len(np.unique(numbers[indices]))

    def missing(self, indices: IntArray) -> int:
        """Responses that failed or are not asked yet."""
        return int(self._missing[indices].sum())

    def paired_difference(self, measure: TableMeasure, first: IntArray, second: IntArray) -> CellValue:
        """Second minus first over the questions that both have, paired by question."""
        column = measure.column
        assert column is not None
        if column.name == "dollars" and self._unpriced[np.concatenate([first, second])].any():
            return NOTHING
        has_value = ~np.isnan(column.values)
        first_means, second_means = (
            self._means(self.table.question, column.values, indices[has_value[indices]]) for indices in (first, second)
        )
        if column.top is not None and column.bottom is not None:
            first_means, second_means = (
                self._linearized(column.top, column.bottom, self.table.question, indices[has_value[indices]])
                for indices in (first, second)
            )
        common, first_index, second_index = np.intersect1d(
            first_means.numbers, second_means.numbers, assume_unique=True, return_indices=True
        )
        if not len(common):
            return NOTHING
        gaps, contexts = (
            second_means.values[second_index] - first_means.values[first_index],
            first_means.contexts[first_index],
        )
        if self.macro:
            inside = np.isin(self.table.question[first], common)
            masks = [
                np.isin(common, self.table.question[group])
                for group in self.grouped(self.macro, first[inside]).values()
            ]
            return _cell(macro_average(gaps, contexts, masks, bounded=False)) if masks else NOTHING
        return _cell(difference(gaps, contexts) if column.is_share else mean_estimate(gaps, contexts))

    def _mean(self, units: _Units, indices: IntArray, is_share: bool) -> CellValue:
        if not self.macro:
            return _cell((share if is_share else mean_estimate)(units.values, units.contexts))
        masks = [np.isin(units.numbers, self._unit[group]) for group in self.grouped(self.macro, indices).values()]
        return _cell(macro_average(units.values, units.contexts, masks, is_share)) if masks else NOTHING

    def _ratio(self, column: ResponseColumn, top: FloatArray, bottom: FloatArray, indices: IntArray) -> CellValue:
        """The ratio of the sums; with `macro` the mean of the ratios of its values."""
        if not self.macro:
            above, below = (self._units(side, indices) for side in (top, bottom))
            estimate = ratio_estimate(above.values, below.values, above.contexts, column.is_share)
            return NOTHING if estimate is None else _cell(estimate)
        units = self._units(bottom, indices)
        values, masks = np.zeros(len(units.numbers)), []
        for group in self.grouped(self.macro, indices).values():
            mask = np.isin(units.numbers, self._unit[group])
            part = self._linearized(top, bottom, self._unit, indices[np.isin(self._unit[indices], units.numbers[mask])])
            values[mask] = part.values
            masks.append(mask)
        if not masks:
            return NOTHING
        estimate = macro_average(values, units.contexts, masks, bounded=False)
        limits = (0.0, 1.0) if column.is_share else (-np.inf, np.inf)
        low, high = (float(np.clip(end, *limits)) for end in (estimate.low, estimate.high))
        return _cell(estimate.model_copy(update={"low": low, "high": high}))

    def _linearized(self, top: FloatArray, bottom: FloatArray, by: IntArray, indices: IntArray) -> _Units:
        above, below = (self._means(by, side, indices) for side in (top, bottom))
        return _Units(above.numbers, linearize(above.values, below.values), above.contexts)

    def _share(self, indices: IntArray, base: IntArray) -> CellValue:
        inside = np.zeros(self.table.size)
        inside[indices] = 1.0
        return self._mean(self._units(inside, base), base, True)

    def _pass_at(self, k: int, indices: IntArray) -> CellValue:
        units = self._units(self._correct, indices)
        samples = len(indices) // max(1, len(units.numbers))
        if samples < k or samples * len(units.numbers) != len(indices):
            return NOTHING
        shares = [pass_at_k(samples, round(value * samples), k) for value in units.values]
        return self._mean(_Units(units.numbers, np.array(shares), units.contexts), indices, True)

    def _per_correct(self, indices: IntArray) -> CellValue:
        correct = int(self._correct[indices].sum())
        if self._unpriced[indices].any() or not correct:
            return NOTHING
        return CellValue(float(np.nansum(self._dollars[indices])) / correct, n=self.count("units", indices))

    def _correlation(self, values: FloatArray, indices: IntArray) -> CellValue:
        units = self._units(values, indices)
        accuracy = self._units(self._correct, indices)
        if reason_to_exclude(units.values, accuracy.values, units.contexts):
            return CellValue(None, n=len(units.numbers))
        coefficient = correlation(units.values, accuracy.values, units.contexts)
        return CellValue(coefficient.value, coefficient.low, coefficient.high, len(units.numbers))

    def _units(self, values: FloatArray, indices: IntArray) -> _Units:
        """The mean of each question in each run, over its samples at these places."""
        return self._means(self._unit, values, indices)

    def _means(self, by: IntArray, values: FloatArray, indices: IntArray) -> _Units:
        numbers, inverse, counts = np.unique(by[indices], return_inverse=True, return_counts=True)
        sums = np.bincount(inverse, weights=values[indices], minlength=len(numbers))
        contexts = np.zeros(len(numbers), dtype=np.int64)
        contexts[inverse] = self.table.context[indices]
        return _Units(numbers, sums / counts, contexts)

    @cached_property
    def _unit(self) -> IntArray:
        return np.asarray(self.table.run * len(self.table.questions) + self.table.question)

    @cached_property
    def _correct(self) -> FloatArray:
        return self.table.has_outcome("correct").astype(float)

    @cached_property
    def _dollars(self) -> FloatArray:
        column = self.table.column("dollars")
        assert column is not None
        return column.values

    @cached_property
    def _missing(self) -> IntArray:
        return self.table.has_outcome("error", "unanswered")

    @cached_property
    def _unpriced(self) -> BoolArray:
        """Responses whose price is not known."""
        return np.asarray(np.isnan(self._dollars) & (self.table.has_outcome(*NOT_SENT) == 0))


def _cell(estimate: Estimate) -> CellValue:
    low, high = (None, None) if estimate.method == "none" else (estimate.low, estimate.high)
    return CellValue(estimate.value, low, high, estimate.items)


def _statistic(name: str, values: FloatArray) -> float:
    if name.startswith("p"):
        return float(np.percentile(values, int(name[1:])))
    if name in ("sd", "var"):
        # The variance of a sample, which is unknown for a single value.
        return float(getattr(np, {"sd": "std", "var": "var"}[name])(values, ddof=1)) if len(values) > 1 else 0.0
    if name == "count":
        return float(len(values))
    return float(getattr(np, name)(values))
