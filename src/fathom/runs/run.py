"""Runs a bench: keeps existing responses, records `overflow` for questions that do not fit, and asks the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from fathom.models.model_info import ModelInfo
from fathom.models.prompts import Expand, TextReference
from fathom.records.contexts import Context, ContextId
from fathom.records.documents import NonNegativeInt
from fathom.records.errors import FathomError
from fathom.records.questions import Question, Response, Usage
from fathom.records.record import Record
from fathom.runs.bench_view import BenchView
from fathom.runs.folder import (
    INTERRUPTED,
    LOGS,
    NO_MODEL,
    ResponseIndex,
    RunFolder,
    RunManifest,
    begin_session,
    foreign_response,
    lost_calls,
    spent_at_most,
    total_usage,
)
from fathom.runs.plan import Job, WindowCheck, jobs
from fathom.runs.progress import ProgressReporter
from fathom.runs.request_limits import Budget, Gate, Pace, SharedLimits
from fathom.runs.simulated_session import SimulatedResponder, answer_in_session
from fathom.systems.catalog import reads_everything
from fathom.systems.http import is_address
from fathom.systems.protocol import CallEstimate, RequestLimits, System, opened, render_form

OpenedModel = Callable[[], AbstractContextManager[tuple[str, dict[str, str]]]]
"""Opens a model, and starts its server if it needs one; gives the engine's name for the model and its arguments."""
CheckResponse = Callable[[Question, Response], tuple[bool, str] | None]
"""Whether a response to a question is correct, and the reason; None if that takes a judge."""


class RunStatus(Record):
    """The progress of a run: its outcomes, usage and errors, and whether it ended early."""

    responses: NonNegativeInt
    """Responses of the complete run: questions times samples."""
    outcomes: dict[str, NonNegativeInt]
    """Responses so far, by outcome."""
    waiting: NonNegativeInt
    """Not asked yet: the run was stopped or its budget was reached."""
    usage: Usage
    maybe_paid: NonNegativeInt = 0
    """Attempts of a system of your own that gave no answer and may have cost money. Usage does not include them."""
    lost_calls: NonNegativeInt = 0
    """Calls that broke off or were in flight at a kill, and may have cost money. Usage does not include them."""
    implausible_usage: str | None = None
    """The problem with the usage that the server reported in this process; None if it is plausible."""
    errors: dict[str, NonNegativeInt] = {}
    """The three most frequent error messages, with their counts."""
    stopped: str | None = None
    """Why it ended early."""
    interrupted: bool = False
    """Whether Ctrl-C or another signal ended it early."""

    @property
    def is_complete(self) -> bool:
        return not self.waiting and not self.outcomes.get("error")


@dataclass(frozen=True)
class RunLimits:
    """Limits on requests in flight, spending and retries."""

    connections: int = 8
    contexts_at_once: int = 4
    budget: float | None = None
    """US dollars."""
    retries: int = 4
    timeout: int = 600
    """Seconds for one attempt."""
    backoff: float = 2.0
    """Seconds before the second attempt."""
    max_outage: float = 120.0
    """Seconds to wait for an endpoint that has stopped answering."""
    connect_timeout: float = 30.0
    """Seconds for a connection to the server, and as many again for its TLS handshake."""
    requests_per_minute: float | None = None
    """The maximum number of requests that are begun in a minute; retries after a rate limit are not counted."""
    shared: SharedLimits | None = None
    """The budget and the gates that the cells of a matrix share."""

    def budget_for(self, folder: RunFolder, info: ModelInfo) -> Budget:
        """The budget of a run."""
        return self.shared.budget if self.shared else Budget(self.budget, spent_at_most(folder.folder, info))

    def gate_for(self, model: str) -> Gate:
        """The gate of a run."""
        return self.shared.gate(model, self.contexts_at_once) if self.shared else Gate(self.contexts_at_once)


