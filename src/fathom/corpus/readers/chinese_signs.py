"""The signs of Chinese print: its letters, and its wide punctuation in the narrow form that patterns know."""

from __future__ import annotations

import re

LETTERS = r"\u3400-\u9fff"
"""Inside the brackets of a pattern: the letters of Chinese."""
LETTER = re.compile(rf"[{LETTERS}]")

_WIDE = "（）［］〔〕【】，、；：．－～〜０１２３４５６７８９\u3000"
_NARROW = "()[][][],,;:.-~~0123456789 "
_ANY_WIDE = re.compile("[\u3000-\uffff]")
_HALVED = str.maketrans(_WIDE, _NARROW)


def half_width(text: str) -> str:
    """The text with narrow brackets, commas and digits for wide ones, sign for sign: places in both are the same."""
    # Looked for first: an English text has an accent somewhere, and to translate it takes far longer than to look.
    return text.translate(_HALVED) if not text.isascii() and _ANY_WIDE.search(text) else text


_SET_WIDE = re.compile(rf"[{LETTERS}]{{1,2}}(?: [{LETTERS}]){{1,2}}|[{LETTERS}] [{LETTERS}]{{2}}")


def closed_up(name: str) -> str:
    """A name without the blank that makes it as wide as a name of three letters: "王 明"; any other as it is."""
    return name.replace(" ", "") if _SET_WIDE.fullmatch(name) else name
