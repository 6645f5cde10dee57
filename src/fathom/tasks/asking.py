"""The words a model reads before what it is shown and the question; each family has its own in `ask.md`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fathom.records.errors import FathomError


def instruction(package: str, name: str) -> str:
    """What a model is told, by what it is shown and how it is to answer: "full, direct", "sql, cot"."""
    sections = _sections(package)
    if name not in sections:
        system = name.partition(",")[0]
        family = package.rpartition(".")[2]
        raise FathomError(f"The family '{family}' has no words for the system '{system}'. Choose another one.")
    return sections[name]


def systems_with_words(package: str) -> list[str]:
    """The systems that the family has words for."""
    return list(dict.fromkeys(name.partition(",")[0] for name in _sections(package)))


@cache
def _sections(package: str) -> dict[str, str]:
    text = files(package).joinpath("ask.md").read_text("utf-8")
    sections: dict[str, str] = {}
    for section in text.split("\n# "):
        heading, _, body = section.removeprefix("# ").partition("\n")
        sections[heading.strip()] = body.strip()
    return sections
