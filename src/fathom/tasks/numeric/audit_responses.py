"""Responses that an audit tries in addition to those of every answer type.

Grouped answers in the forms that models write, and near misses made from the context of the question.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import islice

from fathom.scoring.answer_types.format import written_value
from fathom.scoring.answers import Answer, Multiset, Number, Ranking, Rows, Scalar, Text, Unanswerable, ValueSet
from fathom.tasks.numeric.tables import ContextTables, family_letters

TITLES = 3
"""Other titles or names of the context that are added to a list, one at a time."""

GroupPair = tuple[str, str]


def accepted_forms(answer: Answer) -> Iterator[str]:
    """Grouped answers on one line and as JSON objects."""
    if isinstance(answer, Rows) and _is_of_numbers(answer):
        yield from _format_groups([(written_value(key), written_value(value)) for key, value in answer.rows])


def near_misses(answer: Answer, tables: ContextTables) -> Iterator[str]:
    """Grouped answers with one value wrong, lists with another item from the context, numbers mixed with names."""
    match answer:
        case Rows(rows=rows) if _is_of_numbers(answer):
            for pairs in _wrong_groups(rows):
                yield from _format_groups(pairs)
        case ValueSet(items=items) | Multiset(items=items):
            yield from _wrong_lists(items, tables)
        case Ranking(groups=groups):
            yield from _wrong_lists([item for group in groups for item in group], tables)
        case Unanswerable():
            yield from (f"Answer: {row.title}" for row in tables.articles[:TITLES])


def _is_of_numbers(answer: Rows) -> bool:
    return len(answer.columns) == 2 and all(isinstance(cell, Number) for row in answer.rows for cell in row)


def _format_groups(pairs: Sequence[GroupPair]) -> Iterator[str]:
    yield "Answer: " + ", ".join(f"{key}: {value}" for key, value in pairs)
    yield "Answer: " + "; ".join(f"{key}: {value}" for key, value in pairs)
    if len({key for key, _ in pairs}) == len(pairs):
        yield json.dumps({key: float(value) if "." in value else int(value) for key, value in pairs})


def _wrong_groups(rows: Sequence[Sequence[Scalar]]) -> Iterator[list[GroupPair]]:
    """The groups with one value off by one, one key off by one, one group missing, one group more."""
    pairs = [(written_value(key), written_value(value)) for key, value in rows]
    for index in {0, len(pairs) - 1}:
        for step in (1, -1):
            yield [*pairs[:index], (pairs[index][0], _shift(rows[index][1], step)), *pairs[index + 1 :]]
        if (moved := _shift(rows[index][0], 1)) not in dict(pairs):
            yield [*pairs[:index], (moved, pairs[index][1]), *pairs[index + 1 :]]
        yield [*pairs[:index], *pairs[index + 1 :]]
    keys = [key.value for key, _ in rows if isinstance(key, Number)]
    yield [*pairs, (f"{max(keys) + 1:f}", pairs[0][1])]


def _shift(value: Scalar, step: int) -> str:
    assert isinstance(value, Number), "groups of articles are numbers"
    return f"{Decimal(value.value) + step:f}"


def _wrong_lists(items: Sequence[Scalar], tables: ContextTables) -> Iterator[str]:
    """The list with a wrong item: another title or name from the context, or a number among names."""
    values = [written_value(item) for item in items]
    titles = [row.title for row in tables.articles]
    if all(isinstance(item, Number) or item.value in titles for item in items):
        additions = [title for title in titles if title not in values]
    else:
        # As printed: a namesake is "Wei Zhang (2)" in the tables, but "Wei Zhang" in the text.
        families = {_family(name) for value in values for name in tables.spellings.get(value, (value,))}
        printed = (tables.spellings[row.name][0] for row in tables.authors)
        additions = [name for name in dict.fromkeys(printed) if _family(name) not in families]
    for addition in islice(additions, TITLES):
        longer = [*values, addition]
        yield from ("Answer:\n" + "\n".join(longer), "Answer:\n" + "\n".join(f"- {entry}" for entry in longer))
        yield from (json.dumps(longer), "Answer:\n" + "\n".join([addition, *values]))
        yield "Answer:\n" + "\n".join([*values[:-1], addition])
    if any(isinstance(item, Text) for item in items):
        yield "Answer:\n" + "\n".join([*values, "17"])
        yield "Answer:\n" + "\n".join(["17", *values[1:]])


def _family(name: str) -> str:
    return family_letters(name.rsplit(None, 1)[-1])
