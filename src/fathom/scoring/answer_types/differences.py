"""How an incorrect answer differs from the key: one named difference, from the two answers alone.

Values are compared as the check compares them. The wording of the response plays no part.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from decimal import Decimal

from fathom.scoring.answer_types.compare import agrees, partial_credit
from fathom.scoring.answer_types.values import items_of
from fathom.scoring.answers import (
    Answer,
    Assignment,
    Choice,
    LinkedSpans,
    Multiset,
    Number,
    Ranking,
    Rows,
    Scalar,
    Selection,
    Spans,
    Text,
    ValueSet,
)

DIFFERENCES = {
    "NULL instead of an answer": "states that there is no answer, although there is one",
    "answer instead of NULL": "gives an answer to an unanswerable question",
    "wrong format": "values of a different type than the question asks for",
    "rounding": "correct except for the last digits",
    "off by one": "each number is one too high or one too low",
    "unit or scale": "off by a power of ten, or with a different unit or sign",
    "wrong number": "a number that differs in some other way",
    "partial text": "part of the correct name or title, or the correct one with extra words",
    "wrong text": "a different name or title",
    "reversed": "the correct values in the opposite order",
    "wrong order": "exactly the correct values, in a different order",
    "incomplete list": "some of the correct values and no others",
    "list with extra values": "all of the correct values and more",
    "wrong repeats": "the correct values, some of them too many or too few times",
    "partly correct list": "some correct values and some incorrect ones",
    "wrong list": "none of the correct values",
    "correct groups, wrong values": "a table with the correct groups but incorrect results",
    "wrong option": "one of the other options",
    "swapped options": "the correct options in the wrong slots",
    "some slots correct": "only some of the slots filled correctly",
    "no slot correct": "no slot filled correctly",
    "correct passages, wrong links": "the correct passages, linked to the wrong ones",
}
"""The name of every difference, with a description for reports."""

_SCALES = frozenset({10, 100, 1000, 10_000, 1_000_000, 1_000_000_000})
"""Ratios that suggest a unit or scale error: percent, thousand, ten thousand (Chinese 万), million, billion."""


def difference(key: Answer, read: Answer) -> str:
    """The name of the difference between `read`, an incorrect answer parsed from a response, and the key."""
    if read.type == "none":
        return "NULL instead of an answer"
    match key, read:
        case _ if key.type == "none":
            return "answer instead of NULL"
        case Number(), Number():
            return _numbers([(key, read)]) or "wrong number"
        case Text(), Text():
            return _texts(key, read)
        case Ranking(), Ranking():
            return _ranking(key, items_of(key), items_of(read))
        case (ValueSet() | Multiset(), ValueSet() | Multiset()):
            return _list(key.items, read.items, isinstance(key, ValueSet))
        case Rows(), Rows():
            return _rows(key, read)
        case Choice(), Choice():
            return "wrong option"
        case Assignment(), Assignment():
            return _assignment(key, read)
        case Selection(), Selection():
            return _by_overlap({*key.options}, {*read.options})
        case Spans(), Spans():
            return _by_overlap({*key.passages}, {*read.passages})
        case LinkedSpans(), LinkedSpans():
            expected, stated = ({span.passage for span in answer.spans} for answer in (key, read))
            return "correct passages, wrong links" if expected == stated else _by_overlap(expected, stated)
        case _:
            return "wrong format"


def _numbers(pairs: Sequence[tuple[Scalar, Scalar]]) -> str | None:
    """The difference that all unequal pairs share; None if they share none."""
    kinds = {_number(scalar, two) for scalar, two in pairs if not agrees(scalar, two)}
    return kinds.pop() if len(kinds) == 1 else None


def _number(key: Scalar, read: Scalar) -> str | None:
    """The difference between two unequal scalars; None if they are not numbers or have no named difference."""
    if not isinstance(key, Number) or not isinstance(read, Number):
        return None
    try:
        return _values(key.value, read.value)
    except ArithmeticError:
        return None  # a response may state a number with a million digits, too large for arithmetic


def _values(expected: Decimal, stated: Decimal) -> str | None:
    """The difference between two numbers; equal values differ in their unit."""
    if expected == stated:
        return "unit or scale"
    if abs(expected - stated) == 1 and expected == expected.to_integral_value():
        return "off by one"
    if _is_scaled(expected, stated):
        return "unit or scale"
    return "rounding" if _is_rounded(expected, stated) else "off by one" if abs(expected - stated) == 1 else None


def _is_scaled(expected: Decimal, stated: Decimal) -> bool:
    if not expected or not stated:
        return False
    if expected == -stated:
        return True
    more, less = max(abs(expected), abs(stated)), min(abs(expected), abs(stated))
    ratio = more / less
    return any(abs(ratio / scale - 1) < Decimal("0.005") for scale in _SCALES)


def _is_rounded(expected: Decimal, stated: Decimal) -> bool:
    """Whether the two differ by at most one step of the stated one: 3.67 and 3.7, 3.66 or 4, not 3.9."""
    exponent = stated.as_tuple().exponent
    places = -exponent if isinstance(exponent, int) and exponent < 0 else 0
    step = Decimal(1).scaleb(-places)
    near = abs(expected - stated) <= step if places else abs(expected - stated) < 1
    return near and expected != expected.to_integral_value()


def _texts(key: Text, read: Text) -> str:
    stated = read.value.casefold().strip()
    for spelling in (key.value, *key.aliases):
        expected = spelling.casefold().strip()
        if len(stated) >= 3 and (stated in expected or expected in stated):
            return "partial text"
    return "wrong text"


def _ranking(key: Ranking, expected: Sequence[Scalar], stated: Sequence[Scalar]) -> str:
    """The difference between two ordered lists: in their values, else in their order."""
    found = _list(expected, stated, False)
    if found != "same values":
        return found
    backwards = Ranking(groups=tuple(reversed(key.groups)))
    return "reversed" if agrees(backwards, Ranking(groups=tuple((scalar,) for scalar in stated))) else "wrong order"


def _list(expected: Sequence[Scalar], stated: Sequence[Scalar], once: bool) -> str:
    """The difference between two lists; "same values" if only their order can differ.

    `once` is true for sets, whose values appear once each.
    """
    hits = _hits(expected, stated)
    if hits == len(expected) == len(stated):
        return "same values" if not once else "wrong repeats"
    if not hits:
        if isinstance(expected[0], Number) and not any(isinstance(scalar, Number) for scalar in stated):
            return "wrong format"
        if len(expected) == len(stated):
            return _numbers(list(zip(expected, stated, strict=True))) or "wrong list"
        return "wrong list"
    if _hits(_each_once(expected), _each_once(stated)) == len(_each_once(expected)) == len(_each_once(stated)):
        return "wrong repeats"
    return _by_hits(hits, len(expected), len(stated))


def _each_once(items: Sequence[Scalar]) -> list[Scalar]:
    return list({(item.type, item.value): item for item in items}.values())


def _hits(expected: Sequence[Scalar], stated: Sequence[Scalar]) -> int:
    """The number of values the two have in common, as the check pairs them."""
    if not expected or not stated:
        return 0
    return round(
        partial_credit(Multiset(items=tuple(expected)), Multiset(items=tuple(stated)))
        * (len(expected) + len(stated))
        / 2
    )


def _by_hits(hits: int, expected: int, stated: int) -> str:
    """The difference between two lists of these lengths with `hits` values in common."""
    if not hits:
        return "wrong list"
    if hits == stated < expected:
        return "incomplete list"
    return "list with extra values" if hits == expected < stated else "partly correct list"


def _by_overlap(expected: Set[object], stated: Set[object]) -> str:
    return _by_hits(len(expected & stated), len(expected), len(stated))


def _rows(key: Rows, read: Rows) -> str:
    hits = round(partial_credit(key, read) * (len(key.rows) + len(read.rows)) / 2)
    firsts = [row[0] for row in key.rows], [row[0] for row in read.rows]
    if len(key.rows) == len(read.rows) == _hits(*firsts):
        return "wrong order" if hits == len(key.rows) else "correct groups, wrong values"
    return _by_hits(hits, len(key.rows), len(read.rows))


def _assignment(key: Assignment, read: Assignment) -> str:
    if sorted(key.options) == sorted(read.options):
        return "swapped options"
    return "some slots correct" if partial_credit(key, read) > 0 else "no slot correct"
