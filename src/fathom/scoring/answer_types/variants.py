"""Responses derived from a key: accepted forms of its answer, and near misses that must not pass.

An audit uses them to prove the check: on every key, accepted forms must be correct and near misses incorrect. Whether a
near miss really is one is decided here by a coarser rule that does not use the check: if two values could be the same
under any interpretation, they produce no near miss.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from functools import lru_cache
from itertools import accumulate

from fathom.records.documents import Passage
from fathom.records.spans import Span
from fathom.scoring.answer_types.format import published, rounded, stated, with_unit, written_value
from fathom.scoring.answer_types.values import Collection, ListAnswer, ListValue, groups_of, values_of
from fathom.scoring.answers import (
    Answer,
    Assignment,
    Choice,
    Link,
    LinkedSpan,
    LinkedSpans,
    Multiset,
    Number,
    Ranking,
    Rows,
    Selection,
    Spans,
    Text,
    Unanswerable,
    ValueSet,
)

NUMBER_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
UNKNOWN_NAMES = ("Ottoline Quarrymoss", "Fenwick Umbertide", "Perpetua Zolnay", "Barnaby Ixworth", "Hester Vukasin")
"""Names that occur in no document."""
EXTRA_ITEMS = 12
"""Items that a response adds to a correct list, hoping that some are expected."""

SWAPS = 8
"""Places, spread over a ranking, at which two neighbors are swapped."""

_HAS_SEPARATOR = re.compile(r"[,;，；、&|\n]|\band\b", re.IGNORECASE)
_ENDS = " \t,;:.!?-–—\"'“”‘’()[]"


def accepted_forms(answer: Answer) -> Iterator[str]:
    """Responses that all state the answer."""
    match answer:
        case Number():
            yield from _accepted_numbers(answer)
        case Text():
            yield from _accepted_texts(answer)
        case ValueSet() | Multiset() | Ranking():
            yield from _accepted_lists(answer)
        case Rows():
            yield from _accepted_tables(answer)
        case Unanswerable():
            yield from ("NULL", "null", "None", "Answer: NULL", "**Answer:** NULL.", r"\boxed{NULL}", "[]", "N/A")
            yield from ('{"answer": null}', "I looked at every article.\n\nAnswer: NULL")
        case Choice(option=option):
            yield from _accepted_choices(option)
        case Assignment(options=options):
            yield from _accepted_assignments(options)
        case Selection(options=options):
            yield from _accepted_selections(options)
        case Spans() | LinkedSpans():
            yield from _marked(published(answer))
            yield json.dumps({"answer": _as_json(answer)})


def near_misses(answer: Answer) -> Iterator[str]:
    """Responses that resemble the answer but do not state it."""
    yield ""
    match answer:
        case Number():
            yield from _near_numbers(answer)
        case Text():
            yield from _near_texts(answer)
        case ValueSet() | Multiset() | Ranking() | Rows():
            for values in _near_collections(answer):
                yield "Answer:\n" + "\n".join(map(written_value, values))
        case Unanswerable():
            yield from ("0", "Answer: 0", "4", r"\boxed{1}", "Answer: NULL or 4", "NULL\n4")
            yield from (f"Answer: {UNKNOWN_NAMES[0]}", json.dumps(UNKNOWN_NAMES[:2]), "\n".join(UNKNOWN_NAMES))
        case Choice(option=option, of=of):
            yield from _near_choices(option, of)
        case Assignment(options=options, of=of):
            yield from _near_assignments(options, of)
        case Selection(options=options, of=of):
            yield from _near_selections(options, of)
        case Spans():
            for spans in _near_passages(answer.passages):
                yield stated(Spans(passages=spans))
        case LinkedSpans():
            for linked in _near_links(answer.spans):
                yield stated(LinkedSpans(spans=linked))
    named = isinstance(answer, Choice | Assignment | Selection)
    if named or not (isinstance(answer, Unanswerable) or _could_be(answer, Text(value="NULL"))):
        yield "Answer: NULL"


def _marked(bare: str) -> Iterator[str]:
    """A short statement with the usual markers of an answer."""
    yield bare
    yield f"Answer: {bare}"
    yield f"Let me go through the articles.\n\n**Answer:** {bare}"
    yield rf"The final answer is \boxed{{{bare}}}."


# -- Choices and assignments --------------------------------------------------------------------------------------


def _accepted_choices(option: int) -> Iterator[str]:
    for bare in (str(option), f"[{option}]", f"Candidate {option}", f"candidate [{option}]", f"**{option}**"):
        yield from _marked(bare)
    yield from (f"<answer>{option}</answer>", f"<ANSWER>\n{option}\n</ANSWER>", f"Answer:\n\n{option}\n")
    yield f"Candidate {option % 4 + 1} is about something else.\n\nAnswer: {option}"


def _near_choices(option: int, of: int) -> Iterator[str]:
    for other in range(0, of + 2):
        if other != option:
            yield from (f"Answer: {other}", f"<answer>[{other}]</answer>")
    yield from (f"Answer: {option} or {option % of + 1}", f"Answer: not {option}", f"Answer: 1{option}")
    yield "Answer: " + ", ".join(str(index) for index in range(1, of + 1))


def _accepted_assignments(options: Sequence[int]) -> Iterator[str]:
    for separator in (", ", " ", "\n", "; "):
        bare = separator.join(map(str, options))
        yield from (
            f"Answer: {bare}",
            f"**Answer:** {bare}",
            f"<answer>\n{bare}\n</answer>",
            f"<ANSWER>{bare}</ANSWER>",
        )
    yield "Answer: [" + ", ".join(map(str, options)) + "]"
    yield "Answer:\n" + "\n".join(f"[[CITATION {index}]]: {option}" for index, option in enumerate(options, start=1))
    yield "Answer:\n" + "\n".join(f"{index}: Candidate {option}" for index, option in enumerate(options, start=1))
    yield "Answer:\n" + "\n".join(f"- Citation {index} -> {option}" for index, option in enumerate(options, start=1))


def _near_assignments(options: Sequence[int], of: int) -> Iterator[str]:
    others = [[*options[1:], options[0]], list(reversed(options)), [options[0]] * len(options)]
    others += [list(options[:-1]), [*options, 1], [option % of + 1 for option in options]]
    for other in others:
        if other != list(options):
            yield "Answer: " + ", ".join(map(str, other))
    swapped = enumerate([options[1], options[0], *options[2:]], start=1)
    yield "Answer:\n" + "\n".join(f"{place}: {option}" for place, option in swapped)


def _accepted_selections(options: Sequence[int]) -> Iterator[str]:
    """In any order, since the works of a group have none."""
    for some in (options, options[::-1]):
        names = list(map(str, some))
        for bare in (", ".join(names), f"[{', '.join(names)}]", f"Candidates {' and '.join(names)}", "; ".join(names)):
            yield from _marked(bare)
        yield from (f"<answer>{', '.join(names)}</answer>", f"Answer:\n\n{' '.join(names)}\n")
        yield "Answer:\n" + "\n".join(f"- Candidate {name}" for name in names)
        yield json.dumps({"answer": list(some)})


def _near_selections(options: Sequence[int], of: int) -> Iterator[str]:
    """One option missing, one more, one replaced, all, each alone, and a list that leaves one open."""
    others = [option for option in range(1, of + 1) if option not in options]
    sets = [[option for option in options if option != left_out] for left_out in options if len(options) > 1]
    sets += [[*options, other] for other in others]
    sets += [[*options[1:], other] for other in others]
    sets += [[*options, of + 1], [0, *options]]
    sets += [[option] for option in options if len(options) > 1]
    for some in sets:
        yield "Answer: " + ", ".join(map(str, some))
    if others:
        yield "Answer: " + ", ".join(str(index) for index in range(1, of + 1))
        yield f"Answer: {', '.join(map(str, options))} or {others[0]}"
        yield f"Answer: all except {', '.join(map(str, options))}"
    yield f"Answer: not {', '.join(map(str, options))}"


# -- Passages -----------------------------------------------------------------------------------------------------


def _as_json(answer: Spans | LinkedSpans) -> list[object]:
    if isinstance(answer, Spans):
        return [_place(passage) for passage in answer.passages]
    return [{"claim": _place(span.passage), "evidence": list(map(_place, span.linked))} for span in answer.spans]


def _place(passage: Passage) -> dict[str, object]:
    return {"document": passage.document, "start": passage.span.start, "end": passage.span.end}


def _moved(passage: Passage) -> Passage:
    """The passage shifted by one character."""
    return Passage(document=passage.document, span=Span(passage.span.start + 1, passage.span.end + 1))


def _near_passages(passages: Sequence[Passage]) -> Iterator[tuple[Passage, ...]]:
    """One passage moved, one missing, one more."""
    others = [(_moved(passages[0]), *passages[1:]), passages[1:], (*passages, _moved(passages[-1]))]
    yield from (other for other in map(tuple, others) if other and set(other) != set(passages))


def _near_links(spans: Sequence[LinkedSpan]) -> Iterator[tuple[LinkedSpan, ...]]:
    """One passage moved, one missing, and the links of one passage changed."""
    first, *rest = spans
    others = [first.model_copy(update={"passage": _moved(first.passage)})]
    near = ((), *_near_passages(first.linked)) if first.links else ()
    others += [first.model_copy(update={"links": tuple(Link(passage=one) for one in linked)}) for linked in near]
    for other in others:
        yield (other, *rest)
    if rest:
        yield tuple(rest)


# -- Numbers ------------------------------------------------------------------------------------------------------


def _accepted_numbers(number: Number) -> Iterator[str]:
    bare = written_value(number)
    yield from _marked(bare)
    yield from (f"**{bare}**", json.dumps({"answer": bare}))
    for rule in (ROUND_HALF_EVEN, ROUND_HALF_UP):
        yield with_unit(rounded(number, rule), number.unit)
    yield with_unit(number.value, number.unit)
    value = number.value
    if value == value.to_integral_value():
        whole = int(value)
        yield with_unit(f"{whole}.0", number.unit)
        if abs(whole) >= 1000:
            yield with_unit(f"{whole:,}", number.unit)
        if 0 <= whole < len(NUMBER_WORDS) and not number.unit:
            yield from (NUMBER_WORDS[whole], f"Answer: {NUMBER_WORDS[whole].capitalize()}.")


def _near_numbers(number: Number) -> Iterator[str]:
    value, step = number.value, _step(number)
    highest, lowest = rounded(number, ROUND_HALF_UP), rounded(number, ROUND_HALF_EVEN)
    unit = step if number.decimals is not None else Decimal(1)
    others = [value + unit, value - unit, max(highest, lowest) + unit, min(highest, lowest) - unit, value + 10 * unit]
    others += [value * 10, value * 100, value / 10, -value, value + 100, 2 * value]
    others += [Decimal(f"{lowest:f}{digits}") for digits in ("1", "7") if number.decimals is None]
    if value >= 0:
        others += [Decimal(f"{digit}{lowest:f}") for digit in "71"]
    for other in dict.fromkeys(others):
        if other != value and abs(other - value) >= step:
            yield "Answer: " + with_unit(other, number.unit)
    bare = written_value(number)
    yield from (f"Answer: {bare} or {value + 1:f}", f"Answer: at least {bare}", f"Answer: not {bare}")
    yield f"Answer: {bare}\n\nWait, actually it is {value + 1:f}."
    if not number.unit:
        yield f"Answer: {bare}%"


def _step(number: Number) -> Decimal:
    """The smallest difference that counts."""
    return Decimal(0) if number.decimals is None else Decimal(1).scaleb(-number.decimals)


# -- Texts --------------------------------------------------------------------------------------------------------


def _accepted_texts(text: Text) -> Iterator[str]:
    yield from _marked(text.value)
    for spelling in (text.value, *text.aliases):
        yield from (spelling, f"Answer: {spelling}", json.dumps({"answer": spelling}), f"“{spelling}”")


def _near_texts(text: Text) -> Iterator[str]:
    for other in (*_cut_short(text.value), *_misspelled(text.value), f"{text.value} Quarrymoss", *UNKNOWN_NAMES[:2]):
        if not _may_be_same(text, Text(value=other)):
            yield f"Answer: {other}"
    yield f"Answer: {text.value}; {UNKNOWN_NAMES[0]}"


def _cut_short(words: str) -> Iterator[str]:
    """The text without its first and without its last word."""
    parts = words.split()
    for fewer in (parts[1:], parts[:-1]):
        cut = " ".join(fewer).strip(_ENDS)
        if _letters(cut):
            yield cut


def _misspelled(words: str) -> Iterator[str]:
    """The text with its last letter replaced."""
    for index in range(len(words) - 1, -1, -1):
        if words[index].isascii() and words[index].isalpha():
            yield f"{words[:index]}{'q' if words[index] not in 'qQ' else 'k'}{words[index + 1 :]}"
            return


# -- Lists and tables ---------------------------------------------------------------------------------------------


def _accepted_lists(answer: ListAnswer) -> Iterator[str]:
    for number, values in enumerate(_accepted_orders(answer)):
        items = [written_value(value) for value in values]
        yield from _in_all_forms(items) if number == 0 else _in_two_forms(items)
    other = [_other_spelling(value) for value in values_of(answer)]
    # Two people may share a short form of their names; then only the full names are unambiguous.
    if not any(_is_shared(spelling, answer) for spelling in other):
        yield "Answer:\n" + "\n".join(other)


def _accepted_orders(answer: ListAnswer) -> Iterator[list[ListValue]]:
    """Accepted orders of the values: ties of a ranking reversed, anything else reversed."""
    values = list(values_of(answer))
    yield values
    if isinstance(answer, Ranking):
        reversed_ties: list[ListValue] = [item for group in answer.groups for item in reversed(group)]
        if any(len(group) > 1 for group in answer.groups):
            yield reversed_ties
        return
    if len(values) > 1:
        yield values[::-1]
    if isinstance(answer, ValueSet):
        yield [*values, values[0]]  # a set may repeat a value


def _in_all_forms(items: list[str]) -> Iterator[str]:
    lines = "\n".join(items)
    yield from (lines, f"Answer:\n{lines}", f"Here is what I found.\n\n**Answer:**\n\n{lines}")
    yield from ("Answer:\n" + "\n".join(f"- {item}" for item in items), json.dumps(items))
    yield "Answer:\n" + "\n".join(f"{number}. {item}" for number, item in enumerate(items, start=1))
    yield "```json\n" + json.dumps({"answer": items}, ensure_ascii=False) + "\n```"
    # If an item contains a comma, a comma-separated list is ambiguous, so it is not required to be accepted.
    if not any(_HAS_SEPARATOR.search(item) for item in items):
        yield from _marked(", ".join(items))
        yield "Answer: " + "; ".join(items)


def _in_two_forms(items: list[str]) -> Iterator[str]:
    yield from ("Answer:\n" + "\n".join(items), json.dumps(items))


def _other_spelling(value: ListValue) -> str:
    """The value in another spelling, if it has one."""
    if isinstance(value, Text) and value.aliases:
        return value.aliases[-1]
    if isinstance(value, Number) and value.decimals is None and value.value == value.value.to_integral_value():
        return with_unit(f"{int(value.value)}.0", value.unit)
    return written_value(value)


def _is_shared(spelling: str, answer: Collection) -> bool:
    """Whether the spelling fits several values of the key."""
    text = Text(value=spelling)
    return len({value for value in values_of(answer) if isinstance(value, Text) and _may_be_same(value, text)}) > 1


def _accepted_tables(answer: Rows) -> Iterator[str]:
    orders = [answer.rows] if answer.ordered else [answer.rows, answer.rows[::-1]]
    for rows in orders:
        cells = [[written_value(cell) for cell in row] for row in rows]
        yield from ("\n".join(map("; ".join, cells)), "Answer:\n" + "\n".join(map("; ".join, cells)), json.dumps(cells))
        if not any("|" in cell for row in cells for cell in row):
            ruled = [list(answer.columns), ["---"] * len(answer.columns), *cells]
            yield "Answer:\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in ruled)
        yield json.dumps([dict(zip(answer.columns, row, strict=True)) for row in cells])


def _near_collections(answer: Collection) -> Iterator[list[ListValue]]:
    """Values close to the key's that, in this order, are not the key's."""
    values = list(values_of(answer))
    for others in (*_other_values(values), *_other_orders(answer, values)):
        if others and _must_differ(answer, others):
            yield others


def _other_values(values: list[ListValue]) -> Iterator[list[ListValue]]:
    """One more, one fewer, one replaced, one changed, one repeated, many more, the first alone, the count."""
    unknown = _unknown_values(values)
    yield [*values, unknown[0]]
    yield [*values, *unknown]
    yield values[:-1]
    yield values[1:]
    yield values[:1]
    yield [*values[:-1], unknown[0]]
    yield [unknown[0], *values[1:]]
    for changed in _changed(values[0]):
        yield [changed, *values[1:]]
    for changed in _changed(values[-1]):
        yield [*values[:-1], changed]
    yield [*values, values[-1]]
    yield [values[0]] * len(values)
    repeated = next((index for index, value in enumerate(values) if value in values[:index]), None)
    if repeated is not None:
        yield [*values[:repeated], *values[repeated + 1 :]]
        yield list(dict.fromkeys(values))
    if isinstance(values[0], Number):
        yield [Number(value=Decimal(len(values)))]


def _other_orders(answer: Collection, values: list[ListValue]) -> Iterator[list[ListValue]]:
    """The reverse order, swapped untied neighbors at some places, and the columns of a table reversed."""
    if isinstance(answer, Rows):
        yield [tuple(reversed(row)) for row in answer.rows]
    yield values[::-1]
    ends = list(accumulate(map(len, groups_of(answer)[:-1])))
    for end in ends[:: 1 + len(ends) // SWAPS]:
        yield [*values[: end - 1], values[end], values[end - 1], *values[end + 1 :]]


def _changed(value: ListValue) -> Iterator[ListValue]:
    """The value off by one, multiplied by ten, or shortened."""
    if isinstance(value, tuple):
        for index, cell in enumerate(value):
            for other in _changed(cell):
                if not isinstance(other, tuple):
                    yield (*value[:index], other, *value[index + 1 :])
    elif isinstance(value, Number):
        for number in (value.value + 1, value.value - 1, 10 * value.value):
            yield value.model_copy(update={"value": number})
    else:
        yield from (Text(value=words) for words in (*_cut_short(value.value), *_misspelled(value.value)))


def _unknown_values(values: list[ListValue]) -> list[ListValue]:
    """Values of the same type that the list does not have."""
    like = values[0]
    if isinstance(like, tuple):
        cells = [
            _unknown_values([row[index] for row in values if isinstance(row, tuple)]) for index in range(len(like))
        ]
        return [tuple(cell for cell in row if not isinstance(cell, tuple)) for row in zip(*cells, strict=True)]
    if isinstance(like, Number):
        most = max(value.value for value in values if isinstance(value, Number)).to_integral_value()
        return [like.model_copy(update={"value": most + 7 + 2 * index}) for index in range(EXTRA_ITEMS)]
    return [Text(value=f"{UNKNOWN_NAMES[index % 5]} {'abcdefghijkl'[index] * 2}") for index in range(EXTRA_ITEMS)]


# -- What must differ -----------------------------------------------------------------------------------------------


def _must_differ(answer: Collection, others: list[ListValue]) -> bool:
    """Whether the values, in this order, differ from the key's under every interpretation."""
    if isinstance(answer, ValueSet):
        strange = any(not any(_may_be_same(item, value) for item in answer.items) for value in others)
        return strange or any(not any(_may_be_same(item, value) for value in others) for item in answer.items)
    groups = groups_of(answer)
    if len(others) != sum(map(len, groups)):
        return True
    at = 0
    for group in groups:
        if _cannot_be_paired(group, tuple(others[at : at + len(group)])):
            return True
        at += len(group)
    return False


