"""A title for a document that names none."""

from __future__ import annotations

import re


def unwrapped(name: str) -> str:
    """The name without the ending of its wrapping."""
    return re.sub(r"\.(gz|xz|bz2)$", "", name, flags=re.IGNORECASE)


def title_from(name: str) -> str:
    """A file's name as words: "data/house_prices.csv" is "House prices"."""
    stem = re.sub(r"\.\w{1,6}$", "", re.split(r"[/\\!#]", unwrapped(name).rstrip("/"))[-1])
    words = " ".join(re.split(r"[\s_]+", stem)).strip()
    return words[:1].upper() + words[1:] or "Untitled"
