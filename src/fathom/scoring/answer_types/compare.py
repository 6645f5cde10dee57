"""Whether an answer agrees with the key, by type, and how much partial credit it earns.

The rules are strict where a guess could pass and lenient where only the spelling differs:

- A number is its value: 4, 4.0 and "four" agree. If the key declares decimals, both sides are rounded to them, half to
  even or half away from zero (whichever makes them equal), so extra digits are fine and a last digit off by one is
  not. Without declared decimals only the exact value agrees.
- A ratio sign is part of the value: 50 is not 50%, in either direction. Any other unit may be omitted, percentage
  points too; a stated unit must be the key's, and a key without a unit accepts none.
- Texts are compared after normalization: case, quotes, dashes, markup and outer punctuation do not count. Accents may
  be omitted but not added: "Muller" agrees with "Müller", not the reverse. Part of a name is not the name.
- A set may be stated with repeats, a multiset may not. The groups of a ranking are ordered, the members of a group are
  not.
- Passages agree when their documents and offsets are equal.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Hashable, Iterable, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from itertools import chain, permutations
from typing import NamedTuple

from fathom.records.documents import Passage
from fathom.scoring.answer_types.values import Collection, ListValue, groups_of, is_ordered, values_of
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
from fathom.scoring.parsing.months import is_same_month
from fathom.scoring.parsing.normalization import bare_letter, letters, normal
from fathom.scoring.parsing.numerals import join_scale, number_of, split_scale

LONG_LIST = 4
"""If a list is this many times as long as the key's, it is not searched for numbers that round to the key's."""

_EXACT = Context(prec=1000)
_RATIOS = frozenset({"%", "‰"})
_UNIT_NAMES = {
    **{
        "$": "usd",
        "us$": "usd",
        "dollar": "usd",
        "us dollar": "usd",
        "€": "eur",
        "euro": "eur",
        "£": "gbp",
        "pound": "gbp",
        "¥": "jpy",
    },
    **{"人民币": "cny", "元": "cny", "rmb": "cny", "yuan": "cny"},
    **{"kilometer": "km", "kilometre": "km", "kilogram": "kg", "hectare": "ha", "square kilometer": "sq km"},
    **{"square kilometre": "sq km", "km2": "sq km", "km²": "sq km", "metre": "m", "meter": "m", "litre": "liter"},
    **{"percent": "%", "per cent": "%", "pct": "%", "percentage point": "percentage points"},
}


# -- Single values ------------------------------------------------------------------------------------------------


def _same_number(key: Number, read: Number) -> bool:
    return _same_unit(key.unit, read.unit) and _same_value(key.value, read.value, key.decimals)


def _same_value(key: Decimal, read: Decimal, decimals: int | None) -> bool:
    """Whether the values are equal, or equal after rounding to the declared decimals by one of two rules."""
    if key == read or decimals is None:
        return key == read
    step = Decimal(1).scaleb(-decimals)
    if abs(key - read) >= step:  # 1.5 and 2.5 both round to even 2 but are a whole step apart
        return False
    return any(
        key.quantize(step, rule, _EXACT) == read.quantize(step, rule, _EXACT)
        for rule in (ROUND_HALF_EVEN, ROUND_HALF_UP)
    )


def _same_unit(key: str, read: str) -> bool:
    """Whether a number in the unit `read` can equal one in the unit `key`; any unit but a ratio sign may be omitted."""
    if key == read:
        return True
    key, read = _unit_name(key), _unit_name(read)
    return key == read or (not read and key not in _RATIOS)


def _unit_name(unit: str) -> str:
    scale, base = split_scale(unit)
    return join_scale(scale, _base_name(base)) if scale else _base_name(base)


def _base_name(unit: str) -> str:
    name = normal(unit) if unit else ""
    singular = name[:-1] if len(name) > 3 and name.endswith("s") and not name.endswith("points") else name
    return _UNIT_NAMES.get(singular, singular)


def _same_text(key: Text, read: str) -> bool:
    form = normal(read)
    if _same_spelling(normal(key.value), form) or is_same_month(key.value, form):
        return True
    if any(_same_spelling(normal(alias), form) for alias in key.aliases):
        return True
    return any(_same_text(key, name) for name in _uninverted(read))


def _uninverted(name: str) -> tuple[str, ...]:
    """A name in its printed order: "Amira Haddad" for "Haddad, Amira", "Chen Yu" for "Chen, Yu"; else none."""
    last, comma, first = name.strip().partition(", ")
    short = comma and "," not in first and first.count(" ") < 3 and last.count(" ") < 3
    return (f"{first} {last}", f"{last} {first}") if short and last and first else ()


_DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})


def _same_spelling(key: str, read: str) -> bool:
    """Whether two normalized texts have the same letters; `read` may omit accents, or write "ue" for "ü"."""
    if key == read or key.isascii():
        return key == read
    return _omits_accents(key, read) or _omits_accents(key.translate(_DIGRAPHS), read)


def _omits_accents(key: str, read: str) -> bool:
    """Whether `read` has the letters of the key, each with or without its accent."""
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


def _same_scalar(key: Scalar, read: Scalar) -> bool:
    if isinstance(key, Text):
        return isinstance(read, Text) and _same_text(key, read.value)
    number = read if isinstance(read, Number) else number_of(read.value, key.unit)
    return number is not None and _same_number(key, number)


def _same(key: ListValue, read: ListValue) -> bool:
    if isinstance(key, tuple):
        return isinstance(read, tuple) and len(key) == len(read) and all(map(_same_scalar, key, read))
    return not isinstance(read, tuple) and _same_scalar(key, read)


# -- Collections --------------------------------------------------------------------------------------------------


def _form(value: ListValue) -> Hashable:
    """A hash key, equal for values with the same spelling, so that most values are paired without a comparison."""
    if isinstance(value, tuple):
        return tuple(_forms(value))
    return normal(value.value) if isinstance(value, Text) else (value.value, value.unit)


def _forms(values: Sequence[ListValue]) -> list[Hashable]:
    # As `_form`, without a call for the two most frequent types.
    return [
        normal(value.value)
        if type(value) is Text
        else (value.value, value.unit)
        if type(value) is Number
        else _form(value)
        for value in values
    ]


def _paired(
    key: Sequence[ListValue], read: Sequence[ListValue], key_forms: Sequence[Hashable], read_forms: Sequence[Hashable]
) -> list[int | None]:
    """For each value of `read` the index of its match in `key`, each used once; None for a value without a match."""
    places, free = _paired_by_form(key_forms, read_forms)
    if free and None in places:
        variants = _VariantIndex(key, free, read)
        for at in _ascending(read) if variants else ():
            same = variants.place_of(read[at], free) if places[at] is None else None
            if same is not None:
                places[at] = same
                free.remove(same)
    return places


def _ascending(values: Sequence[ListValue]) -> list[int]:
    """The indices of the values, small numbers first.

    Both sides are paired in this order: 0.05 may match 0.0450 and 0.0501, and pairing it with the wrong one would
    leave no match for 0.04.
    """
    return sorted(range(len(values)), key=lambda place: _size(values[place]))


def _size(value: ListValue) -> Decimal:
    return value.value if isinstance(value, Number) else Decimal(0)


def _paired_by_form(key: Sequence[Hashable], read: Sequence[Hashable]) -> tuple[list[int | None], list[int]]:
    """For each form of `read` the first unused index of the same form in `key`, and the indices left over."""
    once = dict(zip(key, range(len(key)), strict=True))
    if len(once) == len(key):
        return [once.pop(form, None) for form in read], list(once.values())
    waiting: dict[Hashable, list[int]] = {}
    for place, form in reversed(list(enumerate(key))):
        waiting.setdefault(form, []).append(place)
    places = [unused.pop() if (unused := waiting.get(form)) else None for form in read]
    return places, sorted(chain.from_iterable(waiting.values()))


class _VariantIndex:
    """Finds matches with another spelling: an alias, a rounded number, an omitted accent."""

    def __init__(self, key: Sequence[ListValue], places: Iterable[int], read: Sequence[ListValue]) -> None:
        self._key = key
        self._texts: dict[str, list[int]] = {}
        self._others: list[int] = []
        worded = any(isinstance(value, Text) for value in read)
        for place in places:
            value = key[place]
            if isinstance(value, Text):
                for spelling in (value.value, *value.aliases):
                    self._texts.setdefault(letters(spelling), []).append(place)
            # An exact number without a unit has one form, unless the response may state it as a text.
            elif worded or isinstance(value, tuple) or value.decimals is not None or value.unit:
                self._others.append(place)
        self._others.sort(key=lambda place: _size(key[place]))
        if len(read) > LONG_LIST * len(key):
            self._others = []

    def __bool__(self) -> bool:
        return bool(self._texts or self._others)

    def place_of(self, value: ListValue, among: Container[int]) -> int | None:
        """The first of the indices `among` whose value is the same."""
        places = self._others
        if isinstance(value, Text) and self._texts:
            names = (value.value, *_uninverted(value.value))
            places = next((found for name in names if (found := self._texts.get(letters(name)))), places)
        for place in places:
            if place in among and _same(self._key[place], value):
                return place
        return None


def _repeats(key: Sequence[ListValue], read: Sequence[ListValue], places: Sequence[int | None]) -> int:
    """How many unmatched values only repeat, in any spelling, a value that was matched."""
    if None not in places:
        return 0
    unmatched = [value for value, place in zip(read, places, strict=True) if place is None]
    paired = {place for place in places if place is not None}
    if not paired:
        return 0
    forms, variants = {_form(key[place]) for place in paired}, _VariantIndex(key, paired, read)
    return sum(_form(value) in forms or variants.place_of(value, paired) is not None for value in unmatched)


def _longest_in_order(levels: Iterable[int]) -> int:
    """The length of the longest non-decreasing subsequence."""
    tails: list[int] = []
    for level in levels:
        at = bisect_right(tails, level)
        tails[at : at + 1] = [level]
    return len(tails)


def _has_the_order_of(key: Collection, read: Sequence[ListValue]) -> bool:
    """Whether the values are those of the key, group by group."""
    at = 0
    for group in groups_of(key):
        stated = read[at : at + len(group)]
        at += len(group)
        if len(group) == 1 == len(stated):
            if not _same(group[0], stated[0]):
                return False
        elif len(stated) < len(group) or None in _paired(group, stated, _forms(group), _forms(stated)):
            return False
    return at == len(read)


def _overlap(key: Collection, read: Collection) -> float:
    """F1 over the values: those in both, in order if order matters, relative to all."""
    expected, stated = values_of(key), values_of(read)
    forms = _forms(expected), _forms(stated)
    if forms[0] == forms[1]:
        return 1.0  # the same spelling in the same order
    ordered = is_ordered(key)
    if ordered and len(expected) == len(stated) and _has_the_order_of(key, stated):
        return 1.0
    places = _paired(expected, stated, *forms)
    known = [place for place in places if place is not None]
    total = len(stated) - (_repeats(expected, stated, places) if isinstance(key, ValueSet) else 0)
    hits = len(known)
    if ordered:
        levels = [level for level, group in enumerate(groups_of(key)) for _ in group]
        hits = _longest_in_order(levels[place] for place in known)
    return 2 * hits / (len(expected) + total)


# -- Spans --------------------------------------------------------------------------------------------------------


def _links(answer: LinkedSpans) -> set[tuple[Passage, Passage | None]]:
    """Each passage paired with each passage linked to it; a passage without links is paired with None."""
    return {(span.passage, link) for span in answer.spans for link in span.linked or (None,)}


def _set_comparison(expected: set[Hashable], stated: set[Hashable]) -> AnswerComparison:
    """F1 of two sets as the score, with precision and recall as measures."""
    hits = len(expected & stated)
    f1 = 2 * hits / (len(expected) + len(stated))
    return AnswerComparison(f1, {"precision": hits / len(stated), "recall": hits / len(expected), "f1": f1})


# -- Answers ------------------------------------------------------------------------------------------------------

_NO_MEASURES: dict[str, float] = {}


class AnswerComparison(NamedTuple):
    """How an answer compares with the key."""

    score: float
    """Partial credit from 0 to 1; exactly 1 if the answer agrees with the key."""
    measures: dict[str, float] = _NO_MEASURES
    """Named measures such as precision, recall and F1, for types that have them."""


def compare(key: Answer, read: Answer) -> AnswerComparison:
    """The partial credit and the measures of an answer.

    The score is F1 over the values of a collection (in order, if the key has an order), passages, links and selections;
    the share of correct slots of an assignment; all or nothing for the rest.
    """
    if isinstance(key, Spans) and isinstance(read, Spans):
        return _set_comparison({*key.passages}, {*read.passages})
    if isinstance(key, Selection) and isinstance(read, Selection):
        return _set_comparison({*key.options}, {*read.options})
    if isinstance(key, LinkedSpans) and isinstance(read, LinkedSpans):
        return _set_comparison({*_links(key)}, {*_links(read)})
    return AnswerComparison(_credit(key, read))


def partial_credit(key: Answer, read: Answer) -> float:
    """How much of the key an answer has, from 0 to 1; exactly 1 if it agrees."""
    return compare(key, read).score


def _credit(key: Answer, read: Answer) -> float:
    if isinstance(key, Number | Text):
        return float(isinstance(read, Number | Text) and _same_scalar(key, read))
    match key, read:
        case (ValueSet() | Multiset() | Ranking() | Rows(), ValueSet() | Multiset() | Ranking() | Rows()):
            return _overlap(key, read) if isinstance(key, Rows) == isinstance(read, Rows) else 0.0
        case (Assignment(), Assignment()):
            filled = sum(map(int.__eq__, key.options, read.options))
            return filled / max(len(key.options), len(read.options))
        case (Choice(), Choice()):
            return float(key.option == read.option)
        case _:
            return float(key.type == read.type == "none")


def agrees(key: Answer, read: Answer) -> bool:
    """Whether `read` is the answer of the key."""
    match key, read:
        # A set may be stated with repeats. Any other collection must have as many values as the key.
        case (Multiset() | Ranking() | Rows(), Multiset() | Ranking() | Rows()) if len(values_of(key)) != len(
            values_of(read)
        ):
            return False
    return partial_credit(key, read) == 1.0


def share_a_response(one: Answer, two: Answer) -> bool:
    """Whether some response is correct for both answers."""
    if agrees(one, two) or agrees(two, one):
        return True
    if not (isinstance(one, Ranking) and isinstance(two, Ranking)):
        return False
    first, second = _levels(one), _levels(two)
    if {value: len(levels) for value, levels in first.items()} != {v: len(levels) for v, levels in second.items()}:
        return False
    # Tied values may come in any order: two rankings of the same values differ only if they reverse some pair.
    return not any(max(first[a]) < min(first[b]) and max(second[b]) < min(second[a]) for a, b in permutations(first, 2))


def _levels(ranking: Ranking) -> dict[str, list[int]]:
    """For each value of a ranking the groups in which it occurs."""
    levels: dict[str, list[int]] = {}
    for level, group in enumerate(ranking.groups):
        for item in group:
            levels.setdefault(str(item.value), []).append(level)
    return levels
