"""The engine that calls models: opens a provider, asks it, and runs the jobs as samples with a log of their own."""

from __future__ import annotations

import re
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
from inspect_ai import Task, eval_async
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util._display import init_display_type
from tenacity import RetryError, wait_exponential_jitter

from fathom.models.prompts import Completion, Expand, Prompt, Stop
from fathom.records.errors import FathomError
from fathom.records.questions import Usage
from fathom.runs.answering import Answering, FatalError
from fathom.runs.context_injection import HaltedError, install
from fathom.runs.folder import RunSettings
from fathom.runs.plan import Job
from fathom.runs.stopping import INTERRUPTED

LONGEST_RESPONSE = 1_000_000
"""Characters of a response that are kept; what is longer is marked as cut."""

_STOPS: dict[str, Stop] = {"max_tokens": "length", "model_length": "overflow", "content_filter": "refused"}
_FATAL = {401: "refuses the key", 403: "forbids it", 404: "does not know the model or the address"}


class RetryPolicy:
    """How long and how often a request is tried."""

    def __init__(self, retries: int = 4, seconds: int = 600, backoff: float = 2.0) -> None:
        self.retries = retries
        self.seconds = seconds
        self.backoff = backoff


class EngineModel:
    """A provider's model that completes our prompts."""

    def __init__(self, model: Model, expand: Expand, endurance: RetryPolicy) -> None:
        self.model = model
        self._streams = True
        self._halted = False
        install(model, expand, lambda: self._halted)
        _leave_retries_to_the_engine(model)
        self._retry_quickly_without_stream()
        waiting = wait_exponential_jitter(initial=endurance.backoff, max=60, jitter=endurance.backoff)
        model.api.retry_wait = lambda: waiting  # type: ignore[method-assign]

    def halt(self) -> None:
        """Send nothing more, not even what waits for a connection."""
        self._halted = True

    async def complete(self, prompt: Prompt, opened: Callable[[], None]) -> Completion:
        """One completion; `opened` is told of its first token."""

        async def on_stream(event: Any) -> None:
            opened()

        try:
            output = await self._generate(prompt, on_stream)
        except Exception as error:
            cause = _cause(error)
            if isinstance(cause, HaltedError):
                raise FatalError("nothing more is sent") from error
            status = getattr(cause, "status_code", None)
            if status in _FATAL:
                raise FatalError(
                    f"The provider of '{self.model}' {_FATAL[status]} ({status}). "
                    "Check the model's name, its key and its address, then run the same command again."
                ) from error
            said = str(getattr(cause, "provider_message", None) or cause)
            if status in (None, 400, 413, 422) and _is_overflow(said):
                return Completion("", "overflow")
            raise ProviderError(f"{type(cause).__name__}: {said}") from error
        return _completion(output)

    async def _generate(self, prompt: Prompt, on_stream: Any) -> ModelOutput:
        """Streamed where the server can; one that answers all at once is asked so from then on."""
        if self._streams:
            try:
                return await self.model.generate([_message(prompt)], on_stream=on_stream)
            except Exception as error:
                if not _is_unstreamed(_cause(error)):
                    raise
        output = await self.model.generate([_message(prompt)])
        self._streams = False
        return output

    def _retry_quickly_without_stream(self) -> None:
        """A server that does not stream would be asked in vain as often as retries allow."""
        should_retry = self.model.api.should_retry

        def retry(ex: Exception) -> Any:
            return False if self._streams and _is_unstreamed(ex) else should_retry(ex)

        self.model.api.should_retry = retry  # type: ignore[method-assign]


def _is_unstreamed(error: BaseException) -> bool:
    return type(error).__name__ == "NoStreamDataError"


def _leave_retries_to_the_engine(model: Model) -> None:
    """Providers' own clients try again behind its back, and follow redirects to wherever they lead."""
    client: Any = getattr(model.api, "client", None)
    if hasattr(client, "max_retries"):
        client.max_retries = 0
    inner: Any = getattr(client, "_client", None)
    if hasattr(inner, "follow_redirects"):
        inner.follow_redirects = False


