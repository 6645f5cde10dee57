"""Parses SQL into programs: the statements of keys, and templates that users write.

Statements that `sql` wrote are parsed back into the programs that they were written from. Users write more freely:
joins in any syntax, subqueries, aliases, set operations. `parse_scope` reads the tables, `parse_expressions` the
conditions and measures, and this module what is selected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import sqlglot
from sqlglot import exp

from fathom.tasks.programs import tree
from fathom.tasks.programs.parse_derived import merge_derived, without_with
from fathom.tasks.programs.parse_expressions import (
    COMPARATORS,
    FUNCTIONS,
    Expressions,
    exact,
    is_result,
    largest_count,
    negated,
    short,
)
from fathom.tasks.programs.parse_scope import (
    ParseError,
    Scope,
    Source,
    conjunction,
    outside_subqueries,
    read_sources,
    relation_of,
    row_condition,
    source_condition,
    terms,
)
from fathom.tasks.programs.schema import Schema, Table

__all__ = ["ParseError", "parse"]

_SEVERAL = "it selects several results; ask for each of them in a template of its own"


def parse(
    text: str,
    schema: Schema,
    slots: Mapping[str, tree.Slot] | None = None,
    slot_kinds: Mapping[str, tuple[str, ...]] | None = None,
    own: bool = True,
) -> tuple[tree.Program, exp.Query]:
    """The program of a statement, and the parsed statement.

    `slots` are the slots of placeholders such as `:p0`. `slot_kinds` are the kinds of slots that a column may be
    compared with; those of "" are for numbers. `own` statements were written by `sql`, in which the sort keys follow
    the selected columns and tests for NULL may belong to the writer.
    """
    statements = sqlglot.parse(text, read="sqlite")
    statement = statements[0] if len(statements) == 1 else None
    if not isinstance(statement, exp.Query):
        raise ParseError("it is not a single SELECT, and templates only read")
    for column in statement.find_all(exp.Column):
        if column.name in schema.columns:
            column.this.set("quoted", False)
    program = _Statements(schema, Expressions(schema, slots or {}, slot_kinds or {}, own), own).program(statement)
    return program, statement


class _Statements:
    def __init__(self, schema: Schema, expressions: Expressions, own: bool) -> None:
        self._schema = schema
        self._expressions = expressions
        self._own = own

    def program(self, query: exp.Expr) -> tree.Program:
        query = query.unnest() if isinstance(query, exp.Subquery) else query
        if query.args.get("with_"):
            query = without_with(query)
        if isinstance(query, exp.SetOperation):
            return self._combined(query)
        if not isinstance(query, exp.Select):
            raise ParseError("it is not a single SELECT, and templates only read")
        inner = _derived(query)
        if inner is None:
            return self._plain(query)
        if self._own and isinstance(query.expressions[0], exp.Column) and query.expressions[0].name == "wanted":
            return self._ranked(query, inner)
        return self._over_derived(query, inner)

    # Statements that contain others.

    def _combined(self, query: exp.SetOperation) -> tree.Program:
        """UNION, INTERSECT or EXCEPT of two lists."""
        if any(query.args.get(clause) for clause in ("order", "limit", "offset")):
            raise ParseError("it sorts or cuts the result of a set operation; use one SELECT with AND, OR or NOT")
        if isinstance(query, exp.Union) and not query.args.get("distinct"):
            raise ParseError("UNION ALL may list a row twice; use UNION")
        left, right = self.program(query.this), self.program(query.expression)
        for side in (left, right):
            if side.order or side.where is None or not isinstance(side.output, tree.Labels | tree.Values):
                raise ParseError("a set operation combines two lists that differ only in their conditions")
        if left.output != right.output:
            raise ParseError("a set operation combines lists of the same column")
        if self._schema.base(left) != self._schema.base(right):
            raise ParseError("a set operation combines lists over the same table")
        assert left.where is not None and right.where is not None
        output = replace(left.output, distinct=True) if isinstance(left.output, tree.Values) else left.output
        if isinstance(query, exp.Union):
            return tree.Program(output, tree.Or(left.where, right.where))
        other = self._of_any_row(output, right.where)
        if isinstance(query, exp.Intersect):
            return tree.Program(output, tree.And(left.where, other))
        return tree.Program(output, tree.And(left.where, negated(other)))

    def _of_any_row(self, output: tree.Output, where: tree.Condition) -> tree.Condition:
        """The condition that some row with the same listed value meets `where`."""
        if isinstance(output, tree.Labels):
            return where
        assert isinstance(output, tree.Values)
        column = output.measure.name if isinstance(output.measure, tree.Column) else ""
        table = self._schema.table_of.get(column)
        relation = relation_of(self._schema, column, table, column) if table is not None else None
        if relation is None:
            raise ParseError("INTERSECT and EXCEPT combine lists of titles or of names")
        return tree.Exists(relation.name, where)

    def _ranked(self, select: exp.Select, inner: exp.Select) -> tree.Program:
        """The first rows of a ranking: RANK() in a subquery, and WHERE place <= a number around it."""
        test = select.args["where"].this if select.args.get("where") else None
        if not isinstance(test, exp.LTE) or test.this.name != "place":
            raise ParseError("a ranking is cut with WHERE place <= a number")
        base = _derived(inner) or inner
        columns = [column for column in base.expressions if column.alias != "place"]
        directions = [key.args.get("desc") for key in select.args["order"].expressions]
        flat = base.copy()
        keys = [column for column in columns if column.alias.startswith("key")]
        wanted = [column for column in columns if column not in keys]
        flat.set("expressions", wanted)
        ordered = [
            exp.Ordered(this=column.unalias().copy(), desc=desc) for column, desc in zip(keys, directions, strict=True)
        ]
        program = self._plain(flat, exp.Order(expressions=ordered), keys_follow=False)
        top = self._expressions.number(test.expression)
        if isinstance(top, float):
            raise ParseError(f"'{top}' is not a whole number")
        return replace(program, top=top)

    def _over_derived(self, select: exp.Select, inner: exp.Select) -> tree.Program:
        """A SELECT over a subquery: one number over its rows, or the same as a single SELECT."""
        wanted = exact(select.expressions[0].unalias())
        if len(select.expressions) > 1 or not is_result(wanted):
            return self.program(merge_derived(select, inner))
        if any(select.args.get(clause) for clause in ("where", "group", "having", "joins")):
            merged = merge_derived(select, inner) if not select.args.get("group") else None
            if merged is None or inner.args.get("group"):
                raise ParseError("it aggregates over a part of a subquery's rows")
            return self.program(merged)
        if inner.args.get("limit"):
            raise ParseError("it aggregates over the first rows of a ranking, which cannot be put into words")
        if isinstance(wanted, exp.Count) and not isinstance(wanted.this, exp.Distinct):
            return self._counted(inner)
        named = wanted.this.expressions[0] if isinstance(wanted.this, exp.Distinct) else wanted.this
        column = exact(named) if isinstance(named, exp.Expr) else None
        source = next(
            (one for one in inner.expressions if isinstance(column, exp.Column) and one.alias_or_name == column.name),
            None,
        )
        if source is None:
            raise ParseError(f"'{short(wanted)}' is not about a column of the subquery")
        alone = inner.copy()
        alone.set("expressions", [source.copy()])
        if not inner.args.get("group") and not inner.args.get("distinct"):
            return self.program(merge_derived(select, inner))
        grouped = self.program(alone)
        output = grouped.output
        function = FUNCTIONS.get(type(wanted))
        if function and isinstance(output, tree.Grouped) and output.result is not None and not grouped.order:
            return replace(grouped, output=tree.OverGroups(function, output.key, output.result, output.having))
        if function and isinstance(output, tree.Values) and not output.distinct:
            return replace(grouped, output=tree.Aggregate(function, output.measure))
        if function in ("MAX", "MIN") and isinstance(output, tree.Values):
            return replace(grouped, output=tree.Aggregate(function, output.measure))
        raise ParseError("it aggregates over a subquery in a way that cannot be put into words")

    def _counted(self, inner: exp.Select) -> tree.Program:
        """The number of rows of a subquery."""
        program = replace(self.program(inner), order=())
        match program.output:
            case tree.Labels() | tree.Columns() | tree.Values(_, False):
                return replace(program, output=tree.Count())
            case tree.Values(measure, True):
                return replace(program, output=tree.CountDistinct(measure))
            case tree.Grouped(key, _, None):
                return replace(program, output=tree.CountDistinct(key))
            case tree.Grouped(key, _, having):
                return replace(program, output=tree.OverGroups("COUNT", key, None, having))
        raise ParseError("it counts the rows of a subquery that gives one number")

    # One SELECT.

    def _plain(
        self, select: exp.Select, order: exp.Order | None = None, keys_follow: bool | None = None
    ) -> tree.Program:
        """The program of a SELECT; `order` replaces its ORDER BY.

        `keys_follow` says whether the sort keys follow the selected columns, as they do in the queries of keys.
        """
        keys_follow = self._own if keys_follow is None else keys_follow
        for clause in ("windows", "qualify", "laterals"):
            if select.args.get(clause):
                raise ParseError(f"it uses {clause.upper()}, which cannot be put into words")
        if select.find(exp.Window):
            raise ParseError("it uses a window function, which cannot be put into words")
        if any(isinstance(exact(one.unalias()), exp.Star) for one in select.expressions):
            raise ParseError("it selects all columns; name the ones that the question asks for")
        _inline_aliases(select, self._schema)
        select = self._without_idle_group(_with_order_for_largest(select))
        scope = read_sources(select, self._schema, None)
        scope.base = self._base(select, scope)
        entity = self._entity_group(select, scope)
        if entity is not None:
            return self._per_entity(select, scope, entity)
        if self._is_link(scope.base.table) or self._selects_main_row(select, scope):
            return self._over_links(select, scope)
        sorts = (order or select.args.get("order") or exp.Order(expressions=[])).expressions
        keys = self._sorts(sorts, scope)
        output, only = self._output(select, scope, [exact(key.this) for key in sorts] if keys_follow else [])
        if only is not None:
            scope.terms.append(only)
        program = self._guarded(output, keys, scope)
        return self._cut(self._on_base(self._simplified(program), scope), select)

    def _without_idle_group(self, select: exp.Select) -> exp.Select:
        """The SELECT without a GROUP BY that only names the rows of the main table."""
        group, main = select.args.get("group"), self._schema.main
        if group is None or select.args.get("joins") or select.args.get("having") or self._own:
            return select
        table = select.args["from_"].this.name if select.args.get("from_") else ""
        names = {exact(one).name for one in group.expressions}
        order = select.args.get("order")
        parts = [*select.expressions, *([order] if order is not None else [])]
        if table != main.name or not names <= {main.key, main.label} or any(map(is_result, parts)):
            return select
        alone = select.copy()
        alone.set("group", None)
        return alone

    def _base(self, select: exp.Select, scope: Scope) -> Source:
        """The source whose rows the program runs over: a detail table that is selected from, else the main table."""
        if self._own:
            return scope.sources[0]
        group = select.args.get("group")
        if group is not None:
            found = scope.own_sources(group.expressions[0])
            if found and not self._is_link(found[0].table):
                return found[0]
        parts = [*select.expressions, *(select.args.get("order") or exp.Order(expressions=[])).expressions]
        read = [source for part in parts for source in scope.own_sources(part)]
        for wanted in (self._is_detail, lambda table: table is self._schema.main, self._is_link):
            found = [source for source in read if wanted(source.table)]
            if found:
                return found[0]
        others = [source for source in scope.sources if source.table is not self._schema.main]
        return (others or scope.sources)[0]

    def _is_detail(self, table: Table) -> bool:
        return bool(table.joined_by)

    def _is_link(self, table: Table) -> bool:
        """Whether a table only relates rows of the main table, so that nothing of its own can be asked."""
        return table is not self._schema.main and not table.joined_by

    def _selects_main_row(self, select: exp.Select, scope: Scope) -> bool:
        """Whether a SELECT over a detail table asks which rows of the main table its rows belong to."""
        wanted = exact(select.expressions[0].unalias())
        if isinstance(wanted, exp.Count) and isinstance(wanted.this, exp.Distinct):
            wanted = exact(wanted.this.expressions[0])
        base = scope.base
        keyed = isinstance(wanted, exp.Column) and base is not None and wanted.name == base.table.joined_by
        return keyed and not self._own and not select.args.get("group")

    def _guarded(self, output: tree.Output, order: tuple[tree.Sort, ...], scope: Scope) -> tree.Program:
        """The program without the IS NOT NULL that the writer adds for listed, sorted and grouped measures."""
        everything = list(scope.terms)
        for count in range(len(everything), 0, -1) if self._own else ():
            guards = everything[len(everything) - count :]
            if not all(isinstance(term, exp.Not) and isinstance(term.this, exp.Is) for term in guards):
                continue
            scope.terms = everything[: len(everything) - count]
            program = tree.Program(output, row_condition(scope, self._expressions.condition), order)
            measures = [self._expressions.measure(term.this.this, scope) for term in guards]
            if measures == self._schema.required(program):
                return program
        scope.terms = everything
        return tree.Program(output, row_condition(scope, self._expressions.condition), order)

    def _on_base(self, program: tree.Program, scope: Scope) -> tree.Program:
        """The program, checked to run over the rows of the scope's base."""
        assert scope.base is not None
        table = scope.base.table
        if self._schema.base(program) is table:
            return program
        if isinstance(program.output, tree.Count) and table.joined_by:
            counted = next(column.name for column in table.columns if column.nouns)
            return replace(program, output=tree.Count(tree.Column(counted)))
        raise ParseError(f"it reads {table.name} although it asks about {self._schema.base(program).name}")

    def _simplified(self, program: tree.Program) -> tree.Program:
        """Bare groups as distinct values, in the statements of users."""
        match program.output:
            case tree.Grouped(key, None, None) if not self._own and all(
                not isinstance(sort.measure, tree.Result) for sort in program.order
            ):
                return replace(program, output=tree.Values(key, distinct=True))
        return program

    def _cut(self, program: tree.Program, select: exp.Select) -> tree.Program:
        """The program with the LIMIT of its statement."""
        if self._own and not select.args.get("limit"):
            return program
        several = isinstance(program.output, tree.Columns) or (
            isinstance(program.output, tree.Grouped) and program.output.keys and program.output.result is not None
        )
        if several and program.order:
            listed = _listed(program.output)
            if any(sort.measure not in listed for sort in program.order):
                raise ParseError("it sorts rows of several columns by something that it does not select")
        limit = select.args.get("limit")
        if limit is None:
            # The lines of a table may be given in any order, and the sort keys are in it.
            return replace(program, order=()) if several else program
        if select.args.get("offset") or limit.args.get("offset"):
            raise ParseError("it uses OFFSET, which cannot be put into words")
        if isinstance(program.output, tree.Result | tree.OverGroups):
            return program
        if not program.order:
            raise ParseError("LIMIT without ORDER BY gives arbitrary rows")
        top = self._expressions.number(limit.expression)
        match program:
            case tree.Program(tree.Values(measure), _, (tree.Sort(key, direction),)) if measure == key and top == 1:
                return replace(
                    program, output=tree.Aggregate("MAX" if direction == "DESC" else "MIN", measure), order=()
                )
        if isinstance(top, float) or top == 0:
            raise ParseError("LIMIT takes a whole number above zero")
        return replace(program, top=top)

    def _sorts(self, keys: Sequence[exp.Expr], scope: Scope) -> tuple[tree.Sort, ...]:
        sorts: list[tree.Sort] = []
        for key in keys:
            direction: tree.Direction = "DESC" if key.args.get("desc") else "ASC"
            node = exact(key.this)
            if isinstance(node, exp.Collate):
                raise ParseError("it sorts with COLLATE, which cannot be put into words")
            if sorts and isinstance(node, exp.Column) and node.name == self._schema.main.key:
                continue  # decides only between ties, which may stand in any order
            grouped = is_result(node) and scope.counted is None
            measure = self._expressions.result(node, scope) if grouped else self._expressions.measure(node, scope)
            if not any(sort.measure == measure for sort in sorts):
                sorts.append(tree.Sort(measure, direction))
        return tuple(sorts)

    # What is selected.

    def _output(self, select: exp.Select, scope: Scope, keys: list[exp.Expr]) -> tuple[tree.Output, exp.Expr | None]:
        """The output, and a condition of an aggregate that belongs to all rows; `keys` may follow what is wanted."""
        wanted = [exact(column.unalias()) for column in select.expressions]
        if keys and wanted[1:] == keys:
            wanted = wanted[:1]
        if select.args.get("group"):
            return self._grouped(select, wanted, scope), None
        if select.args.get("having"):
            raise ParseError("it has HAVING without GROUP BY")
        results = [is_result(column) for column in wanted]
        if len(wanted) > 1:
            if any(results):
                raise ParseError(_SEVERAL)
            return tree.Columns(tuple(self._measure_or_label(column, scope) for column in wanted)), None
        if results[0]:
            found = self._expressions.filtered(wanted[0], scope)
            only = _only(wanted[0]) if found.only is not None and not isinstance(found.result, tree.Ratio) else None
            return found.result, only
        distinct = bool(select.args.get("distinct"))
        named = isinstance(wanted[0], exp.Column) and self._names_main_row(wanted[0], scope)
        if named and not (distinct and self._own):
            return tree.Labels(), None
        return tree.Values(self._expressions.measure(wanted[0], scope), distinct), None

    def _names_main_row(self, column: exp.Column, scope: Scope) -> bool:
        main = self._schema.main
        return column.name in (main.label, main.key) and scope.base is not None and scope.base.table is main

    def _measure_or_label(self, column: exp.Expr, scope: Scope) -> tree.Measure:
        if isinstance(column, exp.Column) and self._names_main_row(column, scope):
            return tree.Column(self._schema.main.label)
        return self._expressions.measure(column, scope)

    def _grouped(self, select: exp.Select, wanted: list[exp.Expr], scope: Scope) -> tree.Grouped:
        grouping = [exact(key) for key in select.args["group"].expressions]
        if len(grouping) != 1:
            raise ParseError("it groups by more than one column")
        if not isinstance(grouping[0], exp.Column):
            raise ParseError(f"it groups by '{short(grouping[0])}', which is not a column")
        key = self._expressions.spec(grouping[0], scope)
        having = select.args.get("having")
        condition = None if having is None else self._having(having.this, scope)
        listed = [is_result(column) for column in wanted]
        results = [self._expressions.result(column, scope) for column in wanted if is_result(column)]
        for column in wanted:
            if not is_result(column) and self._expressions.measure(column, scope) != key:
                raise ParseError(
                    f"'{short(column)}' is neither grouped nor aggregated, so its value in a group is arbitrary"
                )
        if len(results) > 1:
            raise ParseError(_SEVERAL)
        return tree.Grouped(key, results[0] if results else None, condition, not all(listed))

    def _having(self, node: exp.Expr, scope: Scope) -> tree.Having:
        node = exact(node)
        if type(node) not in COMPARATORS:
            raise ParseError("HAVING compares one result with a number")
        result, sign = self._expressions.result(node.this, scope), COMPARATORS[type(node)]
        right = exact(node.expression)
        inner = right.unnest() if isinstance(right, exp.Subquery) else None
        if isinstance(inner, exp.Select):
            overall = exact(inner.expressions[0])
            if type(overall) not in FUNCTIONS or inner.args.get("group"):
                raise ParseError("HAVING compares with a number or an aggregate over all rows")
            within = self._expressions.inner_scope(inner, scope)
            within.nested = False
            return tree.Having(
                result, sign, tree.Aggregate(FUNCTIONS[type(overall)], self._expressions.measure(overall.this, within))
            )
        if is_result(right):
            raise ParseError("HAVING compares two results of a group, which cannot be put into words")
        value = self._expressions.number(right)
        if isinstance(value, tree.Slot) and value.kind == "number" and isinstance(result, tree.Aggregate):
            value = replace(value, of=result.measure)
        return tree.Having(result, sign, value)

    # Groups that are rows of the main table.

    def _entity_group(self, select: exp.Select, scope: Scope) -> Source | None:
        """The source whose rows are counted for each row of the main table; None if the groups are others."""
        group = select.args.get("group")
        if group is None:
            return None
        columns = [exact(one) for one in group.expressions]
        if not all(isinstance(one, exp.Column) for one in columns):
            return None
        main = self._schema.main
        names = {(scope.resolve(one)[1].table.name, one.name) for one in columns if isinstance(one, exp.Column)}
        entity = {(main.name, main.key), (main.name, main.label)}
        if names & entity:
            others = [source for source in scope.sources if source.table is not main]
            if not others:
                raise ParseError(f"it groups {main.plural} by themselves, so that every group has one row")
            return others[0]
        if len(columns) != 1:
            return None
        _, source = scope.resolve(columns[0])  # type: ignore[arg-type]
        relation = relation_of(self._schema, main.key, source.table, columns[0].name)
        return source if relation is not None and source.table is not main else None

    def _per_entity(self, select: exp.Select, scope: Scope, counted: Source) -> tree.Program:
        """A program over the main table, in which COUNT is the number of related rows."""
        main = self._schema.main
        base = next(
            (source for source in scope.sources if source.table is main and _are_linked(scope, source, counted)), None
        )
        if base is not None:
            link = next(side for link in scope.links if (side := link.of(base)) and side[1] is counted)
            owner, key = link[0], link[2]
        else:
            key = exact(select.args["group"].expressions[0]).name
            owner = main.key
        relation = relation_of(self._schema, owner, counted.table, key)
        if relation is None:
            raise ParseError(f"'{owner}' does not lead to '{counted.table.name}.{key}'")
        scope.base = base or counted
        inside = _counted_scope(scope, counted)
        where = (
            source_condition(inside, counted, self._expressions.condition)
            if base is None
            else _beyond(scope, base, counted, self._expressions)
        )
        related = tree.Related(relation.name, where)
        conditions: list[tree.Condition] = []
        if base is not None:
            own = row_condition(scope, self._expressions.condition, skip=counted)
            conditions.extend([own] if own is not None else [])
        outer = Scope(self._schema, sources=[base or Source(main.name, main)], counted=related)
        outer.base = outer.sources[0]
        having = select.args.get("having")
        tests = [self._entity_test(term, outer, related) for term in terms(having.this)] if having is not None else []
        if not counted.optional and not any(_excludes_zero(test, related) for test in tests):
            conditions.append(tree.Exists(relation.name, where))
        conditions.extend(tests)
        sorts = (select.args.get("order") or exp.Order(expressions=[])).expressions
        wanted = [self._of_entity(exact(column.unalias()), outer, key) for column in select.expressions]
        order = self._sorts(sorts, outer)
        label = tree.Column(main.label)
        if len(wanted) > 1:
            output: tree.Output = tree.Columns(tuple(wanted))
        else:
            output = tree.Labels() if wanted[0] == label else tree.Values(wanted[0])
        return self._cut(tree.Program(output, conjunction(conditions), order), select)

    def _entity_test(self, node: exp.Expr, outer: Scope, related: tree.Related) -> tree.Condition:
        node = exact(node)
        if type(node) not in COMPARATORS or not isinstance(exact(node.this), exp.Count):
            raise ParseError("HAVING compares COUNT with a number")
        number = self._expressions.number(node.expression)
        sign = COMPARATORS[type(node)]
        if sign in (">=", ">") and isinstance(number, int):
            return tree.Exists(related.relation, related.where, number + (sign == ">"))
        return tree.Compare(related, sign, number)

    def _of_entity(self, column: exp.Expr, outer: Scope, key: str) -> tree.Measure:
        main = self._schema.main
        if isinstance(column, exp.Column) and column.name in (main.key, main.label, key):
            return tree.Column(main.label)
        if isinstance(column, exp.AggFunc) and not isinstance(column, exp.Count):
            raise ParseError(f"it aggregates other than with COUNT for each of the {main.plural}")
        return self._expressions.measure(column, outer)

    # Tables that only relate rows of the main table.

    def _over_links(self, select: exp.Select, scope: Scope) -> tree.Program:
        """A program over the main table instead of one whose rows belong to it."""
        if len(select.expressions) != 1 or select.args.get("group") or select.args.get("order"):
            raise ParseError(f"rows of {scope.base.table.name if scope.base else ''} can be counted or grouped")
        link = scope.base
        assert link is not None
        wanted = exact(select.expressions[0].unalias())
        where = row_condition(_nested(scope), self._expressions.condition)
        main = self._schema.main
        counted = wanted.this if isinstance(wanted, exp.Count) else None
        distinct = counted.expressions[0] if isinstance(counted, exp.Distinct) else None
        if isinstance(wanted, exp.Count) and distinct is None:
            return self._pairs(link.table, where)
        column = exact(distinct if distinct is not None else wanted)
        relation = relation_of(self._schema, main.key, link.table, column.name)
        if relation is None:
            raise ParseError(f"'{column.name}' is an internal number that no document states")
        output: tree.Output = tree.Count() if distinct is not None else tree.Labels()
        return tree.Program(output, tree.Exists(relation.name, where))

    def _pairs(self, table: Table, where: tree.Condition | None) -> tree.Program:
        """The number of pairs: the total, over the rows of the main table, of the rows that are related to each."""
        main = self._schema.main
        forward = [one for one in self._schema.relations if one.owner == main.key and one.table == table.name]
        sides = {one.name: relation_of(self._schema, one.key, main, main.key) for one in forward}
        parts = _parts(where)
        for relation in forward:
            back = sides[relation.name]
            mine = [
                part.where for part in parts if back and isinstance(part, tree.Exists) and part.relation == back.name
            ]
            rest = [
                part for part in parts if not (back and isinstance(part, tree.Exists) and part.relation == back.name)
            ]
            if mine or not parts:
                own = conjunction([part for part in mine if part is not None])
                match own:
                    case tree.Compare(tree.Column(name), "=") if name == main.label and not rest and back is not None:
                        # "How many articles does X cite?"
                        other = next((one for one in forward if one is not relation), None)
                        if other is not None:
                            return tree.Program(tree.Count(), tree.Exists(other.name, tree.Exists(back.name, own)))
                return tree.Program(tree.Aggregate("SUM", tree.Related(relation.name, conjunction(rest))), own)
        raise ParseError(f"its condition on rows of {table.name} is not understood")


