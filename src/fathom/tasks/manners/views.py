"""What may be seen: the paragraph with its mask."""

from __future__ import annotations

from fathom.tasks.asking import instruction
from fathom.tasks.citations.views import Views as CitationViews


class Views(CitationViews):
    """The views of the contexts of one corpus."""

    def words(self, name: str) -> str:
        """The instruction of that name in `ask.md`."""
        return instruction(__package__ or "", name)
