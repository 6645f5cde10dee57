"""Parses the answer that a response states, as the type of its key.

The key determines which type to look for and where a list may be split ("Tides, storms" is one title if the key has
such a title). It never determines which value is found: any stated answer is parsed, correct or not. A response that
hedges ("4 or 5") states nothing.

Responses are untrusted input. Every pattern here and in `scoring.parsing` is linear (no repetition inside a repetition
that could match the same characters twice), every search runs once, and no exception leaves `parse_response`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any
from unicodedata import normalize

from fathom.records.documents import Passage
from fathom.records.spans import Span
from fathom.scoring.answer_types.values import ListAnswer, items_of, scalars_of
from fathom.scoring.answers import (
    Answer,
    Assignment,
    Choice,
    LinkedSpan,
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
from fathom.scoring.parsing import json_values
from fathom.scoring.parsing.extraction import LONGEST_STATEMENT, Statement, find_statement, last_fence
from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.lists import items_in, list_part
from fathom.scoring.parsing.markup import without_markup, without_thoughts
from fathom.scoring.parsing.non_answers import ASIDE, CONTRAST, HEDGE, NOTHING, SENTENCE_END, says_nothing
from fathom.scoring.parsing.normalization import LONGEST_CACHED, letters, normal, plain
from fathom.scoring.parsing.numerals import SIMPLE, as_number, number_of, numbers_in
from fathom.scoring.parsing.options import assigned_options, chosen_option
from fathom.scoring.parsing.segmentation import BULLET, clean_item, lines_in, unnumbered, without_lead_in
from fathom.scoring.parsing.selections import selected_options
from fathom.scoring.parsing.tables import cells_in, number_pairs, piped_rows, rows_of_line, without_header

_SIMPLE_ROW = re.compile(r"[\d.]{1,20}; ?[\d.]{1,20}")
_DIGIT = re.compile(r"\d")
_BEFORE_COUNT = re.compile(
    r"(?:\A|[:：=≈~—–>是为有共]|[.,;!?(\[]|\b(?:is|are|was|were|be|been|of|about|approximately|roughly|around|exactly|only|just"
    r"|gives?|gets?|got|counts?|counted|finds?|found|totals?|totaling|to|equals?|has|have|had|therefore|thus|so|hence|there|probably"
    r"|likely|answer|result|sum|mean|average|number|value|the|a|in|as|with|at|by|leaves|leaving|makes?|yields?|us|see|likely"
    r"|certainly|definitely|minimum|maximum|both|all|these|those|up|out|remain|remains|contains?|includes?|lists?))"
    r"[\s*_`\"'“$(\[\\{}]*\Z",
    re.IGNORECASE,
)
# A response may repeat the question, which says "Answer with one number".
_INSTRUCTION = re.compile(r"(?:answer with|round to|answer null)\b", re.IGNORECASE)
_NOTE = re.compile(r"(?:article|paper|document|candidate|step)\b|[-*•|>]|\(?\d{1,3}[.)]\s", re.IGNORECASE)
_RESULT = re.compile(
    r"\b(?:so|therefore|thus|hence|totals?|results?|answer|counts?|sum|average|mean|maximum|minimum|gets?|adding|yields?|number"
    r"|gives?|final|there (?:is|are|were)"
    r"|values?|altogether|overall|equals?|comes? to|leav(?:es|ing)|it is|makes?)\b|[=≈]|因此|所以|共",
    re.IGNORECASE,
)
_SUM = re.compile(r"[\d\s+×*·/÷().,=$−–-]{1,2000}")
_PLACE = re.compile(
    r"(?<![^\s,;:\[\]()\"'])([^\s,;:\[\]()\"']{1,99})[ \t]?[:\[(, \t][ \t]?(\d{1,12})[ \t]?[-–:,][ \t]?(\d{1,12})(?!\d)"
)


def _parse_number(statement: Statement, key: Number, hints: KeyHints) -> Number | None:
    """The one number that is stated; None if there is none or more than one."""
    if SIMPLE.fullmatch(statement.text):
        return number_of(statement.text)
    lines = [line for line in plain(_half_width(statement.text)).split("\n") if line.strip(" \t*_`#")]
    if lines and all("|" in line for line in lines):
        lines = [cell for row in piped_rows(lines, ()) for cell in row]
    if not lines:
        return None
    if len(lines) == 1:
        return _number_in_line(lines[0], key.unit, last=not statement.marked)
    if statement.marked:
        at = next((at for at, line in enumerate(lines[:3]) if numbers_in(line)), 0)
        return _unless_contradicted(_number_in_line(lines[at], key.unit, last=False), lines[at + 1 :], key.unit)
    if number_of(lines[0], key.unit) is None and numbers_in(lines[-1]):
        return _number_in_line(lines[-1], key.unit, last=True) if _concludes(lines[-1]) else None
    return _unless_contradicted(number_of(lines[0], key.unit), lines[1:], key.unit)


def _concludes(line: str) -> bool:
    """Whether the last line of a response without a marker states a result, and is no note on one article."""
    bare = line.strip(" \t*_`")
    if number_of(bare) is not None:
        return True
    return bare[-1] in ".!。)]0123456789" and _NOTE.match(bare) is None and _RESULT.search(bare) is not None


def _unless_contradicted(number: Number | None, rest: Sequence[str], unit: str) -> Number | None:
    """The number, unless a later line states another one or retracts it."""
    if number is None or any(HEDGE.search(line) for line in rest):
        return None
    others = (number_of(line[bullet.end() if (bullet := BULLET.match(line)) else 0 :], unit) for line in rest)
    return number if all(other is None or other.value == number.value for other in others) else None


def _number_in_line(line: str, unit: str, last: bool) -> Number | None:
    """The number of a line: its only one, the result of a sum, or the number of its first (or last) sentence."""
    contrast = CONTRAST.search(line) if "not " in line or " of " in line or " than " in line or " to " in line else None
    if contrast and numbers_in(line[: contrast.start()]):
        line = line[: contrast.start()] + line[contrast.end() :]
    bullet = BULLET.match(line)  # "1. 33.3" is the first and only item of a list
    bare = line[bullet.end() if bullet else 0 :].strip(" \t*_`").rstrip(".")
    if SIMPLE.fullmatch(bare):
        return number_of(bare)
    whole = _number_in_sentence(line, unit) if not _INSTRUCTION.search(line) else None
    if whole is not None or HEDGE.search(line):
        return whole
    sentences = [part for part in SENTENCE_END.split(ASIDE.sub("", line)) if part and not _INSTRUCTION.match(part)]
    return _number_in_sentence(sentences[-1 if last else 0], unit) if sentences else None


def _number_in_sentence(sentence: str, unit: str) -> Number | None:
    """The one number of a sentence, or the number after the equals sign of a sum."""
    found = numbers_in(sentence)
    if len(found) == 1:
        # "Synaptotagmin 7 is a sensor" names a protein.
        counts = _BEFORE_COUNT.search(sentence, 0, found[0].start)
        return as_number(found[0], sentence, unit) if counts else None
    terms, _, result = sentence.rpartition("=")
    total = numbers_in(result)
    if len(total) != 1 or not _SUM.fullmatch(terms):
        return None
    return as_number(total[0], result, unit)


def _parse_text(statement: Statement, key: Text, hints: KeyHints) -> Text | None:
    """The stated text."""
    lines = lines_in(statement.text, hints)
    if not lines:
        return None
    # Reasoning ends with its answer; a title may be wrapped over lines.
    reasoned = not statement.marked and 2 * sum(line.endswith((".", "!", "?")) for line in lines[:-1]) >= len(lines)
    line = lines[-1] if reasoned else " ".join(lines)
    if letters(line) in hints.whole:
        return Text(value=plain(line).strip())
    bullet = BULLET.match(line)
    line = clean_item(without_lead_in(plain(line[bullet.end() :] if bullet else line).strip(), hints), hints)
    return Text(value=line) if line else None


def _scalars(items: Iterable[str], numeric: bool, unit: str) -> tuple[Scalar, ...]:
    if numeric:
        return tuple([number_of(item, unit) or _text(item) for item in items])
    return tuple([_cached_text(item) if len(item) <= LONGEST_CACHED else _text(item) for item in items])


def _scalar(item: str, numeric: bool, unit: str) -> Scalar:
    """An item as a number if the key has numbers and the item is one, else as a text."""
    return (number_of(item, unit) if numeric else None) or _text(item)


def _text(item: str) -> Text:
    return _cached_text(item) if len(item) <= LONGEST_CACHED else Text(value=item)


@lru_cache(maxsize=1 << 14)
def _cached_text(item: str) -> Text:
    return Text(value=item)  # frozen, so that equal responses can share one


def _parse_list(statement: Statement, key: ListAnswer, hints: KeyHints) -> Answer | None:
    """The stated items in order."""
    numeric, _ = _number_shape(items_of(key))
    text = statement.text if statement.marked else list_part(statement.text, hints)
    return _checked_list(items_in(text, hints, numeric), key, hints)


def _checked_list(items: Sequence[str], key: ListAnswer, hints: KeyHints) -> Answer | None:
    """The items as the type of the key; None if numbers and names are mixed where the key has only one of them."""
    numeric, unit = _number_shape(items_of(key))
    scalars = _scalars(items, numeric, unit)
    numbers = sum(isinstance(item, Number) or SIMPLE.fullmatch(item.value) is not None for item in scalars)
    if 0 < numbers < len(scalars) and not any(map(SIMPLE.fullmatch, hints.spellings)):
        return None
    return _as_list(scalars, key)


def _number_shape(items: Sequence[Scalar]) -> tuple[bool, str]:
    """Whether the items are all numbers, and their unit."""
    units = [item.unit for item in items if isinstance(item, Number)]
    return len(units) == len(items), units[0] if units else ""


def _as_list(items: tuple[Scalar, ...], key: ListAnswer) -> Answer | None:
    """The items as the type of the key; repeats in a set count once."""
    if not items:
        return None
    if isinstance(key, Ranking):
        return Ranking.trusted(type="ranking", groups=tuple([(item,) for item in items]))
    if isinstance(key, Multiset):
        return Multiset.trusted(type="multiset", items=items)
    # No Decimal equals a string, so that a number and a text never count as repeats.
    return ValueSet.trusted(type="set", items=tuple({item.value: item for item in items}.values()))


def _parse_rows(statement: Statement, key: Rows, hints: KeyHints) -> Rows | None:
    """The rows of a table: drawn with pipes, or one per line."""
    lines = lines_in(plain(_half_width(statement.text)), hints)
    piped = [line for line in lines if "|" in line]
    if piped and len(piped) == len(lines) > 1:
        return _as_rows(piped_rows(piped, key.columns), key)
    numeric = [isinstance(cell, Number) for cell in key.rows[0]]
    listed = unnumbered(lines, hints)
    if numeric == [True, True] and not all(map(_SIMPLE_ROW.fullmatch, listed)):
        if len(listed) > 1 and not _DIGIT.search(listed[0]):
            listed = listed[1:]  # a header
        pairs = number_pairs(listed)
        if pairs:
            return _as_rows(pairs, key)
    if len(listed) == 1:
        listed = unnumbered(rows_of_line(listed[0].strip(), numeric, hints))
    rows = [cells_in(line, numeric, hints) for line in listed]
    return _as_rows(without_header(rows, key.columns), key)


def _as_rows(rows: Sequence[Sequence[str]], key: Rows) -> Rows | None:
    """The rows as an answer; None if a row is not as wide as the key's."""
    kinds = [_number_shape((cell,)) for cell in key.rows[0]]
    if not rows or any(len(row) != len(kinds) or not all(row) for row in rows):
        return None
    made = [tuple([_scalar(cell, *kind) for cell, kind in zip(row, kinds, strict=True)]) for row in rows]
    return Rows.trusted(type="rows", columns=key.columns, rows=tuple(made), ordered=key.ordered)


