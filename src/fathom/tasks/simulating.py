"""Behavior of simulated models that all families share: parsing of parameters, timeouts, refusals."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from random import Random
from typing import NamedTuple, TypeVar

from fathom.corpus.store import Corpus
from fathom.models.simulated import FaultOperation, SimulatedModel
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId
from fathom.records.errors import FathomError
from fathom.records.questions import Question, Response, Usage
from fathom.records.spans import Span, join_spans
from fathom.scoring.keys import Key
from fathom.systems.catalog import SPARED
from fathom.tasks.catalog import family
from fathom.tasks.family import Item, Simulator

K = TypeVar("K", bound=Hashable)
_WORD = re.compile(r"[\u2e80-\uffff]|[^\s\u2e80-\uffff]+")
"""A word, or a Chinese character: the tokens of simulated models."""
REFUSAL = "I am sorry, but I cannot help with this."


class Behavior(NamedTuple):
    """A simulated model in its roles."""

    named: SimulatedModel
    """The model as named, with validated parameters."""
    reader: SimulatedModel
    """As it answers from documents through the system."""
    from_notes: SimulatedModel
    """As it answers from notes: nothing is left to be found."""


def simulated_model(name: str, families: Iterable[str], system: str = "full") -> Behavior:
    """The simulated model of that name, its parameters validated against the families."""
    operations = {fault.name: fault.operation for name in families for fault in family(name).simulated_faults}
    model = SimulatedModel.parse(name).resolved(operations)
    if model.kind == "extractor":
        raise FathomError(f"'{name}' answers no questions. Use it with `fathom pack extract`.")
    reader = model.without(SPARED.get(system, ()), operations)
    operations_of_finding: tuple[FaultOperation, ...] = ("finding",)
    return Behavior(model, reader, reader.without(operations_of_finding, operations))


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


MakeText = Callable[[], str]


def simulated_call(
    question: Question, simulated: SimulatedModel, rng: Random, text: MakeText, attempt: int = 0, sample: int = 0
) -> Response:
    """The simulated model's response to one prompt: a timeout, a refusal, or the text."""
    if simulated.happens("timeout", rng):
        error = f"provider: no response within the time limit (simulated, attempt {attempt + 1})"
        return Response(question_id=question.id, sample=sample, outcome="error", error=error, usage=Usage(price=0.0))
    refused = simulated.happens("refuse", rng)
    text_of_response = REFUSAL if refused else text()
    return Response(
        question_id=question.id,
        sample=sample,
        outcome="refused" if refused else "answered",
        text=text_of_response,
        usage=Usage(output_tokens=len(_WORD.findall(text_of_response)), price=0.0),
    )


def simulated_response(
    simulator: Simulator,
    context: Context,
    item: Item,
    simulated: SimulatedModel,
    rng: Random,
    attempt: int = 0,
    sample: int = 0,
    shown: Sequence[Span] | None = None,
) -> Response:
    """The simulated model's response to one question, of the family's simulator.

    `shown` has the parts of the context that the model was shown; None for all of it.
    """
    unseen = unseen_documents(context, item, shown)
    return simulated_call(
        item.question, simulated, rng, lambda: simulator.text(context, item, simulated, rng, unseen), attempt, sample
    )


Located = Sequence[tuple[DocumentId, Span]]
"""Passages as a context shows them, each with its document."""


def noted_spans(needed: Located, simulated: SimulatedModel, rng: Random, shown: Sequence[Span]) -> list[Span]:
    """The parts of needed passages that a simulated reader of some parts of a context notes.

    With the probability of its parameter `miss` it misses a document.
    """
    by_document: dict[DocumentId, set[Span]] = {}
    for document, located in needed:
        for part in shown:
            start, end = max(located.start, part.start), min(located.end, part.end)
            if start < end:
                by_document.setdefault(document, set()).add(Span(start, end))
    return sorted(span for spans in by_document.values() if not simulated.happens("miss", rng) for span in spans)


def unseen_documents(context: Context, item: Item, shown: Sequence[Span] | None) -> frozenset[DocumentId]:
    """The documents with a passage of the proof that is not shown completely; none if everything is shown."""
    if shown is None:
        return frozenset()
    joined = join_spans(shown)
    return frozenset(
        document
        for document, located in located_proof(context, item)
        if not any(span.contains(located) for span in joined)
    )


def located_proof(context: Context, item: Item) -> Located:
    """The passages that prove the key, as the context shows them; without those that it does not show."""
    placements = {placement.document: placement for placement in context.places}
    passages = [passage for passage in item.key.proof.passages if passage.document in placements]
    located = ((passage.document, placements[passage.document].locate(passage.span)) for passage in passages)
    return [(document, span) for document, span in located if span is not None]
