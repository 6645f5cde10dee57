"""Inserts the text of references just before a request is sent, and keeps it out of everything that comes back.

The engine records requests and errors. So the text is inserted behind its recording, and what the provider returns is
shortened before the engine sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from inspect_ai.log._samples import _active_model_event
from inspect_ai.model import ChatMessage, ContentReasoning, ContentText, Model, ModelOutput

from fathom.models.prompts import TextReference, parse_reference
from fathom.runs.redaction import secrets, without_secrets
from fathom.runs.request_buffers import RequestBuffers, UnsupportedClientError, escaped

MAX_REFERENCE_LENGTH = 2_000
"""Characters of a string that may be recorded."""

QUOTE = 40
"""An error message with this many consecutive characters of a context is assumed to quote it."""


class HaltedError(Exception):
    """No further request is sent."""


class EchoError(Exception):
    """The provider returned the prompt."""


class TextSource(Protocol):
    """Gives the texts of references."""

    def issued(self, reference: TextReference) -> bool:
        """Whether the current prompt refers to the text; a reference that a model wrote gets no text."""
        ...

    def text(self, reference: TextReference) -> str: ...

    def escaped(self, reference: TextReference) -> bytes:
        """The text as it is escaped in JSON, the same object for requests over one context."""
        ...


def install(model: Model, texts: TextSource, sending: Callable[[], AbstractContextManager[None]]) -> None:
    """Insert contexts into this model's requests.

    Each attempt is sent within a block of `sending`, which raises HaltedError to send nothing more: some requests wait
    for a connection.
    """
    api = model.api
    send = api.generate
    buffers = RequestBuffers(api, texts.escaped)

    async def generate(input: list[ChatMessage], *rest: Any, **named: Any) -> Any:
        request = _Request(texts, buffers.placeholder if buffers.usable else None)
        # The provider records its request in the active event. Without one it cannot record four megabytes.
        event = _active_model_event.set(None)
        try:
            with sending():
                messages = [request.insert(message) for message in input]
                result = await buffers.send(lambda: send(messages, *rest, **named), request.placeholders)
        except UnsupportedClientError:
            buffers.usable = False
            return await generate(input, *rest, **named)
        except Exception as error:
            request.shorten_error(error)
            raise
        finally:
            _active_model_event.reset(event)
        return request.shorten_result(result)

    api.generate = generate  # type: ignore[method-assign]


class _Request:
    """One request, and the texts that were inserted into it: none of them may be recorded."""

    def __init__(self, texts: TextSource, placeholder: Callable[[TextReference], str] | None) -> None:
        """With `placeholder`, the texts are inserted below the client."""
        self._texts = texts
        self._placeholder = placeholder
        self.placeholders: dict[str, TextReference] = {}
        self._references: dict[TextReference, str] = {}
        """The references whose texts were inserted, as they are written."""
        self._recorded: set[str] = set()
        """Texts of the messages that the engine has recorded anyway: instructions, questions and references."""
        self._secrets = secrets()

    def insert(self, message: ChatMessage) -> ChatMessage:
        """The message with the text of its references."""
        if isinstance(message.content, str):
            text = self._text(message.content)
            return message if text is message.content else message.model_copy(update={"content": text})
        return message.model_copy(update={"content": [self._part(part) for part in message.content]})

    def _part(self, part: Any) -> Any:
        if not isinstance(part, ContentText):
            return part
        text = self._text(part.text)
        return part if text is part.text else part.model_copy(update={"text": text})

    def _text(self, text: str) -> str:
        self._recorded.add(text)
        reference = parse_reference(text)
        if reference is None or not self._texts.issued(reference):
            return text
        self._references[reference] = text
        if self._placeholder is None:
            return self._texts.text(reference)
        name = self._placeholder(reference)
        self.placeholders[name] = reference
        return name

    def _inserted(self) -> Iterator[tuple[str, str]]:
        """What the messages have in place of references, and the references."""
        for reference, mark in self._references.items():
            yield self._texts.text(reference) if self._placeholder is None else self._placeholder(reference), mark

    def shorten_result(self, result: Any) -> ModelOutput | tuple[ModelOutput | Exception, Any]:
        """The provider's result without the inserted texts."""
        output, call = result if isinstance(result, tuple) else (result, None)
        if isinstance(output, Exception):
            self.shorten_error(output)
        else:
            self._refuse_echo(output)
            _rewrite(
                output, self._secrets, self._shorten if output.stop_reason == "model_length" else lambda text: text
            )
        if call is not None:
            call.request = self._shorten(call.request)
            call.response = self._shorten(call.response)
        return (output, call) if isinstance(result, tuple) else output

    def _refuse_echo(self, output: ModelOutput) -> None:
        """Raise an EchoError for a refusal that quotes the prompt.

        The engine takes an error that quotes the prompt for a refusal if the prompt contains "blocked".
        """
        if output.stop_reason == "content_filter" and self._shorten(output.completion) != without_secrets(
            output.completion, self._secrets
        ):
            raise EchoError(f"the provider returned the prompt ({len(output.completion):,} characters)")

    def shorten_error(self, error: BaseException) -> None:
        """Shorten an error's message in place. Its type is kept: it decides whether to retry."""
        error.args = tuple(self._shorten(part) if isinstance(part, str) else part for part in error.args)
        for name in ("message", "body", "text"):
            value = error.__dict__.get(name)
            if isinstance(value, str | dict | list):
                error.__dict__[name] = self._shorten(value)
        if error.__cause__ is not None:
            self.shorten_error(error.__cause__)

    def _shorten(self, value: Any) -> Any:
        """The value without API keys and long strings, with references in place of inserted texts."""
        if isinstance(value, str):
            for text, reference in self._inserted():
                # Preparing to search for a context of a million tokens took a sixth of the time of a request.
                value = reference if value == text else value.replace(text, reference)
            value = without_secrets(value, self._secrets)
            if len(value) > MAX_REFERENCE_LENGTH:
                return f"({len(value):,} characters)"
            # Searching a context of a million tokens for an instruction took most of the time of a request.
            return "(repeats the prompt)" if value not in self._recorded and self._repeats(value) else value
        if isinstance(value, dict):
            return {name: self._shorten(part) for name, part in value.items()}
        if isinstance(value, list | tuple):
            return [self._shorten(part) for part in value]
        return value

    def _repeats(self, message: str) -> bool:
        """Whether the message quotes an inserted text."""
        quotes = [message[start : start + QUOTE] for start in range(0, len(message) - QUOTE + 1, QUOTE // 2)]
        if self._placeholder is None:
            return any(quote in text for text, _ in self._inserted() for quote in quotes)
        return any(
            escaped(quote) in self._texts.escaped(reference) for reference in self._references for quote in quotes
        )


def _rewrite(output: ModelOutput, known: Mapping[str, str], rewrite: Callable[[str], str]) -> None:
    """Rewrite the text of a completion without secrets: some servers echo the headers or the prompt."""
    output.completion = _encodable(rewrite(output.completion), known)
    for choice in output.choices:
        message = choice.message
        for call in message.tool_calls or ():
            call.id, call.function = _encodable(call.id, known), _encodable(call.function, known)
            call.arguments = _encodable(call.arguments, known)
            call.parse_error = call.parse_error and _encodable(call.parse_error, known)
        if isinstance(message.content, str):
            message.content = _encodable(rewrite(message.content), known)
            continue
        for part in message.content:
            if isinstance(part, ContentText):
                part.text = _encodable(rewrite(part.text), known)
            elif isinstance(part, ContentReasoning):
                part.reasoning = _encodable(rewrite(part.reasoning), known)


def _encodable(value: Any, known: Mapping[str, str]) -> Any:
    """The value without secrets and without lone surrogates, on which the engine's log fails."""
    if isinstance(value, str):
        return without_secrets(value, known).encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_encodable(name, known): _encodable(part, known) for name, part in value.items()}
    return [_encodable(part, known) for part in value] if isinstance(value, list) else value
