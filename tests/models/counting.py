"""A tokenizer that records what it counts."""

from __future__ import annotations

from fathom.models.tokenizers import tokenizer


class Counting:
    """Counts as the default tokenizer does."""

    name = "counting"
    splits_at_newlines = True

    def __init__(self) -> None:
        self.counted: list[str] = []

    def count(self, text: str) -> int:
        self.counted.append(text)
        return tokenizer().count(text)
