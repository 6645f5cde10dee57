"""The interface of a system: the view of a context that it may read, the session in which it asks a model."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from fathom.models.prompts import Completion, Prompt, Reference
from fathom.models.tokenizers import tokenizer
from fathom.records.contexts import Context
from fathom.records.errors import FathomError
from fathom.records.questions import Question, QuestionId, Response, Step, Usage

Prompting = Literal["direct", "cot"]
"""The answer alone, or the reasoning first."""

DOCUMENTS = "documents"
"""The text form that shows the whole context."""

COUNTED_IN = "o200k"
"""The tokenizer of all estimates; `ModelInfo.token_ratio` converts to a model's tokens."""


# What a family shows of its contexts.

TextForm = Callable[[Context], bytes]
"""Renders a context in one form, in UTF-8."""


class Boundary(NamedTuple):
    """The beginning of a document in the text of a context."""

    start: int
    label: str
    """How a prompt names the document, such as "article 3"."""


@dataclass(frozen=True)
class TableAccess:
    """The tables of a family's contexts."""

    database: Callable[[Context], sqlite3.Connection]
    """The tables of a context, loaded in memory. The caller closes the connection."""
    parse: Callable[[Sequence[str]], sqlite3.Connection]
    """The same tables from a model's extractions, one text per chunk. The caller closes the connection."""
    boundaries: Callable[[str], Sequence[Boundary]]
    """Where documents begin in the text of a context; extraction cuts its chunks there."""


@dataclass(frozen=True)
class Views:
    """The parts of its contexts that a family shows to a system; never a key."""

    family: str
    instructions: Mapping[str, str]
    """Instructions by system and prompting, such as "full, direct"."""
    forms: Mapping[str, TextForm]
    """Text forms of a context, such as "documents" and "tables"."""
    question_forms: Mapping[str, Callable[[Context, QuestionId], bytes]] = field(default_factory=dict)
    """Text forms that depend on the question, such as "passages"; a reference names them "passages@QUESTION"."""
    tables: TableAccess | None = None


def render_form(views: Views, context: Context, form: str) -> bytes:
    """The context in the named form, in UTF-8."""
    name, _, question = form.partition("@")
    if question and name in views.question_forms:
        return views.question_forms[name](context, question)
    if name not in views.forms or question:
        names = ", ".join((*views.forms, *views.question_forms))
        raise FathomError(
            f"The family '{views.family}' has no text form '{name}' (it has {names}). Choose another system."
        )
    return views.forms[name](context)


@dataclass(frozen=True)
class ContextView:
    """One context as its family shows it: all that a system may read."""

    context: Context
    views: Views

    @property
    def family(self) -> str:
        return self.views.family

    def instruction(self, name: str) -> str:
        """The family's instruction of that name, such as "full, direct"."""
        if name not in self.views.instructions:
            systems = ", ".join(dict.fromkeys(known.partition(",")[0] for known in self.views.instructions))
            raise FathomError(
                f"The family '{self.family}' has no instruction '{name}'. Choose a system that it supports: {systems}."
            )
        return self.views.instructions[name]

    @property
    def tables(self) -> TableAccess:
        """The family's tables; an error for a family without tables."""
        if self.views.tables is None:
            raise FathomError(
                f"The family '{self.family}' has no tables. Choose a system that reads text, such as 'full'."
            )
        return self.views.tables

    def text(self, form: str) -> str:
        """The context in that form."""
        return render_form(self.views, self.context, form).decode()

    def tokens(self, form: str) -> int:
        """The o200k tokens of that form: from the record for whole documents, counted otherwise."""
        if form == DOCUMENTS and self.context.tokenizer == COUNTED_IN:
            return self.context.tokens
        return self.count(self.text(form))

    def count(self, text: str) -> int:
        """The o200k tokens of a text."""
        return count_tokens(text)

    def reference(self, form: str, start: int = 0, end: int | None = None) -> Reference:
        """A reference to the characters from `start` to `end` of the context in that form."""
        return Reference(self.family, self.context.id, form, start, end)

    def estimate(self, *prompts: Prompt) -> Estimate:
        """The calls for these prompts."""
        return estimate_prompts(prompts, self._reference_tokens)

    def _reference_tokens(self, reference: Reference) -> int:
        if reference.start == 0 and reference.end is None:
            return self.tokens(reference.form)
        return self.count(self.text(reference.form)[reference.start : reference.end])


