"""Checks that a system keeps its contract, with a few questions of a bench and without a real model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice

import anyio
from pydantic import TypeAdapter

from fathom.models.model_info import ModelInfo
from fathom.models.prompts import Completion, Prompt, Stop
from fathom.records.errors import FathomError
from fathom.records.questions import Response
from fathom.runs.bench_view import BenchView
from fathom.runs.check_results import CheckResult, failed, passed
from fathom.runs.folder import RunSettings
from fathom.runs.http_check import http_checks
from fathom.runs.memory_journal import MemoryJournal
from fathom.runs.model_caller import Attempts, ModelCaller
from fathom.runs.plan import Job, estimate_of, jobs
from fathom.runs.request_limits import Budget, Gate
from fathom.runs.system_runner import SystemRunner
from fathom.systems.http import ConnectedSystem
from fathom.systems.protocol import RequestLimits, System, needs_model, opened

AT_ONCE = 4
"""Questions that are asked at once."""


@dataclass(frozen=True)
class SystemChecks:
    """The results, and the responses that the system gave."""

    results: Sequence[CheckResult]
    responses: Sequence[Response]


def check_system(bench: BenchView, system: System, limits: RequestLimits) -> SystemChecks:
    """Ask the system a few questions and check what it does."""
    chosen = _some_questions(bench)
    first = _Trial(bench, system, limits, chosen)
    results = [*_class_checks(system), *anyio.run(first.run)]
    if needs_model(system) and not any(result.result == "failed" for result in results):
        results += _model_checks(bench, system, limits, chosen, first)
    return SystemChecks(results, first.responses)


def _some_questions(bench: BenchView) -> list[Job]:
    """The first question of each family, then others, up to a few."""
    found = [job for group in islice(jobs(bench, RunSettings()), 50) for job in group]
    first = list({job.question.family: job for job in reversed(found)}.values())
    others = [job for job in found if job not in first]
    return [*sorted(first, key=found.index), *others[: max(0, AT_ONCE - len(first))]]


def _class_checks(system: System) -> Iterator[CheckResult]:
    """Checks of the settings, which `run.json` records."""
    kind = type(system)
    parameters = getattr(kind, "__dataclass_params__", None)
    if parameters is None or not parameters.frozen:
        yield failed(f"{kind.__name__} is not a frozen dataclass, so its settings could change during a run.")
    try:
        adapter = TypeAdapter(kind)
        restored = adapter.validate_json(adapter.dump_json(system))
    except Exception as error:
        yield failed(f"The settings cannot be stored as JSON ({type(error).__name__}: {error}).")
        return
    if restored == system:
        yield passed("The settings can be stored in run.json.")
    else:
        yield failed("The settings change when they are stored as JSON and read again.")


@dataclass
class _StubModel:
    """A model that says always the same, and remembers what it was asked."""

    text: str = "Answer: 1"
    stop: Stop = "stop"
    prompts: list[Prompt] = field(default_factory=list)

    async def complete(self, prompt: Prompt, opened: Callable[[], None], attempts: Attempts) -> Completion:
        self.prompts.append(prompt)
        opened()
        return Completion(self.text, self.stop)

    def halt(self) -> None:
        """Nothing to do."""

    def stop_waiting(self, reason: str) -> None:
        """Nothing to do."""


class _Trial:
    """The system with a stub in place of a model, asked some questions one by one and then at once."""

    def __init__(
        self,
        bench: BenchView,
        system: System,
        limits: RequestLimits,
        chosen: Sequence[Job],
        model: _StubModel | None = None,
    ) -> None:
        self._bench = bench
        self._system = system
        self._limits = limits
        self._chosen = chosen
        self._model = model or _StubModel()
        self.responses: list[Response] = []
        self.calls: list[tuple[Job, Sequence[Prompt]]] = []
        """The prompts of each question that was asked alone."""

    async def run(self) -> list[CheckResult]:
        """Ask each question alone, then all at once, as further samples."""
        try:
            with closing(MemoryJournal()) as journal:
                async with opened(self._system, self._limits, None) as active:
                    return await self._run(active, journal)
        except FathomError as error:
            return [failed(str(error))]

    async def _run(self, active: System, journal: MemoryJournal) -> list[CheckResult]:
        caller = ModelCaller(self._model, ModelInfo(), 2_048, Budget(None), Gate(), journal.pay)
        runner = SystemRunner(self._bench, active, caller, journal)
        results: list[CheckResult] = []
        for job in self._chosen:
            results.append(await self._ask(runner, job))
            if results[-1].result == "failed":
                return results
        results.append(await self._at_once(runner))
        if isinstance(active, ConnectedSystem):
            results += await http_checks(active, self._bench, self._chosen[0])
        return results

    async def _ask(self, runner: SystemRunner, job: Job) -> CheckResult:
        """Whether one question gets a response."""
        before = len(self._model.prompts)
        what = f"a question of the family '{job.question.family}'"
        try:
            estimate_of(self._system, job, self._bench)
        except FathomError as error:
            return failed(str(error))
        response = await runner.run(job)
        problem = _problem(response, runner)
        if response is None or problem:
            return failed(f"The answer to {what} failed: {problem}")
        self.responses.append(response)
        self.calls.append((job, self._model.prompts[before:]))
        shown = " ".join(response.text.split())
        shown = shown if len(shown) <= 60 else f"{shown[:60]}..."
        seconds = f" in {response.usage.seconds:.2f} s" if response.usage.seconds else ""
        return passed(f"It answers {what}{seconds} ({response.outcome}: '{shown}').")

    async def _at_once(self, runner: SystemRunner) -> CheckResult:
        """Whether several questions that are asked at once get their own responses."""
        again = [Job(job.context, job.question, 1) for job in self._chosen]
        found: dict[str, str] = {}

        async def ask(job: Job) -> None:
            found[job.id] = _problem(await runner.run(job), runner)

        async with anyio.create_task_group() as tasks:
            for job in again:
                tasks.start_soon(ask, job)
        problem = next(filter(None, found.values()), "")
        if problem:
            return failed(f"Of {len(again)} questions at once, one was not answered: {problem}")
        return passed(f"It answers {len(again)} questions at once.")


def _problem(response: Response | None, runner: SystemRunner) -> str:
    """The problem with a response; empty if there is none."""
    if response is None:
        return runner.caller.fatal or runner.caller.stopped or "it gave no response"
    return response.error or ""


# Systems that ask a model.


def _model_checks(
    bench: BenchView, system: System, limits: RequestLimits, chosen: Sequence[Job], first: _Trial
) -> Iterator[CheckResult]:
    """Checks of the calls that a system makes, and of what it does with completions that are not answers."""
    yield from _bounds(bench, system, first)
    unusual: dict[str, _StubModel] = {
        "says nothing": _StubModel(""),
        "refuses": _StubModel("I cannot help with that.", "refused"),
        "is cut off": _StubModel("Answer", "length"),
        "finds the prompt too long": _StubModel("", "overflow"),
    }
    bad = 0
    for behavior, model in unusual.items():
        results = anyio.run(_Trial(bench, system, limits, chosen[:1], model).run)
        for result in results:
            if result.result == "failed":
                bad += 1
                yield failed(f"With a model that {behavior}: {result.sentence}")
    if not bad:
        yield passed(f"It gives a response when the model {', '.join(unusual)}.")


def _bounds(bench: BenchView, system: System, trial: _Trial) -> Iterator[CheckResult]:
    """Whether the estimates bound the calls that were made."""
    seen: set[str] = set()
    for job, prompts in trial.calls:
        view = bench.view(job.context, job.question)
        bound = system.estimate(job.question, view)
        most, largest = bound.calls + bound.spare_calls, bound.largest_call
        if bound.per_context is not None and job.context.id not in seen:
            most, largest = most + bound.per_context.calls, max(largest, bound.per_context.largest_call)
        seen.add(job.context.id)
        if len(prompts) > most:
            yield failed(
                f"It made {len(prompts)} calls for the question '{job.question.id}', and its estimate allows {most}. "
                "Plans and budgets would be too low."
            )
            return
        used = max((view.estimate(prompt).input_tokens for prompt in prompts), default=0)
        if used > largest:
            yield failed(
                f"A prompt for the question '{job.question.id}' has {used:,} tokens, and the estimate says at most "
                f"{largest:,}. Questions could exceed the model's window."
            )
            return
    calls = sum(len(prompts) for _, prompts in trial.calls)
    yield passed(f"Its estimates bound the {calls} calls and the prompts that it made.")
