"""Rewrites a SELECT over a subquery into a single SELECT, and WITH into subqueries."""

from __future__ import annotations

from sqlglot import exp

from fathom.tasks.programs.parse_scope import ParseError, outside_subqueries


def without_with(query: exp.Expr) -> exp.Expr:
    """The query with a subquery in place of each name that its WITH defines."""
    query = query.copy()
    defined = query.args["with_"]
    if defined.args.get("recursive"):
        raise ParseError("it uses a recursive WITH")
    query.set("with_", None)
    for one in reversed(defined.expressions):
        for table in list(query.find_all(exp.Table)):
            if table.name == one.alias:
                table.replace(
                    exp.Subquery(
                        this=one.this.copy(), alias=exp.TableAlias(this=exp.to_identifier(table.alias_or_name))
                    )
                )
    return query


def merge_derived(select: exp.Select, inner: exp.Select) -> exp.Select:
    """The SELECT over a subquery as one SELECT."""
    if inner.args.get("limit") or inner.args.get("distinct") or select.args.get("joins"):
        raise ParseError("it reads from a subquery with LIMIT or DISTINCT, or joins a subquery with a table")
    if inner.args.get("group") and select.args.get("group"):
        raise ParseError("it groups the rows of a subquery that is grouped itself")
    named = {one.alias_or_name: one.unalias() for one in inner.expressions}
    merged = inner.copy()
    outer = select.copy()
    for clause in ("where", "having", "order", "group"):
        part = outer.args.get(clause)
        if part is not None:
            _substitute(part, named)
    for column in outer.expressions:
        _substitute(column, named)
    merged.set("expressions", [_own_name(column, named) for column in outer.expressions])
    where = outer.args.get("where")
    if where is not None:
        clause, kind = ("having", exp.Having) if inner.args.get("group") else ("where", exp.Where)
        known = merged.args.get(clause)
        both = where.this.copy() if known is None else exp.and_(known.this.copy(), where.this.copy())
        merged.set(clause, kind(this=both))
    for clause in ("group", "having", "order", "limit", "offset", "distinct"):
        if outer.args.get(clause) is not None:
            merged.set(clause, outer.args[clause].copy())
    return merged


def _own_name(column: exp.Expr, named: dict[str, exp.Expr]) -> exp.Expr:
    """A selected column, with the expression that its name stands for."""
    if isinstance(column, exp.Column):
        if column.name not in named:
            raise ParseError(f"'{column.name}' is not a column of the subquery")
        return named[column.name].copy()
    return column.copy()


def _substitute(node: exp.Expr, named: dict[str, exp.Expr]) -> None:
    for column in list(outside_subqueries(node)):
        if column is node:
            continue
        if column.name not in named:
            raise ParseError(f"'{column.name}' is not a column of the subquery")
        column.replace(named[column.name].copy())
