"""Token counts by line: after a few edits of a text, only the changed places are counted again."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

from fathom.models.tokenizers import Tokenizer
from fathom.records.contexts import Edit

_STARTS = re.compile(r"(?<=\n)(?=[^\s/])")
"""The start of a line that no token extends into. In o200k a period, a newline and a slash are one token."""

MAX_DISTANCE = 60
"""How far from an edit, in characters, a space is used as the end of a window; otherwise it is the end of the line."""


class LineLengths(NamedTuple):
    """The length of each line, including newlines and white space or a slash after them."""

    characters: tuple[int, ...]
    tokens: tuple[int, ...]


def line_lengths(text: str, counter: Tokenizer) -> LineLengths:
    """The lengths of the lines of a text; tokens add up to the whole if the tokenizer splits at newlines."""
    lines = _STARTS.split(text)
    return LineLengths(tuple(map(len, lines)), tuple(map(counter.count, lines)))


class LineTokens:
    """Cumulative line lengths of one text."""

    def __init__(self, characters: Sequence[int], tokens: Sequence[int]) -> None:
        self._starts = [*accumulate(characters, initial=0)]
        self._sums = [*accumulate(tokens, initial=0)]

    def tokens(self, text: str, edits: Sequence[Edit], counter: Tokenizer) -> int:
        """The tokens of the text with these edits."""
        difference = sum(
            counter.count(window.edited(text)) - self._between(text, window.start, window.end, counter)
            for window in self._windows(text, edits)
        )
        return self._sums[-1] + difference

    def _between(self, text: str, start: int, end: int, counter: Tokenizer) -> int:
        """The number of tokens between two positions where a token always ends."""
        first, last = bisect_left(self._starts, start), bisect_right(self._starts, end) - 1
        if first > last:
            return counter.count(text[start:end])
        ends = text[start : self._starts[first]], text[self._starts[last] : end]
        return self._sums[last] - self._sums[first] + sum(map(counter.count, filter(None, ends)))

    def _windows(self, text: str, edits: Sequence[Edit]) -> list[_Window]:
        """The edits in windows; two edits share a window if no token is sure to end between them."""
        if not edits:
            return []
        start = self._before(text, 0, edits[0].span.start)
        windows = [_Window(0 if start is None else start, len(text), [edits[0]])]
        for edit, following in pairwise(edits):
            after = self._after(text, edit.span.end, following.span.start)
            before = self._before(text, edit.span.end, following.span.start)
            if after is None or before is None or after > before:
                windows[-1].edits.append(following)
                continue
            windows[-1].end = after
            windows.append(_Window(before, len(text), [following]))
        end = self._after(text, edits[-1].span.end, len(text))
        windows[-1].end = len(text) if end is None else end
        return windows

    def _before(self, text: str, low: int, high: int) -> int | None:
        """The last position between two others where a token always ends: a near space, or the start of a line."""
        at = text.rfind(" ", max(low, high - MAX_DISTANCE), high)
        while at > low:
            if _divides(text, at, high):
                return at
            at = text.rfind(" ", max(low, high - MAX_DISTANCE), at)
        line = self._starts[max(0, bisect_left(self._starts, high) - 1)]
        return line if line > low else None

    def _after(self, text: str, low: int, high: int) -> int | None:
        """The first position between two others where a token always ends: a near space, or the start of a line."""
        at = text.find(" ", low + 1, min(high, low + MAX_DISTANCE))
        while at > 0:
            if _divides(text, at, high):
                return at
            at = text.find(" ", at + 1, min(high, low + MAX_DISTANCE))
        line = self._starts[min(bisect_right(self._starts, low), len(self._starts) - 1)]
        return line if low < line < high else None


def _divides(text: str, space: int, high: int) -> bool:
    """Whether a space starts a token, as it does before a letter: it forms one token with the following word."""
    letter = text[space + 1 : min(high, space + 2)]
    return letter.isascii() and letter.isalpha() and not text[space - 1].isspace()


@dataclass
class _Window:
    """A range of a text and the edits in it; a token always ends at both of its ends."""

    start: int
    end: int
    edits: list[Edit]

    def edited(self, text: str) -> str:
        """The text of the range after the edits."""
        pieces, position = [], self.start
        for edit in self.edits:
            pieces += [text[position : edit.span.start], edit.text]
            position = edit.span.end
        return "".join([*pieces, text[position : self.end]])