def _half_width(text: str) -> str:
    """The text in half-width characters: a response in Chinese may write "２，１"."""
    return text if text.isascii() else normalize("NFKC", text)


def _parse_choice(statement: Statement, key: Choice, hints: KeyHints) -> Choice | None:
    """The one option that is chosen, by its letter, number or ordinal."""
    option = chosen_option(plain(_half_width(statement.text.strip())), key.of)
    return Choice(option=option, of=key.of) if option else None


def _parse_assignment(statement: Statement, key: Assignment, hints: KeyHints) -> Assignment | None:
    """The option of each slot, from pairs such as "2: C", from a table, or from a plain list."""
    options = assigned_options(plain(_half_width(statement.text)), statement.marked, len(key.options), key.of)
    return Assignment(options=tuple(options), of=key.of) if options else None


def _parse_selection(statement: Statement, key: Selection, hints: KeyHints) -> Selection | None:
    """The options that are selected, by their letters or numbers."""
    options = selected_options(plain(_half_width(statement.text)), statement.marked, key.of)
    return Selection(options=tuple(options), of=key.of) if options else None


def _parse_spans(statement: Statement, key: Spans, hints: KeyHints) -> Spans | None:
    """The stated passages, each as document:start-end."""
    passages = _passages(plain(statement.text))
    return Spans(passages=passages) if passages else None


