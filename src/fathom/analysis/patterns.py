"""How wrong answers look beside the right ones, told from the two answers alone: one pattern for each response.

Values are compared as the check compares them, item by item; what a response says in words plays no part.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from fathom.analysis.reading import Heard
from fathom.scoring.answers import (
    Answer,
    Assignment,
    Atom,
    Choice,
    Members,
    Multiset,
    Number,
    Ranking,
    Rows,
    Spans,
    Text,
)
from fathom.scoring.checking import agrees, share

PATTERNS = {
    "refused": "the model declined to answer",
    "empty": "nothing but white space",
    "truncated": "cut off before the answer was given",
    "unparsable": "no answer could be read",
    "falls back to NULL": "says that there is no answer where there is one",
    "answers the unanswerable": "gives an answer where there is none",
    "wrong format": "values of another kind than was asked for",
    "rounding": "right but for the last digits",
    "off by one": "one too many or too few, in each number",
    "unit or scale": "ten, a hundred, a thousand times too much or too little, or another unit or sign",
    "another number": "a number that is far from the right one",
    "part of the text": "a piece of the right name or title, or more than it",
    "another text": "another name or title",
    "reversed": "the right values in the opposite order",
    "wrong order": "the right values, no more and no fewer, in another order",
    "sub-list": "some of the right values and no others",
    "super-list": "all of the right values and more",
    "repeats": "the right values, some of them too often or too seldom",
    "overlapping list": "some of the right values and others",
    "another list": "none of the right values",
    "right rows, wrong figures": "the right groups with other results",
    "another option": "one of the other options",
    "options exchanged": "the right options in other slots",
    "some slots right": "part of the slots filled rightly",
    "no slot right": "not one slot filled rightly",
    "other": "wrong in a way that has no name here",
}
"""Every pattern, in the order in which it is looked for."""

_SCALES = frozenset({10, 100, 1000, 10_000, 1_000_000, 1_000_000_000})


def pattern(key: Answer, heard: Heard) -> str | None:
    """The pattern of a response that is not right; None for one that is right, or has not come."""
    if heard.outcome in ("correct", "error", "overflow", "unanswered"):
        return None
    if heard.outcome == "refused":
        return "refused"
    if heard.outcome == "unparseable":
        return "truncated" if heard.cut else "unparsable" if heard.text.strip() else "empty"
    if heard.read is None:
        return "other"
    return compared(key, heard.read)


def compared(key: Answer, read: Answer) -> str:
    """How a wrong answer differs from the right one."""
    if read.type == "none":
        return "falls back to NULL"
    match key, read:
        case _ if key.type == "none":
            return "answers the unanswerable"
        case Number(), Number():
            return _numbers([(key, read)]) or "another number"
        case Text(), Text():
            return _texts(key, read)
        case Ranking(groups=groups), Ranking(groups=stated):
            return _ranking(key, [one for group in groups for one in group], [one for group in stated for one in group])
        case (Members() | Multiset(), Members() | Multiset()):
            return _list(key.items, read.items, isinstance(key, Members))
        case Rows(), Rows():
            return _rows(key, read)
        case Choice(), Choice():
            return "another option"
        case Assignment(), Assignment():
            return _assignment(key, read)
        case Spans(), Spans():
            return _by_hits(
                len(set(key.passages) & set(read.passages)), len(set(key.passages)), len(set(read.passages))
            )
        case _:
            return "wrong format"


def _numbers(pairs: Sequence[tuple[Atom, Atom]]) -> str | None:
    """What all pairs that differ have in common; None where that is nothing."""
    kinds = {_number(one, two) for one, two in pairs if not agrees(one, two)}
    return kinds.pop() if len(kinds) == 1 else None


def _number(key: Atom, read: Atom) -> str | None:
    if not isinstance(key, Number) or not isinstance(read, Number):
        return None
    try:
        return _values(key.value, read.value)
    except ArithmeticError:
        return None  # a response may state a number with a million digits, which no arithmetic takes


def _values(wanted: Decimal, said: Decimal) -> str | None:
    if wanted == said:
        return "unit or scale"
    if abs(wanted - said) == 1 and wanted == wanted.to_integral_value():
        return "off by one"
    if _is_scaled(wanted, said):
        return "unit or scale"
    return "rounding" if _is_rounded(wanted, said) else "off by one" if abs(wanted - said) == 1 else None


def _is_scaled(wanted: Decimal, said: Decimal) -> bool:
    if not wanted or not said:
        return False
    if wanted == -said:
        return True
    more, less = max(abs(wanted), abs(said)), min(abs(wanted), abs(said))
    ratio = more / less
    return any(abs(ratio / scale - 1) < Decimal("0.005") for scale in _SCALES)


def _is_rounded(wanted: Decimal, said: Decimal) -> bool:
    """Whether the two differ by no more than a step of the stated one: 3.67 and 3.7, 3.66 or 4, not 3.9."""
    exponent = said.as_tuple().exponent
    places = -exponent if isinstance(exponent, int) and exponent < 0 else 0
    step = Decimal(1).scaleb(-places)
    near = abs(wanted - said) <= step if places else abs(wanted - said) < 1
    return near and wanted != wanted.to_integral_value()


def _texts(key: Text, read: Text) -> str:
    said = read.value.casefold().strip()
    for spelling in (key.value, *key.aliases):
        wanted = spelling.casefold().strip()
        if len(said) >= 3 and (said in wanted or wanted in said):
            return "part of the text"
    return "another text"


def _ranking(key: Ranking, wanted: Sequence[Atom], stated: Sequence[Atom]) -> str:
    found = _list(wanted, stated, False)
    if found != "same values":
        return found
    backwards = Ranking(groups=tuple(reversed(key.groups)))
    return "reversed" if agrees(backwards, Ranking(groups=tuple((one,) for one in stated))) else "wrong order"


def _list(wanted: Sequence[Atom], stated: Sequence[Atom], once: bool) -> str:
    hits = _hits(wanted, stated)
    if hits == len(wanted) == len(stated):
        return "same values" if not once else "repeats"
    if not hits:
        if isinstance(wanted[0], Number) and not any(isinstance(one, Number) for one in stated):
            return "wrong format"
        if len(wanted) == len(stated):
            return _numbers(list(zip(wanted, stated, strict=True))) or "another list"
        return "another list"
    if _hits(_each_once(wanted), _each_once(stated)) == len(_each_once(wanted)) == len(_each_once(stated)):
        return "repeats"
    return _by_hits(hits, len(wanted), len(stated))


def _each_once(items: Sequence[Atom]) -> list[Atom]:
    return list({(item.type, item.value): item for item in items}.values())


def _hits(wanted: Sequence[Atom], stated: Sequence[Atom]) -> int:
    """How many values the two have in common, as the check pairs them."""
    if not wanted or not stated:
        return 0
    return round(share(Multiset(items=tuple(wanted)), Multiset(items=tuple(stated))) * (len(wanted) + len(stated)) / 2)


def _by_hits(hits: int, wanted: int, stated: int) -> str:
    if not hits:
        return "another list"
    if hits == stated < wanted:
        return "sub-list"
    return "super-list" if hits == wanted < stated else "overlapping list"


def _rows(key: Rows, read: Rows) -> str:
    hits = round(share(key, read) * (len(key.rows) + len(read.rows)) / 2)
    firsts = [row[0] for row in key.rows], [row[0] for row in read.rows]
    if len(key.rows) == len(read.rows) == _hits(*firsts):
        return "wrong order" if hits == len(key.rows) else "right rows, wrong figures"
    return _by_hits(hits, len(key.rows), len(read.rows))


def _assignment(key: Assignment, read: Assignment) -> str:
    if sorted(key.options) == sorted(read.options):
        return "options exchanged"
    return "some slots right" if share(key, read) > 0 else "no slot right"
