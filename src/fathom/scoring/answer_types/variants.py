"""Responses made from a key: ways in which a model may rightly write it, and near misses that must not pass.

A bench proves by them that its own check can be trusted: on every key, what is right is taken and what is nearly right
is refused. Whether a near miss truly is one is decided here by a rule of its own, coarser than the checker's and blind
to it: wherever two values could by any reading be the same, the near miss is not made.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from itertools import accumulate

from fathom.scoring.answers import (
    Answer,
    Assignment,
    Choice,
    Multiset,
    Number,
    Ranking,
    Rows,
    Scalar,
    Text,
    Unanswerable,
    ValueSet,
)

Value = Scalar | tuple[Scalar, ...]
"""What a collection holds: a number, a text, or a row of them."""
Collection = ValueSet | Multiset | Ranking | Rows

WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
STRANGERS = ("Ottoline Quarrymoss", "Fenwick Umbertide", "Perpetua Zolnay", "Barnaby Ixworth", "Hester Vukasin")
"""Names and titles that no document has."""
DUMPED = 12
"""Items that a response adds to a right list in the hope that some are wanted."""

SWAPS = 8
"""Places, spread over a ranking, at which two neighbors are swapped."""

_EXACT = Context(prec=1000)
_HOLDS_SEPARATOR = re.compile(r"[,;，；、&|\n]|\band\b", re.IGNORECASE)
_ENDS = " \t,;:.!?-–—\"'“”‘’()[]"


def accepted_forms(answer: Answer) -> Iterator[str]:
    """Several responses that all state the answer."""
    match answer:
        case Number():
            yield from _right_numbers(answer)
        case Text():
            yield from _right_texts(answer)
        case ValueSet() | Multiset() | Ranking():
            yield from _right_lists(answer)
        case Rows():
            yield from _right_tables(answer)
        case Unanswerable():
            yield from ("NULL", "null", "None", "Answer: NULL", "**Answer:** NULL.", r"\boxed{NULL}", "[]", "N/A")
            yield from ('{"answer": null}', "I looked at every article.\n\nAnswer: NULL")
        case Choice(option=option):
            yield from _right_choices(option)
        case Assignment(options=options):
            yield from _right_assignments(options)
        case _:
            raise TypeError(f"no family asks for {answer.type} yet")


def near_misses(answer: Answer) -> Iterator[str]:
    """Several responses that look like the answer and are not."""
    yield ""
    match answer:
        case Number():
            yield from _wrong_numbers(answer)
        case Text():
            yield from _wrong_texts(answer)
        case ValueSet() | Multiset() | Ranking() | Rows():
            for values in _wrong_collections(answer):
                yield "Answer:\n" + "\n".join(map(_written, values))
        case Unanswerable():
            yield from ("0", "Answer: 0", "4", r"\boxed{1}", "Answer: NULL or 4", "NULL\n4", f"Answer: {STRANGERS[0]}")
            yield from (json.dumps(STRANGERS[:2]), "\n".join(STRANGERS))
        case Choice(option=option, of=of):
            yield from _wrong_choices(option, of)
        case Assignment(options=options, of=of):
            yield from _wrong_assignments(options, of)
        case _:
            raise TypeError(f"no family asks for {answer.type} yet")
    named = isinstance(answer, Choice | Assignment)
    if named or not (isinstance(answer, Unanswerable) or _could_be(answer, Text(value="NULL"))):
        yield "Answer: NULL"


def _dressed(bare: str) -> Iterator[str]:
    """A short statement as responses mark one."""
    yield bare
    yield f"Answer: {bare}"
    yield f"Let me go through the articles.\n\n**Answer:** {bare}"
    yield rf"The final answer is \boxed{{{bare}}}."


# -- Choices and assignments --------------------------------------------------------------------------------------


def _right_choices(option: int) -> Iterator[str]:
    for bare in (str(option), f"[{option}]", f"Candidate {option}", f"candidate [{option}]", f"**{option}**"):
        yield from _dressed(bare)
    yield from (f"<answer>{option}</answer>", f"<ANSWER>\n{option}\n</ANSWER>", f"Answer:\n\n{option}\n")
    yield f"Candidate {option % 4 + 1} is about something else.\n\nAnswer: {option}"


def _wrong_choices(option: int, of: int) -> Iterator[str]:
    for other in range(0, of + 2):
        if other != option:
            yield from (f"Answer: {other}", f"<answer>[{other}]</answer>")
    yield from (f"Answer: {option} or {option % of + 1}", f"Answer: not {option}", f"Answer: 1{option}")
    yield "Answer: " + ", ".join(str(place) for place in range(1, of + 1))


def _right_assignments(options: Sequence[int]) -> Iterator[str]:
    for separator in (", ", " ", "\n", "; "):
        bare = separator.join(map(str, options))
        yield from (
            f"Answer: {bare}",
            f"**Answer:** {bare}",
            f"<answer>\n{bare}\n</answer>",
            f"<ANSWER>{bare}</ANSWER>",
        )
    yield "Answer: [" + ", ".join(map(str, options)) + "]"
    yield "Answer:\n" + "\n".join(f"[[CITATION {place}]]: {option}" for place, option in enumerate(options, start=1))
    yield "Answer:\n" + "\n".join(f"{place}: Candidate {option}" for place, option in enumerate(options, start=1))
    yield "Answer:\n" + "\n".join(f"- Citation {place} -> {option}" for place, option in enumerate(options, start=1))


def _wrong_assignments(options: Sequence[int], of: int) -> Iterator[str]:
    others = [[*options[1:], options[0]], list(reversed(options)), [options[0]] * len(options)]
    others += [list(options[:-1]), [*options, 1], [option % of + 1 for option in options]]
    for other in others:
        if other != list(options):
            yield "Answer: " + ", ".join(map(str, other))
    swapped = enumerate([options[1], options[0], *options[2:]], start=1)
    yield "Answer:\n" + "\n".join(f"{place}: {option}" for place, option in swapped)


# -- Numbers ------------------------------------------------------------------------------------------------------


def _right_numbers(number: Number) -> Iterator[str]:
    bare = _written(number)
    yield from _dressed(bare)
    yield from (f"**{bare}**", json.dumps({"answer": bare}))
    for rule in (ROUND_HALF_EVEN, ROUND_HALF_UP):
        yield _with_unit(_rounded(number, rule), number)
    yield _with_unit(number.value, number)
    value = number.value
    if value == value.to_integral_value():
        whole = int(value)
        yield _with_unit(f"{whole}.0", number)
        if abs(whole) >= 1000:
            yield _with_unit(f"{whole:,}", number)
        if 0 <= whole < len(WORDS) and not number.unit:
            yield from (WORDS[whole], f"Answer: {WORDS[whole].capitalize()}.")


def _wrong_numbers(number: Number) -> Iterator[str]:
    value, step = number.value, _step(number)
    highest, lowest = _rounded(number, ROUND_HALF_UP), _rounded(number, ROUND_HALF_EVEN)
    unit = step if number.decimals is not None else Decimal(1)
    others = [value + unit, value - unit, max(highest, lowest) + unit, min(highest, lowest) - unit, value + 10 * unit]
    others += [value * 10, value * 100, value / 10, -value, value + 100, 2 * value]
    others += [Decimal(f"{lowest:f}{digits}") for digits in ("1", "7") if number.decimals is None]
    if value >= 0:
        others += [Decimal(f"{digit}{lowest:f}") for digit in "71"]
    for other in dict.fromkeys(others):
        if other != value and abs(other - value) >= step:
            yield "Answer: " + _with_unit(_plainly(other), number)
    bare = _written(number)
    yield from (f"Answer: {bare} or {_plainly(value + 1)}", f"Answer: at least {bare}", f"Answer: not {bare}")
    yield f"Answer: {bare}\n\nWait, actually it is {_plainly(value + 1)}."
    if not number.unit:
        yield f"Answer: {bare}%"


def _step(number: Number) -> Decimal:
    """The least difference that counts."""
    return Decimal(0) if number.decimals is None else Decimal(1).scaleb(-number.decimals)


def _rounded(number: Number, rule: str = ROUND_HALF_EVEN) -> Decimal:
    """The value as it is asked for."""
    return number.value if number.decimals is None else number.value.quantize(_step(number), rule, _EXACT)


def _plainly(value: Decimal) -> str:
    return f"{value:f}"


def _with_unit(value: Decimal | str, number: Number) -> str:
    written = value if isinstance(value, str) else _plainly(value)
    return f"{written}{'' if number.unit in ('', '%', '‰') else ' '}{number.unit}"


# -- Texts --------------------------------------------------------------------------------------------------------


def _right_texts(text: Text) -> Iterator[str]:
    yield from _dressed(text.value)
    for spelling in (text.value, *text.aliases):
        yield from (spelling, f"Answer: {spelling}", json.dumps({"answer": spelling}), f"“{spelling}”")


def _wrong_texts(text: Text) -> Iterator[str]:
    for other in (*_cut_short(text.value), *_misspelled(text.value), f"{text.value} Quarrymoss", *STRANGERS[:2]):
        if not _may_be_same(text, Text(value=other)):
            yield f"Answer: {other}"
    yield f"Answer: {text.value}; {STRANGERS[0]}"


def _cut_short(words: str) -> Iterator[str]:
    """The words without the first and without the last."""
    parts = words.split()
    for fewer in (parts[1:], parts[:-1]):
        cut = " ".join(fewer).strip(_ENDS)
        if _letters(cut):
            yield cut


def _misspelled(words: str) -> Iterator[str]:
    """The words with their last letter changed for another."""
    for place in range(len(words) - 1, -1, -1):
        if words[place].isascii() and words[place].isalpha():
            yield f"{words[:place]}{'q' if words[place] not in 'qQ' else 'k'}{words[place + 1 :]}"
            return


# -- Lists and tables ---------------------------------------------------------------------------------------------


def _right_lists(answer: ValueSet | Multiset | Ranking) -> Iterator[str]:
    for number, values in enumerate(_right_orders(answer)):
        items = [_written(value) for value in values]
        yield from _in_all_forms(items) if number == 0 else _in_two_forms(items)
    other = [_otherwise(value) for value in _values(answer)]
    # Two people may share a short form of their names; then only the long ones tell who is meant.
    if not any(_is_shared(spelling, answer) for spelling in other):
        yield "Answer:\n" + "\n".join(other)


def _right_orders(answer: ValueSet | Multiset | Ranking) -> Iterator[list[Value]]:
    """Orders in which the values may stand: a ranking's ties swapped, anything else turned round."""
    values = _values(answer)
    yield values
    if isinstance(answer, Ranking):
        turned: list[Value] = [item for group in answer.groups for item in reversed(group)]
        if any(len(group) > 1 for group in answer.groups):
            yield turned
        return
    if len(values) > 1:
        yield values[::-1]
    if isinstance(answer, ValueSet):
        yield [*values, values[0]]  # a set that says a value twice is still the set


