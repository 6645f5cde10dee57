"""Parses SQL back into programs: the statements of keys, and templates that users write.

Understood is what the writer in `sql` writes, and what differs from it only in brackets, spaces and aliases.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

import sqlglot
from sqlglot import exp

from fathom.tasks.programs import tree
from fathom.tasks.programs.schema import Schema

_COMPARATORS: dict[type[exp.Expr], tree.Comparator] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.GT: ">",
    exp.LTE: "<=",
    exp.GTE: ">=",
}
_SIGNS: dict[type[exp.Expr], tree.Sign] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}
_FUNCTIONS: dict[type[exp.Expr], tree.Function] = {exp.Max: "MAX", exp.Min: "MIN", exp.Sum: "SUM", exp.Avg: "AVG"}
_UNSUPPORTED = ("limit", "offset", "windows", "with", "with_", "qualify", "laterals")
MOST_DIGITS = 9
"""The maximum number of digits in an integer constant."""


class ParseError(Exception):
    """The reason why a statement is not understood."""


def parse(
    text: str,
    schema: Schema,
    slots: Mapping[str, tree.Slot] | None = None,
    slot_kinds: Mapping[str, tuple[str, ...]] | None = None,
) -> tuple[tree.Program, exp.Select]:
    """The program of a statement, and the parsed statement.

    `slots` are the slots of placeholders such as `:p0`. `slot_kinds` are the kinds of slots that a column may be
    compared with; those of "" are for numbers.
    """
    statements = sqlglot.parse(text, read="sqlite")
    if len(statements) != 1 or not isinstance(statements[0], exp.Select):
        raise ParseError("it is not a single SELECT, and templates only read")
    return _Parser(schema, slots or {}, slot_kinds or {}).program(statements[0]), statements[0]


class _Parser:
    def __init__(self, schema: Schema, slots: Mapping[str, tree.Slot], kinds: Mapping[str, tuple[str, ...]]) -> None:
        self._schema = schema
        self._slots = slots
        self._kinds = kinds

    def program(self, select: exp.Select) -> tree.Program:
        inner = _subquery(select)
        if inner is None:
            return self._plain(select)
        wanted = select.expressions[0]
        if isinstance(wanted, exp.Column) and wanted.name == "wanted":
            return self._ranked(select, inner)
        if len(select.expressions) == 1 and type(wanted) in _FUNCTIONS and wanted.this.name == "result":
            grouped = self._plain(inner, keys_only=True)
            if isinstance(grouped.output, tree.Grouped) and grouped.output.result is not None:
                output = tree.OverGroups(_FUNCTIONS[type(wanted)], grouped.output.key, grouped.output.result)
                return self._guarded(inner, output, ())
        raise ParseError("it reads other than one table")

    def _ranked(self, select: exp.Select, inner: exp.Select) -> tree.Program:
        """The first rows of a ranking: RANK() in a subquery, and WHERE place <= a number around it."""
        test = select.args["where"].this if select.args.get("where") else None
        if not isinstance(test, exp.LTE) or test.this.name != "place":
            raise ParseError("a ranking is cut with WHERE place <= a number")
        base = _subquery(inner) or inner
        columns = [column for column in base.expressions if column.alias != "place"]
        directions = [key.args.get("desc") for key in select.args["order"].expressions]
        flat = base.copy()
        flat.set("expressions", columns)
        sorts = zip(columns[1:], directions, strict=True)
        keys = [exp.Ordered(this=column.unalias().copy(), desc=desc) for column, desc in sorts]
        flat.set("order", exp.Order(expressions=keys))
        return replace(self._plain(flat), top=int(test.expression.name))

    def _plain(self, select: exp.Select, keys_only: bool = False) -> tree.Program:
        self._check_names(select)
        self._check_sources(select)
        order = select.args.get("order")
        keys = tuple(self._sort(key) for key in order.expressions) if order is not None else ()
        for clause in _UNSUPPORTED:
            if select.args.get(clause):
                raise ParseError(f"it uses {clause.strip('_').upper()}, which cannot be put into words")
        program = self._guarded(select, self._output(select, keys_only), keys)
        base, table = self._schema.base(program).name, select.args["from_"].this.name
        if table != base:
            raise ParseError(f"it reads {table} although it asks about {base}")
        return program

    def _guarded(self, select: exp.Select, output: tree.Output, order: tuple[tree.Sort, ...]) -> tree.Program:
        """The program without the IS NOT NULL that the writer adds for listed, sorted and grouped measures."""
        where = select.args.get("where")
        terms = _terms(where.this) if where is not None else []
        for count in range(len(terms), -1, -1):
            guards = terms[len(terms) - count :]
            if not all(isinstance(term, exp.Not) and isinstance(term.this, exp.Is) for term in guards):
                continue
            program = tree.Program(output, self._joined(terms[: len(terms) - count]), order)
            if [self._measure(term.this.this) for term in guards] == self._schema.required(program):
                return program
        return tree.Program(output, self._joined(terms), order)

    def _joined(self, terms: list[exp.Expr]) -> tree.Condition | None:
        return reduce(tree.And, map(self._condition, terms)) if terms else None

    # Outputs.

    def _output(self, select: exp.Select, keys_only: bool = False) -> tree.Output:
        wanted = [column.unalias() for column in select.expressions]
        order = select.args.get("order")
        keys = [key.this for key in order.expressions] if order is not None else []
        group = select.args.get("group")
        if group is not None:
            key = group.expressions[0]
            if keys_only:
                wanted = [key, *wanted]
            having = select.args.get("having")
            if len(group.expressions) != 1 or wanted[0] != key or (wanted[1:] != keys and len(wanted) > 2):
                raise ParseError("a grouped template selects the grouped column and one result, in that order")
            result = None if wanted[1:] == keys else self._result(wanted[1])
            return tree.Grouped(self._column(key), result, None if having is None else self._having(having.this))
        # The sort keys may follow the output columns, as they do in the queries of keys.
        if len(wanted) != 1 and wanted[1:] != keys:
            raise ParseError("it selects more than one column without GROUP BY")
        distinct = bool(select.args.get("distinct"))
        if isinstance(wanted[0], exp.Column) and wanted[0].name == self._schema.main.label and not distinct:
            return tree.Labels()
        return self._result(wanted[0]) if _is_result(wanted[0]) else tree.Values(self._measure(wanted[0]), distinct)

    def _result(self, node: exp.Expr) -> tree.Result:
        node = _exact(node)
        ratio = _quotient(node)
        if ratio is not None:
            top, bottom = ratio
            only = top.expression.this if isinstance(top, exp.Filter) else None
            numerator = self._result(top.this if isinstance(top, exp.Filter) else top)
            denominator = self._result(bottom)
            if isinstance(numerator, tree.Ratio) or isinstance(denominator, tree.Ratio):
                raise ParseError("a ratio of ratios cannot be put into words")
            return tree.Ratio(numerator, denominator, None if only is None else self._condition(only))
        if isinstance(node, exp.Count):
            if isinstance(node.this, exp.Star):
                return tree.Count()
            if not isinstance(node.this, exp.Distinct):
                raise ParseError("COUNT takes * or DISTINCT column here")
            return tree.CountDistinct(self._measure(node.this.expressions[0]))
        if type(node) in _FUNCTIONS:
            return tree.Aggregate(_FUNCTIONS[type(node)], self._measure(node.this))
        raise ParseError(f"'{node.sql('sqlite')}' is not an aggregate")

    def _having(self, node: exp.Expr) -> tree.Having:
        if type(node) not in _COMPARATORS:
            raise ParseError("HAVING compares one result")
        result, sign = self._result(node.this), _COMPARATORS[type(node)]
        inner = node.expression.unnest() if isinstance(node.expression, exp.Subquery) else None
        if isinstance(inner, exp.Select):
            overall = self._result(inner.expressions[0])
            if isinstance(overall, tree.Aggregate):
                return tree.Having(result, sign, overall)
            raise ParseError("HAVING compares with a number or an aggregate")
        return tree.Having(result, sign, self._number(node.expression))

    def _sort(self, key: exp.Ordered) -> tree.Sort:
        direction: tree.Direction = "DESC" if key.args.get("desc") else "ASC"
        return tree.Sort(self._result(key.this) if _is_result(key.this) else self._measure(key.this), direction)

    # Measures.

    def _measure(self, node: exp.Expr) -> tree.Measure:
        node = _exact(node)
        if isinstance(node, exp.Subquery):
            return self._peers(node.unnest())
        terms = _summands(node)
        if len(terms) > 1 and all(isinstance(term, exp.Mul) and _is_number(term.this) for term in terms):
            return tree.Weighted(
                tuple(tree.Term(self._literal(term.this), self._measure(term.expression)) for term in terms)
            )
        quotient = _quotient(node)
        if quotient is not None:
            return tree.Arithmetic(self._measure(quotient[0]), "/", self._operand(quotient[1]))
        if type(node) in _SIGNS:
            return tree.Arithmetic(self._measure(node.this), _SIGNS[type(node)], self._operand(node.expression))
        return self._column(node)

    def _operand(self, node: exp.Expr) -> tree.Measure | int | float:
        return self._literal(node.unnest()) if _is_number(node.unnest()) else self._measure(node)

    def _peers(self, select: exp.Expr) -> tree.Measure:
        """An aggregate over all rows, or over those of the group: WHERE peers.region = companies.region."""
        function = select.expressions[0] if isinstance(select, exp.Select) else None
        if type(function) not in _FUNCTIONS or function is None:
            raise ParseError("a subquery in a measure is one aggregate")
        terms = _terms(select.args["where"].this) if select.args.get("where") else []
        by = None
        if terms and isinstance(terms[-1], exp.EQ) and terms[-1].this.args.get("table"):
            by = self._column(terms.pop().this)
        return tree.PeerAggregate(_FUNCTIONS[type(function)], self._measure(function.this), by, self._joined(terms))

    def _column(self, node: exp.Expr) -> tree.Column:
        spec = self._schema.columns.get(node.name) if isinstance(node, exp.Column) else None
        if spec is None or not spec.nouns:
            nouns = [column.name for column in self._schema.main.columns if column.nouns and column.type != "text"]
            raise ParseError(f"'{node.sql('sqlite')}' is not one of {', '.join(nouns)}")
        return tree.Column(spec.name)

    # Conditions.

    def _condition(self, node: exp.Expr) -> tree.Condition:
        node = node.unnest()
        match node:
            case exp.And():
                return tree.And(self._condition(node.this), self._condition(node.expression))
            case exp.Or():
                return tree.Or(self._condition(node.this), self._condition(node.expression))
            case exp.Not():
                inner = self._condition(node.this)
                if isinstance(inner, tree.And | tree.Or):
                    raise ParseError("NOT over AND or OR has too many readings; negate each condition by itself")
                return tree.Not(inner)
            case exp.Between():
                measure = self._measure(node.this)
                return tree.Between(
                    measure, self._value(node.args["low"], measure), self._value(node.args["high"], measure)
                )
            case exp.In():
                return self._membership(node)
            case exp.Is() if isinstance(node.expression, exp.Null):
                return tree.IsUnknown(self._column(node.this))
            case exp.Like():
                # The parser keeps the NOT of NOT LIKE in a flag and not in a node.
                contains = self._contains(node)
                return tree.Not(contains) if node.args.get("negate") else contains
            case _ if type(node) in _COMPARATORS:
                measure, sign = self._measure(node.this), _COMPARATORS[type(node)]
                if _is_constant(node.expression.unnest()):
                    return tree.Compare(measure, sign, self._value(node.expression, measure))
                return tree.Compare(measure, sign, self._measure(node.expression))
        raise ParseError(f"'{node.sql('sqlite')}' cannot be put into words")

    def _membership(self, node: exp.In) -> tree.Condition:
        subquery = node.args.get("query")
        if subquery is None:
            measure = self._measure(node.this)
            return tree.OneOf(measure, tuple(self._value(value, measure) for value in node.expressions))
        select = subquery.unnest()
        owner = node.this.name if isinstance(node.this, exp.Column) else ""
        if not isinstance(select, exp.Select) or len(select.expressions) != 1:
            raise ParseError("a subquery selects one column")
        key, table = select.expressions[0].unalias().name, select.args["from_"].this.name
        for relation in self._schema.relations:
            if (relation.owner, relation.table, relation.key) == (owner, table, key):
                where = select.args.get("where")
                condition = self._condition(where.this) if where is not None else None
                return tree.Exists(relation.name, condition, self._least(select, key))
        raise ParseError(f"the subquery over '{key}' cannot be put into words")

    def _least(self, select: exp.Select, key: str) -> int | tree.Slot:
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

    def _contains(self, node: exp.Like) -> tree.Condition:
        column = self._column(node.this)
        if self._schema.columns[column.name].type != "text":
            raise ParseError("LIKE is for texts")
        if isinstance(node.expression, exp.Placeholder):
            return tree.Contains(column, self._slot(node.expression, ("fragment",)))
        words = str(self._text(node.expression))
        fragment = words.strip("%")
        if words != f"%{fragment}%" or "%" in fragment or "_" in fragment or not fragment.isascii():
            raise ParseError("LIKE takes letters between two % signs")
        return tree.Contains(column, fragment)

    # Values.

    def _value(self, node: exp.Expr, measure: tree.Measure) -> tree.Value:
        node = node.unnest()
        name = measure.name if isinstance(measure, tree.Column) else ""
        if isinstance(node, exp.Placeholder):
            return self._slot(node, self._kinds.get(name, self._kinds.get("", ())))
        if self._schema.type_of(measure) not in ("integer", "decimal"):
            return self._text(node)
        return self._number(node)

    def _text(self, node: exp.Expr) -> str:
        if isinstance(node, exp.Literal) and node.is_string:
            return str(node.name)
        raise ParseError(f"'{node.sql('sqlite')[:40]}' is not a text")

    def _number(self, node: exp.Expr) -> int | float | tree.Slot:
        node = node.unnest()
        return self._slot(node, self._kinds.get("", ())) if isinstance(node, exp.Placeholder) else self._literal(node)

    def _literal(self, node: exp.Expr) -> int | float:
        if isinstance(node, exp.Neg):
            # A difference of two counts may be below zero, and then so is the number it is compared with.
            return -self._literal(node.this)
        if isinstance(node, exp.Literal) and node.is_number and len(node.name) <= MOST_DIGITS:
            return int(node.name) if node.is_int else float(node.name)
        raise ParseError(f"'{node.sql('sqlite')[:40]}' is not a number of at most {MOST_DIGITS} digits")

    def _slot(self, node: exp.Placeholder, kinds: tuple[str, ...]) -> tree.Slot:
        slot = self._slots[node.name]
        if kinds and slot.kind not in kinds:
            raise ParseError(f"it has a placeholder for a {slot.kind} in place of a {kinds[0]}")
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


def _subquery(select: exp.Select) -> exp.Select | None:
    """The select that another one reads from."""
    source = select.args["from_"].this if select.args.get("from_") else None
    inner = source.this if isinstance(source, exp.Subquery) else None
    return inner if isinstance(inner, exp.Select) else None


def _terms(node: exp.Expr) -> list[exp.Expr]:
    """The conditions that AND joins, without going into brackets."""
    return [*_terms(node.this), *_terms(node.expression)] if isinstance(node, exp.And) else [node]


def _summands(node: exp.Expr) -> list[exp.Expr]:
    """The terms of a sum, without going into brackets."""
    return [*_summands(node.this), *_summands(node.expression)] if isinstance(node, exp.Add) else [node]


def _exact(node: exp.Expr) -> exp.Expr:
    """The node without brackets and without the ROUND that the writer adds for comparisons."""
    while isinstance(node, exp.Paren | exp.Round):
        node = node.this
    return node


def _quotient(node: exp.Expr) -> tuple[exp.Expr, exp.Expr] | None:
    """The two sides of "1.0 * a / b", in which the factor makes SQLite's division decimal."""
    if isinstance(node, exp.Div) and isinstance(node.this, exp.Mul) and node.this.this.name == "1.0":
        return node.this.expression, node.expression
    return None


def _is_result(node: exp.Expr) -> bool:
    """Whether a column of a select is an aggregate; those in subqueries are measures of a row."""
    node = _exact(node)
    if isinstance(node, exp.AggFunc | exp.Filter):
        return True
    return not isinstance(node, exp.Subquery) and any(
        _is_result(part) for part in node.iter_expressions() if isinstance(part, exp.Expression)
    )


def _is_number(node: exp.Expr) -> bool:
    return (isinstance(node, exp.Literal) and bool(node.is_number)) or (
        isinstance(node, exp.Neg) and _is_number(node.this)
    )


def _is_constant(node: exp.Expr) -> bool:
    return _is_number(node) or isinstance(node, exp.Literal | exp.Placeholder)
