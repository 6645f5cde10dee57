"""Programs of puzzles: trees whose leaves are facts of a document and values that the question gives."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from fathom.records.record import Record

ReasoningOperation = Literal["reading", "temporal", "arithmetic", "bridging", "comparison", "conditional"]
OPERATIONS: tuple[ReasoningOperation, ...] = ("temporal", "arithmetic", "bridging", "comparison", "conditional")
"""The operations of the paper; reading a fact is none of them."""
DATE = "date"


class Value(Record):
    """A number with its unit, a date such as 20240317 with the unit "date", or a name."""

    number: Decimal | None = None
    name: str = ""
    unit: str = ""


class GivenValue(Record):
    """A value that the question states."""

    op: Literal["given"] = "given"
    value: Value


class Lookup(Record):
    """The value of an attribute of an entity, as the document states it last."""

    op: Literal["lookup"] = "lookup"
    attribute: str
    of: Node
    part: Node | None = None
    period: str = ""


class Owner(Record):
    """The entity that has an attribute with this name as its value."""

    op: Literal["owner"] = "owner"
    attribute: str
    name: Node


class Option(Record):
    """One of the compared entities, with the value that is compared."""

    name: Node
    value: Node


class Pick(Record):
    """The entity with the largest or smallest value."""

    op: Literal["pick"] = "pick"
    which: Literal["largest", "smallest"]
    options: Annotated[tuple[Option, ...], Field(min_length=2)]


class Tally(Record):
    """How many values are larger than a bound."""

    op: Literal["tally"] = "tally"
    values: Annotated[tuple[Node, ...], Field(min_length=2)]
    bound: Node


class Compute(Record):
    """The result of an operation on two numbers, or on a date and a number of days."""

    op: Literal["compute"] = "compute"
    sign: Literal[
        "+",
        "-",
        "*",
        "/",
        "% of",
        "less %",
        "change %",
        "share %",
        "days later",
        "days between",
        "years later",
        "years between",
    ]
    left: Node
    right: Node
    named: str = ""
    """The name under which the question asks for it, such as "net"; empty if the question spells it out."""


class Choose(Record):
    """One of two values, depending on whether `left` is at least `right`."""

    op: Literal["choose"] = "choose"
    left: Node
    right: Node
    then: Node
    otherwise: Node
    named: str = ""


class Override(Record):
    """The value of an exception or amendment; the general rule if the document has none."""

    op: Literal["override"] = "override"
    exception: Node
    general: Node
    named: str = ""


Node = Annotated[GivenValue | Lookup | Owner | Pick | Tally | Compute | Choose | Override, Field(discriminator="op")]
for _kind in (Lookup, Owner, Option, Pick, Tally, Compute, Choose, Override):
    _kind.model_rebuild()

_NODE: TypeAdapter[Node] = TypeAdapter(Node)


def parse(text: str) -> Node:
    """The program in a proof."""
    return _NODE.validate_json(text)


def serialize(node: Node) -> str:
    """The program as text; the same program always gives the same text."""
    return node.model_dump_json()


def children(node: Node) -> tuple[Node, ...]:
    """The nodes that a node is computed from."""
    match node:
        case GivenValue():
            return ()
        case Lookup():
            return (node.of,) if node.part is None else (node.of, node.part)
        case Owner():
            return (node.name,)
        case Pick():
            return tuple(part for option in node.options for part in (option.name, option.value))
        case Tally():
            return (*node.values, node.bound)
        case Compute():
            return (node.left, node.right)
        case Choose():
            return (node.left, node.right, node.then, node.otherwise)
        case Override():
            return (node.exception, node.general)


def nodes(node: Node) -> Iterator[Node]:
    """The node and all nodes below it, those that come first in the computation first."""
    for child in children(node):
        yield from nodes(child)
    yield node


def operation(node: Node) -> ReasoningOperation:
    """The operation of a node."""
    match node:
        case GivenValue():
            return "reading"
        case Lookup():
            is_direct = all(isinstance(child, GivenValue) for child in children(node))
            return "reading" if is_direct else "bridging"
        case Owner():
            return "bridging"
        case Pick() | Tally():
            return "comparison"
        case Compute():
            return "temporal" if node.sign.startswith(("days", "years")) else "arithmetic"
        case Choose() | Override():
            return "conditional"


def subnodes(node: Node) -> Iterator[Node]:
    """The node and all nodes below it that are not given."""
    return (inner for inner in nodes(node) if not isinstance(inner, GivenValue))


def replaced(node: Node, old: Node, new: Node) -> Node:
    """The program with `new` in place of `old`, wherever that is."""
    if node == old:
        return new
    match node:
        case GivenValue():
            return node
        case Lookup():
            part = None if node.part is None else replaced(node.part, old, new)
            return node.model_copy(update={"of": replaced(node.of, old, new), "part": part})
        case Owner():
            return node.model_copy(update={"name": replaced(node.name, old, new)})
        case Pick():
            options = [
                Option(name=replaced(option.name, old, new), value=replaced(option.value, old, new))
                for option in node.options
            ]
            return node.model_copy(update={"options": tuple(options)})
        case Tally():
            values = tuple(replaced(value, old, new) for value in node.values)
            return node.model_copy(update={"values": values, "bound": replaced(node.bound, old, new)})
        case _:
            names = {Compute: ("left", "right"), Choose: ("left", "right", "then", "otherwise")}.get(
                type(node), ("exception", "general")
            )
            return node.model_copy(update={name: replaced(getattr(node, name), old, new) for name in names})


def iso_date(number: Decimal) -> str:
    """A date as 2024-03-17."""
    digits = f"{int(number):08}"
    return f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"


def format_number(number: Decimal) -> str:
    """A number with at most four decimals and without trailing zeros."""
    text = f"{round(number, 4):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
