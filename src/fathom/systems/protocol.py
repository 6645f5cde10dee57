"""The interface of a system: the view of a context that it may read, the session in which it asks a model."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, reduce
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from fathom.models.prompts import Completion, Prompt, TextReference, ToolCall
from fathom.models.tokenizers import tokenizer
from fathom.records.contexts import Context
from fathom.records.documents import DocumentId
from fathom.records.errors import FathomError
from fathom.records.layouts import shown_label
from fathom.records.questions import Question, QuestionId, Response, Step, Usage
from fathom.records.spans import Span

Prompting = Literal["direct", "cot"]
"""The answer alone, or the reasoning first."""

DOCUMENTS = "documents"
"""The text form that shows the whole context."""

SCHEMA = "{schema}"
"""In an instruction, where the description of the context's tables belongs."""

COUNTED_IN = "o200k"
"""The tokenizer of all estimates; `ModelInfo.token_ratio` converts to a model's tokens."""


NOT_RECORDED = "not recorded"
"""The metadata of a field of a system that does not affect its answers: a run can be resumed with another value."""


# What a family shows of its contexts.

TextForm = Callable[[Context], bytes]
"""Renders a context in one form, in UTF-8."""


@dataclass(frozen=True)
class TableAccess:
    """The tables of a family's contexts."""

    database: Callable[[Context], sqlite3.Connection]
    """The tables of a context, loaded in memory. The caller closes the connection."""
    parse: Callable[[Context, Sequence[str]], sqlite3.Connection]
    """The same tables from a model's extractions, one text per chunk. The caller closes the connection."""
    schema: Callable[[Context], str] = lambda context: ""
    """A description of a context's tables, for families in which contexts have different ones."""


@dataclass(frozen=True)
class Views:
    """The parts of its contexts that a family shows to a system; never a key."""

    family: str
    instructions: Mapping[str, str]
    """Instructions by system and prompting, such as "full, direct"; "full, direct, zh" for contexts in Chinese."""
    forms: Mapping[str, TextForm]
    """Text forms of a context, such as "documents" and "tables"."""
    part: Callable[[Context, int, int], str] | None = None
    """Characters `start` to `end` of the documents, without rendering all of them."""
    question_forms: Mapping[str, Callable[[Context, QuestionId], bytes]] = field(default_factory=dict)
    """Text forms that depend on the question, such as "passages"; a reference names them "passages@QUESTION"."""
    tables: TableAccess | None = None
    language: Callable[[Context], str] = lambda context: "en"
    """The language of instructions for a context, where the family has some in that language."""


def render_form(views: Views, context: Context, form: str, start: int = 0, end: int | None = None) -> str:
    """Characters `start` to `end` of the context in the named form."""
    if form == DOCUMENTS and views.part is not None and end is not None:
        return views.part(context, start, end)
    text = _render_whole(views, context, form).decode()
    return text if start == 0 and end is None else text[start:end]


def _render_whole(views: Views, context: Context, form: str) -> bytes:
    name, _, question = form.partition("@")
    if question and name in views.question_forms:
        return views.question_forms[name](context, question)
    if name not in views.forms or question:
        names = ", ".join((*views.forms, *views.question_forms))
        raise FathomError(
            f"The family '{views.family}' has no text form '{name}' (it has {names}). Choose another system."
        )
    return views.forms[name](context)


class ShownDocument(NamedTuple):
    """A document of a context."""

    number: int
    """Counted from one."""
    id: DocumentId
    label: str
    """How the prompt names it, such as "Article 3"."""
    span: Span
    """Its characters in the text of the documents, without its boundary line."""


ASKED_WITH = {
    "full": ("full", "rag", "agent", "memory", "map-reduce", "full-control"),
    "extract": ("extract-sql",),
}
"""The systems that use a family's instructions, where they are not of the same name."""


