"""Lines of text for the PDF writer: line breaks, hyphenation, justification."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from fathom.corpus.selftest.pdf_fonts import Font, text_width


@dataclass(frozen=True)
class TextRun:
    """Text drawn from one point on."""

    left: float
    """Distance from the left edge of the column."""
    text: str
    font: Font
    word_spacing: float = 0.0
    """Extra width of each space, which justifies the line."""


@dataclass(frozen=True)
class TypesetLine:
    runs: tuple[TextRun, ...]
    leading: float
    """Height of the line, including any gap below it."""
    space_above: float = 0.0
    """Gap above the line, dropped at the top of a column."""
    lines_below: int = 0
    """Number of lines that must fit below it in the column. Keeps a heading with its section."""
    rule_below: bool = False
    """Whether a thin rule is drawn below it."""


LEADING = 1.2
"""Line height relative to the font size."""
_VOWELS = "aeiouy"
_MIN_HYPHENATED = 8
"""Minimum length of a word that may be hyphenated."""
_MAX_BLANK_SHARE = 0.06
"""Maximum share of a line left blank before the next word is hyphenated."""


def typeset(
    text: str,
    font: Font,
    width: float,
    indent: float = 0,
    hanging: float = 0,
    justified: bool = False,
    centered: bool = False,
) -> list[TypesetLine]:
    """Break text into lines, the first with `indent`, the others with `hanging`. The last one is never justified."""
    broken = list(_break_lines(text.split(), font, width, indent, hanging))
    lines: list[TypesetLine] = []
    for number, line in enumerate(broken):
        left = hanging if number else indent
        free = width - left - text_width(line, font)
        spaces = line.count(" ")
        word_spacing = free / spaces if justified and spaces and number < len(broken) - 1 else 0.0
        run = TextRun(left + (free / 2 if centered else 0), line, font, word_spacing)
        lines.append(TypesetLine((run,), font.size * LEADING))
    return lines


def _break_lines(words: Sequence[str], font: Font, width: float, indent: float, hanging: float) -> Iterator[str]:
    """Yield the text of each line, filled greedily. A long word is hyphenated if the line would end too early."""
    remaining = list(reversed(words))
    line, available = "", width - indent
    while remaining:
        word = remaining.pop()
        longer = f"{line} {word}" if line else word
        if text_width(longer, font) <= available or not line:
            line = longer
            continue
        loose = available - text_width(line, font) > _MAX_BLANK_SHARE * available
        head = _hyphenate(word, font, available - text_width(line + " ", font)) if loose else ""
        if head:
            yield f"{line} {head}-"
            remaining.append(word[len(head) :])
        else:
            yield line
            remaining.append(word)
        line, available = "", width - hanging
    if line:
        yield line


def _hyphenate(word: str, font: Font, available: float) -> str:
    """Return the longest prefix that fits with a hyphen and ends before a consonant between vowels; empty if none."""
    letters = word.rstrip(".,;:)")
    if len(letters) < _MIN_HYPHENATED or not (letters.isascii() and letters.isalpha() and letters.islower()):
        return ""
    for index in range(len(letters) - 4, 2, -1):
        vowel_before, vowel_here, vowel_after = (letter in _VOWELS for letter in letters[index - 1 : index + 2])
        if vowel_before and not vowel_here and vowel_after and text_width(word[:index] + "-", font) <= available:
            return word[:index]
    return ""


def add_spacing(lines: Sequence[TypesetLine], above: float, below: float = 0) -> list[TypesetLine]:
    """Return the lines with a gap above the first and below the last."""
    spaced = list(lines)
    if spaced:
        spaced[0] = replace(spaced[0], space_above=above)
        spaced[-1] = replace(spaced[-1], leading=spaced[-1].leading + below)
    return spaced
