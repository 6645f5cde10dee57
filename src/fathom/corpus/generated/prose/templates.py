"""Templates of prose: choices and slots.

    (left|rolled out)    one of the choices, at random; choices may have slots
    {town}               a word of the document or paragraph, or one of the pack's phrases
    {Town}               the same with a capital letter
    {v}, {old}           planted values, whose spans are recorded

"a" becomes "an" before a vowel sound, and sentences begin with a capital letter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple, TypeVar

from fathom.corpus.generated.prose.printing import PrintedValue
from fathom.records.documents import Fact

T = TypeVar("T")

_CHOICE = re.compile(r"\(([^()]*\|[^()]*)\)")
_SLOT = re.compile(r"\{([^{}]+)\}")
_SENTENCE_START = re.compile(r"(?:\A|[.!?][”]? )([a-z])")
_ARTICLE = re.compile(r"\b([Aa]) (?=(?:(?!uni|use|eu|one\b)[aeiou]|8|11\b|18\b|hour|honest))")


class PlantedValue(NamedTuple):
    """A value to print, and the fact that is recorded for it; its span is that of the printed number or name."""

    printed: PrintedValue
    fact: Fact


ParagraphValues = Mapping[str, str | PlantedValue]
"""The words and values that a paragraph mentions."""


@dataclass
class Chooser:
    """Random choices; wordings that were used least come first, so that a document seldom repeats itself."""

    rng: Random
    _used: Counter[str] = field(default_factory=Counter)

    def pick(self, wordings: Sequence[str]) -> str:
        """One of the wordings that were used least."""
        fewest = min(self._used[wording] for wording in wordings)
        chosen = self.rng.choice([wording for wording in wordings if self._used[wording] == fewest])
        self._used[chosen] += 1
        return chosen

    def subset(self, wordings: Sequence[str], count: int) -> list[str]:
        """`count` of the wordings in their order: the first one, and of the others those that were used least."""
        order = sorted(wordings[1:], key=lambda wording: (self._used[wording], self.rng.random()))
        chosen = {wordings[0], *order[: count - 1]}
        self._used.update(chosen)
        return [wording for wording in wordings if wording in chosen]


def expand(
    template: str, scope: ParagraphValues, phrases: Mapping[str, Sequence[str]], chooser: Chooser
) -> list[str | PlantedValue]:
    """The template with its choices made and its slots filled."""
    while (match := _CHOICE.search(template)) is not None:
        chosen = chooser.rng.choice(match[1].split("|"))
        template = template[: match.start()] + chosen + template[match.end() :]
    pieces: list[str | PlantedValue] = []
    for number, part in enumerate(_SLOT.split(template)):
        if number % 2 == 0:
            pieces.append(part)
            continue
        name = part if part in scope else part[0].lower() + part[1:]
        if name in scope:
            filled: list[str | PlantedValue] = [scope[name]]
        else:
            filled = expand(chooser.pick(phrases[name]), scope, phrases, chooser)
        if name != part and filled and isinstance(filled[0], str):
            filled[0] = filled[0][:1].upper() + filled[0][1:]
        pieces.extend(filled)
    return pieces


def polished(text: str) -> str:
    """The text with capital letters at the starts of sentences and "an" before vowels; as long as the text itself."""
    return _SENTENCE_START.sub(lambda match: match[0][:-1] + match[1].upper(), text)


def with_articles(template: str) -> str:
    """The text with "an" before a vowel sound."""
    return _ARTICLE.sub(lambda match: f"{match[1]}n ", template)
