"""The text that is shown of a document: spans of it with replacements, and excerpts that fit a number of characters."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fathom.records.contexts import Edit, apply_edits
from fathom.records.documents import Document, DocumentId, DocumentOutline
from fathom.records.spans import Span
from fathom.tasks.citations.word_counts import CandidateWords, WordIndex, Words

NAME_MASK = "[[NAME]]"
"""Replaces a work's own title or name."""

OMITTED = "\n\n[...]\n\n"
"""Replaces paragraphs that are left out between two that are shown."""


class ShownParagraph(NamedTuple):
    """A paragraph of a shown text, with the heading above it."""

    span: Span
    """Its place in the document."""
    edits: tuple[Edit, ...]
    """The replacements in it."""

    @property
    def length(self) -> int:
        """The number of characters shown."""
        start, end = self.span
        return end - start + sum(len(edit.text) - edit.span.end + edit.span.start for edit in self.edits)


@dataclass(frozen=True, eq=False)
class ShownText:
    """Part of a document's text, with trimmed ends and a blank line between its pieces. Compared by identity."""

    id: DocumentId
    document: str
    """The document's whole text."""
    parts: tuple[ShownParagraph, ...]
    """Where the text can be cut: its paragraphs, in order."""
    joints: tuple[str | None, ...]
    """The text before each part, which replaces that of the document; None to leave that as it is."""
    whole: ShownText | None = None
    """The text of which this is an excerpt."""
    numbers: tuple[int, ...] = ()
    """For an excerpt, the numbers of its parts among those of the whole text."""

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """The edits of the document that leave only what is shown."""
        edits: list[Edit] = []
        last = 0
        for part, joint in zip(self.parts, self.joints, strict=True):
            if joint is not None and (last, joint) != (part.span.start, ""):
                edits.append(Edit(span=Span(last, part.span.start), text=joint))
            edits += part.edits
            last = part.span.end
        return (*edits, Edit(span=Span(last, len(self.document)), text="\n"))

    @cached_property
    def length(self) -> int:
        """The number of characters shown, without the line break at the end."""
        return len(self.document) - 1 + sum(len(edit.text) - edit.span.end + edit.span.start for edit in self.edits)

    @cached_property
    def text(self) -> str:
        """The whole shown text."""
        return apply_edits(self.document, self.edits)

    @cached_property
    def _index(self) -> WordIndex:
        texts = [_without_names(part, self.document) for part in self.parts]
        return WordIndex(texts, [len(part.edits) for part in self.parts])

    @cached_property
    def words(self) -> CandidateWords:
        """The words of the text, for the matchers."""
        if self.whole is not None:
            return CandidateWords(self.whole._index, self.numbers)
        return CandidateWords(self._index, range(len(self.parts)))

    def parts_with(self, stem: str) -> Iterator[ShownParagraph]:
        """The parts with a word of this stem, in order."""
        index, numbers = (self.whole._index, self.numbers) if self.whole else (self._index, range(len(self.parts)))
        for number in index.places([stem]).parts.tolist():
            place = bisect_left(numbers, number)
            if place < len(numbers) and numbers[place] == number:
                yield self.parts[place]

    def shows(self, span: Span) -> bool:
        """Whether a span of the document is shown unchanged."""
        number = bisect_right(self.parts, span.start, key=_start) - 1
        return (
            number >= 0
            and self.parts[number].span.contains(span)
            and not any(edit.span.start < span.end and span.start < edit.span.end for edit in self.parts[number].edits)
        )

    def excerpt(self, characters: int, wanted: Words, head: int = 0) -> ShownText:
        """The paragraphs that say most about the wanted words, up to this many characters, in the order of the text.

        The same rule chooses the paragraphs of every candidate. First come the paragraphs before the position `head`.
        Then each wanted word, the rarest first, brings the best paragraph that contains it, so that no word of the work
        is lost that could tell it from others; then come the other paragraphs, the best first.
        """
        if self.length <= characters:
            return self
        chosen: set[int] = set()
        # One less than asked for, and a line break follows.
        left = characters + len(OMITTED) - 1
        for number in self._by_value(wanted, head):
            if left < self._least:
                break
            needed = self._lengths[number] + len(OMITTED)
            if needed <= left and number not in chosen:
                chosen.add(number)
                left -= needed
        return self._only(sorted(chosen))

    def _by_value(self, wanted: Words, head: int) -> Iterator[int]:
        """The numbers of the paragraphs, the most important first; some come twice."""
        yield from (number for number, part in enumerate(self.parts) if part.span.end <= head)
        found = self._index.places(wanted)
        weights = np.repeat(np.log((len(self.parts) + 1) / found.counts), found.counts)
        value = np.bincount(found.parts, weights, minlength=len(self.parts))
        # The wanted words are in alphabetical order, which decides between equally rare ones.
        rank = np.repeat(found.counts.argsort(kind="stable").argsort(), found.counts)
        order = np.lexsort((found.parts, -value[found.parts], rank))
        yield from found.parts[order[np.flatnonzero(np.diff(rank[order], prepend=-1))]].tolist()
        yield from (-value).argsort(kind="stable").tolist()

    @cached_property
    def _lengths(self) -> list[int]:
        return [part.length for part in self.parts]

    @cached_property
    def _least(self) -> int:
        return min(self._lengths) + len(OMITTED)

    def _only(self, numbers: Sequence[int]) -> ShownText:
        """The text with only these of its parts."""
        joints = [
            self.joints[number] if index and numbers[index - 1] == number - 1 else OMITTED if index else ""
            for index, number in enumerate(numbers)
        ]
        parts = tuple(self.parts[number] for number in numbers)
        return ShownText(self.id, self.document, parts, tuple(joints), self, tuple(numbers))