def _parse_linked_spans(statement: Statement, key: LinkedSpans, hints: KeyHints) -> LinkedSpans | None:
    """One passage per line, or between semicolons, each followed by the passages linked to it."""
    spans = []
    for part in re.split(r"[;\n]", plain(statement.text)):
        passages = _passages(part)
        if passages is None:
            return None
        if passages:
            spans.append(LinkedSpan(passage=passages[0], links=passages[1:]))
    return LinkedSpans(spans=tuple(spans)) if spans else None


def _passages(text: str) -> tuple[Passage, ...] | None:
    """All passages in a text; None if one of them ends before it starts."""
    places = [(document, int(start), int(end)) for document, start, end in _PLACE.findall(text)]
    if any(start > end for _, start, end in places):
        return None
    return tuple(Passage(document=document, span=Span(start, end)) for document, start, end in places)


def _parse_any_text(statement: Statement, key: Unanswerable, hints: KeyHints) -> Text | None:
    """The statement as a text, so that the verdict can show what was answered to an unanswerable question."""
    text = plain(statement.text).strip()[:1000]
    return Text(value=text) if text else None


_PARSERS: dict[str, Callable[[Statement, Any, KeyHints], Answer | None]] = {
    "number": _parse_number,
    "text": _parse_text,
    "set": _parse_list,
    "multiset": _parse_list,
    "ranking": _parse_list,
    "rows": _parse_rows,
    "choice": _parse_choice,
    "assignment": _parse_assignment,
    "selection": _parse_selection,
    "spans": _parse_spans,
    "linked spans": _parse_linked_spans,
    "none": _parse_any_text,
}


