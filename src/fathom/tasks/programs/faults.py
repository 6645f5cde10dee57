"""Faults of readers: edits of the question's program, or of the tables that were read from the documents.

A fault may apply to a program in several places; each is one variation. A simulated reader picks one of them at random,
and a diagnosis tries them all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any, NamedTuple

from fathom.scoring.answers import Answer, Unanswerable
from fathom.tasks.programs import tree
from fathom.tasks.programs.answers import answer_of
from fathom.tasks.programs.database import Database
from fathom.tasks.programs.evaluate import TableRow
from fathom.tasks.programs.schema import Schema


@dataclass(frozen=True)
class Interpretation:
    """A reader's interpretation: the program that the reader evaluates, and the tables that it runs over."""

    program: tree.Program
    database: Database
    missing: frozenset[int] = frozenset()
    """The rows of the main table, counted from one, that the reader did not see."""
    off: int = 0
    """A number that is added to each count of the result."""

    @cached_property
    def seen(self) -> Database:
        """The database without the missing rows."""
        return self.database.without(self.missing) if self.missing else self.database

    def answer(self) -> Answer:
        """The reader's answer; unanswerable if it would need a division by zero."""
        try:
            rows = self.seen.evaluation.run(self.program)
        except ZeroDivisionError:
            return Unanswerable()
        output = self.program.output
        if self.off:
            has_keys = isinstance(output, tree.GroupedResults) and output.keys
            rows = _shift_column(rows, 1 if has_keys else 0, self.off)
        if not self.program.order and (
            isinstance(output, tree.Labels) or (isinstance(output, tree.Values) and output.distinct)
        ):
            rows = list(dict.fromkeys(rows))
        return answer_of(self.program, rows, self.seen.schema, self.seen.aliases)


def _shift_column(rows: Sequence[TableRow], column: int, off: int) -> list[TableRow]:
    """The rows with `off` added to the integers of one column, but not below zero."""
    return [
        (*row[:column], max(0, value + off), *row[column + 1 :]) if isinstance(value := row[column], int) else row
        for row in rows
    ]


class Variation(NamedTuple):
    """One way in which a fault changes a reading."""

    detail: str
    """The change, such as "equal instead of not equal"."""
    reading: Interpretation


Vary = Callable[[Interpretation], Iterator[Variation]]
"""Gives every variation of a fault for a reading; none if the fault does not apply."""


@dataclass(frozen=True)
class ReadingFault:
    """One kind of mistake."""

    name: str
    describe: str
    """A description for reports and `--help`, such as "ignores a negation"."""
    variations: Vary

    def apply(self, reading: Interpretation, rng: Random) -> Interpretation | None:
        """The reading with a random variation of this fault; None if it does not apply."""
        variations = list(self.variations(reading))
        return rng.choice(variations).reading if variations else None


# Edits of the program.


def by_edit(edit: tree.TreeEdit) -> Vary:
    """The variations of a fault that edits one node of the program."""

    def variations(reading: Interpretation) -> Iterator[Variation]:
        for detail, program in tree.edited(reading.program, edit, reading.database.schema.is_phrase):
            yield Variation(detail, replace(reading, program=program))

    return variations


def over(reading: Interpretation, database: Database) -> Interpretation:
    """The same program over another database."""
    return replace(reading, database=database, missing=frozenset())


def _drop_filter(reading: Interpretation) -> Iterator[Variation]:
    where = reading.program.where
    if where is not None:
        for detail, shorter in tree.edited(where, _one_side, reading.database.schema.is_phrase):
            yield Variation(detail, _with_condition(reading, shorter))
        yield Variation("no condition at all", _with_condition(reading, None))
    output = reading.program.output
    if (
        isinstance(output, tree.GroupedResults)
        and output.having is not None
        and (output.result is not None or reading.program.order)
    ):
        program = replace(reading.program, output=replace(output, having=None))
        yield Variation("no condition on groups", replace(reading, program=program))
    if isinstance(output, tree.Ratio) and output.only is not None:
        program = replace(reading.program, output=replace(output, only=None))
        yield Variation("no condition on the numerator", replace(reading, program=program))


