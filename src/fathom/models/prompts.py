"""Prompts and completions. A prompt refers to contexts by name; their text is inserted just before it is sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Literal, TypeVar

from pydantic import JsonValue

from fathom.records.contexts import ContextId
from fathom.records.questions import Usage

T = TypeVar("T")

_MARK = re.compile(
    r"⟦fathom (?P<family>[a-z_]+) (?P<form>[a-z_]+(?:@[\w-]+)?) (?P<context>[\w-]+) (?P<start>\d+):(?P<end>\d*)⟧"
)


@dataclass(frozen=True)
class TextReference:
    """A reference to a range of a context's text, which is inserted just before the prompt is sent."""

    family: str
    """The family whose views render it."""
    context: ContextId
    form: str
    """The text form: "documents", "tables", "passages@QUESTION"."""
    start: int = 0
    end: int | None = None
    """Characters of the rendered text; None for all up to its end."""

    def __str__(self) -> str:
        end = "" if self.end is None else self.end
        return f"⟦fathom {self.family} {self.form} {self.context} {self.start}:{end}⟧"


def parse_reference(text: str) -> TextReference | None:
    """The reference that the text consists of; None for any other text."""
    match = _MARK.fullmatch(text)
    if match is None:
        return None
    end = int(match["end"]) if match["end"] else None
    return TextReference(match["family"], match["context"], match["form"], int(match["start"]), end)


def names_a_context(prefix: str) -> bool:
    """Whether the prefix of a prompt contains a reference to a context."""
    return "⟦fathom " in prefix


@dataclass(frozen=True)
class ToolDefinition:
    """A tool that the model may call."""

    name: str
    description: str
    parameters: Mapping[str, JsonValue]
    """The JSON schema of each parameter, by name. All of them are required."""


@dataclass(frozen=True)
class ToolCall:
    """A model's request to call a tool."""

    id: str
    name: str
    arguments: Mapping[str, Any]
    error: str | None = None
    """Why the arguments could not be parsed."""


@dataclass(frozen=True)
class Message:
    """One message of a prompt."""

    role: Literal["system", "user", "assistant", "tool"]
    parts: tuple[str | TextReference, ...]
    tool_calls: tuple[ToolCall, ...] = ()
    """For an assistant's message: the tools that it calls."""
    answers: ToolCall | None = None
    """For a tool's message: the call whose result it is."""
    native: Any = field(default=None, repr=False, compare=False)
    """The engine's own message, sent back unchanged: some providers want a model's reasoning back with its calls."""

    @classmethod
    def user(cls, *parts: str | TextReference) -> Message:
        return cls("user", parts)

    @classmethod
    def tool(cls, call: ToolCall, result: str) -> Message:
        """The result of a tool call."""
        return cls("tool", (result,), answers=call)


@dataclass(frozen=True)
class Prompt:
    """One request: messages, and the tools that the model may call."""

    messages: tuple[Message, ...]
    tools: tuple[ToolDefinition, ...] = ()
    shared: int | None = None
    """How many parts of a user message, the first that has several, are shared by the questions over a context, so that
    providers are asked to cache them; by default all but the last."""
    may_call: bool = True
    """Whether the tools may still be called. Some providers want them listed as long as the conversation has calls."""

    @classmethod
    def of(
        cls, instruction: str, shown: TextReference | None, question: str, tools: tuple[ToolDefinition, ...] = ()
    ) -> Prompt:
        """One user message: the instruction, the shown context, and the question."""
        parts = (instruction, question) if shown is None else (instruction, shown, question)
        return cls((Message.user(*parts),), tools)

    def extend(self, *messages: Message) -> Prompt:
        """The prompt with further messages."""
        return replace(self, messages=(*self.messages, *messages))

    @property
    def shared_parts(self) -> tuple[str | TextReference, ...]:
        """The parts that questions share, from the beginning."""
        return self._split()[0]

    @property
    def own_parts(self) -> tuple[str | TextReference, ...]:
        """The other parts, such as the question, and all later messages."""
        return self._split()[1]

    @property
    def sharing(self) -> int:
        """The number of the message whose parts are shared: an example before it has one part."""
        asked = [n for n, message in enumerate(self.messages) if message.role == "user"]
        return next((n for n in asked if len(self.messages[n].parts) > 1), asked[0] if asked else 0)

    def _split(self) -> tuple[tuple[str | TextReference, ...], tuple[str | TextReference, ...]]:
        first = self.sharing
        before = [part for message in self.messages[:first] for part in message.parts]
        after = [part for message in self.messages[first + 1 :] for part in message.parts]
        parts = self.messages[first].parts
        shared = max(0, len(parts) - 1) if self.shared is None else self.shared
        return (*before, *parts[:shared]), (*parts[shared:], *after)

    @property
    def prefix(self) -> str:
        """The part that a provider can cache for the next question, as a string with unexpanded references."""
        return "\n".join([*(tool.name for tool in self.tools), *map(str, self.shared_parts)])

    @property
    def last_part(self) -> str:
        """The end of the prompt: the question, or the last tool result."""
        return str(self.messages[-1].parts[-1]) if self.messages[-1].parts else ""


Stop = Literal["stop", "length", "refused", "overflow"]
"""Why a completion ended: normally, at the output limit, by a refusal, or because the prompt exceeds the window."""


@dataclass(frozen=True)
class Completion:
    """A model's completion of one prompt."""

    text: str
    stop: Stop = "stop"
    thinking: str = ""
    usage: Usage = field(default_factory=Usage)
    tool_calls: tuple[ToolCall, ...] = ()
    native: Any = field(default=None, repr=False, compare=False)

    @property
    def message(self) -> Message:
        """The completion as a message, to continue the conversation after it."""
        return Message("assistant", (self.text,) if self.text else (), self.tool_calls, native=self.native)


class ToolsUnsupportedError(Exception):
    """The model cannot call tools; nothing was paid. A system may then ask it in another way."""


Expand = Callable[[TextReference], str]
"""Gives the text of a reference."""


@dataclass(frozen=True)
class RolePrompt(Generic[T]):
    """A prompt for a model in another role than the one under test: judge, extractor, writer, translator."""

    id: str
    """Unique within its batch."""
    prompt: Prompt
    version: str
    """The version of the prompt's wording, recorded with the result."""
    parse: Callable[[str], T]
    """The value in a completion. Raises ValueError if there is none; the prompt is then sent again on resume."""
