"""Runs a bench: keeps existing responses, records `overflow` for questions that do not fit, and asks the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from fathom.models.model_info import ModelInfo
from fathom.models.prompts import Expand, Reference
from fathom.records.contexts import Context, ContextId
from fathom.records.documents import Count
from fathom.records.errors import FathomError
from fathom.records.questions import Response, Usage
from fathom.records.record import Record
from fathom.runs.bench_view import BenchView
from fathom.runs.calling import Budget
from fathom.runs.folder import LOGS, ResponseIndex, RunFolder, RunManifest
from fathom.runs.plan import Job, WindowCheck, jobs
from fathom.systems.protocol import System, render_form

OnResponse = Callable[[Response], None]
"""Called with each new response, to show progress."""
SimulatedAnswer = Callable[[Job, int], Response]
"""Gives a simulated model's response to a job, from the job and the number of earlier attempts."""
OpenedModel = Callable[[], AbstractContextManager[tuple[str, dict[str, str]]]]
"""Opens a model, and starts its server if it needs one; gives the engine's name for the model and its arguments."""


class RunStatus(Record):
    """The progress of a run: its outcomes, usage and errors, and whether it ended early."""

    responses: Count
    """Responses of the complete run: questions times samples."""
    outcomes: dict[str, Count]
    """Responses so far, by outcome."""
    waiting: Count
    """Not asked yet: the run was stopped or its budget was reached."""
    usage: Usage
    errors: dict[str, Count] = {}
    """The three most frequent error messages, with their counts."""
    stopped: str | None = None
    """Why it ended early."""
    interrupted: bool = False
    """Whether Ctrl-C ended it early."""

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


def run(
    bench: BenchView,
    system: System,
    info: ModelInfo,
    manifest: RunManifest,
    path: Path,
    opened: OpenedModel,
    limits: RunLimits,
    on_response: OnResponse = lambda response: None,
) -> RunStatus:
    """Ask a model every question that has no response yet, through the engine; returns the status of the run."""
    try:
        from fathom.runs.answering import SystemRunner
        from fathom.runs.calling import INTERRUPTED, Gate, ModelCaller
        from fathom.runs.engine import run_jobs
        from fathom.runs.engine_model import EngineModel, open_model
    except ModuleNotFoundError as error:
        raise missing_engine(error) from error
    settings = manifest.settings
    with opened() as (name, arguments):
        # Opened before the folder is created: a wrong name or a missing key must leave no folder.
        model = open_model(name, settings, limits, **arguments)
        with RunFolder(path, manifest) as folder:
            pending = _pending(bench, system, info, folder, on_response)
            caller = ModelCaller(
                EngineModel(model, expander(bench, pending), limits.backoff),
                info,
                settings.max_tokens,
                Budget(limits.budget, folder.spent),
                Gate(limits.contexts_at_once),
                folder.pay,
            )
            runner = SystemRunner(bench, system, caller, folder, on_response)
            if pending:
                run_jobs(runner.run, pending, caller, model, path / LOGS, limits.connections)
            if caller.fatal is not None:
                raise FathomError(caller.fatal)
            return summarize(bench, manifest, folder.index(), caller.stopped, caller.stopped == INTERRUPTED)


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
    answer: SimulatedAnswer,
    on_response: OnResponse = lambda response: None,
) -> RunStatus:
    """Like `run`, for a simulated model: without the engine, one response after another."""
    with RunFolder(path, manifest) as folder:
        attempts = folder.index().attempts
        for job in _pending(bench, system, info, folder, on_response):
            response = answer(job, attempts[job.question.id, job.sample])
            folder.append(response)
            on_response(response)
        return summarize(bench, manifest, folder.index())


def _pending(
    bench: BenchView, system: System, info: ModelInfo, folder: RunFolder, on_response: OnResponse
) -> list[Job]:
    """The jobs without a response. Those that do not fit the window get the outcome `overflow` here."""
    settings = folder.manifest.settings
    index = folder.index()
    window = WindowCheck(bench, system, info, settings)
    pending: list[Job] = []
    for group in jobs(bench, settings):
        for job in group:
            if index.is_done(job.question.id, job.sample):
                continue
            if not window.is_needed or window.fits(window.estimate(job)):
                pending.append(job)
            elif index.attempts[job.question.id, job.sample] == 0:
                response = Response(question_id=job.question.id, sample=job.sample, outcome="overflow")
                folder.append(response)
                on_response(response)
    return pending


def expander(bench: BenchView, pending: Iterable[Job]) -> Expand:
    """A function that gives the text of references in the prompts of these jobs."""
    contexts: dict[ContextId, Context] = {job.context.id: job.context for job in pending}

    def expand(reference: Reference) -> str:
        text = render_form(bench.views(reference.family), contexts[reference.context], reference.form).decode()
        whole = reference.start == 0 and reference.end is None
        return text if whole else text[reference.start : reference.end]

    return expand


def summarize(
    bench: BenchView, manifest: RunManifest, index: ResponseIndex, stopped: str | None = None, interrupted: bool = False
) -> RunStatus:
    """The status of a run, from the responses that it has."""
    wanted = [(job.question.id, job.sample) for group in jobs(bench, manifest.settings) for job in group]
    found = [index.responses[place] for place in wanted if place in index.responses]
    usage = Usage(price=0.0)
    for response in found:
        # A response without tokens, such as an overflow, cost nothing; its price is not unknown.
        used = response.usage
        usage = usage.plus(used if used.input_tokens else used.model_copy(update={"price": 0.0}))
    errors = Counter(response.error[:120] for response in found if response.error is not None)
    return RunStatus(
        responses=len(wanted),
        outcomes=dict(sorted(Counter(response.outcome for response in found).items())),
        waiting=len(wanted) - len(found),
        usage=usage,
        errors=dict(errors.most_common(3)),
        stopped=stopped,
        interrupted=interrupted,
    )
