"""A bench as a task of the engine, for those who come by its own door: `inspect eval fathom/numeric -T bench=PATH`."""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import Model, ModelOutput, get_model
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from fathom.models.model_info import model_info
from fathom.records.contexts import ContextId
from fathom.records.questions import Response, Usage
from fathom.runs.answering import Answering
from fathom.runs.bench_view import BenchView
from fathom.runs.budget import Budget
from fathom.runs.engine import EngineModel, RetryPolicy, sample_of
from fathom.runs.folder import RunSettings
from fathom.runs.gate import Gate
from fathom.runs.plan import Fitting, Job, jobs
from fathom.runs.run import expander
from fathom.systems.protocol import System

ResponseCheck = Callable[[Response], tuple[bool, str]]
"""Whether a response is right, and why or why not."""


class MemoryJournal:
    """Keeps responses and notes for as long as the engine runs; its own log outlasts it."""

    def __init__(self) -> None:
        self._notes: dict[tuple[ContextId, str], str] = {}

    def append(self, response: Response) -> None:
        """The engine's log holds it."""

    def noted(self, context: ContextId, name: str) -> str | None:
        return self._notes.get((context, name))

    def note(self, context: ContextId, name: str, text: str) -> None:
        self._notes[context, name] = text

    def pay(self, usage: Usage) -> None:
        """The engine adds up what was used."""


def task_of(exam: BenchView, system: System, settings: RunSettings, check: ResponseCheck) -> Task:
    """The bench's questions, answered by the system with whatever model the engine was given."""
    wanted = {job.id: job for group in jobs(exam, settings) for job in group}
    return Task(
        dataset=MemoryDataset([sample_of(job) for job in wanted.values()]),
        solver=_answered(exam, system, settings, wanted),
        scorer=_scored(check),
        fail_on_error=False,
        # A question without a response counts: it is as little right as a wrong one.
        score_on_error=True,
    )


def _answered(exam: BenchView, system: System, settings: RunSettings, wanted: dict[str, Job]) -> Solver:
    answerings: WeakKeyDictionary[Model, Answering] = WeakKeyDictionary()

    def answering(model: Model) -> Answering:
        if model not in answerings:
            engine = EngineModel(model, expander(exam, wanted.values()), RetryPolicy())
            price = model_info(str(model))
            answerings[model] = Answering(exam, system, engine, price, settings, MemoryJournal(), Budget(None), Gate())
        return answerings[model]

    def fits(job: Job, model: Model) -> bool:
        fitting = Fitting(exam, system, model_info(str(model)), settings)
        return fitting.fits(fitting.expected(job))

    @solver(name="fathom")
    def answered() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            job, model = wanted[str(state.sample_id)], get_model()
            if fits(job, model):
                response = await answering(model).one(job)
            else:
                response = Response(question_id=job.question.id, sample=job.sample, outcome="overflow")
            if response is None or response.outcome == "error":
                raise RuntimeError(response.error if response else "not begun")
            state.output = ModelOutput.from_content(str(model), response.text)
            state.store.set("response", response.model_dump(mode="json"))
            return state

        return solve

    return answered()


def _scored(check: ResponseCheck) -> Scorer:
    @scorer(metrics=[accuracy(), stderr(cluster="context")], name="fathom")
    def scored() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            kept = state.store.get("response")
            if kept is None:
                return Score(value=INCORRECT, explanation="failed: no response came")
            response = Response.model_validate(kept)
            right, why = check(response)
            return Score(value=CORRECT if right else INCORRECT, answer=response.text[-500:], explanation=why)

        return score

    return scored()
