"""Runs a system on one question at a time and journals every response."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from inspect import isawaitable
from pathlib import Path
from typing import Protocol

import anyio

from fathom.models.prompts import Completion, Prompt
from fathom.records.contexts import ContextId
from fathom.records.errors import FathomError
from fathom.records.questions import QuestionId, Response, Step, Usage
from fathom.runs.bench_view import BenchView
from fathom.runs.model_caller import MakeEstimate, ModelCaller
from fathom.runs.plan import Job
from fathom.runs.redaction import error_text, explain
from fathom.runs.trace import Trace
from fathom.systems.protocol import ArtifactScope, CallError, CallEstimate, ContextView, Session, System


class RunJournal(Protocol):
    """The storage of responses, results for a context, and artifacts."""

    def append(self, response: Response) -> None: ...

    def stored_result(self, context: ContextId, name: str) -> str | None: ...

    def store_result(self, context: ContextId, name: str, text: str) -> None: ...

    def pay(self, usage: Usage) -> None: ...

    def artifact(self, scope: str, name: str, make: Callable[[Path], None]) -> Path: ...

    def find_call(self, question: QuestionId, sample: int, prompt: Prompt) -> Completion | None: ...

    def add_call(self, question: QuestionId, sample: int, prompt: Prompt, completion: Completion) -> None: ...


@dataclass(frozen=True)
class _Session:
    """The session that a system gets for one job."""

    runner: SystemRunner
    view: ContextView
    estimate: MakeEstimate
    question: QuestionId
    sample: int = 0
    trace: Trace = field(default_factory=Trace)

    async def ask(self, prompt: Prompt, purpose: str = "") -> Completion:
        journal = self.runner.journal
        completion = journal.find_call(self.question, self.sample, prompt)
        if completion is None:
            begins = None if self.trace.spent else self.estimate
            completion = await self.runner.caller.ask(prompt, lambda: self.view.estimate(prompt), begins)
            if completion.stop != "overflow":  # nothing was sent, and the next window may be larger
                journal.add_call(self.question, self.sample, prompt, completion)
        self.trace.add_call(prompt, purpose, completion)
        return completion

    def highest_usage(self, estimate: CallEstimate) -> Usage:
        return self.runner.caller.highest_usage(estimate)

    async def call(
        self, send: Callable[[], Awaitable[Completion]], name: str, input: str = "", highest_price: float | None = None
    ) -> Completion:
        completion = await self.runner.caller.call(send, highest_price, begins=not self.trace.spent)
        self.trace.spent.append(completion.usage)
        self.record(Step(kind="tool", name=name, input=input, output=completion.text, usage=completion.usage))
        return completion

    def record(self, step: Step) -> None:
        self.trace.record(step)

    async def once(self, name: str, work: Callable[[], Awaitable[str]]) -> str:
        return await self.runner.once(self.view.context.id, name, work)

    def artifact(self, name: str, make: Callable[[Path], None], scope: ArtifactScope = "context") -> Path:
        return self.runner.journal.artifact(self.view.context.id if scope == "context" else "", name, make)


class SystemRunner:
    """Runs jobs with a system and journals every response."""

    def __init__(
        self,
        bench: BenchView,
        system: System,
        caller: ModelCaller,
        journal: RunJournal,
        on_response: Callable[[Response], None] = lambda response: None,
    ) -> None:
        self.caller = caller
        self._bench = bench
        self._system = system
        self.journal = journal
        self._on_response = on_response
        self._locks: dict[tuple[str, str], anyio.Lock] = {}

    async def run(self, job: Job) -> Response | None:
        """The response to one job, which is also journaled; None if it was not started or the budget was reached."""
        if self.caller.stopped is not None:
            return None
        start = time.monotonic()
        view = self._bench.view(job.context, job.question)
        session = _Session(self, view, lambda: self._system.estimate(job.question, view), job.question.id, job.sample)
        try:
            response = await answer_of(self._system, job, session)
        except Exception as error:
            if self.caller.ends_with(error):
                return None
            maybe_paid = isinstance(error, CallError) and error.maybe_paid
            usage = Usage(seconds=round(time.monotonic() - start, 3), price=None if maybe_paid else 0.0)
            response = Response(
                question_id=job.question.id, outcome="error", error=explain(error, self._system), usage=usage
            )
            if isinstance(error, CallError) and error.ends_run:
                self.caller.stop(error_text(error))
        response = session.trace.complete(response).model_copy(update={"sample": job.sample})
        try:
            self.journal.append(response)
        except FathomError as error:
            self.caller.give_up(error)
            return None
        self._on_response(response)
        return response

    async def once(self, context: str, name: str, work: Callable[[], Awaitable[str]]) -> str:
        """The note of that name, or the result of `work`. Two questions never do the same work."""
        async with self._locks.setdefault((context, name), anyio.Lock()):
            stored = self.journal.stored_result(context, name)
            if stored is None:
                stored = await work()
                self.journal.store_result(context, name, stored)
            return stored


async def answer_of(system: System, job: Job, session: Session) -> Response:
    """The system's response; raises FathomError if it is none, which a class of the user's own may return."""
    answering: object = system.answer(job.question, session)
    if not isawaitable(answering):
        raise FathomError(f"The method `answer` of the system '{system.name}' must be defined with `async def`.")
    response: object = await answering
    if not isinstance(response, Response):
        raise FathomError(
            f"The system '{system.name}' returned an object of the type '{type(response).__name__}' in place of a "
            "Response. Return `response_to(question, completion)`, or a `Response` of your own."
        )
    if response.question_id != job.question.id:
        raise FathomError(
            f"The system '{system.name}' was asked the question '{job.question.id}' and returned a response to "
            f"'{response.question_id}'. Give `Response` the id of the question."
        )
    return response
