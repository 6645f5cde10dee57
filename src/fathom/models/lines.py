"""The tokens of a text by its lines: of a text that is changed in a few places only those are counted again."""

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
"""Where a line begins that no token reaches into. A full stop, a newline and a slash are one token to o200k."""

NEAR = 60
"""Characters between an edit and a blank that divides tokens: where it is further, the line's end is taken."""


class Lengths(NamedTuple):
    """Of each line, with its newlines and white space or a slash behind them."""

    characters: tuple[int, ...]
    tokens: tuple[int, ...]


def lengths_of(text: str, counter: Tokenizer) -> Lengths:
    """The lengths of a text's lines. Their tokens add up to the whole's where the tokenizer splits at newlines."""
    lines = _STARTS.split(text)
    return Lengths(tuple(map(len, lines)), tuple(map(counter.count, lines)))


class Lines:
    """The lines of one text, added up."""

    def __init__(self, characters: Sequence[int], tokens: Sequence[int]) -> None:
        self._starts = [*accumulate(characters, initial=0)]
        self._sums = [*accumulate(tokens, initial=0)]

    def tokens(self, text: str, edits: Sequence[Edit], counter: Tokenizer) -> int:
        """The tokens of the text with these edits."""
        more = sum(
            counter.count(window.after(text)) - self._between(text, window.start, window.end, counter)
            for window in self._windows(text, edits)
        )
        return self._sums[-1] + more

    def _between(self, text: str, start: int, end: int, counter: Tokenizer) -> int:
        """The tokens between two places that divide them."""
        first, last = bisect_left(self._starts, start), bisect_right(self._starts, end) - 1
        if first > last:
            return counter.count(text[start:end])
        ends = text[start : self._starts[first]], text[self._starts[last] : end]
        return self._sums[last] - self._sums[first] + sum(map(counter.count, filter(None, ends)))

    def _windows(self, text: str, edits: Sequence[Edit]) -> list[_Window]:
        """The edits, those together between which nothing divides tokens."""
        if not edits:
            return []
        start = self._before(text, 0, edits[0].span.start)
        windows = [_Window(0 if start is None else start, len(text), [edits[0]])]
        for one, two in pairwise(edits):
            behind = self._behind(text, one.span.end, two.span.start)
            before = self._before(text, one.span.end, two.span.start)
            if behind is None or before is None or behind > before:
                windows[-1].edits.append(two)
                continue
            windows[-1].end = behind
            windows.append(_Window(before, len(text), [two]))
        end = self._behind(text, edits[-1].span.end, len(text))
        windows[-1].end = len(text) if end is None else end
        return windows

    def _before(self, text: str, low: int, high: int) -> int | None:
        """The last place between two others that divides tokens, whatever stands before and behind those: a near blank,
        or the beginning of a line."""
        at = text.rfind(" ", max(low, high - NEAR), high)
        while at > low:
            if _divides(text, at, high):
                return at
            at = text.rfind(" ", max(low, high - NEAR), at)
        line = self._starts[max(0, bisect_left(self._starts, high) - 1)]
        return line if line > low else None

    def _behind(self, text: str, low: int, high: int) -> int | None:
        """The first place between two others that divides tokens: a near blank, or the beginning of a line."""
        at = text.find(" ", low + 1, min(high, low + NEAR))
        while at > 0:
            if _divides(text, at, high):
                return at
            at = text.find(" ", at + 1, min(high, low + NEAR))
        line = self._starts[min(bisect_right(self._starts, low), len(self._starts) - 1)]
        return line if low < line < high else None


def _divides(text: str, blank: int, high: int) -> bool:
    """Whether a blank before a place begins a token, as it does between a sign and a letter: it is of one token with
    the word behind it."""
    letter = text[blank + 1 : min(high, blank + 2)]
    return letter.isascii() and letter.isalpha() and not text[blank - 1].isspace()


@dataclass
class _Window:
    """A stretch of a text with the edits in it, from one place to another where a token ends whatever is around."""

    start: int
    end: int
    edits: list[Edit]

    def after(self, text: str) -> str:
        """What stands there when it is edited."""
        pieces, position = [], self.start
        for edit in self.edits:
            pieces += [text[position : edit.span.start], edit.text]
            position = edit.span.end
        return "".join([*pieces, text[position : self.end]])
