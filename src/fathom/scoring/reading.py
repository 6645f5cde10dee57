"""Reads the answer that a response states, as the type its key has.

The key tells which type to look for and where a list may be cut ("Tides, storms" is one title where the key has such a
title). It never tells which value to find: whatever the response states is read, right or wrong, and a
response that hedges
("4 or 5") states nothing.

Responses are hostile input. Every pattern here and in the modules this one is built on (`statements` finds the
answer in
the response; `lists` and `tables` cut it; `numerals`, `spelling`, `json_values` and `hedging` read what it
says) is linear
(no repetition inside a repetition that could match the same characters twice), every search looks once, and no
exception leaves `read_reply`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any
from unicodedata import normalize

from fathom.records.documents import Passage
from fathom.records.spans import Span
from fathom.scoring.answers import (
    Answer,
    Assignment,
    Atom,
    Choice,
    Members,
    Multiset,
    Nothing,
    Number,
    Ranking,
    Rows,
    Spans,
    Text,
)
from fathom.scoring.cutting import BULLET, lines_in, tidy, unnumbered, without_lead_in
from fathom.scoring.guides import NO_GUIDE, Guide, key_items, shape_of, spellings_of
from fathom.scoring.hedging import ASIDE, HEDGE, NOTHING, SENTENCE_END, says_nothing
from fathom.scoring.json_values import ABSENT, json_pairs, json_rows, parsed, scalar, scalars, unwrapped
from fathom.scoring.lists import items_in, list_part
from fathom.scoring.numerals import SIMPLE, as_number, number_of, numbers_in
from fathom.scoring.spelling import LONGEST_CACHED, letters, normal, plain
from fathom.scoring.statements import LONGEST_STATEMENT, Stated, last_fence, where_it_stands
from fathom.scoring.tables import cells_in, piped_rows, rows_of_line, without_header

_SUM = re.compile(r"[\d\s+×*·/÷().,=$−–-]{1,2000}")
_BETWEEN_OPTIONS = re.compile(r"(?:[,;、\s]|\b(?:and|option|candidate)s?\b)+", re.IGNORECASE)
_CHOICE = re.compile(
    r"(?:(?:option|choice|candidate|候选|no\.|#)\s?[(\[]?(?=\w)|[(\[]|(?=[a-z0-9]{1,3}\s?(?:\Z|[.:)\](\n]|[-–—]\s)))"
    r"(?:(?P<letter>[a-z])|(?P<digits>\d{1,3}))(?![\w'])[)\]]?",
    re.IGNORECASE,
)
_ANOTHER_CHOICE = re.compile(
    r"(?:\b(?:or|and|not)\b|[,/&、或和])\s?(?:(?i:option|choice|candidate|候选|no\.|#)\s?)?[(\[]?(?:[A-Z]|\d{1,3})(?![\w'])"
)
_PAIR = re.compile(
    r"(?:(?<=[\s,;{(\[\"'])|\A)[\[(<]{0,2}(?:mask|slot|blank|citation|gap|question|item)?[ _#-]?"
    r"(\d{1,3})[\])>\"']{0,2}\s?"
    r"(?:[:=→]|-+>?|–|is\b)\s?[\"'(\[]?(?:option |candidate )?(?:([a-z])|(\d{1,3}))(?![\w-])",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"^[ \t]*(\d{1,3})[.)][ \t]+(?:option |candidate )?[(\[]?(?:([a-z])|(\d{1,3}))[)\]]?[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line of a numbered list, each with one option: "2. 4"."""
_PLACE = re.compile(
    r"(?<![^\s,;:\[\]()\"'])([^\s,;:\[\]()\"']{1,99})[ \t]?[:\[(, \t][ \t]?(\d{1,12})[ \t]?[-–:,][ \t]?(\d{1,12})(?!\d)"
)


