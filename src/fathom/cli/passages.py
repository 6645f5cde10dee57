"""Only the needed passages of a context, question by question: a control that finds for the model what it must find.

Which passages those are is told from a bench's keys, and nothing else of a key comes through here: no answer, no row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby

from fathom.contexts.layout import boundary, closing
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import Passage
from fathom.records.errors import FathomError
from fathom.records.questions import QuestionId
from fathom.systems.direct import PASSAGES
from fathom.systems.protocol import DOCUMENTS, Views
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.family import Item

GAP = "[...]\n"
"""Stands between two passages of a document."""


def add_passages(views: Views, bench: Bench, corpus: Corpus) -> Views:
    """The views with the form "passages": for each question the passages that it needs."""
    needed = family(views.family).passages(corpus)

    @cache
    def items() -> dict[QuestionId, Item]:
        """Read on first use: no other form needs the keys."""
        return {item.question.id: item for _, items in bench.by_context() for item in items}

    def passages(context: Context, question: QuestionId) -> bytes:
        if question not in items():
            raise FathomError(f"The bench '{bench.folder}' has no question '{question}'. Build it again.")
        text = views.forms[DOCUMENTS](context).decode()
        return "".join(_lay_out(text, context, needed(context, items()[question]))).encode()

    return replace(views, question_forms={**views.question_forms, PASSAGES: passages})


def _lay_out(text: str, context: Context, passages: Sequence[Passage]) -> Iterator[str]:
    """The passages as the context shows them, masks included, under the boundary lines of their documents."""
    numbers = {document: number for number, document in enumerate(context.documents, start=1)}
    placed = sorted(passages, key=lambda one: (numbers[one.document], one.span.start))
    for document, group in groupby(placed, key=lambda one: one.document):
        located = (context.places[numbers[document] - 1].locate(one.span) for one in group)
        yield boundary(numbers[document], context.layout)
        yield GAP.join(f"{span.of(text)}\n" for span in located if span is not None)
    yield closing(context.layout)
