"""A provider's model behind the engine: opens it, converts prompts to messages, and outputs to completions."""

from __future__ import annotations

import os
import random
import re
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import anyio
from inspect_ai._util.error import PrerequisiteError
from inspect_ai._util.http import parse_retry_after
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Content,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    get_model,
)
from inspect_ai.model import Model as ProviderModel
from inspect_ai.tool import ToolCall as NativeToolCall
from inspect_ai.tool import ToolChoice, ToolInfo, ToolParams
from inspect_ai.util import JSONSchema
from tenacity import RetryCallState, wait_exponential_jitter

from fathom.models.prompts import (
    Completion,
    Expand,
    Message,
    Prompt,
    Stop,
    TextReference,
    ToolCall,
    ToolDefinition,
    ToolsUnsupportedError,
)
from fathom.records.errors import FathomError
from fathom.records.questions import Usage
from fathom.records.record import digest
from fathom.runs.context_injection import HaltedError, install
from fathom.runs.model_caller import Attempts, FatalError, NotStartedError
from fathom.runs.outages import OutageError, Outages
from fathom.runs.progress import ProgressReporter
from fathom.runs.provider_errors import (
    REFUSALS,
    SHOWN,
    Refusals,
    UnusableAnswerError,
    check_answers,
    error_message,
    fatal_problem,
    fault_of_body,
    is_overflow,
    is_timeout,
    is_unanswered,
    is_unstreamed,
    last_error,
    may_be_paid,
    problem_of_attempt,
)
from fathom.runs.request_buffers import escaped
from fathom.runs.request_limits import BudgetReached
from fathom.runs.run import RunLimits
from fathom.systems.protocol import CallError, count_tokens

if TYPE_CHECKING:
    from fathom.runs.folder import RunSettings
    from fathom.runs.roles import RoleSettings

MAX_RESPONSE_LENGTH = 1_000_000
"""Characters of a response that are kept. A longer one is marked as truncated."""
MAX_INLINE_LENGTH = 10_000
"""Characters of a text that the engine may record as part of a message."""
MAX_VERSION_LENGTH = 200
"""Characters of the name that a provider gives its model."""
INLINE = "inline"
"""The family of references to long texts that a system wrote into its prompt."""

_NO_TOOLS = re.compile(
    r"(?:\bnot?\b|n't)[^.]{0,60}\bsupport\w*[^.]{0,40}\b(?:tool|function)"
    r"|\b(?:tool|function)[^.]{0,60}(?:\bnot\b|n't|\bun)[^.]{0,20}(?:supported|enabled|available|allowed)"
    r"|\btools? (?:choice|param\w*) requires?\b",
    re.IGNORECASE,
)
"""How servers say that a model cannot call tools: ollama, vLLM, llama.cpp and OpenRouter each in their own words."""

_STOPS: dict[str, Stop] = {"max_tokens": "length", "model_length": "overflow", "content_filter": "refused"}


