"""The schema that a family declares: tables, columns with types and nouns, relations, and phrases for conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

from fathom.tasks.programs import tree
from fathom.tasks.programs.tree import nodes

ColumnType = Literal["integer", "decimal", "date", "text", "category"]
_SQL_TYPES: dict[ColumnType, str] = {
    "integer": "INTEGER",
    "decimal": "REAL",
    "date": "TEXT",
    "text": "TEXT",
    "category": "TEXT",
}

WHOLE_QUOTIENT_DIGITS, QUOTIENT_DIGITS = 9, 6
"""Decimal places to which quotients and means are compared: of integers, and of decimals, which may be large."""


@dataclass(frozen=True)
class ColumnSpec:
    """One column of a table."""

    name: str
    type: ColumnType
    nouns: tuple[str, ...] = ()
    """Nouns for the column in questions, one of which is chosen; none for a key that questions do not mention."""
    unit: str = ""
    nullable: bool = False
    """Whether questions are asked about rows where it is NULL; they state that those are left out."""
    minimum: int | None = None
    """The smallest possible value of an integer, where there is one."""
    nonzero: bool = False
    """Whether questions divide by it only if no row has zero. Division by zero is then an error instead of NULL."""
    decimals: int = 2
    """Decimal places, if the type is decimal."""
    categories: tuple[str, ...] = ()
    """Every possible value, if the type is category."""


@dataclass(frozen=True)
class SchemaTable:
    """One table; the first of a schema is the main one, with a row for each entity."""

    name: str
    columns: tuple[ColumnSpec, ...]
    noun: str = "row"
    plural: str = "rows"
    key: str = ""
    """The primary key, if there is one."""
    label: str = ""
    """The column by which questions name a row."""
    joined_by: str = ""
    """The foreign key of a detail table: a column with the main table's key."""
    serial: str = ""
    """An additional primary key that SQLite numbers automatically."""

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each column in a row."""
        return {column.name: index for index, column in enumerate(self.columns)}


@dataclass(frozen=True)
class Relation:
    """The rows of `table` whose `key` equals the `owner` column of a row. Keys are never NULL."""

    name: str
    owner: str
    table: str
    key: str


@dataclass(frozen=True)
class ConditionPhrase:
    """The wording of one form of condition; `{0}` is replaced by the value of the pattern's slot 0."""

    name: str
    pattern: tree.Condition
    """The condition that the phrase words, with slots for its values."""
    positive: str
    """A relative clause for the condition, such as "that cite at least {0} other articles"."""
    negative: str
    """A relative clause for its negation."""
    convention: str = ""
    """A sentence that is added to the question to make the phrase unambiguous."""