def _from_json(value: Any, key: Answer, hints: KeyHints) -> Answer | None:
    """The answer that a JSON value states."""
    if value is None or value in ([], {}):
        return Unanswerable()
    match key:
        case ValueSet() | Multiset() | Ranking():
            items = [item for item in json_values.scalars(value) or () if normal(item)]
            return _checked_list(items, key, hints)
        case Rows():
            return _as_rows(json_values.json_rows(_row_values(value, key), key.columns), key)
        case LinkedSpans() if not isinstance(value, str):
            return _linked_spans_from_json(value)
        case Assignment():
            text = json_values.json_slots(value)
        case Selection():
            named = list(value.values()) if isinstance(value, dict) else []
            text = ", ".join(json_values.scalars(named[0] if len(named) == 1 else value) or ())
        case Spans():
            text = json_values.json_passages(value)
        case _:
            text = json_values.scalar(json_values.lone(value))
    return _from_text(Statement(text, marked=True), key, hints)


def _linked_spans_from_json(value: Any) -> LinkedSpans | None:
    """Linked spans from JSON: [{"claim": {"document": ..., "start": ..., "end": ...}, "evidence": [...]}].

    Each entry has one passage and at most one list of passages, under any names.
    """
    spans = []
    for entry in value if isinstance(value, list) else [value]:
        fields = list(entry.values()) if isinstance(entry, dict) else []
        lists = [field for field in fields if isinstance(field, list)]
        heads = [field for field in fields if not isinstance(field, list)]
        if len(heads) != 1 or len(lists) > 1:
            return None
        head, *links = [_passages(_place_text(place)) for place in (*heads, *(lists[0] if lists else ()))]
        if not head or not all(links):
            return None
        spans.append(LinkedSpan(passage=head[0], links=tuple(link[0] for link in links if link)))
    return LinkedSpans(spans=tuple(spans)) if spans else None