class EngineModel:
    """A provider's model that completes prompts."""

    def __init__(
        self,
        model: ProviderModel,
        expand: Expand,
        limits: RunLimits = RunLimits(),  # noqa: B008 - it is frozen
        reporter: ProgressReporter | None = None,
        on_version: Callable[[str], None] = lambda version: None,
    ) -> None:
        self.model = model
        self._expand = lru_cache(maxsize=limits.contexts_at_once)(expand)
        self._escape = lru_cache(maxsize=limits.contexts_at_once)(lambda reference: escaped(expand(reference)))
        self._inline: dict[str, str] = {}
        self._inline_users: Counter[str] = Counter()
        self._issued: ContextVar[frozenset[str]] = ContextVar("issued", default=frozenset())
        self._attempts: ContextVar[Attempts] = ContextVar("attempts")
        self._streams = True
        self._calls_tools = True
        self._halted = False
        self._stopping = False
        """Whether no attempt is repeated: the run is to stop."""
        self._waiting: dict[Attempts, anyio.CancelScope] = {}
        """Requests whose last attempt has failed, until they are sent again."""
        self._scope: ContextVar[anyio.CancelScope] = ContextVar("scope")
        self._limits = limits
        self._reporter = reporter or ProgressReporter()
        self._on_version = on_version
        self._refusals = Refusals()
        self._outages = Outages(limits.max_outage, limits.backoff, self._reporter.notify)
        check_answers(model)
        install(model, self, self._sending)
        _disable_client_retries(model)
        _count_offline(model)
        self._choose_retries()
        wait = _waiting_as_asked(limits)
        model.api.retry_wait = lambda: wait  # type: ignore[method-assign]

    def halt(self) -> None:
        """Send no further request, not even those that wait for a connection."""
        self._halted = True
        self._outages.stop_waiting("no further request is sent")

    @contextmanager
    def _sending(self) -> Iterator[None]:
        """A block in which one attempt of a request is sent: it has a connection now."""
        attempts = self._attempts.get()
        # Some requests wait for a connection: of a run that is to stop, only questions that were begun are finished.
        if self._halted or (self._stopping and attempts.begins_question):
            raise HaltedError
        self._waiting.pop(attempts, None)
        attempts.begin()
        try:
            yield
        except BaseException as error:
            if may_be_paid(error):
                attempts.lose()
            else:
                attempts.end()
            raise

    def stop_waiting(self, reason: str) -> None:
        """Give up requests that wait for an endpoint that is down, or for another attempt."""
        self._stopping = True
        self._outages.stop_waiting(reason)
        for scope in self._waiting.values():
            scope.cancel()

    def _begins_again(self) -> None:
        """The request of this task waits for another attempt. It is given up if the run is to stop."""
        self._waiting[self._attempts.get()] = self._scope.get()
        if self._stopping:
            self._scope.get().cancel()
        else:
            self._reporter.retried()

    async def complete(self, prompt: Prompt, opened: Callable[[], None], attempts: Attempts) -> Completion:
        """One completion; calls `opened` when its first token arrives, and tells when an attempt is sent and fails."""

        async def on_stream(event: Any) -> None:
            self._outages.answered()
            opened()

        if prompt.tools and not self._calls_tools:
            raise ToolsUnsupportedError
        choice: ToolChoice | None = None if prompt.may_call else "none"
        self._attempts.set(attempts)  # each question has a task of its own
        try:
            with self._messages(prompt) as messages:
                output = await self._unless_given_up(
                    lambda: self._generate_by_offered_api(messages, _tools(prompt.tools), choice, on_stream)
                )
        except (OutageError, NotStartedError):
            raise
        except Exception as error:
            cause = last_error(error)
            if isinstance(cause, BudgetReached):
                raise cause from error
            if isinstance(cause, HaltedError):
                raise (FatalError("no further request is sent") if self._halted else NotStartedError) from error
            status = getattr(cause, "status_code", None)
            message = error_message(cause)
            if prompt.tools and status not in (401, 403, 429) and _NO_TOOLS.search(message):
                self._calls_tools = False
                raise ToolsUnsupportedError(message) from error
            if problem := fatal_problem(cause):
                raise FatalError(
                    f"The provider of '{self.model}' {problem}, then run the same command again."
                ) from error
            if status in (None, 400, 413, 422) and is_overflow(message):
                return Completion("", "overflow")
            if self._refusals.is_hopeless(status, message):
                raise FatalError(
                    f"The provider of '{self.model}' has answered all of the first {REFUSALS} requests with the same "
                    f"error: {_shortened(message)} Check the model's name, its API key and the settings, then run the "
                    "same command again."
                ) from error
            raise ProviderError(fault_of_body(cause) or f"{type(cause).__name__}: {message}") from error
        finally:
            self._waiting.pop(attempts, None)
        self._refusals.answered()
        self._on_version(_clean(output.model)[:MAX_VERSION_LENGTH])
        return _completion(output)

    async def _unless_given_up(self, send: Callable[[], Awaitable[ModelOutput]]) -> ModelOutput:
        """The output of a request, repeated where that may help; raises NotStartedError once the run is to stop."""
        with anyio.CancelScope() as scope:
            self._scope.set(scope)
            return await self._through_outages(send)
        raise NotStartedError

    async def _through_outages(self, send: Callable[[], Awaitable[ModelOutput]]) -> ModelOutput:
        """The output of a request, which is sent again after attempts that the endpoint did not answer.

        While the endpoint is down, attempts are not counted: all requests wait together.
        """
        call = object()
        for attempt in count():
            await self._outages.admit()
            begun = time.monotonic()
            try:
                output = await send()
            except Exception as error:
                cause = last_error(error)
                if fatal_problem(cause) or not is_unanswered(cause):
                    if isinstance(cause, BudgetReached | HaltedError):
                        self._outages.withdrawn()
                    else:
                        self._outages.answered()
                    raise
                # A question that always takes too long must not look like an endpoint that is down.
                attempts = (call,) if is_timeout(cause) or fault_of_body(cause) else (call, attempt)
                self._outages.failed(attempts, begun, problem_of_attempt(cause))
                if not self._outages.is_down and attempt >= self._limits.retries:
                    raise
                self._begins_again()
                if not self._outages.is_down:
                    await anyio.sleep(self._limits.backoff * (2**attempt + random.random()))
            else:
                self._outages.answered()
                return output
        raise AssertionError("the loop ends with a return or an error")

    async def _generate_by_offered_api(
        self, messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice | None, on_stream: Any
    ) -> ModelOutput:
        """The output of one request: by OpenAI's Responses API, or chat completions if the server has only those."""
        api: Any = self.model.api
        # A server that the user named: OpenAI's own has both.
        has_choice = bool(api.base_url) and bool(getattr(api, "responses_api", False))
        try:
            return await self._generate(messages, tools, choice, on_stream)
        except Exception as error:
            if not has_choice or getattr(last_error(error), "status_code", None) not in (404, 405, 501):
                raise
        if api.responses_api:
            api.responses_api = False
            self._reporter.notify(f"'{api.base_url}' does not offer the Responses API; its chat completions are used")
        return await self._generate(messages, tools, choice, on_stream)

    async def _generate(
        self, messages: list[ChatMessage], tools: list[ToolInfo], choice: ToolChoice | None, on_stream: Any
    ) -> ModelOutput:
        """The output of one request, streamed if the server supports it; once it works only without, that stays off."""
        if self._streams:
            try:
                output = await self.model.generate(messages, tools, choice, on_stream=on_stream)
            except Exception as error:
                cause = last_error(error)
                if not is_unstreamed(cause) and not isinstance(cause, UnusableAnswerError):
                    raise
            else:
                # A stream that is cut off by a closed connection looks complete, except that it has no stop reason.
                if not output.choices or output.stop_reason != "unknown":
                    return output
                self._attempts.get().lose()
                self._reporter.retried()
        output = await self.model.generate(messages, tools, choice)
        self._streams = False
        return output

    def _choose_retries(self) -> None:
        """Leave retries after rate limits and server errors to the engine, which handles each request separately.

        Two cases are not left to it: a server that does not stream must be asked without streaming, and a server that
        does not respond is handled by `Outages`, for all requests together.
        """
        should_retry = self.model.should_retry

        def retry(ex: BaseException) -> bool:
            if is_unanswered(ex) or fatal_problem(ex) or (self._streams and is_unstreamed(ex)):
                return False
            wanted = should_retry(ex)
            if wanted:
                self._begins_again()
            return wanted

        self.model.should_retry = retry  # type: ignore[method-assign]

    # Messages. Long texts are replaced by references too: the engine records every message.

    def issued(self, reference: TextReference) -> bool:
        """Whether the current prompt refers to the text.

        A model can write a reference, too, or repeat one that a document has. It gets no text by that.
        """
        return str(reference) in self._issued.get()

    def text(self, reference: TextReference) -> str:
        """The text of a reference."""
        return self._inline[reference.context] if reference.family == INLINE else self._expand(reference)

    def escaped(self, reference: TextReference) -> bytes:
        """The text of a reference as it is escaped in JSON."""
        if reference.family == INLINE:
            return escaped(self._inline[reference.context])
        return self._escape(reference)

    @contextmanager
    def _messages(self, prompt: Prompt) -> Iterator[list[ChatMessage]]:
        """The prompt as the engine's messages. Its references can be expanded inside the `with` block."""
        texts = [part for message in prompt.messages for part in message.parts if isinstance(part, str)]
        names = {text: digest(text).hex()[:32] for text in texts if len(text) > MAX_INLINE_LENGTH}
        self._inline.update((name, text) for text, name in names.items())
        self._inline_users.update(names.values())

        def shown(part: str | TextReference) -> str:
            return str(TextReference(INLINE, names[part], "text") if isinstance(part, str) and part in names else part)

        marks = [str(part) for message in prompt.messages for part in message.parts if isinstance(part, TextReference)]
        issued = self._issued.set(frozenset((*marks, *(shown(text) for text in names))))
        try:
            yield _to_native(prompt, shown)
        finally:
            self._issued.reset(issued)
            self._inline_users.subtract(names.values())
            for name in names.values():
                if not self._inline_users[name]:
                    self._inline.pop(name, None)


