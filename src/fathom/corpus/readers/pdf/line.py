"""Lines of text on PDF pages, and joining them into running text."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fathom.corpus.readers.parsing.superscripts import strip_marks

HYPHEN = re.compile(r"[^\W\d_][-\u00ad\u2010]$")
"""A hyphen at the end of a line, after a letter."""


class Gap(NamedTuple):
    """A wide space: between table cells, or between words of a loosely set line."""

    offset: int
    """Position of the space in the line's text."""
    left: float
    right: float


@dataclass(frozen=True, slots=True)
class Line:
    """Characters on one baseline without a wide gap between them."""

    page: int
    left: float
    right: float
    baseline: float
    """Distance from the bottom of the page."""
    size: float
    """Font size in points. For small capitals, the size of the large ones."""
    bold: bool
    italic: bool
    small_caps: bool
    """Whether all letters are capitals of two sizes, or glyphs of a font of small capitals."""
    hyphenated: bool
    """Whether the line ends inside a word. `text` does not include the hyphen."""
    text: str
    gaps: tuple[Gap, ...] = ()


def is_running_text(line: Line) -> bool:
    """Return whether a line of any column width is part of a sentence: at least five words, most of them lowercase."""
    words = re.findall(r"[^\W\d_]+", strip_marks(line.text))
    return len(words) > 4 and sum(word[0].islower() for word in words) > 0.6 * len(words)


def same_style(first: Line, second: Line) -> bool:
    """Return whether two lines have the same size, weight and shape."""
    return (
        abs(first.size - second.size) < 0.3
        and first.bold == second.bold
        and first.italic == second.italic
        and first.small_caps == second.small_caps
    )


def wraps(before: Line, after: Line, right_edge: float) -> bool:
    """Return whether the first word of `after` would not have fitted into `before`, given its right edge."""
    first = after.text.split(maxsplit=1)[0] if after.text.strip() else ""
    width = (after.right - after.left) * len(first) / max(1, len(after.text))
    return before.hyphenated or before.right + 0.2 * before.size + width > right_edge


@dataclass(frozen=True, slots=True)
class PageSize:
    width: float
    height: float


_TOKENS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


class Dehyphenator:
    """Joins lines, and decides from the document's own words whether a hyphen at a line end belongs to the word."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._plain: set[str] = set()
        self._compound: set[str] = set()
        starts_inside_word = False
        for line in lines:
            text = strip_marks(line.text).lower()
            tokens = _TOKENS.findall(text)
            # Skip the halves of hyphenated words: "ments" as a word would turn "measurements" into "measure-ments".
            whole = tokens[starts_inside_word : len(tokens) - line.hyphenated]
            starts_inside_word = line.hyphenated
            compounds = [token for token in whole if "-" in token] if "-" in text else []
            self._plain.update(whole)
            self._plain.difference_update(compounds)
            for token in compounds:
                parts = token.split("-")
                self._compound.update(f"{one}-{other}" for one, other in itertools.pairwise(parts))

    def is_sure(self, before: Line, after: Line) -> bool:
        """Return whether the document's own words decide the hyphen between two lines."""
        left, right = re.search(r"([^\W\d_]+)$", before.text), re.match(r"[^\W\d_]+", after.text)
        if not before.hyphenated or left is None or right is None:
            return True
        first, second = left[1].lower(), right[0].lower()
        return first + second in self._plain or f"{first}-{second}" in self._compound

    def join(self, lines: Sequence[Line]) -> str:
        """Return the text of consecutive lines."""
        pieces: list[str] = []
        hyphenated = False
        for line in lines:
            text = line.text.strip()
            if pieces and hyphenated:
                pieces.append(self._link(pieces[-1], text))
            elif pieces and not _ends_inside_address(pieces[-1]):
                pieces.append(" ")
            pieces.append(text)
            hyphenated = line.hyphenated
        return "".join(pieces) + ("-" if hyphenated else "")

    def _link(self, before: str, after: str) -> str:
        """Return "-" if the hyphen between two lines belongs to the word, else an empty string."""
        left, right = re.search(r"([^\W\d_]+)$", before[-60:]), re.match(r"[^\W\d_]+", after)
        if left is None or right is None or re.search(r"https?:\S*$", before[-200:]):
            return "-"
        first, second = left[1].lower(), right[0].lower()
        if first + second in self._plain:
            return ""
        if right[0][0].isupper() and not (left[1].isupper() and right[0].isupper()):
            return "-"
        if f"{first}-{second}" in self._compound:
            return "-"
        known = first in self._plain and second in self._plain and len(first) > 3 and len(second) > 3
        return "-" if known else ""


def _ends_inside_address(text: str) -> bool:
    return re.search(r"(?:https?:|doi\.org|10\.\d{4})\S*[/_.=-]$", text[-200:]) is not None
