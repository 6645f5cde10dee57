"""The nodes of a program: measures, conditions, outputs. A program with `Slot`s in it is a template."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

Comparator = Literal["=", "<>", "<", ">", "<=", ">="]
Function = Literal["MAX", "MIN", "SUM", "AVG"]
Direction = Literal["ASC", "DESC"]
Sign = Literal["+", "-", "*", "/", "%"]


@dataclass(frozen=True)
class Slot:
    """A value that is drawn when a template is filled."""

    kind: str
    """The kind of value that fills it, such as "number" or "title"; the family draws values of each kind."""
    number: int
    """Distinguishes the slots of one template."""
    of: Measure | None = field(default=None, hash=False)
    """For a number: the measure whose values it is drawn from."""


Constant = int | float | str
"""A number, a text, a category, or a date as YYYY-MM-DD."""
ConstantOrSlot = Constant | Slot
Bindings = Mapping[Slot, Constant]


# Measures: one value for each row.


@dataclass(frozen=True)
class Column:
    name: str


@dataclass(frozen=True)
class Arithmetic:
    """Two measures combined. Division gives a decimal number; division by zero gives NULL."""

    left: Measure
    sign: Sign
    right: Measure | int | float


@dataclass(frozen=True)
class Term:
    weight: int | float
    measure: Measure


@dataclass(frozen=True)
class WeightedSum:
    """A composite metric: the sum of measures, each times its weight."""

    terms: tuple[Term, ...]


@dataclass(frozen=True)
class PeerAggregate:
    """One number over a row's peers: the rows with the same `by`, or all rows; only those that meet `among`."""

    function: Function
    measure: Measure
    by: Column | None = None
    among: Condition | None = None


@dataclass(frozen=True)
class RelatedCount:
    """The number of rows of a relation that meet the condition, such as the number of articles that cite this one."""

    relation: str
    where: Condition | None = None


Measure = Column | Arithmetic | WeightedSum | PeerAggregate | RelatedCount


# Conditions: true, false or unknown for each row, as in SQL.


@dataclass(frozen=True)
class Compare:
    """A measure against a value or against another measure of the same row."""

    measure: Measure
    sign: Comparator
    value: ConstantOrSlot | Measure


@dataclass(frozen=True)
class Between:
    """Both ends are included."""

    measure: Measure
    low: ConstantOrSlot
    high: ConstantOrSlot


@dataclass(frozen=True)
class OneOf:
    measure: Measure
    values: tuple[ConstantOrSlot, ...]


@dataclass(frozen=True)
class Contains:
    """The fragment occurs in the text, in upper or lower case: anywhere, at its start, or at its end."""

    column: Column
    fragment: str | Slot
    place: Literal["anywhere", "start", "end"] = "anywhere"


@dataclass(frozen=True)
class IsUnknown:
    """The cell is NULL."""

    column: Column


@dataclass(frozen=True)
class Exists:
    """At least `least` rows of a relation meet the condition."""

    relation: str
    where: Condition | None = None
    least: int | Slot = 1


@dataclass(frozen=True)
class And:
    left: Condition
    right: Condition


@dataclass(frozen=True)
class Or:
    left: Condition
    right: Condition


@dataclass(frozen=True)
class Not:
    inner: Condition


Condition = Compare | Between | OneOf | Contains | IsUnknown | Exists | And | Or | Not


# Outputs: what is asked of the rows that meet the condition.


@dataclass(frozen=True)
class Labels:
    """The names of the rows, such as the titles of articles."""


@dataclass(frozen=True)
class Values:
    """A measure of each row."""

    measure: Measure
    distinct: bool = False


@dataclass(frozen=True)
class Columns:
    """Several measures of each row, as one row of the answer."""

    measures: tuple[Measure, ...]


@dataclass(frozen=True)
class Count:
    """The number of rows, or of those in which a column is not NULL; its table is then the one that is counted."""

    column: Column | None = None


@dataclass(frozen=True)
class CountDistinct:
    """The number of different values of a measure, not counting NULL."""

    measure: Measure


@dataclass(frozen=True)
class Aggregate:
    """One number over all rows; NULLs are skipped, and over no values it is NULL."""

    function: Function
    measure: Measure


@dataclass(frozen=True)
class Ratio:
    """One aggregate divided by another; the numerator may be restricted to the rows that meet `only`."""

    numerator: Count | CountDistinct | Aggregate
    denominator: Count | CountDistinct | Aggregate
    only: Condition | None = None


@dataclass(frozen=True)
class CombinedResult:
    """Two results combined, such as the largest value minus the smallest."""

    left: Result
    sign: Literal["+", "-", "*"]
    right: Result | int


Result = Count | CountDistinct | Aggregate | Ratio | CombinedResult
"""One number over a set of rows."""


