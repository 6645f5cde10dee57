"""Parses SQL back into programs: the statements of keys, and templates that users write.

Understood are single tables (or a detail table joined with the main one), listed and aggregated columns, groups, sorts,
comparisons and subqueries over the schema's relations. Peers, ratios, rankings and HAVING are written, but not parsed.
"""

from __future__ import annotations

from collections.abc import Mapping

import sqlglot
from sqlglot import exp

from fathom.tasks.programs.schema import Schema
from fathom.tasks.programs.tree import (
    Aggregate,
    And,
    Arithmetic,
    Between,
    Column,
    Comparator,
    Compare,
    Condition,
    Contains,
    Count,
    CountDistinct,
    Exists,
    Function,
    Grouped,
    IsUnknown,
    Labels,
    Measure,
    Not,
    OneOf,
    Or,
    Output,
    Program,
    Result,
    Sign,
    Slot,
    Sort,
    Value,
    Values,
)

_COMPARATORS: dict[type[exp.Expr], Comparator] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.GT: ">",
    exp.LTE: "<=",
    exp.GTE: ">=",
}
_SIGNS: dict[type[exp.Expr], Sign] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}
_FUNCTIONS: dict[type[exp.Expr], Function] = {exp.Max: "MAX", exp.Min: "MIN", exp.Sum: "SUM", exp.Avg: "AVG"}
_UNSUPPORTED = ("limit", "offset", "having", "windows", "with", "with_", "qualify", "laterals")
MOST_DIGITS = 9
"""Of an integer constant."""


class ParseError(Exception):
    """The reason why a statement is not understood."""


