"""What families have in common that show a text and nothing else: no tables, and nothing that could be made smaller."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.systems.protocol import DOCUMENTS, Views
from fathom.tasks.asking import instructions
from fathom.tasks.family import Item


def text_views(corpus: Corpus, package: str) -> Views:
    """Views of whole documents, with the instructions of the family in that package and without tables."""
    return Views(
        family=package.rpartition(".")[2],
        instructions=instructions(package),
        forms={DOCUMENTS: lambda context: render(context, corpus)},
    )


class AsItIs:
    """Refuses what does not fit a window: its items need all that they show."""

    def __init__(self, corpus: Corpus, reason: str) -> None:
        self._corpus = corpus
        self._reason = reason

    def refit(self, context: Context, smaller: Context, items: Sequence[Item]) -> tuple[list[Item], list[str]]:
        """Nothing holds in less."""
        return [], [self._reason] * len(items)