def run(
    bench: BenchView,
    system: System,
    info: ModelInfo,
    manifest: RunManifest,
    path: Path,
    open_provider: OpenedModel,
    limits: RunLimits,
    reporter: ProgressReporter | None = None,
    check: CheckResponse | None = None,
) -> RunStatus:
    """Ask a model every question that has no response yet, through the engine; returns the status of the run.

    With `check`, the engine's logs have scores. Nothing that answers sees it.
    """
    try:
        from fathom.runs.engine import engine_version, run_jobs
        from fathom.runs.engine_model import EngineModel, open_model
        from fathom.runs.model_caller import ModelCaller
        from fathom.runs.system_runner import SystemRunner
    except ModuleNotFoundError as error:
        raise missing_engine(error) from error
    reporter = reporter or ProgressReporter()
    settings = manifest.settings
    with open_provider() as (name, arguments):
        # Opened before the folder is created: a wrong name or a missing key must leave no folder.
        model = open_model(name, settings, limits, **arguments)
        session = begin_session(settings.window or info.window, model.api.base_url or "", engine_version())
        with RunFolder(path, manifest, session) as folder:
            pending = list(_pending(bench, system, info, folder, reporter))
            caller = ModelCaller(
                EngineModel(model, expander(bench, pending), limits, reporter, folder.add_model_version),
                info,
                settings.max_tokens,
                limits.budget_for(folder, info),
                limits.gate_for(manifest.model),
                folder.pay,
                folder.sending,
                Pace(limits.requests_per_minute),
                reporter.notify,
            )
            runner = SystemRunner(bench, system, caller, folder, reporter.responded)
            questions = {job.question.id: job.question for job in pending}
            if pending:
                run_jobs(
                    *(runner.run, pending, caller, model, path / LOGS, limits.connections, reporter.notify),
                    check=None if check is None else lambda one: check(questions[one.question_id], one),
                )
            return _end(bench, folder, caller.ended_early, caller.fatal, caller.implausible)


def run_without_model(
    bench: BenchView,
    system: System,
    manifest: RunManifest,
    path: Path,
    limits: RunLimits,
    reporter: ProgressReporter | None = None,
) -> RunStatus:
    """Like `run`, for a system that needs no model: without the engine, several questions at once."""
    try:
        import anyio

        from fathom.runs.model_caller import ModelCaller, NoModel, stop_on_interrupt
        from fathom.runs.system_runner import SystemRunner
    except ModuleNotFoundError as error:
        raise missing_engine(error) from error
    info, shown = ModelInfo(), reporter or ProgressReporter()

    async def run_all() -> RunStatus:
        # Opened before the folder is created: a wrong address must leave no folder.
        requests = RequestLimits(limits.retries, limits.timeout, limits.backoff)
        model = None if manifest.model == NO_MODEL else manifest.model
        session = begin_session(None, system.name if is_address(system.name) else "")
        async with opened(system, requests, model) as active:
            with RunFolder(path, manifest, session) as folder:
                budget = limits.budget_for(folder, info)
                caller = ModelCaller(
                    NoModel(),
                    info,
                    manifest.settings.max_tokens,
                    budget,
                    Gate(),
                    folder.pay,
                    folder.sending,
                    Pace(limits.requests_per_minute),
                )
                runner = SystemRunner(bench, active, caller, folder, shown.responded)
                pending = _pending(bench, system, info, folder, shown)

                async def work() -> None:
                    for job in pending:
                        await runner.run(job)

                with stop_on_interrupt(caller, shown.notify):
                    async with anyio.create_task_group() as tasks:
                        for _ in range(limits.connections):
                            tasks.start_soon(work)
                return _end(bench, folder, caller.ended_early, caller.fatal)

    return anyio.run(run_all)


def _end(
    bench: BenchView, folder: RunFolder, stopped: str | None, fatal: str | None, implausible: str | None = None
) -> RunStatus:
    """The status at the end of a run, whose reason is stored for `fathom runs`."""
    folder.stop(stopped)
    if fatal is not None:
        raise FathomError(fatal)
    interrupted = (stopped or "").startswith(INTERRUPTED)
    lost = len(lost_calls(folder.folder))
    status = summarize(bench, folder.manifest, folder.index, stopped, interrupted, lost)
    return status.model_copy(update={"implausible_usage": implausible})


