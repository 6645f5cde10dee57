"""The provider's door: references become text just before they are sent, and no such text comes back out.

The engine records what it sends and what goes wrong. So the text is put in on the far side of its recording, and
what the provider hands back is shortened before the engine sees it.
"""

from __future__ import annotations

from typing import Any

from inspect_ai.log._samples import _active_model_event
from inspect_ai.model import ChatMessage, ChatMessageUser, ContentReasoning, ContentText, Model, ModelOutput

from fathom.models.prompts import Expand, reference_in
from fathom.runs.secrets import without_secrets

LONGEST = 2_000
"""Characters of a string that may be recorded."""


def install(model: Model, expand: Expand) -> None:
    """Let this model's requests pass through the door."""
    api = model.api
    send = api.generate

    async def generate(input: list[ChatMessage], *rest: Any, **named: Any) -> Any:
        # The provider notes its request in the event at hand; without one it has nowhere to note four megabytes.
        event = _active_model_event.set(None)
        try:
            result = await send([_expanded(message, expand) for message in input], *rest, **named)
        except Exception as error:
            _shorten_error(error)
            raise
        finally:
            _active_model_event.reset(event)
        return _shortened_result(result)

    api.generate = generate  # type: ignore[method-assign]


def _expanded(message: ChatMessage, expand: Expand) -> ChatMessage:
    if not isinstance(message, ChatMessageUser) or isinstance(message.content, str):
        return message
    content = [_expanded_part(part, expand) for part in message.content]
    return message.model_copy(update={"content": content})


def _expanded_part(part: Any, expand: Expand) -> Any:
    if not isinstance(part, ContentText):
        return part
    reference = reference_in(part.text)
    return part if reference is None else part.model_copy(update={"text": expand(reference)})


def _shortened_result(result: Any) -> ModelOutput | tuple[ModelOutput | Exception, Any]:
    output, call = result if isinstance(result, tuple) else (result, None)
    if isinstance(output, Exception):
        _shorten_error(output)
    else:
        _blot_out(output)
    if call is not None:
        call.request = shortened(call.request)
        call.response = shortened(call.response)
    return (output, call) if isinstance(result, tuple) else output


def _blot_out(output: ModelOutput) -> None:
    """Take keys out of what the model said: some servers echo the headers they were sent."""
    output.completion = without_secrets(output.completion)
    for choice in output.choices:
        message = choice.message
        if isinstance(message.content, str):
            message.content = without_secrets(message.content)
            continue
        for part in message.content:
            if isinstance(part, ContentText):
                part.text = without_secrets(part.text)
            elif isinstance(part, ContentReasoning):
                part.reasoning = without_secrets(part.reasoning)


def shortened(value: Any) -> Any:
    """The same value with its long strings cut and marked, and no key in any."""
    if isinstance(value, str):
        value = without_secrets(value)
        return value if len(value) <= LONGEST else f"{value[:100]} ... ({len(value):,} characters)"
    if isinstance(value, dict):
        return {name: shortened(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [shortened(part) for part in value]
    return value


def _shorten_error(error: BaseException) -> None:
    """Cut what an error says in place: its type decides whether to try again, so it stays what it is."""
    error.args = tuple(shortened(part) if isinstance(part, str) else part for part in error.args)
    for name in ("message", "body", "text"):
        _shorten_attribute(error, name)
    if error.__cause__ is not None:
        _shorten_error(error.__cause__)


def _shorten_attribute(error: BaseException, name: str) -> None:
    value = error.__dict__.get(name)
    if isinstance(value, str | dict | list):
        error.__dict__[name] = shortened(value)
