"""Swaps the names, titles and numbers of a corpus: texts are edited, and the spans of all parts are adjusted."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from fathom.corpus.store import Corpus, CorpusWriter, finished_corpus, pack
from fathom.corpus.swap_names import NameCollector, NameSwap
from fathom.corpus.swap_titles import TitleCollector, TitleSwap
from fathom.records.contexts import Edit, apply_edits
from fathom.records.documents import Author, Document, Fact
from fathom.records.record import Record
from fathom.records.rng import rng_for
from fathom.records.spans import Span

_DIGIT = re.compile(r"[0-9]")
_FACTORS = tuple(factor for factor in range(62, 161) if not 94 <= factor <= 106)
"""Factors in hundredths: plausible, but too far from 1 to be mistaken for rounding."""

Series = tuple[str, str]
"""An entity and an attribute. One factor for all of its values keeps sums of parts and comparisons of years valid."""


@dataclass(frozen=True)
class NumberSwap:
    """The factor for each series, in hundredths."""

    factors: dict[Series, int]

    def replacement(self, fact: Fact, printed: str) -> tuple[str, Decimal] | None:
        """The number as printed and the value after the swap; None if the fact stays."""
        number = _number(fact, printed)
        if number is None:
            return None
        changed = _scale_digits(number, self.factors[_series(fact)])
        if changed is None:
            return None
        digits = iter(changed)
        assert fact.value is not None
        return _DIGIT.sub(lambda _: next(digits), printed), fact.value / int(number) * int(changed)


class NumberCollector:
    """Collects the numbers of a corpus, then assigns the factors."""

    def __init__(self) -> None:
        self._numbers: dict[Series, set[str]] = defaultdict(set)

    def add(self, document: Document) -> None:
        """Add the numbers of the facts of one document."""
        for fact in document.facts:
            number = _number(fact, fact.span.of(document.text))
            if number is not None:
                self._numbers[_series(fact)].add(number)

    def swap(self, seed: int) -> NumberSwap:
        """For each series the factor that changes most of its numbers; ties are broken at random."""
        return NumberSwap({series: _factor(series, numbers, seed) for series, numbers in sorted(self._numbers.items())})


def _factor(series: Series, numbers: set[str], seed: int) -> int:
    factors = rng_for(seed, "figures", *series).sample(_FACTORS, len(_FACTORS))
    best, most = factors[0], -1
    for factor in factors:
        changed = sum(_scale_digits(number, factor) is not None for number in numbers)
        if changed > most:
            best, most = factor, changed
        if most == len(numbers):
            break
    return best


def _series(fact: Fact) -> Series:
    return fact.entity, fact.attribute


def _number(fact: Fact, printed: str) -> str | None:
    """The digits as printed; None if the number is zero, missing, or not printed in digits."""
    digits = "".join(_DIGIT.findall(printed))
    if fact.value is None or not digits.strip("0"):
        return None
    # "3.2 million" is 32 without the point, times a power of ten; otherwise the number is printed in another form.
    scale = fact.value / int(digits)
    is_power = scale.normalize().as_tuple().digits == (1,)
    return digits if is_power and scale * int(digits) == fact.value else None


def _scale_digits(digits: str, factor: int) -> str | None:
    """The digits of the new number, as many as before; None if that is impossible or nothing changes."""
    changed = str((int(digits) * factor + 50) // 100).zfill(len(digits))
    same_width = len(changed) == len(digits) and (changed[0] == "0") == (digits[0] == "0")
    return changed if same_width and changed != digits else None


COMMAND = "swap"
"""The command in the recipe of a swapped corpus."""
SAVE_INTERVAL = 32
"""Documents between two commits: a kill loses no more."""
VERSION = 4
"""The version of the swap: another version gives other names and numbers."""


class OffsetMap:
    """Maps spans of a text to spans of the edited text."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._starts = [edit.span.start for edit in edits]
        self._ends = [edit.span.end for edit in edits]
        self._after = [0, *accumulate(len(edit.text) - (edit.span.end - edit.span.start) for edit in edits)]

    def map(self, span: Span) -> Span:
        """The span after the edits; a replaced word that it cuts in two is included whole."""
        start = self._map(span.start, False)
        return Span(start, start if span.start == span.end else self._map(span.end, True))

    def _map(self, position: int, is_end: bool) -> int:
        """Inside a replaced word, a start maps to the start of the word and an end to its end."""
        number = bisect_left(self._starts, position)
        if number and position < self._ends[number - 1]:
            position, number = (self._ends[number - 1], number) if is_end else (self._starts[number - 1], number - 1)
        return position + self._after[number]


@dataclass(frozen=True)
class DocumentSwap:
    """The changes of one document."""

    edits: tuple[Edit, ...]
    values: dict[int, Decimal]
    """The new values of facts, by their index in the document."""
    titles: tuple[Span, ...]
    """Where a word of a title was replaced."""

    @cached_property
    def offsets(self) -> OffsetMap:
        return OffsetMap(self.edits)


