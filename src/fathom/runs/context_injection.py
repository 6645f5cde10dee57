"""The provider's door: references become text just before they are sent, and no such text comes back out.

The engine records what it sends and what goes wrong. So the text is put in on the far side of its recording, and
what the provider hands back is shortened before the engine sees it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspect_ai.log._samples import _active_model_event
from inspect_ai.model import ChatMessage, ChatMessageUser, ContentReasoning, ContentText, Model, ModelOutput

from fathom.models.prompts import Expand, reference_in
from fathom.runs.secrets import without_secrets

LONGEST = 2_000
"""Characters of a string that may be recorded."""

STRETCH = 40
"""Characters that an error has in common with a context only if it repeats it."""


class HaltedError(Exception):
    """Nothing more is sent."""


class EchoError(Exception):
    """The provider answers with the prompt."""


def install(model: Model, expand: Expand, is_halted: Callable[[], bool]) -> None:
    """Let this model's requests pass through the door, until it is halted: some wait in line for a connection."""
    api = model.api
    send = api.generate

    async def generate(input: list[ChatMessage], *rest: Any, **named: Any) -> Any:
        if is_halted():
            raise HaltedError
        sent = _Sent(expand)
        # The provider notes its request in the event at hand; without one it has nowhere to note four megabytes.
        event = _active_model_event.set(None)
        try:
            result = await send([sent.message(message) for message in input], *rest, **named)
        except Exception as error:
            sent.shorten_error(error)
            raise
        finally:
            _active_model_event.reset(event)
        return sent.shortened_result(result)

    api.generate = generate  # type: ignore[method-assign]


class _Sent:
    """What one request puts in for its references: none of it may be seen again on this side of the door."""

    def __init__(self, expand: Expand) -> None:
        self._expand = expand
        self._texts: dict[str, str] = {}

    def message(self, message: ChatMessage) -> ChatMessage:
        """The message with its references expanded."""
        if not isinstance(message, ChatMessageUser) or isinstance(message.content, str):
            return message
        return message.model_copy(update={"content": [self._part(part) for part in message.content]})

    def _part(self, part: Any) -> Any:
        reference = reference_in(part.text) if isinstance(part, ContentText) else None
        if reference is None:
            return part
        text = self._expand(reference)
        self._texts[text] = part.text
        return part.model_copy(update={"text": text})

    def shortened_result(self, result: Any) -> ModelOutput | tuple[ModelOutput | Exception, Any]:
        """What the provider gave back, without what was sent to it."""
        output, call = result if isinstance(result, tuple) else (result, None)
        if isinstance(output, Exception):
            self.shorten_error(output)
        else:
            self._refuse_echo(output)
            _rewrite(output, self._shortened if output.stop_reason == "model_length" else without_secrets)
        if call is not None:
            call.request = self._shortened(call.request)
            call.response = self._shortened(call.response)
        return (output, call) if isinstance(result, tuple) else output

    def _refuse_echo(self, output: ModelOutput) -> None:
        """An error that repeats the prompt is taken for a refusal where the prompt says "blocked": it is none."""
        if output.stop_reason == "content_filter" and self._shortened(output.completion) != without_secrets(
            output.completion
        ):
            raise EchoError(f"the provider sends back what it was sent ({len(output.completion):,} characters)")

    def shorten_error(self, error: BaseException) -> None:
        """Cut what an error says in place: its type decides whether to try again, so it stays what it is."""
        error.args = tuple(self._shortened(part) if isinstance(part, str) else part for part in error.args)
        for name in ("message", "body", "text"):
            value = error.__dict__.get(name)
            if isinstance(value, str | dict | list):
                error.__dict__[name] = self._shortened(value)
        if error.__cause__ is not None:
            self.shorten_error(error.__cause__)

    def _shortened(self, value: Any) -> Any:
        """The same value with no key and nothing long in it, and references where texts were put in."""
        if isinstance(value, str):
            for text, reference in self._texts.items():
                value = value.replace(text, reference)
            value = without_secrets(value)
            if len(value) > LONGEST:
                return f"({len(value):,} characters)"
            return "(it repeats what it was sent)" if self._repeats(value) else value
        if isinstance(value, dict):
            return {name: self._shortened(part) for name, part in value.items()}
        if isinstance(value, list | tuple):
            return [self._shortened(part) for part in value]
        return value

    def _repeats(self, said: str) -> bool:
        """Whether a stretch of some words comes from a text that was put in."""
        stretches = [said[start : start + STRETCH] for start in range(0, len(said) - STRETCH + 1, STRETCH // 2)]
        return any(stretch in text for text in self._texts for stretch in stretches)


def _rewrite(output: ModelOutput, shown: Callable[[str], str]) -> None:
    """Put what the model said as it may be shown: some servers echo the headers or the prompt that they were sent."""
    output.completion = shown(output.completion)
    for choice in output.choices:
        message = choice.message
        if isinstance(message.content, str):
            message.content = shown(message.content)
            continue
        for part in message.content:
            if isinstance(part, ContentText):
                part.text = shown(part.text)
            elif isinstance(part, ContentReasoning):
                part.reasoning = shown(part.reasoning)
