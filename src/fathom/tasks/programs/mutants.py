"""Mutation testing of programs: mutants, each one edit away from a program, and those that no database detects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date, timedelta
from itertools import groupby, product
from typing import Any, NamedTuple

from fathom.tasks.programs import tree
from fathom.tasks.programs.evaluate import TableRow
from fathom.tasks.programs.operations import COMPARE
from fathom.tasks.programs.schema import ColumnSpec, Schema

_SIGNS: dict[tree.Comparator, tuple[tree.Comparator, ...]] = {
    ">": (">=", "<"),
    ">=": (">", "<="),
    "<": ("<=", ">"),
    "<=": ("<", ">="),
    "=": ("<>", ">="),
    "<>": ("=",),
}
_FUNCTIONS: dict[tree.Function, tuple[tree.Function, ...]] = {
    "MAX": ("MIN",),
    "MIN": ("MAX",),
    "SUM": ("AVG", "MAX"),
    "AVG": ("SUM",),
}
_ARITHMETIC: dict[tree.Sign, tree.Sign] = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "+"}


class Mutant(NamedTuple):
    """A program with one edit."""

    kind: str
    """The kind of edit: operator, constant, connective, negation, and so on."""
    program: tree.Program


def mutants(program: tree.Program, schema: Schema) -> Iterator[Mutant]:
    """Every program that is one edit away; the edits are misreadings that a reader could make."""
    edits = _Edits(schema)
    programs = {program}
    for kind, changed in tree.edited(program, edits):
        if changed not in programs:
            programs.add(changed)
            yield Mutant(kind, changed)
    if program.where is not None and not isinstance(program.where, tree.Not):
        yield Mutant("negation", replace(program, where=tree.Not(program.where)))
    if isinstance(program.top, int):
        for top in (program.top + 1, program.top - 1):
            if top:
                yield Mutant("constant", replace(program, top=top))


class _Edits:
    """Gives the edits of a node: the kind of each, and the node that replaces it."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema

    def __call__(self, node: Any) -> tree.TreeEdits:
        match node:
            case tree.Compare(measure, sign, value) | tree.Having(measure, sign, value):
                for other in _SIGNS[sign]:
                    # "Is X" cannot be misread as "is X or later in the alphabet".
                    if other != ">=" or sign != "=" or self._schema.type_of(measure) not in ("text", "category"):
                        yield "operator", replace(node, sign=other)
                yield from (("constant", replace(node, value=other)) for other in self._constants(value, measure))
            case tree.Between(measure, low, high):
                yield from (("constant", replace(node, low=other)) for other in self._constants(low, measure))
                yield from (("constant", replace(node, high=other)) for other in self._constants(high, measure))
            case tree.OneOf(measure, values):
                for index, value in enumerate(values):
                    for other in self._constants(value, measure):
                        if other not in values:
                            yield "constant", tree.OneOf(measure, (*values[:index], other, *values[index + 1 :]))
            case tree.And(left, right):
                yield "connective", tree.Or(left, right)
            case tree.Or(left, right):
                yield "connective", tree.And(left, right)
            case tree.Not(inner):
                yield "negation", inner
            case tree.Exists() | tree.RelatedCount():
                yield from self._relation(node)
            case tree.Sort(measure, direction):
                yield "direction", tree.Sort(measure, "ASC" if direction == "DESC" else "DESC")
            case tree.Values(measure, True):
                yield "distinct", tree.Values(measure)
            case tree.CountDistinct():
                yield "distinct", tree.Count()
            case _:
                yield from self._number(node)

    def _number(self, node: Any) -> tree.TreeEdits:
        match node:
            case tree.Column(name):
                yield from (("column", tree.Column(other)) for other in self._other_columns(name))
            case tree.Arithmetic(left, sign, right):
                yield "arithmetic", replace(node, sign=_ARITHMETIC[sign])
                yield from (("constant", replace(node, right=other)) for other in self._constants(right, left))
            case tree.CombinedResult(left, sign, right):
                yield "arithmetic", replace(node, sign="-" if sign == "+" else "+")
                if sign == "-" and not isinstance(right, int):
                    yield "arithmetic", tree.CombinedResult(right, sign, left)
            case tree.Contains(_, _, "start" | "end"):
                yield "operator", replace(node, place="anywhere")
            case tree.Term(weight, measure):
                yield from (("constant", tree.Term(other, measure)) for other in self._constants(weight, measure))
            case tree.Ratio(numerator, denominator, only):
                if numerator != denominator:
                    yield "ratio", tree.Ratio(denominator, numerator, only)
                if only is not None:
                    yield "ratio", tree.Ratio(numerator, denominator)
            case tree.GroupedResults(_, result, having) if having is not None and result is not None:
                yield "having", replace(node, having=None)
        if isinstance(node, tree.PeerAggregate):
            if node.by is not None:
                yield "peers", replace(node, by=None)
            if node.among is not None:
                yield "peers", replace(node, among=None)
        if isinstance(node, tree.Aggregate | tree.PeerAggregate | tree.GroupsAggregate) and node.function != "COUNT":
            for function in _FUNCTIONS[node.function]:
                # Dates and texts have no sums.
                yield "function", replace(node, function=function)

    def _relation(self, node: tree.Exists | tree.RelatedCount) -> tree.TreeEdits:
        """The reversed relation, such as cited instead of citing, and a minimum count that is off by one."""
        relation = self._schema.relation[node.relation]
        for other in self._schema.relations:
            if (other.owner, other.table) == (relation.owner, relation.table) and other.key != relation.key:
                yield "relation", replace(node, relation=other.name)
        if isinstance(node, tree.Exists) and isinstance(node.least, int) and node.least > 1:
            yield "constant", replace(node, least=node.least + 1)
            yield "constant", replace(node, least=node.least - 1)

    def _other_columns(self, name: str) -> Iterator[str]:
        spec = self._schema.columns[name]
        columns = self._schema.table_of[name].columns
        same_type = [column.name for column in columns if column.type == spec.type and column.nouns]
        if name in same_type and len(same_type) > 1 and spec.type not in ("text", "category"):
            yield same_type[same_type.index(name) - 1]

    def _constants(self, value: Any, measure: Any) -> Iterator[Any]:
        """The neighbors of a constant: one step above and below, or the next category."""
        if isinstance(value, int):
            yield value + 1
            yield value - 1
        elif isinstance(value, float):
            digits = len(repr(value).partition(".")[2])
            yield round(value + 10**-digits, digits)
            yield round(value - 10**-digits, digits)
        elif isinstance(value, str) and isinstance(measure, tree.Column):
            spec = self._schema.columns[measure.name]
            if spec.type == "date":
                for step in (1, -1):
                    yield (date.fromisoformat(value) + timedelta(days=step)).isoformat()
            elif value in spec.categories:
                yield spec.categories[(spec.categories.index(value) + 1) % len(spec.categories)]