def _cannot_be_paired(expected: Sequence[ListValue], others: Sequence[ListValue]) -> bool:
    """Whether some stated values outnumber the expected values that they could match."""
    if expected == others:
        return False
    # Count first: a long list of counts has few distinct ones.
    items, counts = Counter(expected), Counter(others)
    for value in counts:
        similar = [other for other in counts if _may_be_same(value, other)]
        matching = sum(count for item, count in items.items() if any(_may_be_same(item, other) for other in similar))
        if matching < sum(counts[other] for other in similar):
            return True
    return False


def _may_be_same(one: ListValue, two: ListValue) -> bool:
    """Whether two values could be the same under some interpretation; coarser than any correct comparison."""
    if isinstance(one, tuple) or isinstance(two, tuple):
        return isinstance(one, tuple) and isinstance(two, tuple) and all(map(_may_be_same, one, two))
    if isinstance(one, Number) and isinstance(two, Number):
        # Both may have been rounded, so only two steps keep them apart.
        return one.value == two.value or abs(one.value - two.value) < 2 * max(_step(one), _step(two))
    if isinstance(one, Text) and isinstance(two, Text):
        return not {*map(_letters, (one.value, *one.aliases))}.isdisjoint(map(_letters, (two.value, *two.aliases)))
    return True


def _could_be(answer: Answer, text: Text) -> bool:
    """Whether the text alone could state the answer."""
    match answer:
        case Text():
            return _may_be_same(answer, text)
        case ValueSet() | Multiset() | Ranking():
            return len(values_of(answer)) == 1 and _may_be_same(values_of(answer)[0], text)
        case _:
            return False


@lru_cache(maxsize=1 << 14)
def _letters(text: str) -> str:
    """Only letters and digits, in lower case and without accents."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in apart if sign.isalnum()) or text.strip()
