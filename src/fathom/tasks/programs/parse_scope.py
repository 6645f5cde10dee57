"""The tables that a SELECT reads, how they are joined, and what a joined table demands of a row.

A program runs over the rows of one table. Every other table of a join is a condition on these rows: there is a row of
the other table that belongs to them. This is the meaning of the join where the result has no repeats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

from sqlglot import exp

from fathom.tasks.programs import tree
from fathom.tasks.programs.schema import ColumnSpec, Relation, Schema, SchemaTable


class ParseError(Exception):
    """The reason why a statement is not understood."""


@dataclass(eq=False)
class FromTable:
    """One table of a FROM clause; a table may occur twice, under two names."""

    alias: str
    table: SchemaTable
    optional: bool = False
    """Whether it is joined by a LEFT JOIN."""

    def column(self, name: str) -> ColumnSpec | None:
        position = self.table.positions.get(name)
        return None if position is None else self.table.columns[position]


class JoinCondition(NamedTuple):
    """An equality that joins two sources."""

    source: FromTable
    column: str
    other: FromTable
    other_column: str

    def of(self, source: FromTable) -> tuple[str, FromTable, str] | None:
        """The column on the source's side, the source on the other side, and the column there."""
        if source is self.source:
            return self.column, self.other, self.other_column
        return (self.other_column, self.source, self.column) if source is self.other else None


@dataclass(eq=False)
class Scope:
    """The sources of one SELECT, and those of the SELECT around it."""

    schema: Schema
    outer: Scope | None = None
    sources: list[FromTable] = field(default_factory=list)
    links: list[JoinCondition] = field(default_factory=list)
    terms: list[exp.Expr] = field(default_factory=list)
    """The conditions that AND joins, except for links."""
    correlated: list[tuple[exp.Column, exp.Column]] = field(default_factory=list)
    """Equalities of an inner and an outer column."""
    different: list[tuple[FromTable, FromTable]] = field(default_factory=list)
    """Sources of the same table whose rows belong to different rows of the main table."""
    counted: tree.RelatedCount | None = None
    """The count of related rows that COUNT means if each row of the main table is its own group."""
    base: FromTable | None = None
    """The source whose rows the program or the subquery runs over."""
    nested: bool = False
    """Whether it is the scope of a subquery; its rows are then those of the base alone, without the main table's."""

    def resolve(self, column: exp.Column) -> tuple[Scope, FromTable]:
        """The source of a column, and the scope that has it."""
        candidates = [
            source for source in self.sources if source.column(column.name) and column.table in ("", source.alias)
        ]
        if candidates:
            return self, self.base if self.base in candidates else candidates[0]
        if self.outer is not None:
            return self.outer.resolve(column)
        if column.table and not any(source.alias == column.table for source in self.sources):
            raise ParseError(f"there is no table '{column.table}'")
        if column.name in self.schema.columns:
            raise ParseError(f"'{column.name}' is a column of another table than the one that it reads")
        known_columns = ", ".join(sorted(self.schema.columns))
        raise ParseError(f"there is no column '{column.name}'; there are {known_columns}")

    def own_sources(self, node: exp.Expr) -> list[FromTable]:
        """The sources of this scope that an expression reads outside of its subqueries."""
        sources = []
        for column in outside_subqueries(node):
            scope, source = self.resolve(column)
            if scope is self and source not in sources:
                sources.append(source)
        return sources

    def merged(self) -> list[FromTable]:
        """The base, and the sources that have exactly one row for each of its rows: the same row of the main table."""
        assert self.base is not None
        together = [self.base]
        if self.nested:
            return together
        key = self.schema.main.key
        for link in self.links:
            side = link.of(self.base)
            if side and side[0] == side[2] == key and side[1].table is self.schema.main:
                together.append(side[1])
        return together


def read_sources(select: exp.Select, schema: Schema, outer: Scope | None) -> Scope:
    """The scope of a SELECT, with its joins and its WHERE divided into links, correlations and other conditions."""
    scope = Scope(schema, outer)
    first = select.args.get("from_")
    if first is None:
        combined = select.find(exp.Subquery) is not None
        raise ParseError(
            "it combines the results of several SELECTs; ask for each of them in a template of its own"
            if combined
            else "it reads no table"
        )
    scope.sources.append(_source(first.this, schema))
    conditions: list[exp.Expr] = []
    for join in select.args.get("joins") or []:
        conditions.extend(_join(join, scope))
    where = select.args.get("where")
    if where is not None:
        conditions.extend(terms(where.this))
    for term in conditions:
        _divide(term, scope)
    scope.terms = [term for term in scope.terms if not _separates(term, scope)]
    return scope


def _source(node: exp.Expr, schema: Schema) -> FromTable:
    if not isinstance(node, exp.Table):
        raise ParseError("it reads from a subquery that is joined with a table")
    if node.name not in schema.by_name:
        raise ParseError(f"there is no table '{node.name}'; there are {', '.join(schema.by_name)}")
    return FromTable(node.alias or node.name, schema.by_name[node.name])


