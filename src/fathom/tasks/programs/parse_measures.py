"""Parses the measures, results and values of a SELECT into the nodes of a program."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from fathom.tasks.programs import tree
from fathom.tasks.programs.parse_nodes import (
    FUNCTIONS,
    SIGNS,
    exact,
    is_number,
    short,
    summands_of,
    without_factor,
)
from fathom.tasks.programs.parse_scope import ParseError, Scope, read_sources, relation_of, row_condition
from fathom.tasks.programs.schema import Schema

MAX_DIGITS = 9
"""The maximum number of digits in an integer constant."""
INTEGER_DIVISION = (
    "'{0}' divides whole numbers, and SQLite drops the remainder, which a reader would not; write 1.0 * {0}"
)


@dataclass(frozen=True)
class FilteredResult:
    """A result over the rows that meet a further condition: COUNT(CASE WHEN ...), SUM(...) FILTER (WHERE ...)."""

    result: tree.Result
    only: tree.Condition | None = None


class MeasureParser(ABC):
    """Parses values, measures and results; the scope says which rows they are about."""

    def __init__(
        self, schema: Schema, slots: Mapping[str, tree.Slot], kinds: Mapping[str, tuple[str, ...]], own: bool
    ) -> None:
        self._schema = schema
        self._slots = slots
        self._kinds = kinds
        self._own = own
        """Whether the statement was written by `sql` and not by a user."""

    # Results.

    def result(self, node: exp.Expr, scope: Scope) -> tree.Result:
        """A result over all rows."""
        filtered = self.filtered(node, scope)
        if filtered.only is not None:
            raise ParseError("it restricts one of several results with CASE or FILTER")
        return filtered.result

    def filtered(self, node: exp.Expr, scope: Scope) -> FilteredResult:
        node = exact(node)
        if isinstance(node, exp.Filter):
            inner = self.filtered(node.this, scope)
            return FilteredResult(inner.result, self.condition(node.expression.this, scope))
        if isinstance(node, exp.Count):
            return self._count(node, scope)
        if type(node) in FUNCTIONS:
            case = exact(node.this)
            if isinstance(case, exp.Case):
                return self._case(FUNCTIONS[type(node)], case, scope)
            if isinstance(case, exp.Distinct):
                raise ParseError(f"{node.key.upper()}(DISTINCT ...) cannot be put into words")
            measure = self.measure(case, scope)
            if self._schema.type_of(measure) in ("text", "category"):
                raise ParseError(f"'{short(node)}' aggregates texts")
            return FilteredResult(tree.Aggregate(FUNCTIONS[type(node)], measure))
        if isinstance(node, exp.Div):
            return FilteredResult(self._ratio(node, scope))
        if type(node) in (exp.Add, exp.Sub, exp.Mul):
            return FilteredResult(self._parse_arithmetic(node, scope))
        raise ParseError(f"'{short(node)}' is not an aggregate")

    def _count(self, node: exp.Count, scope: Scope) -> FilteredResult:
        counted = exact(node.this)
        if isinstance(counted, exp.Distinct):
            if len(counted.expressions) != 1:
                raise ParseError("it counts combinations of several columns")
            column = exact(counted.expressions[0])
            if isinstance(column, exp.Column) and self._identifies_rows(column, scope):
                return FilteredResult(tree.Count())
            return FilteredResult(tree.CountDistinct(self.measure(column, scope)))
        if isinstance(counted, exp.Star | exp.Literal):
            return FilteredResult(tree.Count())
        if isinstance(counted, exp.Case):
            return self._case("COUNT", counted, scope)
        if not isinstance(counted, exp.Column):
            return FilteredResult(tree.Count())
        _, source = scope.resolve(counted)
        spec = source.column(counted.name)
        assert spec is not None
        # The name of a detail table's column says which rows are counted.
        of_detail = self._own and bool(spec.nouns) and source.table is not self._schema.main
        return FilteredResult(tree.Count(tree.Column(spec.name)) if spec.nullable or of_detail else tree.Count())

    def _identifies_rows(self, column: exp.Column, scope: Scope) -> bool:
        """Whether no two rows of a group agree in the column; a name has one row for each article."""
        main = self._schema.main
        return column.name in (main.key, main.label) and scope.base is not None and not scope.nested

    def _case(self, function: str, case: exp.Case, scope: Scope) -> FilteredResult:
        """COUNT(CASE WHEN c THEN 1 END), SUM(CASE WHEN c THEN 1 ELSE 0 END), SUM(CASE WHEN c THEN measure END)."""
        branches, default = case.args["ifs"], case.args.get("default")
        if case.this is not None or len(branches) != 1:
            raise ParseError("CASE with several branches cannot be put into words")
        only, value = self.condition(branches[0].this, scope), exact(branches[0].args["true"])
        empty = default is None or isinstance(default, exp.Null)
        zero = not empty and default is not None and default.name == "0"
        if function == "COUNT" and empty:
            return FilteredResult(tree.Count(), only)
        if function == "SUM" and (empty or zero) and isinstance(value, exp.Literal) and value.name == "1":
            return FilteredResult(tree.Count(), only)
        if function in FUNCTIONS.values() and (empty or (zero and function == "SUM")):
            return FilteredResult(tree.Aggregate(function, self.measure(value, scope)), only)  # type: ignore[arg-type]
        raise ParseError("this CASE cannot be put into words; use a WHERE")

    def _ratio(self, node: exp.Div, scope: Scope) -> tree.Result:
        top, factor, top_decimal = without_factor(node.this)
        bottom, bottom_factor, bottom_decimal = without_factor(node.expression)
        if isinstance(bottom, exp.Literal):
            raise ParseError(f"'{short(node)}' divides a result by a number, which has no natural wording")
        numerator, denominator = self.filtered(top, scope), self.filtered(bottom, scope)
        parts = (numerator.result, denominator.result)
        if any(isinstance(part, tree.Ratio | tree.CombinedResult) for part in parts):
            raise ParseError("a ratio of computed results cannot be put into words")
        if denominator.only is not None or bottom_factor != 1:
            raise ParseError("it restricts the lower side of a ratio, which has no natural wording")
        integers = all(self._schema.type_of(part) == "integer" for part in parts)
        if integers and not (top_decimal or bottom_decimal):
            raise ParseError(INTEGER_DIVISION.format(short(node)))
        ratio = tree.Ratio(numerator.result, denominator.result, numerator.only)  # type: ignore[arg-type]
        return ratio if factor == 1 else tree.CombinedResult(ratio, "*", factor)

    def _parse_arithmetic(self, node: exp.Expr, scope: Scope) -> tree.Result:
        left, right = exact(node.this), exact(node.expression)
        sign = SIGNS[type(node)]
        if is_number(left) and sign in "+*":
            left, right = right, left
        if is_number(left):
            raise ParseError(f"'{short(node)}' starts with a number, which has no natural wording")
        number = self.literal(right) if is_number(right) else self.result(right, scope)
        if isinstance(number, float):
            if number.is_integer():
                number = int(number)
            else:
                raise ParseError(f"'{number}' is not a whole number")
        return tree.CombinedResult(self.result(left, scope), sign, number)  # type: ignore[arg-type]

    # Measures.

    def measure(self, node: exp.Expr, scope: Scope) -> tree.Measure:
        node = exact(node)
        if scope.counted is not None and isinstance(node, exp.Count):
            return scope.counted
        if isinstance(node, exp.Subquery):
            return self._subquery(node.unnest(), scope)
        summands = summands_of(node)
        if len(summands) > 1 and all(isinstance(term, exp.Mul) and is_number(term.this) for term in summands):
            return tree.WeightedSum(
                tuple(tree.Term(self.literal(term.this), self.measure(term.expression, scope)) for term in summands)
            )
        if isinstance(node, exp.Div):
            return self._quotient(node, scope)
        if type(node) in SIGNS:
            left, right = exact(node.this), exact(node.expression)
            if is_number(left) and isinstance(node, exp.Add | exp.Mul):
                left, right = right, left
            if is_number(left):
                raise ParseError(f"'{short(node)}' starts with a number, which has no natural wording")
            sides = self.measure(left, scope), self._operand(right, scope)
            if any(not isinstance(side, int | float) and self._schema.type_of(side) == "text" for side in sides):
                raise ParseError(f"'{short(node)}' computes with a text")
            return tree.Arithmetic(sides[0], SIGNS[type(node)], sides[1])
        return self._column(node, scope)

    def _quotient(self, node: exp.Div, scope: Scope) -> tree.Measure:
        top, factor, top_decimal = without_factor(node.this)
        bottom, bottom_factor, bottom_decimal = without_factor(node.expression)
        if bottom_factor != 1:
            top, bottom, factor, bottom_factor = node.this, node.expression, 1, 1
        measure = self.measure(top, scope)
        if factor != 1:
            measure = tree.Arithmetic(measure, "*", factor)
        divisor = self._operand(bottom, scope)
        fraction = isinstance(divisor, float)
        if fraction and isinstance(divisor, float) and divisor.is_integer():
            divisor = int(divisor)
        integers = self._schema.type_of(measure) == "integer" and (
            isinstance(divisor, int) or (not isinstance(divisor, float) and self._schema.type_of(divisor) == "integer")
        )
        if integers and not (top_decimal or bottom_decimal or fraction):
            raise ParseError(INTEGER_DIVISION.format(short(node)))
        return tree.Arithmetic(measure, "/", divisor)

    def _operand(self, node: exp.Expr, scope: Scope) -> tree.Measure | int | float:
        return self.literal(exact(node)) if is_number(exact(node)) else self.measure(node, scope)

    def _column(self, node: exp.Expr, scope: Scope) -> tree.Column:
        if not isinstance(node, exp.Column):
            name = node.sql_name() if isinstance(node, exp.Func) and not isinstance(node, exp.Anonymous) else ""
            name = name or (str(node.this).upper() if isinstance(node, exp.Anonymous) else "")
            if isinstance(node, exp.Case):
                name = "CASE"
            problem = f"it uses {name} on a value of a row" if name else f"'{short(node)}' is not a column"
            raise ParseError(f"{problem}; supported are columns, + - * / % and aggregates")
        return self.spec(node, scope)

    def spec(self, node: exp.Column, scope: Scope) -> tree.Column:
        """The column, which must be one that documents state."""
        _, source = scope.resolve(node)
        spec = source.column(node.name)
        if spec is None or not spec.nouns:
            raise ParseError(f"'{node.name}' is an internal number that no document states")
        return tree.Column(spec.name)

    def _subquery(self, select: exp.Expr, outer: Scope) -> tree.Measure:
        """A number for each row: an aggregate over its peers, the number of related rows, a value of a named row."""
        if not isinstance(select, exp.Select) or len(select.expressions) != 1:
            raise ParseError("a subquery that is compared with gives one value")
        scope = self.inner_scope(select, outer)
        output = exact(select.expressions[0].unalias())
        if select.args.get("group") or select.args.get("having"):
            raise ParseError("a subquery that is compared with has no GROUP BY")
        if isinstance(output, exp.Count):
            return self._parse_related_count(scope)
        # Peers are rows of the same kind as the outer row: those of a detail table come with the main table's columns.
        scope.nested = outer.nested
        same_table = [source for source in scope.sources if outer.base and source.table is outer.base.table]
        scope.base = (same_table or scope.sources)[0]
        where = row_condition(scope, self.condition)
        by = self._peers_by(scope)
        extreme = self.extreme(select, scope)
        if type(output) in FUNCTIONS and extreme is None:
            return tree.PeerAggregate(FUNCTIONS[type(output)], self.measure(output.this, scope), by, where)
        measure = self.measure(output, scope)
        if extreme is not None and extreme[1] == measure:
            return tree.PeerAggregate(extreme[0], measure, by, where)
        if extreme is None and self._names_one_row(where):
            # One row has the name, so its value is the largest.
            return tree.PeerAggregate("MAX", measure, by, where)
        raise ParseError("a subquery that is compared with gives an aggregate, or a value of one named row")

    def _names_one_row(self, where: tree.Condition | None) -> bool:
        match where:
            case tree.Compare(tree.Column(name), "="):
                return name == self._schema.main.label
            case tree.And(left, right):
                return self._names_one_row(left) or self._names_one_row(right)
        return False

    def _peers_by(self, scope: Scope) -> tree.Column | None:
        if not scope.correlated:
            return None
        (mine, theirs), *more = scope.correlated
        if more or mine.name != theirs.name:
            raise ParseError("a correlated subquery compares one column with the same column of the outer row")
        return tree.Column(mine.name) if mine.name == self._schema.main.key else self.spec(mine, scope)

    def _parse_related_count(self, scope: Scope) -> tree.RelatedCount:
        if len(scope.correlated) != 1:
            raise ParseError("a subquery with COUNT counts the rows that belong to a row of the outer query")
        inner, outer_column = scope.correlated[0]
        _, source = scope.resolve(inner)
        scope.base = source
        relation = relation_of(self._schema, outer_column.name, source.table, inner.name)
        if relation is None:
            raise ParseError(f"'{outer_column.name}' does not lead to '{source.table.name}.{inner.name}'")
        return tree.RelatedCount(relation.name, row_condition(scope, self.condition))

    def inner_scope(self, select: exp.Select, outer: Scope) -> Scope:
        scope = read_sources(select, self._schema, outer)
        scope.nested = True
        scope.base = scope.sources[0]
        return scope

    def extreme(self, select: exp.Select, scope: Scope) -> tuple[tree.Function, tree.Measure | None] | None:
        """The function that ORDER BY measure LIMIT 1 stands for, and the measure; None for the number of rows."""
        order, limit = select.args.get("order"), select.args.get("limit")
        if order is None and limit is None:
            return None
        if select.args.get("offset"):
            raise ParseError("it uses OFFSET, which cannot be put into words")
        if order is None or limit is None or limit.expression.name != "1":
            raise ParseError("a subquery may be cut only with ORDER BY ... LIMIT 1")
        key = order.expressions[0]
        function: tree.Function = "MAX" if key.args.get("desc") else "MIN"
        counted = isinstance(exact(key.this), exp.Count)
        return function, None if counted else self.measure(key.this, scope)

    @abstractmethod
    def condition(self, node: exp.Expr, scope: Scope) -> tree.Condition:
        """A condition on the rows, which subqueries and CASE contain."""

    # Values.

    def value(self, node: exp.Expr, measure: tree.Measure) -> tree.ConstantOrSlot:
        node = exact(node)
        name = measure.name if isinstance(measure, tree.Column) else ""
        if isinstance(node, exp.Placeholder):
            return self._slot_for(node, measure, self._kinds.get(name, self._kinds.get("", ())))
        if self._schema.type_of(measure) not in ("integer", "decimal"):
            return self.text(node)
        return self.number(node)

    def _slot_for(self, node: exp.Placeholder, measure: tree.Measure, kinds: tuple[str, ...]) -> tree.Slot:
        slot = self._slot(node, kinds)
        return replace(slot, of=measure) if slot.kind == "number" else slot

    def text(self, node: exp.Expr) -> str:
        if isinstance(node, exp.Literal) and node.is_string:
            return str(node.name)
        if isinstance(node, exp.Column) and node.this.quoted:
            return str(node.name)
        raise ParseError(f"'{short(node)}' is not a text")

    def number(self, node: exp.Expr) -> int | float | tree.Slot:
        node = exact(node)
        return self._slot(node, self._kinds.get("", ())) if isinstance(node, exp.Placeholder) else self.literal(node)

    def literal(self, node: exp.Expr) -> int | float:
        if isinstance(node, exp.Neg):
            # A difference of two counts may be below zero, and then so is the number it is compared with.
            return -self.literal(node.this)
        if isinstance(node, exp.Literal) and node.is_number and len(node.name) <= MAX_DIGITS:
            return int(node.name) if node.is_int else float(node.name)
        raise ParseError(f"'{short(node)}' is not a number of at most {MAX_DIGITS} digits")

    def _slot(self, node: exp.Placeholder, kinds: tuple[str, ...]) -> tree.Slot:
        if node.name not in self._slots:
            raise ParseError(f"it has an unknown placeholder '{node.sql('sqlite')}'")
        slot = self._slots[node.name]
        if kinds and slot.kind not in kinds:
            raise ParseError(f"it has a placeholder for a {slot.kind} in place of a {kinds[0]}")
        return slot
