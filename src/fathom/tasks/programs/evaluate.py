"""Evaluates programs in Python, independently of SQL; a key is built only if both give the same answer.

The rows that meet a condition are the set bits of one integer, so AND, OR and NOT are single operations. Each condition
has two such masks, because in SQL it can be true, false or unknown.
"""

from __future__ import annotations

import operator
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from fathom.tasks.programs.masks import ValueIndex, bits, mask_of, union
from fathom.tasks.programs.operations import COMBINE, COMPARE, CONTAINS, aggregate, or_null, rounded
from fathom.tasks.programs.schema import Schema, SchemaTable
from fathom.tasks.programs.tree import (
    Aggregate,
    And,
    Arithmetic,
    Between,
    Bindings,
    Column,
    Columns,
    CombinedResult,
    Comparator,
    Compare,
    Condition,
    Contains,
    Count,
    CountDistinct,
    Exists,
    GroupedResults,
    GroupsAggregate,
    Having,
    IsUnknown,
    Labels,
    Measure,
    Not,
    OneOf,
    Or,
    PeerAggregate,
    Program,
    Ratio,
    RelatedCount,
    Result,
    Slot,
    Sort,
    Values,
    WeightedSum,
    bind,
    nodes,
)

_VALUES = (int, float, str, Slot)
TableValue = int | float | str | None
TableRow = tuple[TableValue, ...]
TableRows = Mapping[str, Sequence[TableRow]]
"""The rows of each table, in the order of its columns."""


class DisagreementError(Exception):
    """SQL and Python gave different answers: a bug in Fathom, so the build stops."""


class UnknownCell(NamedTuple):
    """A NULL that an answer may depend on."""

    table: str
    row: int
    column: str


class Evaluation:
    """Evaluates programs over one database; caches columns and masks for the next program."""

    def __init__(self, schema: Schema, rows: TableRows) -> None:
        self._schema = schema
        self._rows = rows
        self._views: dict[tuple[str, bool], View] = {}

    def view(self, table: SchemaTable, joined: bool = True) -> View:
        """A view of a table's rows; those of a detail table are joined with the main table unless `joined` is false."""
        joined = joined and bool(table.joined_by)
        if (table.name, joined) not in self._views:
            self._views[table.name, joined] = View(self, self._schema, table, self._rows, joined)
        return self._views[table.name, joined]

    def run(self, program: Program) -> list[TableRow]:
        """The rows of the result: the output of the program, then the sort keys."""
        view = self.view(self._schema.base(program))
        positions = self._selected_positions(program, view)
        match program.output:
            case GroupsAggregate():
                return [(_over_groups(program.output, view, positions),)]
            case GroupedResults():
                rows = _group_rows(program.output, program.order, view, positions)
            case Labels():
                rows = view.select([Column(view.table.label)], program.order, positions)
            case Columns(measures):
                rows = view.select(measures, program.order, positions)
            case Values(measure, distinct):
                rows = view.select([measure], program.order, positions)
                if distinct:
                    rows = list(dict.fromkeys(rows))
            case result:
                return [(view.result(result, positions),)]
        return _cut_rows(_sort_rows(rows, program), program)

    def entities(self, program: Program) -> list[int]:
        """The positions of the main table's rows that the program selects, directly or through a detail row."""
        view = self.view(self._schema.base(program))
        return view.entities(view.mask(program.where))

    def _selected_positions(self, program: Program, view: View) -> list[int]:
        positions = list(bits(view.mask(program.where)))
        for measure in self._schema.listed_measures(program):
            values = view.comparable(measure, positions)
            positions = [position for position, value in zip(positions, values, strict=True) if value is not None]
        return positions

    def unknown_cells(self, program: Program) -> list[UnknownCell]:
        """The NULLs that the answer may depend on; empty if the answer is certain.

        Rows whose condition is false for any value of their NULLs are left out, and so are tests for NULL.
        """
        view = self.view(self._schema.base(program))
        unknown = self._unknown(view, program, view.possible(program.where))
        for node in nodes(program):
            if isinstance(node, Exists | RelatedCount):
                related = self.view(self._schema.by_name[self._schema.relation[node.relation].table], joined=False)
                unknown.update(self._unknown(related, node.where, related.possible(node.where)))
            elif isinstance(node, PeerAggregate):
                # In a condition on the rows of another table, the peers are the rows of the main table.
                for rows in {view, self.view(self._schema.main)}:
                    if set(_read_columns(node)) <= rows.names.keys():
                        unknown.update(self._unknown(rows, node, rows.possible(node.among)))
        return sorted(unknown)

    def _unknown(self, view: View, node: Any, mask: int) -> set[UnknownCell]:
        columns = set(_read_columns(node))
        return {
            UnknownCell(self._schema.table_of[column].name, position, column)
            for column in columns
            if column in view.names
            for position in bits(mask)
            if view.column(column)[position] is None
        }


