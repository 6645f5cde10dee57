"""The words of a text that may tell what it is about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fathom.records.spans import Span

_STEM = re.compile(r"([^\W\d_]{3,6})[^\W\d_]*")
"""The beginning of a word: "estimates" and "estimating" are one to a matcher."""
_STOP = frozenset(
    [
        "the",
        "and",
        "for",
        "are",
        "was",
        "were",
        "been",
        "being",
        "have",
        "has",
        "had",
        "with",
        "that",
        "this",
        "these",
        "those",
        "from",
        "which",
        "their",
        "its",
        "our",
        "they",
        "them",
        "than",
        "then",
        "also",
        "such",
        "can",
        "may",
        "will",
        "would",
        "could",
        "should",
        "not",
        "but",
        "more",
        "most",
        "some",
        "any",
        "all",
        "each",
        "both",
        "other",
        "into",
        "over",
        "under",
        "between",
        "within",
        "without",
        "about",
        "after",
        "before",
        "where",
        "when",
        "while",
        "who",
        "whose",
        "how",
        "what",
        "there",
        "here",
        "only",
        "very",
        "much",
        "many",
        "few",
        "one",
        "two",
        "three",
        "using",
        "used",
        "use",
        "uses",
        "based",
        "show",
        "shows",
        "shown",
        "study",
        "work",
        "paper",
        "result",
        "results",
        "method",
        "methods",
        "approach",
        "approaches",
    ]
)
_STOPPED = frozenset(word[:6] for word in _STOP)


def words_of(text: str) -> frozenset[str]:
    """The stems of the words of a text that may tell something."""
    return frozenset(stems_in(text)) - _STOPPED


def stems_in(text: str) -> list[str]:
    """The stems of all its words, in order."""
    return _STEM.findall(text.lower())


def occurrences(text: str, phrase: str) -> Iterator[Span]:
    """Where a phrase stands between words that are not its own."""
    start = text.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
            yield Span(start, end)
        start = text.find(phrase, end)


def letters_of(text: str) -> str:
    """The letters and digits alone: equal for a title however it is set."""
    return "".join(filter(str.isalnum, text.casefold()))
