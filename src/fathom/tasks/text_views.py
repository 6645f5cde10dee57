"""The views of families that show whole documents and no tables."""

from __future__ import annotations

from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.systems.protocol import DOCUMENTS, Views
from fathom.tasks.instructions import instructions


def text_views(corpus: Corpus, package: str) -> Views:
    """Views of whole documents, with the instructions of the family in that package and without tables."""
    return Views(
        family=package.rpartition(".")[2],
        instructions=instructions(package),
        forms={DOCUMENTS: lambda context: render(context, corpus)},
    )