class ProviderError(Exception):
    """What the provider said in the end, after all tries."""


def _cause(error: BaseException) -> BaseException:
    """What went wrong the last time, under what the engine wraps around it."""
    if isinstance(error, RetryError) and error.last_attempt.exception() is not None:
        return _cause(error.last_attempt.exception() or error)
    return error


def _message(prompt: Prompt) -> ChatMessageUser:
    """One message: what all questions share, marked for the cache, and then the question."""
    parts = [ContentText(text=prompt.instruction)]
    if prompt.shown is not None:
        parts.append(ContentText(text=str(prompt.shown)))
    parts[-1] = parts[-1].model_copy(update={"cache_breakpoint": True})
    return ChatMessageUser(content=[*parts, ContentText(text=prompt.question)])


def _is_overflow(said: str) -> bool:
    """Whether a server that has no code for it says that the prompt is too long."""
    plain = said.lower()
    return any(words in plain for words in ("context length", "context window", "context size", "maximum context"))


def _completion(output: ModelOutput) -> Completion:
    if not output.choices:
        raise RuntimeError("the provider sent an empty body")
    content = output.message.content
    thoughts = [part.reasoning for part in content if isinstance(part, ContentReasoning)] if content else []
    whole = len(output.completion) <= LONGEST_RESPONSE
    return Completion(
        text=_sound(output.completion),
        stop=_STOPS.get(output.stop_reason, "stop") if whole else "length",
        thinking=_sound("\n".join(thoughts)) if not isinstance(content, str) else "",
        usage=_usage(output),
    )


def _sound(text: str) -> str:
    """The text without halves of characters, which no file can hold, and not longer than is kept."""
    return text[:LONGEST_RESPONSE].encode("utf-8", "replace").decode()


def _usage(output: ModelOutput) -> Usage:
    seconds = round(output.time or 0.0, 3)
    used = output.usage
    if used is None:
        return Usage(seconds=seconds)
    # Servers that count oddly (more cached than sent, less than nothing) must not cost us the response.
    cached = max(0, used.input_tokens_cache_read or 0)
    fresh = max(0, used.input_tokens) + max(0, used.input_tokens_cache_write or 0)
    return Usage(
        input_tokens=fresh + cached,
        cached_tokens=cached,
        output_tokens=max(0, used.output_tokens),
        seconds=seconds,
    )


def open_model(
    name: str, settings: RunSettings, endurance: RetryPolicy, connections: int, url: str | None = None, **arguments: Any
) -> Model:
    """The provider's model; whatever is wrong with its name, key or address is told before anything is sent."""
    _check_address(name, url)
    config = GenerateConfig(
        temperature=settings.temperature,
        seed=settings.seed,
        max_tokens=settings.max_tokens,
        reasoning_effort=settings.reasoning_effort,
        max_connections=connections,
        max_retries=endurance.retries,
        attempt_timeout=endurance.seconds,
        timeout=endurance.seconds * (endurance.retries + 1),
    )
    try:
        model = get_model(name, config=config, base_url=url, memoize=False, **arguments)
    except PrerequisiteError as error:
        raise FathomError(f"The model '{name}' cannot be used: {_plain(error)}. See `fathom run --help`.") from error
    except (ValueError, ImportError, ModuleNotFoundError) as error:
        raise FathomError(f"The model '{name}' is not known: {_plain(error)}. See `fathom run --help`.") from error
    _knock(name, model)
    return model


def _plain(error: Exception) -> str:
    """What the engine says, in one line and without its colors."""
    return " ".join(re.sub(r"\[/?[a-z ]+\]", "", str(getattr(error, "message", error))).split()).rstrip(".")


