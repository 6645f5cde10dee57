"""A corpus with other names and other numbers: texts are apply_edits, and every part moves with its characters."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from fathom.corpus.store import Corpus, CorpusWriter, finished_corpus, pack
from fathom.corpus.swap_names import NameCollector, NameSwap, in_text
from fathom.corpus.swap_numbers import NumberCollector, NumberSwap
from fathom.corpus.swap_titles import TitleCollector, TitleSwap
from fathom.records.contexts import Edit, apply_edits
from fathom.records.documents import Author, Document, Fact
from fathom.records.record import Record
from fathom.records.spans import Span

COMMAND = "swap"
"""What the recipe of a swapped corpus says made it."""
SAVED_EVERY = 32
"""Documents between two saves: what a kill can lose."""
VERSION = 1
"""Of the names and numbers that are put in: another version makes another corpus."""


class OffsetMap:
    """Where the characters of a text are after some edits of it."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._starts = [edit.span.start for edit in edits]
        self._ends = [edit.span.end for edit in edits]
        self._after = [0, *accumulate(len(edit.text) - (edit.span.end - edit.span.start) for edit in edits)]

    def map(self, span: Span) -> Span:
        """The span of what became of its characters; a word that it cuts in two is in it whole."""
        start = self._map(span.start, False)
        return Span(start, start if span.start == span.end else self._map(span.end, True))

    def _map(self, position: int, is_end: bool) -> int:
        """Inside a word that changes, what starts there starts with the word, and what ends there ends with it."""
        number = bisect_left(self._starts, position)
        if number and position < self._ends[number - 1]:
            return (
                self._ends[number - 1] + self._after[number]
                if is_end
                else self._starts[number - 1] + self._after[number - 1]
            )
        return position + self._after[number]


@dataclass(frozen=True)
class DocumentSwap:
    """What is edited in one document, and how many of its facts are."""

    edits: tuple[Edit, ...]
    values: dict[int, Decimal]
    """The new values of facts, by their place in the document."""

    @cached_property
    def moves(self) -> OffsetMap:
        return OffsetMap(self.edits)


@dataclass(frozen=True)
class CorpusSwap:
    """Which names, titles and numbers of a corpus change, and into what."""

    names: NameSwap
    titles: TitleSwap
    numbers: NumberSwap

    def title(self, text: str) -> str:
        """A title as it reads afterwards."""
        return self.names.prose(self.titles.title(text))

    def changed(self, document: Document) -> DocumentSwap:
        """The edits of one document."""
        words = [*in_text(document, self.names), *self.titles.in_text(document)]
        edits = [Edit(span=span, text=word) for span, word in words]
        values: dict[int, Decimal] = {}
        printed: dict[Span, str] = {}
        for place, fact in enumerate(document.facts):
            found = self.numbers.of(fact, fact.span.of(document.text))
            # Two facts of two subjects can share their characters, which change once: the first one's way.
            if found is not None and printed.setdefault(fact.span, found[0]) == found[0]:
                values[place] = found[1]
        edits += [Edit(span=span, text=text) for span, text in printed.items()]
        return DocumentSwap(tuple(_apart(edits)), values)

    def swapped(self, document: Document, changed: DocumentSwap | None = None) -> Document:
        """The document with its edits made and all its parts moved, checked as any document is."""
        changed = changed or self.changed(document)
        moved = _walked(document, changed.moves)
        found: Document = moved.model_copy(
            update={
                "text": apply_edits(document.text, changed.edits),
                "authors": tuple(map(self._author, moved.authors)),
                "facts": tuple(self._fact(fact, changed.values.get(place)) for place, fact in enumerate(moved.facts)),
            }
        )
        return Document.from_line(found.to_line())

    def _author(self, author: Author) -> Author:
        names = {"given": self.names.name(author.given), "family": self.names.name(author.family)}
        return author if author.group else author.model_copy(update=names)

    def _fact(self, fact: Fact, value: Decimal | None) -> Fact:
        told = {name: self.names.prose(getattr(fact, name)) for name in ("entity", "part")}
        return fact.model_copy(update=told if value is None else {**told, "value": value})


def _apart(edits: Sequence[Edit]) -> Iterator[Edit]:
    """The edits in the order of the text, without those that run into an earlier one."""
    end = 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        if edit.span.start >= end:
            yield edit
            end = edit.span.end


def _walked(value: Any, moves: OffsetMap) -> Any:
    """The record with every span in it moved: a part that comes to be added to documents moves as well."""
    if isinstance(value, Span):
        return moves.map(value)
    if isinstance(value, tuple):
        return tuple(_walked(one, moves) for one in value)
    if isinstance(value, Record):
        fields = {name: _walked(getattr(value, name), moves) for name in type(value).model_fields}
        return type(value).model_construct(**fields)
    return value


def survey(corpus: Corpus, seed: int) -> tuple[CorpusSwap, NameCollector]:
    """What is to change in a corpus; reads all of it once."""
    census, titles, ledger = NameCollector(), TitleCollector(), NumberCollector()
    for document in corpus.documents():
        for heard in (census, titles, ledger):
            heard.add(document)
    renaming = census.renaming(seed)
    retitling = titles.retitling(seed, renaming.words.keys())
    return CorpusSwap(renaming, retitling, ledger.refiguring(seed)), census


def swap_corpus(
    corpus: Corpus, folder: Path, seed: int, watch: Callable[[int], None] = lambda done: None
) -> tuple[CorpusSwap, dict[str, JsonValue]]:
    """Write the corpus with other names and numbers to `folder`, or go on where a killed process left it.

    Gives what changed, and how much of it.
    """
    swapping, census = survey(corpus, seed)
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
            changed = swapping.changed(document)
            counts.update(edits=len(changed.edits), facts=len(document.facts), changed=len(changed.values))
            counts["missed"] += swapping.titles.missed(document)
            if writer is not None and number > begun:
                writer.add(pack(swapping.swapped(document, changed)))
                if number % SAVED_EVERY == 0:
                    writer.save()
            watch(number)
        if writer is not None:
            writer.finish()
    return swapping, {
        "names": len(swapping.names.words),
        "names that are ordinary words too": len(swapping.names.ordinary),
        "names without capitals, left as they are": census.unspelled,
        "titles": len(swapping.titles.words),
        "entries that keep an old title": counts["missed"],
        "changes in the texts": counts["edits"],
        "facts": counts["facts"],
        "facts with another number": counts["changed"],
    }