def _in_all_forms(items: list[str]) -> Iterator[str]:
    lines = "\n".join(items)
    yield from (lines, f"Answer:\n{lines}", f"Here is what I found.\n\n**Answer:**\n\n{lines}")
    yield from ("Answer:\n" + "\n".join(f"- {item}" for item in items), json.dumps(items))
    yield "Answer:\n" + "\n".join(f"{number}. {item}" for number, item in enumerate(items, start=1))
    yield "```json\n" + json.dumps({"answer": items}, ensure_ascii=False) + "\n```"
    # Where an item holds a comma itself, a list with commas leaves open where one ends; no model may be blamed then.
    if not any(_HOLDS_SEPARATOR.search(item) for item in items):
        yield from _dressed(", ".join(items))
        yield "Answer: " + "; ".join(items)


def _in_two_forms(items: list[str]) -> Iterator[str]:
    yield from ("Answer:\n" + "\n".join(items), json.dumps(items))


def _otherwise(value: Value) -> str:
    """The value in its last other spelling, where it has one."""
    if isinstance(value, Text) and value.aliases:
        return value.aliases[-1]
    if isinstance(value, Number) and value.decimals is None and value.value == value.value.to_integral_value():
        return _with_unit(f"{int(value.value)}.0", value)
    return _written(value)