@dataclass(frozen=True)
class ContextView:
    """One context as its family shows it: all that a system may read."""

    context: Context
    views: Views

    @property
    def family(self) -> str:
        return self.views.family

    def instruction(self, name: str) -> str:
        """The family's instruction of that name, such as "full, direct", in the language of the context."""
        if name not in self.views.instructions:
            prefixes = dict.fromkeys(known.partition(",")[0] for known in self.views.instructions)
            systems = ", ".join(system for prefix in prefixes for system in ASKED_WITH.get(prefix, (prefix,)))
            raise FathomError(
                f"The family '{self.family}' has no instruction '{name}'. Choose a system that it supports: {systems}."
            )
        own = f"{name}, {self.views.language(self.context)}"
        text = self.views.instructions.get(own, self.views.instructions[name])
        return text.replace(SCHEMA, self.tables.schema(self.context)) if SCHEMA in text else text

    @property
    def tables(self) -> TableAccess:
        """The family's tables; an error for a family without tables."""
        if self.views.tables is None:
            raise FathomError(
                f"The family '{self.family}' has no tables. Choose a system that reads text, such as 'full'."
            )
        return self.views.tables

    def text(self, form: str = DOCUMENTS, start: int = 0, end: int | None = None) -> str:
        """Characters `start` to `end` of the context in that form."""
        return render_form(self.views, self.context, form, start, end)

    @property
    def length(self) -> int:
        """The characters of the text of the documents up to the end of the last document."""
        return self.context.places[-1].span.end

    @cached_property
    def documents(self) -> list[ShownDocument]:
        """The documents of the context, in order, as the prompt shows them."""
        return [
            ShownDocument(number, place.document, shown_label(number, self.context.layout), place.span)
            for number, place in enumerate(self.context.places, start=1)
        ]

    def tokens(self, form: str) -> int:
        """The o200k tokens of that form: from the record for whole documents, counted otherwise."""
        if form == DOCUMENTS and self.context.tokenizer == COUNTED_IN:
            return self.context.tokens
        return self.count(self.text(form))

    def count(self, text: str) -> int:
        """The o200k tokens of a text."""
        return count_tokens(text)

    def reference(self, form: str, start: int = 0, end: int | None = None) -> TextReference:
        """A reference to the characters from `start` to `end` of the context in that form."""
        return TextReference(self.family, self.context.id, form, start, end)

    def estimate(self, *prompts: Prompt) -> CallEstimate:
        """The calls for these prompts."""
        return estimate_prompts(prompts, self._reference_tokens)

    def _reference_tokens(self, reference: TextReference) -> int:
        if reference.start == 0 and reference.end is None:
            return self.tokens(reference.form)
        # Every question over a context shows the same parts of it. The context's id identifies its text.
        part = str(reference)
        if part not in _part_tokens:
            if len(_part_tokens) >= CACHED_PARTS:
                _part_tokens.clear()
            _part_tokens[part] = self.count(self.text(reference.form, reference.start, reference.end))
        return _part_tokens[part]


CACHED_PARTS = 100_000
_part_tokens: dict[str, int] = {}
"""The tokens of parts of contexts."""


def count_tokens(text: str) -> int:
    """The o200k tokens of a text."""
    # Short texts recur: instructions with every question, and questions with every sample.
    return _count_cached(text) if len(text) < 5_000 else tokenizer(COUNTED_IN).count(text)


@lru_cache(maxsize=1_000)
def _count_cached(text: str) -> int:
    return tokenizer(COUNTED_IN).count(text)


# What a system is given, and what it offers.


@dataclass(frozen=True)
class CallEstimate:
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
    price: float | None = None
    """The maximum price of all calls in dollars, if the system limits it, or needs no model and knows the price."""
    per_context: CallEstimate | None = None
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

    def highest_usage(self, estimate: CallEstimate) -> Usage:
        """The maximum usage of these calls, in the model's own tokens, with their price if it is known."""
        ...

    def record(self, step: Step) -> None:
        """Add a tool call or a retrieval to the trace of the response."""
        ...

    async def once(self, name: str, work: Callable[[], Awaitable[str]]) -> str:
        """The result of `work`, done once per context for all questions and resumed runs."""
        ...

    def artifact(self, name: str, make: Callable[[Path], None], scope: ArtifactScope = "context") -> Path:
        """The file or folder that `make` writes, such as an index, made once for all questions and resumed runs.

        `make` gets a path that does not exist, and writes a file or a folder there.
        """
        ...


ArtifactScope = Literal["context", "bench"]
"""Whether an artifact belongs to one context or to the bench."""


class System(Protocol):
    """A method of answering questions. Its dataclass fields are its settings, as `run.json` records them."""

    @property
    def name(self) -> str: ...

    async def answer(self, question: Question, session: Session) -> Response: ...

    def estimate(self, question: Question, view: ContextView) -> CallEstimate: ...