def _to_native(prompt: Prompt, shown: Callable[[str | TextReference], str]) -> list[ChatMessage]:
    """The engine's messages, with one cache mark after the parts that questions share."""
    messages: list[ChatMessage] = []
    for number, message in enumerate(prompt.messages):
        content: list[Content] = [ContentText(text=shown(part)) for part in message.parts]
        if message.role == "user" and number == prompt.sharing:
            last = (len(content) - 1 if prompt.shared is None else prompt.shared) - 1
            if last >= 0:
                content[last] = content[last].model_copy(update={"cache_breakpoint": True})
        messages.append(_native_message(message, content))
    return messages


def _native_message(message: Message, content: list[Content]) -> ChatMessage:
    match message.role:
        case "system":
            return ChatMessageSystem(content=content)
        case "user":
            return ChatMessageUser(content=content)
        case "tool":
            call = message.answers
            return ChatMessageTool(
                content=content, tool_call_id=call.id if call else None, function=call.name if call else None
            )
        case "assistant":
            if isinstance(message.native, ChatMessageAssistant):
                return message.native
            if isinstance(message.native, dict):  # from a call of an earlier process
                return ChatMessageAssistant.model_validate(message.native)
            calls = [
                NativeToolCall(tool_call.id, tool_call.name, dict(tool_call.arguments))
                for tool_call in message.tool_calls
            ]
            return ChatMessageAssistant(content=content, tool_calls=calls or None)