def missing_engine(error: ModuleNotFoundError) -> FathomError:
    """The error for an installation without the engine."""
    return FathomError(
        f"The engine that calls models is not installed ({error.name} is missing). "
        "Install it with `pip install 'fathom-bench[run]'`."
    )


def run_simulated(
    bench: BenchView,
    system: System,
    info: ModelInfo,
    manifest: RunManifest,
    path: Path,
    model: SimulatedResponder,
    reporter: ProgressReporter | None = None,
) -> RunStatus:
    """Like `run`, for a simulated model: without the engine, one response after another."""
    reporter = reporter or ProgressReporter()
    with RunFolder(path, manifest, begin_session(manifest.settings.window or info.window)) as folder:
        prompts = WindowCheck(bench, system, info, manifest.settings)
        for job in _pending(bench, system, info, folder, reporter):
            attempt = folder.index.attempts[job.question.id, job.sample]
            if reads_everything(system):
                tokens = _input_tokens(prompts.estimate(job), job, folder)
                response = _with_input(model.answer(job, attempt, None), tokens)
            else:
                response = answer_in_session(system, job, bench, folder, model, attempt)
            folder.append(response)
            reporter.responded(response)
        return _end(bench, folder, None, None)


def _input_tokens(estimate: CallEstimate, job: Job, folder: RunFolder) -> int:
    """The input tokens of a question's calls; calls once per context count for its first question."""
    once, name = estimate.per_context, f"calls for {job.question.family}"
    if once is None or folder.stored_result(job.context.id, name) is not None:
        return estimate.input_tokens
    folder.store_result(job.context.id, name, "counted")
    return estimate.input_tokens + once.input_tokens


def _with_input(response: Response, tokens: int) -> Response:
    """A simulated response with the input tokens that a model would have been sent."""
    if response.outcome == "error":
        return response
    return response.model_copy(update={"usage": response.usage.model_copy(update={"input_tokens": tokens})})


def _pending(
    bench: BenchView, system: System, info: ModelInfo, folder: RunFolder, reporter: ProgressReporter
) -> Iterator[Job]:
    """The jobs without a response. Those that do not fit the window get the outcome `overflow` here."""
    settings, index = folder.manifest.settings, folder.index
    asked = {job.question.id for group in jobs(bench, settings) for job in group} if index.states else set()
    if foreign := next((question for question, _ in index.states if question not in asked), None):
        raise foreign_response(folder.folder, foreign)
    window = WindowCheck(bench, system, info, settings)
    for group in jobs(bench, settings):
        for job in group:
            if index.is_done(job.question.id, job.sample):
                continue
            if not window.is_needed or window.fits(window.estimate(job)):
                yield job
            elif index.attempts[job.question.id, job.sample] == 0:
                # Nothing is sent, so it is free whether or not prices are known.
                free = Usage(price=0.0)
                response = Response(question_id=job.question.id, sample=job.sample, outcome="overflow", usage=free)
                folder.append(response)
                reporter.responded(response)


def expander(bench: BenchView, pending: Iterable[Job]) -> Expand:
    """A function that gives the text of references in the prompts of these jobs."""
    contexts: dict[ContextId, Context] = {job.context.id: job.context for job in pending}

    def expand(reference: TextReference) -> str:
        views, context = bench.views(reference.family), contexts[reference.context]
        return render_form(views, context, reference.form, reference.start, reference.end)

    return expand


def summarize(
    bench: BenchView,
    manifest: RunManifest,
    index: ResponseIndex,
    stopped: str | None = None,
    interrupted: bool = False,
    lost: int = 0,
) -> RunStatus:
    """The status of a run, from the responses that it has."""
    wanted = [(job.question.id, job.sample) for group in jobs(bench, manifest.settings) for job in group]
    found = [index.states[place] for place in wanted if place in index.states]
    errors = Counter(state.error[:120] for state in found if state.error is not None)
    return RunStatus(
        responses=len(wanted),
        outcomes=dict(sorted(Counter(state.outcome for state in found).items())),
        waiting=len(wanted) - len(found),
        usage=total_usage(found),
        maybe_paid=index.maybe_paid,
        lost_calls=lost,
        errors=dict(errors.most_common(3)),
        stopped=stopped,
        interrupted=interrupted,
    )
