"""How readers go wrong: edits of a question's own program, or of what was read of the articles.

A fault may strike a program in several places; each is a way. A simulated reader draws one, and whoever asks which slip
explains a wrong answer walks through all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any, NamedTuple

from fathom.scoring.answer_types.compare import agrees
from fathom.scoring.answers import Answer, Unanswerable
from fathom.tasks.numeric.answers import answer_of, normal_form
from fathom.tasks.numeric.evaluate import Row, evaluate
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
    Field,
    Function,
    HasAuthor,
    HowMany,
    Not,
    Or,
    PerValue,
    Program,
    SharesAuthor,
    Sort,
    Titles,
    Total,
    Values,
    WroteAtLeast,
    nodes,
)
from fathom.tasks.numeric.tables import AuthorRow, CitationRow, Tables


@dataclass(frozen=True)
class Reading:
    """What a reader computes, and from what."""

    program: Program
    tables: Tables
    missing: frozenset[int] = frozenset()
    """The numbers of articles that the reader did not see."""
    off: int = 0
    """What is added to each count of the result."""

    @cached_property
    def seen(self) -> Tables:
        """The tables without the missing articles."""
        return without(self.tables, self.missing) if self.missing else self.tables

    def answer(self) -> Answer:
        """What the reader comes to; nothing, where that would be a division by zero."""
        try:
            rows = evaluate(self.program, self.seen)
        except ZeroDivisionError:
            return Unanswerable()
        output = self.program.output
        if self.off:
            rows = _shifted(rows, 1 if isinstance(output, PerValue) else 0, self.off)
        if not self.program.order and (isinstance(output, Titles) or (isinstance(output, Values) and output.distinct)):
            rows = list(dict.fromkeys(rows))
        return answer_of(self.program, rows, self.seen)


def _shifted(rows: Sequence[Row], place: int, off: int) -> list[Row]:
    """The rows with one column off; nobody counts below zero."""
    return [
        (*row[:place], max(0, value + off), *row[place + 1 :]) if isinstance(value := row[place], int) else row
        for row in rows
    ]


def without(tables: Tables, missing: frozenset[int]) -> Tables:
    """The tables without some articles, their authors and citations.

    The other articles move up, since rows are found by their number; every row still speaks of the same article, and
    people keep the names by which the questions call them.
    """
    left = [row for row in tables.articles if row.number not in missing]
    moved = {row.number: number for number, row in enumerate(left, start=1)}
    return Tables(
        sources=tuple(tables.sources[row.number - 1] for row in left) if tables.sources else (),
        articles=tuple(row._replace(number=moved[row.number]) for row in left),
        authors=tuple(
            AuthorRow(moved[row.article], row.name, row.position) for row in tables.authors if row.article in moved
        ),
        citations=tuple(
            CitationRow(moved[row.citing], moved[row.cited])
            for row in tables.citations
            if row.citing in moved and row.cited in moved
        ),
    )


class Way(NamedTuple):
    """One place where a fault strikes."""

    detail: str
    reading: Reading


class Variant(NamedTuple):
    """What a reader with one fault answers."""

    fault: str
    detail: str
    answer: Answer


@dataclass(frozen=True)
class Fault:
    """One manner of going wrong."""

    name: str
    describe: str
    ways: Callable[[Reading], Iterator[Way]]
    """Every place where it can strike a reading; none where it does not apply."""

    def strike(self, reading: Reading, rng: Random) -> Reading | None:
        """The reading after this fault struck at one of its places; None where it does not apply."""
        ways = list(self.ways(reading))
        return rng.choice(ways).reading if ways else None


def variants(program: Program, tables: Tables) -> Iterator[Variant]:
    """What every single fault makes of the answer, in the order of `FAULTS`; those that leave it right are left out."""
    reading = Reading(program, tables)
    right = reading.answer()
    form = normal_form(right)
    for fault in FAULTS.values():
        for detail, broken in fault.ways(reading):
            answer = broken.answer()
            # Two answers of different form may still accept the same responses: a sum over one article is its mean.
            if normal_form(answer) != form and not agrees(right, answer):
                yield Variant(fault.name, detail, answer)


# Edits of the program.

Edit = Callable[[Any], Iterator[tuple[str, Any]]]
"""What one node can become, and what happened to it."""


def _edited(node: Any, edit: Edit) -> Iterator[tuple[str, Any]]:
    """Every tree that differs from this one by one edit of one node."""
    if isinstance(node, int | str):
        return
    yield from edit(node)
    parts = _parts(node)
    for place, part in enumerate(parts):
        for detail, changed in _edited(part, edit):
            yield detail, _remade(node, (*parts[:place], changed, *parts[place + 1 :]))


def _parts(node: Any) -> tuple[Any, ...]:
    """What a node is made of."""
    if isinstance(node, tuple):
        return node
    return tuple(getattr(node, name) for name in getattr(node, "__match_args__", ()))


def _remade(node: Any, parts: tuple[Any, ...]) -> Any:
    """A node of the same kind, made of other parts."""
    return parts if isinstance(node, tuple) else type(node)(*parts)


def _by(edit: Edit) -> Callable[[Reading], Iterator[Way]]:
    """The ways of a fault that edits one node of the program."""

    def ways(reading: Reading) -> Iterator[Way]:
        for detail, program in _edited(reading.program, edit):
            yield Way(detail, replace(reading, program=program))

    return ways


def _drop_filter(reading: Reading) -> Iterator[Way]:
    where = reading.program.where
    if where is None:
        return
    for detail, kept in _edited(where, _one_side):
        yield Way(detail, _where(reading, kept))
    yield Way("no condition at all", _where(reading, None))


def _where(reading: Reading, where: Condition | None) -> Reading:
    return replace(reading, program=replace(reading.program, where=where))


def _one_side(node: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(node, And | Or):
        yield "only the second condition", node.right
        yield "only the first condition", node.left


def _ignore_not(node: Any) -> Iterator[tuple[str, Any]]:
    match node:
        case Not(inner):
            yield "a condition without its not", inner
        case Compare(measure, "<>", value):
            yield "equal for not equal", Compare(measure, "=", value)
        case AtPosition("<>", value):
            yield "equal for not equal", AtPosition("=", value)


def _and_for_or(node: Any) -> Iterator[tuple[str, Any]]:
    match node:
        case And(left, right):
            yield "either condition for both", Or(left, right)
        case Or(left, right):
            yield "both conditions for either", And(left, right)


def _reverse(node: Any) -> Iterator[tuple[str, Any]]:
    match node:
        case Sort(measure, "ASC"):
            yield "descending for ascending", Sort(measure, "DESC")
        case Sort(measure, "DESC"):
            yield "ascending for descending", Sort(measure, "ASC")


def _citing_for_cited(node: Any) -> Iterator[tuple[str, Any]]:
    match node:
        case Cites(least):
            yield "cited for citing", Cited(least)
        case Cited(least):
            yield "citing for cited", Cites(least)
        case CitesArticle(title):
            yield "cited by the article for citing it", CitedByArticle(title)
        case CitedByArticle(title):
            yield "citing the article for cited by it", CitesArticle(title)


def _turned(reading: Reading) -> Iterator[Way]:
    """One relation read the wrong way round, or all of them."""
    yield from _by(_citing_for_cited)(reading)
    relations = [node for node in nodes(reading.program) if isinstance(node, Cites | Cited)]
    if len(relations) > 1:
        seen = reading.seen
        citations = tuple(CitationRow(row.cited, row.citing) for row in seen.citations)
        yield Way("every citation the other way round", _of(reading, replace(seen, citations=citations)))


def _of(reading: Reading, tables: Tables) -> Reading:
    """The same program over other tables."""
    return replace(reading, tables=tables, missing=frozenset())


def _references_as_citations(reading: Reading) -> Iterator[Way]:
    yield from _by(_references_for_citations)(reading)
    if not any(node == Field("reference_count") for node in nodes(reading.program)):
        return
    seen = reading.seen
    for detail, counts in (
        ("only references to articles of the collection", seen.citing),
        ("citations by articles of the collection for references", seen.cited),
    ):
        articles = tuple(row._replace(reference_count=counts[row.number]) for row in seen.articles)
        yield Way(detail, _of(reading, replace(seen, articles=articles)))


def _references_for_citations(node: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(node, Cites | Cited):
        yield "all references for citations in the collection", Compare(Field("reference_count"), ">=", node.least)


_OTHER_BOUND: dict[Comparator, Comparator] = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}


def _boundary(node: Any) -> Iterator[tuple[str, Any]]:
    match node:
        case Compare(measure, sign, value) if sign in _OTHER_BOUND:
            yield f"{_OTHER_BOUND[sign]} for {sign}", Compare(measure, _OTHER_BOUND[sign], value)
        case AtPosition(sign, value) if sign in _OTHER_BOUND:
            yield f"{_OTHER_BOUND[sign]} for {sign}", AtPosition(_OTHER_BOUND[sign], value)
        case Between(measure, int(low), int(high)):
            yield "the lower end left out", Between(measure, low + 1, high)
            yield "the upper end left out", Between(measure, low, high - 1)
        # "At least one" is worded as "some", which has no boundary to mistake.
        case Cites(int(least)) | Cited(int(least)) | WroteAtLeast(int(least)) if least > 1:
            yield "more than for at least", type(node)(least + 1)


def _miscount(reading: Reading) -> Iterator[Way]:
    if _is_count(reading.program.output):
        yield Way("one too many", replace(reading, off=1))
        yield Way("one too few", replace(reading, off=-1))


def _is_count(output: object) -> bool:
    """Whether the result is made of counts; of a mean or a quotient nobody is off by one."""
    match output:
        case PerValue(_, result):
            return _is_count(result)
        case HowMany() | Values(Field()) | Total("MAX" | "MIN" | "SUM", Field()):
            return True
        case _:
            return False


def _ignore_distinct(reading: Reading) -> Iterator[Way]:
    program = reading.program
    match program.output:
        case Values(measure, True):
            listed = replace(program, output=Values(measure))
            yield Way("values with their repeats", replace(reading, program=listed))
        case HowMany(Field() | Arithmetic()):
            counted = replace(program, output=HowMany())
            yield Way("every value counted, not every different one", replace(reading, program=counted))
        # Where a condition names people, who is who decides which articles fit, and not only how many there are.
        case HowMany("people") if not any(
            isinstance(node, HasAuthor | SharesAuthor | WroteAtLeast) for node in nodes(program.where)
        ):
            seen = reading.seen
            seats = tuple(row._replace(name=f"{row.article} {row.position}") for row in seen.authors)
            yield Way("every name in every byline counted", _of(reading, replace(seen, authors=seats)))


_FIELDS = (Field("title_word_count"), Field("author_count"), Field("reference_count"))


def _other_column(reading: Reading) -> Iterator[Way]:
    """One count taken for another wherever the program has it."""
    used = {node for node in nodes(reading.program) if isinstance(node, Field)}
    for one in _FIELDS:
        for other in _FIELDS:
            if one in used and other != one:
                program = _exchanged(reading.program, one, other)
                yield Way(f"{other.name} for {one.name}", replace(reading, program=program))


def _exchanged(node: Any, one: Field, other: Field) -> Any:
    """The tree with one field in place of another throughout."""
    if node == one:
        return other
    parts = _parts(node)
    return _remade(node, tuple(_exchanged(part, one, other) for part in parts)) if parts else node


def _wrong_position(node: Any) -> Iterator[tuple[str, Any]]:
    match node:
        case AtPosition(sign, int(value)):
            yield "positions counted from zero", AtPosition(sign, value + 1)


def _function(one: Function, two: Function) -> Edit:
    """Takes each of two functions for the other."""

    def edit(node: Any) -> Iterator[tuple[str, Any]]:
        if isinstance(node, Total) and node.function in (one, two):
            other = two if node.function == one else one
            yield f"{other} for {node.function}", Total(other, node.measure)

    return edit


def _miss_document(reading: Reading) -> Iterator[Way]:
    for row in reading.tables.articles:
        if row.number not in reading.missing:
            yield Way(f"article {row.number}", replace(reading, missing=reading.missing | {row.number}))


FAULTS: dict[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault("drop-filter", "leaves out a condition, or all of them", _drop_filter),
        Fault("ignore-not", "reads over a not", _by(_ignore_not)),
        Fault("and-for-or", "takes and for or, or the other way round", _by(_and_for_or)),
        Fault("reverse", "sorts in the other direction", _by(_reverse)),
        Fault("citing-for-cited", "takes what cites for what is cited, or the other way round", _turned),
        Fault(
            "references-as-citations",
            "takes entries of a reference list for citations within the collection, or the other way round",
            _references_as_citations,
        ),
        Fault("boundary", "counts a boundary in where it is out, or the other way round", _by(_boundary)),
        Fault("miscount", "is off by one in each count of the result", _miscount),
        Fault("ignore-distinct", "counts or lists again what was there already", _ignore_distinct),
        Fault("other-column", "takes one count of an article for another", _other_column),
        Fault("wrong-position", "counts positions in a byline from zero", _by(_wrong_position)),
        Fault("min-for-max", "takes the least for the most, or the other way round", _by(_function("MIN", "MAX"))),
        Fault("sum-for-avg", "takes the sum for the mean, or the other way round", _by(_function("SUM", "AVG"))),
        Fault("miss-document", "does not see one of the articles", _miss_document),
    )
}
"""Every fault by its name, in the order in which a reader's dials are drawn."""