def _with_condition(reading: Interpretation, where: tree.Condition | None) -> Interpretation:
    return replace(reading, program=replace(reading.program, where=where))


def _one_side(node: Any) -> tree.TreeEdits:
    if isinstance(node, tree.And | tree.Or):
        yield "only the second condition", node.right
        yield "only the first condition", node.left


def _ignore_not(node: Any) -> tree.TreeEdits:
    match node:
        case tree.Not(inner):
            yield "one condition not negated", inner
        case tree.Compare(measure, "<>", value):
            yield "equal instead of not equal", tree.Compare(measure, "=", value)


def _and_for_or(node: Any) -> tree.TreeEdits:
    match node:
        case tree.And(left, right):
            yield "either condition instead of both", tree.Or(left, right)
        case tree.Or(left, right):
            yield "both conditions instead of either", tree.And(left, right)


def _reverse(node: Any) -> tree.TreeEdits:
    match node:
        case tree.Sort(measure, "ASC"):
            yield "descending instead of ascending", tree.Sort(measure, "DESC")
        case tree.Sort(measure, "DESC"):
            yield "ascending instead of descending", tree.Sort(measure, "ASC")


_OTHER_BOUND: dict[tree.Comparator, tree.Comparator] = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}


def _boundary(node: Any) -> tree.TreeEdits:
    match node:
        case tree.Compare(_, sign) | tree.Having(_, sign) if sign in _OTHER_BOUND:
            yield f"{_OTHER_BOUND[sign]} instead of {sign}", replace(node, sign=_OTHER_BOUND[sign])
        case tree.Between(measure, int(low), int(high)):
            yield "the lower end left out", tree.Between(measure, low + 1, high)
            yield "the upper end left out", tree.Between(measure, low, high - 1)
        # "At least one" is worded as "some", which has no boundary to mistake.
        case tree.Exists(relation, where, int(least)) if least > 1:
            yield "more than instead of at least", tree.Exists(relation, where, least + 1)


def _wrong_top(reading: Interpretation) -> Iterator[Variation]:
    top = reading.program.top
    if isinstance(top, int):
        for detail, other in (("one more", top + 1), ("one less", top - 1)):
            if other:
                yield Variation(detail, replace(reading, program=replace(reading.program, top=other)))


def _miscount(reading: Interpretation) -> Iterator[Variation]:
    if _is_count(reading.program.output, reading.database.schema):
        yield Variation("one too many", replace(reading, off=1))
        yield Variation("one too few", replace(reading, off=-1))


def _is_count(output: object, schema: Schema) -> bool:
    """Whether the result consists of counts; means and quotients are not off by one."""
    match output:
        case tree.GroupedResults(_, result):
            return _is_count(result, schema)
        case tree.Count() | tree.CountDistinct():
            return True
        case tree.Values(tree.Column() as measure) | tree.Aggregate("MAX" | "MIN" | "SUM", tree.Column() as measure):
            return schema.type_of(measure) == "integer"
        case _:
            return False


def _ignore_distinct(reading: Interpretation) -> Iterator[Variation]:
    program, schema = reading.program, reading.database.schema
    match program.output:
        case tree.Values(measure, True) if schema.type_of(measure) != "text":
            listed = replace(program, output=tree.Values(measure))
            yield Variation("repeated values listed again", replace(reading, program=listed))
        case tree.CountDistinct(measure) if schema.type_of(measure) != "text":
            count = replace(program, output=tree.Count())
            yield Variation("repeated values counted again", replace(reading, program=count))


def _other_column(reading: Interpretation) -> Iterator[Variation]:
    """One numeric column replaced with another of the same table and type, throughout the program."""
    schema = reading.database.schema
    used_names = {node.name for node in schema.nodes(reading.program) if isinstance(node, tree.Column)}
    for table in schema.tables:
        numbers = [column for column in table.columns if column.nouns and column.type in ("integer", "decimal")]
        for number in numbers:
            for other_number in numbers:
                if number.name in used_names and other_number != number and other_number.type == number.type:
                    program = _exchange_columns(
                        reading.program, tree.Column(number.name), tree.Column(other_number.name)
                    )
                    yield Variation(f"{other_number.name} instead of {number.name}", replace(reading, program=program))


