"""Exact match and F1 as the SciTrek paper computes them, for comparison with published figures only.

Both know nothing of types: "40" passes for "4.0", since the point is deleted, and "4" does not. Verdicts come from
`checking`.
"""

from __future__ import annotations

import re
import string
from functools import lru_cache
from typing import NamedTuple

from fathom.records.documents import Passage
from fathom.scoring.answers import (
    Answer,
    Assignment,
    Atom,
    Choice,
    LinkedSpans,
    Members,
    Multiset,
    Nothing,
    Number,
    Ranking,
    Rows,
    Spans,
    Text,
)

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


class Match(NamedTuple):
    """What the paper reports of one generation."""

    exact: bool
    f1: float


class _Reference(NamedTuple):
    text: str
    tokens: frozenset[str]


def compare(reference: str, generation: str) -> Match:
    """Exact match and F1 of a generation against the text of the right answer."""
    wanted = _reference(reference)
    said = _tidied(generation)
    tokens = set(said.split())
    common = len(wanted.tokens & tokens)
    f1 = 2 * common / (len(wanted.tokens) + len(tokens)) if common else 0.0
    return Match(exact=said == wanted.text, f1=f1)


@lru_cache(maxsize=4096)
def _reference(text: str) -> _Reference:
    normal = _normal(text)
    return _Reference(normal, frozenset(normal.split()))


def _tidied(generation: str) -> str:
    """A generation in normal form, each comma followed by one space first: "a ,b" has two words, not one."""
    return _normal(", ".join([piece.strip() for piece in " ".join(generation.split()).split(",")]))


def _normal(text: str) -> str:
    """Lower-cased, ASCII punctuation deleted, "a", "an" and "the" dropped, spaces collapsed, in this order."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def printed(answer: Answer) -> str:
    """The answer as the paper's data print one: values in order, commas between them, NULL for nothing."""
    match answer:
        case Number() | Text():
            return _printed_value(answer)
        case Members(items=items) | Multiset(items=items):
            return ", ".join(map(_printed_value, items))
        case Ranking(groups=lines) | Rows(rows=lines):
            return ", ".join(_printed_value(value) for line in lines for value in line)
        case Choice(option=option):
            return str(option)
        case Assignment(options=options):
            return ", ".join(map(str, options))
        case Spans(passages=passages):
            return ", ".join(map(_printed_passage, passages))
        case LinkedSpans(spans=spans):
            return ", ".join(_printed_passage(one) for span in spans for one in (span.passage, *span.links))
        case Nothing():
            return "NULL"


def _printed_passage(passage: Passage) -> str:
    return f"{passage.document}:{passage.span.start}-{passage.span.end}"


def _printed_value(value: Atom) -> str:
    if isinstance(value, Text):
        return value.value
    # A mean is a float to SQLite, which prints 4.0 where a person writes 4.
    number = f"{value.value:f}" if value.decimals is None else str(round(float(value.value), value.decimals))
    return number + value.unit
