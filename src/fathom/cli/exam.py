"""A bench as a run sees it: its questions and what may be shown, with the keys left behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from fathom.cli.passages import add_passages
from fathom.records.contexts import Context
from fathom.records.errors import FathomError
from fathom.records.questions import Question
from fathom.runs.bench_view import BenchView
from fathom.systems.protocol import Views
from fathom.tasks.bench import Bench
from fathom.tasks.catalog import family


@contextmanager
def open_exam(folder: Path, corpus_folder: Path | None = None) -> Iterator[BenchView]:
    """The exam of a bench; its corpus is open meanwhile."""
    bench = Bench(folder)
    with bench.open_corpus(corpus_folder) as corpus:

        @cache
        def views(name: str) -> Views:
            return add_passages(family(name).views(corpus), bench, corpus)

        yield BenchView(str(folder), bench.manifest.fingerprint, lambda: groups(bench), views)


def groups(bench: Bench) -> Iterator[tuple[Context, list[Question]]]:
    """Each context with its questions; no key is read."""
    questions = bench.all_questions()
    held = next(questions, None)
    for context in bench.contexts():
        mine: list[Question] = []
        while held is not None and held.context_id == context.id:
            mine.append(held)
            held = next(questions, None)
        yield context, mine
    if held is not None:
        raise FathomError(
            f"Question '{held.id}' asks of context '{held.context_id}', which the bench '{bench.folder}' lacks. "
            "Restore a copy, or build it again."
        )
