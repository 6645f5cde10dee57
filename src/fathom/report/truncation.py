"""Limits on the texts that the page contains. The page says what is left out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Maximum lengths in characters."""

    response: int
    thinking: int
    passage: int
    around: int
    """Context on each side of a needed passage."""

    def rule(self) -> str:
        """The limits in a sentence."""
        thinking = f", thinking to {self.thinking:,}" if self.thinking else ", thinking is left out"
        return (
            f"To keep the page small, responses are shortened to {self.response:,} characters{thinking}, and needed "
            f"passages to {self.passage:,}, each with {self.around:,} characters of context on either side."
        )


LEVELS = (
    Limits(1_600, 800, 480, 160),
    Limits(700, 300, 320, 120),
    Limits(320, 120, 220, 80),
    Limits(200, 0, 160, 60),
    Limits(120, 0, 120, 40),
)
"""From generous to strict; the first with which the page is small enough is used."""


def shortened(text: str, most: int) -> str:
    """The text without its middle if it is longer: the start and the end of a response say most."""
    if len(text) <= most:
        return text
    head = most * 2 // 3
    tail = most - head
    return f"{text[:head]} [… {len(text) - most:,} characters left out …] {text[len(text) - tail :] if tail else ''}"
