"""The words a model reads before the articles and the question; they stand in `ask.md`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fathom.records.errors import FathomError


def instruction(name: str) -> str:
    """What a model is told, by what it is shown and how it is to answer: "full, direct", "sql, stepwise"."""
    if name not in _sections():
        raise FathomError(f"The family has no words for '{name}'. Choose another system.")
    return _sections()[name]


@cache
def _sections() -> dict[str, str]:
    text = files(__package__).joinpath("ask.md").read_text("utf-8")
    sections: dict[str, str] = {}
    for section in text.split("\n# "):
        heading, _, body = section.removeprefix("# ").partition("\n")
        sections[heading.strip()] = body.strip()
    return sections
