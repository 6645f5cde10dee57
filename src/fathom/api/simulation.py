"""Responses of simulated models, which know the keys: the one place where a run reads the keys of its bench."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from fathom.records.questions import Response
from fathom.records.rng import rng_for
from fathom.runs.plan import Job
from fathom.runs.run import SimulatedAnswer
from fathom.scoring.keys import Key
from fathom.tasks.bench import Bench
from fathom.tasks.family import Item, Simulator
from fathom.tasks.simulating import open_simulator, simulated_model, simulated_response


@contextmanager
def simulated_answers(
    folder: Path, corpus_folder: Path | None, model: str, system: str, seed: int
) -> Iterator[SimulatedAnswer]:
    """A function that answers as the simulated model would; the same seed gives the same responses."""
    bench = Bench(folder)
    named, simulated = simulated_model(model, bench.manifest.families, system)
    keys = {key.question_id: key for key in bench.all_keys()}
    with bench.open_corpus(corpus_folder) as corpus:

        @cache
        def simulator(name: str) -> Simulator:
            return open_simulator(name, corpus, lambda: keys_of(name))

        def keys_of(name: str) -> Iterator[Key]:
            return (keys[question.id] for question in bench.all_questions() if question.family == name)

        def answer(job: Job, attempt: int) -> Response:
            rng = rng_for(seed, named.name, job.question.id, job.sample, attempt)
            item = Item(job.question, keys[job.question.id])
            response = simulated_response(
                simulator(job.question.family), job.context, item, simulated, rng, attempt, job.sample
            )
            return response.model_copy(update={"usage": response.usage.model_copy(update={"price": 0.0})})

        yield answer