def _is_shared(spelling: str, answer: Collection) -> bool:
    """Whether the spelling fits different values of the key."""
    text = Text(value=spelling)
    return len({value for value in _values(answer) if isinstance(value, Text) and _may_be_same(value, text)}) > 1


def _right_tables(answer: Rows) -> Iterator[str]:
    orders = [answer.rows] if answer.ordered else [answer.rows, answer.rows[::-1]]
    for rows in orders:
        cells = [[_written(cell) for cell in row] for row in rows]
        yield from ("\n".join(map("; ".join, cells)), "Answer:\n" + "\n".join(map("; ".join, cells)), json.dumps(cells))
        if not any("|" in cell for row in cells for cell in row):
            ruled = [list(answer.columns), ["---"] * len(answer.columns), *cells]
            yield "Answer:\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in ruled)
        yield json.dumps([dict(zip(answer.columns, row, strict=True)) for row in cells])


def _wrong_collections(answer: Collection) -> Iterator[list[Value]]:
    """Values near those of the key that, in this order, are not the key's."""
    values = _values(answer)
    for others in (*_other_values(values), *_other_orders(answer, values)):
        if others and _is_surely_other(answer, others):
            yield others


def _other_values(values: list[Value]) -> Iterator[list[Value]]:
    """One more, one fewer, one replaced, one changed, one said twice, a dump, the first alone, how many there are."""
    strangers = _strangers(values)
    yield [*values, strangers[0]]
    yield [*values, *strangers]
    yield values[:-1]
    yield values[1:]
    yield values[:1]
    yield [*values[:-1], strangers[0]]
    yield [strangers[0], *values[1:]]
    for changed in _changed(values[0]):
        yield [changed, *values[1:]]
    for changed in _changed(values[-1]):
        yield [*values[:-1], changed]
    yield [*values, values[-1]]
    yield [values[0]] * len(values)
    repeated = next((place for place, value in enumerate(values) if value in values[:place]), None)
    if repeated is not None:
        yield [*values[:repeated], *values[repeated + 1 :]]
        yield list(dict.fromkeys(values))
    if isinstance(values[0], Number):
        yield [Number(value=Decimal(len(values)))]


