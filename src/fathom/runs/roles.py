"""Batches of prompts for models in roles other than the model under test: judge, extractor, writer, translator.

A batch has a folder with a journal of its calls, which is also its cache: a call is found by the hash of model, prompt
and settings. A killed batch resumes where it stopped. As in a run, calls go through gate, budget and engine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Generic, Literal, NoReturn, TypeVar

from pydantic import Field

from fathom.models.model_info import ModelInfo
from fathom.models.prompts import Completion, Prompt, RolePrompt, TextReference
from fathom.records.documents import PositiveInt
from fathom.records.errors import FathomError, file_errors
from fathom.records.files import Journal
from fathom.records.questions import Response, Usage
from fathom.records.record import Record, digest
from fathom.runs.folder import LOGS
from fathom.runs.model_caller import ModelCaller, Notify, ignore_notice
from fathom.runs.progress import ProgressReporter
from fathom.runs.redaction import error_text
from fathom.runs.request_limits import Budget, Gate
from fathom.runs.run import OpenedModel, RunLimits, missing_engine
from fathom.runs.unfinished_calls import canonical
from fathom.systems.protocol import OUTCOME_OF_STOP, CallEstimate, estimate_prompts, total

T = TypeVar("T")

CALLS = "calls.jsonl"


class RoleSettings(Record):
    """Sampling settings for every prompt of a batch."""

    max_tokens: PositiveInt = 1_024
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    seed: int | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    reasoning_tokens: PositiveInt | None = None
    reasoning_effort: str | None = None


class RoleCall(Record):
    """One call of a batch, as its journal records it."""

    key: str
    """The hash of model, prompt and settings."""
    id: str
    """The id of the prompt that was asked."""
    version: str
    """The version of the prompt."""
    model: str
    outcome: Literal["answered", "truncated", "refused", "overflow", "error"]
    text: str = ""
    error: str | None = None
    usage: Usage = Usage()


@dataclass(frozen=True)
class RoleModel:
    """A model in a role: one that the engine calls, or a function that simulates one."""

    name: str
    info: ModelInfo
    opened: OpenedModel | None = None
    simulate: Callable[[Prompt], str] | None = None
    """The completion of a prompt. Without it the model is called through the engine."""


@dataclass(frozen=True)
class RoleResult(Generic[T]):
    """The result of one prompt."""

    id: str
    state: Literal["parsed", "unparseable", "failed", "waiting"]
    """`waiting`: not asked, because the batch was stopped. All but `parsed` are asked again on resume."""
    value: T | None = None
    call: RoleCall | None = None
    """The call that gave the result; None if it is `waiting`."""
    calls: int = 0
    """How often the prompt was asked."""


@dataclass(frozen=True)
class RoleBatch(Generic[T]):
    """The results of a batch by prompt id."""

    results: Mapping[str, RoleResult[T]]
    usage: Usage
    """The usage of the calls that gave these results."""
    spent: float
    """Dollars for all calls in the journal, where prices are known."""
    stopped: str | None = None
    """Why the batch ended early."""

    @property
    def values(self) -> dict[str, T]:
        """The parsed values."""
        return {
            id: result.value
            for id, result in self.results.items()
            if result.state == "parsed" and result.value is not None
        }

    @property
    def is_complete(self) -> bool:
        return all(result.state == "parsed" for result in self.results.values())


def _no_references(reference: TextReference) -> NoReturn:
    """Stands in for the expansion of references to contexts: the prompts of a batch are plain texts."""
    raise AssertionError(f"the prompt of a batch refers to {reference}")


def run_role(
    prompts: Iterable[RolePrompt[T]],
    model: RoleModel,
    folder: Path,
    settings: RoleSettings = RoleSettings(),  # noqa: B008
    limits: RunLimits = RunLimits(),  # noqa: B008
    progress: Callable[[int, int], None] = lambda done, total: None,
    notify: Notify = ignore_notice,
) -> RoleBatch[T]:
    """The results of all prompts; asks those for which the journal in `folder` has no parseable completion.

    `progress` is called with the number of finished prompts and the total, `notify` with notices for the user.
    """
    wanted = list(prompts)
    if len({prompt.id for prompt in wanted}) != len(wanted):
        raise FathomError("Two prompts of a batch have the same id. Give each prompt a unique id.")
    if limits.budget is not None and model.simulate is None and not model.info.has_prices:
        raise FathomError(
            f"The prices of the model '{model.name}' are unknown, so a budget cannot be enforced. Leave out the budget."
        )
    with file_errors("create the folder", folder):
        folder.mkdir(parents=True, exist_ok=True)
    with Journal(folder / CALLS, RoleCall) as journal:
        batch = _Batch(wanted, model, settings, journal, progress)
        pending = batch.pending()
        stopped = None
        if pending and model.simulate is not None:
            for job in pending:
                batch.record(job, Completion(model.simulate(job.prompt.prompt)), price=0.0)
        elif pending:
            stopped = _run_engine(batch, pending, folder, limits, notify)
        return batch.finish(stopped)


@dataclass(frozen=True)
class _RoleJob(Generic[T]):
    """One prompt to ask. Prompts with the same content are asked once."""

    key: str
    prompt: RolePrompt[T]

    @property
    def id(self) -> str:
        return self.key

    @property
    def group(self) -> str:
        return self.prompt.prompt.prefix

    @property
    def label(self) -> str:
        return self.prompt.id

    @property
    def metadata(self) -> Mapping[str, str]:
        return {"version": self.prompt.version}


class _Batch(Generic[T]):
    """A batch while it runs."""

    def __init__(
        self,
        prompts: Sequence[RolePrompt[T]],
        model: RoleModel,
        settings: RoleSettings,
        journal: Journal[RoleCall],
        progress: Callable[[int, int], None],
    ) -> None:
        self._prompts = prompts
        self.model = model
        self.settings = settings
        self._journal = journal
        self._progress = progress
        self._keys = [_key(prompt.prompt, model.name, settings) for prompt in prompts]
        self.spent = 0.0
        self._calls: dict[str, RoleCall] = {}
        self._asked: Counter[str] = Counter()
        for call in journal.read():
            self.spent += call.usage.price or 0.0
            self._calls[call.key] = call
            self._asked[call.key] += 1
        self._done = 0

    def pending(self) -> list[_RoleJob[T]]:
        """The prompts without a parseable completion; prompts with the same content appear once."""
        jobs = {
            key: _RoleJob(key, prompt)
            for key, prompt in zip(self._keys, self._prompts, strict=True)
            if self._result(key, prompt).state != "parsed"
        }
        self._done = len(self._prompts) - len(jobs)
        return list(jobs.values())

    def record(self, job: _RoleJob[T], completion: Completion, price: float | None = None) -> RoleCall:
        """Write a completion to the journal."""
        usage = completion.usage if price is None else completion.usage.model_copy(update={"price": price})
        return self._append(job, outcome=OUTCOME_OF_STOP[completion.stop], text=completion.text, usage=usage)

    def fail(self, job: _RoleJob[T], error: Exception) -> RoleCall:
        """Write an error to the journal."""
        return self._append(job, outcome="error", error=error_text(error), usage=Usage(price=0.0))

    def _append(self, job: _RoleJob[T], **fields: object) -> RoleCall:
        about = {"key": job.key, "id": job.prompt.id, "version": job.prompt.version, "model": self.model.name}
        call = RoleCall.model_validate(about | fields)
        self._journal.append(call)
        self._calls[job.key] = call
        self._asked[job.key] += 1
        self._done += 1
        self._progress(self._done, len(self._prompts))
        return call

    def _result(self, key: str, prompt: RolePrompt[T]) -> RoleResult[T]:
        call = self._calls.get(key)
        if call is None:
            return RoleResult(prompt.id, "waiting")
        if call.outcome not in ("answered", "truncated"):
            return RoleResult(prompt.id, "failed", call=call)
        # The end of a truncated completion is missing, and with it perhaps the decision.
        if call.outcome == "answered":
            with suppress(ValueError):
                return RoleResult(prompt.id, "parsed", prompt.parse(call.text), call)
        return RoleResult(prompt.id, "unparseable", call=call)

    def finish(self, stopped: str | None) -> RoleBatch[T]:
        results = {
            prompt.id: replace(self._result(key, prompt), calls=self._asked[key])
            for key, prompt in zip(self._keys, self._prompts, strict=True)
        }
        calls = {key: self._calls[key] for key in self._keys if key in self._calls}
        usage = total([Usage(price=0.0), *(call.usage for call in calls.values())])
        spent = sum(call.usage.price or 0.0 for call in self._journal.read())
        return RoleBatch(results, usage, spent, stopped)


def _run_engine(
    batch: _Batch[T], pending: list[_RoleJob[T]], folder: Path, limits: RunLimits, notify: Notify
) -> str | None:
    """Ask the prompts through the engine; returns the reason if the batch ended early."""
    try:
        from fathom.runs.engine import run_jobs
        from fathom.runs.engine_model import EngineModel, open_model
    except ModuleNotFoundError as error:
        raise missing_engine(error) from error
    assert batch.model.opened is not None, "a model without a simulation has a way to open it"
    settings = batch.settings
    with batch.model.opened() as (name, arguments):
        model = open_model(name, settings, limits, **arguments)
        caller = ModelCaller(
            EngineModel(model, _no_references, limits, ProgressReporter(show=lambda progress: notify(progress.notice))),
            batch.model.info,
            settings.max_tokens,
            Budget(limits.budget, batch.spent),
            Gate(limits.contexts_at_once),
            lambda usage: None,  # the journal of calls has the usage
            notify=notify,
        )
        runner = _RoleRunner(batch, caller)
        run_jobs(runner.run, pending, caller, model, folder / LOGS, limits.connections, notify)
    if caller.fatal is not None:
        raise FathomError(caller.fatal)
    return caller.ended_early


@dataclass(frozen=True)
class _RoleRunner(Generic[T]):
    batch: _Batch[T]
    caller: ModelCaller

    async def run(self, job: _RoleJob[T]) -> Response | None:
        """Ask one prompt and record the call; None if it was not started or the budget was reached."""
        if self.caller.stopped is not None:
            return None

        def bound() -> CallEstimate:
            return estimate_prompts([job.prompt.prompt], _no_references)

        try:
            if self._overflows(bound()):
                call = self.batch.record(job, Completion("", "overflow"))
            else:
                call = self.batch.record(job, await self.caller.ask(job.prompt.prompt, bound, bound))
        except Exception as error:
            if self.caller.ends_with(error):
                return None
            call = self.batch.fail(job, error)
        return Response(question_id=call.id, outcome=call.outcome, text=call.text[:MAX_LOGGED_LENGTH], error=call.error)

    def _overflows(self, estimate: CallEstimate) -> bool:
        info = self.batch.model.info
        needed = info.tokens(estimate.largest_call) + self.batch.settings.max_tokens
        return info.window is not None and needed > info.window


MAX_LOGGED_LENGTH = 2_000
"""Characters of a completion that the engine's log keeps; the journal has the whole completion."""


def _key(prompt: Prompt, model: str, settings: RoleSettings) -> str:
    """The hash by which a call is found again."""
    return digest(model, settings.model_dump_json(), canonical(prompt)).hex()[:32]
