"""Access to the values inside an answer: its numbers and texts, their groups, how many there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from fathom.scoring.answers import (
    Answer,
    Assignment,
    LinkedSpans,
    Multiset,
    Number,
    Ranking,
    Rows,
    Scalar,
    Selection,
    Spans,
    Text,
    Unanswerable,
    ValueSet,
)

ListValue = Scalar | tuple[Scalar, ...]
"""An element of a collection: a number, a text, or a row of them."""
ListAnswer = ValueSet | Multiset | Ranking
Collection = ValueSet | Multiset | Ranking | Rows


def items_of(answer: ListAnswer) -> Sequence[Scalar]:
    """The items of a list in order."""
    return [item for group in answer.groups for item in group] if isinstance(answer, Ranking) else answer.items


def values_of(answer: Collection) -> Sequence[ListValue]:
    """The elements of a collection in order: items, or rows."""
    return answer.rows if isinstance(answer, Rows) else items_of(answer)


def groups_of(answer: Collection) -> Sequence[Sequence[ListValue]]:
    """The elements of a collection in groups; the groups are ordered, the elements of one group are not."""
    if isinstance(answer, Ranking):
        return answer.groups
    if isinstance(answer, Rows):
        return [(row,) for row in answer.rows] if answer.ordered else [answer.rows]
    return [answer.items]


def is_ordered(answer: Collection) -> bool:
    """Whether the order of the elements matters."""
    return isinstance(answer, Ranking) or (isinstance(answer, Rows) and answer.ordered)


def scalars_of(answer: Answer) -> Iterable[Scalar]:
    """Every number and text of an answer."""
    match answer:
        case Number() | Text():
            return (answer,)
        case ValueSet() | Multiset() | Ranking():
            return items_of(answer)
        case Rows(rows=rows):
            return chain.from_iterable(rows)
        case _:
            return ()


def is_textual(answer: Answer) -> bool:
    """Whether the answer is a text or a list of texts, such as names or titles."""
    if isinstance(answer, ValueSet | Multiset | Ranking):
        return isinstance(items_of(answer)[0], Text)
    return isinstance(answer, Text)


def count_values(answer: Answer) -> int:
    """The number of values in an answer: cells of a table, slots of an assignment, links of linked spans."""
    match answer:
        case ValueSet() | Multiset() | Ranking():
            return len(items_of(answer))
        case Rows(rows=rows):
            return sum(map(len, rows))
        case Assignment(options=options) | Selection(options=options):
            return len(options)
        case Spans(passages=passages):
            return len(passages)
        case LinkedSpans(spans=spans):
            return sum(max(1, len(span.links)) for span in spans)
        case Unanswerable():
            return 0
        case _:
            return 1