def _other_orders(answer: Collection, values: list[Value]) -> Iterator[list[Value]]:
    """A sort turned round, and untied neighbors swapped, here and there; the columns of a table swapped."""
    if isinstance(answer, Rows):
        yield [tuple(reversed(row)) for row in answer.rows]
    yield values[::-1]
    ends = list(accumulate(map(len, _groups(answer)[:-1])))
    for end in ends[:: 1 + len(ends) // SWAPS]:
        yield [*values[: end - 1], values[end], values[end - 1], *values[end + 1 :]]


def _changed(value: Value) -> Iterator[Value]:
    """The value off by one, ten times itself, or cut short."""
    if isinstance(value, tuple):
        for place, cell in enumerate(value):
            for other in _changed(cell):
                if not isinstance(other, tuple):
                    yield (*value[:place], other, *value[place + 1 :])
    elif isinstance(value, Number):
        for number in (value.value + 1, value.value - 1, 10 * value.value):
            yield value.model_copy(update={"value": number})
    else:
        yield from (Text(value=words) for words in (*_cut_short(value.value), *_misspelled(value.value)))


def _strangers(values: list[Value]) -> list[Value]:
    """Values of the same kind that the list does not hold."""
    like = values[0]
    if isinstance(like, tuple):
        cells = [_strangers([row[place] for row in values if isinstance(row, tuple)]) for place in range(len(like))]
        return [tuple(cell for cell in row if not isinstance(cell, tuple)) for row in zip(*cells, strict=True)]
    if isinstance(like, Number):
        most = max(value.value for value in values if isinstance(value, Number)).to_integral_value()
        return [like.model_copy(update={"value": most + 7 + 2 * place}) for place in range(DUMPED)]
    return [Text(value=f"{STRANGERS[place % 5]} {'abcdefghijkl'[place] * 2}") for place in range(DUMPED)]


# -- What surely is not the same ------------------------------------------------------------------------------------


def _values(answer: Collection) -> list[Value]:
    """All values in the order they stand in."""
    return [value for group in _groups(answer) for value in group]


def _groups(answer: Collection) -> list[Sequence[Value]]:
    """The values that may change places with one another, group by group."""
    match answer:
        case Ranking(groups=groups):
            return list(groups)
        case Rows(rows=rows, ordered=True):
            return [(row,) for row in rows]
        case Rows(rows=rows):
            return [rows]
        case ValueSet(items=items) | Multiset(items=items):
            return [items]


def _is_surely_other(answer: Collection, said: list[Value]) -> bool:
    """Whether the values, in this order, cannot be taken for the key's by any reading."""
    if isinstance(answer, ValueSet):
        strange = any(not any(_may_be_same(item, value) for item in answer.items) for value in said)
        return strange or any(not any(_may_be_same(item, value) for value in said) for item in answer.items)
    groups = _groups(answer)
    if len(said) != sum(map(len, groups)):
        return True
    at = 0
    for group in groups:
        if _cannot_be_paired(group, tuple(said[at : at + len(group)])):
            return True
        at += len(group)
    return False


def _cannot_be_paired(wanted: Sequence[Value], said: Sequence[Value]) -> bool:
    """Whether some of what is said are more than the wanted values that they could stand for."""
    if wanted == said:
        return False
    # Counted first: a long list of counts holds few different ones.
    items, others = Counter(wanted), Counter(said)
    for value in others:
        alike = [other for other in others if _may_be_same(value, other)]
        able = sum(count for item, count in items.items() if any(_may_be_same(item, other) for other in alike))
        if able < sum(others[other] for other in alike):
            return True
    return False


def _may_be_same(one: Value, two: Value) -> bool:
    """Whether two values could by some reading be one; coarser than any reading that is right."""
    if isinstance(one, tuple) or isinstance(two, tuple):
        return isinstance(one, tuple) and isinstance(two, tuple) and all(map(_may_be_same, one, two))
    if isinstance(one, Number) and isinstance(two, Number):
        # Both may have been rounded, so two steps apart is the least that keeps them apart.
        return one.value == two.value or abs(one.value - two.value) < 2 * max(_step(one), _step(two))
    if isinstance(one, Text) and isinstance(two, Text):
        return not {*map(_letters, (one.value, *one.aliases))}.isdisjoint(map(_letters, (two.value, *two.aliases)))
    return True


def _could_be(answer: Answer, text: Text) -> bool:
    """Whether the text could be all that the answer says."""
    match answer:
        case Text():
            return _may_be_same(answer, text)
        case ValueSet() | Multiset() | Ranking():
            return len(_values(answer)) == 1 and _may_be_same(_values(answer)[0], text)
        case _:
            return False


@lru_cache(maxsize=1 << 14)
def _letters(text: str) -> str:
    """Letters and digits alone, in one case and without accents."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in apart if sign.isalnum()) or text.strip()


def _written(value: Value) -> str:
    """The value as a careful model writes it: rounded where that is asked for, the cells of a row after semicolons."""
    if isinstance(value, tuple):
        return "; ".join(map(_written, value))
    return value.value if isinstance(value, Text) else _with_unit(_rounded(value), value)
