"""Exact match and F1 as the SciTrek paper computes them, for comparison with published figures only.

Neither measure knows answer types: "40" matches "4.0", since the point is deleted, and "4" does not. Verdicts never
use them.
"""

from __future__ import annotations

import re
import string
from functools import lru_cache
from typing import NamedTuple

from fathom.scoring.parsing.extraction import last_box

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


class SciTrekMeasures(NamedTuple):
    """The paper's measures of one generation."""

    exact: bool
    f1: float


def generation(text: str) -> str:
    """The part of a response that is compared: the last box, else what follows "Answer:", else all of it."""
    box, _ = last_box(text) if "\\boxed" in text else ("", 0)
    # The paper's models answer without a marker; ours may reason before "Answer:".
    return box or text.rpartition("Answer:")[2]


class _Reference(NamedTuple):
    text: str
    tokens: frozenset[str]


def compare(reference: str, generation: str) -> SciTrekMeasures:
    """Exact match and F1 of a generation against the text of the correct answer."""
    expected = _reference(reference)
    stated = _with_regular_commas(generation)
    tokens = set(stated.split())
    common = len(expected.tokens & tokens)
    f1 = 2 * common / (len(expected.tokens) + len(tokens)) if common else 0.0
    return SciTrekMeasures(exact=stated == expected.text, f1=f1)


@lru_cache(maxsize=4096)
def _reference(text: str) -> _Reference:
    normal = _normalized(text)
    return _Reference(normal, frozenset(normal.split()))


def _with_regular_commas(generation: str) -> str:
    """The normalized generation with one space after each comma, so that "a ,b" has two words."""
    return _normalized(", ".join([piece.strip() for piece in " ".join(generation.split()).split(",")]))


def _normalized(text: str) -> str:
    """Lower-cased, ASCII punctuation deleted, "a", "an" and "the" dropped, spaces collapsed, in this order."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())
