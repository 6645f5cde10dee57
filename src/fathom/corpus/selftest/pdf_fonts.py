"""Characters of the standard fonts of PDF, and their widths."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from fathom.corpus.package_data import read_data

# Characters that the fonts have: those of WinAnsi (code page 1252).

_MARKUP = re.compile(r"</?sup>|\*")
_REPLACEMENTS = {
    "Đ": "D", "đ": "d", "Ł": "L", "ł": "l", "ı": "i", "−": "-", "‐": "-", "‑": "-", "\u00a0": " ", "\u00ad": "",
}  # fmt: skip
SUPERSCRIPT_ON, SUPERSCRIPT_OFF = "\x01", "\x02"
SMALL_ON, SMALL_OFF = "\x03", "\x04"
"""Control characters around superscripts, and around the smaller letters of small capitals."""


def printable(text: str) -> str:
    """Return a text as a page shows it: without markup, and without the accents and characters that WinAnsi lacks."""
    plain = unicodedata.normalize("NFC", _MARKUP.sub("", text))
    return plain if plain.isascii() else "".join(map(_printable_char, plain))


@cache
def _printable_char(char: str) -> str:
    if char in _REPLACEMENTS:
        return _REPLACEMENTS[char]
    if _in_winansi(char):
        return char
    return "".join(filter(_in_winansi, unicodedata.normalize("NFKD", char)))


def _in_winansi(char: str) -> bool:
    return char.encode("cp1252", "ignore") != b""


# Character widths of the standard fonts, in thousandths of the font size.

_WIDTHS = read_data(__package__, "pdf")["widths"]

CHAR_WIDTHS = {
    (family, bold): {int(width): characters for width, characters in _WIDTHS[family + "-Bold" * bold].items()}
    for family in ("Helvetica", "Times")
    for bold in (False, True)
}
FONT_NAMES = {
    "Helvetica": ("Helvetica", "Helvetica-Bold", "Helvetica-Oblique"),
    "Times": ("Times-Roman", "Times-Bold", "Times-Italic"),
}


class _Widths(dict[str, int]):
    """The widths of the characters of one font that were asked for."""

    def __init__(self, tables: dict[int, str]) -> None:
        super().__init__()
        self._tables = tables

    def __missing__(self, char: str) -> int:
        """A character's width, ignoring its accent; 556, the width of a Helvetica digit, if it is in no table."""
        base = unicodedata.normalize("NFD", char)[:1]
        width = next((width for width, characters in self._tables.items() if base in characters), 556)
        self[char] = width
        return width


_KNOWN_WIDTHS = {font: _Widths(tables) for font, tables in CHAR_WIDTHS.items()}


@dataclass(frozen=True)
class Font:
    family: str
    """Times or Helvetica."""
    size: float
    bold: bool = False
    italic: bool = False
    """Drawn with the widths of upright letters, which is close enough."""

    @property
    def name(self) -> str:
        """The name of the font among a page's resources."""
        return "F2" if self.bold else "F3" if self.italic else "F1"


_SCALES = {SUPERSCRIPT_ON: 0.65, SMALL_ON: 0.8, SUPERSCRIPT_OFF: 1.0, SMALL_OFF: 1.0}
_SIGNS = re.compile(f"([{''.join(_SCALES)}])")
_RISE = 0.35
"""Height of superscripts above the line, relative to the font size."""


def text_width(text: str, font: Font) -> float:
    """Return the width of a text in points."""
    widths = _KNOWN_WIDTHS[font.family, font.bold]
    if _SIGNS.search(text) is None:
        return sum(map(widths.__getitem__, text)) * font.size / 1000
    total, scale = 0.0, 1.0
    for char in text:
        if char in _SCALES:
            scale = _SCALES[char]
        else:
            total += scale * widths[char]
    return total * font.size / 1000


def small_caps(text: str) -> str:
    """Return a text in capitals, with control characters around the letters that were small."""
    return re.sub(r"[^\W\d_A-Z]+", lambda match: f"{SMALL_ON}{match[0].upper()}{SMALL_OFF}", text)


def pieces(text: str) -> Iterator[tuple[str, float, float]]:
    """Yield the parts of a text with their size and their height above the line, relative to the font size."""
    sign = ""
    for piece in _SIGNS.split(text):
        if piece in _SCALES:
            sign = piece
        elif piece:
            yield piece, _SCALES.get(sign, 1.0), _RISE if sign == SUPERSCRIPT_ON else 0.0
