"""Parses groups that are rows of the main table, and tables that only relate its rows.

"GROUP BY article_id_cited" has a group for each cited article; its COUNT(*) is the number of articles that cite it.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from fathom.tasks.programs import tree
from fathom.tasks.programs.parse_conditions import ExpressionParser
from fathom.tasks.programs.parse_nodes import COMPARATORS, exact
from fathom.tasks.programs.parse_orders import OrderParser
from fathom.tasks.programs.parse_scope import (
    FromTable,
    ParseError,
    Scope,
    conjunction,
    relation_of,
    row_condition,
    source_condition,
    terms,
)
from fathom.tasks.programs.schema import SchemaTable


class EntityParser(OrderParser):
    """Parses SELECTs that are about rows of the main table without reading it first."""

    def _entity_group(self, select: exp.Select, scope: Scope) -> FromTable | None:
        """The source whose rows are counted for each row of the main table; None if the groups are others."""
        group = select.args.get("group")
        if group is None:
            return None
        columns = [exact(expression) for expression in group.expressions]
        if not all(isinstance(column, exp.Column) for column in columns):
            return None
        main = self._schema.main
        names = {
            (scope.resolve(column)[1].table.name, column.name) for column in columns if isinstance(column, exp.Column)
        }
        entity_columns = {(main.name, main.key), (main.name, main.label)}
        if names & entity_columns:
            related_sources = [source for source in scope.sources if source.table is not main]
            if not related_sources:
                raise ParseError(f"it groups {main.plural} by themselves, so every group has one row")
            return related_sources[0]
        if len(columns) != 1:
            return None
        _, source = scope.resolve(columns[0])  # type: ignore[arg-type]
        relation = relation_of(self._schema, main.key, source.table, columns[0].name)
        return source if relation is not None and source.table is not main else None

    def _per_entity(self, select: exp.Select, scope: Scope, counted: FromTable) -> tree.Program:
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
            else _condition_beyond(scope, base, counted, self._expressions)
        )
        related = tree.RelatedCount(relation.name, where)
        conditions: list[tree.Condition] = []
        if base is not None:
            own = row_condition(scope, self._expressions.condition, skip=counted)
            conditions.extend([own] if own is not None else [])
        outer = Scope(self._schema, sources=[base or FromTable(main.name, main)], counted=related)
        outer.base = outer.sources[0]
        having = select.args.get("having")
        tests = [self._entity_test(term, outer, related) for term in terms(having.this)] if having is not None else []
        if not counted.optional and not any(_excludes_zero(test, related) for test in tests):
            conditions.append(tree.Exists(relation.name, where))
        conditions.extend(tests)
        sorts = (select.args.get("order") or exp.Order(expressions=[])).expressions
        outputs = [self._of_entity(exact(column.unalias()), outer, key) for column in select.expressions]
        order = self._sorts(sorts, outer)
        label = tree.Column(main.label)
        if len(outputs) > 1:
            output: tree.Output = tree.Columns(tuple(outputs))
        else:
            output = tree.Labels() if outputs[0] == label else tree.Values(outputs[0])
        return self._cut(tree.Program(output, conjunction(conditions), order), select)

    def _entity_test(self, node: exp.Expr, outer: Scope, related: tree.RelatedCount) -> tree.Condition:
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
        selected = exact(select.expressions[0].unalias())
        where = row_condition(_nested_scope(scope), self._expressions.condition)
        main = self._schema.main
        count = selected.this if isinstance(selected, exp.Count) else None
        distinct = count.expressions[0] if isinstance(count, exp.Distinct) else None
        if isinstance(selected, exp.Count) and distinct is None:
            return self._pairs(link.table, where)
        column = exact(distinct if distinct is not None else selected)
        relation = relation_of(self._schema, main.key, link.table, column.name)
        if relation is None:
            raise ParseError(f"'{column.name}' is an internal number that no document states")
        output: tree.Output = tree.Count() if distinct is not None else tree.Labels()
        return tree.Program(output, tree.Exists(relation.name, where))

    def _pairs(self, table: SchemaTable, where: tree.Condition | None) -> tree.Program:
        """The number of pairs: the total, over the rows of the main table, of the rows that are related to each."""
        main = self._schema.main
        forward = [
            relation
            for relation in self._schema.relations
            if relation.owner == main.key and relation.table == table.name
        ]
        inverses = {relation.name: relation_of(self._schema, relation.key, main, main.key) for relation in forward}
        parts = _parts(where)
        for relation in forward:
            inverse = inverses[relation.name]
            inner_conditions = [
                part.where
                for part in parts
                if inverse and isinstance(part, tree.Exists) and part.relation == inverse.name
            ]
            other_parts = [
                part
                for part in parts
                if not (inverse and isinstance(part, tree.Exists) and part.relation == inverse.name)
            ]
            if inner_conditions or not parts:
                condition = conjunction([part for part in inner_conditions if part is not None])
                match condition:
                    case tree.Compare(tree.Column(name), "=") if (
                        name == main.label and not other_parts and inverse is not None
                    ):
                        # "How many articles does X cite?"
                        opposite = next((candidate for candidate in forward if candidate is not relation), None)
                        if opposite is not None:
                            return tree.Program(
                                tree.Count(), tree.Exists(opposite.name, tree.Exists(inverse.name, condition))
                            )
                return tree.Program(
                    tree.Aggregate("SUM", tree.RelatedCount(relation.name, conjunction(other_parts))), condition
                )
        raise ParseError(f"its condition on rows of {table.name} is not understood")


def _parts(where: tree.Condition | None) -> list[tree.Condition]:
    match where:
        case None:
            return []
        case tree.And(left, right):
            return [*_parts(left), *_parts(right)]
        case _:
            return [where]


def _excludes_zero(test: tree.Condition, related: tree.RelatedCount) -> bool:
    match test:
        case tree.Exists(_, _, int(least)):
            return least > 0
        case tree.Compare(_, "=", int(number)):
            return number > 0
        case tree.Compare(_, ">" | ">=", tree.Slot()):
            return True
    return False


def _are_linked(scope: Scope, source: FromTable, other: FromTable) -> bool:
    return any((side := link.of(source)) is not None and side[1] is other for link in scope.links)


def _nested_scope(scope: Scope) -> Scope:
    return replace(scope, nested=True)


def _counted_scope(scope: Scope, counted: FromTable) -> Scope:
    return replace(scope, base=counted, nested=True)


def _condition_beyond(
    scope: Scope, base: FromTable, counted: FromTable, expressions: ExpressionParser
) -> tree.Condition | None:
    """The condition on the counted rows, without the row of the main table that they are counted for."""
    own_sources = [source for source in scope.sources if source is not base]
    own_links = [link for link in scope.links if base not in (link.source, link.other)]
    own_terms = [term for term in scope.terms if base not in scope.own_sources(term)]
    nested_scope = Scope(scope.schema, scope.outer, own_sources, own_links, own_terms, base=counted, nested=True)
    return row_condition(nested_scope, expressions.condition)
