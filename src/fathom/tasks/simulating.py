"""Behavior of simulated models that all families share: parsing of dials, timeouts, refusals."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from fathom.models.simulated import Simulated
from fathom.records.contexts import Context
from fathom.records.questions import Response, Usage
from fathom.tasks.catalog import family
from fathom.tasks.family import Item

REFUSAL = "I am sorry, but I cannot help with this."


def simulated_model(name: str, families: Iterable[str], system: str = "full") -> tuple[Simulated, Simulated]:
    """The simulated model as named, its dials validated against the families; and as it answers behind the system."""
    operations = {fault.name: fault.operation for one in families for fault in family(one).dials}
    named = Simulated.parse(name).resolved(operations)
    return named, named.behind(system, operations)


def simulated_response(
    context: Context, item: Item, simulated: Simulated, rng: Random, attempt: int, sample: int, text: Callable[[], str]
) -> Response:
    """The response to one question; `text` gives the answer unless a timeout or refusal comes first."""
    if simulated.happens("timeout", rng):
        error = f"provider: no response within the time limit (simulated, attempt {attempt + 1})"
        return Response(question_id=item.question.id, sample=sample, outcome="error", error=error)
    refused = simulated.happens("refuse", rng)
    response_text = REFUSAL if refused else text()
    return Response(
        question_id=item.question.id,
        sample=sample,
        outcome="refused" if refused else "answered",
        text=response_text,
        usage=Usage(input_tokens=context.tokens, output_tokens=len(response_text.split())),
    )