def _derived(select: exp.Select) -> exp.Select | None:
    """The select that another one reads from."""
    source = select.args["from_"].this if select.args.get("from_") else None
    inner = source.this if isinstance(source, exp.Subquery) else None
    return inner if isinstance(inner, exp.Select) else None


def _inline_aliases(select: exp.Select, schema: Schema) -> None:
    """Replace aliases and numbers of selected columns in GROUP BY, HAVING and ORDER BY by what they stand for."""
    named = {one.alias: one.this for one in select.expressions if isinstance(one, exp.Alias)}
    for clause in ("group", "having", "order"):
        part = select.args.get(clause)
        if part is None:
            continue
        for column in list(outside_subqueries(part)):
            if not column.table and column.name in named and column.name not in schema.columns:
                column.replace(named[column.name].copy())
        if clause == "having":
            continue
        for key in part.expressions:
            node = key.this if isinstance(key, exp.Ordered) else key
            if isinstance(node, exp.Literal) and node.is_int and 0 < int(node.name) <= len(select.expressions):
                node.replace(select.expressions[int(node.name) - 1].unalias().copy())


def _with_order_for_largest(select: exp.Select) -> exp.Select:
    """HAVING COUNT(*) = (SELECT MAX(n) FROM ...) as ORDER BY COUNT(*) DESC LIMIT 1, which means the same."""
    having = select.args.get("having")
    test = exact(having.this) if having is not None else None
    if not isinstance(test, exp.EQ) or not isinstance(exact(test.this), exp.Count) or select.args.get("order"):
        return select
    function = largest_count(test)
    if function is None:
        return select
    sorted_ = select.copy()
    sorted_.set("having", None)
    key = exp.Ordered(this=exp.Count(this=exp.Star()), desc=function == "MAX")
    sorted_.set("order", exp.Order(expressions=[key]))
    sorted_.set("limit", exp.Limit(expression=exp.Literal.number(1)))
    return sorted_


