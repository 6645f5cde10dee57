"""The items of a list and the rows of a table that a statement states."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from fathom.scoring.answer_types.parse_numbers import half_width
from fathom.scoring.answer_types.values import ListAnswer, items_of
from fathom.scoring.answers import Answer, Multiset, Number, Ranking, Rows, Scalar, Text, ValueSet
from fathom.scoring.parsing.extraction import AnswerStatement
from fathom.scoring.parsing.key_hints import KeyHints
from fathom.scoring.parsing.lists import bare_numbers, items_in, repeated, without_figures
from fathom.scoring.parsing.normalization import MAX_CACHED_LENGTH, letters, normal, plain
from fathom.scoring.parsing.numerals import SIMPLE, number_of
from fathom.scoring.parsing.remarks import without_comment
from fathom.scoring.parsing.segmentation import lines_in, unnumbered
from fathom.scoring.parsing.tables import (
    cells_in,
    grouped_counts,
    number_pairs,
    piped_rows,
    rows_of_line,
    without_header,
    without_ranks,
)
from fathom.scoring.parsing.ties import with_ties_as_lists

_SIMPLE_ROW = re.compile(r"[\d.]{1,20}; ?[\d.]{1,20}")
_ASIDE = re.compile(
    r"[ \t]\([^()\n]{1,120}\b(?:is|are|was|were) (?:only|not) (?!in\b)[^()\n]{1,120}\)\.?\Z", re.IGNORECASE
)
"""Why something else is not in a list: "Lind, Wu (Chen is only a second author)"."""
_CROSSED_OUT = re.compile(r"^[ \t*-]{0,4}[❌✗✘][^\n]*(?:\n|\Z)", re.MULTILINE)
_TOTAL_ROW = frozenset({"total", "sum", "overall", "grand total"})
_ORIGINS = re.compile(r"[ \t]\((?:articles?|papers?|documents?)[ \t]#?\d[^()\n]{0,200}\)\Z", re.IGNORECASE)
"""Where the number of a row comes from: "Lind: 2 (articles 1 and 4)"."""
_DIGIT = re.compile(r"\d")
_BOUNDED = re.compile(
    r"(?:[:=,]|\bwrote|\bhas|\bhave)[ \t](?:at (?:least|most)|below|above|under|over|up to)[ \t]\d", re.IGNORECASE
)
"""A bound where a row has a number: "8 words: below 7"."""
_REVERSED = re.compile(
    r"\b(?:(?:reversed?|opposite) order|in (?:some|any|no (?:particular|specific)|random|arbitrary) order)\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(r"(?<=\d)[ \t](?:>|=)[ \t](?=\d)")
"""Signs between ranked numbers: "12 > 9 = 9"."""
_EQUAL_NUMBERS = re.compile(r"(?<![\w.])(\d[\d.]{0,20})[ \t]?=[ \t]?(?=(\d[\d.]{0,20}))")
_TIED = re.compile(r"[^\W\d_][ \t]=[ \t][^\W\d_]|[ \t]\(tied?\)")
_DECIMAL_COMMA = re.compile(r"(?<![\d.,])(\d{1,9}),(\d{1,2})(?![\d,.]\d|\d)")


def _scalars(items: Iterable[str], numeric: bool, unit: str) -> tuple[Scalar, ...]:
    if numeric:
        return tuple([number_of(item, unit) or _text(item) for item in items])
    return tuple([_cached_text(item) if len(item) <= MAX_CACHED_LENGTH else _text(item) for item in items])


def _scalar(item: str, numeric: bool, unit: str) -> Scalar:
    """An item as a number if the key has numbers and the item is one, else as a text."""
    return (number_of(item, unit) if numeric else None) or _text(item)


def _text(item: str) -> Text:
    return _cached_text(item) if len(item) <= MAX_CACHED_LENGTH else Text(value=item)


@lru_cache(maxsize=1 << 14)
def _cached_text(item: str) -> Text:
    # Frozen, so that equal responses can share one. Validation could only find that it is blank.
    return Text(value=item) if not item or item.isspace() else Text.trusted(type="text", value=item, aliases=())


def parse_list(statement: AnswerStatement, key: ListAnswer, hints: KeyHints) -> Answer | None:
    """The stated items in order."""
    numeric, _ = _number_shape(items_of(key))
    text = statement.text
    if (
        isinstance(key, Ranking)
        and _TIED.search(text)
        and all(len(group) == 1 for group in key.groups)
        and len(key.groups) > 1
    ):
        return None  # "Lind > Wu = Chen" says that two are tied
    if isinstance(key, Ranking) and "rder" in text and _REVERSED.search(text):
        return None
    if not text.isascii():
        text = _CROSSED_OUT.sub("", text)
    if isinstance(key, Ranking) and not numeric:
        groups = [[spelling for item in group for spelling in spellings_of(item)] for group in key.groups]
        if (listed := with_ties_as_lists(text, groups, hints)) is None:
            return None
        text = listed
    if numeric and isinstance(key, Ranking):
        if _ties_others(text, key):
            return None
        text = _COMPARED.sub(", ", text)
    if numeric:
        if " if " in text:
            return None
        text = bare_numbers(plain(text))
    items = items_in(text, hints, numeric, counted=isinstance(key, Multiset))
    if numeric:
        return checked_list(items, key, hints)
    items = without_figures(repeated(items, hints) if isinstance(key, Multiset) else items, hints)
    known = all(letters(item) in hints.whole for item in items)
    if not known and "\n" not in text and (shorter := without_comment(_ASIDE.sub("", text))) != text:
        items = without_figures(items_in(shorter, hints, numeric), hints)
    return checked_list(items, key, hints)


def _ties_others(text: str, key: Ranking) -> bool:
    """Whether a ranking of numbers has an equals sign between two that are not tied in the key."""
    place = {item.value: at for at, group in enumerate(key.groups) for item in group}
    pairs = [(number_of(match[1]), number_of(match[2])) for match in _EQUAL_NUMBERS.finditer(text)]
    return any(one and two and place.get(one.value) != place.get(two.value) for one, two in pairs)


def spellings_of(item: Scalar) -> tuple[str, ...]:
    """Every accepted spelling of an item; none of a number."""
    return (item.value, *item.aliases) if isinstance(item, Text) else ()


def checked_list(items: Sequence[str], key: ListAnswer, hints: KeyHints) -> Answer | None:
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
    # No Decimal equals a string, so a number and a text never count as repeats.
    return ValueSet.trusted(type="set", items=tuple({item.value: item for item in items}.values()))


def parse_rows(statement: AnswerStatement, key: Rows, hints: KeyHints) -> Rows | None:
    """The rows of a table: drawn with pipes, or one per line."""
    stated = lines_in(_with_decimal_points(statement.text, key), hints)
    if any(map(_BOUNDED.search, stated)):
        return None
    lines = [_without_columns(_ORIGINS.sub("", line), key) for line in stated]
    if "\\\\" in statement.text and all(line.count(" & ") == len(key.columns) - 1 for line in lines):
        lines = [line.replace(" & ", " | ") for line in lines]
    piped = [line for line in lines if "|" in line]
    if piped and len(piped) == len(lines) > 1:
        rows = _without_rank(piped_rows(piped, key.columns), key)
        total = len(rows) > 1 and normal(rows[-1][0]) in _TOTAL_ROW and letters(rows[-1][0]) not in hints.whole
        return as_rows(rows[:-1] if total else rows, key)
    numeric = [isinstance(cell, Number) for cell in key.rows[0]]
    if numeric == [False, True] and len(lines) > 2 and all(map(SIMPLE.fullmatch, lines[1::2])):
        # Each cell on its own line.
        return as_rows([list(pair) for pair in zip(lines[::2], lines[1::2], strict=False)], key)
    listed = unnumbered(lines, hints)
    if numeric == [True, True] and not all(map(_SIMPLE_ROW.fullmatch, listed)):
        if len(listed) > 1 and not _DIGIT.search(listed[0]):
            listed = listed[1:]  # a header
        line = listed[0].rstrip(".。 ") if len(listed) == 1 else ""
        pairs = (grouped_counts(line, key.columns) if line else []) or number_pairs(listed)
        if pairs:
            return as_rows(pairs, key)
    sentence = listed[0].rstrip(".。 ") if len(listed) == 1 else ""
    if sentence:
        listed = unnumbered(rows_of_line(sentence.strip(), numeric, hints))
    rows = [cells_in(line, numeric, hints) for line in listed]
    return as_rows(without_header(rows, key.columns), key)


def _with_decimal_points(text: str, key: Rows) -> str:
    """The text of a statement with decimal commas as points, where the key has decimals: "41,2 %"."""
    text = plain(half_width(text))
    decimals = any(isinstance(cell, Number) and cell.value % 1 for row in key.rows for cell in row)
    return _DECIMAL_COMMA.sub(r"\1.\2", text) if decimals and "," in text else text


def _without_columns(line: str, key: Rows) -> str:
    """A line without the name of the column before each cell: "title: Tides, author: Lind"."""
    if ":" not in line and "=" not in line:
        return line
    labels = [label.search(line) for label in _column_labels(key.columns)]
    places = [label.start() for label in labels if label]
    if len(places) < len(labels) or places != sorted(places):
        return line
    starts = [label.end() for label in labels if label]
    cells = [line[start:end].strip(" \t,;") for start, end in zip(starts, [*places[1:], len(line)], strict=True)]
    return "; ".join(cells) if all(cells) and not line[: places[0]].strip(" \t-*•({[0123456789.)") else line


@lru_cache(maxsize=256)
def _column_labels(columns: tuple[str, ...]) -> list[re.Pattern[str]]:
    names = [re.escape(name).replace("_", "[ _]") for name in columns]
    return [re.compile(rf"(?<![^\W_]){name}[ \t]?[:=][ \t]?", re.IGNORECASE) for name in names]


def _without_rank(rows: list[list[str]], key: Rows) -> list[list[str]]:
    """The rows without a column of ranks before the columns of the key, and without the header above them."""
    if not rows or any(len(row) != len(key.columns) + 1 for row in rows):
        return rows
    counted = without_ranks(rows)
    return counted if counted is not rows else rows


def as_rows(rows: Sequence[Sequence[str]], key: Rows) -> Rows | None:
    """The rows as an answer; None if a row is not as wide as the key's."""
    kinds = [_number_shape((cell,)) for cell in key.rows[0]]
    if not rows or any(len(row) != len(kinds) or not all(row) for row in rows):
        return None
    made = [tuple([_scalar(cell, *kind) for cell, kind in zip(row, kinds, strict=True)]) for row in rows]
    return Rows.trusted(type="rows", columns=key.columns, rows=tuple(made), ordered=key.ordered)
