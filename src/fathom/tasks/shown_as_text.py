"""What families have in common that show a text and nothing else: no tables, and nothing that could be made smaller."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.errors import FathomError
from fathom.tasks.asking import instruction, systems_with_words
from fathom.tasks.family import Item


class TextViews:
    """The laid-out texts of one corpus's contexts, and the words of the family whose package is named."""

    def __init__(self, corpus: Corpus, package: str) -> None:
        self._corpus = corpus
        self._package = package

    def words(self, name: str) -> str:
        """The instruction of that name in the family's `ask.md`."""
        return instruction(self._package, name)

    def text(self, context: Context, form: str) -> bytes:
        """What is shown; there is no other form."""
        if form != "articles":
            raise self._without_tables()
        return render(context, self._corpus)

    def database(self, context: Context) -> sqlite3.Connection:
        raise self._without_tables()

    def extracted(self, said: Sequence[str]) -> sqlite3.Connection:
        raise self._without_tables()

    def _without_tables(self) -> FathomError:
        family, systems = self._package.rpartition(".")[2], ", ".join(systems_with_words(self._package))
        return FathomError(f"The family '{family}' has no tables. Choose among the systems {systems}.")


class AsItIs:
    """Refuses what does not fit a window: its items need all that they show."""

    def __init__(self, corpus: Corpus, reason: str) -> None:
        self._corpus = corpus
        self._reason = reason

    def refit(self, context: Context, smaller: Context, items: Sequence[Item]) -> tuple[list[Item], list[str]]:
        """Nothing holds in less."""
        return [], [self._reason] * len(items)