def _read_columns(node: Any) -> Iterator[str]:
    """The names of the columns that a node reads, except in subqueries and tests for NULL."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Column):
            yield part.name
        elif part is node or not isinstance(part, int | str | Slot | IsUnknown | Exists | RelatedCount | PeerAggregate):
            parts = part if isinstance(part, tuple) else [getattr(part, n) for n in getattr(part, "__match_args__", ())]
            waiting.extend(parts)


class Truth(NamedTuple):
    """The result of a condition for all rows, as two masks."""

    true: int
    """The rows for which the condition is true."""
    known: int
    """The rows for which it is true or false, not unknown."""


class View:
    """The rows that programs over one table run over, with masks in which bit n represents row n."""

    def __init__(
        self, evaluation: Evaluation, schema: Schema, table: SchemaTable, rows: TableRows, joined: bool
    ) -> None:
        self.table = table
        self._evaluation = evaluation
        self._schema = schema
        self._main = rows[schema.main.name]
        self._rows = rows[table.name]
        if joined:
            key, owners = table.positions[table.joined_by], self._main_places
            self._rows = [row for row in self._rows if row[key] in owners]
        self.names = {**(schema.main.positions if joined else {}), **table.positions}
        self.every = (1 << len(self._rows)) - 1
        self._columns: dict[str, Sequence[TableValue]] = {}
        self._scales: dict[Measure, ValueIndex] = {}
        self._owners: dict[str, dict[TableValue, int]] = {}
        self._lower_columns: dict[str, list[str | None]] = {}

    @cached_property
    def _main_places(self) -> dict[TableValue, int]:
        key = self._schema.main.positions[self._schema.main.key]
        return {row[key]: position for position, row in enumerate(self._main)}

    @cached_property
    def _owner_places(self) -> list[int]:
        """For each row, the position of the main table's row that it belongs to."""
        if self.table is self._schema.main:
            return list(range(len(self._rows)))
        key, positions = self.table.positions[self.table.joined_by], self._main_places
        return [positions[row[key]] for row in self._rows]

    def entities(self, mask: int) -> list[int]:
        """The positions of the main table's rows that the rows of the mask belong to, in order, without repeats."""
        if self.table is self._schema.main:
            return list(bits(mask))
        owners = self._owner_places
        return sorted({owners[position] for position in bits(mask)})

    # Cells.

    def column(self, name: str) -> Sequence[TableValue]:
        """The cells of a column of this table, or of the main table if the view is joined with it."""
        if name not in self._columns:
            position = self.table.positions.get(name)
            if position is not None:
                self._columns[name] = list(map(operator.itemgetter(position), self._rows))
            else:
                position, main = self._schema.main.positions[name], self._main
                self._columns[name] = [main[owner][position] for owner in self._owner_places]
        return self._columns[name]

    def values(self, measure: Measure | int | float, positions: Sequence[int] | None = None) -> list[Any]:
        """The value of the measure for each row, or for the rows at these positions."""
        match measure:
            case Column(name):
                column = self.column(name)
                return list(column if positions is None else [column[position] for position in positions])
            case int() | float():
                return [measure] * len(self._rows if positions is None else positions)
            case Arithmetic(left, sign, right):
                strict = isinstance(right, Column) and self._schema.columns[right.name].nonzero
                combine = or_null(COMBINE[sign], () if strict else (ZeroDivisionError,))
                return list(map(combine, self.values(left, positions), self.values(right, positions)))
            case WeightedSum(terms):
                weighted = [[term.weight] * len(self._rows if positions is None else positions) for term in terms]
                parts = [
                    map(or_null(operator.mul), weights, self.values(term.measure, positions))
                    for weights, term in zip(weighted, terms, strict=True)
                ]
                return [None if None in row else sum(row) for row in zip(*parts, strict=True)]
            case PeerAggregate():
                return self._peers(measure, range(len(self._rows)) if positions is None else positions)
            case RelatedCount(name, where):
                counts, owners = self._count_related(name, where, {}), self.column(self._schema.relation[name].owner)
                return [
                    counts[owners[position]] for position in (range(len(owners)) if positions is None else positions)
                ]

    def _peers(self, peers: PeerAggregate, positions: Iterable[int]) -> list[TableValue]:
        among = list(bits(self.mask(peers.among)))
        if peers.by is None:
            result = self.result(Aggregate(peers.function, peers.measure), among)
            return [result for _ in positions]
        results: dict[TableValue, Any] = {
            key: self.result(Aggregate(peers.function, peers.measure), group)
            for key, group in self.groups(peers.by, among).items()
            if key is not None
        }
        keys = self.column(peers.by.name)
        return [results.get(keys[position]) for position in positions]

    def comparable(self, measure: Measure, positions: Sequence[int] | None = None) -> list[Any]:
        """The values of the measure for comparisons: rounded if SQL and Python may differ in the last bit."""
        return rounded(self.values(measure, positions), self._schema.digits(measure))

    # Rows that meet a condition.

    def mask(self, condition: Condition | None, values: Bindings | None = None) -> int:
        """The mask of the rows for which the condition is true, with slots replaced by `values`."""
        if condition is None:
            return self.every
        if values and _has_slots_in_measures(condition):
            condition, values = bind(condition, values), None
        return self._truth(condition, values or {}).true

    def possible(self, condition: Condition | None) -> int:
        """The mask of the rows for which the condition is true or unknown."""
        if condition is None:
            return self.every
        true, known = self._truth(condition, {})
        return true | (self.every & ~known)

    def _truth(self, condition: Condition, bound: Bindings) -> Truth:
        # Comparisons with a value come first: they are by far the most frequent.
        match condition:
            case Compare(measure, sign, value):
                if isinstance(value, _VALUES):
                    scale = self.scale(measure)
                    return Truth(scale.where(sign, _bound(value, bound)), scale.known)
                return self._compare_measures(measure, sign, value)
            case And(left, right):
                (left_true, left_known), (right_true, right_known) = self._truth(left, bound), self._truth(right, bound)
                return Truth(
                    left_true & right_true,
                    left_known & right_known | (left_known & ~left_true) | (right_known & ~right_true),
                )
            case Or(left, right):
                (left_true, left_known), (right_true, right_known) = self._truth(left, bound), self._truth(right, bound)
                return Truth(left_true | right_true, left_known & right_known | left_true | right_true)
            case Not(inner):
                true, known = self._truth(inner, bound)
                return Truth(known & ~true, known)
            case Between(measure, low, high):
                scale = self.scale(measure)
                true = scale.where("<=", _bound(high, bound)) & scale.where(">=", _bound(low, bound))
                return Truth(true, scale.known)
            case OneOf(measure, values):
                scale = self.scale(measure)
                return Truth(union(scale.where("=", _bound(value, bound)) for value in values), scale.known)
            case Contains(column, fragment, position):
                letters, is_at = str(_bound(fragment, bound)).lower(), CONTAINS[position]
                cells = self._lower(column.name)
                return Truth(
                    mask_of(cell is not None and is_at(cell, letters) for cell in cells), self.scale(column).known
                )
            case IsUnknown(column):
                return Truth(self.every & ~self.scale(column).known, self.every)
            case Exists():
                return Truth(self._exists(condition, bound), self.every)

    def _lower(self, name: str) -> list[str | None]:
        if name not in self._lower_columns:
            cells = self.column(name)
            self._lower_columns[name] = [None if cell is None else str(cell).lower() for cell in cells]
        return self._lower_columns[name]

    def _compare_measures(self, left: Measure, sign: Comparator, right: Measure) -> Truth:
        pairs = list(zip(self.comparable(left), self.comparable(right), strict=True))
        compare = COMPARE[sign]
        return Truth(
            mask_of(
                left_value is not None and right_value is not None and compare(left_value, right_value)
                for left_value, right_value in pairs
            ),
            mask_of(left_value is not None and right_value is not None for left_value, right_value in pairs),
        )

    def _exists(self, condition: Exists, bound: Bindings) -> int:
        relation = self._schema.relation[condition.relation]
        least = _bound(condition.least, bound)
        if condition.where is None:
            return self.scale(RelatedCount(condition.relation)).where(">=", least)
        counts = self._count_related(condition.relation, condition.where, bound)
        owned = self._masks_by_value(relation.owner)
        return union(owned.get(key, 0) for key, count in counts.items() if count >= least)

    def _count_related(self, name: str, where: Condition | None, bound: Bindings) -> Counter[TableValue]:
        """The number of rows of a relation that meet the condition, by their key."""
        relation = self._schema.relation[name]
        related_view = self._evaluation.view(self._schema.by_name[relation.table], joined=False)
        keys = related_view.column(relation.key)
        return Counter(
            keys if where is None else [keys[position] for position in bits(related_view.mask(where, bound))]
        )

    def _masks_by_value(self, owner: str) -> dict[TableValue, int]:
        """For each value of a column, the mask of the rows that have it."""
        if owner not in self._owners:
            rows: dict[TableValue, int] = defaultdict(int)
            for position, value in enumerate(self.column(owner)):
                rows[value] |= 1 << position
            self._owners[owner] = rows
        return self._owners[owner]

    def scale(self, measure: Measure) -> ValueIndex:
        """An index of the rows by the value of the measure."""
        scale = self._scales.get(measure)
        if scale is None:
            scale = self._scales[measure] = ValueIndex(self.comparable(measure))
        return scale

    # Results.

    def select(self, measures: Sequence[Measure], order: Sequence[Sort], positions: Sequence[int]) -> list[TableRow]:
        """The measures and the sort keys of each row."""
        columns = [*measures, *(sort.measure for sort in order)]
        return list(zip(*(self.comparable(column, positions) for column in columns), strict=True))  # type: ignore[arg-type]

    def groups(self, key: Column, positions: Sequence[int]) -> dict[TableValue, list[int]]:
        """For each value of a column, the positions of the rows that have it; the smallest value first."""
        column, by_value = self.column(key.name), defaultdict(list)
        for position in positions:
            by_value[column[position]].append(position)
        return {value: by_value[value] for value in sorted(by_value, key=_sort_key)}

    def result(self, result: Result, positions: Sequence[int]) -> Any:
        """The value of an aggregate over the rows at these positions."""
        match result:
            case Count(column):
                return (
                    len(positions)
                    if column is None
                    else sum(cell is not None for cell in self.values(column, positions))
                )
            case CountDistinct(measure):
                return len(set(self.comparable(measure, positions)) - {None})
            case Aggregate(function, measure):
                return aggregate(function, self.values(measure, positions))
            case Ratio(numerator, denominator, only):
                mask = self.mask(only)
                top = self.result(numerator, [position for position in positions if mask >> position & 1])
                bottom = self.result(denominator, positions)
                return None if top is None or not bottom else top / bottom
            case CombinedResult(left, sign, right):
                sides = [side if isinstance(side, int) else self.result(side, positions) for side in (left, right)]
                return None if None in sides else COMBINE[sign](*sides)


