"""Simulated models, which know the keys: the one place where a run reads the keys of its bench."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random

from fathom.corpus.store import Corpus
from fathom.records.contexts import Context, ContextId
from fathom.records.questions import Question, QuestionId, Response
from fathom.records.rng import rng_for
from fathom.records.spans import Span
from fathom.runs.plan import Job
from fathom.runs.simulated_session import ShownParts, SimulatedResponder
from fathom.scoring.keys import Key
from fathom.tasks.bench import Bench
from fathom.tasks.checking import stored_keys
from fathom.tasks.family import Item, Simulator
from fathom.tasks.simulating import (
    Behavior,
    Located,
    located_proof,
    noted_spans,
    open_simulator,
    simulated_call,
    simulated_model,
    simulated_response,
)

CACHED = 256
"""Questions whose needed passages are cached."""


@contextmanager
def open_simulated_model(
    folder: Path, corpus_folder: Path | None, model: str, system: str, seed: int
) -> Iterator[SimulatedResponder]:
    """The simulated model of that name over a bench; the same seed gives the same responses."""
    bench = Bench(folder)
    behavior = simulated_model(model, bench.manifest.families, system)
    with bench.open_corpus(corpus_folder) as corpus:
        yield _Model(bench, corpus, behavior, seed)


class _Model:
    """A simulated model over one bench."""

    def __init__(self, bench: Bench, corpus: Corpus, behavior: Behavior, seed: int) -> None:
        self._behavior = behavior
        self._seed = seed
        self._needed: dict[QuestionId, Located] = {}
        self._keys = stored_keys(bench)

        @cache
        def simulator(family: str) -> Simulator:
            return open_simulator(family, corpus, lambda: keys_of(family))

        def keys_of(family: str) -> Iterator[Key]:
            items = (item for _, some in bench.by_context() for item in some)
            return (item.key for item in items if item.question.family == family)

        @cache
        def by_context() -> dict[tuple[ContextId, str], list[Question]]:
            groups: dict[tuple[ContextId, str], list[Question]] = {}
            for question in bench.all_questions():
                groups.setdefault((question.context_id, question.family), []).append(question)
            return groups

        self._simulator = simulator
        self._by_context = by_context

    def _item(self, question: Question) -> Item:
        return Item(question, self._keys[question.id])

    def answer(self, job: Job, attempt: int, shown: ShownParts | None) -> Response:
        """The answer to the question, from what is shown."""
        rng = rng_for(self._seed, self._behavior.named.name, job.question.id, job.sample, attempt)
        # The finding is done when the notes are taken.
        reads = shown is None or shown.documents or not shown.notes
        return simulated_response(
            self._simulator(job.question.family),
            job.context,
            self._item(job.question),
            self._behavior.reader if reads else self._behavior.from_notes,
            rng,
            attempt,
            job.sample,
            None if shown is None else [*shown.documents, *shown.notes],
        )

    def take_notes(self, job: Job, attempt: int, shown: ShownParts, write: Callable[[Sequence[Span]], str]) -> Response:
        """The earlier notes and new ones, on what the question needs.

        Without the question they are on what any question over the context needs.
        """
        family = job.question.family
        asked = [job.question] if shown.states_question else self._by_context()[job.context.id, family]
        needed = [passage for question in asked for passage in self._located(job.context, question)]
        about = job.question.id if shown.states_question else f"{job.context.id} {family}"
        rng = rng_for(self._seed, self._behavior.named.name, about, job.sample, attempt, str(shown.documents))
        return simulated_call(
            job.question, self._behavior.named, rng, lambda: write(self._notes(needed, shown, rng)), attempt
        )

    def _notes(self, needed: Located, shown: ShownParts, rng: Random) -> list[Span]:
        new = noted_spans(needed, self._behavior.reader, rng, shown.documents)
        return list(dict.fromkeys([*shown.notes, *new]))

    def _located(self, context: Context, question: Question) -> Located:
        """The passages that a question needs; cached, since a system of many calls uses them often."""
        if question.id not in self._needed:
            if len(self._needed) >= CACHED:
                self._needed.clear()
            self._needed[question.id] = located_proof(context, self._item(question))
        return self._needed[question.id]
