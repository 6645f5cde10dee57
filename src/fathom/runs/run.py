"""A run from first to last: what is there is kept, what does not fit is refused, the rest is asked."""

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
from fathom.runs.budget import Budget
from fathom.runs.folder import LOGS, ResponseIndex, RunFolder, RunManifest
from fathom.runs.plan import Fitting, Job, jobs
from fathom.systems.protocol import System, render_form

Watch = Callable[[Response], None]
SimulatedAnswer = Callable[[Job, int], Response]
"""A simulated answerer's response to a job, at its first, second, ... attempt."""


class RunSummary(Record):
    """What a run amounts to."""

    responses: Count
    """Wanted, all in all."""
    outcomes: dict[str, Count]
    waiting: Count
    """Not asked yet: the run was stopped or its budget was reached."""
    usage: Usage
    errors: dict[str, Count] = {}
    """What went wrong most often, in the providers' words."""
    stopped: str | None = None
    """Why it ended early."""

    @property
    def is_whole(self) -> bool:
        return not self.waiting and not self.outcomes.get("error")


@dataclass(frozen=True)
class RunLimits:
    """How many requests are in flight, and what they may cost."""

    connections: int = 8
    contexts_at_once: int = 4
    budget: float | None = None
    retries: int = 4
    seconds: int = 600
    backoff: float = 2.0


def run(
    exam: BenchView,
    system: System,
    known: ModelInfo,
    manifest: RunManifest,
    path: Path,
    opened: Callable[[], AbstractContextManager[tuple[str, dict[str, str]]]],
    company: RunLimits,
    watch: Watch = lambda response: None,
) -> RunSummary:
    """Ask a model through the engine; `opened` gives the engine's name of it, and starts whatever serves it."""
    try:
        from fathom.runs.answering import Answering
        from fathom.runs.engine import EngineModel, RetryPolicy, open_model, run_jobs
        from fathom.runs.gate import Gate
    except ModuleNotFoundError as error:
        raise FathomError(
            f"Models are asked through an engine that is not installed ({error.name} is missing). "
            "Install it with `pip install 'fathom-bench[run]'`."
        ) from error
    endurance = RetryPolicy(company.retries, company.seconds, company.backoff)
    with opened() as (name, arguments):
        # Opened first: a wrong name or a missing key is told before a folder is made.
        model = open_model(name, manifest.settings, endurance, company.connections, **arguments)
        with RunFolder(path, manifest) as folder:
            pending = _pending(exam, system, known, folder, watch)
            answering = Answering(
                exam,
                system,
                EngineModel(model, expander(exam, pending), endurance),
                known,
                manifest.settings,
                folder,
                Budget(company.budget, folder.spent),
                Gate(company.contexts_at_once),
                watch,
            )
            if pending:
                run_jobs(answering, pending, model, path / LOGS, company.connections)
            if answering.fatal is not None:
                raise FathomError(answering.fatal)
            return _ran(exam, manifest, folder.standing(), answering.stopped)


def run_simulated(
    exam: BenchView,
    system: System,
    known: ModelInfo,
    manifest: RunManifest,
    path: Path,
    answer: SimulatedAnswer,
    watch: Watch = lambda response: None,
) -> RunSummary:
    """The same for an answerer that needs no engine: one response after another."""
    with RunFolder(path, manifest) as folder:
        standing = folder.standing()
        for job in _pending(exam, system, known, folder, watch):
            response = answer(job, standing.attempts[job.question.id, job.sample])
            folder.append(response)
            watch(response)
        return _ran(exam, manifest, folder.standing(), None)


def _pending(exam: BenchView, system: System, known: ModelInfo, folder: RunFolder, watch: Watch) -> list[Job]:
    """What is still to be asked; what cannot fit is refused here, before anything is sent."""
    settings = folder.manifest.settings
    standing = folder.standing()
    fitting = Fitting(exam, system, known, settings)
    pending: list[Job] = []
    for group in jobs(exam, settings):
        for job in group:
            if standing.is_done(job.question.id, job.sample):
                continue
            if not fitting.is_bound or fitting.fits(fitting.expected(job)):
                pending.append(job)
            elif standing.attempts[job.question.id, job.sample] == 0:
                response = Response(question_id=job.question.id, sample=job.sample, outcome="overflow")
                folder.append(response)
                watch(response)
    return pending


def expander(exam: BenchView, pending: Iterable[Job]) -> Expand:
    """What references in the prompts of these jobs stand for."""
    contexts: dict[ContextId, Context] = {job.context.id: job.context for job in pending}

    def expand(reference: Reference) -> str:
        text = render_form(exam.views(reference.family), contexts[reference.context], reference.form).decode()
        whole = reference.start == 0 and reference.end is None
        return text if whole else text[reference.start : reference.end]

    return expand


def _ran(exam: BenchView, manifest: RunManifest, standing: ResponseIndex, stopped: str | None) -> RunSummary:
    wanted = [(job.question.id, job.sample) for group in jobs(exam, manifest.settings) for job in group]
    found = [standing.responses[place] for place in wanted if place in standing.responses]
    usage = Usage(price=0.0)
    for response in found:
        usage = usage.plus(
            response.usage if response.usage.input_tokens else response.usage.model_copy(update={"price": 0.0})
        )
    errors = Counter(response.error[:120] for response in found if response.error is not None)
    return RunSummary(
        responses=len(wanted),
        outcomes=dict(sorted(Counter(response.outcome for response in found).items())),
        waiting=len(wanted) - len(found),
        usage=usage,
        errors=dict(errors.most_common(3)),
        stopped=stopped,
    )