def _exchange_columns(node: Any, column: tree.Column, other: tree.Column) -> Any:
    """The tree with one column in place of another throughout."""
    if node == column:
        return other
    parts = tree.children(node)
    return tree.rebuild(node, tuple(_exchange_columns(part, column, other) for part in parts)) if parts else node


def _function(first: tree.Function, second: tree.Function) -> tree.TreeEdit:
    """An edit that replaces each of two functions with the other."""

    def edit(node: Any) -> tree.TreeEdits:
        if isinstance(node, tree.Aggregate | tree.PeerAggregate | tree.GroupsAggregate) and node.function in (
            first,
            second,
        ):
            other = second if node.function == first else first
            yield f"{other} instead of {node.function}", replace(node, function=other)

    return edit


def _inverted_ratio(node: Any) -> tree.TreeEdits:
    if isinstance(node, tree.Ratio) and node.numerator != node.denominator:
        yield "the denominator divided by the numerator", tree.Ratio(node.denominator, node.numerator, node.only)


def _wrong_peers(node: Any) -> tree.TreeEdits:
    if isinstance(node, tree.PeerAggregate):
        if node.by is not None:
            yield "all rows instead of those of the group", replace(node, by=None)
        if node.among is not None:
            yield "all peers instead of those that meet the condition", replace(node, among=None)


def _unknown_as_zero(reading: Interpretation) -> Iterator[Variation]:
    database = reading.seen
    if not database.evaluation.unknown_cells(reading.program):
        return
    rows = {
        table.name: tuple(
            tuple(
                0 if cell is None and column.type in ("integer", "decimal") else cell
                for cell, column in zip(row, table.columns, strict=True)
            )
            for row in database.rows[table.name]
        )
        for table in database.schema.tables
    }
    yield Variation("every unknown value as zero", over(reading, replace(database, rows=rows)))


def _miss_document(reading: Interpretation) -> Iterator[Variation]:
    schema = reading.database.schema
    for number in range(1, len(reading.database.rows[schema.main.name]) + 1):
        if number not in reading.missing:
            detail = f"{schema.main.noun} {number}"
            yield Variation(detail, replace(reading, missing=reading.missing | {number}))


FAULTS: dict[str, ReadingFault] = {
    fault.name: fault
    for fault in (
        ReadingFault("drop-filter", "ignores one condition or all of them", _drop_filter),
        ReadingFault("ignore-not", "ignores a negation", by_edit(_ignore_not)),
        ReadingFault("and-for-or", "reads AND as OR, or OR as AND", by_edit(_and_for_or)),
        ReadingFault("reverse", "sorts in the opposite direction", by_edit(_reverse)),
        ReadingFault("boundary", "includes an excluded boundary, or excludes an included one", by_edit(_boundary)),
        ReadingFault("miscount", "is off by one in each count of the result", _miscount),
        ReadingFault("ignore-distinct", "counts or lists repeated values more than once", _ignore_distinct),
        ReadingFault("other-column", "confuses two numeric columns", _other_column),
        ReadingFault("min-for-max", "confuses minimum and maximum", by_edit(_function("MIN", "MAX"))),
        ReadingFault("sum-for-avg", "confuses sum and mean", by_edit(_function("SUM", "AVG"))),
        ReadingFault("wrong-top", "lists one row too many or too few of a ranking", _wrong_top),
        ReadingFault("inverted-ratio", "inverts a ratio", by_edit(_inverted_ratio)),
        ReadingFault("wrong-peers", "compares with an aggregate over the wrong rows", by_edit(_wrong_peers)),
        ReadingFault("unknown-as-zero", "reads unknown values as zero", _unknown_as_zero),
        ReadingFault("miss-document", "misses one of the documents", _miss_document),
    )
}
"""The faults that apply to programs over any schema, by name."""
