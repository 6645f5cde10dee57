"""The answer that a response states in sentences of its own."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.scoring.answer_types.parse_lists import as_rows
from fathom.scoring.answer_types.parse_numbers import half_width
from fathom.scoring.answer_types.values import items_of
from fathom.scoring.answers import Answer, Multiset, Number, Ranking, Rows, Scalar, Text, ValueSet
from fathom.scoring.parsing.amounts import plain_amounts
from fathom.scoring.parsing.assertions import asserted_names, asserted_number, asserted_numbers, asserted_rows
from fathom.scoring.parsing.extraction import AnswerStatement
from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.normalization import letters, plain
from fathom.scoring.parsing.numerals import as_number


def parse_sentence(statement: AnswerStatement, key: Answer, hints: KeyHints) -> Answer | None:
    """The answer that a statement asserts in sentences; None in doubt."""
    spellings = {form: spelling for spelling in hints.spellings if (form := letters(spelling))}
    match key:
        case Number(unit=unit):
            return _number_in(statement.text, unit)
        case Text() if len(names := {*asserted_names(statement.text, spellings, ordered=False, single=True)}) == 1:
            return Text(value=names.pop())
        case ValueSet() | Multiset() | Ranking():
            return _as_list(_items_in(statement.text, items_of(key), spellings, isinstance(key, Ranking)), key)
        case Rows(rows=rows) if [type(cell) for cell in rows[0]] == [Text, Number]:
            pairs = asserted_rows(statement.text, spellings)
            return as_rows([[*pair] for pair in pairs], key)
        case _:
            return None


def _number_in(text: str, unit: str) -> Number | None:
    found = asserted_number(_plain(text, unit), unit)
    return as_number(*found, unit) if found else None


def _plain(text: str, unit: str) -> str:
    return plain_amounts(plain(half_width(text)), unit)


def _items_in(text: str, items: Sequence[Scalar], spellings: dict[str, str], ordered: bool) -> list[Scalar]:
    """The items that a text lists: numbers if the key has only numbers, and names if it has only names."""
    if all(isinstance(item, Text) for item in items):
        return [Text(value=name) for name in asserted_names(text, spellings, ordered, single=False)]
    if not all(isinstance(item, Number) for item in items):
        return []
    unit = items[0].unit if isinstance(items[0], Number) else ""
    found, source = asserted_numbers(_plain(text, unit), ordered)
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
