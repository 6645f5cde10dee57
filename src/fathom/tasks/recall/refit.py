"""Probes and smaller windows: a probe is short, and fits as it is or not at all."""

from __future__ import annotations

from collections.abc import Sequence

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.tasks.family import Item

WHOLE = "a probe cannot be made smaller"


class Refitter:
    """Refuses what does not fit."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def refit(self, context: Context, smaller: Context, items: Sequence[Item]) -> tuple[list[Item], list[str]]:
        """Nothing holds in less."""
        return [], [WHOLE] * len(items)
