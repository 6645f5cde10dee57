"""Parses the conditions, measures and results of a SELECT into the nodes of a program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot import exp

from fathom.tasks.programs import tree
from fathom.tasks.programs.parse_scope import (
    ParseError,
    Scope,
    conjunction,
    exists,
    of_main_row,
    read_sources,
    relation_of,
    row_condition,
)
from fathom.tasks.programs.schema import Schema, Table

COMPARATORS: dict[type[exp.Expr], tree.Comparator] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.GT: ">",
    exp.LTE: "<=",
    exp.GTE: ">=",
}
_FLIPPED: dict[tree.Comparator, tree.Comparator] = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_SIGNS: dict[type[exp.Expr], tree.Sign] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}
FUNCTIONS: dict[type[exp.Expr], tree.Function] = {exp.Max: "MAX", exp.Min: "MIN", exp.Sum: "SUM", exp.Avg: "AVG"}
MOST_DIGITS = 9
"""The maximum number of digits in an integer constant."""
INTEGER_DIVISION = (
    "'{0}' divides whole numbers, and SQLite drops the remainder, which a reader would not; write 1.0 * {0}"
)


@dataclass(frozen=True)
class Filtered:
    """A result over the rows that meet a further condition: COUNT(CASE WHEN ...), SUM(...) FILTER (WHERE ...)."""

    result: tree.Result
    only: tree.Condition | None = None


class Expressions:
    """Parses expressions; the scope says which rows they are about."""

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
        found = self.filtered(node, scope)
        if found.only is not None:
            raise ParseError("it restricts one of several results with CASE or FILTER")
        return found.result

    def filtered(self, node: exp.Expr, scope: Scope) -> Filtered:
        node = exact(node)
        if isinstance(node, exp.Filter):
            inner = self.filtered(node.this, scope)
            return Filtered(inner.result, self.condition(node.expression.this, scope))
        if isinstance(node, exp.Count):
            return self._count(node, scope)
        if type(node) in FUNCTIONS:
            case = exact(node.this)
            if isinstance(case, exp.Case):
                return self._case(FUNCTIONS[type(node)], case, scope)
            if isinstance(case, exp.Distinct):
                raise ParseError(f"{node.key.upper()}(DISTINCT ...) cannot be put into words")
            return Filtered(tree.Aggregate(FUNCTIONS[type(node)], self.measure(case, scope)))
        if isinstance(node, exp.Div):
            return Filtered(self._ratio(node, scope))
        if type(node) in (exp.Add, exp.Sub, exp.Mul):
            return Filtered(self._combined(node, scope))
        raise ParseError(f"'{short(node)}' is not an aggregate")

    def _count(self, node: exp.Count, scope: Scope) -> Filtered:
        counted = exact(node.this)
        if isinstance(counted, exp.Distinct):
            if len(counted.expressions) != 1:
                raise ParseError("it counts combinations of several columns")
            column = exact(counted.expressions[0])
            if isinstance(column, exp.Column) and self._identifies_rows(column, scope):
                return Filtered(tree.Count())
            return Filtered(tree.CountDistinct(self.measure(column, scope)))
        if isinstance(counted, exp.Star | exp.Literal):
            return Filtered(tree.Count())
        if isinstance(counted, exp.Case):
            return self._case("COUNT", counted, scope)
        if not isinstance(counted, exp.Column):
            return Filtered(tree.Count())
        _, source = scope.resolve(counted)
        spec = source.column(counted.name)
        assert spec is not None
        # The name of a detail table's column says which rows are counted.
        of_detail = self._own and bool(spec.nouns) and source.table is not self._schema.main
        return Filtered(tree.Count(tree.Column(spec.name)) if spec.nullable or of_detail else tree.Count())

    def _identifies_rows(self, column: exp.Column, scope: Scope) -> bool:
        """Whether no two rows of a group agree in the column; a name has one row for each article."""
        main = self._schema.main
        return column.name in (main.key, main.label) and scope.base is not None and not scope.nested

    def _case(self, function: str, case: exp.Case, scope: Scope) -> Filtered:
        """COUNT(CASE WHEN c THEN 1 END), SUM(CASE WHEN c THEN 1 ELSE 0 END), SUM(CASE WHEN c THEN measure END)."""
        branches, default = case.args["ifs"], case.args.get("default")
        if case.this is not None or len(branches) != 1:
            raise ParseError("CASE with several branches cannot be put into words")
        only, value = self.condition(branches[0].this, scope), exact(branches[0].args["true"])
        empty = default is None or isinstance(default, exp.Null)
        zero = not empty and default is not None and default.name == "0"
        if function == "COUNT" and empty:
            return Filtered(tree.Count(), only)
        if function == "SUM" and (empty or zero) and isinstance(value, exp.Literal) and value.name == "1":
            return Filtered(tree.Count(), only)
        if function in FUNCTIONS.values() and (empty or (zero and function == "SUM")):
            return Filtered(tree.Aggregate(function, self.measure(value, scope)), only)  # type: ignore[arg-type]
        raise ParseError("this CASE cannot be put into words; use a WHERE")

    def _ratio(self, node: exp.Div, scope: Scope) -> tree.Result:
        top, factor, decimal = _without_factor(node.this)
        bottom, other, also = _without_factor(node.expression)
        if isinstance(bottom, exp.Literal):
            raise ParseError(f"'{short(node)}' divides a result by a number, which has no natural wording")
        numerator, denominator = self.filtered(top, scope), self.filtered(bottom, scope)
        parts = (numerator.result, denominator.result)
        if any(isinstance(part, tree.Ratio | tree.Combined) for part in parts):
            raise ParseError("a ratio of computed results cannot be put into words")
        if denominator.only is not None or other != 1:
            raise ParseError("it restricts the lower side of a ratio, which has no natural wording")
        whole = all(self._schema.type_of(part) == "integer" for part in parts)
        if whole and not (decimal or also):
            raise ParseError(INTEGER_DIVISION.format(short(node)))
        ratio = tree.Ratio(numerator.result, denominator.result, numerator.only)  # type: ignore[arg-type]
        return ratio if factor == 1 else tree.Combined(ratio, "*", factor)

    def _combined(self, node: exp.Expr, scope: Scope) -> tree.Result:
        left, right = exact(node.this), exact(node.expression)
        sign = _SIGNS[type(node)]
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
        return tree.Combined(self.result(left, scope), sign, number)  # type: ignore[arg-type]

    # Measures.

    def measure(self, node: exp.Expr, scope: Scope) -> tree.Measure:
        node = exact(node)
        if scope.counted is not None and isinstance(node, exp.Count):
            return scope.counted
        if isinstance(node, exp.Subquery):
            return self._subquery(node.unnest(), scope)
        summands = _summands(node)
        if len(summands) > 1 and all(isinstance(term, exp.Mul) and is_number(term.this) for term in summands):
            return tree.Weighted(
                tuple(tree.Term(self.literal(term.this), self.measure(term.expression, scope)) for term in summands)
            )
        if isinstance(node, exp.Div):
            return self._quotient(node, scope)
        if type(node) in _SIGNS:
            left, right = exact(node.this), exact(node.expression)
            if is_number(left) and isinstance(node, exp.Add | exp.Mul):
                left, right = right, left
            if is_number(left):
                raise ParseError(f"'{short(node)}' starts with a number, which has no natural wording")
            return tree.Arithmetic(self.measure(left, scope), _SIGNS[type(node)], self._operand(right, scope))
        return self._column(node, scope)

    def _quotient(self, node: exp.Div, scope: Scope) -> tree.Measure:
        top, factor, decimal = _without_factor(node.this)
        bottom, other, also = _without_factor(node.expression)
        if other != 1:
            top, bottom, factor, other = node.this, node.expression, 1, 1
        measure = self.measure(top, scope)
        if factor != 1:
            measure = tree.Arithmetic(measure, "*", factor)
        divisor = self._operand(bottom, scope)
        fraction = isinstance(divisor, float)
        if fraction and isinstance(divisor, float) and divisor.is_integer():
            divisor = int(divisor)
        whole = self._schema.type_of(measure) == "integer" and (
            isinstance(divisor, int) or (not isinstance(divisor, float) and self._schema.type_of(divisor) == "integer")
        )
        if whole and not (decimal or also or fraction):
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
            what = f"it uses {name} on a value of a row" if name else f"'{short(node)}' is not a column"
            raise ParseError(f"{what}, which is not supported; supported are columns, + - * / % and aggregates")
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
        wanted = exact(select.expressions[0].unalias())
        if select.args.get("group") or select.args.get("having"):
            raise ParseError("a subquery that is compared with has no GROUP BY")
        if isinstance(wanted, exp.Count):
            return self._related(scope)
        # Peers are rows of the same kind as the outer row: those of a detail table come with the main table's columns.
        scope.nested = outer.nested
        same = [source for source in scope.sources if outer.base and source.table is outer.base.table]
        scope.base = (same or scope.sources)[0]
        where = row_condition(scope, self.condition)
        by = self._peers_by(scope)
        extreme = self.extreme(select, scope)
        if type(wanted) in FUNCTIONS and extreme is None:
            return tree.PeerAggregate(FUNCTIONS[type(wanted)], self.measure(wanted.this, scope), by, where)
        measure = self.measure(wanted, scope)
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

    def _related(self, scope: Scope) -> tree.Related:
        if len(scope.correlated) != 1:
            raise ParseError("a subquery with COUNT counts the rows that belong to a row of the outer query")
        mine, theirs = scope.correlated[0]
        _, source = scope.resolve(mine)
        scope.base = source
        relation = relation_of(self._schema, theirs.name, source.table, mine.name)
        if relation is None:
            raise ParseError(f"'{theirs.name}' does not lead to '{source.table.name}.{mine.name}'")
        return tree.Related(relation.name, row_condition(scope, self.condition))

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

    # Conditions.

    def condition(self, node: exp.Expr, scope: Scope) -> tree.Condition:
        node = exact(node)
        match node:
            case exp.And():
                return tree.And(self.condition(node.this, scope), self.condition(node.expression, scope))
            case exp.Or():
                return tree.Or(self.condition(node.this, scope), self.condition(node.expression, scope))
            case exp.Not():
                return negated(self.condition(node.this, scope))
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
            found = self._members(left, right.unnest(), scope)
            return found if sign == "=" else negated(found)
        measure = self.measure(left, scope)
        if is_constant(right):
            return tree.Compare(measure, sign, self.value(right, measure))
        compared = tree.Compare(measure, sign, self.measure(right, scope))
        # Over a detail table, a subquery over the main table is compared with a column of the main table.
        tables = {_table_of_peers(part) for part in (left, right) if isinstance(part, exp.Subquery)}
        return of_main_row(scope, compared) if tables == {self._schema.main.name} else compared

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
            if len(node.expressions) == 1 and not self._own:
                return tree.Compare(measure, "=", self.value(node.expressions[0], measure))
            return tree.OneOf(measure, tuple(self.value(value, measure) for value in node.expressions))
        owner = exact(node.this)
        if not isinstance(owner, exp.Column):
            raise ParseError("a subquery selects one column")
        return self._members(owner, subquery.unnest(), scope)

    def _members(self, owner: exp.Column, select: exp.Expr, outer: Scope) -> tree.Condition:
        """The condition that a column is one of those that a subquery selects."""
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
        if group is not None and [exact(one).name for one in group.expressions] != [key.name]:
            raise ParseError("a subquery after IN is grouped by the column that it selects")
        if extreme is not None:
            if having is not None:
                raise ParseError("a subquery has both HAVING and LIMIT")
            return self._best(owner, table, key.name, where, extreme, outer)
        if having is not None:
            return self._counted(owner, table, key.name, where, having.this, outer)
        found = exists(outer, owner.name, table, key.name, where)
        if found is None:
            raise ParseError("a subquery that selects every row excludes nothing")
        return found

    def _best(
        self,
        owner: exp.Column,
        table: Table,
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
            best: tree.Condition = tree.Compare(measure, "=", tree.PeerAggregate(function, measure, None, where))
            found = exists(outer, owner.name, main, key, conjunction([*([where] if where else []), best]))
        else:
            related = self._relation_from_main(owner, table, key, outer, where)
            best = tree.Compare(related, "=", tree.PeerAggregate(function, related))
            if function == "MIN":
                raise ParseError("the smallest number of rows leaves out rows that have none, which misleads")
            # Where no row has any, none is the best.
            both = tree.And(tree.Exists(related.relation, where), best)
            found = exists(outer, owner.name, main, main.key, both)
        assert found is not None
        return found

    def _relation_from_main(
        self, owner: exp.Column, table: Table, key: str, outer: Scope, where: tree.Condition | None
    ) -> tree.Related:
        relation = relation_of(self._schema, owner.name, table, key)
        if relation is None or owner.name != self._schema.main.key:
            raise ParseError(f"'{owner.name}' does not lead to '{table.name}.{key}'")
        return tree.Related(relation.name, where)

    def _counted(
        self,
        owner: exp.Column,
        table: Table,
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
            return self._best(owner, table, key, where, (function, None), outer)
        sign, number = COMPARATORS[type(test)], self.number(test.expression)
        if isinstance(number, float):
            raise ParseError(f"'{number}' is not a whole number")
        if sign == ">=" or (sign == ">" and isinstance(number, int)):
            least = number if sign == ">=" else number + 1  # type: ignore[operator]
            found = exists(outer, owner.name, table, key, where, least)
            assert found is not None
            return found
        relation = relation_of(self._schema, owner.name, table, key)
        if relation is None:
            raise ParseError(f"'{owner.name}' does not lead to '{table.name}.{key}'")
        compared = tree.Compare(tree.Related(relation.name, where), sign, number)
        # A group has at least one row.
        some = isinstance(number, tree.Slot) or _is_met(0, sign, number)
        return tree.And(tree.Exists(relation.name, where), compared) if some else compared

    def _exists(self, node: exp.Exists, outer: Scope) -> tree.Condition:
        select = node.this.unnest()
        if not isinstance(select, exp.Select):
            raise ParseError("EXISTS takes a subquery")
        scope = self.inner_scope(select, outer)
        if len(scope.correlated) != 1 or select.args.get("group"):
            raise ParseError("EXISTS takes a subquery that is joined with the outer row by one equality")
        mine, theirs = scope.correlated[0]
        _, scope.base = scope.resolve(mine)
        found = exists(outer, theirs.name, scope.base.table, mine.name, row_condition(scope, self.condition))
        if found is None:
            raise ParseError("a subquery that selects every row excludes nothing")
        return found

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
        if isinstance(pattern, exp.Placeholder):
            # A fragment without % is meant to occur anywhere.
            around = exp.DPipe(this=exp.DPipe(this=_text("%"), expression=pattern.copy()), expression=_text("%"))
            pattern.replace(exp.paren(around))
            pattern = around
        parts = _piped(pattern)
        text = "".join("\0" if isinstance(part, exp.Placeholder) else self.text(part) for part in parts)
        before, after, fragment = text.startswith("%"), text.endswith("%"), text.strip("%")
        if not (before or after) or "%" in fragment or "_" in fragment or not fragment.isascii() or not fragment:
            raise ParseError("LIKE takes letters with a % before them, after them, or both")
        place = "anywhere" if before and after else "end" if before else "start"
        slot = next((part for part in parts if isinstance(part, exp.Placeholder)), None)
        if slot is not None:
            return tree.Contains(column, self._slot(slot, ("fragment",)), place)  # type: ignore[arg-type]
        return tree.Contains(column, fragment, place)  # type: ignore[arg-type]

    # Values.

    def value(self, node: exp.Expr, measure: tree.Measure) -> tree.Value:
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
        if isinstance(node, exp.Literal) and node.is_number and len(node.name) <= MOST_DIGITS:
            return int(node.name) if node.is_int else float(node.name)
        raise ParseError(f"'{short(node)}' is not a number of at most {MOST_DIGITS} digits")

    def _slot(self, node: exp.Placeholder, kinds: tuple[str, ...]) -> tree.Slot:
        if node.name not in self._slots:
            raise ParseError(f"it has an unknown placeholder '{node.sql('sqlite')}'")
        slot = self._slots[node.name]
        if kinds and slot.kind not in kinds:
            raise ParseError(f"it has a placeholder for a {slot.kind} in place of a {kinds[0]}")
        return slot


def negated(condition: tree.Condition) -> tree.Condition:
    """The negation, with NOT at single conditions: NOT (a AND b) is NOT a OR NOT b."""
    match condition:
        case tree.And(left, right):
            return tree.Or(negated(left), negated(right))
        case tree.Or(left, right):
            return tree.And(negated(left), negated(right))
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


# Parts of SQL.


def _table_of_peers(node: exp.Subquery) -> str:
    """The table of a subquery that aggregates over peers."""
    select = node.unnest()
    source = select.args["from_"].this if isinstance(select, exp.Select) else None
    is_peer = isinstance(select, exp.Select) and not isinstance(exact(select.expressions[0].unalias()), exp.Count)
    joined = isinstance(select, exp.Select) and bool(select.args.get("joins"))
    return str(source.name) if isinstance(source, exp.Table) and is_peer and not joined else ""


def exact(node: exp.Expr) -> exp.Expr:
    """The node without brackets and without the ROUND that the writer adds for comparisons."""
    while isinstance(node, exp.Paren | exp.Round):
        node = node.this
    return node


def short(node: exp.Expr) -> str:
    return str(node.sql("sqlite"))[:60]


def _text(text: str) -> exp.Literal:
    return exp.Literal.string(text)


def _piped(node: exp.Expr) -> list[exp.Expr]:
    """The parts of a || b || c."""
    node = exact(node)
    if isinstance(node, exp.DPipe):
        return [*_piped(node.this), *_piped(node.expression)]
    return [node]


def _summands(node: exp.Expr) -> list[exp.Expr]:
    """The terms of a sum, without going into brackets."""
    return [*_summands(node.this), *_summands(node.expression)] if isinstance(node, exp.Add) else [node]


def _without_factor(node: exp.Expr) -> tuple[exp.Expr, int, bool]:
    """The node without a constant factor, the factor, and whether it makes a division decimal.

    1.0 * a and CAST(a AS REAL) do.
    """
    node = exact(node)
    if isinstance(node, exp.Cast) and node.to.this in (exp.DataType.Type.FLOAT, exp.DataType.Type.DOUBLE):
        inner, factor, _ = _without_factor(node.this)
        return inner, factor, True
    if isinstance(node, exp.Mul):
        for number, other in ((node.this, node.expression), (node.expression, node.this)):
            side = exact(number)
            decimal = isinstance(side, exp.Literal) and side.is_number and not side.is_int
            if decimal and float(side.name).is_integer():
                return exact(other), int(float(side.name)), True
    return node, 1, False


def is_result(node: exp.Expr) -> bool:
    """Whether a column of a select is an aggregate; those in subqueries are measures of a row."""
    node = exact(node)
    if isinstance(node, exp.AggFunc | exp.Filter):
        return True
    return not isinstance(node, exp.Subquery) and any(
        is_result(part) for part in node.iter_expressions() if isinstance(part, exp.Expression)
    )


def largest_count(test: exp.Expr) -> tree.Function | None:
    """The function of HAVING COUNT(*) = (SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM ... GROUP BY ...))."""
    right = exact(test.expression) if isinstance(test, exp.EQ) else None
    select = right.unnest() if isinstance(right, exp.Subquery) else None
    source = select.args["from_"].this if isinstance(select, exp.Select) and select.args.get("from_") else None
    inner = source.unnest() if isinstance(source, exp.Subquery) else None
    if not isinstance(select, exp.Select) or not isinstance(inner, exp.Select) or not inner.args.get("group"):
        return None
    counts = [one for one in inner.expressions if isinstance(exact(one.unalias()), exp.Count)]
    wanted = exact(select.expressions[0].unalias())
    named = exact(wanted.this) if type(wanted) in FUNCTIONS else None
    if len(counts) != 1 or not isinstance(named, exp.Column) or named.name != counts[0].alias_or_name:
        return None
    return FUNCTIONS[type(wanted)] if FUNCTIONS[type(wanted)] in ("MAX", "MIN") else None


def is_number(node: exp.Expr) -> bool:
    return (isinstance(node, exp.Literal) and bool(node.is_number)) or (
        isinstance(node, exp.Neg) and is_number(node.this)
    )


def is_constant(node: exp.Expr) -> bool:
    quoted = isinstance(node, exp.Column) and bool(node.this.quoted) and not node.table
    return is_number(node) or isinstance(node, exp.Literal | exp.Placeholder) or quoted