def _read_number(stated: Stated, wanted: Number) -> Number | None:
    """The one number that is stated; None where there is none, or more than one."""
    if SIMPLE.fullmatch(stated.text):
        return number_of(stated.text)
    lines = [line for line in plain(stated.text).split("\n") if line.strip(" \t*_`#")]
    if not lines:
        return None
    if len(lines) == 1:
        return _number_in_line(lines[0], wanted.unit, last=not stated.marked)
    if stated.marked:
        at = next((at for at, line in enumerate(lines[:3]) if numbers_in(line)), 0)
        return _unless_contradicted(_number_in_line(lines[at], wanted.unit, last=False), lines[at + 1 :], wanted.unit)
    if numbers_in(lines[-1]):
        return _number_in_line(lines[-1], wanted.unit, last=True)
    return _unless_contradicted(number_of(lines[0], wanted.unit), lines[1:], wanted.unit)


def _unless_contradicted(number: Number | None, rest: Sequence[str], unit: str) -> Number | None:
    """The number, unless the lines after it offer another one or take it back."""
    if number is None or any(HEDGE.search(line) for line in rest):
        return None
    others = (number_of(line, unit) for line in rest)
    return number if all(other is None or other.value == number.value for other in others) else None


def _number_in_line(line: str, unit: str, last: bool) -> Number | None:
    """The number of a line: its only one, the result of a sum, or that of its first (or last) sentence."""
    bullet = BULLET.match(line)  # "1. 33.3" is the first and only item of a list
    bare = line[bullet.end() if bullet else 0 :].strip(" \t*_`").rstrip(".")
    if SIMPLE.fullmatch(bare):
        return number_of(bare)
    whole = _number_in_sentence(line, unit)
    if whole is not None or HEDGE.search(line):
        return whole
    sentences = [part for part in SENTENCE_END.split(ASIDE.sub("", line)) if part]
    return _number_in_sentence(sentences[-1 if last else 0], unit) if sentences else None


def _number_in_sentence(sentence: str, unit: str) -> Number | None:
    """The one number of a sentence, or what stands after the equals sign of a sum."""
    found = numbers_in(sentence)
    if len(found) == 1:
        return as_number(found[0], sentence, unit)
    terms, _, result = sentence.rpartition("=")
    total = numbers_in(result)
    if len(total) != 1 or not _SUM.fullmatch(terms):
        return None
    return as_number(total[0], result, unit)


def _read_text(stated: Stated, wanted: Text) -> Text | None:
    """The words that are stated."""
    guide = Guide((wanted,))
    lines = lines_in(stated.text, guide)
    if not lines:
        return None
    # Reasoning ends in its answer; a title may be wrapped; a heap of names is no answer.
    reasoned = not stated.marked and 2 * sum(line.endswith((".", "!", "?")) for line in lines[:-1]) >= len(lines)
    line = lines[-1] if reasoned else " ".join(lines)
    if letters(line) in guide.whole:
        return Text(value=plain(line).strip())
    bullet = BULLET.match(line)
    line = tidy(without_lead_in(plain(line[bullet.end() :] if bullet else line).strip(), guide), guide)
    return Text(value=line) if line else None


def _atoms(items: Iterable[str], numeric: bool, unit: str) -> tuple[Atom, ...]:
    if numeric:
        return tuple([number_of(item, unit) or _text(item) for item in items])
    return tuple([_remembered_text(item) if len(item) <= LONGEST_CACHED else _text(item) for item in items])


def _atom(item: str, numeric: bool, unit: str) -> Atom:
    """An item as a number where the key has numbers; what is none stays the text it is."""
    return (number_of(item, unit) if numeric else None) or _text(item)


def _text(item: str) -> Text:
    return _remembered_text(item) if len(item) <= LONGEST_CACHED else Text(value=item)


@lru_cache(maxsize=1 << 14)
def _remembered_text(item: str) -> Text:
    return Text(value=item)  # frozen, so that one will do for every response that says the same


def _read_list(stated: Stated, wanted: Members | Multiset | Ranking) -> Answer | None:
    """The items that are stated, in the order they stand in."""
    items = key_items(wanted)
    numeric, unit = shape_of(items)
    guide = Guide(items)
    text = stated.text if stated.marked else list_part(stated.text, guide)
    return _as_list(_atoms(items_in(text, guide, numeric), numeric, unit), wanted)


