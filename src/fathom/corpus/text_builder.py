"""A text under construction, written from start to end."""

from __future__ import annotations

from fathom.records.spans import Span


class TextBuilder:
    """Collects the pieces of a text, so that the span of each is known when it is written."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0

    @property
    def here(self) -> int:
        """The offset of the next character."""
        return self._length

    def write(self, text: str) -> Span:
        """Write `text`; returns its span."""
        start = self._length
        self.put(text)
        return Span(start, self._length)

    def put(self, text: str) -> None:
        """Write `text` whose span is not needed, such as the mark-up between two parts."""
        self._pieces.append(text)
        self._length += len(text)

    def visible_end(self) -> int:
        """The offset after the last visible character."""
        blank = 0
        for piece in reversed(self._pieces):
            stripped = piece.rstrip()
            blank += len(piece) - len(stripped)
            if stripped:
                break
        return self._length - blank

    def text(self) -> str:
        """The whole text, ending in one newline."""
        return "".join(self._pieces).rstrip() + "\n"
