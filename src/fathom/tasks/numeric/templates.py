"""The templates: every sensible meeting of what can be asked, of which articles, in which order.

They are made by rule and not written one by one, so that no skill, command or operator is forgotten; a template's id
hangs on its SQL alone, so that adding a rule renames no other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations, product

from fathom.records.record import short_id
from fathom.tasks.numeric.programs import (
    And,
    Arithmetic,
    AtPosition,
    Between,
    Cited,
    CitedByArticle,
    Cites,
    CitesArticle,
    Comparator,
    Compare,
    Condition,
    Direction,
    Field,
    Function,
    HasAuthor,
    HowMany,
    Measure,
    Names,
    Not,
    OneOf,
    Or,
    Output,
    Part,
    PerValue,
    Program,
    SharesAuthor,
    Skill,
    Slot,
    Sort,
    TitleHas,
    Titles,
    Topic,
    Total,
    Values,
    WroteAtLeast,
    may_be_empty,
    names_people,
    nodes,
    over_bylines,
    parts_read,
    skill,
    slots,
    topic,
)
from fathom.tasks.numeric.sql import Query, query

WORDS, AUTHORS, REFERENCES = Field("title_word_count"), Field("author_count"), Field("reference_count")
FIELDS = (WORDS, AUTHORS, REFERENCES)
ARITHMETIC = (
    Arithmetic(WORDS, "+", AUTHORS),
    Arithmetic(REFERENCES, "-", AUTHORS),
    Arithmetic(AUTHORS, "*", WORDS),
    Arithmetic(REFERENCES, "/", AUTHORS),
    Arithmetic(REFERENCES, "%", 10),
)
FUNCTIONS: tuple[Function, ...] = ("MAX", "MIN", "SUM", "AVG")
DIRECTIONS: tuple[Direction, ...] = ("ASC", "DESC")
SIGNS: tuple[Comparator, ...] = ("=", "<>", "<", ">", "<=", ">=")


@dataclass(frozen=True, eq=False)
class Template:
    """A program with places to fill, and what every filling of it has in common."""

    id: str
    program: Program
    labels: tuple[tuple[str, str], ...] = ()
    """What a user calls it, where it is a user's own."""

    @cached_property
    def skill(self) -> Skill:
        return skill(self.program)

    @cached_property
    def topic(self) -> Topic:
        return topic(self.program)

    @cached_property
    def slots(self) -> list[Slot]:
        return slots(self.program)

    @cached_property
    def query(self) -> Query:
        return query(self.program)

    @cached_property
    def counting(self) -> Query:
        """How many articles fit, for a template that totals them."""
        return query(Program(HowMany(), self.program.where))

    @cached_property
    def conditions(self) -> list[Condition]:
        """Every condition in it, those that are parts of others too."""
        return [node for node in nodes(self.program.where) if isinstance(node, Condition)]

    @cached_property
    def paired(self) -> list[Between | OneOf]:
        """Conditions whose values must fit one another."""
        return [node for node in self.conditions if isinstance(node, Between | OneOf)]

    @cached_property
    def divisors(self) -> frozenset[Field]:
        """The counts that it divides by."""
        quotients = (node for node in nodes(self.program) if isinstance(node, Arithmetic) and node.sign in "/%")
        return frozenset(node.right for node in quotients if isinstance(node.right, Field))

    @cached_property
    def names_titles(self) -> bool:
        """Whether articles are told apart by their titles, in the answer or in the question."""
        by_title = any(isinstance(node, CitesArticle | CitedByArticle | SharesAuthor) for node in self.conditions)
        return by_title or isinstance(self.program.output, Titles)

    @cached_property
    def over_bylines(self) -> bool:
        return over_bylines(self.program)

    @cached_property
    def names_people(self) -> bool:
        return names_people(self.program)

    @cached_property
    def parts_read(self) -> frozenset[Part]:
        return parts_read(self.program)

    @cached_property
    def may_be_empty(self) -> bool:
        """Whether a filling can be found that nothing answers."""
        return bool(self.slots) and may_be_empty(self.program)


