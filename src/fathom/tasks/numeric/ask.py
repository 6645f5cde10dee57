"""The words a model reads before the articles and the question; they stand in `ask.md`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Literal

Shown = Literal["full", "tables"]
Manner = Literal["direct", "stepwise"]


def instruction(shown: Shown, manner: Manner) -> str:
    """What a model is told, by what it is shown and how it is to answer."""
    return _sections()[f"{shown}, {manner}"]


@cache
def _sections() -> dict[str, str]:
    text = files(__package__).joinpath("ask.md").read_text("utf-8")
    sections: dict[str, str] = {}
    for section in text.split("\n# "):
        heading, _, body = section.removeprefix("# ").partition("\n")
        sections[heading.strip()] = body.strip()
    return sections
