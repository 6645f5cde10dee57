"""The SQL of a program. Values are written as literals, safely quoted, or as parameters of a prepared statement."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from fathom.tasks.programs import tree
from fathom.tasks.programs.schema import Schema


@dataclass(frozen=True)
class SqlStatement:
    """A statement, and the slots of its parameters in order."""

    text: str
    slots: tuple[tree.Slot, ...]


def parameterized(program: tree.Program, schema: Schema) -> SqlStatement:
    """The statement of a template, with a question mark for each slot: one text, prepared once."""
    writer = _Writer(schema, program)
    text = writer.statement(program)
    return SqlStatement(text, tuple(writer.slots))


def literal(program: tree.Program, schema: Schema) -> str:
    """The statement of a bound program."""
    return _Writer(schema, program).statement(program)


class _Writer:
    def __init__(self, schema: Schema, program: tree.Program) -> None:
        self.slots: list[tree.Slot] = []
        self._schema = schema
        self._base = schema.base(program)
        joined = self._base.joined_by and self._base is not schema.main
        self._source = (
            f"{self._base.name} JOIN {schema.main.name} USING ({self._base.joined_by})" if joined else self._base.name
        )
        self._row = self._base.name
        """The name by which a subquery refers to a row of the query around it."""

    def statement(self, program: tree.Program) -> str:
        """SELECT columns FROM source WHERE condition GROUP BY key HAVING condition ORDER BY keys.

        The sort keys follow what is wanted: rows that agree in them are tied, and ties are part of the answer.
        """
        output = program.output
        if isinstance(output, tree.GroupsAggregate):
            return self._over_groups(output, program)
        columns = self._columns(output)
        keys = [self._comparable(sort.measure) for sort in program.order]
        if program.top is not None:
            return self._top(columns, keys, program, program.top)
        text = (
            f"SELECT {_distinct(output)}{', '.join((*columns, *keys))} FROM {self._source}{self._where_clause(program)}"
        )
        text += self._grouping(program)
        if program.order:
            text += f" ORDER BY {', '.join(map(self._sort, program.order))}"
        return text

    def _top(self, columns: list[str], keys: list[str], program: tree.Program, top: int | tree.Slot) -> str:
        """The rows whose rank is high enough. RANK gives tied rows one rank, so a tie at the end is kept whole."""
        names = [f"key{number}" for number in range(1, len(keys) + 1)]
        output_names = ["wanted", *(f"wanted{number}" for number in range(2, len(columns) + 1))]
        aliased = [f"{text} AS {name}" for text, name in zip((*columns, *keys), (*output_names, *names), strict=True)]
        source = f"FROM {self._source}{self._where_clause(program)}{self._grouping(program)}"
        order = ", ".join(f"{name} {sort.direction}" for name, sort in zip(names, program.order, strict=True))
        if _distinct(program.output):
            # Ranks are computed before DISTINCT is applied, so distinct rows come from a separate subquery.
            distinct_rows = f"SELECT DISTINCT {', '.join(aliased)} {source}"
            inner = f"SELECT *, RANK() OVER (ORDER BY {order}) AS place FROM ({distinct_rows})"
        else:
            rank = f"RANK() OVER (ORDER BY {', '.join(map(self._sort, program.order))}) AS place"
            inner = f"SELECT {', '.join((*aliased, rank))} {source}"
        selected = ", ".join((*output_names, *names))
        return f"SELECT {selected} FROM ({inner}) WHERE place <= {self._value(top)} ORDER BY {order}"

    def _over_groups(self, output: tree.GroupsAggregate, program: tree.Program) -> str:
        result = output.key.name if output.result is None else self._result(output.result)
        inner = f"SELECT {result} AS result FROM {self._source}{self._where_clause(program)}"
        inner += f" GROUP BY {output.key.name}"
        if output.having is not None:
            inner += f" HAVING {self._having(output.having, program)}"
        return f"SELECT {output.function}(result) FROM ({inner})"

    def _columns(self, output: tree.Output) -> list[str]:
        match output:
            case tree.Labels():
                return [self._base.label]
            case tree.Values(measure, _):
                return [self._comparable(measure)]
            case tree.Columns(measures):
                return [self._comparable(measure) for measure in measures]
            case tree.GroupedResults(key, result, _, keys):
                return [*([key.name] if keys else []), *([] if result is None else [self._result(result)])]
            case tree.GroupsAggregate():
                raise TypeError("an aggregate over groups is a separate statement")
            case _:
                return [self._result(output)]

    def _where_clause(self, program: tree.Program) -> str:
        conditions = [] if program.where is None else [self._condition(program.where)]
        conditions += [f"{self._operand(measure)} IS NOT NULL" for measure in self._schema.required(program)]
        return f" WHERE {' AND '.join(conditions)}" if conditions else ""

    def _grouping(self, program: tree.Program) -> str:
        if not isinstance(program.output, tree.GroupedResults):
            return ""
        text = f" GROUP BY {program.output.key.name}"
        having = program.output.having
        return text if having is None else f"{text} HAVING {self._having(having, program)}"

    def _having(self, having: tree.Having, program: tree.Program) -> str:
        if isinstance(having.value, tree.Aggregate):
            overall = f"(SELECT {self._comparable(having.value)} FROM {self._source}{self._where_clause(program)})"
            return f"{self._comparable(having.result)} {having.sign} {overall}"
        return f"{self._comparable(having.result)} {having.sign} {self._value(having.value)}"

    def _result(self, result: tree.Result) -> str:
        match result:
            case tree.Count(column):
                return f"COUNT({'*' if column is None else column.name})"
            case tree.CountDistinct(measure):
                return f"COUNT(DISTINCT {self._comparable(measure)})"
            case tree.Aggregate(function, measure):
                return f"{function}({self._measure(measure)})"
            case tree.Ratio(numerator, denominator, only):
                filtered = "" if only is None else f" FILTER (WHERE {self._condition(only)})"
                return f"1.0 * {self._result(numerator)}{filtered} / {self._result(denominator)}"
            case tree.CombinedResult(left, sign, right):
                return f"{self._operand(left)} {sign} {self._operand(right)}"

    def _sort(self, sort: tree.Sort) -> str:
        return f"{self._comparable(sort.measure)} {sort.direction}"

    def _comparable(self, measure: tree.Measure | tree.Result) -> str:
        """A value that is compared, sorted or grouped: rounded where two computations may differ in the last bit."""
        digits = self._schema.digits(measure)
        text = self._result(measure) if isinstance(measure, tree.Result) else self._measure(measure)
        return text if digits is None else f"ROUND({text}, {digits})"

    def _measure(self, measure: tree.Measure) -> str:
        match measure:
            case tree.Column(name):
                return name
            case tree.Arithmetic(left, sign, right):
                # SQLite's division of integers gives an integer; the questions mean decimal division.
                factor = "1.0 * " if sign == "/" else ""
                return f"{factor}{self._operand(left)} {sign} {self._operand(right)}"
            case tree.WeightedSum(terms):
                return " + ".join(f"{term.weight} * {self._operand(term.measure)}" for term in terms)
            case tree.PeerAggregate():
                return self._peers(measure)
            case tree.RelatedCount(relation, where):
                return f"(SELECT COUNT(*) FROM {self._related_rows(relation, where, correlated=True)})"

    def _operand(self, measure: tree.Measure | tree.Result | int | float) -> str:
        if isinstance(measure, int | float):
            return str(measure)
        text = self._result(measure) if isinstance(measure, tree.Result) else self._measure(measure)
        nested = tree.Arithmetic | tree.WeightedSum | tree.CombinedResult | tree.Ratio
        return f"({text})" if isinstance(measure, nested) else text

    def _peers(self, peers: tree.PeerAggregate) -> str:
        """A subquery over the same rows; the group of the outer row is known by a qualified name."""
        conditions = [] if peers.among is None else [self._condition(peers.among)]
        source = self._source
        if peers.by is not None:
            table = self._schema.table_of[peers.by.name].name
            source = re.sub(rf"\b{table}\b", f"{table} AS peers", source, count=1)
            row = self._row if table == self._row or self._row.startswith("related") else table
            conditions.append(f"peers.{peers.by.name} = {row}.{peers.by.name}")
        where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
        return f"(SELECT {peers.function}({self._measure(peers.measure)}) FROM {source}{where})"

    def _condition(self, condition: tree.Condition) -> str:
        match condition:
            case tree.Compare(measure, sign, value):
                right = self._comparable(value) if isinstance(value, tree.Measure) else self._value(value)
                return f"{self._comparable(measure)} {sign} {right}"
            case tree.Between() | tree.OneOf() | tree.Contains() | tree.IsUnknown() | tree.Exists():
                return self._test(condition)
            case tree.And(left, right):
                return f"({self._condition(left)} AND {self._condition(right)})"
            case tree.Or(left, right):
                return f"({self._condition(left)} OR {self._condition(right)})"
            case tree.Not(tree.Between() | tree.OneOf() | tree.Contains() | tree.IsUnknown() | tree.Exists() as inner):
                return self._test(inner, "NOT ")
            case tree.Not(inner):
                return f"NOT ({self._condition(inner)})"

    def _test(self, condition: Any, no: str = "") -> str:
        match condition:
            case tree.Between(measure, low, high):
                return f"{self._comparable(measure)} {no}BETWEEN {self._value(low)} AND {self._value(high)}"
            case tree.OneOf(measure, values):
                return f"{self._comparable(measure)} {no}IN ({', '.join(map(self._value, values))})"
            case tree.Contains(column, fragment):
                return f"{column.name} {no}LIKE {self._pattern(fragment, condition.place)}"
            case tree.IsUnknown(column):
                return f"{column.name} IS {no}NULL"
            case tree.Exists(name):
                return f"{self._schema.relation[name].owner} {no}IN ({self._members(condition)})"
        raise TypeError(f"{condition} is not a test")

    def _members(self, condition: tree.Exists) -> str:
        relation = self._schema.relation[condition.relation]
        text = f"SELECT {relation.key} FROM {self._related_rows(condition.relation, condition.where)}"
        if condition.least == 1:
            return text
        return f"{text} GROUP BY {relation.key} HAVING COUNT(*) >= {self._value(condition.least)}"

    def _related_rows(self, name: str, where: tree.Condition | None, correlated: bool = False) -> str:
        """The rows of a relation that meet a condition; those of the row of the query around it if `correlated`."""
        relation = self._schema.relation[name]
        outer = self._source, self._row
        self._source = relation.table
        conditions = []
        if correlated:
            # A relation may lead from a table to itself, so the row of the outer query needs another name.
            self._row = "related" if self._row != "related" else "related2"
            conditions.append(f"{self._row}.{relation.key} = {outer[1]}.{relation.owner}")
            text = f"{relation.table} AS {self._row}"
        else:
            self._row = text = relation.table
        match where:
            case None:
                pass
            case tree.And(left, right):
                conditions.extend((self._condition(left), self._condition(right)))
            case _:
                conditions.append(self._condition(where))
        self._source, self._row = outer
        return f"{text} WHERE {' AND '.join(conditions)}" if conditions else text

    def _pattern(self, fragment: str | tree.Slot, position: str) -> str:
        """The pattern of a LIKE."""
        prefix, suffix = "" if position == "start" else "%", "" if position == "end" else "%"
        if isinstance(fragment, tree.Slot):
            self.slots.append(fragment)
            return " || ".join(part for part in (f"'{prefix}'", "?", f"'{suffix}'") if part != "''")
        if re.search(r"[%_]", fragment):
            raise ValueError(f"'{fragment}' contains a wildcard of LIKE")
        return self._value(f"{prefix}{fragment}{suffix}")

    def _value(self, value: tree.ConstantOrSlot) -> str:
        if isinstance(value, tree.Slot):
            self.slots.append(value)
            return "?"
        return str(value) if isinstance(value, int | float) else "'" + value.replace("'", "''") + "'"


def _distinct(output: tree.Output) -> str:
    return "DISTINCT " if isinstance(output, tree.Values) and output.distinct else ""