@dataclass(frozen=True, eq=False)
class Schema:
    """The tables of a family, with the relations between them and the phrases for conditions."""

    tables: tuple[SchemaTable, ...]
    relations: tuple[Relation, ...] = ()
    phrases: tuple[ConditionPhrase, ...] = ()
    is_possible: Callable[[str, Mapping[str, int]], bool] = lambda table, row: True
    """Whether integer cells can occur together in a row of a table; used to prove that a mutant is equivalent."""

    @property
    def main(self) -> SchemaTable:
        return self.tables[0]

    @cached_property
    def by_name(self) -> dict[str, SchemaTable]:
        return {table.name: table for table in self.tables}

    @cached_property
    def relation(self) -> dict[str, Relation]:
        return {relation.name: relation for relation in self.relations}

    @cached_property
    def columns(self) -> dict[str, ColumnSpec]:
        """Every column by name. Tables share the names of keys only."""
        return {column.name: column for table in reversed(self.tables) for column in table.columns}

    @cached_property
    def table_of(self) -> dict[str, SchemaTable]:
        """The table of each column, the main table first."""
        return {column.name: table for table in reversed(self.tables) for column in table.columns}

    def statements(self) -> str:
        """The SQL that creates the tables."""
        return "\n".join(f"CREATE TABLE {table.name} ({', '.join(self._definitions(table))});" for table in self.tables)

    def _definitions(self, table: SchemaTable) -> Iterator[str]:
        if table.serial:
            yield f"{table.serial} INTEGER PRIMARY KEY"
        for column in table.columns:
            primary = " PRIMARY KEY" if column.name == table.key else ""
            yield f"{column.name} {_SQL_TYPES[column.type]}{primary}"

    # What a program reads.

    def base(self, program: tree.Program) -> SchemaTable:
        """The table that the program runs over: the main one, or the detail table whose columns it uses."""
        return _base(self, program)

    def is_phrase(self, node: Any) -> bool:
        """Whether a phrase words the whole node, so readers see it as one condition."""
        return isinstance(node, tree.Exists) and _phrase_of(self, node) is not None

    def phrase_of(self, condition: tree.Condition) -> tuple[ConditionPhrase, tuple[Any, ...]] | None:
        """The phrase that words the condition, with the values of its slots."""
        return _phrase_of(self, condition) if isinstance(condition, tree.Exists) else None

    def nodes(self, node: Any) -> Iterator[Any]:
        """The nodes of a tree as a reader sees them: a condition that a phrase words is one node."""
        waiting = [node]
        while waiting:
            node = waiting.pop()
            yield node
            if not isinstance(node, int | str) and not self.is_phrase(node):
                waiting.extend(reversed(tree.children(node)))

    # Types of measures.

    def type_of(self, measure: tree.Measure | tree.Result) -> ColumnType:
        match measure:
            case tree.Column(name):
                return self.columns[name].type
            case tree.Arithmetic(left, sign, right):
                sides = (left, right)
                is_integer = sign != "/" and all(
                    isinstance(side, int) or (not isinstance(side, float) and self.type_of(side) == "integer")
                    for side in sides
                )
                return "integer" if is_integer else "decimal"
            case tree.Count() | tree.CountDistinct() | tree.RelatedCount():
                return "integer"
            case tree.CombinedResult(left, _, right):
                is_integer = all(isinstance(side, int) or self.type_of(side) == "integer" for side in (left, right))
                return "integer" if is_integer else "decimal"
            case tree.PeerAggregate(function, inner) | tree.Aggregate(function, inner) if function != "AVG":
                return self.type_of(inner)
            case _:
                return "decimal"

    def unit(self, measure: tree.Measure | tree.Result) -> str:
        """The unit of a measure; sums of one unit keep it, quotients and products have none."""
        match measure:
            case tree.Column(name):
                return self.columns[name].unit
            case tree.Arithmetic(left, "+" | "-", right):
                left_unit = self.unit(left)
                return left_unit if isinstance(right, int | float) or self.unit(right) == left_unit else ""
            case tree.PeerAggregate(_, inner) | tree.Aggregate(_, inner):
                return self.unit(inner)
            case _:
                return ""

    def is_nullable(self, measure: tree.Measure | int | float) -> bool:
        match measure:
            case tree.Column(name):
                return self.columns[name].nullable
            case tree.Arithmetic(left, sign, right):
                return self.is_nullable(left) or self.is_nullable(right) or (sign in "/%" and self._may_be_zero(right))
            case tree.WeightedSum(terms):
                return any(self.is_nullable(term.measure) for term in terms)
            case tree.PeerAggregate():
                return True
            case _:
                return False

    def _may_be_zero(self, divisor: tree.Measure | int | float) -> bool:
        if isinstance(divisor, int | float):
            return divisor == 0
        return not (isinstance(divisor, tree.Column) and self.columns[divisor.name].nonzero)

    def required(self, program: tree.Program) -> list[tree.Measure]:
        """The nullable measures that are listed, sorted by or grouped by; rows where one is NULL are left out."""
        return [measure for measure in self.listed_measures(program) if self.is_nullable(measure)]

    def listed_measures(self, program: tree.Program) -> list[tree.Measure]:
        """The measures that are listed, sorted by or grouped by."""
        output = program.output
        measures: list[Any] = [sort.measure for sort in program.order]
        if isinstance(output, tree.Values):
            measures.append(output.measure)
        if isinstance(output, tree.Columns):
            measures.extend(output.measures)
        if isinstance(output, tree.GroupedResults | tree.GroupsAggregate):
            measures.append(output.key)
        return [measure for measure in dict.fromkeys(measures) if not isinstance(measure, tree.Result)]

    def digits(self, measure: tree.Measure | tree.Result | int | float) -> int | None:
        """The decimal places to which a measure is rounded for comparisons; None if it is computed exactly.

        Floating-point sums depend on the order of their terms, so without rounding, ties might be missed.
        """
        match measure:
            case tree.Column() | tree.Count() | tree.CountDistinct() | tree.RelatedCount() | int() | float():
                return None
            case tree.CombinedResult(left, _, right) if self.digits(left) is None and self.digits(right) is None:
                return None if self.type_of(measure) == "integer" else self._scale(measure)
            case tree.Arithmetic(left, _, right) if all(self._is_whole_leaf(side) for side in (left, right)):
                return None
            case tree.Aggregate("MAX" | "MIN", inner) | tree.PeerAggregate("MAX" | "MIN", inner):
                return self.digits(inner)
            case tree.Aggregate(_, inner) | tree.PeerAggregate(_, inner) if self.type_of(inner) == "integer":
                return None
            case tree.Ratio(numerator, denominator):
                inexact = self.digits(numerator) is not None or self.digits(denominator) is not None
                return QUOTIENT_DIGITS if inexact else None
            case _:
                return self._scale(measure)

    def _is_whole_leaf(self, side: tree.Measure | int | float) -> bool:
        if isinstance(side, tree.Arithmetic):
            return side.sign != "/" and all(self._is_whole_leaf(part) for part in (side.left, side.right))
        return isinstance(side, int | tree.RelatedCount) or (
            isinstance(side, tree.Column) and self.columns[side.name].type == "integer"
        )

    def _scale(self, measure: Any) -> int:
        """The maximum number of decimal places of a measure."""
        quotient = WHOLE_QUOTIENT_DIGITS if self._is_of_integers(measure) else QUOTIENT_DIGITS
        match measure:
            case int():
                return 0
            case float():
                return len(f"{measure!r}".partition(".")[2])
            case tree.Column(name):
                return self.columns[name].decimals if self.columns[name].type == "decimal" else 0
            case tree.Arithmetic(_, "/", _) | tree.Aggregate("AVG") | tree.PeerAggregate("AVG") | tree.Ratio():
                return quotient
            case tree.Arithmetic(left, "*", right) | tree.CombinedResult(left, "*", right):
                return min(quotient, self._scale(left) + self._scale(right))
            case tree.Arithmetic(left, _, right) | tree.CombinedResult(left, _, right):
                return max(self._scale(left), self._scale(right))
            case tree.WeightedSum(terms):
                return min(quotient, max(self._scale(term.weight) + self._scale(term.measure) for term in terms))
            case tree.Aggregate(_, inner) | tree.PeerAggregate(_, inner):
                return self._scale(inner)
            case _:
                return 0

    def _is_of_integers(self, measure: Any) -> bool:
        named = (node for node in nodes(measure) if isinstance(node, tree.Column))
        return all(self.columns[column.name].type != "decimal" for column in named)


# Cached, since the same few programs and conditions are looked up many times.
@lru_cache(maxsize=1_024)
def _base(schema: Schema, program: tree.Program) -> SchemaTable:
    for name in _outer_columns(schema, program):
        table = schema.table_of[name]
        if table is not schema.main:
            return table
    return schema.main


def _outer_columns(schema: Schema, node: Any) -> Iterator[str]:
    """The names of the columns that a program reads outside subqueries."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tree.Column):
            yield node.name
        elif isinstance(node, tree.Exists | tree.RelatedCount):
            yield schema.relation[node.relation].owner
        elif not isinstance(node, int | str | tree.Labels | tree.IsUnknown):
            waiting.extend(tree.children(node))
        elif isinstance(node, tree.IsUnknown):
            yield node.column.name


@lru_cache(maxsize=4_096)
def _phrase_of(schema: Schema, condition: tree.Condition) -> tuple[ConditionPhrase, tuple[Any, ...]] | None:
    for phrase in schema.phrases:
        values: dict[int, Any] = {}
        if tree.unify(phrase.pattern, condition, values):
            return phrase, tuple(values[number] for number in sorted(values))
    return None
