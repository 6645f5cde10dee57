"""A question is a small program; its SQL, its words, its skill and its topic are all read off the same tree.

A program whose places are filled with `Slot`s is a template; `bind` puts values there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, TypeVar

Measured = Literal["title_word_count", "author_count", "reference_count"]
Comparator = Literal["=", "<>", "<", ">", "<=", ">="]
Function = Literal["MAX", "MIN", "SUM", "AVG"]
Direction = Literal["ASC", "DESC"]
SlotKind = Literal["number", "position", "name", "title", "fragment", "few"]


@dataclass(frozen=True)
class Slot:
    """A value still to be drawn from a context."""

    kind: SlotKind
    number: int
    """Tells the slots of one template apart."""
    of: Measure | None = field(default=None, hash=False)
    """For a number: the measure whose values it is drawn from."""


Whole = int | Slot
Words = str | Slot


# What can be measured of an article.


@dataclass(frozen=True)
class Field:
    """One of the three counts."""

    name: Measured


@dataclass(frozen=True)
class Arithmetic:
    """Two counts, or a count and a number, put together; division gives a decimal number."""

    left: Field
    sign: Literal["+", "-", "*", "/", "%"]
    right: Field | int


Measure = Field | Arithmetic


# What can be asked of an article.


@dataclass(frozen=True)
class Compare:
    measure: Measure
    sign: Comparator
    value: Whole


@dataclass(frozen=True)
class Between:
    """Both ends included."""

    measure: Measure
    low: Whole
    high: Whole


@dataclass(frozen=True)
class OneOf:
    measure: Measure
    values: tuple[Whole, ...]


@dataclass(frozen=True)
class TitleHas:
    """The fragment stands anywhere in the title, even inside a word; capitals do not matter."""

    fragment: Words


@dataclass(frozen=True)
class HasAuthor:
    name: Words


@dataclass(frozen=True)
class Cites:
    """It cites at least so many other articles of the collection."""

    least: Whole = 1


@dataclass(frozen=True)
class Cited:
    """At least so many other articles of the collection cite it."""

    least: Whole = 1


@dataclass(frozen=True)
class CitesArticle:
    title: Words


@dataclass(frozen=True)
class CitedByArticle:
    title: Words


@dataclass(frozen=True)
class SharesAuthor:
    """It has an author in common with the named article and is not that article."""

    title: Words


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


@dataclass(frozen=True)
class AtPosition:
    """Of one name in a byline: its position, counted from one."""

    sign: Comparator
    value: Whole


@dataclass(frozen=True)
class WroteAtLeast:
    """Of a person: has so many articles in the collection."""

    least: Whole


Condition = (
    Compare
    | Between
    | OneOf
    | TitleHas
    | HasAuthor
    | Cites
    | Cited
    | CitesArticle
    | CitedByArticle
    | SharesAuthor
    | And
    | Or
    | Not
    | AtPosition
    | WroteAtLeast
)


# What is wanted of the articles that fit.


@dataclass(frozen=True)
class Titles:
    """Their titles."""


@dataclass(frozen=True)
class Names:
    """Their authors' names, each once."""


@dataclass(frozen=True)
class Values:
    """A measure of each."""

    measure: Measure
    distinct: bool = False


@dataclass(frozen=True)
class HowMany:
    """How many there are: articles, people, or different values of a measure."""

    what: Literal["articles", "people"] | Measure = "articles"


@dataclass(frozen=True)
class Total:
    """One number over all of them."""

    function: Function
    measure: Measure


@dataclass(frozen=True)
class PerValue:
    """For each value of `key`, one number over the articles that have it."""

    key: Field
    result: HowMany | Total


Output = Titles | Names | Values | HowMany | Total | PerValue


@dataclass(frozen=True)
class Sort:
    measure: Measure
    direction: Direction


@dataclass(frozen=True)
class Program:
    """Which articles, what of them, in which order."""

    output: Output
    where: Condition | None = None
    order: tuple[Sort, ...] = ()


# Walking the tree.


def nodes(node: Any) -> Iterator[Any]:
    """The node and every node below it, in order."""
    # A stack of its own: generators inside generators took twice the time, and programs are walked all day.
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, int | str):
            waiting.extend(reversed(_parts(node)))


def _parts(node: Any) -> Any:
    """What a node is made of; a dataclass lists its fields' names for `match`, and that list is quick to reach."""
    if isinstance(node, tuple):
        return node
    if isinstance(node, Slot):
        return ()
    return [getattr(node, name) for name in getattr(node, "__match_args__", ())]


