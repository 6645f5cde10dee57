"""Rewrites statements before they are parsed: subqueries in FROM, WITH, aliases, and the largest count of a group."""

from __future__ import annotations

from sqlglot import exp

from fathom.tasks.programs.parse_nodes import exact, largest_count
from fathom.tasks.programs.parse_scope import ParseError, outside_subqueries
from fathom.tasks.programs.schema import Schema


def without_with(query: exp.Expr) -> exp.Expr:
    """The query with a subquery in place of each name that its WITH defines."""
    query = query.copy()
    defined = query.args["with_"]
    if defined.args.get("recursive"):
        raise ParseError("it uses a recursive WITH")
    query.set("with_", None)
    for expression in reversed(defined.expressions):
        for table in list(query.find_all(exp.Table)):
            if table.name == expression.alias:
                table.replace(
                    exp.Subquery(
                        this=expression.this.copy(), alias=exp.TableAlias(this=exp.to_identifier(table.alias_or_name))
                    )
                )
    return query


def with_merged_subqueries(query: exp.Expr) -> exp.Expr:
    """The query with each nested SELECT over a plain subquery as one SELECT, such as a name of WITH after IN."""
    query = query.copy()
    for select in reversed(list(query.find_all(exp.Select))):
        inner = derived_select(select)
        plain = inner is not None and not any(
            inner.args.get(clause) for clause in ("group", "limit", "distinct", "joins")
        )
        if inner is not None and plain and select is not query and not select.args.get("joins"):
            select.replace(merge_derived(select, inner))
    return query


def derived_select(select: exp.Select) -> exp.Select | None:
    """The select that another one reads from."""
    source = select.args["from_"].this if select.args.get("from_") else None
    inner = source.this if isinstance(source, exp.Subquery) else None
    return inner if isinstance(inner, exp.Select) else None


def merge_derived(select: exp.Select, inner: exp.Select) -> exp.Select:
    """The SELECT over a subquery as one SELECT."""
    if inner.args.get("limit") or inner.args.get("distinct") or select.args.get("joins"):
        raise ParseError("it reads from a subquery with LIMIT or DISTINCT, or joins a subquery with a table")
    if inner.args.get("group") and select.args.get("group"):
        raise ParseError("it groups the rows of a subquery that is grouped itself")
    by_name = {expression.alias_or_name: expression.unalias() for expression in inner.expressions}
    merged = inner.copy()
    outer = select.copy()
    for clause in ("where", "having", "order", "group"):
        part = outer.args.get(clause)
        if part is not None:
            _substitute(part, by_name)
    for column in outer.expressions:
        _substitute(column, by_name)
    merged.set("expressions", [_own_name(column, by_name) for column in outer.expressions])
    where = outer.args.get("where")
    if where is not None:
        clause, kind = ("having", exp.Having) if inner.args.get("group") else ("where", exp.Where)
        inner_clause = merged.args.get(clause)
        condition = where.this.copy() if inner_clause is None else exp.and_(inner_clause.this.copy(), where.this.copy())
        merged.set(clause, kind(this=condition))
    for clause in ("group", "having", "order", "limit", "offset", "distinct"):
        if outer.args.get(clause) is not None:
            merged.set(clause, outer.args[clause].copy())
    return merged


def _own_name(column: exp.Expr, by_name: dict[str, exp.Expr]) -> exp.Expr:
    """A selected column, with the expression that its name stands for."""
    if isinstance(column, exp.Column):
        if column.name not in by_name:
            raise ParseError(f"'{column.name}' is not a column of the subquery")
        return by_name[column.name].copy()
    return column.copy()


def _substitute(node: exp.Expr, by_name: dict[str, exp.Expr]) -> None:
    for column in list(outside_subqueries(node)):
        if column is node:
            continue
        if column.name not in by_name:
            raise ParseError(f"'{column.name}' is not a column of the subquery")
        column.replace(by_name[column.name].copy())


def inline_aliases(select: exp.Select, schema: Schema) -> None:
    """Replace aliases and numbers of selected columns in GROUP BY, HAVING and ORDER BY by their expressions."""
    by_name = {
        expression.alias: expression.this for expression in select.expressions if isinstance(expression, exp.Alias)
    }
    for clause in ("group", "having", "order"):
        part = select.args.get(clause)
        if part is None:
            continue
        for column in list(outside_subqueries(part)):
            if not column.table and column.name in by_name and column.name not in schema.columns:
                column.replace(by_name[column.name].copy())
        if clause == "having":
            continue
        for key in part.expressions:
            node = key.this if isinstance(key, exp.Ordered) else key
            if isinstance(node, exp.Literal) and node.is_int and 0 < int(node.name) <= len(select.expressions):
                node.replace(select.expressions[int(node.name) - 1].unalias().copy())


def with_order_for_largest(select: exp.Select) -> exp.Select:
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