@cache
def templates() -> tuple[Template, ...]:
    """All built-in templates, in a fixed order, no two with the same SQL."""
    made: dict[str, Template] = {}
    for program in filter(_asks_something, _programs()):
        text = query(program).text
        made.setdefault(text, Template(short_id("t", text), program))
    return tuple(made.values())


def _programs() -> Iterator[Program]:
    yield from _aggregating()
    yield from _sorting()
    yield from _filtering()
    yield from _relational()


def _asks_something(program: Program) -> bool:
    """Neither a sort by what the condition fixes nor an extreme of what it bounds: a part of those would be idle."""
    compared = {node.measure for node in nodes(program.where) if isinstance(node, Compare | Between | OneOf)}
    fixed = {node.measure for node in nodes(program.where) if isinstance(node, Compare) and node.sign == "="}
    if any(sort.measure in fixed for sort in program.order):
        return False
    extreme = isinstance(program.output, Total) and program.output.function in ("MAX", "MIN")
    return not (extreme and isinstance(program.output, Total) and program.output.measure in compared)


def _number(of: Measure, number: int = 0) -> Slot:
    return Slot("number", number, of)


def _aggregating() -> Iterator[Program]:
    """One number, or one for each group, over all articles."""
    measures: tuple[Measure, ...] = (*FIELDS, *ARITHMETIC)
    for function, measure in product(FUNCTIONS, measures):
        yield Program(Total(function, measure))
    yield Program(HowMany("people"))
    for measure in (*FIELDS, ARITHMETIC[4]):
        yield Program(HowMany(measure))
    for key in FIELDS:
        yield Program(PerValue(key, HowMany()))
        for function, measure in product(FUNCTIONS, FIELDS):
            if measure != key:
                yield Program(PerValue(key, Total(function, measure)))


def _sorting() -> Iterator[Program]:
    """All articles, or a measure of each, in order."""
    measures: tuple[Measure, ...] = (*FIELDS, *ARITHMETIC)
    outputs: tuple[Output, ...] = (Titles(), *map(Values, FIELDS))
    for output, measure in product(outputs, measures):
        for direction in DIRECTIONS:
            yield Program(output, order=(Sort(measure, direction),))
    for one, two in permutations(FIELDS, 2):
        yield Program(Titles(), order=(Sort(one, "ASC"), Sort(two, "DESC")))
        yield Program(Values(WORDS), order=(Sort(one, "DESC"), Sort(two, "ASC")))


def _simple(measure: Measure) -> Iterator[Condition]:
    """One condition on one measure, in every form."""
    for sign in SIGNS:
        yield Compare(measure, sign, _number(measure))
    yield Between(measure, _number(measure), _number(measure, 1))
    yield OneOf(measure, (_number(measure), _number(measure, 1), _number(measure, 2)))
    yield Not(Between(measure, _number(measure), _number(measure, 1)))
    yield Not(OneOf(measure, (_number(measure), _number(measure, 1))))
    yield Not(Compare(measure, ">", _number(measure)))


def _compound() -> Iterator[Condition]:
    """Two conditions together."""
    for one, two in permutations(FIELDS, 2):
        yield And(Compare(one, ">", _number(one)), Compare(two, "<=", _number(two)))
        yield Or(Compare(one, "<", _number(one)), Compare(two, ">=", _number(two)))
        yield And(Compare(one, ">=", _number(one)), Not(Compare(two, "=", _number(two))))
        yield Or(Not(Compare(one, ">", _number(one))), Compare(two, "=", _number(two)))


def _conditions() -> Iterator[Condition]:
    for measure in FIELDS:
        yield from _simple(measure)
    for computed in ARITHMETIC:
        yield Compare(computed, "=" if computed.sign == "%" else ">", _number(computed))
        yield Compare(computed, "<=", _number(computed))
    yield TitleHas(Slot("fragment", 0))
    yield Not(TitleHas(Slot("fragment", 0)))
    yield And(TitleHas(Slot("fragment", 0)), Compare(REFERENCES, ">", _number(REFERENCES)))
    yield from _compound()


