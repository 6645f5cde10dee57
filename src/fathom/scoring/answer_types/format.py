"""Formats answers as text: as questions ask for them, as reports show them, and as the SciTrek data set prints them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal

from fathom.records.documents import Passage
from fathom.scoring.answer_types.values import ListValue
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
    Unanswerable,
    ValueSet,
)

_EXACT = Context(prec=1000)
"""Decimal arithmetic with enough digits to round any number that the parser accepts."""
_LIKE_A_BULLET = re.compile(r"[-–*•‣◦·#(]|\d+[.)]\D")


# -- As the questions ask ------------------------------------------------------------------------------------------


def written(answer: Answer) -> str:
    """The answer in the form that questions ask for, with each list item or table row on its own line."""
    match answer:
        case Number() | Text():
            return written_value(answer)
        case ValueSet(items=items) | Multiset(items=items):
            return _written_list(items)
        case Ranking(groups=groups):
            return _written_list([item for group in groups for item in group])
        case Rows(rows=rows):
            return "\n".join(map(written_value, rows))
        case _:
            return published(answer)


def stated(answer: Answer) -> str:
    """A response that states the answer after "Answer:"."""
    return after_label(written(answer))


def after_label(text: str) -> str:
    """The text after "Answer:", starting on a new line if it has several lines."""
    return f"Answer:\n{text}" if "\n" in text else f"Answer: {text}"


def written_value(value: ListValue) -> str:
    """A value as text: a number rounded as the question asks, the cells of a row separated by semicolons."""
    if isinstance(value, tuple):
        return "; ".join(map(written_value, value))
    if isinstance(value, Text):
        return " ".join(value.value.split())
    return with_unit(rounded(value), value.unit)


def with_unit(number: Decimal | str, unit: str) -> str:
    """A number with its unit: "4 km", "4%"."""
    digits = number if isinstance(number, str) else f"{number:f}"
    return f"{digits}{'' if unit in ('', '%', '‰') else ' '}{unit}"


def rounded(number: Number, rule: str = ROUND_HALF_EVEN) -> Decimal:
    """The value, rounded to the decimal places that the question asks for."""
    if number.decimals is None:
        return number.value
    return number.value.quantize(Decimal(1).scaleb(-number.decimals), rule, _EXACT)


def _written_list(items: Sequence[Scalar]) -> str:
    lines = [written_value(item) for item in items]
    # An item such as "3. Tides" or "- Tides" looks bulleted. With a bullet on every item its own start is kept.
    bulleted = any(map(_LIKE_A_BULLET.match, lines))
    return "\n".join([f"- {line}" for line in lines] if bulleted else lines)


# -- As a report shows ---------------------------------------------------------------------------------------------


def display(answer: Answer) -> str:
    """The answer for a report, one item per line; tied values share a line, and a table has a header."""
    match answer:
        case Ranking(groups=groups):
            return "\n".join(" = ".join(map(published, group)) for group in groups)
        case Rows(columns=columns, rows=rows):
            return "\n".join([" | ".join(columns), *(" | ".join(map(published, row)) for row in rows)])
        case ValueSet(items=items) | Multiset(items=items):
            return "\n".join(map(published, items))
        case LinkedSpans(spans=spans):
            return "\n".join(
                f"{_place(span.passage)}: {', '.join(map(_place, span.linked))}".rstrip(": ") for span in spans
            )
        case _:
            return published(answer)


# -- As the SciTrek data prints ------------------------------------------------------------------------------------


def published(answer: Answer) -> str:
    """The answer as the SciTrek data set prints it: values in order, separated by commas; NULL for no answer."""
    match answer:
        case Text(value=value):
            return value
        case Number(value=value, decimals=decimals, unit=unit):
            # A mean is a float to SQLite, which prints 4.0 where a person writes 4.
            return (f"{value:f}" if decimals is None else str(round(float(value), decimals))) + unit
        case ValueSet(items=items) | Multiset(items=items):
            return ", ".join(map(published, items))
        case Ranking(groups=lines) | Rows(rows=lines):
            return ", ".join(published(value) for line in lines for value in line)
        case Choice(option=option):
            return str(option)
        case Assignment(options=options) | Selection(options=options):
            return ", ".join(map(str, options))
        case Spans(passages=passages):
            return ", ".join(map(_place, passages))
        case LinkedSpans(spans=spans):
            return "; ".join(", ".join(map(_place, (span.passage, *span.linked))) for span in spans)
        case Unanswerable():
            return "NULL"


def _place(passage: Passage) -> str:
    return f"{passage.document}:{passage.span.start}-{passage.span.end}"
