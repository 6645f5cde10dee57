"""Behavior of simulated models that all families share: parsing of dials, timeouts, refusals."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from random import Random
from typing import TypeVar

from fathom.corpus.store import Corpus
from fathom.models.simulated import Simulated
from fathom.records.contexts import Context
from fathom.records.errors import FathomError
from fathom.records.questions import Response, Usage
from fathom.scoring.keys import Key
from fathom.systems.catalog import SPARED
from fathom.tasks.catalog import family
from fathom.tasks.family import Item, Simulator

K = TypeVar("K", bound=Hashable)
REFUSAL = "I am sorry, but I cannot help with this."


def simulated_model(name: str, families: Iterable[str], system: str = "full") -> tuple[Simulated, Simulated]:
    """The simulated model as named, its dials validated against the families; and as it answers behind the system."""
    operations = {fault.name: fault.operation for one in families for fault in family(one).dials}
    named = Simulated.parse(name).resolved(operations)
    return named, named.without(SPARED.get(system, ()), operations)


def open_simulator(name: str, corpus: Corpus, keys: Callable[[], Iterable[Key]]) -> Simulator:
    """The simulator of a family; `keys` gives the family's keys in the bench."""
    simulate = family(name).simulate
    if simulate is None:
        raise FathomError(f"The family '{name}' has no simulated answers. Choose a model that is not simulated.")
    return simulate(corpus, keys)


def most_frequent(answers: Iterable[tuple[K, str]]) -> dict[K, str]:
    """For each kind of question, the response that is correct most often; `answers` has the kind and response of
    each key."""
    counts: dict[K, Counter[str]] = defaultdict(Counter)
    for kind, text in answers:
        counts[kind][text] += 1
    return {kind: counter.most_common(1)[0][0] for kind, counter in counts.items()}


def simulated_response(
    simulator: Simulator,
    context: Context,
    item: Item,
    simulated: Simulated,
    rng: Random,
    attempt: int = 0,
    sample: int = 0,
) -> Response:
    """The simulated model's response to one question: a timeout, a refusal, or the text of the family's simulator."""
    if simulated.happens("timeout", rng):
        error = f"provider: no response within the time limit (simulated, attempt {attempt + 1})"
        return Response(question_id=item.question.id, sample=sample, outcome="error", error=error)
    refused = simulated.happens("refuse", rng)
    response_text = REFUSAL if refused else simulator.text(context, item, simulated, rng)
    return Response(
        question_id=item.question.id,
        sample=sample,
        outcome="refused" if refused else "answered",
        text=response_text,
        usage=Usage(input_tokens=context.tokens, output_tokens=len(response_text.split())),
    )