def count_tokens(text: str) -> int:
    """The o200k tokens of a text."""
    # Short texts recur: instructions with every question, and questions with every sample.
    return _count_cached(text) if len(text) < 5_000 else tokenizer(COUNTED_IN).count(text)


@lru_cache(maxsize=1_000)
def _count_cached(text: str) -> int:
    return tokenizer(COUNTED_IN).count(text)


# What a system is given, and what it offers.


@dataclass(frozen=True)
class Estimate:
    """A bound on the model calls for one question, in o200k tokens."""

    calls: int
    input_tokens: int
    """Input tokens of all calls together."""
    largest_call: int
    """Input tokens of the largest single call. It must fit the model's window, with room for the response."""
    output_tokens: int | None = None
    """Output tokens of all calls together; None if each response may have the maximum length."""
    prefix: str = ""
    """The prefix that calls share with those of other questions; a cache serves it."""
    prefix_tokens: int = 0
    prefix_calls: int = 0
    """How many of the calls begin with the prefix."""
    spare_calls: int = 0
    """Further calls that are usually not needed, such as repairs. They count for the highest price only."""
    spare_tokens: int = 0
    """Input tokens of the spare calls together."""
    per_context: Estimate | None = None
    """Calls that are made once for a context, by the first of its questions."""


class Session(Protocol):
    """One question's access to its context, the model, and the notes and artifacts of earlier questions."""

    @property
    def view(self) -> ContextView: ...

    async def ask(self, prompt: Prompt, purpose: str = "") -> Completion:
        """The model's completion. Requests with a shared prefix wait until the prefix is cached.

        Usage is summed for the response, and every call is a step of its trace.
        """
        ...

    def record(self, step: Step) -> None:
        """Add a tool call or a retrieval to the trace of the response."""
        ...

    async def once(self, name: str, work: Callable[[], Awaitable[str]]) -> str:
        """The result of `work`, done once per context for all questions and resumed runs."""
        ...

    def artifact(self, name: str, make: Callable[[Path], None], scope: Scope = "context") -> Path:
        """The file or folder that `make` writes, such as an index, made once for all questions and resumed runs.

        `make` gets a path that does not exist, and writes a file or a folder there.
        """
        ...


Scope = Literal["context", "bench"]
"""What an artifact belongs to."""


class System(Protocol):
    """A method of answering questions. Its dataclass fields are its settings, as `run.json` records them."""

    @property
    def name(self) -> str: ...

    async def answer(self, question: Question, session: Session) -> Response: ...

    def estimate(self, question: Question, view: ContextView) -> Estimate: ...


OUTCOMES: dict[str, Literal["answered", "truncated", "refused", "overflow"]] = {
    "stop": "answered",
    "length": "truncated",
    "refused": "refused",
    "overflow": "overflow",
}


def response_to(question: Question, completion: Completion, text: str | None = None) -> Response:
    """The response that a completion gives, or that `text` gives in its place. The session adds usage and trace."""
    return Response(
        question_id=question.id,
        outcome=OUTCOMES[completion.stop],
        text=completion.text if text is None else text,
        thinking=completion.thinking,
    )


def total(usages: Sequence[Usage]) -> Usage:
    """The sum of several calls' usage."""
    return reduce(Usage.plus, usages)


def estimate_prompts(prompts: Sequence[Prompt], reference_tokens: Callable[[Reference], int]) -> Estimate:
    """The calls for these prompts."""
    sizes = [(_tokens(one.shared_parts, reference_tokens), _own_tokens(one, reference_tokens)) for one in prompts]
    prefix = prompts[0].prefix
    return Estimate(
        calls=len(prompts),
        input_tokens=sum(map(sum, sizes)),
        largest_call=max(map(sum, sizes)),
        prefix=prefix,
        prefix_tokens=sizes[0][0],
        prefix_calls=sum(one.prefix == prefix for one in prompts),
    )


def _own_tokens(prompt: Prompt, reference_tokens: Callable[[Reference], int]) -> int:
    calls = [call for message in prompt.messages for call in message.tool_calls]
    extra = sum(count_tokens(json.dumps(dict(tool.parameters)) + tool.description) for tool in prompt.tools)
    extra += sum(count_tokens(json.dumps(call.arguments, default=str)) for call in calls)
    return extra + _tokens(prompt.own_parts, reference_tokens)


def _tokens(parts: Sequence[str | Reference], reference_tokens: Callable[[Reference], int]) -> int:
    return sum(count_tokens(part) if isinstance(part, str) else reference_tokens(part) for part in parts)
