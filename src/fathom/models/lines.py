"""The tokens of a text by its lines: of a text that is changed in a few places only those are counted again."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from fathom.models.tokenizers import Tokenizer
from fathom.records.contexts import Edit

_STARTS = re.compile(r"(?<=\n)(?=[^\s/])")
"""Where a line begins that no token reaches into. A full stop, a newline and a slash are one token to o200k."""


class Line(NamedTuple):
    """A line with its newlines, and white space or a slash behind them."""

    characters: int
    tokens: int


def lines_of(text: str, counter: Tokenizer) -> tuple[Line, ...]:
    """The lines of a text. Their tokens add up to those of the whole where the tokenizer splits at newlines."""
    return tuple(Line(len(line), counter.count(line)) for line in _STARTS.split(text))


class Lines:
    """The lines of one text, added up."""

    def __init__(self, lines: Iterable[Sequence[int]]) -> None:
        characters, tokens = zip(*lines, strict=True)
        self._starts = [*accumulate(characters, initial=0)]
        self._sums = [*accumulate(tokens, initial=0)]

    def tokens(self, text: str, edits: Sequence[Edit], counter: Tokenizer) -> int:
        """The tokens of the text with these edits."""
        total, loose, position = 0, "", 0
        for edit in (*edits, None):
            end = edit.span.start if edit is not None else self._starts[-1]
            first, last = self._whole(text, position, end, loose, is_last=edit is None)
            if first < last:
                total += counter.count(loose + text[position : self._starts[first]])
                total += self._sums[last] - self._sums[first]
                loose, position = "", self._starts[last]
            loose += text[position:end]
            if edit is not None:
                loose += edit.text
                position = edit.span.end
        return total + counter.count(loose)

    def _whole(self, text: str, start: int, end: int, loose: str, is_last: bool) -> tuple[int, int]:
        """From which line to which a stretch shows lines whose counts hold: nothing that is changed touches them."""
        first, last = bisect_left(self._starts, start), bisect_right(self._starts, end) - 1
        before = text[start : self._starts[first]] or loose
        if before and not before.endswith("\n"):
            first += 1
        if self._starts[last] == end and not is_last:
            # What comes next may begin with a blank, and be of one token with the newline before it.
            last -= 1
        return first, last
