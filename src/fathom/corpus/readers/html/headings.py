"""Headings that a page only sets in bold, and the ranks of all of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.corpus.readers.parsed_document import Block, Heading

OWN_RANKS = 10
"""Added to the rank of a heading that the page itself calls one, to tell it from those that are guessed."""
_PART = re.compile(r"part\s+[ivx]{1,4}\b", re.IGNORECASE)
ITEM = re.compile(r"(?:item|note)\s+[0-9]{1,2}[a-c]?\b", re.IGNORECASE)


def is_headline(said: str) -> bool:
    """Whether a line in bold stands above a section rather than in it."""
    if not 2 <= len(said) <= 150 or not re.search(r"[^\W\d_]{2}", said):
        return False
    return not said.endswith((",", ";")) and (len(said) <= 80 or not said.endswith("."))


def rank(said: str, italic: bool) -> int:
    """The rank that a heading set in bold is guessed to have."""
    if _PART.match(said):
        return 2
    return 3 if ITEM.match(said) else 5 if italic else 4


def ranked(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with their headings' ranks made to begin at two, the page's own before the guessed."""
    used = sorted({block.level for block in blocks if isinstance(block, Heading)}, key=lambda n: (n < OWN_RANKS, n))
    levels = {level: number for number, level in enumerate(used, start=2)}
    return [Heading(levels[block.level], block.inlines) if isinstance(block, Heading) else block for block in blocks]
