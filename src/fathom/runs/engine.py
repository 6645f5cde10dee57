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
from fathom.runs.door import install
from fathom.runs.folder import Settings
from fathom.runs.plan import Job

_STOPS: dict[str, Stop] = {"max_tokens": "length", "model_length": "overflow", "content_filter": "refused"}
_FATAL = {401: "refuses the key", 403: "forbids it", 404: "does not know the model or the address"}


class Endurance:
    """How long and how often a request is tried."""

    def __init__(self, retries: int = 4, seconds: int = 600, backoff: float = 2.0) -> None:
        self.retries = retries
        self.seconds = seconds
        self.backoff = backoff


class EngineModel:
    """A provider's model that completes our prompts."""

    def __init__(self, model: Model, expand: Expand, endurance: Endurance) -> None:
        self.model = model
        install(model, expand)
        waiting = wait_exponential_jitter(initial=endurance.backoff, max=60, jitter=endurance.backoff)
        model.api.retry_wait = lambda: waiting  # type: ignore[method-assign]

    async def complete(self, prompt: Prompt, opened: Callable[[], None]) -> Completion:
        """One completion; `opened` is told of its first token."""

        async def on_stream(event: Any) -> None:
            opened()

        try:
            output = await self.model.generate([_message(prompt)], on_stream=on_stream)
        except Exception as error:
            cause = _cause(error)
            status = getattr(cause, "status_code", None)
            if status in _FATAL:
                raise FatalError(
                    f"The provider of '{self.model}' {_FATAL[status]} ({status}). "
                    "Check the model's name, its key and its address, then run the same command again."
                ) from error
            said = str(getattr(cause, "provider_message", None) or cause)
            if _is_overflow(said):
                return Completion("", "overflow")
            raise ProviderError(f"{type(cause).__name__}: {said}") from error
        return _completion(output)


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
    return "exceed" in plain and "context" in plain


def _completion(output: ModelOutput) -> Completion:
    if not output.choices:
        raise RuntimeError("the provider sent an empty body")
    content = output.message.content
    thoughts = [part.reasoning for part in content if isinstance(part, ContentReasoning)] if content else []
    return Completion(
        text=output.completion,
        stop=_STOPS.get(output.stop_reason, "stop"),
        thinking="\n".join(thoughts) if not isinstance(content, str) else "",
        usage=_usage(output),
    )


def _usage(output: ModelOutput) -> Usage:
    seconds = round(output.time or 0.0, 3)
    used = output.usage
    if used is None:
        return Usage(seconds=seconds)
    cached = used.input_tokens_cache_read or 0
    return Usage(
        input_tokens=used.input_tokens + cached + (used.input_tokens_cache_write or 0),
        cached_tokens=cached,
        output_tokens=used.output_tokens,
        seconds=seconds,
    )


def open_model(
    name: str, settings: Settings, endurance: Endurance, connections: int, url: str | None = None, **arguments: Any
) -> Model:
    """The provider's model; whatever is wrong with its name, key or address is told before anything is sent."""
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
    """What the engine says, in one line and without its colours."""
    return " ".join(re.sub(r"\[/?[a-z ]+\]", "", str(getattr(error, "message", error))).split()).rstrip(".")


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
    """Answers each sample's job; a failure is kept as a reply and shown in the log as an error."""

    # Without parameters of its own: the engine writes those into its log.
    @solver(name="fathom")
    def answered() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            reply = await answering.one(jobs[str(state.sample_id)])
            if reply is not None and reply.outcome == "failed":
                raise RuntimeError(reply.error)
            state.output = ModelOutput.from_content(str(state.model), reply.text if reply else "")
            return state

        return solve

    return answered()


BLOCK = 2_000
"""Jobs in one of the engine's logs: it keeps some 20 KB of each in memory until the log is closed."""


def run_jobs(answering: Answering, pending: list[Job], model: Model, logs: Path, connections: int) -> None:
    """Answer all jobs; returns when every one of them has its reply, failed, or was not begun."""
    for block in _blocks(pending):
        if answering.stopped is None:
            _run_block(answering, block, model, logs, connections)


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


def _run_block(answering: Answering, pending: list[Job], model: Model, logs: Path, connections: int) -> None:
    task = Task(
        name="fathom",
        dataset=MemoryDataset([sample_of(job) for job in pending]),
        solver=_answered(answering, {job.id: job for job in pending}),
        fail_on_error=False,
    )

    async def evaluate() -> None:
        init_display_type("none")
        await eval_async(
            task,
            model=model,
            log_dir=str(logs),
            log_format="eval",
            # Each time the log is written its whole directory is read again, so writing it after every sample costs
            # the square of their number; the journal has the replies, and a kill loses this much of the log alone.
            log_buffer=100,
            log_model_api=False,
            log_realtime=False,
            score=False,
            # Questions that wait at a gate hold no connection; with too few of them the gate would starve.
            max_samples=3 * connections,
        )

    with _stopping_gently(answering):
        anyio.run(evaluate)


def sample_of(job: Job) -> Sample:
    """A job as the engine lists it: the question alone, for the context is shown to the model and to nobody else."""
    return Sample(id=job.id, input=job.question.text, metadata={"context": job.context.id, **job.question.tags})


@contextmanager
def _stopping_gently(answering: Answering) -> Iterator[None]:
    """The first Ctrl-C lets what is in flight finish; the second stops."""

    def pressed(number: int, frame: Any) -> None:
        if answering.stopped is not None:
            raise KeyboardInterrupt
        answering.stop("you asked it to; press Ctrl-C again to stop at once")

    try:
        before = signal.signal(signal.SIGINT, pressed)
    except ValueError:  # not in the main thread: whoever runs us there handles interrupts
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
