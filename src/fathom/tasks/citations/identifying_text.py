"""Finds text that identifies a work: its title, and the names of what it presents."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fathom.records.spans import Span
from fathom.tasks.citations.type_rule import is_coined
from fathom.tasks.citations.word_counts import occurrences

_PRESENTED = re.compile(
    r"\b(?:propos|introduc|present|develop|releas|describ|call|nam|dub|term)\w*\s+(?:it\s+|our\s+|a\s+|an\s+|the\s+|"
    r"this\s+|new\s+|novel\s+)*(?:\w[\w-]*\s+){0,4}?\(?(?P<name>[^\W_][\w+*-]*[\w+*])",
    re.IGNORECASE,
)
_OURS = re.compile(r"ur(?<=\b[Oo]ur)\s+(?P<name>[^\W_][\w+*-]*[\w+*])")
"""Begins with literal letters, which are found ten times as fast as a choice of them."""
_MIXED = re.compile(r"[a-z][A-Z]|[A-Z][a-z]+[A-Z\d]|[a-z]\d")
"""Lower and upper case in one word: "SimVOS", but not "LSTM", which is common."""


def presented_names(title: str, abstract: str, text: str) -> list[str]:
    """The names of what a work presents: "JudgeLM" in "JudgeLM: Fine-tuned models ..."."""
    head, colon, _ = title.partition(":")
    named = [head.strip()] if colon and len(head.split()) <= 3 else []
    # A coined word of the title that is not presented is the subject of the work: "SNARE", "Ca2+".
    named += [match["name"] for text_part in (title, abstract) for match in _PRESENTED.finditer(text_part)]
    named = [name for place, name in enumerate(named) if is_coined(name) or (place == 0 and colon)]
    named += [match["name"] for match in _OURS.finditer(text) if _MIXED.search(match["name"])]
    return sorted({name for name in named if len(name) > 2})


def identifying_spans(title: str, names: list[str], text: str, within: Span | None = None) -> Iterator[Span]:
    """Every span of the text, or of a part of it, with the title, its head or its tail, or one of the names."""
    if within is not None:
        yield from (span.shifted(within.start) for span in identifying_spans(title, names, within.of(text)))
        return
    small = _lowered(text, plain=title.isascii() and all(map(str.isascii, names)))
    head, _, tail = _lowered(title).partition(":")
    parts = [part for part in (head, tail) if len(part.split()) >= 4]
    found = [span for part in parts for span in _phrases(small, part)]
    # Where none of its parts occurs, neither does the whole.
    yield from found
    if found or not parts:
        yield from _phrases(small, _lowered(title))
    for name in names:
        for span in occurrences(small, _lowered(name)):
            # A title in lower case may have "zero" for "ZeRO", so the name counts as printed or with other capitals.
            if span.of(text) == name or is_coined(span.of(text)):
                yield span


def _lowered(text: str, plain: bool = False) -> str:
    """The text in lower case, every character in its position; `plain` for the letters A to Z alone.

    With a single letter beyond those, Python lowers letter by letter, which takes three times as long.
    """
    if plain:
        return text.encode().lower().decode()
    # The only capital whose lower case has two characters: "İstanbul".
    return text.replace("İ", "I").lower()


def _phrases(text: str, phrase: str) -> Iterator[Span]:
    """Occurrences of the phrase with anything between its words; both in lower case."""
    words = re.findall(r"\w+", phrase)
    if not words:
        return
    # Search by the longest word, which few other phrases have; a pattern of the whole takes longer to compile.
    anchor = max(range(len(words)), key=lambda number: len(words[number]))
    before, behind = words[:anchor], words[anchor:]
    # The end of the word before or the beginning of the next rules out most places.
    left, right = "".join(before[-1:])[-3:], "".join(behind[1:2])[:3]
    at = text.find(words[anchor])
    while at >= 0:
        end = at + len(words[anchor])
        if left in text[max(0, at - BETWEEN - 3) : at] and right in text[end : end + BETWEEN + 3]:
            yield from _whole(text, at, before, behind)
        at = text.find(words[anchor], at + 1)


def _whole(text: str, at: int, before: Sequence[str], behind: Sequence[str]) -> Iterator[Span]:
    """The phrase around a place, if all its words occur there."""
    start, end = _before(text, at, before), _behind(text, at, behind)
    if start is not None and end is not None:
        yield Span(start, end)


BETWEEN = 6
"""The maximum number of characters between two words of a phrase."""


def _behind(text: str, at: int, words: Sequence[str]) -> int | None:
    """The end of the words that begin at a place; None if they do not occur there."""
    for number, word in enumerate(words):
        if number:
            gap = _GAP.match(text, at)
            if gap is None:
                return None
            at = gap.end()
        if not text.startswith(word, at):
            return None
        at += len(word)
    return at


def _before(text: str, at: int, words: Sequence[str]) -> int | None:
    """The start of the words that end before a place; None if they do not occur there."""
    for word in reversed(words):
        end = at
        while end > max(0, at - BETWEEN) and not _is_of_word(text[end - 1]):
            end -= 1
        if end == at or not text.endswith(word, 0, end):
            return None
        at = end - len(word)
    return at


_GAP = re.compile(rf"\W{{1,{BETWEEN}}}")


def _is_of_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"