def _join(join: exp.Join, scope: Scope) -> Iterator[exp.Expr]:
    """Add the joined source; gives the conditions of its ON."""
    side, kind = join.args.get("side") or "", join.args.get("kind") or ""
    if side not in ("", "LEFT") or kind not in ("", "INNER", "CROSS", "OUTER"):
        raise ParseError(f"it uses a {side or kind} JOIN; write JOIN ... ON")
    source = _source(join.this, scope.schema)
    source.optional = side == "LEFT"
    shared = [column.name for column in join.args.get("using") or []]
    if join.args.get("method") == "NATURAL":
        shared = [name for name in source.table.positions if any(table.column(name) for table in scope.sources)]
    for name in shared:
        other = next((table for table in scope.sources if table.column(name)), None)
        if other is None or not source.column(name):
            raise ParseError(f"it joins two tables by '{name}', which is not a column of both")
        scope.links.append(JoinCondition(other, name, source, name))
    scope.sources.append(source)
    on = join.args.get("on")
    if on is not None:
        yield from terms(on)


def _divide(term: exp.Expr, scope: Scope) -> None:
    left, right = (term.this.unnest(), term.expression.unnest()) if isinstance(term, exp.EQ) else (None, None)
    if isinstance(left, exp.Column) and isinstance(right, exp.Column):
        (left_scope, left_source), (right_scope, right_source) = scope.resolve(left), scope.resolve(right)
        if left_scope is scope and right_scope is scope and left_source is not right_source:
            if _is_key(left_source, left.name, scope.schema) and _is_key(right_source, right.name, scope.schema):
                scope.links.append(JoinCondition(left_source, left.name, right_source, right.name))
                return
        elif left_scope is not right_scope:
            scope.correlated.append((left, right) if left_scope is scope else (right, left))
            return
    scope.terms.append(term)


def _separates(term: exp.Expr, scope: Scope) -> bool:
    """Whether a term only says that two sources have different rows; a known name takes the place of its column."""
    if not isinstance(term, exp.NEQ) or len(scope.own_sources(term)) != 2:
        return False
    left, right = term.this.unnest(), term.expression.unnest()
    if not isinstance(left, exp.Column) or not isinstance(right, exp.Column):
        return False
    (_, left_source), (_, right_source) = scope.resolve(left), scope.resolve(right)
    if left.name == right.name == scope.schema.main.key and left_source.table is right_source.table:
        scope.different.append((left_source, right_source))
        return True
    for column, source in ((left, left_source), (right, right_source)):
        for other_term in scope.terms:
            known_column = other_term.this.unnest() if isinstance(other_term, exp.EQ) else None
            if (
                isinstance(known_column, exp.Column)
                and known_column.name == column.name
                and scope.resolve(known_column)[1] is source
            ):
                column.replace(other_term.expression.copy())
                return False
    return False


def _is_key(source: FromTable, name: str, schema: Schema) -> bool:
    """Whether a column can join tables: the ends of the schema's relations can."""
    ends = {(relation.table, relation.key) for relation in schema.relations}
    return (source.table.name, name) in ends or any(relation.owner == name for relation in schema.relations)


# What the joined tables demand of a row.

ParseCondition = Callable[[exp.Expr, Scope], tree.Condition]


def row_condition(scope: Scope, parse: ParseCondition, skip: FromTable | None = None) -> tree.Condition | None:
    """The condition on the rows of the scope's base: its own terms, and a row of every other source.

    `skip` is a source that is left out, with everything that is joined through it.
    """
    return _Joins(scope, parse, skip).of_base()


def source_condition(scope: Scope, source: FromTable, parse: ParseCondition) -> tree.Condition | None:
    """The condition on the rows of a source that is joined with the base."""
    return _Joins(scope, parse, None).of_source(source)