@runtime_checkable
class ServiceSession(Session, Protocol):
    """The session of a system that calls a service of its own in place of the model."""

    @property
    def sample(self) -> int:
        """The number of the response among several to the same question, counted from zero."""
        ...

    async def call(
        self, send: Callable[[], Awaitable[Completion]], name: str, input: str = "", highest_price: float | None = None
    ) -> Completion:
        """The result of `send`, a call to a service of the system's own. Its usage and budget count as a model's do.

        It is a step of the trace with that name and input. `send` raises CallError if there is no result.
        """
        ...


class CallError(Exception):
    """A call to a service of the system's own that gave no result. The question gets the outcome `error`."""

    def __init__(self, message: str, maybe_paid: bool = False, ends_run: bool = False) -> None:
        super().__init__(message)
        self.maybe_paid = maybe_paid
        """Whether it may have cost money although it failed."""
        self.ends_run = ends_run
        """Whether every further call would fail as well."""


@dataclass(frozen=True)
class RequestLimits:
    """Retries and timeouts of a system's requests to its own service."""

    retries: int = 4
    timeout: float = 600
    """Seconds for one attempt."""
    backoff: float = 2.0
    """Seconds before the second attempt; doubled for each further one."""


def needs_model(system: System) -> bool:
    """Whether the system asks a model; the class of one that does not says so with `needs_model = False`."""
    return bool(getattr(system, "needs_model", True))


@asynccontextmanager
async def opened(system: System, limits: RequestLimits, model: str | None) -> AsyncIterator[System]:
    """The system while a run uses it. One that holds connections has an async context manager `open`."""
    open_system = getattr(system, "open", None)
    if open_system is None:
        yield system
        return
    async with open_system(limits, model) as active:
        yield active


OUTCOME_OF_STOP: dict[str, Literal["answered", "truncated", "refused", "overflow"]] = {
    "stop": "answered",
    "length": "truncated",
    "refused": "refused",
    "overflow": "overflow",
}


def response_to(question: Question, completion: Completion, text: str | None = None) -> Response:
    """The response that a completion gives, or that `text` gives in its place. The session adds usage and trace."""
    return Response(
        question_id=question.id,
        outcome=OUTCOME_OF_STOP[completion.stop],
        text=completion.text if text is None else text,
        thinking=completion.thinking,
    )


def total(usages: Sequence[Usage]) -> Usage:
    """The sum of several calls' usage."""
    return reduce(Usage.plus, usages)


def estimate_prompts(prompts: Sequence[Prompt], reference_tokens: Callable[[TextReference], int]) -> CallEstimate:
    """The calls for these prompts."""
    sizes = [
        (_tokens(prompt.shared_parts, reference_tokens), _own_tokens(prompt, reference_tokens)) for prompt in prompts
    ]
    prefix = prompts[0].prefix
    return CallEstimate(
        calls=len(prompts),
        input_tokens=sum(map(sum, sizes)),
        largest_call=max(map(sum, sizes)),
        prefix=prefix,
        prefix_tokens=sizes[0][0],
        prefix_calls=sum(prompt.prefix == prefix for prompt in prompts),
    )


TOOLS_TOKENS, TOOL_TOKENS, MESSAGE_TOKENS = 400, 16, 8
"""Tokens that providers add: an instruction on the use of tools (Anthropic's has about 350), the names and ids of each
tool and each call, and the frame of each message."""


def _own_tokens(prompt: Prompt, reference_tokens: Callable[[TextReference], int]) -> int:
    extra = TOOLS_TOKENS if prompt.tools else 0
    extra += sum(
        count_tokens(json.dumps(dict(tool.parameters)) + tool.description) + TOOL_TOKENS for tool in prompt.tools
    )
    extra += MESSAGE_TOKENS * (len(prompt.messages) - 1)
    extra += sum(call_tokens(call) for message in prompt.messages for call in message.tool_calls)
    return extra + _tokens(prompt.own_parts, reference_tokens)


def call_tokens(call: ToolCall) -> int:
    """The o200k tokens of a tool call in a conversation."""
    return count_tokens(json.dumps(call.arguments, default=str)) + count_tokens(call.name) + TOOL_TOKENS


def _tokens(parts: Sequence[str | TextReference], reference_tokens: Callable[[TextReference], int]) -> int:
    return sum(count_tokens(part) if isinstance(part, str) else reference_tokens(part) for part in parts)
