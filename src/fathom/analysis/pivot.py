"""Tables on demand: a measure by any properties of runs, questions and responses, with intervals and counts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, combinations
from typing import TypeVar

import numpy as np

from fathom.analysis.intervals import BoolArray, IntArray
from fathom.analysis.pivot_cells import Cells, CellValue, Groups
from fathom.analysis.pivot_notes import PivotNotes
from fathom.analysis.pivot_terms import SHARE, PivotTerms, TableMeasure, unknown_name_error
from fathom.analysis.response_table import Property, ResponseTable, ValueFormat, matching, plain_name
from fathom.records.documents import NonNegativeInt
from fathom.records.errors import FathomError
from fathom.records.record import Record

V = TypeVar("V")

MEASURE = "measure"
"""The name of the level with the measures, where a table has several."""
ALL, BEST = "all", "best"
MAX_COLUMNS = 200
NO_RESPONSES = np.zeros(0, dtype=np.int64)
COSTS = ("tokens", "input-tokens", "cached-tokens", "output-tokens", "seconds", "dollars", "dollars-per-correct")
"""Measures for which lower is better."""


@dataclass(frozen=True)
class PivotSettings:
    """The settings of a table."""

    rows: Sequence[str] = ("run",)
    columns: Sequence[str] = ()
    measures: Sequence[str] = ()
    """Empty for accuracy, or for shares in a table by a property of responses."""
    where: Sequence[str] = ()
    macro: Sequence[str] = ()
    """Properties over whose values is averaged, each with the same weight."""
    totals: Sequence[str] = ()
    """Properties that get the value `all`."""
    best: str = ""
    """A property that gets the value `best`: the best of its values."""
    difference: str = ""
    """A property and two of its values: "prompting=direct,cot"."""
    common: bool = False
    """Only questions that every run on the bench asks."""
    rename: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    bins: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def names(self) -> Iterator[str]:
        """Every name of a property or number that occurs."""
        return chain(self.used_names(), map(plain_name, chain(self.bins, self.rename)))

    def used_names(self) -> Iterator[str]:
        """The same without those that are only renamed or grouped."""
        properties = chain(self.rows, self.columns, self.macro, self.totals, [self.best])
        conditions = [*self.where, *self.measures, self.difference]
        parts = [re.split("[=!<>:]", condition, maxsplit=1)[0] for condition in conditions]
        return (plain_name(name) for name in chain(properties, parts) if name)


def _with_plain_names(by_name: Mapping[str, V]) -> dict[str, V]:
    return {plain_name(name): value for name, value in by_name.items()}


class PivotMeasure(Record):
    """A measure of a table."""

    name: str
    kind: ValueFormat
    """How it is printed: a share in percent, a count, a number, US dollars."""


class PivotCell(Record):
    """One cell of a table."""

    row: tuple[str, ...]
    column: tuple[str, ...]
    measure: str
    value: float | None
    """None if no response has the measure, or if a price is not known."""
    low: float | None = None
    high: float | None = None
    n: NonNegativeInt = 0
    """Questions with a value, counted once for each run."""
    questions: NonNegativeInt = 0
    responses: NonNegativeInt = 0
    contexts: NonNegativeInt = 0
    """The sampling unit of the interval."""
    runs: NonNegativeInt = 0
    missing: NonNegativeInt = 0
    """Responses that failed or are not asked yet; they are not correct."""
    is_difference: bool = False
    """Whether it is one value minus another, paired by question."""
    comparable: bool = True
    """False if runs in other cells with the same properties of questions ask questions that are not asked here."""


class PivotTable(Record):
    """A table with its cells in order, row by row; combinations without a response are left out."""

    rows: tuple[str, ...]
    """The properties of the rows, outermost first."""
    columns: tuple[str, ...]
    measures: tuple[PivotMeasure, ...]
    where: tuple[str, ...]
    macro: tuple[str, ...]
    row_values: tuple[tuple[str, ...], ...]
    column_values: tuple[tuple[str, ...], ...]
    cells: tuple[PivotCell, ...]
    notes: tuple[str, ...]


def pivot(table: ResponseTable, settings: PivotSettings) -> PivotTable:
    """The table that the settings describe."""
    return _Pivot(table, settings).table()


CellKey = tuple[int, ...]
"""The index of a value for each axis; derived values come after the values of the property."""


@dataclass(frozen=True)
class _Content:
    """The responses of a cell."""

    indices: IntArray
    base: IntArray
    """The responses that shares refer to: those with the same properties of runs and questions."""
    comparable: bool = True


class _Pivot:
    def __init__(self, table: ResponseTable, settings: PivotSettings) -> None:
        self._table = table
        self._settings = settings
        self._terms = PivotTerms(table, _with_plain_names(settings.rename), _with_plain_names(settings.bins))
        self._check_used("--rename", settings.rename)
        self._check_used("--bins", settings.bins)
        rows, columns = list(map(plain_name, settings.rows)), list(map(plain_name, settings.columns))
        names = [name for name in (*rows, *columns) if name != MEASURE]
        if len(set(names)) < len(names):
            raise FathomError(f"A property is given twice: {', '.join(names)}. Give each once, in --rows or --columns.")
        self._axes = tuple(self._terms.property(name, "--rows" if name in rows else "--columns") for name in names)
        self._by_response = any(axis.level == "response" for axis in self._axes)
        measures = settings.measures or [SHARE if self._by_response else "accuracy"]
        self._measures = [self._terms.measure(name) for name in measures]
        if any(measure.statistic == "share" for measure in self._measures) and not self._by_response:
            raise FathomError(
                "--measure share needs a property of responses in --rows or --columns: outcome, pattern, cause, stage."
            )
        if len(measures) > 1 and MEASURE not in (*rows, *columns):
            columns.append(MEASURE)
        self._rows, self._columns = tuple(rows), tuple(columns)
        macro = tuple(self._terms.property(name, "--macro") for name in settings.macro)
        if any(axis.level == "response" for axis in macro):
            raise FathomError("--macro averages over properties of runs or questions, not of responses. Give another.")
        self._cells = Cells(table, macro)
        self._totals = [self._axis(name, "--totals") for name in settings.totals]

    def _check_used(self, option: str, names: Iterable[str]) -> None:
        """Raise an error for a change of a property that the table does not have: it would have no effect."""
        used_names = set(self._settings.used_names())
        for name in names:
            if plain_name(name) not in used_names:
                raise FathomError(
                    f"{option}: the table does not use '{name}'. Add it to --rows or --columns, or leave out {option}."
                )

    def _axis(self, name: str, option: str) -> int:
        names = [axis.name for axis in self._axes]
        if plain_name(name) not in names:
            name_list = ", ".join(names) or "no property"
            raise FathomError(
                f"{option}: neither --rows nor --columns has '{plain_name(name)}'. They have {name_list}. Add it there."
            )
        return names.index(plain_name(name))

    @cached_property
    def _selected(self) -> IntArray:
        """The responses that meet all conditions."""
        meets_conditions = self._terms.where(self._settings.where)
        if not meets_conditions.any():
            conditions = " and ".join(self._settings.where)
            raise FathomError(f"No response meets {conditions}. Leave a condition out.")
        if self._settings.common:
            meets_conditions &= self._shared_questions(meets_conditions)
            if not meets_conditions.any():
                raise FathomError("No question is asked by every run. Leave out --common.")
        return np.flatnonzero(meets_conditions)

    def _shared_questions(self, selected: BoolArray) -> BoolArray:
        """Responses to questions that every run with a selected response asks, bench by bench."""
        runs = np.unique(self._table.run[selected])
        benches = np.array(self._table.bench_of)
        times_asked = np.zeros(len(self._table.questions), dtype=np.int64)
        runs_on_bench = np.zeros(len(self._table.questions), dtype=np.int64)
        for run in runs:
            of_run = self._table.run == run
            times_asked[np.unique(self._table.question[of_run])] += 1
        for bench in np.unique(benches[runs]):
            first, end = self._table.span(int(bench))
            runs_on_bench[first:end] = int((benches[runs] == bench).sum())
        return np.asarray((times_asked == runs_on_bench)[self._table.question])

    def table(self) -> PivotTable:
        contents = self._contents()
        values = {
            (key, measure.name): self._cells.value(measure, content.indices, content.base)
            for key, content in contents.items()
            for measure in self._measures
            if len(content.indices) or measure.statistic == "share"
        }
        derived: dict[CellKey, _Content] = {}
        for key, content, cell_values in chain(self._best_values(contents, values), self._differences(contents)):
            derived[key] = content
            values |= {(key, name): value for name, value in cell_values.items()}
        contents |= derived
        cells = [
            self._cell(key, content, measure, values[key, measure.name])
            for key, content in contents.items()
            for measure in self._measures
            if (key, measure.name) in values
        ]
        rows = self._ordered_labels(contents, self._rows)
        columns = self._ordered_labels(contents, self._columns)
        if len(columns) > MAX_COLUMNS:
            raise FathomError(
                f"The table would have {len(columns):,} columns. Use --columns with fewer values, or give the property "
                "in --rows."
            )
        positions = (
            {row: index for index, row in enumerate(rows)},
            {column: index for index, column in enumerate(columns)},
        )
        return PivotTable(
            rows=self._rows,
            columns=self._columns,
            measures=tuple(PivotMeasure(name=measure.name, kind=measure.kind) for measure in self._measures),
            where=tuple(self._settings.where),
            macro=tuple(axis.name for axis in self._cells.macro),
            row_values=tuple(rows),
            column_values=tuple(columns),
            cells=tuple(sorted(cells, key=lambda cell: (positions[0][cell.row], positions[1][cell.column]))),
            notes=tuple(self._notes(contents)),
        )

    # The responses of each cell.

    def _contents(self) -> dict[CellKey, _Content]:
        contents: dict[CellKey, _Content] = {}
        totals = sorted(set(self._totals))
        for size in range(len(totals) + 1):
            for summed in combinations(totals, size):
                contents |= self._contents_without(frozenset(summed))
        return contents

    def _contents_without(self, summed_axes: frozenset[int]) -> dict[CellKey, _Content]:
        """The cells in which these axes have the value `all`."""
        kept_axes = [index for index in range(len(self._axes)) if index not in summed_axes]
        indices = self._selected
        for axis_index in summed_axes:
            if self._axes[axis_index].level == "response":
                # All patterns together are the responses that have one.
                indices = np.unique(indices[self._axes[axis_index].at(indices, self._table.size)[0]])
        groups = self._cells.grouped(tuple(self._axes[axis_index] for axis_index in kept_axes), indices)
        base_axes = [axis_index for axis_index in kept_axes if self._axes[axis_index].level != "response"]
        bases = self._cells.grouped(tuple(self._axes[axis_index] for axis_index in base_axes), self._selected)
        comparable = self._comparable(base_axes, bases)
        contents = {}
        for base, codes in self._combinations(kept_axes, base_axes, groups):
            code = dict(zip(kept_axes, codes, strict=True))
            key = tuple(code.get(index, len(axis.values)) for index, axis in enumerate(self._axes))
            contents[key] = _Content(groups.get(codes, NO_RESPONSES), bases[base], comparable[base])
        return contents

    def _combinations(
        self, kept_axes: Sequence[int], base_axes: Sequence[int], groups: Groups
    ) -> Iterator[tuple[CellKey, CellKey]]:
        """The key of each cell, and its part of runs and questions. Empty cells are included: a share may be zero."""
        bases = {
            codes: tuple(code for code, axis_index in zip(codes, kept_axes, strict=True) if axis_index in base_axes)
            for codes in groups
        }
        if all(measure.statistic != "share" for measure in self._measures):
            yield from ((base, codes) for codes, base in bases.items())
            return
        other_codes = dict.fromkeys(
            tuple(code for code, axis_index in zip(codes, kept_axes, strict=True) if axis_index not in base_axes)
            for codes in groups
        )
        for base in self._cells.grouped(tuple(self._axes[axis_index] for axis_index in base_axes), self._selected):
            for codes_of_responses in other_codes:
                base_codes, response_codes = iter(base), iter(codes_of_responses)
                yield (
                    base,
                    tuple(
                        next(base_codes) if axis_index in base_axes else next(response_codes)
                        for axis_index in kept_axes
                    ),
                )

    def _comparable(self, axes: Sequence[int], bases: Groups) -> dict[CellKey, bool]:
        """Whether a cell has every question that runs in other cells with the same properties of questions have."""
        questions_by_key = {key: np.unique(self._table.question[indices]) for key, indices in bases.items()}
        questions_by_group: dict[CellKey, list[IntArray]] = defaultdict(list)

        def of_questions(key: CellKey) -> CellKey:
            return tuple(
                code for code, axis_index in zip(key, axes, strict=True) if self._axes[axis_index].level == "question"
            )

        for key, questions in questions_by_key.items():
            questions_by_group[of_questions(key)].append(questions)
        sizes = {
            key: len(np.unique(np.concatenate(question_lists))) for key, question_lists in questions_by_group.items()
        }
        return {key: len(questions) == sizes[of_questions(key)] for key, questions in questions_by_key.items()}

    # Derived values.

    def _best_values(
        self, contents: Mapping[CellKey, _Content], values: Mapping[tuple[CellKey, str], CellValue]
    ) -> Iterator[tuple[CellKey, _Content, dict[str, CellValue]]]:
        """For each combination of the other axes, the best of the property's values by the first measure."""
        if not self._settings.best:
            return
        axis = self._axis(self._settings.best, "--best")
        first = self._measures[0].name
        column = self._measures[0].column
        sign = -1 if first.partition(":")[0] in COSTS or (column is not None and column.less_is_better) else 1
        rivals: dict[CellKey, list[CellKey]] = defaultdict(list)
        for key in contents:
            if key[axis] < len(self._axes[axis].values) and values[key, first].value is not None:
                rivals[(*key[:axis], -1, *key[axis + 1 :])].append(key)
        for keys in rivals.values():
            best = max(keys, key=lambda key: sign * (values[key, first].value or 0.0))
            best_key = (*best[:axis], len(self._axes[axis].values) + 1, *best[axis + 1 :])
            yield best_key, contents[best], {measure.name: values[best, measure.name] for measure in self._measures}

    def _differences(
        self, contents: Mapping[CellKey, _Content]
    ) -> Iterator[tuple[CellKey, _Content, dict[str, CellValue]]]:
        """For each combination of the other axes, one value of the property minus another, paired by question."""
        if not self._settings.difference:
            return
        axis, first, second = self._difference_axis
        measures = [measure for measure in self._measures if measure.statistic == "mean"]
        for key, content in contents.items():
            other_key = (*key[:axis], second, *key[axis + 1 :])
            if key[axis] == first and other_key in contents:
                other_content = contents[other_key]
                difference_key = (*key[:axis], len(self._axes[axis].values) + 2, *key[axis + 1 :])
                all_indices = np.concatenate([content.indices, other_content.indices])
                yield (
                    difference_key,
                    _Content(all_indices, all_indices),
                    {
                        measure.name: self._cells.paired_difference(measure, content.indices, other_content.indices)
                        for measure in measures
                    },
                )

    @cached_property
    def _difference_axis(self) -> tuple[int, int, int]:
        """The axis of the difference and two of its values."""
        name, _, value_pair = self._settings.difference.partition("=")
        axis = self._axis(name, "--difference")
        run_axis = self._axes[axis]
        if run_axis.level != "run":
            raise FathomError(
                f"--difference pairs runs by question, and '{run_axis.name}' is not a property of runs. "
                "`fathom analyze` compares settings of questions."
            )
        for split in range(len(value_pair)):
            if value_pair[split] == ",":
                sides = [
                    matching(run_axis.values, part.strip()) for part in (value_pair[:split], value_pair[split + 1 :])
                ]
                if all(len(side) == 1 for side in sides):
                    return axis, sides[0][0], sides[1][0]
        raise unknown_name_error(
            f"--difference: give two values of '{run_axis.name}' such as {run_axis.name}=FIRST,SECOND, not",
            value_pair,
            run_axis.values,
        )

    # The table.

    def _cell(self, key: CellKey, content: _Content, measure: TableMeasure, value: CellValue) -> PivotCell:
        # The counts of a share are those of its denominator.
        indices = content.base if measure.statistic == "share" else content.indices
        return PivotCell(
            row=self._labels(key, self._rows, measure),
            column=self._labels(key, self._columns, measure),
            measure=measure.name,
            value=value.value,
            low=value.low,
            high=value.high,
            n=value.n,
            questions=self._cells.count("questions", indices),
            responses=len(indices),
            contexts=self._cells.count("contexts", indices),
            runs=self._cells.count("runs", indices),
            missing=self._cells.missing(indices),
            is_difference=any(code == len(axis.values) + 2 for axis, code in zip(self._axes, key, strict=True)),
            comparable=content.comparable,
        )

    def _labels(self, key: CellKey, names: Sequence[str], measure: TableMeasure) -> tuple[str, ...]:
        codes = {axis.name: (axis, code) for axis, code in zip(self._axes, key, strict=True)}
        return tuple(measure.name if name == MEASURE else self._label(*codes[name]) for name in names)

    def _label(self, axis: Property, code: int) -> str:
        if code < len(axis.values):
            return axis.values[code] or "(none)"
        if code == len(axis.values) + 2:
            _, first, second = self._difference_axis
            return f"{axis.values[second]} - {axis.values[first]}"
        return ALL if code == len(axis.values) else BEST

    def _ordered_labels(self, contents: Mapping[CellKey, _Content], names: Sequence[str]) -> list[tuple[str, ...]]:
        """The combinations that occur, in the order of the properties' values."""
        positions = {axis.name: index for index, axis in enumerate(self._axes)}
        sort: Callable[[CellKey, int], tuple[int, ...]] = lambda key, number: tuple(  # noqa: E731
            number if name == MEASURE else key[positions[name]] for name in names
        )
        by_order = {
            sort(key, number): self._labels(key, names, measure)
            for key in contents
            for number, measure in enumerate(self._measures)
        }
        return [by_order[order] for order in sorted(by_order)]

    def _notes(self, contents: Mapping[CellKey, _Content]) -> Iterator[str]:
        noted = PivotNotes(self._table, self._cells, self._axes, self._selected)
        yield from noted.incomparable([content.comparable for content in contents.values()])
        yield from (f"No response has {unmatched}." for unmatched in dict.fromkeys(self._terms.unmatched))
        yield from noted.left_out()
        yield from noted.averaged_runs([content.base for content in contents.values()])
        yield from noted.missing()
        if any(measure.column is not None and measure.column.name == "dollars" for measure in self._measures):
            yield from noted.prices()
        macro = {axis.name for axis in self._cells.macro}
        # A cell with one value of the averaged property is not an average.
        averages = [
            content.base
            for key, content in contents.items()
            if all(
                axis.name not in macro or code >= len(axis.values) for axis, code in zip(self._axes, key, strict=True)
            )
        ]
        yield from noted.macro(averages)
        if self._settings.best:
            yield f"`best` is chosen by {self._measures[0].name} on the same questions: it is an optimistic estimate."
