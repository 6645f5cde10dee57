"""The tokens of a text by its lines: of a text that is changed in a few places only those are counted again."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from fathom.models.tokenizers import Tokenizer
from fathom.records.contexts import Edit

_STARTS = re.compile(r"(?<=\n)(?=[^\s/])")
"""Where a line begins that no token reaches into. A full stop, a newline and a slash are one token to o200k."""

_BLANKS = re.compile(r"(?<=\S) (?=[A-Za-z])")
"""Blanks that begin a token, whatever stands before and behind: a blank is of one token with the word behind it."""
NARROW, NEAR = 200, 60
"""Characters that an edit replaces, and between it and such blanks: where there are more, lines are counted."""


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
        windows, others = _windows(text, edits)
        more = sum(counter.count(window.after(text)) - counter.count(window.before(text)) for window in windows)
        return self._tokens(text, others, counter) + more

    def _tokens(self, text: str, edits: Sequence[Edit], counter: Tokenizer) -> int:
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
        # The first line of all may begin with a blank or a newline, and be of one token with what is put before it.
        if before and (first == 0 or not before.endswith("\n")):
            first += 1
        if self._starts[last] == end and not is_last:
            # What comes next may begin with a blank, and be of one token with the newline before it.
            last -= 1
        return first, last


@dataclass
class _Window:
    """A stretch of a text with the edits in it, from one place to another where a token ends whatever is around."""

    start: int
    end: int
    edits: list[Edit]

    def before(self, text: str) -> str:
        return text[self.start : self.end]

    def after(self, text: str) -> str:
        pieces, position = [], self.start
        for edit in self.edits:
            pieces += [text[position : edit.span.start], edit.text]
            position = edit.span.end
        return "".join([*pieces, text[position : self.end]])


def _windows(text: str, edits: Sequence[Edit]) -> tuple[list[_Window], list[Edit]]:
    """The edits that change a few words, in their windows, and the others."""
    windows: list[_Window] = []
    others: list[Edit] = []
    waiting: list[Edit] = []
    start: int | None = None
    ends = [0, *(edit.span.end for edit in edits)]
    starts = [*(edit.span.start for edit in edits), len(text)]
    for number, edit in enumerate(edits):
        if not waiting:
            start = _word_before(text, ends[number], edit.span.start)
        if start is None or edit.span.end - edit.span.start > NARROW:
            others += [*waiting, edit]
            waiting = []
            continue
        waiting.append(edit)
        end = _word_behind(text, edit.span.end, starts[number + 1])
        if end is not None:
            windows.append(_Window(start, end, waiting))
            waiting = []
    return windows, [*others, *waiting]


def _word_before(text: str, low: int, high: int) -> int | None:
    """The last blank between two places that divides tokens; None where none is near."""
    for match in reversed(list(_BLANKS.finditer(text, max(low, high - NEAR), high))):
        # What makes it divide, the signs on both sides, must not be changed.
        if match.start() > low and match.end() < high:
            return match.start()
    return None


def _word_behind(text: str, low: int, high: int) -> int | None:
    """The first blank between two places that divides tokens; None where none is near."""
    for match in _BLANKS.finditer(text, low, min(high, low + NEAR)):
        if match.start() > low and match.end() < high:
            return match.start()
    return None
