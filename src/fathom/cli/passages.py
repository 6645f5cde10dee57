"""Only the needed passages of a context, question by question: a control that finds for the model what it must find.

Which passages those are is told from a bench's keys, and nothing else of a key comes through here: no answer, no row.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby

from fathom.contexts.layout import boundary, closing
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import Passage
from fathom.records.errors import FathomError
from fathom.records.questions import QuestionId
from fathom.systems.desk import Views
from fathom.systems.direct import PASSAGES
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.family import Item, passages_of

GAP = "[...]\n"
"""Stands between two passages of a document."""


class ViewsWithPassages:
    """A family's views, and for each question the passages it needs."""

    def __init__(self, views: Views, name: str, bench: Bench, corpus: Corpus) -> None:
        self._views = views
        self._bench = bench
        self._needed = passages_of(family(name), corpus)

    def words(self, name: str) -> str:
        return self._views.words(name)

    def text(self, context: Context, form: str) -> bytes:
        if not form.startswith(PASSAGES):
            return self._views.text(context, form)
        id = form.removeprefix(PASSAGES)
        if id not in self._items:
            raise FathomError(f"The bench '{self._bench.folder}' has no question '{id}'. Build it again.")
        return "".join(self._laid_out(context, self._needed(context, self._items[id]))).encode()

    def database(self, context: Context) -> sqlite3.Connection:
        return self._views.database(context)

    def extracted(self, said: Sequence[str]) -> sqlite3.Connection:
        return self._views.extracted(said)

    @cached_property
    def _items(self) -> dict[QuestionId, Item]:
        """Read when passages are first asked for; no other system comes near a key."""
        return {item.question.id: item for _, items in self._bench.by_context() for item in items}

    def _laid_out(self, context: Context, passages: Sequence[Passage]) -> Iterator[str]:
        """The passages as they are shown, masks and all, under the headings that their documents have in the
        context."""
        text = self._views.text(context, "articles").decode()
        numbers = {document: number for number, document in enumerate(context.documents, start=1)}
        placed = sorted(passages, key=lambda one: (numbers[one.document], one.span.start))
        for document, group in groupby(placed, key=lambda one: one.document):
            located = (context.places[numbers[document] - 1].locate(one.span) for one in group)
            yield boundary(numbers[document], context.layout)
            yield GAP.join(f"{span.of(text)}\n" for span in located if span is not None)
        yield closing(context.layout)
