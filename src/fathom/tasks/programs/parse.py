"""Parses SQL into programs: the statements of keys, and templates that users write.

Statements that `sql` wrote are parsed back into the programs that they were written from. Users write more freely:
joins in any syntax, subqueries, aliases, set operations. `parse_scope` reads the tables, `parse_conditions` the
conditions and measures, and this module what is selected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import sqlglot
from sqlglot import exp

from fathom.tasks.programs import tree
from fathom.tasks.programs.parse_conditions import ExpressionParser, negate
from fathom.tasks.programs.parse_entities import EntityParser
from fathom.tasks.programs.parse_nodes import COMPARATORS, FUNCTIONS, exact, is_result, short
from fathom.tasks.programs.parse_rewrites import (
    derived_select,
    inline_aliases,
    merge_derived,
    with_merged_subqueries,
    with_order_for_largest,
    without_with,
)
from fathom.tasks.programs.parse_scope import (
    FromTable,
    ParseError,
    Scope,
    read_sources,
    relation_of,
    row_condition,
)
from fathom.tasks.programs.schema import Schema, SchemaTable

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
    program = _StatementParser(schema, ExpressionParser(schema, slots or {}, slot_kinds or {}, own), own).program(
        statement
    )
    return program, statement


class _StatementParser(EntityParser):
    def program(self, query: exp.Expr) -> tree.Program:
        query = query.unnest() if isinstance(query, exp.Subquery) else query
        if query.args.get("with_"):
            query = without_with(query)
        if not self._own:
            query = with_merged_subqueries(query)
        if isinstance(query, exp.SetOperation):
            return self._parse_set_operation(query)
        if not isinstance(query, exp.Select):
            raise ParseError("it is not a single SELECT, and templates only read")
        inner = derived_select(query)
        if inner is None:
            return self._parse_select(query)
        if self._own and isinstance(query.expressions[0], exp.Column) and query.expressions[0].name == "wanted":
            return self._parse_ranking(query, inner)
        return self._over_derived(query, inner)

    # Statements that contain others.

    def _parse_set_operation(self, query: exp.SetOperation) -> tree.Program:
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
        return tree.Program(output, tree.And(left.where, negate(other)))

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

    def _parse_ranking(self, select: exp.Select, inner: exp.Select) -> tree.Program:
        """The first rows of a ranking: RANK() in a subquery, and WHERE place <= a number around it."""
        test = select.args["where"].this if select.args.get("where") else None
        if not isinstance(test, exp.LTE) or test.this.name != "place":
            raise ParseError("a ranking is cut with WHERE place <= a number")
        base = derived_select(inner) or inner
        columns = [column for column in base.expressions if column.alias != "place"]
        directions = [key.args.get("desc") for key in select.args["order"].expressions]
        flat = base.copy()
        keys = [column for column in columns if column.alias.startswith("key")]
        output_columns = [column for column in columns if column not in keys]
        flat.set("expressions", output_columns)
        sort_keys = [
            exp.Ordered(this=column.unalias().copy(), desc=desc) for column, desc in zip(keys, directions, strict=True)
        ]
        program = self._parse_select(flat, exp.Order(expressions=sort_keys), keys_follow=False)
        top = self._expressions.number(test.expression)
        if isinstance(top, float):
            raise ParseError(f"'{top}' is not a whole number")
        return replace(program, top=top)

    def _over_derived(self, select: exp.Select, inner: exp.Select) -> tree.Program:
        """A SELECT over a subquery: one number over its rows, or the same as a single SELECT."""
        result = exact(select.expressions[0].unalias())
        if len(select.expressions) > 1 or not is_result(result):
            return self.program(merge_derived(select, inner))
        if any(select.args.get(clause) for clause in ("where", "group", "having", "joins")):
            merged = merge_derived(select, inner) if not select.args.get("group") else None
            if merged is None or inner.args.get("group"):
                raise ParseError("it aggregates over a part of a subquery's rows")
            return self.program(merged)
        if inner.args.get("limit"):
            raise ParseError("it aggregates over the first rows of a ranking, which cannot be put into words")
        if isinstance(result, exp.Count) and not isinstance(result.this, exp.Distinct):
            return self._count_rows(inner)
        operand = result.this.expressions[0] if isinstance(result.this, exp.Distinct) else result.this
        column = exact(operand) if isinstance(operand, exp.Expr) else None
        source = next(
            (
                expression
                for expression in inner.expressions
                if isinstance(column, exp.Column) and expression.alias_or_name == column.name
            ),
            None,
        )
        if source is None:
            raise ParseError(f"'{short(result)}' is not one aggregate of a column of the subquery")
        one_column = inner.copy()
        one_column.set("expressions", [source.copy()])
        if not inner.args.get("group") and not inner.args.get("distinct"):
            return self.program(merge_derived(select, inner))
        program = self.program(one_column)
        inner_output = program.output
        function = FUNCTIONS.get(type(result))
        if (
            function
            and isinstance(inner_output, tree.GroupedResults)
            and inner_output.result is not None
            and not program.order
        ):
            return replace(
                program,
                output=tree.GroupsAggregate(function, inner_output.key, inner_output.result, inner_output.having),
            )
        if function and isinstance(inner_output, tree.Values) and not inner_output.distinct:
            return replace(program, output=tree.Aggregate(function, inner_output.measure))
        if function in ("MAX", "MIN") and isinstance(inner_output, tree.Values):
            return replace(program, output=tree.Aggregate(function, inner_output.measure))
        raise ParseError("it aggregates over a subquery in a way that cannot be put into words")

    def _count_rows(self, inner: exp.Select) -> tree.Program:
        """The number of rows of a subquery."""
        program = replace(self.program(inner), order=())
        match program.output:
            case tree.Labels() | tree.Columns() | tree.Values(_, False):
                return replace(program, output=tree.Count())
            case tree.Values(measure, True):
                return replace(program, output=tree.CountDistinct(measure))
            case tree.GroupedResults(key, _, None):
                return replace(program, output=tree.CountDistinct(key))
            case tree.GroupedResults(key, _, having):
                return replace(program, output=tree.GroupsAggregate("COUNT", key, None, having))
        raise ParseError("it counts the rows of a subquery that gives one number")

    # One SELECT.

    def _parse_select(
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
        if any(isinstance(exact(expression.unalias()), exp.Star) for expression in select.expressions):
            raise ParseError("it selects all columns; name the ones that the question asks for")
        inline_aliases(select, self._schema)
        select = self._without_idle_group(with_order_for_largest(select))
        scope = read_sources(select, self._schema, None)
        scope.base = self._base(select, scope)
        entity = self._entity_group(select, scope)
        if entity is not None:
            return self._per_entity(select, scope, entity)
        if self._is_link(scope.base.table) or self._selects_main_row(select, scope):
            return self._over_links(select, scope)
        sorts = (order or select.args.get("order") or exp.Order(expressions=[])).expressions
        keys = self._sorts(sorts, scope)
        output, condition = self._output(select, scope, [exact(key.this) for key in sorts] if keys_follow else [])
        if condition is not None:
            scope.terms.append(condition)
        program = self._without_null_guards(output, keys, scope)
        return self._cut(self._on_base(self._simplify(program), scope), select)

    def _without_idle_group(self, select: exp.Select) -> exp.Select:
        """The SELECT with DISTINCT in place of a GROUP BY that only names the rows of the main table."""
        group, main = select.args.get("group"), self._schema.main
        if group is None or select.args.get("having") or self._own:
            return select
        keys = [exact(expression) for expression in group.expressions]
        order = select.args.get("order")
        parts = [*select.expressions, *([order] if order is not None else [])]
        if any(map(is_result, parts)) or not all(isinstance(key, exp.Column) for key in keys):
            return select
        scope = read_sources(select, self._schema, None)
        main_keys = [key.name for key in keys if isinstance(key, exp.Column) and scope.resolve(key)[1].table is main]
        if len(main_keys) < len(keys) or not {main.key, main.label}.intersection(main_keys):
            return select
        alone = select.copy()
        alone.set("group", None)
        alone.set("distinct", exp.Distinct())
        return alone

    def _base(self, select: exp.Select, scope: Scope) -> FromTable:
        """The source whose rows the program runs over: a detail table if one is selected from, or the main table."""
        if self._own:
            return scope.sources[0]
        group = select.args.get("group")
        if group is not None:
            sources = scope.own_sources(group.expressions[0])
            if sources and not self._is_link(sources[0].table):
                return sources[0]
        parts = [*select.expressions, *(select.args.get("order") or exp.Order(expressions=[])).expressions]
        read_sources = [source for part in parts for source in scope.own_sources(part)]
        for is_wanted in (self._is_detail, lambda table: table is self._schema.main, self._is_link):
            sources = [source for source in read_sources if is_wanted(source.table)]
            if sources:
                return sources[0]
        detail_sources = [source for source in scope.sources if source.table is not self._schema.main]
        return (detail_sources or scope.sources)[0]

    def _is_detail(self, table: SchemaTable) -> bool:
        return bool(table.joined_by)

    def _is_link(self, table: SchemaTable) -> bool:
        """Whether a table only relates rows of the main table, so that no question can be about its own columns."""
        return table is not self._schema.main and not table.joined_by

    def _selects_main_row(self, select: exp.Select, scope: Scope) -> bool:
        """Whether a SELECT over a detail table asks which rows of the main table its rows belong to."""
        output = exact(select.expressions[0].unalias())
        if isinstance(output, exp.Count) and isinstance(output.this, exp.Distinct):
            output = exact(output.this.expressions[0])
        base = scope.base
        keyed = isinstance(output, exp.Column) and base is not None and output.name == base.table.joined_by
        return keyed and not self._own and not select.args.get("group")

    def _without_null_guards(self, output: tree.Output, order: tuple[tree.Sort, ...], scope: Scope) -> tree.Program:
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

    def _simplify(self, program: tree.Program) -> tree.Program:
        """Bare groups as distinct values, in the statements of users."""
        match program.output:
            case tree.GroupedResults(key, None, None) if not self._own and all(
                not isinstance(sort.measure, tree.Result) for sort in program.order
            ):
                return replace(program, output=tree.Values(key, distinct=True))
        return program

    # What is selected.

    def _output(self, select: exp.Select, scope: Scope, keys: list[exp.Expr]) -> tuple[tree.Output, exp.Expr | None]:
        """The output, and a condition of an aggregate that belongs to all rows; `keys` may follow what is wanted."""
        columns = [exact(column.unalias()) for column in select.expressions]
        if keys and columns[1:] == keys:
            columns = columns[:1]
        if select.args.get("group"):
            return self._parse_groups(select, columns, scope), None
        if select.args.get("having"):
            raise ParseError("it has HAVING without GROUP BY")
        results = [is_result(column) for column in columns]
        if len(columns) > 1:
            if any(results):
                raise ParseError(_SEVERAL)
            names_rows = any(
                isinstance(expression, exp.Column) and self._names_main_row(expression, scope) for expression in columns
            )
            if select.args.get("distinct") and not names_rows:
                raise ParseError("it lists different combinations of several columns")
            return tree.Columns(tuple(self._measure_or_label(column, scope) for column in columns)), None
        if results[0]:
            filtered = self._expressions.filtered(columns[0], scope)
            condition = (
                _filter_condition(columns[0])
                if filtered.only is not None and not isinstance(filtered.result, tree.Ratio)
                else None
            )
            return filtered.result, condition
        distinct = bool(select.args.get("distinct"))
        names_rows = isinstance(columns[0], exp.Column) and self._names_main_row(columns[0], scope)
        if names_rows and not (distinct and self._own):
            return tree.Labels(), None
        return tree.Values(self._expressions.measure(columns[0], scope), distinct), None

    def _names_main_row(self, column: exp.Column, scope: Scope) -> bool:
        main = self._schema.main
        return column.name in (main.label, main.key) and scope.base is not None and scope.base.table is main

    def _measure_or_label(self, column: exp.Expr, scope: Scope) -> tree.Measure:
        if isinstance(column, exp.Column) and self._names_main_row(column, scope):
            return tree.Column(self._schema.main.label)
        return self._expressions.measure(column, scope)

    def _parse_groups(self, select: exp.Select, columns: list[exp.Expr], scope: Scope) -> tree.GroupedResults:
        grouping = [exact(key) for key in select.args["group"].expressions]
        if len(grouping) != 1:
            raise ParseError("it groups by more than one column")
        if not isinstance(grouping[0], exp.Column):
            raise ParseError(f"it groups by '{short(grouping[0])}', which is not a column")
        key = self._expressions.spec(grouping[0], scope)
        having = select.args.get("having")
        condition = None if having is None else self._having(having.this, scope)
        are_results = [is_result(column) for column in columns]
        results = [self._expressions.result(column, scope) for column in columns if is_result(column)]
        for column in columns:
            if not is_result(column) and self._expressions.measure(column, scope) != key:
                raise ParseError(
                    f"'{short(column)}' is neither grouped nor aggregated, so its value in a group is arbitrary"
                )
        if len(results) > 1:
            raise ParseError(_SEVERAL)
        return tree.GroupedResults(key, results[0] if results else None, condition, not all(are_results))

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


def _filter_condition(node: exp.Expr) -> exp.Expr:
    """The condition of COUNT(CASE WHEN ...) or of a FILTER."""
    case: exp.Expr = node.expression if isinstance(node, exp.Filter) else exact(node.this).args["ifs"][0]
    condition: exp.Expr = case.this
    return condition
