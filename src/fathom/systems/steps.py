"""The steps of systems that call a model several times on the way to an answer."""

from __future__ import annotations

from fathom.models.prompts import Prompt
from fathom.records.questions import Question, Response
from fathom.systems.protocol import Session, count_tokens

WORDS_PER_TOKEN = 0.7
"""For limits that prompts mention: a model can count words better than tokens."""


class StepOverflowError(Exception):
    """A prompt of a system of several steps does not fit the model's window."""


async def ask_for_text(session: Session, prompt: Prompt, purpose: str) -> str:
    """The text of a step on the way to the answer; empty if the model refuses.

    Raises StepOverflowError if the prompt does not fit the window: an answer without this step would not be based on
    all documents.
    """
    completion = await session.ask(prompt, purpose)
    if completion.stop == "overflow":
        raise StepOverflowError
    return "" if completion.stop == "refused" else completion.text


def overflow_of(question: Question) -> Response:
    """The response to a question with a step that does not fit the model's window."""
    return Response(question_id=question.id, outcome="overflow")


def cut_to(text: str, tokens: int) -> str:
    """The beginning of a text, limited in tokens, up to a space or line break if one is near."""
    if count_tokens(text) <= tokens:
        return text
    low, high = 0, min(len(text), tokens * MAX_TOKEN_LENGTH)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count_tokens(text[:middle]) <= tokens else (low, middle - 1)
    begun = text[:low]
    whole = begun.rsplit(None, 1)[0] if begun and not text[low : low + 1].isspace() else begun
    return whole if len(whole) > low - MAX_TOKEN_LENGTH and count_tokens(whole) <= tokens else begun


MAX_TOKEN_LENGTH = 128
"""Characters of the longest token of o200k, a run of spaces."""
