"""What lies before a system when it answers: one context in the forms in which it may be seen, and a model to ask."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal, Protocol

from fathom.models.prompts import Completion, Prompt, Reference
from fathom.records.contexts import Context
from fathom.records.questions import Question, Response, Usage

Prompting = Literal["direct", "cot"]
"""The answer alone, or the steps to it first."""


class Views(Protocol):
    """What a family can show of a context, and the words that go with it; never a key."""

    def words(self, name: str) -> str:
        """The instruction of that name, such as "full, direct"."""
        ...

    def text(self, context: Context, form: str) -> bytes:
        """The context in one form, "documents", "tables" or what a question needs ("passages@q-1"), in UTF-8."""
        ...

    def database(self, context: Context) -> sqlite3.Connection:
        """The context's tables, loaded in memory; the caller closes it."""
        ...

    def extracted(self, said: Sequence[str]) -> sqlite3.Connection:
        """The same tables as a model read them, from what it wrote of each chunk in order."""
        ...


class Sight(Protocol):
    """What can be seen of a context before anything is sent: enough to plan by."""

    @property
    def context(self) -> Context: ...

    @property
    def family(self) -> str: ...

    def words(self, name: str) -> str: ...

    def text(self, form: str) -> str: ...

    def tokens(self, form: str) -> int:
        """How many o200k tokens that form has."""
        ...

    def count(self, text: str) -> int:
        """How many o200k tokens a text has."""
        ...


class Desk(Sight, Protocol):
    """The same, with a model to ask and tables to query."""

    def database(self) -> sqlite3.Connection: ...

    def extracted(self, said: Sequence[str]) -> sqlite3.Connection: ...

    async def ask(self, prompt: Prompt) -> Completion:
        """What the model says; whoever shares the prefix waits until a cache holds it."""
        ...

    async def once(self, name: str, work: Callable[[], Awaitable[str]]) -> str:
        """What `work` gives, done once for the context whatever the number of questions and of restarts."""
        ...


@dataclass(frozen=True)
class Expected:
    """One request that a system will make, as far as it can be told beforehand."""

    prefix: str
    """Equal for requests whose beginnings a cache can share."""
    prefix_tokens: int
    own_tokens: int
    once: bool = False
    """Made once for a context, by whichever question comes first."""


class System(Protocol):
    """A way of answering; its fields are its settings, as `run.json` records them."""

    @property
    def name(self) -> str: ...

    async def answer(self, question: Question, desk: Desk) -> Response: ...

    def expects(self, question: Question, sight: Sight) -> list[Expected]: ...


OUTCOMES: dict[str, Literal["answered", "truncated", "refused", "overflow"]] = {
    "stop": "answered",
    "length": "truncated",
    "refused": "refused",
    "overflow": "overflow",
}


def response_to(
    question: Question, last: Completion, text: str | None = None, calls: Iterable[Completion] = ()
) -> Response:
    """The response that the last completion makes, with what all the calls cost."""
    return Response(
        question_id=question.id,
        outcome=OUTCOMES[last.stop],
        text=last.text if text is None else text,
        thinking=last.thinking,
        usage=total([*(call.usage for call in calls), last.usage]),
    )


def total(usages: Sequence[Usage]) -> Usage:
    """What several calls cost together."""
    return reduce(Usage.plus, usages)


def shown(sight: Sight, form: str, start: int = 0, end: int | None = None) -> Reference:
    """A reference to a stretch of the context in that form."""
    return Reference(sight.family, sight.context.id, form, start, end)


def expected(sight: Sight, prompt: Prompt, once: bool = False) -> Expected:
    """What sending the prompt will take."""
    seen = 0
    if prompt.shown is not None:
        whole = prompt.shown.start == 0 and prompt.shown.end is None
        form = prompt.shown.form
        seen = sight.tokens(form) if whole else sight.count(sight.text(form)[prompt.shown.start : prompt.shown.end])
    return Expected(prompt.prefix, sight.count(prompt.instruction) + seen, sight.count(prompt.question), once)
