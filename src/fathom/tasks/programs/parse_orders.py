"""Parses ORDER BY and LIMIT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from fathom.tasks.programs import tree
from fathom.tasks.programs.parse_conditions import ExpressionParser
from fathom.tasks.programs.parse_nodes import exact, is_result
from fathom.tasks.programs.parse_scope import ParseError, Scope
from fathom.tasks.programs.schema import Schema


class OrderParser:
    """Parses the sort keys of a SELECT, and how many of its rows are wanted."""

    def __init__(self, schema: Schema, expressions: ExpressionParser, own: bool) -> None:
        self._schema = schema
        self._expressions = expressions
        self._own = own

    def _cut(self, program: tree.Program, select: exp.Select) -> tree.Program:
        """The program with the LIMIT of its statement."""
        if self._own and not select.args.get("limit"):
            return program
        has_several_columns = isinstance(program.output, tree.Columns) or (
            isinstance(program.output, tree.GroupedResults)
            and program.output.keys
            and program.output.result is not None
        )
        if has_several_columns and program.order:
            measures = _listed_measures(program.output)
            if any(sort.measure not in measures for sort in program.order):
                raise ParseError("it sorts rows of several columns by something that it does not select")
        limit = select.args.get("limit")
        if limit is None:
            # The lines of a table may be given in any order, and the sort keys are in it.
            return replace(program, order=()) if has_several_columns else program
        if select.args.get("offset") or limit.args.get("offset"):
            raise ParseError("it uses OFFSET, which cannot be put into words")
        if isinstance(program.output, tree.Result | tree.GroupsAggregate):
            return program
        if not program.order:
            raise ParseError("LIMIT without ORDER BY gives arbitrary rows")
        top = self._expressions.number(limit.expression)
        match program:
            case tree.Program(tree.Values(measure), _, (tree.Sort(key, direction),)) if measure == key and top == 1:
                return replace(
                    program, output=tree.Aggregate("MAX" if direction == "DESC" else "MIN", measure), order=()
                )
        if isinstance(top, float) or (isinstance(top, int) and top < 1):
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
                continue  # decides only between ties, which may appear in any order
            grouped = is_result(node) and scope.counted is None
            measure = self._expressions.result(node, scope) if grouped else self._expressions.measure(node, scope)
            if not any(sort.measure == measure for sort in sorts):
                sorts.append(tree.Sort(measure, direction))
        return tuple(sorts)


def _listed_measures(output: tree.Output) -> list[Any]:
    if isinstance(output, tree.Columns):
        return list(output.measures)
    return [output.key, output.result] if isinstance(output, tree.GroupedResults) else []
