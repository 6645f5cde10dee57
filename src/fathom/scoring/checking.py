"""Whether an answer is the key's, by type; how near it comes; and the verdict on a response.

The rules, each strict where a guess could pass and lenient where only the spelling differs:

- A number is its value: 4, 4.0 and "four" agree. Where the key declares decimals, both sides are rounded to them, half
  to even or half away from zero (whichever of the two makes them meet), so more digits than asked for are fine and a
  last digit off by one is not. Without declared decimals only the exact value agrees.
- A ratio sign is part of the value: 50 is not 50%, in either direction. Any other unit may be left out; where it is
  stated it must be the key's, and a key without a unit takes none.
- A text agrees in one case, one kind of quotes and dashes, without dress and outer punctuation. Accents may be left
  out and not put in: "Muller" will do for "Müller", not the reverse. No part of a name is the name.
- A set may be stated with repeats, a multiset not. A ranking's groups stand in order, their members in any order.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Hashable, Iterable, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from itertools import chain
from typing import Literal

from fathom.records.questions import Response
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
from fathom.scoring.keys import Key
from fathom.scoring.numerals import number_of
from fathom.scoring.reading import read_response
from fathom.scoring.spelling import bare_letter, letters, normal
from fathom.scoring.verdicts import Verdict

DUMP = 4
"""A list this many times as long as the key's is not searched for numbers that round to the key's."""

Value = Atom | tuple[Atom, ...]
"""What a collection holds: a number, a text, or a row of them."""

_EXACT = Context(prec=1000)
_RATIOS = frozenset({"%", "‰", "percentage points"})
_UNIT_NAMES = {
    **{"$": "usd", "us$": "usd", "dollar": "usd", "€": "eur", "euro": "eur", "£": "gbp", "pound": "gbp", "¥": "jpy"},
    **{"percent": "%", "per cent": "%", "pct": "%", "percentage point": "percentage points"},
}


# -- Single values ------------------------------------------------------------------------------------------------


def _same_number(key: Number, read: Number) -> bool:
    return _same_unit(key.unit, read.unit) and _same_value(key.value, read.value, key.decimals)


def _same_value(key: Decimal, read: Decimal, decimals: int | None) -> bool:
    """Whether the values are equal or, to the declared decimals, round to the same under one of two rules."""
    if key == read or decimals is None:
        return key == read
    step = Decimal(1).scaleb(-decimals)
    if abs(key - read) >= step:  # 1.5 and 2.5 both round to even 2, and still are a whole step apart
        return False
    return any(
        key.quantize(step, rule, _EXACT) == read.quantize(step, rule, _EXACT)
        for rule in (ROUND_HALF_EVEN, ROUND_HALF_UP)
    )


def _same_unit(key: str, read: str) -> bool:
    """Whether a number in the unit `read` can be one in the unit `key`; leaving out any but a ratio sign is fine."""
    if key == read:
        return True
    key, read = _unit_name(key), _unit_name(read)
    return key == read or (not read and key not in _RATIOS)


def _unit_name(unit: str) -> str:
    name = normal(unit) if unit else ""
    singular = name[:-1] if len(name) > 3 and name.endswith("s") and not name.endswith("points") else name
    return _UNIT_NAMES.get(singular, singular)


def _same_text(key: Text, read: str) -> bool:
    form = normal(read)
    if _same_spelling(normal(key.value), form):
        return True
    return any(_same_spelling(normal(alias), form) for alias in key.aliases)


def _same_spelling(key: str, read: str) -> bool:
    """Whether two normal forms are the same letters, accents perhaps left out in `read`."""
    if key == read or key.isascii():
        return key == read
    at = 0
    for letter in key:
        if read.startswith(letter, at):
            at += 1
            continue
        bare = bare_letter(letter)
        if not read.startswith(bare, at):
            return False
        at += len(bare)
    return at == len(read)


def _same_atom(key: Atom, read: Atom) -> bool:
    if isinstance(key, Text):
        return isinstance(read, Text) and _same_text(key, read.value)
    number = read if isinstance(read, Number) else number_of(read.value, key.unit)
    return number is not None and _same_number(key, number)


def _same(key: Value, read: Value) -> bool:
    if isinstance(key, tuple):
        return isinstance(read, tuple) and len(key) == len(read) and all(map(_same_atom, key, read))
    return not isinstance(read, tuple) and _same_atom(key, read)


# -- Collections --------------------------------------------------------------------------------------------------


def _form(value: Value) -> Hashable:
    """Equal for two values that are spelled alike, so that most are paired without being compared."""
    if isinstance(value, tuple):
        return tuple(_forms(value))
    return normal(value.value) if isinstance(value, Text) else (value.value, value.unit)


def _forms(values: Sequence[Value]) -> list[Hashable]:
    # As `_form` does, without a call for each of the two commonest.
    return [
        normal(value.value)
        if type(value) is Text
        else (value.value, value.unit)
        if type(value) is Number
        else _form(value)
        for value in values
    ]


def _paired(
    key: Sequence[Value], read: Sequence[Value], key_forms: Sequence[Hashable], read_forms: Sequence[Hashable]
) -> list[int | None]:
    """For each value of `read` the place of the value of `key` it stands for, each used once; None for a stranger."""
    places, free = _paired_by_form(key_forms, read_forms)
    if free and None in places:
        spellings = _Spellings(key, free, read)
        for at in _ascending(read) if spellings else ():
            same = spellings.place_of(read[at], free) if places[at] is None else None
            if same is not None:
                places[at] = same
                free.remove(same)
    return places


def _ascending(values: Sequence[Value]) -> list[int]:
    """The places of the values, small numbers first.

    Both sides are paired in that order: 0.05 may stand for 0.0450 and for 0.0501, and taking the wrong one of them
    would leave nothing for 0.04.
    """
    return sorted(range(len(values)), key=lambda place: _size(values[place]))


def _size(value: Value) -> Decimal:
    return value.value if isinstance(value, Number) else Decimal(0)


def _paired_by_form(key: Sequence[Hashable], read: Sequence[Hashable]) -> tuple[list[int | None], list[int]]:
    """For each form of `read` the first place not yet used where `key` has the same, and the places left over."""
    once = dict(zip(key, range(len(key)), strict=True))
    if len(once) == len(key):
        return [once.pop(form, None) for form in read], list(once.values())
    waiting: dict[Hashable, list[int]] = {}
    for place, form in reversed(list(enumerate(key))):
        waiting.setdefault(form, []).append(place)
    places = [alike.pop() if (alike := waiting.get(form)) else None for form in read]
    return places, sorted(chain.from_iterable(waiting.values()))


class _Spellings:
    """Finds what is the same though spelled otherwise: an alias, a rounded number, an accent left out."""

    def __init__(self, key: Sequence[Value], places: Iterable[int], read: Sequence[Value]) -> None:
        self._key = key
        self._texts: dict[str, list[int]] = {}
        self._others: list[int] = []
        worded = any(isinstance(value, Text) for value in read)
        for place in places:
            value = key[place]
            if isinstance(value, Text):
                for spelling in (value.value, *value.aliases):
                    self._texts.setdefault(letters(spelling), []).append(place)
            # An exact number without a unit has one form, unless the list may hold it as a text.
            elif worded or isinstance(value, tuple) or value.decimals is not None or value.unit:
                self._others.append(place)
        self._others.sort(key=lambda place: _size(key[place]))
        if len(read) > DUMP * len(key):
            self._others = []

    def __bool__(self) -> bool:
        return bool(self._texts or self._others)

    def place_of(self, value: Value, among: Container[int]) -> int | None:
        """The first place among some whose value is the same."""
        places = self._others
        if isinstance(value, Text) and self._texts:
            places = self._texts.get(letters(value.value), places)
        for place in places:
            if place in among and _same(self._key[place], value):
                return place
        return None


def _values(answer: Members | Multiset | Ranking | Rows) -> Sequence[Value]:
    """All values of a collection in the order they stand in."""
    if isinstance(answer, Ranking):
        return [item for group in answer.groups for item in group]
    return answer.rows if isinstance(answer, Rows) else answer.items


def _repeats(key: Sequence[Value], read: Sequence[Value], places: Sequence[int | None]) -> int:
    """How many strangers only say again, however spelled, a value that was paired."""
    if None not in places:
        return 0
    strangers = [value for value, place in zip(read, places, strict=True) if place is None]
    paired = {place for place in places if place is not None}
    if not paired:
        return 0
    forms, spellings = {_form(key[place]) for place in paired}, _Spellings(key, paired, read)
    return sum(_form(value) in forms or spellings.place_of(value, paired) is not None for value in strangers)


def _levels(key: Answer) -> list[int] | None:
    """For each value of a collection the group it belongs to; None where order does not matter."""
    if isinstance(key, Ranking):
        return [level for level, group in enumerate(key.groups) for _ in group]
    return list(range(len(key.rows))) if isinstance(key, Rows) and key.ordered else None


def _longest_in_order(levels: Iterable[int]) -> int:
    """How many values can stay when as few as possible are struck out so that the rest never goes back."""
    tails: list[int] = []
    for level in levels:
        at = bisect_right(tails, level)
        tails[at : at + 1] = [level]
    return len(tails)


def _stands_in_order(key: Ranking | Rows, read: Sequence[Value]) -> bool:
    """Whether each group's values, and no others, stand in that group's place."""
    groups: Iterable[Sequence[Value]] = key.groups if isinstance(key, Ranking) else [(row,) for row in key.rows]
    at = 0
    for group in groups:
        stated = read[at : at + len(group)]
        at += len(group)
        if len(group) == 1 == len(stated):
            if not _same(group[0], stated[0]):
                return False
        elif len(stated) < len(group) or None in _paired(group, stated, _forms(group), _forms(stated)):
            return False
    return at == len(read)


def _overlap(key: Members | Multiset | Ranking | Rows, read: Members | Multiset | Ranking | Rows) -> float:
    """F1 over the values: those in both, and in order where order matters, out of all."""
    wanted, stated = _values(key), _values(read)
    forms = _forms(wanted), _forms(stated)
    if forms[0] == forms[1]:
        return 1.0  # spelled alike and in the same order
    ordered = isinstance(key, Ranking) or (isinstance(key, Rows) and key.ordered)
    if ordered and len(wanted) == len(stated) and isinstance(key, Ranking | Rows) and _stands_in_order(key, stated):
        return 1.0
    places = _paired(wanted, stated, *forms)
    known = [place for place in places if place is not None]
    said = len(stated) - (_repeats(wanted, stated, places) if isinstance(key, Members) else 0)
    levels = _levels(key)
    hits = len(known) if levels is None else _longest_in_order(levels[place] for place in known)
    return 2 * hits / (len(wanted) + said)


# -- Answers ------------------------------------------------------------------------------------------------------


def share(key: Answer, read: Answer) -> float:
    """How much of the key an answer has, from 0 to 1: exactly 1 where it is right.

    F1 over the values of a collection (in order, where the key has one) and over passages, the share of slots of an
    assignment, all or nothing for the rest.
    """
    if isinstance(key, Number | Text):
        return float(isinstance(read, Number | Text) and _same_atom(key, read))
    match key, read:
        case (Members() | Multiset() | Ranking() | Rows(), Members() | Multiset() | Ranking() | Rows()):
            return _overlap(key, read) if isinstance(key, Rows) == isinstance(read, Rows) else 0.0
        case (Assignment(), Assignment()):
            filled = sum(map(int.__eq__, key.options, read.options))
            return filled / max(len(key.options), len(read.options))
        case (Spans(), Spans()):
            wanted, stated = set(key.passages), set(read.passages)
            return 2 * len(wanted & stated) / (len(wanted) + len(stated))
        case (Choice(), Choice()):
            return float(key.option == read.option)
        case _:
            return float(key.type == read.type == "none")


def agrees(key: Answer, read: Answer) -> bool:
    """Whether `read` is the answer of the key."""
    match key, read:
        # A set may be stated with repeats; of anything else there are as many values as the key has, or it is wrong.
        case (Multiset() | Ranking() | Rows(), Multiset() | Ranking() | Rows()) if len(_values(key)) != len(
            _values(read)
        ):
            return False
    return share(key, read) == 1.0


def judge(key: Key, response: Response) -> Verdict:
    """The verdict on a response: what it states, whether that is right, and what it is worth if it is not.

    A call that failed has no verdict but `failed`; a refusal is one of its own. A response that was cut off is
    judged by
    what it had boxed before the cut.
    """
    if response.outcome == "error":
        return _verdict(response, "error", reason=response.error or "")
    if response.outcome == "overflow":
        return _verdict(response, "overflow", reason="the question did not fit the model's window")
    if response.outcome == "refused":
        return _verdict(response, "refused", reason="the model declined to answer")
    cut = response.outcome == "truncated"
    read = read_response(response.text, key.answer, cut=cut)
    if read is None:
        return _verdict(
            response, "unparseable", reason="cut off before an answer" if cut else "no answer could be read"
        )
    score = share(key.answer, read)
    if score == 1.0:
        return _verdict(response, "correct", 1.0, read)
    return _verdict(response, "incorrect", score, read)


def _verdict(
    response: Response,
    outcome: Literal["correct", "incorrect", "unparseable", "refused", "overflow", "error"],
    score: float = 0.0,
    parsed: Answer | None = None,
    reason: str = "",
) -> Verdict:
    # Not validated: every value comes from a record that was, and a set would be searched for repeats once more.
    return Verdict.model_construct(
        question_id=response.question_id,
        sample=response.sample,
        outcome=outcome,
        score=score,
        parsed=parsed,
        reason=reason,
    )