def _as_list(items: tuple[Atom, ...], wanted: Members | Multiset | Ranking) -> Answer | None:
    """The items as the type of the key; in a set, what is said twice counts once."""
    if not items:
        return None
    if isinstance(wanted, Ranking):
        return Ranking.model_construct(groups=tuple([(item,) for item in items]))
    if isinstance(wanted, Multiset):
        return Multiset.model_construct(items=items)
    # No Decimal equals a string, so a number and a text are never taken for one another.
    return Members.model_construct(items=tuple({item.value: item for item in items}.values()))


def _read_rows(stated: Stated, wanted: Rows) -> Rows | None:
    """The rows of a table: drawn with pipes, or one a line."""
    guide = Guide(chain.from_iterable(wanted.rows))
    lines = lines_in(plain(stated.text), guide)
    piped = [line for line in lines if "|" in line]
    if piped:
        return _as_rows(piped_rows(piped, wanted.columns), wanted)
    numeric = [isinstance(cell, Number) for cell in wanted.rows[0]]
    if len(lines) == 1:
        lines = rows_of_line(lines[0].strip(), numeric, guide)
    rows = [cells_in(line, numeric, guide) for line in unnumbered(lines)]
    return _as_rows(without_header(rows, wanted.columns), wanted)


def _as_rows(rows: Sequence[Sequence[str]], wanted: Rows) -> Rows | None:
    """The rows as an answer; None where a row is not as wide as the key's."""
    kinds = [shape_of((cell,)) for cell in wanted.rows[0]]
    if not rows or any(len(row) != len(kinds) or not all(row) for row in rows):
        return None
    made = [tuple([_atom(cell, *kind) for cell, kind in zip(row, kinds, strict=True)]) for row in rows]
    return Rows.model_construct(columns=wanted.columns, rows=tuple(made), ordered=wanted.ordered)


def halved(text: str) -> str:
    """The text in half-width signs: who answers in Chinese may write "２，１"."""
    return text if text.isascii() else normalize("NFKC", text)


def _option(letter: str | None, digits: str | None, of: int) -> int | None:
    """The option's place, counted from one; None where there is no such option."""
    place = ord(letter.upper()) - ord("A") + 1 if letter else int(digits or 0)
    return place if 1 <= place <= of else None


def _read_choice(stated: Stated, wanted: Choice) -> Choice | None:
    """The one option that is stated, by its letter or its number."""
    text = halved(stated.text.strip())
    text = plain(text if stated.marked else text.rpartition("\n")[2]).strip(" \t\n*_`\"'")
    match = _CHOICE.match(text)
    if not match or _ANOTHER_CHOICE.search(text, match.end(), match.end() + 400):
        return None
    option = _option(match["letter"], match["digits"], wanted.of)
    return Choice(option=option, of=wanted.of) if option else None


def _read_assignment(stated: Stated, wanted: Assignment) -> Assignment | None:
    """The option of each slot, from pairs such as "2: C" or from a plain list."""
    text = plain(halved(stated.text))
    pairs = _PAIR.findall(text)
    if pairs:
        slots = {int(slot): _option(letter, digits, wanted.of) for slot, letter, digits in pairs}
        in_turn = [slots.get(slot) for slot in range(1, len(pairs) + 1)]
        return _assigned(in_turn, wanted.of)
    numbered = _NUMBERED.findall(text)
    if len(numbered) > 1 and [int(number) for number, _, _ in numbered] == list(range(1, len(numbered) + 1)):
        return _assigned([_option(letter, digits, wanted.of) for _, letter, digits in numbered], wanted.of)
    lines = lines_in(text, NO_GUIDE)
    line = " ".join(lines if stated.marked else lines[-1:])
    parts = [part.strip(" \"'()[]{}.") for part in _BETWEEN_OPTIONS.split(without_lead_in(line, NO_GUIDE))]
    return _assigned([_placed(part, wanted.of) for part in parts if part], wanted.of)


def _placed(part: str, of: int) -> int | None:
    """The option that a lone letter or number names."""
    if not part.isascii():
        return None
    if len(part) == 1 and part.isalpha():
        return _option(part, None, of)
    return _option(None, part, of) if part.isdigit() and len(part) < 4 else None


