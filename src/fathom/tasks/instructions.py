"""The instructions of a family, from its `ask.md`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def instructions(package: str) -> dict[str, str]:
    """The instructions of a family by system and prompting: "full, direct", "sql, cot"."""
    text = files(package).joinpath("ask.md").read_text("utf-8")
    sections: dict[str, str] = {}
    for section in text.split("\n# "):
        heading, _, body = section.removeprefix("# ").partition("\n")
        sections[heading.strip()] = body.strip()
    return sections
