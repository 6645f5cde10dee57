"""Running text whose links are set apart, before it is settled which of them are citations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """A stretch of text that points somewhere."""

    text: str
    target: str
    superscript: bool = False
    """Set above the line."""


LinkedText = list[str | Link]
"""Running text in which it is not yet settled which links are citations."""


SUPERSCRIPT_START, SUPERSCRIPT_END = "\ue000", "\ue001"
"""Stand for the beginning and the end of what is set above the line, until citations are settled."""


def visible_text(pieces: LinkedText) -> str:
    """The text as it is seen, links included."""
    return "".join(piece.text if isinstance(piece, Link) else piece for piece in pieces)