def parse(
    text: str,
    schema: Schema,
    slots: Mapping[str, Slot] | None = None,
    slot_kinds: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[Program, exp.Select]:
    """The program of a statement, and the parsed statement.

    `slots` are the slots of placeholders such as `:p0`. `slot_kinds` are the kinds of slots that a column may be
    compared with; those of "" are for numbers.
    """
    statements = sqlglot.parse(text, read="sqlite")
    if len(statements) != 1 or not isinstance(statements[0], exp.Select):
        raise ParseError("it is not a single SELECT, and templates only read")
    return _Parser(schema, slots or {}, slot_kinds or {}).program(statements[0]), statements[0]


class _Parser:
    def __init__(self, schema: Schema, slots: Mapping[str, Slot], kinds: Mapping[str, tuple[str, ...]]) -> None:
        self._schema = schema
        self._slots = slots
        self._kinds = kinds

    def program(self, select: exp.Select) -> Program:
        self._check_names(select)
        self._check_sources(select)
        where, order = select.args.get("where"), select.args.get("order")
        program = Program(
            self._output(select),
            self._condition(where.this) if where is not None else None,
            tuple(self._sort(key) for key in order.expressions) if order is not None else (),
        )
        for clause in _UNSUPPORTED:
            if select.args.get(clause):
                raise ParseError(f"it uses {clause.strip('_').upper()}, which cannot be put into words")
        base, table = self._schema.base(program).name, select.args["from_"].this.name
        if table != base:
            raise ParseError(f"it reads {table} although it asks about {base}")
        return program

    # Outputs.

    def _output(self, select: exp.Select) -> Output:
        wanted = [column.unalias() for column in select.expressions]
        group = select.args.get("group")
        if group is not None:
            if len(wanted) != 2 or len(group.expressions) != 1 or wanted[0] != group.expressions[0]:
                raise ParseError("a grouped template selects the grouped column and one result, in that order")
            result = self._one(wanted[1], False)
            if not isinstance(result, Result) or isinstance(result, CountDistinct):
                raise ParseError("a grouped template counts rows with COUNT(*) or aggregates a measure")
            return Grouped(self._column(wanted[0]), result)
        order = select.args.get("order")
        keys = [key.this for key in order.expressions] if order is not None else []
        # The sort keys may follow what is wanted, as they do in every key's own query.
        if len(wanted) != 1 and wanted[1:] != keys:
            raise ParseError("it selects more than one column without GROUP BY")
        return self._one(wanted[0], bool(select.args.get("distinct")))

    def _one(self, wanted: exp.Expr, distinct: bool) -> Output:
        if isinstance(wanted, exp.Column) and wanted.name == self._schema.main.label and not distinct:
            return Labels()
        if isinstance(wanted, exp.Count):
            if isinstance(wanted.this, exp.Star):
                return Count()
            if not isinstance(wanted.this, exp.Distinct):
                raise ParseError("COUNT takes * or DISTINCT column here")
            return CountDistinct(self._measure(wanted.this.expressions[0]))
        if type(wanted) in _FUNCTIONS:
            return Aggregate(_FUNCTIONS[type(wanted)], self._measure(wanted.this))
        return Values(self._measure(wanted), distinct)

    def _sort(self, key: exp.Ordered) -> Sort:
        return Sort(self._measure(key.this), "DESC" if key.args.get("desc") else "ASC")

    # Measures.

    def _measure(self, node: exp.Expr) -> Measure:
        node = node.unnest()
        # "1.0 * a / b" makes SQLite divide as the questions mean it.
        if isinstance(node, exp.Div) and isinstance(node.this, exp.Mul) and node.this.this.name == "1.0":
            node = exp.Div(this=node.this.expression, expression=node.expression)
        if type(node) not in _SIGNS:
            return self._column(node)
        right = node.expression.unnest()
        operand = int(right.name) if isinstance(right, exp.Literal) and right.is_int else self._column(right)
        return Arithmetic(self._column(node.this.unnest()), _SIGNS[type(node)], operand)

    def _column(self, node: exp.Expr) -> Column:
        spec = self._schema.columns.get(node.name) if isinstance(node, exp.Column) else None
        if spec is None or not spec.nouns:
            nouns = [column.name for column in self._schema.main.columns if column.nouns and column.type != "text"]
            raise ParseError(f"'{node.sql('sqlite')}' is not one of {', '.join(nouns)}")
        return Column(spec.name)

    # Conditions.

    def _condition(self, node: exp.Expr) -> Condition:
        node = node.unnest()
        match node:
            case exp.And():
                return And(self._condition(node.this), self._condition(node.expression))
            case exp.Or():
                return Or(self._condition(node.this), self._condition(node.expression))
            case exp.Not():
                inner = self._condition(node.this)
                if isinstance(inner, And | Or):
                    raise ParseError("NOT over AND or OR has too many readings; negate each condition by itself")
                return Not(inner)
            case exp.Between():
                measure = self._measure(node.this)
                return Between(measure, self._value(node.args["low"], measure), self._value(node.args["high"], measure))
            case exp.In():
                return self._membership(node)
            case exp.Is() if isinstance(node.expression, exp.Null):
                return IsUnknown(self._column(node.this))
            case exp.Like():
                # The parser keeps the NOT of NOT LIKE in a flag and not in a node.
                contains = self._contains(node)
                return Not(contains) if node.args.get("negate") else contains
            case _ if type(node) in _COMPARATORS:
                measure = self._measure(node.this)
                return Compare(measure, _COMPARATORS[type(node)], self._value(node.expression, measure))
        raise ParseError(f"'{node.sql('sqlite')}' cannot be put into words")

    def _membership(self, node: exp.In) -> Condition:
        subquery = node.args.get("query")
        if subquery is None:
            measure = self._measure(node.this)
            return OneOf(measure, tuple(self._value(value, measure) for value in node.expressions))
        select = subquery.unnest()
        owner = node.this.name if isinstance(node.this, exp.Column) else ""
        if not isinstance(select, exp.Select) or len(select.expressions) != 1:
            raise ParseError("a subquery selects one column")
        key, table = select.expressions[0].unalias().name, select.args["from_"].this.name
        for relation in self._schema.relations:
            if (relation.owner, relation.table, relation.key) == (owner, table, key):
                where = select.args.get("where")
                condition = self._condition(where.this) if where is not None else None
                return Exists(relation.name, condition, self._least(select, key))
        raise ParseError(f"the subquery over '{key}' cannot be put into words")

    def _least(self, select: exp.Select, key: str) -> int | Slot:
        """The least number of rows that a subquery demands: HAVING COUNT(*) >= 2."""
        group, having = select.args.get("group"), select.args.get("having")
        if having is None:
            return 1
        test = having.this
        counted = (
            isinstance(test, exp.GTE) and isinstance(test.this, exp.Count) and isinstance(test.this.this, exp.Star)
        )
        if not counted or group is None or [column.name for column in group.expressions] != [key]:
            raise ParseError("a subquery may demand HAVING COUNT(*) >= a number, grouped by its column")
        least = self._number(test.expression)
        if isinstance(least, float):
            raise ParseError(f"'{least}' is not a whole number")
        return least

    def _contains(self, node: exp.Like) -> Condition:
        column = self._column(node.this)
        if self._schema.columns[column.name].type != "text":
            raise ParseError("LIKE is for texts")
        if isinstance(node.expression, exp.Placeholder):
            return Contains(column, self._slot(node.expression, ("fragment",)))
        words = str(self._text(node.expression))
        fragment = words.strip("%")
        if words != f"%{fragment}%" or "%" in fragment or "_" in fragment or not fragment.isascii():
            raise ParseError("LIKE takes letters between two % signs")
        return Contains(column, fragment)

    # Values.

    def _value(self, node: exp.Expr, measure: Measure) -> Value:
        node = node.unnest()
        name = measure.name if isinstance(measure, Column) else ""
        if isinstance(node, exp.Placeholder):
            return self._slot(node, self._kinds.get(name, self._kinds.get("", ())))
        if self._schema.type_of(measure) not in ("integer", "decimal"):
            return self._text(node)
        number = self._number(node)
        if isinstance(number, float) and self._schema.type_of(measure) == "integer":
            raise ParseError(f"'{node.sql('sqlite')[:40]}' is not a whole number")
        return number

    def _text(self, node: exp.Expr) -> str:
        if isinstance(node, exp.Literal) and node.is_string:
            return str(node.name)
        raise ParseError(f"'{node.sql('sqlite')[:40]}' is not a text")

    def _number(self, node: exp.Expr) -> int | float | Slot:
        node = node.unnest()
        if isinstance(node, exp.Placeholder):
            return self._slot(node, self._kinds.get("", ()))
        if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
            # A difference of two counts may be below zero, and then so is the number it is compared with.
            return -self._literal(node.this)
        return self._literal(node)

    def _literal(self, node: exp.Expr) -> int | float:
        if isinstance(node, exp.Literal) and node.is_number and len(node.name) <= MOST_DIGITS:
            return int(node.name) if node.is_int else float(node.name)
        raise ParseError(f"'{node.sql('sqlite')[:40]}' is not a whole number")

    def _slot(self, node: exp.Placeholder, kinds: tuple[str, ...]) -> Slot:
        slot = self._slots[node.name]
        if kinds and slot.kind not in kinds:
            raise ParseError(f"a placeholder for a {slot.kind} stands where a {kinds[0]} is wanted")
        return slot

    # Tables and columns.

    def _check_sources(self, select: exp.Select) -> None:
        """One table, or a detail table with the main one."""
        main = self._schema.main.name
        for inner in select.find_all(exp.Select):
            joins = inner.args.get("joins") or []
            table = inner.args["from_"].this if inner.args.get("from_") else None
            if isinstance(table, exp.Table) and not joins:
                continue
            detail = self._schema.by_name.get(table.name) if isinstance(table, exp.Table) else None
            if (
                detail is None
                or len(joins) != 1
                or joins[0].this.name != main
                or [column.name for column in joins[0].args.get("using") or []] != [detail.joined_by]
                or joins[0].args.get("kind")
                or joins[0].args.get("side")
            ):
                raise ParseError(f"it reads other than one table, or a table joined with {main} USING its key")

    def _check_names(self, select: exp.Select) -> None:
        for table in select.find_all(exp.Table):
            if table.name not in self._schema.by_name:
                raise ParseError(f"there is no table '{table.name}'; there are {', '.join(self._schema.by_name)}")
        for column in select.find_all(exp.Column):
            if column.name not in self._schema.columns:
                known = ", ".join(sorted(self._schema.columns))
                raise ParseError(f"there is no column '{column.name}'; there are {known}")
