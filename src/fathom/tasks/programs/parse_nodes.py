"""Parts of a parsed statement, before they become nodes of a program."""

from __future__ import annotations

from sqlglot import exp

from fathom.tasks.programs import tree

COMPARATORS: dict[type[exp.Expr], tree.Comparator] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.GT: ">",
    exp.LTE: "<=",
    exp.GTE: ">=",
}
SIGNS: dict[type[exp.Expr], tree.Sign] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}
FUNCTIONS: dict[type[exp.Expr], tree.Function] = {exp.Max: "MAX", exp.Min: "MIN", exp.Sum: "SUM", exp.Avg: "AVG"}


def table_of_peers(node: exp.Subquery) -> str:
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


def piped(node: exp.Expr) -> list[exp.Expr]:
    """The parts of a || b || c."""
    node = exact(node)
    if isinstance(node, exp.DPipe):
        return [*piped(node.this), *piped(node.expression)]
    return [node]


def summands_of(node: exp.Expr) -> list[exp.Expr]:
    """The terms of a sum, without going into brackets."""
    return [*summands_of(node.this), *summands_of(node.expression)] if isinstance(node, exp.Add) else [node]


def without_factor(node: exp.Expr) -> tuple[exp.Expr, int, bool]:
    """The node without a constant factor, the factor, and whether it makes a division decimal.

    1.0 * a and CAST(a AS REAL) do.
    """
    node = exact(node)
    if isinstance(node, exp.Cast) and node.to.this in (exp.DataType.Type.FLOAT, exp.DataType.Type.DOUBLE):
        inner, factor, _ = without_factor(node.this)
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
    counts = [expression for expression in inner.expressions if isinstance(exact(expression.unalias()), exp.Count)]
    output = exact(select.expressions[0].unalias())
    named = exact(output.this) if type(output) in FUNCTIONS else None
    if len(counts) != 1 or not isinstance(named, exp.Column) or named.name != counts[0].alias_or_name:
        return None
    return FUNCTIONS[type(output)] if FUNCTIONS[type(output)] in ("MAX", "MIN") else None


def is_number(node: exp.Expr) -> bool:
    return (isinstance(node, exp.Literal) and bool(node.is_number)) or (
        isinstance(node, exp.Neg) and is_number(node.this)
    )


def is_constant(node: exp.Expr) -> bool:
    quoted = isinstance(node, exp.Column) and bool(node.this.quoted) and not node.table
    return is_number(node) or isinstance(node, exp.Literal | exp.Placeholder) or quoted
