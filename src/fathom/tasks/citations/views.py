"""What a system may see of an item's context: the paper with its masks and the candidates."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from fathom.contexts.layout import render
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.errors import FathomError
from fathom.tasks.asking import instruction


class Views:
    """The views of the contexts of one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def words(self, name: str) -> str:
        """The instruction of that name in `ask.md`."""
        return instruction(__package__ or "", name)

    def text(self, context: Context, form: str) -> bytes:
        """The laid-out paper and candidates; there is no other form."""
        if form != "articles":
            raise _without_tables()
        return render(context, self._corpus)

    def database(self, context: Context) -> sqlite3.Connection:
        raise _without_tables()

    def extracted(self, said: Sequence[str]) -> sqlite3.Connection:
        raise _without_tables()


def _without_tables() -> FathomError:
    return FathomError("The family 'citations' has no tables. Choose the system `full`, `passages` or `closed-book`.")