def _check_address(name: str, url: str | None) -> None:
    if name.partition("/")[0] == "none":
        raise FathomError(f"'{name}' is no model. See `fathom run --help`.")
    if url is None:
        return
    try:
        address = urlsplit(url)
        sound = address.scheme in ("http", "https") and bool(address.hostname) and address.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise FathomError(f"'{url}' is no address of a server. Write such as --url http://127.0.0.1:8000/v1.")


def _knock(name: str, model: Model) -> None:
    """Whether anything listens where a user's own endpoint should be."""
    address = urlsplit(model.api.base_url or "")
    if not address.hostname or not name.startswith(("openai-api/", "vllm/", "sglang/", "ollama/")):
        return
    port = address.port or (443 if address.scheme == "https" else 80)
    try:
        socket.create_connection((address.hostname, port), timeout=10).close()
    except OSError as error:
        raise FathomError(
            f"Nothing answers at '{address.hostname}:{port}' for the model '{name}' ({error}). "
            "Start the server, or give its address."
        ) from error


def _answered(answering: Answering, jobs: dict[str, Job]) -> Solver:
    """Answers each sample's job; a failure is kept as a response and shown in the log as an error."""

    # Without parameters of its own: the engine writes those into its log.
    @solver(name="fathom")
    def answered() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            response = await answering.one(jobs[str(state.sample_id)])
            if response is not None and response.outcome == "error":
                raise RuntimeError(response.error)
            state.output = ModelOutput.from_content(str(state.model), response.text if response else "")
            return state

        return solve

    return answered()


BLOCK = 2_000
"""Jobs in one of the engine's logs: it keeps some 20 KB of each in memory until the log is closed."""


def run_jobs(answering: Answering, pending: list[Job], model: Model, logs: Path, connections: int) -> None:
    """Answer all jobs; returns when every one of them has its response, failed, or was not begun."""

    async def run_all() -> None:
        init_display_type("none")
        try:
            for block in _blocks(pending):
                if answering.stopped is None:
                    await _run_block(answering, block, model, logs, connections)
        finally:
            await model.api.aclose()

    with _stopping_gently(answering):
        anyio.run(run_all)


def _blocks(jobs: list[Job]) -> Iterator[list[Job]]:
    """Jobs by the thousand, the questions of one context together."""
    block: list[Job] = []
    for job in jobs:
        if len(block) >= BLOCK and job.context.id != block[-1].context.id:
            yield block
            block = []
        block.append(job)
    if block:
        yield block


async def _run_block(answering: Answering, pending: list[Job], model: Model, logs: Path, connections: int) -> None:
    await eval_async(
        Task(
            name="fathom",
            dataset=MemoryDataset([sample_of(job) for job in pending]),
            solver=_answered(answering, {job.id: job for job in pending}),
            fail_on_error=False,
        ),
        model=model,
        log_dir=str(logs),
        log_format="eval",
        # Each time the log is written its whole directory is read again, so writing it after every sample costs
        # the square of their number; the journal has the responses, and a kill loses this much of the log alone.
        log_buffer=100,
        log_model_api=False,
        log_realtime=False,
        score=False,
        # Questions that wait at a gate hold no connection; with too few of them the gate would starve.
        max_samples=3 * connections,
    )


def sample_of(job: Job) -> Sample:
    """A job as the engine lists it: the question alone, for the context is shown to the model and to nobody else."""
    return Sample(id=job.id, input=job.question.text, metadata={"context": job.context.id, **job.question.tags})


@contextmanager
def _stopping_gently(answering: Answering) -> Iterator[None]:
    """The first Ctrl-C lets what is in flight finish; the second stops."""

    def pressed(number: int, frame: Any) -> None:
        if answering.stopped is not None:
            raise KeyboardInterrupt
        answering.stop(INTERRUPTED)

    try:
        before = signal.signal(signal.SIGINT, pressed)
    except ValueError:  # not in the main thread: whoever runs us there handles interrupts
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
