"""The signs of Chinese print: its letters, and its wide punctuation in the narrow form that patterns know."""

from __future__ import annotations

import re

LETTERS = r"\u3400-\u9fff"
"""Inside the brackets of a pattern: the letters of Chinese."""
LETTER = re.compile(rf"[{LETTERS}]")

_WIDE = "（）［］〔〕【】，、；：．－～〜０１２３４５６７８９\u3000"
_NARROW = "()[][][],,;:.-~~0123456789 "
_HALVED = str.maketrans(_WIDE, _NARROW)


def half_width(text: str) -> str:
    """The text with narrow brackets, commas and digits for wide ones, sign for sign: places in both are the same."""
    return text if text.isascii() else text.translate(_HALVED)