def _assigned(options: Sequence[int | None], of: int) -> Assignment | None:
    known = tuple(option for option in options if option)
    return Assignment(options=known, of=of) if known and len(known) == len(options) else None


def _read_spans(stated: Stated, wanted: Spans) -> Spans | None:
    """The passages that are stated, each as document:start-end."""
    places = [(document, int(start), int(end)) for document, start, end in _PLACE.findall(plain(stated.text))]
    if not places or any(start > end for _, start, end in places):
        return None
    return Spans(passages=tuple(Passage(document=document, span=Span(start, end)) for document, start, end in places))


def _read_anything(stated: Stated, wanted: Nothing) -> Text | None:
    """Where nothing is right, whatever else is stated, so that the verdict can show it."""
    said = plain(stated.text).strip()[:1000]
    return Text(value=said) if said else None


_READERS: dict[str, Callable[[Stated, Any], Answer | None]] = {
    "number": _read_number,
    "text": _read_text,
    "set": _read_list,
    "multiset": _read_list,
    "ranking": _read_list,
    "rows": _read_rows,
    "choice": _read_choice,
    "assignment": _read_assignment,
    "spans": _read_spans,
    "none": _read_anything,
}


def _from_json(value: Any, wanted: Answer) -> Answer | None:
    """The answer that a JSON value is."""
    if value is None or value in ([], {}):
        return Nothing()
    match wanted:
        case Members() | Multiset() | Ranking():
            items = [item for item in scalars(value) or () if normal(item)]
            return _as_list(_atoms(items, *shape_of(key_items(wanted))), wanted)
        case Rows():
            return _as_rows(json_rows([value] if _is_row(value, wanted) else value, wanted.columns), wanted)
        case Assignment() | Spans():
            said = json_pairs(value)
        case _:
            said = scalar(value[0] if isinstance(value, list) and len(value) == 1 else value)
    return _interpreted(Stated(said, marked=True), wanted)


def _is_row(value: Any, wanted: Answer) -> bool:
    """Whether a JSON object is a row: a column may be called "result", which then marks no answer."""
    return isinstance(wanted, Rows) and isinstance(value, dict) and len(value) == len(wanted.columns) > 1


def _could_be_named(wanted: Answer) -> bool:
    """Whether the key itself holds a text such as "None", so that saying so may be an answer."""
    return any(normal(spelling) in NOTHING for spelling in spellings_of(wanted))


def _interpreted(stated: Stated, wanted: Answer) -> Answer | None:
    """What the statement says, as the type of the key."""
    text = stated.text.strip()
    if not text or len(text) > LONGEST_STATEMENT:
        return None
    last = "" if stated.marked else text[text.rfind("\n") + 1 :]
    silent = says_nothing(text) or (len(last) not in {0, len(text)} and says_nothing(last))
    if silent and not _could_be_named(wanted):
        return Nothing()
    return _READERS[wanted.type](stated, wanted)


def read_response(text: str, wanted: Answer, *, cut: bool = False) -> Answer | None:
    """The answer that `text` states, of the type of `wanted`; `Nothing` where it says that there is none; None where
    nothing can be read. Of a text that was `cut` off only what it had boxed is read."""
    if not text.isascii():
        text = text.encode(errors="replace").decode()
    try:
        if wanted.type == "number" and not cut and SIMPLE.fullmatch(text):
            return number_of(text)
        text = text[text.rfind("</think>") + 8 :] if "</think>" in text else text
        stated = where_it_stands(text, wanted, cut)
        return None if stated is None else _read(stated, wanted)
    except (ArithmeticError, LookupError, RecursionError, ValueError):
        return None  # no way here is known; a response may still find one


def _read(stated: Stated, wanted: Answer) -> Answer | None:
    """What the statement says, whether it is JSON or not."""
    text = stated.text.strip()
    if "```" in text:
        text = (last_fence(text) or text).strip()
    if text[:1] in {"{", "[", '"', "n"} and len(text) <= LONGEST_STATEMENT:
        value = parsed(text)
        if value is not ABSENT:
            return _from_json(value if _is_row(value, wanted) else unwrapped(value), wanted)
    return _interpreted(Stated(text, stated.marked), wanted)
