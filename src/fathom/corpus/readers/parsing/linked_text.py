"""Running text with its links, before it is known which of them are citations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Link:
    """A linked text."""

    text: str
    target: str
    superscript: bool = False


LinkedText = list[str | Link]


SUPERSCRIPT_START, SUPERSCRIPT_END = "\ue000", "\ue001"
"""Mark superscript text until citations are detected: private-use characters."""


def visible_text(pieces: LinkedText) -> str:
    """Return the text that is displayed, links included."""
    return "".join(piece.text if isinstance(piece, Link) else piece for piece in pieces)