@dataclass(frozen=True)
class Having:
    """A condition on a group; an aggregate on the right is taken over all rows of the program."""

    result: Result
    sign: Comparator
    value: int | float | Slot | Aggregate


@dataclass(frozen=True)
class GroupedResults:
    """The groups of rows with the same `key`: the key and one number of each, or only one of them."""

    key: Column
    result: Result | None
    having: Having | None = None
    keys: bool = True
    """Whether the keys are listed; without them, the result of each group is."""


@dataclass(frozen=True)
class GroupsAggregate:
    """One number over the results of all groups, such as the mean of the totals; or the number of groups."""

    function: Function | Literal["COUNT"]
    key: Column
    result: Result | None
    """None if groups are counted."""
    having: Having | None = None


Output = Labels | Values | Columns | Result | GroupedResults | GroupsAggregate


@dataclass(frozen=True)
class Sort:
    """A sort key: a measure of a row, or a result of a group."""

    measure: Measure | Result
    direction: Direction


@dataclass(frozen=True)
class Program:
    """A query: the rows, the output computed from them, and the order."""

    output: Output
    where: Condition | None = None
    order: tuple[Sort, ...] = ()
    top: int | Slot | None = None
    """How many of the sorted rows; all rows that tie for the last place are included."""


# Walking a tree.


def nodes(node: Any) -> Iterator[Any]:
    """The node and every node below it, in order."""
    # An explicit stack: nested generators took twice the time.
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, int | str):
            waiting.extend(reversed(children(node)))


def children(node: Any) -> Any:
    """The parts of a node, in order."""
    if isinstance(node, tuple):
        return node
    if isinstance(node, Slot):
        return ()
    # A dataclass lists its fields' names for `match`, and that list is quick to reach.
    return tuple([getattr(node, name) for name in getattr(node, "__match_args__", ())])


T = TypeVar("T")


def rebuild(node: T, parts: tuple[Any, ...]) -> T:
    """A node of the same type with other parts."""
    return parts if isinstance(node, tuple) else type(node)(*parts)  # type: ignore[return-value]


TreeEdits = Iterator[tuple[str, Any]]
"""Replacements of a node or a tree, each after a description of the edit."""
TreeEdit = Callable[[Any], TreeEdits]
"""Gives the replacements of one node; none if the edit does not apply to it."""


def edited(node: Any, edit: TreeEdit, is_leaf: Callable[[Any], bool] = lambda node: False) -> TreeEdits:
    """Every tree that differs from this one by one edit of one node; nothing below a leaf is edited."""
    if isinstance(node, int | str):
        return
    yield from edit(node)
    if is_leaf(node):
        return
    parts = children(node)
    for index, part in enumerate(parts):
        for detail, changed in edited(part, edit, is_leaf):
            yield detail, rebuild(node, (*parts[:index], changed, *parts[index + 1 :]))


def slots(program: Program) -> list[Slot]:
    """The slots of a template, each once, in order."""
    return list(dict.fromkeys(node for node in nodes(program) if isinstance(node, Slot)))


def bind(node: T, values: Bindings) -> T:
    """The same tree with its slots filled."""
    if isinstance(node, Slot):
        return values[node]  # type: ignore[return-value]
    if isinstance(node, tuple) or hasattr(node, "__match_args__"):
        return rebuild(node, tuple([bind(part, values) for part in children(node)]))
    return node


def unify(pattern: Any, node: Any, values: dict[int, Any]) -> bool:
    """Whether the node has the form of the pattern; the values of its slots are added to `values`."""
    if isinstance(pattern, Slot):
        return bool(values.setdefault(pattern.number, node) == node)
    if type(pattern) is not type(node):
        return False
    pattern_parts, node_parts = children(pattern), children(node)
    if not pattern_parts:
        return bool(pattern == node)
    return len(pattern_parts) == len(node_parts) and all(
        unify(part, other, values) for part, other in zip(pattern_parts, node_parts, strict=True)
    )


def divides(node: Any) -> bool:
    """Whether a quotient of measures or results occurs in the tree."""
    return any(isinstance(part, Ratio) or (isinstance(part, Arithmetic) and part.sign == "/") for part in nodes(node))


def is_rounded(program: Program) -> bool:
    """Whether the output is rounded: means and quotients are."""
    output = program.output
    result = output.result if isinstance(output, GroupedResults) else output
    averages = (Aggregate, GroupsAggregate, PeerAggregate)
    means = any(isinstance(node, averages) and node.function == "AVG" for node in nodes(result))
    return means or divides(result)


def may_be_empty(program: Program) -> bool:
    """Whether the condition may leave nothing to answer with; a count of nothing is zero."""
    match program.output:
        case GroupedResults(having=Having()) | GroupsAggregate("MAX" | "MIN" | "SUM" | "AVG", having=Having()):
            return True
        case Count() | CountDistinct() | GroupsAggregate("COUNT"):
            return False
        case _:
            return program.where is not None