def result_form(program: tree.Program, rows: list[TableRow]) -> object:
    """A normal form of a result, equal for results that are the same answer; order counts only if the program sorts."""
    if program.order:
        width = len(rows[0]) - len(program.order) if rows else 0
        tied = groupby(rows, key=lambda row: row[width:])
        return [sorted(str(row[:width]) for row in group) for _, group in tied]
    return sorted(map(str, rows))


class Constants(NamedTuple):
    """The constants of a program, by type."""

    numbers: tuple[int, ...] = ()
    texts: tuple[str, ...] = ()
    decimals: tuple[float, ...] = ()


def constants(program: tree.Program) -> Constants:
    """The constants in a program's conditions, formulas and limit."""
    values: list[Any] = [program.top] if program.top is not None else []
    for node in tree.nodes(program):
        match node:
            case (
                tree.Compare(_, _, value)
                | tree.Having(_, _, value)
                | tree.Contains(_, value)
                | tree.Exists(_, _, value)
            ):
                values.append(value)
            case tree.Arithmetic(_, _, value) | tree.Term(value, _):
                values.append(value)
            case tree.Between(_, low, high):
                values.extend((low, high))
            case tree.OneOf(_, several):
                values.extend(several)
    return Constants(
        numbers=tuple(value for value in values if isinstance(value, int)),
        texts=tuple(dict.fromkeys(value for value in values if isinstance(value, str))),
        decimals=tuple(value for value in values if isinstance(value, float)),
    )