def show(
    document: Document | DocumentOutline,
    text: str,
    kept: Sequence[Span],
    changes: Sequence[tuple[Span, str]] = (),
    to_be_cut: bool = True,
) -> ShownText:
    """The text of these spans of the document, in order, with some spans replaced (`changes`).

    With `to_be_cut`, its parts are paragraphs, else the spans.
    """
    parts: list[ShownParagraph] = []
    joints: list[str | None] = []
    waiting = deque(_apart(changes))
    breaks = [span.end for span in document.paragraphs] if to_be_cut else []
    for whole in filter(None, (_trimmed(text, span) for span in kept)):
        position = whole.start
        joints.append("\n\n" if parts else "")
        for end in [*breaks[bisect_right(breaks, whole.start) : bisect_left(breaks, whole.end)], whole.end]:
            span = _trimmed(text, Span(position, end))
            if span is None:
                continue
            while waiting and waiting[0][0].start < span.start:
                waiting.popleft()
            edits = []
            while waiting and waiting[0][0].end <= span.end:
                place, words = waiting.popleft()
                edits.append(Edit(span=place, text=words))
            if position != whole.start:
                joints.append(None)
            parts.append(ShownParagraph(span, tuple(edits)))
            position = span.end
    return ShownText(document.id, text, tuple(parts), tuple(joints))


def rendered_words(text: str) -> CandidateWords:
    """The words of a shown text, for the matchers, from the text alone."""
    # Every other part is empty: that is where text was left out.
    shown = [part for one in text.split(OMITTED) for part in (one, "")]
    index = WordIndex([part.replace(NAME_MASK, " ") for part in shown], [part.count(NAME_MASK) for part in shown])
    return CandidateWords(index, range(0, len(shown), 2))


def _without_names(part: ShownParagraph, document: str) -> str:
    """The text of a part, with a space for each replaced name."""
    if not part.edits:
        return part.span.of(document)
    pieces, start = [], part.span.start
    for edit in part.edits:
        pieces.append(document[start : edit.span.start])
        start = edit.span.end
    return " ".join([*pieces, document[start : part.span.end]])


def _start(part: ShownParagraph) -> int:
    return part.span.start


def _trimmed(text: str, span: Span) -> Span | None:
    """The span without white space at its ends; None if nothing is left."""
    words = span.of(text)
    start = span.start + len(words) - len(words.lstrip())
    end = span.end - (len(words) - len(words.rstrip()))
    return Span(start, end) if start < end else None


def _apart(changes: Sequence[tuple[Span, str]]) -> Iterator[tuple[Span, str]]:
    """The changes without those that overlap an earlier, longer one."""
    end = 0
    for place, words in sorted(changes, key=lambda change: (change[0].start, -change[0].end)):
        if place.start >= end:
            yield place, words
            end = place.end


def evenly(lengths: Sequence[int], room: int) -> int:
    """The maximum length such that texts cut to it fit into `room` together; short ones leave more for the others."""
    left, waiting = room, sorted(lengths)
    while waiting:
        fair = left // len(waiting)
        if waiting[0] > fair:
            return fair
        left -= waiting.pop(0)
    return max(lengths, default=0)
