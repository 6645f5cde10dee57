"""Removes API keys from recorded text: the values of environment variables that are named like keys."""

from __future__ import annotations

import os
import re

_NAMES = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)S?$", re.IGNORECASE)
SHORTEST = 8
"""The minimum length of a value that is replaced. Replacing shorter ones would damage ordinary words."""


def without_secrets(text: str) -> str:
    """The text with the values of key-like environment variables replaced by their names."""
    for name, value in os.environ.items():
        if len(value) >= SHORTEST and _NAMES.search(name) and value in text:
            text = text.replace(value, f"[{name}]")
    return text