class _Joins:
    def __init__(self, scope: Scope, parse: ParseCondition, skip: FromTable | None) -> None:
        self._scope = scope
        self._parse = parse
        self._merged = scope.merged()
        self._visited = [*self._merged, *([skip] if skip is not None else [])]
        self._skip = skip
        self._left = list(scope.terms)

    def of_base(self) -> tree.Condition | None:
        conditions = self._own_terms(self._merged)
        for source in self._merged:
            conditions.extend(self._neighbors(source))
        self._check_complete()
        return conjunction(conditions)

    def of_source(self, source: FromTable) -> tree.Condition | None:
        self._visited.append(source)
        return self._row(source)

    def _row(self, source: FromTable) -> tree.Condition | None:
        return conjunction([*self._own_terms([source]), *self._neighbors(source)])

    def _own_terms(self, sources: Sequence[FromTable]) -> list[tree.Condition]:
        terms = [term for term in self._left if self._is_about(term, sources)]
        self._left = [term for term in self._left if term not in terms]
        inner = self._scope if sources is self._merged else _as_base(self._scope, sources[0])
        return [self._parse(term, inner) for term in terms]

    def _is_about(self, term: exp.Expr, sources: Sequence[FromTable]) -> bool:
        read = self._scope.own_sources(term)
        return all(source in sources for source in read) and (bool(read) or sources is self._merged)

    def _neighbors(self, source: FromTable) -> Iterator[tree.Condition]:
        for link in self._scope.links:
            side = link.of(source)
            if side is None or side[1] in self._visited:
                continue
            column, other, key = side
            self._visited.append(other)
            if other.optional and self._is_missing(other):
                conditions = exists(self._scope, column, other.table, key, self._row(other))
                if conditions is not None:
                    yield tree.Not(conditions)
                continue
            row = self._row(other)
            if other.optional and row is None:
                continue  # a LEFT JOIN that excludes nothing
            several = any({source, other} == set(pair) for pair in self._scope.different)
            if several and row is not None:
                raise ParseError("it compares two rows of one table and restricts both")
            conditions = exists(self._scope, column, other.table, key, row, 2 if several else 1)
            if conditions is not None:
                yield conditions

    def _is_missing(self, source: FromTable) -> bool:
        """Whether the statement asks for rows without a partner: LEFT JOIN ... WHERE partner.id IS NULL."""
        tests = [term for term in self._left if isinstance(term, exp.Is) and isinstance(term.expression, exp.Null)]
        null_tests = [term for term in tests if self._scope.own_sources(term) == [source]]
        self._left = [term for term in self._left if term not in null_tests]
        return bool(null_tests)

    def _check_complete(self) -> None:
        missing = [source for source in self._scope.sources if source not in self._visited]
        if self._skip is None and missing:
            raise ParseError(f"it does not name the key that joins {missing[0].alias}")
        left = [term for term in self._left if self._skip is None or self._skip not in self._scope.own_sources(term)]
        if left and self._skip is None:
            raise ParseError(f"'{left[0].sql('sqlite')[:60]}' compares columns of two joined tables")


def _as_base(scope: Scope, source: FromTable) -> Scope:
    """The scope as a condition on a joined source sees it."""
    return Scope(scope.schema, scope.outer, scope.sources, scope.links, base=source, nested=True)


def exists(
    scope: Scope, owner: str, table: SchemaTable, key: str, where: tree.Condition | None, least: int | tree.Slot = 1
) -> tree.Condition | None:
    """The condition that a row of the table belongs to a row of the base; None if that is always so."""
    schema = scope.schema
    relation = relation_of(schema, owner, table, key)
    main = schema.main
    if relation is None:
        # From a table of pairs to a detail table, by way of the main table.
        to_main = relation_of(schema, owner, main, main.key)
        onward = relation_of(schema, main.key, table, key)
        if to_main is None or onward is None:
            raise ParseError(f"'{owner}' is not a key of '{table.name}', so a subquery on it has no natural wording")
        return tree.Exists(to_main.name, tree.Exists(onward.name, where, least))
    if relation.table == main.name and relation.key == main.key and least == 1:
        if where is None:
            return None
        if owner == main.key:
            return of_main_row(scope, where)
    return tree.Exists(relation.name, where, least)


def of_main_row(scope: Scope, where: tree.Condition) -> tree.Condition:
    """A condition on the row of the main table that a row of the base belongs to."""
    schema = scope.schema
    base = scope.base
    if base is None or base.table is schema.main:
        return where
    peers = any(isinstance(node, tree.PeerAggregate) for node in tree.nodes(where))
    if scope.nested or not base.table.joined_by or peers:
        # Peers are the rows of the main table here, not those of the detail table.
        relation = relation_of(schema, schema.main.key, schema.main, schema.main.key)
        if relation is None:
            raise ParseError(f"a condition on {schema.main.plural} cannot be put on rows of {base.table.name}")
        return tree.Exists(relation.name, where)
    return where


def relation_of(schema: Schema, owner: str, table: SchemaTable, key: str) -> Relation | None:
    link = (owner, table.name, key)
    return next(
        (relation for relation in schema.relations if (relation.owner, relation.table, relation.key) == link), None
    )


def conjunction(conditions: Sequence[tree.Condition]) -> tree.Condition | None:
    return reduce(tree.And, conditions) if conditions else None


# Expressions.


def terms(node: exp.Expr) -> list[exp.Expr]:
    """The conditions that AND joins, without going into brackets."""
    return [*terms(node.this), *terms(node.expression)] if isinstance(node, exp.And) else [node]


def outside_subqueries(node: exp.Expr) -> Iterator[exp.Column]:
    """The columns of an expression, except those in its subqueries."""
    waiting: list[exp.Expr] = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, exp.Column):
            yield part
        elif not isinstance(part, exp.Select):
            waiting.extend(reversed([child for child in part.iter_expressions() if isinstance(child, exp.Expression)]))