def _tools(tools: tuple[ToolDefinition, ...]) -> list[ToolInfo]:
    return [
        ToolInfo(
            name=tool.name,
            description=tool.description,
            parameters=ToolParams(
                properties={name: JSONSchema.model_validate(schema) for name, schema in tool.parameters.items()},
                required=list(tool.parameters),
            ),
        )
        for tool in tools
    ]


# Outputs and errors.


def _waiting_as_asked(limits: RunLimits) -> Callable[[RetryCallState], float]:
    """The seconds before a retry: as many as the server asks for, but at least those of the backoff."""
    backoff = wait_exponential_jitter(multiplier=limits.backoff, max=60, jitter=limits.backoff)

    def seconds(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome is not None else None
        is_rate_limit = getattr(error, "status_code", None) in (429, 529)
        headers = getattr(getattr(error, "response", None), "headers", None) if is_rate_limit else None
        asked = parse_retry_after(headers) if headers is not None else None
        return max(backoff(state), min(asked or 0.0, limits.timeout))

    return seconds


class ProviderError(CallError):
    """The provider's last error, after all retries."""


def _shortened(message: str) -> str:
    """The message in one line that ends with a period."""
    text = " ".join(message.split())
    return text[:SHOWN].rstrip(".") + (" ..." if len(text) > SHOWN else ".")


def _completion(output: ModelOutput) -> Completion:
    if not output.choices:
        raise RuntimeError("the provider sent an empty body")
    content = output.message.content
    thoughts = [part.reasoning for part in content if isinstance(part, ContentReasoning)] if content else []
    whole = len(output.completion) <= MAX_RESPONSE_LENGTH
    calls = [
        ToolCall(call.id, call.function, call.arguments, call.parse_error) for call in output.message.tool_calls or ()
    ]
    return Completion(
        text=_clean(output.completion),
        stop=_STOPS.get(output.stop_reason, "stop") if whole else "length",
        thinking=_clean("\n".join(thoughts)) if not isinstance(content, str) else "",
        usage=_usage(output),
        tool_calls=tuple(calls),
        native=output.message,
    )


def _clean(text: str) -> str:
    """The text without lone surrogates, which UTF-8 cannot encode, and not longer than is kept."""
    return text[:MAX_RESPONSE_LENGTH].encode("utf-8", "replace").decode()


def _usage(output: ModelOutput) -> Usage:
    seconds = round(output.time or 0.0, 3)
    used = output.usage
    if used is None:
        return Usage(seconds=seconds)
    # Implausible counts (more cached than sent, negative numbers) must not lose the response.
    cached = max(0, used.input_tokens_cache_read or 0)
    fresh = max(0, used.input_tokens) + max(0, used.input_tokens_cache_write or 0)
    return Usage(
        input_tokens=fresh + cached, cached_tokens=cached, output_tokens=max(0, used.output_tokens), seconds=seconds
    )


# Opening a model.


def open_model(
    name: str, settings: RunSettings | RoleSettings, limits: RunLimits, url: str | None = None, **arguments: Any
) -> ProviderModel:
    """The provider's model. A wrong name, key or address is an error before anything is sent."""
    _check_address(name, url)
    _limit_connecting(limits.connect_timeout)
    config = GenerateConfig(
        temperature=settings.temperature,
        seed=settings.seed,
        max_tokens=settings.max_tokens,
        reasoning_effort=settings.reasoning_effort,
        top_p=settings.top_p,
        reasoning_tokens=settings.reasoning_tokens,
        max_connections=limits.connections,
        max_retries=limits.retries,
        attempt_timeout=limits.timeout,
        timeout=limits.timeout * (limits.retries + 1),
    )
    try:
        model = get_model(name, config=config, base_url=url, memoize=False, **arguments)
    except PrerequisiteError as error:
        raise FathomError(_missing_prerequisite(name, _one_line(error))) from error
    except (ValueError, ImportError, ModuleNotFoundError) as error:
        raise FathomError(f"The model '{name}' is unknown: {_one_line(error)}. See `fathom run --help`.") from error
    _check_connection(name, model)
    return model


def _limit_connecting(seconds: float) -> None:
    """Limit the time to connect, in the variables of the engine: its default is two attempts of up to two minutes.

    A connection that fails is tried again by `Outages`.
    """
    os.environ["INSPECT_HTTP_CONNECT_TIMEOUT"] = str(seconds)
    os.environ["INSPECT_HTTP_CONNECT_RETRIES"] = "0"


def _missing_prerequisite(name: str, message: str) -> str:
    """Says which API key or package a model needs."""
    key = re.search(r"\b[A-Z][A-Z0-9_]*_API_KEY\b", message)
    if key is None:
        return f"Cannot use the model '{name}': {message}. See `fathom run --help`."
    without = " (any value if the server needs no key)" if name.startswith("openai-api/") else ""
    return f"The model '{name}' needs an API key. Set it first: export {key[0]}=...{without}"


def _disable_client_retries(model: ProviderModel) -> None:
    """Turn off retries and redirects in the provider's client: the engine retries, and redirects may lead anywhere."""
    client: Any = getattr(model.api, "client", None)
    if hasattr(client, "max_retries"):
        client.max_retries = 0
    inner: Any = getattr(client, "_client", None)
    if hasattr(inner, "follow_redirects"):
        inner.follow_redirects = False


def _count_offline(model: ProviderModel) -> None:
    """Count the tokens of models without a count of their own with the embedded tokenizer: the engine downloads one."""

    async def count_text_tokens(text: str) -> int:
        return count_tokens(text)

    if type(model.api).count_text_tokens is ModelAPI.count_text_tokens:
        model.api.count_text_tokens = count_text_tokens  # type: ignore[method-assign]


def _one_line(error: Exception) -> str:
    """The engine's message in one line, without color codes."""
    return " ".join(re.sub(r"\[/?[a-z ]+\]", "", str(getattr(error, "message", error))).split()).rstrip(".")


def _check_address(name: str, url: str | None) -> None:
    if name.partition("/")[0] == "none":
        raise FathomError(f"'{name}' is not a model. Give one such as openai/gpt-4.1: `fathom models` lists them.")
    if url is None:
        return
    try:
        address = urlsplit(url)
        valid = address.scheme in ("http", "https") and bool(address.hostname) and address.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise FathomError(f"'{url}' is not the address of a server. Give one such as --url http://127.0.0.1:8000/v1.")


def _check_connection(name: str, model: ProviderModel) -> None:
    """Raise an error if no server listens at an endpoint that the user gave."""
    address = urlsplit(model.api.base_url or "")
    if not address.hostname or not name.startswith(("openai-api/", "vllm/", "sglang/", "ollama/")):
        return
    if {address.scheme, "all"} & getproxies().keys() and not proxy_bypass(address.hostname):
        return
    port = address.port or (443 if address.scheme == "https" else 80)
    try:
        socket.create_connection((address.hostname, port), timeout=10).close()
    except OSError as error:
        raise FathomError(
            f"No server responds at '{address.hostname}:{port}' for the model '{name}' ({error}). "
            "Start the server, or give its address."
        ) from error
