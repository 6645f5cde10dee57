"""Items and smaller windows: a candidate cannot be dropped, so an item fits as it is or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.tasks.family import Item

WHOLE = "a paper and its candidates cannot be made smaller (build with fewer --characters)"


class Refitter:
    """Refuses what does not fit."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def refit(self, context: Context, smaller: Context, items: Sequence[Item]) -> tuple[list[Item], list[str]]:
        """Nothing holds in a context without one of its candidates."""
        return [], [WHOLE] * len(items)
