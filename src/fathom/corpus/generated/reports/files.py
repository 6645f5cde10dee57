"""The word lists and templates that stand beside the code."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def read_words(name: str) -> dict[str, Any]:
    """What `words/NAME.toml` holds."""
    return tomllib.loads(resources.files(__package__).joinpath("words", f"{name}.toml").read_text(encoding="utf-8"))