@dataclass(frozen=True)
class CorpusSwap:
    """The replacements for the names, titles and numbers of a corpus."""

    names: NameSwap
    titles: TitleSwap
    numbers: NumberSwap

    def title(self, text: str) -> str:
        """A title after the swap."""
        return self.titles.title(text)

    def changes(self, document: Document) -> DocumentSwap:
        """The changes of one document."""
        titles = self.titles.changes(document)
        edits = [Edit(span=span, text=word) for span, word in (*titles, *self.names.changes(document))]
        values: dict[int, Decimal] = {}
        printed: dict[Span, str] = {}
        for index, fact in enumerate(document.facts):
            replacement = self.numbers.replacement(fact, fact.span.of(document.text))
            # Facts of two series can share one printed number; it changes as the first of them does.
            if replacement is not None and printed.setdefault(fact.span, replacement[0]) == replacement[0]:
                values[index] = replacement[1]
        edits += [Edit(span=span, text=text) for span, text in printed.items()]
        return DocumentSwap(tuple(_without_overlaps(edits)), values, tuple(span for span, _ in titles))

    def apply(self, document: Document, changed: DocumentSwap | None = None) -> Document:
        """The document after the swap, with all spans adjusted; validated like any document."""
        changed = changed or self.changes(document)
        moved = _map_spans(document, changed.offsets)
        swapped: Document = moved.model_copy(
            update={
                "text": apply_edits(document.text, changed.edits),
                "authors": tuple(map(self._author, moved.authors)),
                "facts": tuple(
                    fact.model_copy(update={"value": changed.values.get(index, fact.value)})
                    for index, fact in enumerate(moved.facts)
                ),
            }
        )
        return Document.from_line(swapped.to_line())

    def _author(self, author: Author) -> Author:
        return author if author.group else author.model_copy(update={"family": self.names.family(author.family)})


def _without_overlaps(edits: Sequence[Edit]) -> Iterator[Edit]:
    """The edits in text order, without those that overlap an earlier one."""
    end = 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        if edit.span.start >= end:
            yield edit
            end = edit.span.end


def _map_spans(value: Any, offsets: OffsetMap) -> Any:
    """The value with every span in it mapped, at any depth."""
    if isinstance(value, Span):
        return offsets.map(value)
    if isinstance(value, tuple):
        return tuple(_map_spans(element, offsets) for element in value)
    if isinstance(value, Record):
        fields = {name: _map_spans(getattr(value, name), offsets) for name in type(value).model_fields}
        return type(value).model_construct(**fields)
    return value


def plan_swap(corpus: Corpus, seed: int) -> tuple[CorpusSwap, NameCollector]:
    """The replacements for a corpus, and the collector of its names; reads the whole corpus once."""
    names, titles, numbers = NameCollector(), TitleCollector(), NumberCollector()
    for document in corpus.documents():
        for collector in (names, titles, numbers):
            collector.add(document)
    renaming = names.swap(seed)
    retitling = titles.swap(seed, renaming.words.keys())
    return CorpusSwap(renaming, retitling, numbers.swap(seed)), names


def swap_corpus(corpus: Corpus, folder: Path, seed: int) -> tuple[CorpusSwap, dict[str, JsonValue]]:
    """Write the swapped corpus to `folder`, or continue where a killed process stopped.

    Returns the replacements, and counts of what changed.
    """
    swap, names = plan_swap(corpus, seed)
    recipe: dict[str, JsonValue] = {
        "command": COMMAND,
        "corpus": corpus.manifest.fingerprint,
        "seed": seed,
        "version": VERSION,
    }
    counts: Counter[str] = Counter()
    with nullcontext() if finished_corpus(folder, recipe) else CorpusWriter(folder, recipe) as writer:
        begun = len(corpus) if writer is None else len(writer)
        for number, document in enumerate(corpus.documents(), start=1):
            changed = swap.changes(document)
            counts.update(edits=len(changed.edits), facts=len(document.facts), changed=len(changed.values))
            counts["unknown"] += document.state("authors") == "unknown"
            counts["missed"] += swap.titles.missed(document, changed.titles)
            if writer is not None and number > begun:
                writer.add(pack(swap.apply(document, changed)))
                if number % SAVE_INTERVAL == 0:
                    writer.save()
        if writer is not None:
            writer.finish()
    return swap, {
        "names": len(swap.names.words),
        "names without capitals, unchanged": names.without_capitals,
        "documents whose authors are unknown": counts["unknown"],
        "titles": len({swap.titles.titles[id] for id in swap.titles.titles} & swap.titles.words.keys()),
        "references that keep an old title": counts["missed"],
        "edits": counts["edits"],
        "facts": counts["facts"],
        "changed facts": counts["changed"],
    }
