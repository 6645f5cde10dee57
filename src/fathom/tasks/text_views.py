"""The instructions of a family, and the views of families that show whole documents and no tables."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.systems.protocol import DOCUMENTS, Views


@cache
def instructions(package: str) -> dict[str, str]:
    """The instructions of a family by system and prompting: "full, direct", "sql, cot"."""
    text = files(package).joinpath("ask.md").read_text("utf-8")
    sections: dict[str, str] = {}
    for section in text.split("\n# "):
        heading, _, body = section.removeprefix("# ").partition("\n")
        sections[heading.strip()] = body.strip()
    return sections


def text_views(corpus: Corpus, package: str) -> Views:
    """Views of whole documents, with the instructions of the family in that package and without tables."""
    return Views(
        family=package.rpartition(".")[2],
        instructions=instructions(package),
        forms={DOCUMENTS: lambda context: render(context, corpus)},
    )