def _only(node: exp.Expr) -> exp.Expr:
    """The condition of COUNT(CASE WHEN ...) or of a FILTER."""
    found: exp.Expr = node.expression if isinstance(node, exp.Filter) else exact(node.this).args["ifs"][0]
    condition: exp.Expr = found.this
    return condition


def _listed(output: tree.Output) -> list[Any]:
    if isinstance(output, tree.Columns):
        return list(output.measures)
    return [output.key, output.result] if isinstance(output, tree.Grouped) else []


def _parts(where: tree.Condition | None) -> list[tree.Condition]:
    match where:
        case None:
            return []
        case tree.And(left, right):
            return [*_parts(left), *_parts(right)]
        case _:
            return [where]


def _excludes_zero(test: tree.Condition, related: tree.Related) -> bool:
    match test:
        case tree.Exists(_, _, int(least)):
            return least > 0
        case tree.Compare(_, "=", int(number)):
            return number > 0
        case tree.Compare(_, ">" | ">=", tree.Slot()):
            return True
    return False


def _are_linked(scope: Scope, one: Source, other: Source) -> bool:
    return any((side := link.of(one)) is not None and side[1] is other for link in scope.links)


def _nested(scope: Scope) -> Scope:
    return replace(scope, nested=True)


def _counted_scope(scope: Scope, counted: Source) -> Scope:
    return replace(scope, base=counted, nested=True)


def _beyond(scope: Scope, base: Source, counted: Source, expressions: Expressions) -> tree.Condition | None:
    """The condition on the counted rows, without the row of the main table that they are counted for."""
    away = [source for source in scope.sources if source is not base]
    links = [link for link in scope.links if base not in (link.one, link.other)]
    kept = [term for term in scope.terms if base not in scope.own_sources(term)]
    inside = Scope(scope.schema, scope.outer, away, links, kept, base=counted, nested=True)
    return row_condition(inside, expressions.condition)
