"""Marks around superscript text, which citations are detected by."""

from __future__ import annotations

SUPERSCRIPT_START, SUPERSCRIPT_END = "\ue000", "\ue001"
"""Private-use characters around superscript text. Any in the document's own text are removed."""


def strip_marks(text: str) -> str:
    """Return the text without superscript marks."""
    return text.replace(SUPERSCRIPT_START, "").replace(SUPERSCRIPT_END, "")
