"""Runs jobs as samples of the engine, with a separate log for each run."""

from __future__ import annotations

import errno
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Protocol, TypeVar

import anyio
from inspect_ai import Task, eval_async
from inspect_ai.agent._acp.transport import _acp_live_active
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import Model, ModelOutput
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util._display import init_display_type

from fathom.records.questions import Response
from fathom.runs.model_caller import ModelCaller, Notify, ignore_notice, stop_on_interrupt

BLOCK = 2_000
"""Jobs in one of the engine's logs: it keeps about 20 KB of each in memory until the log is closed."""


class EngineJob(Protocol):
    """A job as the engine lists it. Contexts and prompts are not part of it."""

    @property
    def id(self) -> str: ...

    @property
    def group(self) -> str:
        """Jobs of one group share a prefix and stay in one block."""
        ...

    @property
    def label(self) -> str: ...

    @property
    def metadata(self) -> Mapping[str, str]: ...


J = TypeVar("J", bound=EngineJob)
RunJob = Callable[[J], Awaitable[Response | None]]
ResponseCheck = Callable[[Response], tuple[bool, str] | None]
"""Whether a response is correct, and the reason; None if that takes a judge."""


def engine_version() -> str:
    """The engine's name and version."""
    return f"inspect_ai {version('inspect_ai')}"


def run_jobs(
    run_job: RunJob[J],
    jobs: Sequence[J],
    caller: ModelCaller,
    model: Model,
    logs: Path,
    connections: int,
    notify: Notify = ignore_notice,
    check: ResponseCheck | None = None,
) -> None:
    """Run all jobs; returns when each of them has a response, failed, or was not begun.

    With a check, the logs have scores.
    """

    async def run_all() -> None:
        init_display_type("none")
        # The engine has a session for each sample in which editors can watch it, and maps every event for them.
        _acp_live_active.set(True)
        try:
            for block in _blocks(jobs):
                if caller.stopped is None:
                    problem = await _run_block(run_job, block, model, logs, connections, check)
                    if problem is not None:
                        # The engine writes a log beside our files.
                        full = os.strerror(errno.ENOSPC) in problem
                        caller.stop("the disk is full" if full else f"the engine failed: {problem}")
        finally:
            await model.api.aclose()

    with stop_on_interrupt(caller, notify):
        anyio.run(run_all)


def _blocks(jobs: Sequence[J]) -> Iterator[list[J]]:
    """The jobs in blocks of about `BLOCK`, with the jobs of one group together."""
    block: list[J] = []
    for job in jobs:
        if len(block) >= BLOCK and job.group != block[-1].group:
            yield block
            block = []
        block.append(job)
    if block:
        yield block


async def _run_block(
    run_job: RunJob[J], jobs: list[J], model: Model, logs: Path, connections: int, check: ResponseCheck | None
) -> str | None:
    """Run the jobs of one log; returns why the engine ended early, if it did."""
    responses: dict[str, Response] = {}
    [log] = await eval_async(
        Task(
            name="fathom",
            dataset=MemoryDataset([sample_of(job) for job in jobs]),
            solver=_solver(run_job, {job.id: job for job in jobs}, responses),
            scorer=scorer_of(check, lambda state: responses.pop(str(state.sample_id), None)) if check else None,
            fail_on_error=False,
        ),
        model=model,
        log_dir=str(logs),
        log_format="eval",
        # The engine reads a log's whole directory each time it writes to it, so writing after every sample takes
        # quadratic time. The journal has the responses; a kill loses at most this part of the log.
        log_buffer=100,
        log_model_api=False,
        log_realtime=False,
        # A server at which other programs of the machine can read and direct the run.
        ctl_server=False,
        score=check is not None,
        # Questions that wait at the gate use no connection. With fewer samples in flight, connections would be idle.
        max_samples=3 * connections,
    )
    return log.error.message if log.status == "error" and log.error is not None else None


def _solver(run_job: RunJob[J], jobs: dict[str, J], responses: dict[str, Response]) -> Solver:
    """Runs the job of each sample. A failure is journaled as a response and shown in the log as an error."""

    # The solver has no parameters, since the engine writes parameters into its log.
    @solver(name="fathom")
    def solve_job() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            response = await run_job(jobs[str(state.sample_id)])
            if response is not None and response.outcome == "error":
                raise RuntimeError(response.error)
            if response is not None:
                responses[str(state.sample_id)] = response
            state.output = ModelOutput.from_content(str(state.model), response.text if response else "")
            return state

        return solve

    return solve_job()


def scorer_of(
    check: ResponseCheck, find: Callable[[TaskState], Response | None], missing: Score | None = None
) -> Scorer:
    """Scores the response that `find` gives; `missing` is the score of a sample without one."""

    @scorer(metrics=[accuracy(), stderr(cluster="context")], name="fathom")
    def score_response() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score | None:
            response = find(state)
            if response is None:
                return missing
            checked = check(response)
            if checked is None:
                return None
            correct, reason = checked
            return Score(value=CORRECT if correct else INCORRECT, answer=response.text[-500:], explanation=reason)

        return score

    return score_response()


def sample_of(job: EngineJob) -> Sample:
    """A job as a sample of the engine, without its context."""
    return Sample(id=job.id, input=job.label, metadata=dict(job.metadata))
