"""The reasoning of a response that is checked and judged, and whether there is any."""

from __future__ import annotations

from typing import Literal

from fathom.records.judgments import Reasoning
from fathom.records.questions import Response

ReasoningState = Literal["shown", "separate", "hidden", "none"]
"""Shown: in the text that counts. Separate: in a thinking text that does not count. Hidden: tokens were generated of
which neither text has a trace. None: the response gives an answer alone."""

MIN_REASONING_LENGTH = 40
"""Minimum number of characters before the last paragraph of a text with reasoning."""
MAX_CHARACTERS_PER_TOKEN, HIDDEN_TOKENS = 1.0, 64
"""Tokens beyond one per character that show that a provider has hidden some: no tokenizer needs so many."""


def select_reasoning(response: Response, reasoning: Reasoning) -> Response:
    """The response with only the reasoning that counts."""
    if reasoning == "thinking" or not response.thinking:
        return response
    return response.model_copy(update={"thinking": ""})


def reasoning_text(response: Response) -> str:
    """The thinking text, if it counts, and the visible response."""
    return f"{response.thinking}\n\n{response.text}" if response.thinking.strip() else response.text


def reasoning_state(response: Response, reasoning: Reasoning) -> ReasoningState:
    """Where the reasoning of a response is."""
    text = reasoning_text(select_reasoning(response, reasoning)).strip()
    head, _, last = text.rpartition("\n")
    if len(head.strip()) >= MIN_REASONING_LENGTH or len(last) >= 4 * MIN_REASONING_LENGTH:
        return "shown"
    if response.thinking.strip():
        return "separate"
    unseen = response.usage.output_tokens - len(response.text) / MAX_CHARACTERS_PER_TOKEN
    return "hidden" if unseen > HIDDEN_TOKENS else "none"