def _groups(
    output: GroupedResults | GroupsAggregate, view: View, positions: Sequence[int]
) -> dict[TableValue, list[int]]:
    groups = view.groups(output.key, positions)
    if output.having is None:
        return groups
    return {key: group for key, group in groups.items() if _meets_having(output.having, view, group, positions)}


def _group_rows(output: GroupedResults, order: Sequence[Sort], view: View, positions: Sequence[int]) -> list[TableRow]:
    return [
        (
            *((key,) if output.keys else ()),
            *(() if output.result is None else (view.result(output.result, group),)),
            *(_comparable_result(sort.measure, view, group) for sort in order),
        )
        for key, group in _groups(output, view, positions).items()
    ]


def _over_groups(output: GroupsAggregate, view: View, positions: Sequence[int]) -> Any:
    groups = _groups(output, view, positions).values()
    if output.function == "COUNT":
        return len(groups)
    assert output.result is not None
    return aggregate(output.function, [view.result(output.result, group) for group in groups])


def _comparable_result(result: Any, view: View, positions: Sequence[int]) -> Any:
    """A result of a group for comparisons; a measure that the group's rows have in common is its own result."""
    if not isinstance(result, Result):
        return view.comparable(result, positions[:1])[0]
    return rounded([view.result(result, positions)], view._schema.digits(result))[0]


