"""A bench as a run reads it: its questions and views. Keys are read only for controls, to select passages."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, partial
from itertools import groupby
from pathlib import Path

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId, Passage
from fathom.records.errors import FathomError
from fathom.records.layouts import boundary, closing
from fathom.records.questions import Question, QuestionId
from fathom.runs.bench_view import BenchView
from fathom.systems.direct import NEEDED, PASSAGES
from fathom.systems.protocol import DOCUMENTS, Views
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family
from fathom.tasks.family import Item

GAP = "[...]\n"
"""The line between two passages of a document."""


@contextmanager
def open_bench_view(folder: Path, corpus_folder: Path | None = None, control: bool = False) -> Iterator[BenchView]:
    """Open the bench in a folder as a run reads it, together with its corpus.

    Only a control is given the text forms that depend on the keys: no other system can show them or read them.
    """
    bench = Bench(folder)
    with bench.open_corpus(corpus_folder) as corpus:

        @cache
        def views(name: str) -> Views:
            shown = family(name).views(corpus, bench.manifest.reports.get(name, {}))
            return _add_controls(shown, bench, corpus) if control else shown

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


def _add_controls(views: Views, bench: Bench, corpus: Corpus) -> Views:
    """The views with the forms of controls: for each question the passages that it needs, or all documents with those
    that it needs first or last.

    The passages come from the bench's keys. Answers and rows of keys are not shown.
    """
    needed = family(views.family).passages(corpus)

    @cache
    def items() -> dict[QuestionId, Item]:
        """Read on first use: no other form needs the keys."""
        return {item.question.id: item for _, items in bench.by_context() for item in items}

    def item(question: QuestionId) -> Item:
        if question not in items():
            raise FathomError(f"The bench '{bench.folder}' has no question '{question}'. Build it again.")
        return items()[question]

    def passages(context: Context, question: QuestionId) -> bytes:
        text = views.forms[DOCUMENTS](context).decode()
        return "".join(_lay_out(text, context, needed(context, item(question)))).encode()

    def reordered(first: bool, context: Context, question: QuestionId) -> bytes:
        proving = {passage.document for passage in item(question).key.proof.passages}
        return _reorder(views.forms[DOCUMENTS](context).decode(), context, proving, first).encode()

    orders = {NEEDED[place]: partial(reordered, place == "first") for place in NEEDED}
    return replace(views, question_forms={**views.question_forms, PASSAGES: passages, **orders})


def _reorder(text: str, context: Context, needed: Collection[DocumentId], first: bool) -> str:
    """The text of a context with some documents before or after all others, under their old boundary lines."""
    ends = [place.span.end for place in context.places]
    pieces = zip(
        context.documents, (text[start:end] for start, end in zip([0, *ends], ends, strict=False)), strict=True
    )
    # Sorting is stable, so the order within both groups stays the same.
    placed = sorted(pieces, key=lambda piece: (piece[0] in needed) != first)
    return "".join(piece for _, piece in placed) + text[ends[-1] :]


def _lay_out(text: str, context: Context, passages: Sequence[Passage]) -> Iterator[str]:
    """The passages as the context shows them, masks included, under the boundary lines of their documents."""
    numbers = {document: number for number, document in enumerate(context.documents, start=1)}
    placed = sorted(passages, key=lambda passage: (numbers[passage.document], passage.span.start))
    for document, group in groupby(placed, key=lambda passage: passage.document):
        located = (context.places[numbers[document] - 1].locate(question.span) for question in group)
        yield boundary(numbers[document], context.layout)
        yield GAP.join(f"{span.of(text)}\n" for span in located if span is not None)
    yield closing(context.layout)
