"""The answer that a response states in sentences of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.scoring.answer_types.parse_lists import as_rows, spellings_of
from fathom.scoring.answer_types.parse_numbers import half_width
from fathom.scoring.answer_types.values import items_of
from fathom.scoring.answers import Answer, Multiset, Number, Ranking, Rows, Scalar, Text, ValueSet
from fathom.scoring.parsing.amounts import plain_amounts
from fathom.scoring.parsing.assertions import (
    asserted_date,
    asserted_names,
    asserted_number,
    asserted_numbers,
    asserted_rows,
)
from fathom.scoring.parsing.extraction import AnswerStatement
from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.non_answers import HEDGE
from fathom.scoring.parsing.normalization import letters, plain
from fathom.scoring.parsing.numerals import as_number
from fathom.scoring.parsing.segmentation import BULLET
from fathom.scoring.parsing.ties import with_ties_as_lists

_DATED = re.compile(r"\bfrom (?=(?:19|20)\d\d\b)")
"""A year that something is from; "from 3" would be a bound."""

_DATE = re.compile(r"\d{4}-\d{2}(?:-\d{2})?")
_SENTENCE_START = re.compile(r"(?<=[^\W_][.!])[ \t]+(?=[A-Z])")
_VALUE_AT_END = r"\b(?:is|are|was|were|equals|gives|makes)[ \t]{}\S{{1,24}}(?:[ \t][a-z]{{1,20}}){{0,3}}\."
_CONCLUSION = re.compile(
    rf"(?:So|Thus|Therefore|Hence),? [^.:;?\n]{{1,160}}{_VALUE_AT_END.format('')}"
    rf"|[A-Z][^.:;?\n]{{1,160}}{_VALUE_AT_END.format('(?:therefore|thus|hence|then)[ ]')}"
    rf"|Step \d{{1,2}}[:.][ ][^.:;?\n]{{1,160}}{_VALUE_AT_END.format('')}"
)
"""A sentence that concludes something: "The minimum is therefore 34.", "Step 5: The difference is 35."."""
_LABELED_RESULT = re.compile(
    r"(?:the )?(?:lowest|highest|smallest|largest|shortest|longest|earliest|latest|minimum|maximum|median|average|mean"
    r"|sum|total|count|number|difference|ratio|result|value|rounded)\b[^:\d\n]{0,40}:[ \t]*\S[^:\n]{0,40}",
    re.IGNORECASE,
)
"""A line that labels a result: "Lowest: 12", "Rounded to two decimals: 0.22"."""


def conclusion(text: str) -> str:
    """The last sentence of a text, if it says that it concludes; empty otherwise."""
    before, _, line = plain(text).rstrip().rpartition("\n")
    *earlier, last = _SENTENCE_START.split(line.strip())
    if not (before.strip() or earlier) or not _CONCLUSION.fullmatch(last):
        return ""
    return last.partition(":")[2].strip() or last  # without "Step 5:"


def labeled_result(text: str) -> str:
    """The last line of a text that states no single value elsewhere, if it labels a result; empty otherwise."""
    before, _, line = plain(text).rstrip().rpartition("\n")
    labels = before.strip() and not HEDGE.search(before) and _LABELED_RESULT.fullmatch(line.strip())
    return line.strip() if labels else ""


def parse_sentence(statement: AnswerStatement, key: Answer, hints: KeyHints) -> Answer | None:
    """The answer that a statement asserts in sentences; None in doubt."""
    parsed = _parsed(statement, key, hints)
    before, _, last = statement.text.rstrip().rpartition("\n")
    lines = [line for line in before.split("\n") if line.strip()]
    if (
        parsed is None
        and lines
        and last.endswith(".")
        and not BULLET.match(last)
        and all(BULLET.match(line) or "|" in line for line in lines)
    ):
        return _parsed(statement._replace(text=last), key, hints)  # a table or list, and then a sentence
    return parsed


def _parsed(statement: AnswerStatement, key: Answer, hints: KeyHints) -> Answer | None:
    text, is_marked = statement
    spellings = _with_inverted(hints)
    match key:
        case Number(unit=unit):
            found = asserted_number(_plain(text, unit), unit, is_marked)
            return as_number(*found, unit) if found else None
        case Text():
            names = {*asserted_names(text, spellings, is_marked, ordered=False, single=True, repeats=False)}
            if not names and _DATE.fullmatch(key.value) and (date := asserted_date(text, spellings, is_marked)):
                return Text(value=date)
            return Text(value=names.pop()) if len(names) == 1 else None
        case ValueSet() | Multiset() | Ranking():
            return _as_list(_items_in(text, key, spellings, hints, is_marked), key)
        case Rows(rows=rows) if [type(cell) for cell in rows[0]] == [Text, Number]:
            pairs = asserted_rows(text, spellings, is_marked)
            return as_rows([[*pair] for pair in pairs], key)
        case _:
            return None


def _with_inverted(hints: KeyHints) -> dict[str, str]:
    """The spellings of the key, and of short names also "last, first", by their letters."""
    spellings = {form: spelling for spelling in hints.spellings if (form := letters(spelling))}
    for form, spelling in [*spellings.items()]:
        words = form.split(" ")
        if 2 <= len(words) <= 4 and "," not in form:
            spellings.setdefault(f"{words[-1]}, {' '.join(words[:-1])}", spelling)
    return spellings


def _plain(text: str, unit: str) -> str:
    return plain_amounts(plain(half_width(_DATED.sub("in ", text))), unit)


def _items_in(
    text: str, key: ValueSet | Multiset | Ranking, spellings: dict[str, str], hints: KeyHints, is_marked: bool
) -> list[Scalar]:
    """The items that a text lists: numbers if the key has only numbers, and names if it has only names."""
    items, ordered = items_of(key), isinstance(key, Ranking)
    if all(isinstance(item, Text) for item in items):
        if isinstance(key, Ranking):
            groups = [[spelling for item in group for spelling in spellings_of(item)] for group in key.groups]
            listed = with_ties_as_lists(text, groups, hints) or ""
            if listed != text and sum(letters(line) in hints.whole for line in listed.split("\n")) < 2:
                return []  # a tie in words of its own
            text = listed
        repeats = isinstance(key, Multiset)
        single = len(items) == 1
        names = asserted_names(text, spellings, is_marked, ordered=ordered, single=single, repeats=repeats)
        return [Text(value=name) for name in names]
    if not all(isinstance(item, Number) for item in items):
        return []
    unit = items[0].unit if isinstance(items[0], Number) else ""
    found, source = asserted_numbers(_plain(text, unit), ordered, is_marked)
    numbers = [as_number(number, source, unit) for number in found]
    return [number for number in numbers if number] if all(numbers) else []


def _as_list(items: Sequence[Scalar], key: ValueSet | Multiset | Ranking) -> Answer | None:
    """The items as the type of the key; repeats in a set count once."""
    if not items:
        return None
    if isinstance(key, Ranking):
        return Ranking(groups=tuple([(item,) for item in items]))
    if isinstance(key, Multiset):
        return Multiset(items=tuple(items))
    return ValueSet(items=tuple({item.value: item for item in items}.values()))
