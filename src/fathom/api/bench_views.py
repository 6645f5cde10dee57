"""A bench as a run reads it: its questions and views. Keys are read only to select passages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from itertools import groupby
from pathlib import Path

from fathom.contexts.layout import boundary, closing
from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import Passage
from fathom.records.errors import FathomError
from fathom.records.questions import Question, QuestionId
from fathom.runs.bench_view import BenchView
from fathom.systems.direct import PASSAGES
from fathom.systems.protocol import DOCUMENTS, Views
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.family import Item

GAP = "[...]\n"
"""The line between two passages of a document."""


@contextmanager
def open_bench_view(folder: Path, corpus_folder: Path | None = None) -> Iterator[BenchView]:
    """Open the bench in a folder as a run reads it, together with its corpus."""
    bench = Bench(folder)
    with bench.open_corpus(corpus_folder) as corpus:

        @cache
        def views(name: str) -> Views:
            return _add_passages(family(name).views(corpus), bench, corpus)

        yield BenchView(str(folder), bench.manifest.fingerprint, lambda: _groups(bench), views)


def _groups(bench: Bench) -> Iterator[tuple[Context, list[Question]]]:
    """Each context with its questions. No key is read."""
    questions = bench.all_questions()
    waiting = next(questions, None)
    for context in bench.contexts():
        group: list[Question] = []
        while waiting is not None and waiting.context_id == context.id:
            group.append(waiting)
            waiting = next(questions, None)
        yield context, group
    if waiting is not None:
        raise FathomError(
            f"Question '{waiting.id}' refers to context '{waiting.context_id}', which is missing from the bench "
            f"'{bench.folder}'. Restore a copy, or build it again."
        )


def _add_passages(views: Views, bench: Bench, corpus: Corpus) -> Views:
    """The views with the form "passages": for each question the passages that it needs.

    The passages come from the bench's keys. Answers and rows of keys are not shown.
    """
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
