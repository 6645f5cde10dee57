"""Word lists and patterns of words that the readers look for, in the TOML files of this folder."""

from __future__ import annotations

import re
from functools import partial

from fathom.corpus.package_data import read_data

read_words = partial(read_data, __name__)
"""Returns the content of NAME.toml."""


def word_pattern(text: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Return a regular expression that is written on several lines."""
    return re.compile(text.replace("\n", ""), flags)
