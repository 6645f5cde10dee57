"""The instructions of a family, and the views of families that show whole documents and no tables."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from fathom.contexts.layout import render, render_range
from fathom.corpus.store import Corpus
from fathom.systems.protocol import DOCUMENTS, Views

_FILE = re.compile(r"ask(?:\.([a-z]{2}))?\.md")


@cache
def instructions(package: str) -> dict[str, str]:
    """The instructions of a family by system and prompting: "full, direct", "sql, cot".

    They are the sections of `ask.md`. Those of a file such as `ask.zh.md` are named "full, direct, zh".
    """
    sections: dict[str, str] = {}
    for file in files(package).iterdir():
        if (named := _FILE.fullmatch(file.name)) is None:
            continue
        for section in file.read_text("utf-8").split("\n# "):
            heading, _, body = section.removeprefix("# ").partition("\n")
            sections[f"{heading.strip()}{f', {named[1]}' if named[1] else ''}"] = body.strip()
    return sections


def text_views(corpus: Corpus, package: str) -> Views:
    """Views of whole documents, with the instructions of the family in that package and without tables."""
    return Views(
        family=package.rpartition(".")[2],
        instructions=instructions(package),
        forms={DOCUMENTS: lambda context: render(context, corpus)},
        part=lambda context, start, end: render_range(context, corpus, start, end),
    )
