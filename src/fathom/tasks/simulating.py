"""What every simulated answerer does, whatever the family: time out, refuse, or say something."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from fathom.models.simulated import Simulated
from fathom.records.contexts import Context
from fathom.records.questions import Response, Usage
from fathom.tasks.family import Item

REFUSAL = "I am sorry, but I cannot help with this."


def simulated_response(
    context: Context, item: Item, simulated: Simulated, rng: Random, attempt: int, sample: int, text: Callable[[], str]
) -> Response:
    """The response to one question; `text` says what is answered where nothing goes wrong before."""
    if simulated.befalls("timeout", rng):
        error = f"provider: no response within the time limit (simulated, attempt {attempt + 1})"
        return Response(question_id=item.question.id, sample=sample, outcome="error", error=error)
    refused = simulated.befalls("refuse", rng)
    said = REFUSAL if refused else text()
    return Response(
        question_id=item.question.id,
        sample=sample,
        outcome="refused" if refused else "answered",
        text=said,
        usage=Usage(input_tokens=context.tokens, output_tokens=len(said.split())),
    )