def _filtering() -> Iterator[Program]:
    """Some of the articles: listed, totalled, sorted.

    Each condition meets a few outputs in turn, so that all outputs meet all kinds of conditions without all pairs.
    """
    lists: tuple[Output, ...] = (Titles(), *map(Values, FIELDS), Names(), Values(AUTHORS, distinct=True))
    totals: tuple[Output, ...] = (
        HowMany(),
        *(Total(function, measure) for function, measure in product(FUNCTIONS, FIELDS)),
        HowMany("people"),
        HowMany(REFERENCES),
        PerValue(AUTHORS, HowMany()),
        Total("AVG", ARITHMETIC[3]),
    )
    sortable: tuple[Measure, ...] = (*FIELDS, ARITHMETIC[1])
    orders = [Sort(measure, direction) for measure in sortable for direction in DIRECTIONS]
    sorted_outputs: tuple[Output, ...] = (Titles(), *map(Values, FIELDS))
    for place, condition in enumerate(_conditions()):
        for step in range(2):
            yield Program(lists[(place + 3 * step) % len(lists)], condition)
            yield Program(totals[(2 * place + 5 * step) % len(totals)], condition)
            output = sorted_outputs[(place + step) % len(sorted_outputs)]
            yield Program(output, condition, (orders[(3 * place + step) % len(orders)],))
    for sign in SIGNS:
        if sign == "<>":
            continue
        position = AtPosition(sign, Slot("position", 0))
        yield Program(Names(), position)
        yield Program(HowMany("people"), position)
        for measure in FIELDS:
            yield Program(Names(), And(position, Compare(measure, ">", _number(measure))))


def _relational() -> Iterator[Program]:
    """Articles and people by how they relate."""
    outputs: tuple[Output, ...] = (
        HowMany(),
        Titles(),
        Values(REFERENCES),
        Total("SUM", REFERENCES),
        Total("MAX", WORDS),
        Total("AVG", AUTHORS),
        Names(),
    )
    conditions: tuple[Condition, ...] = (
        Cites(),
        Cited(),
        Not(Cites()),
        Not(Cited()),
        And(Cites(), Cited()),
        And(Cites(), Not(Cited())),
        And(Cited(), Not(Cites())),
        Or(Cites(), Cited()),
        Cites(Slot("few", 0)),
        Cited(Slot("few", 0)),
        CitesArticle(Slot("title", 0)),
        CitedByArticle(Slot("title", 0)),
        And(Cited(), Compare(REFERENCES, ">", _number(REFERENCES))),
        And(Cites(), Compare(AUTHORS, "<=", _number(AUTHORS))),
        HasAuthor(Slot("name", 0)),
        And(HasAuthor(Slot("name", 0)), Not(HasAuthor(Slot("name", 1)))),
        Or(HasAuthor(Slot("name", 0)), HasAuthor(Slot("name", 1))),
        And(HasAuthor(Slot("name", 0)), Compare(WORDS, ">", _number(WORDS))),
        SharesAuthor(Slot("title", 0)),
    )
    for output, condition in product(outputs, conditions):
        if isinstance(output, Names) and not _of_citations(condition):
            continue
        yield Program(output, condition)
    people: tuple[Output, ...] = (Names(), HowMany("people"))
    for output in people:
        yield Program(output, WroteAtLeast(Slot("few", 0)))
        yield Program(output, Not(WroteAtLeast(2)))
    sorted_by: tuple[Condition, ...] = (Cites(), Cited(), Not(Cited()), HasAuthor(Slot("name", 0)))
    for direction, condition in product(DIRECTIONS, sorted_by):
        yield Program(Titles(), condition, (Sort(REFERENCES, direction),))


def _of_citations(condition: Condition) -> bool:
    """The authors of articles by one author would be a question about co-authors, which is worded otherwise."""
    return isinstance(condition, CitesArticle | CitedByArticle | Cites | Cited)
