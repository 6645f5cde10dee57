"""Data in a page: shortened where it is long, and encoded so that nothing can be mistaken for markup."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from dataclasses import dataclass


def pack_json(value: object) -> str:
    """JSON, deflated and in base64: nothing in it can end a script or begin an element."""
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # A lone surrogate is legal in a JSON string but not in UTF-8.
    return base64.b64encode(zlib.compress(written.encode("utf-8", "replace"), 9)).decode()


def source_hash(content: str) -> str:
    """The hash that names an inline script or style in a content security policy."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() + "'"


@dataclass(frozen=True)
class TextLimits:
    """Maximum lengths in characters."""

    response: int
    thinking: int
    passage: int
    around: int
    """Context on each side of a needed passage."""
    step: int
    """Input and output of a step of a trace."""

    def rule(self) -> str:
        """The limits in a sentence."""
        thinking = f", thinking to {self.thinking:,}" if self.thinking else ", thinking is left out"
        return (
            f"To keep the page small, responses are shortened to {self.response:,} characters{thinking}, and needed "
            f"passages to {self.passage:,}, each with {self.around:,} characters of context on either side; the texts "
            f"of steps to {self.step:,}."
        )


LIMIT_LEVELS = (
    TextLimits(1_600, 800, 480, 160, 800),
    TextLimits(700, 300, 320, 120, 300),
    TextLimits(320, 120, 220, 80, 120),
    TextLimits(200, 0, 160, 60, 60),
    TextLimits(120, 0, 120, 40, 30),
)
"""From generous to strict; the first with which the page is small enough is used."""


def shorten(text: str, most: int) -> str:
    """The text without its middle if it is too long: the start and the end of a response are the most informative."""
    if len(text) <= most:
        return text
    head = most * 2 // 3
    tail = most - head
    return f"{text[:head]} [… {len(text) - most:,} characters left out …] {text[len(text) - tail :] if tail else ''}"