# Equivalent mutants.


def is_equivalent(program: tree.Program, mutant: tree.Program, schema: Schema) -> bool:
    """Whether two programs provably select the same rows from every database, so no database detects the edit.

    False unless the programs differ only in their conditions, and these consist of comparisons of integers. Then every
    combination of values that the comparisons can distinguish and that can occur in a row is tried.
    """
    if _canonical(program) == _canonical(mutant):
        return True
    condition, mutated_condition = program.where, mutant.where
    if condition is None or mutated_condition is None or replace(program, where=None) != replace(mutant, where=None):
        return False
    tree_nodes = [*tree.nodes(condition), *tree.nodes(mutated_condition)]
    columns = sorted({node.name for node in tree_nodes if isinstance(node, tree.Column)})
    if not all(isinstance(node, _COMPARISONS) for node in tree_nodes if hasattr(node, "__match_args__")):
        return False
    specs = [schema.columns[name] for name in columns]
    if any(spec.type != "integer" or spec.minimum is None or spec.nullable for spec in specs):
        return False
    numbers = {int(node) for node in tree_nodes if isinstance(node, int | float)}
    rows = _possible_rows(schema, schema.base(program).name, specs, numbers)
    return all(_is_true(condition, row) == _is_true(mutated_condition, row) for row in rows)


_AT_EXTREME: dict[tuple[str, str], tree.Comparator] = {
    ("MAX", ">="): "=",
    ("MIN", "<="): "=",
    ("MAX", "<"): "<>",
    ("MIN", ">"): "<>",
}
"""Comparisons of a measure with its own extreme: no value is above the largest one."""


def _canonical(node: Any) -> Any:
    """The tree with one form for each comparison of a measure with its own largest or smallest value."""
    match node:
        case tree.Compare(measure, sign, tree.PeerAggregate(function, peer, _, None) as peers) if peer == measure:
            return tree.Compare(measure, _AT_EXTREME.get((function, sign), sign), peers)
    parts = tree.children(node)
    return tree.rebuild(node, tuple(map(_canonical, parts))) if parts else node


_COMPARISONS = (tree.And, tree.Or, tree.Not, tree.Compare, tree.Between, tree.OneOf, tree.Column)


def _possible_rows(
    schema: Schema, table: str, columns: list[ColumnSpec], numbers: set[int]
) -> Iterator[dict[str, int]]:
    """The rows that comparisons with these numbers can distinguish: values equal to a number, next to it, above all."""
    candidates = {number + step for number in numbers for step in (-1, 0, 1)} | {max(numbers, default=0) + 2}
    least = [spec.minimum or 0 for spec in columns]
    options = [sorted({low} | {value for value in candidates if value >= low}) for low in least]
    for values in product(*options):
        row = dict(zip((spec.name for spec in columns), values, strict=True))
        if schema.is_possible(table, row):
            yield row


def _is_true(condition: tree.Condition, row: Mapping[str, int]) -> bool:
    """Whether a condition that consists of comparisons is true for a row."""

    def number(value: Any) -> Any:
        return row[value.name] if isinstance(value, tree.Column) else value

    match condition:
        case tree.Not(inner):
            return not _is_true(inner, row)
        case tree.And(left, right):
            return _is_true(left, row) and _is_true(right, row)
        case tree.Or(left, right):
            return _is_true(left, row) or _is_true(right, row)
        case tree.Between(measure, low, high):
            return bool(low <= number(measure) <= high)
        case tree.OneOf(measure, values):
            return number(measure) in values
        case tree.Compare(measure, sign, value):
            return bool(COMPARE[sign](number(measure), number(value)))
        case _:
            raise TypeError(f"{condition} is not a comparison")
