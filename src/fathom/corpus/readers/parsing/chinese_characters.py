"""The signs of Chinese print: its letters, and its wide punctuation in the narrow form that patterns know."""

from __future__ import annotations

import re

from fathom.records.names import CHINESE

CHINESE_CHARACTER = re.compile(rf"[{CHINESE}]")

_WIDE = "（）［］〔〕【】，、；：．－～〜０１２３４５６７８９\u3000"
_NARROW = "()[][][],,;:.-~~0123456789 "
_ANY_WIDE = re.compile("[\u3000-\uffff]")
_HALVED = str.maketrans(_WIDE, _NARROW)


def to_half_width(text: str) -> str:
    """The text with narrow brackets, commas and digits for wide ones, sign for sign: places in both are the same."""
    # Looked for first: an English text has an accent somewhere, and to translate it takes far longer than to look.
    return text.translate(_HALVED) if not text.isascii() and _ANY_WIDE.search(text) else text


_SET_WIDE = re.compile(rf"[{CHINESE}]{{1,2}}(?: [{CHINESE}]){{1,2}}|[{CHINESE}] [{CHINESE}]{{2}}")


def join_spaced_name(name: str) -> str:
    """A name without the blank that makes it as wide as a name of three letters: "王 明"; any other as it is."""
    return name.replace(" ", "") if _SET_WIDE.fullmatch(name) else name
