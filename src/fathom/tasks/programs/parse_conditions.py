"""Parses the conditions of a SELECT into the nodes of a program; a subquery becomes a condition on related rows."""

from __future__ import annotations

from sqlglot import exp

from fathom.tasks.programs import tree
from fathom.tasks.programs.parse_measures import MeasureParser
from fathom.tasks.programs.parse_nodes import (
    COMPARATORS,
    FUNCTIONS,
    exact,
    is_constant,
    largest_count,
    piped,
    short,
    table_of_peers,
)
from fathom.tasks.programs.parse_scope import (
    ParseError,
    Scope,
    conjunction,
    exists,
    of_main_row,
    relation_of,
    row_condition,
)
from fathom.tasks.programs.schema import SchemaTable

_FLIPPED: dict[tree.Comparator, tree.Comparator] = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


class ExpressionParser(MeasureParser):
    """Parses every kind of expression."""

    def condition(self, node: exp.Expr, scope: Scope) -> tree.Condition:
        node = exact(node)
        match node:
            case exp.And():
                return tree.And(self.condition(node.this, scope), self.condition(node.expression, scope))
            case exp.Or():
                return tree.Or(self.condition(node.this, scope), self.condition(node.expression, scope))
            case exp.Not():
                return negate(self.condition(node.this, scope))
            case exp.Between():
                measure = self.measure(node.this, scope)
                ends = (self.value(node.args[end], measure) for end in ("low", "high"))
                return tree.Between(measure, *ends)
            case exp.In():
                return self._membership(node, scope)
            case exp.Exists():
                return self._exists(node, scope)
            case exp.Is() if isinstance(node.expression, exp.Null):
                return tree.IsUnknown(self._column(exact(node.this), scope))
            case exp.Like() | exp.ILike():
                # The parser keeps the NOT of NOT LIKE in a flag and not in a node.
                contains = self._contains(node, scope)
                return tree.Not(contains) if node.args.get("negate") else contains
            case _ if type(node) in COMPARATORS:
                return self._comparison(node, scope)
        raise ParseError(f"'{short(node)}' cannot be put into words")

    def _comparison(self, node: exp.Expr, scope: Scope) -> tree.Condition:
        left, right, sign = exact(node.this), exact(node.expression), COMPARATORS[type(node)]
        if is_constant(left):
            left, right, sign = right, left, _FLIPPED[sign]
        if isinstance(left, exp.Column) and isinstance(right, exp.Subquery) and self._is_internal(left, scope):
            if sign not in ("=", "<>"):
                raise ParseError(f"'{left.name}' is an internal number that no document states")
            members = self._members(left, right.unnest(), scope)
            return members if sign == "=" else negate(members)
        measure = self.measure(left, scope)
        if is_constant(right):
            return tree.Compare(measure, sign, self.value(right, measure))
        comparison = tree.Compare(measure, sign, self.measure(right, scope))
        # Over a detail table, a subquery over the main table is compared with a column of the main table.
        tables = {table_of_peers(part) for part in (left, right) if isinstance(part, exp.Subquery)}
        return of_main_row(scope, comparison) if tables == {self._schema.main.name} else comparison

    def _is_internal(self, column: exp.Column, scope: Scope) -> bool:
        _, source = scope.resolve(column)
        spec = source.column(column.name)
        return spec is not None and (not spec.nouns or spec.type == "text")

    def _membership(self, node: exp.In, scope: Scope) -> tree.Condition:
        subquery = node.args.get("query")
        select = subquery.unnest() if subquery is not None else None
        aggregate = isinstance(select, exp.Select) and type(exact(select.expressions[0].unalias())) in FUNCTIONS
        if aggregate and subquery is not None:
            # IN with an aggregate, which gives one value.
            return self._comparison(exp.EQ(this=node.this.copy(), expression=subquery.copy()), scope)
        if subquery is None:
            measure = self.measure(node.this, scope)
            if not node.expressions:
                raise ParseError("IN has no values")
            if len(node.expressions) == 1 and not self._own:
                return tree.Compare(measure, "=", self.value(node.expressions[0], measure))
            return tree.OneOf(measure, tuple(self.value(value, measure) for value in node.expressions))
        owner = exact(node.this)
        if not isinstance(owner, exp.Column):
            raise ParseError("a subquery selects one column")
        return self._members(owner, subquery.unnest(), scope)

    def _members(self, owner: exp.Column, select: exp.Expr, outer: Scope) -> tree.Condition:
        """The condition that a column is one of those that a subquery selects."""
        if isinstance(select, exp.SetOperation):
            left, right = (self._members(owner, side.unnest(), outer) for side in (select.this, select.expression))
            if isinstance(select, exp.Union):
                return tree.Or(left, right)
            return tree.And(left, right if isinstance(select, exp.Intersect) else negate(right))
        if not isinstance(select, exp.Select) or len(select.expressions) != 1:
            raise ParseError("a subquery selects one column")
        outer.resolve(owner)
        scope = self.inner_scope(select, outer)
        key = exact(select.expressions[0].unalias())
        if not isinstance(key, exp.Column):
            raise ParseError(f"a subquery after IN selects a column, not '{short(key)}'")
        _, scope.base = scope.resolve(key)
        table = scope.base.table
        if scope.correlated:
            raise ParseError("a subquery after IN refers to the row around it; use EXISTS")
        where = row_condition(scope, self.condition)
        extreme, having = self.extreme(select, scope), select.args.get("having")
        group = select.args.get("group")
        if group is not None and [exact(expression).name for expression in group.expressions] != [key.name]:
            raise ParseError("a subquery after IN is grouped by the column that it selects")
        if extreme is not None:
            if having is not None:
                raise ParseError("a subquery has both HAVING and LIMIT")
            return self._parse_best_row(owner, table, key.name, where, extreme, outer)
        if having is not None:
            return self._parse_row_count(owner, table, key.name, where, having.this, outer)
        condition = exists(outer, owner.name, table, key.name, where)
        if condition is None:
            raise ParseError("a subquery that selects every row excludes nothing")
        return condition

    def _parse_best_row(
        self,
        owner: exp.Column,
        table: SchemaTable,
        key: str,
        where: tree.Condition | None,
        extreme: tuple[tree.Function, tree.Measure | None],
        outer: Scope,
    ) -> tree.Condition:
        """The rows with the largest or smallest value: IN (SELECT ... ORDER BY measure LIMIT 1)."""
        function, measure = extreme
        main = self._schema.main
        if measure is not None:
            if table is not main or key != main.key:
                raise ParseError("a subquery that is cut with LIMIT 1 selects the row itself")
            is_best: tree.Condition = tree.Compare(measure, "=", tree.PeerAggregate(function, measure, None, where))
            condition = exists(outer, owner.name, main, key, conjunction([*([where] if where else []), is_best]))
        else:
            related_count = self._relation_from_main(owner, table, key, outer, where)
            is_best = tree.Compare(related_count, "=", tree.PeerAggregate(function, related_count))
            if function == "MIN":
                raise ParseError("the smallest number of rows leaves out rows that have none, which misleads")
            # If no row has related rows, none is the best.
            best_related = tree.And(tree.Exists(related_count.relation, where), is_best)
            condition = exists(outer, owner.name, main, main.key, best_related)
        assert condition is not None
        return condition

    def _relation_from_main(
        self, owner: exp.Column, table: SchemaTable, key: str, outer: Scope, where: tree.Condition | None
    ) -> tree.RelatedCount:
        relation = relation_of(self._schema, owner.name, table, key)
        if relation is None or owner.name != self._schema.main.key:
            raise ParseError(f"'{owner.name}' does not lead to '{table.name}.{key}'")
        return tree.RelatedCount(relation.name, where)

    def _parse_row_count(
        self,
        owner: exp.Column,
        table: SchemaTable,
        key: str,
        where: tree.Condition | None,
        test: exp.Expr,
        outer: Scope,
    ) -> tree.Condition:
        """A condition on the number of rows: IN (SELECT key ... GROUP BY key HAVING COUNT(*) >= 2)."""
        test = exact(test)
        if type(test) not in COMPARATORS or not isinstance(exact(test.this), exp.Count):
            raise ParseError("a subquery after IN may have HAVING COUNT(*) compared with a number")
        if (function := largest_count(test)) is not None:
            return self._parse_best_row(owner, table, key, where, (function, None), outer)
        sign, number = COMPARATORS[type(test)], self.number(test.expression)
        if isinstance(number, float):
            raise ParseError(f"'{number}' is not a whole number")
        if sign == ">=" or (sign == ">" and isinstance(number, int)):
            least = number if sign == ">=" else number + 1  # type: ignore[operator]
            condition = exists(outer, owner.name, table, key, where, least)
            assert condition is not None
            return condition
        relation = relation_of(self._schema, owner.name, table, key)
        if relation is None:
            raise ParseError(f"'{owner.name}' does not lead to '{table.name}.{key}'")
        comparison = tree.Compare(tree.RelatedCount(relation.name, where), sign, number)
        # A group has at least one row.
        counts_zero = isinstance(number, tree.Slot) or _is_met(0, sign, number)
        return tree.And(tree.Exists(relation.name, where), comparison) if counts_zero else comparison

    def _exists(self, node: exp.Exists, outer: Scope) -> tree.Condition:
        select = node.this.unnest()
        if not isinstance(select, exp.Select):
            raise ParseError("EXISTS takes a subquery")
        scope = self.inner_scope(select, outer)
        if len(scope.correlated) != 1 or select.args.get("group"):
            raise ParseError("EXISTS takes a subquery that is joined with the outer row by one equality")
        inner, outer_column = scope.correlated[0]
        _, scope.base = scope.resolve(inner)
        condition = exists(outer, outer_column.name, scope.base.table, inner.name, row_condition(scope, self.condition))
        if condition is None:
            raise ParseError("a subquery that selects every row excludes nothing")
        return condition

    def _contains(self, node: exp.Expr, scope: Scope) -> tree.Condition:
        subject = exact(node.this)
        if isinstance(subject, exp.Lower | exp.Upper):
            subject = exact(subject.this)
        column = self._column(subject, scope)
        if self._schema.columns[column.name].type != "text":
            raise ParseError("LIKE is for texts")
        pattern = exact(node.expression)
        if isinstance(pattern, exp.Lower | exp.Upper):
            pattern = exact(pattern.this)
        parts = piped(pattern)
        text = "".join("\0" if isinstance(part, exp.Placeholder) else self.text(part) for part in parts)
        open_start, open_end, fragment = text.startswith("%"), text.endswith("%"), text.strip("%")
        if not (open_start or open_end) or "%" in fragment or "_" in fragment or not fragment.isascii() or not fragment:
            raise ParseError("LIKE takes letters with a % before them, after them, or both")
        position = "anywhere" if open_start and open_end else "end" if open_start else "start"
        slot = next((part for part in parts if isinstance(part, exp.Placeholder)), None)
        if slot is not None:
            return tree.Contains(column, self._slot(slot, ("fragment",)), position)  # type: ignore[arg-type]
        return tree.Contains(column, fragment, position)  # type: ignore[arg-type]


def negate(condition: tree.Condition) -> tree.Condition:
    """The negation, with NOT at single conditions: NOT (a AND b) is NOT a OR NOT b."""
    match condition:
        case tree.And(left, right):
            return tree.Or(negate(left), negate(right))
        case tree.Or(left, right):
            return tree.And(negate(left), negate(right))
        case tree.Not(inner):
            return inner
        case _:
            return tree.Not(condition)


def _is_met(value: int, sign: tree.Comparator, number: int) -> bool:
    return {
        "=": value == number,
        "<>": value != number,
        "<": value < number,
        ">": value > number,
        "<=": value <= number,
        ">=": value >= number,
    }[sign]
