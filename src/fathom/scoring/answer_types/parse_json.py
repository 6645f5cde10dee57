"""Answers stated as JSON."""

from __future__ import annotations

from typing import Any

from fathom.scoring.answer_types.parse_lists import as_rows, checked_list
from fathom.scoring.answer_types.parse_spans import linked_spans_from_json
from fathom.scoring.answers import (
    Answer,
    Assignment,
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
from fathom.scoring.parsing.extraction import AnswerStatement
from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.months import month_among
from fathom.scoring.parsing.normalization import normal
from fathom.scoring.parsing.numerals import number_of
from fathom.scoring.parsing.query_results import json_table


def from_json(value: Any, key: Answer, hints: KeyHints) -> Answer | AnswerStatement | None:
    """The answer that a JSON value states, or the text in it that states one."""
    if json_values.is_open(value) or json_values.is_other_call(value):
        return None
    if isinstance(key, Number):
        value = json_values.with_units(json_values.counted(value))
    value = json_table(value)
    value = value if _is_row(value, key) else json_table(json_values.unwrapped(value))
    if (
        isinstance(value, str)
        and value[:1] in {"[", "{"}
        and (inner := json_values.parsed(value)) is not json_values.ABSENT
    ):
        value = inner  # JSON in a string of JSON
    if value is None or value in ([], {}):
        return Unanswerable()
    match key:
        case ValueSet() | Multiset() | Ranking() if not isinstance(value, str):
            if json_values.repeats_lists(value):
                return None
            items = [item for item in json_values.scalars(value) or () if normal(item)]
            return checked_list(items, key, hints)
        case Rows() if not isinstance(value, str):
            return as_rows(json_values.json_rows(_row_values(value, key), key.columns), key)
        case LinkedSpans() if not isinstance(value, str):
            return linked_spans_from_json(value)
        case Assignment():
            text = json_values.json_slots(value)
        case Selection():
            named = list(value.values()) if isinstance(value, dict) else []
            listed = json_values.scalars(named[0] if len(named) == 1 else value) or []
            if len(listed) > 1 and any("," in one for one in listed):
                return None  # two selections
            text = ", ".join(listed)
        case Spans():
            text = json_values.json_passages(value)
        case Text() if isinstance(value, dict) and (month := month_among(key.value, _scalars(value))):
            text = month
        case _:
            text = json_values.scalar(json_values.lone(value))
    return AnswerStatement(text, marked=True)


def _scalars(record: dict[str, Any]) -> list[str]:
    return [json_values.scalar(field) for field in record.values()]


def _is_row(value: Any, key: Answer) -> bool:
    """Whether a JSON object is a row: a column may be named "result", which then does not mark an answer."""
    return (
        isinstance(key, Rows)
        and isinstance(value, dict)
        and len(value) == len(key.columns) > 1
        and (json_values.answer_field(value) is None or {*map(normal, value)} == {*map(normal, key.columns)})
        and not json_values.is_call(value)
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