def _place_text(value: Any) -> str:
    return json_values.json_place(value) if isinstance(value, dict) else json_values.scalar(value)


def _is_row(value: Any, key: Answer) -> bool:
    """Whether a JSON object is a row: a column may be named "result", which then does not mark an answer."""
    return (
        isinstance(key, Rows)
        and isinstance(value, dict)
        and len(value) == len(key.columns) > 1
        and not _maps_groups(value, key)
    )


def _row_values(value: Any, key: Rows) -> Any:
    """The rows of a JSON value: a list of rows, one row, or an object that maps groups to values."""
    if isinstance(value, dict):
        return [list(pair) for pair in value.items()] if _maps_groups(value, key) else [value]
    if isinstance(value, list) and value and all(isinstance(one, dict) and _maps_groups(one, key) for one in value):
        return [list(pair) for one in value for pair in one.items()]
    return value


def _maps_groups(value: dict[str, Any], key: Rows) -> bool:
    """Whether a JSON object maps the first column to the second, as in {"3": 1, "4": 2}, and is not one row."""
    if len(key.columns) != 2 or {*map(normal, value)} == {*map(normal, key.columns)}:
        return False
    return all(
        _fits_column(cell, example) for pair in value.items() for cell, example in zip(pair, key.rows[0], strict=True)
    )


def _fits_column(cell: Any, example: Scalar) -> bool:
    """Whether a JSON value has the type of a column: a number, or any text."""
    text = json_values.scalar(cell)
    return bool(text) and (number_of(text, example.unit) is not None if isinstance(example, Number) else True)


def _from_text(statement: Statement, key: Answer, hints: KeyHints) -> Answer | None:
    """The stated answer, as the type of the key."""
    text = statement.text.strip()
    if not text or len(text) > LONGEST_STATEMENT:
        return None
    last = "" if statement.marked else text[text.rfind("\n") + 1 :]
    negative = says_nothing(text) or (len(last) not in {0, len(text)} and says_nothing(last))
    # A key may contain a text such as "None"; then "None" is an answer.
    if negative and not any(normal(spelling) in NOTHING for spelling in hints.spellings):
        return Unanswerable()
    return _PARSERS[key.type](statement, key, hints)


def parse_response(text: str, key: Answer, *, truncated: bool = False) -> Answer | None:
    """The answer that a response states, of the type of the key.

    `Unanswerable` if it states that there is no answer; None if no answer could be parsed. Of a truncated response only
    a boxed answer is parsed.
    """
    if not text.isascii():
        text = text.encode(errors="replace").decode()
    try:
        if key.type == "number" and not truncated and SIMPLE.fullmatch(text):
            return number_of(text)
        if "</" in text or "[/" in text or "◁/" in text:
            text = without_thoughts(text)
        hints = KeyHints(scalars_of(key))
        if "<" in text or ">" in text or "&" in text or "\r" in text or "- [" in text or "~~" in text:
            text = without_markup(text, hints)
        statement = find_statement(text, hints, truncated)
        return None if statement is None else _from_statement(statement, key, hints)
    except (ArithmeticError, LookupError, RecursionError, ValueError):
        return None  # no such input is known, but a response may still contain one


def _from_statement(statement: Statement, key: Answer, hints: KeyHints) -> Answer | None:
    """The stated answer, from JSON or from text."""
    text = statement.text.strip()
    if "```" in text:
        text = (last_fence(text) or text).strip()
    if text[:1] in {"{", "[", '"', "n"} and len(text) <= LONGEST_STATEMENT:
        value = json_values.parsed(text)
        if value is not json_values.ABSENT:
            return _from_json(value if _is_row(value, key) else json_values.unwrapped(value), key, hints)
    return _from_text(Statement(text, statement.marked), key, hints)