def slots(program: Program) -> list[Slot]:
    """The slots of a template, each once, in order."""
    return list(dict.fromkeys(node for node in nodes(program) if isinstance(node, Slot)))


T = TypeVar("T")


def bind(node: T, values: dict[Slot, int | str]) -> T:
    """The same tree with its slots filled."""
    if isinstance(node, Slot):
        return values[node]  # type: ignore[return-value]
    if isinstance(node, tuple):
        return tuple(bind(part, values) for part in node)  # type: ignore[return-value]
    if hasattr(node, "__match_args__"):
        return type(node)(*(bind(part, values) for part in _parts(node)))
    return node


# What a program is about.

Skill = Literal[
    "aggregating", "sorting", "filtering", "filtering+aggregating", "filtering+sorting", "relational filtering"
]
Topic = Literal[
    "author count",
    "author list",
    "author relation",
    "reference count",
    "citation relation",
    "title list",
    "title word count",
]

_BY_CITATION = (Cites, Cited, CitesArticle, CitedByArticle)
_BY_AUTHOR = (HasAuthor, SharesAuthor, WroteAtLeast)
RELATIONS = _BY_CITATION + _BY_AUTHOR
"""Conditions on how articles and people relate."""

TOPIC_OF: dict[Measured, Topic] = {
    "title_word_count": "title word count",
    "author_count": "author count",
    "reference_count": "reference count",
}


def skill(program: Program) -> Skill:
    """Which of the paper's six skills it takes."""
    if any(isinstance(node, RELATIONS) for node in nodes(program)):
        return "relational filtering"
    aggregates = isinstance(program.output, HowMany | Total | PerValue)
    if program.where is None:
        return "sorting" if program.order else "aggregating" if aggregates else "filtering"
    return "filtering+sorting" if program.order else "filtering+aggregating" if aggregates else "filtering"


def topic(program: Program) -> Topic:
    """Which of the paper's seven topics it is about: a relation where it has one, else what is wanted."""
    for node in nodes(program):
        if isinstance(node, _BY_CITATION):
            return "citation relation"
    for node in nodes(program):
        if isinstance(node, _BY_AUTHOR):
            return "author relation"
    match program.output:
        case Titles():
            return "title list"
        case Names() | HowMany("people"):
            return "author list"
        case PerValue(key, _):
            return TOPIC_OF[key.name]
        case _:
            measured = next((node for node in nodes(program) if isinstance(node, Field)), None)
            return TOPIC_OF[measured.name] if measured is not None else "title list"


# One program is asked this for every way in which it may be misread.
@lru_cache(maxsize=1_024)
def over_bylines(program: Program) -> bool:
    """Whether the program runs over the names in bylines and not over articles."""
    if isinstance(program.output, Names) or program.output == HowMany("people"):
        return True
    return speaks_of_people(program.where)


def speaks_of_people(where: Condition | None) -> bool:
    """Whether a condition is on names and not on articles."""
    return any(isinstance(node, AtPosition | WroteAtLeast) for node in nodes(where))


def names_people(program: Program) -> bool:
    """Whether it matters who is who."""
    by_name = any(isinstance(node, (*_BY_AUTHOR, Names)) for node in nodes(program))
    return by_name or program.output == HowMany("people")


@lru_cache(maxsize=1_024)
def rounded(program: Program) -> bool:
    """Whether the wanted values need rounding: means and quotients do."""
    return any(
        (isinstance(node, Total) and node.function == "AVG") or (isinstance(node, Arithmetic) and node.sign == "/")
        for node in nodes(program.output)
    )


def may_be_empty(program: Program) -> bool:
    """Whether the condition may leave nothing to answer with; a count of nothing is zero."""
    return program.where is not None and not isinstance(program.output, HowMany)


Part = Literal["title", "byline", "references"]


def parts_read(program: Program) -> frozenset[Part]:
    """Which parts of an article the program needs."""
    needed: set[Part] = set()
    for node in nodes(program):
        match node:
            case Titles() | TitleHas() | Field("title_word_count"):
                needed.add("title")
            case Names() | AtPosition() | HasAuthor() | SharesAuthor() | WroteAtLeast() | Field("author_count"):
                needed.add("byline")
            case HowMany("people"):
                needed.add("byline")
            case Field("reference_count") | Cites() | Cited() | CitesArticle() | CitedByArticle():
                needed.add("references")
    return frozenset(needed or {"title"})
