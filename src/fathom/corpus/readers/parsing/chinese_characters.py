"""Chinese characters and full-width punctuation."""

from __future__ import annotations

import re

from fathom.records.names import CHINESE

CHINESE_CHARACTER = re.compile(rf"[{CHINESE}]")

_WIDE = "（）［］〔〕【】，、；：．－～〜０１２３４５６７８９\u3000"
_NARROW = "()[][][],,;:.-~~0123456789 "
_ANY_WIDE = re.compile("[\u3000-\uffff]")
_TO_NARROW = str.maketrans(_WIDE, _NARROW)


def to_half_width(text: str) -> str:
    """Replace full-width brackets, commas and digits by half-width ones. Offsets stay the same."""
    # Search first: most English texts have some accent, and translating takes far longer than searching.
    return text.translate(_TO_NARROW) if not text.isascii() and _ANY_WIDE.search(text) else text


_SPACED_NAME = re.compile(rf"[{CHINESE}]{{1,2}}(?: [{CHINESE}]){{1,2}}|[{CHINESE}] [{CHINESE}]{{2}}")


def join_spaced_name(name: str) -> str:
    """Remove the space that aligns a name of two characters with names of three: "王 明"; other names are unchanged."""
    return name.replace(" ", "") if _SPACED_NAME.fullmatch(name) else name
