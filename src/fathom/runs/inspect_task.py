"""A bench as a task of the engine, for `inspect eval fathom/FAMILY -T bench=PATH`."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import Model, ModelOutput, get_model
from inspect_ai.scorer import INCORRECT, Score
from inspect_ai.solver import Generate, Solver, TaskState, solver

from fathom.models.model_info import model_info
from fathom.records.questions import Response
from fathom.runs.bench_view import BenchView
from fathom.runs.engine import sample_of, scorer_of
from fathom.runs.engine_model import EngineModel
from fathom.runs.folder import RunSettings
from fathom.runs.memory_journal import MemoryJournal
from fathom.runs.model_caller import ModelCaller
from fathom.runs.plan import Job, WindowCheck, jobs
from fathom.runs.request_limits import Budget, Gate
from fathom.runs.run import CheckResponse, expander
from fathom.runs.system_runner import SystemRunner
from fathom.systems.protocol import System

RESPONSE = "response"
"""The name of the whole response in the store of a sample."""


def task_of(bench: BenchView, system: System, settings: RunSettings, check: CheckResponse) -> Task:
    """The bench's questions, answered by the system with the model that the engine was given."""
    wanted = {job.id: job for group in jobs(bench, settings) for job in group}
    questions = {job.question.id: job.question for job in wanted.values()}
    no_response = Score(value=INCORRECT, explanation="error: no response")
    return Task(
        dataset=MemoryDataset([sample_of(job) for job in wanted.values()]),
        solver=_solver(bench, system, settings, wanted),
        scorer=scorer_of(lambda one: check(questions[one.question_id], one), _stored, missing=no_response),
        fail_on_error=False,
        # A question without a response counts as incorrect.
        score_on_error=True,
    )


def _solver(bench: BenchView, system: System, settings: RunSettings, wanted: dict[str, Job]) -> Solver:
    runners: WeakKeyDictionary[Model, SystemRunner] = WeakKeyDictionary()

    def runner(model: Model) -> SystemRunner:
        if model not in runners:
            engine = EngineModel(model, expander(bench, wanted.values()))
            journal, info = MemoryJournal(), model_info(str(model))
            caller = ModelCaller(engine, info, settings.max_tokens, Budget(None), Gate(), journal.pay)
            runners[model] = SystemRunner(bench, system, caller, journal)
        return runners[model]

    def fits(job: Job, model: Model) -> bool:
        window = WindowCheck(bench, system, model_info(str(model)), settings)
        return window.fits(window.estimate(job))

    @solver(name="fathom")
    def solve_job() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            job, model = wanted[str(state.sample_id)], get_model()
            if fits(job, model):
                response = await runner(model).run(job)
            else:
                response = Response(question_id=job.question.id, sample=job.sample, outcome="overflow")
            if response is None or response.outcome == "error":
                raise RuntimeError(response.error if response else "not begun")
            state.output = ModelOutput.from_content(str(model), response.text)
            state.store.set(RESPONSE, response.model_dump(mode="json"))
            return state

        return solve

    return solve_job()


def _stored(state: TaskState) -> Response | None:
    stored = state.store.get(RESPONSE)
    return None if stored is None else Response.model_validate(stored)