def _meets_having(having: Having, view: View, group: Sequence[int], positions: Sequence[int]) -> bool:
    value: Any = having.value
    if isinstance(value, Aggregate):
        value = _comparable_result(value, view, positions)
    result = _comparable_result(having.result, view, group)
    return value is not None and result is not None and bool(COMPARE[having.sign](result, value))


def _sort_rows(rows: list[TableRow], program: Program) -> list[TableRow]:
    # Python's sort is stable, so sorting by the last key first makes the first key decide.
    width = len(rows[0]) - len(program.order) if rows else 0
    for position, sort in reversed(list(enumerate(program.order, start=width))):
        rows.sort(key=lambda row, position=position: _sort_key(row[position]), reverse=sort.direction == "DESC")  # type: ignore[misc]
    return rows


def _cut_rows(rows: list[TableRow], program: Program) -> list[TableRow]:
    """The first rows if the program limits them, including all that tie with the last one."""
    top = program.top
    if not isinstance(top, int) or len(rows) <= top:
        return rows
    keys = [row[-len(program.order) :] for row in rows]
    last = top
    while last < len(rows) and keys[last] == keys[top - 1]:
        last += 1
    return rows[:last]


def _sort_key(value: Any) -> Any:
    """A sort key that puts NULL before every value, as in SQLite."""
    return (value is not None, value)


@lru_cache(maxsize=1_024)
def _has_slots_in_measures(condition: Condition) -> bool:
    """Whether a measure depends on a value: the mean over certain peers, the number of certain related rows."""
    measures = (node for node in nodes(condition) if isinstance(node, PeerAggregate | RelatedCount))
    return any(isinstance(node, Slot) for measure in measures for node in nodes(measure))


def _bound(value: Any, bound: Bindings) -> Any:
    return bound[value] if isinstance(value, Slot) else value
