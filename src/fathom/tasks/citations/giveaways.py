"""Where a text gives away what it is: its own title, and the name of what it presents."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fathom.records.spans import Span
from fathom.tasks.citations.naming import is_coined
from fathom.tasks.citations.words import occurrences

_PRESENTED = re.compile(
    r"\b(?:propos|introduc|present|develop|releas|describ|call|nam|dub|term)\w*\s+(?:it\s+|our\s+|a\s+|an\s+|the\s+|"
    r"this\s+|new\s+|novel\s+)*(?:\w[\w-]*\s+){0,4}?\(?(?P<name>[^\W_][\w+*-]*[\w+*])",
    re.IGNORECASE,
)
_OURS = re.compile(r"\b[Oo]ur\s+(?P<name>[^\W_][\w+*-]*[\w+*])")
_MIXED = re.compile(r"[a-z][A-Z]|[A-Z][a-z]+[A-Z\d]|[a-z]\d")
"""Small letters and capitals in one word: "SimVOS", but not "LSTM", which everybody has."""


def names_of(title: str, abstract: str, text: str) -> list[str]:
    """What a work presents, as far as it gives it a name: "JudgeLM" in "JudgeLM: Fine-tuned models ..."."""
    head, colon, _ = title.partition(":")
    named = [head.strip()] if colon and len(head.split()) <= 3 else []
    # A coined word of the title that nothing presents is what the work is about: "SNARE", "Ca2+".
    named += [match["name"] for said in (title, abstract) for match in _PRESENTED.finditer(said)]
    named = [name for place, name in enumerate(named) if is_coined(name) or (place == 0 and colon)]
    named += [match["name"] for match in _OURS.finditer(text) if _MIXED.search(match["name"])]
    return sorted({name for name in named if len(name) > 2})


def giveaways(title: str, names: list[str], text: str) -> Iterator[Span]:
    """Every place of the text that says the title, its head or its tail, or one of the names."""
    small = _small(text)
    head, _, tail = title.partition(":")
    for phrase in {title, head, tail}:
        if len(phrase.split()) >= 4 or phrase == title:
            yield from _phrases(small, _small(phrase.strip()))
    for name in names:
        for span in occurrences(small, _small(name)):
            # Titles come in small letters, and the text says "ZeRO": as printed, or with capitals of its own.
            if span.of(text) == name or is_coined(span.of(text)):
                yield span


def _small(text: str) -> str:
    """In small letters, where that keeps every character in its place."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text


def _phrases(text: str, phrase: str) -> Iterator[Span]:
    """Where a text has the phrase, with whatever stands between its words; both in small letters."""
    words = re.findall(r"\w+", phrase)
    if not words:
        return
    # Making the pattern takes longer than this look, and hardly a work says its title's first words again.
    opening = " ".join(words[:2])
    if text.count(opening) + text.count(phrase) < (2 if opening in phrase else 1):
        yield from occurrences(text, phrase)
        return
    for match in re.finditer(r"\W{1,6}".join(map(re.escape, words)), text):
        yield Span(*match.span())
