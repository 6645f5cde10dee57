"""How much of a text the page carries. What is left out is said where it is missing."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The longest texts, in characters."""

    response: int
    thinking: int
    passage: int
    around: int
    """Of the context, on each side of a needed passage."""

    def rule(self) -> str:
        """What was done, in a sentence."""
        thoughts = f", thoughts after {self.thinking:,}" if self.thinking else ", thoughts are left out"
        return (
            f"To keep the page small, responses are shortened in the middle after {self.response:,} "
            f"characters{thoughts}, "
            f"needed passages after {self.passage:,}; {self.around:,} characters of the context stand around each."
        )


LEVELS = (
    Limits(1_600, 800, 480, 160),
    Limits(700, 300, 320, 120),
    Limits(320, 120, 220, 80),
    Limits(200, 0, 160, 60),
    Limits(120, 0, 120, 40),
)
"""From generous to sparing; the first with which everything fits is taken."""


def shortened(text: str, most: int) -> str:
    """The text with its middle left out where it is longer: how a response begins and ends says most."""
    if len(text) <= most:
        return text
    head = most * 2 // 3
    tail = most - head
    return f"{text[:head]} [… {len(text) - most:,} characters left out …] {text[len(text) - tail :] if tail else ''}"
