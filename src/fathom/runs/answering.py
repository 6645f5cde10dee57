"""Runs a system on one question at a time and journals every response."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import anyio

from fathom.models.prompts import Completion, Prompt
from fathom.records.contexts import ContextId
from fathom.records.errors import FathomError
from fathom.records.questions import Response, Step, Usage
from fathom.runs.bench_view import BenchView
from fathom.runs.calling import (
    Bound,
    BudgetReached,
    FatalError,
    ModelCaller,
    NotBegunError,
    error_text,
    without_secrets,
)
from fathom.runs.plan import Job
from fathom.systems.protocol import ContextView, Scope, System, total

LONGEST_STEP = 2_000
"""Characters of a trace step's input or output that are recorded."""
MOST_STEPS = 200
"""Steps of a trace that are recorded."""


class RunJournal(Protocol):
    """Where responses, notes and artifacts are stored."""

    def append(self, response: Response) -> None: ...

    def noted(self, context: ContextId, name: str) -> str | None: ...

    def note(self, context: ContextId, name: str, text: str) -> None: ...

    def pay(self, usage: Usage) -> None: ...

    def artifact(self, scope: str, name: str, make: Callable[[Path], None]) -> Path: ...


@dataclass(frozen=True)
class _Session:
    """The session that a system gets for one job."""

    runner: SystemRunner
    view: ContextView
    estimate: Bound
    spent: list[Usage] = field(default_factory=list)
    """The usage of the calls so far."""
    steps: list[Step] = field(default_factory=list)

    async def ask(self, prompt: Prompt, purpose: str = "") -> Completion:
        question = None if self.spent else self.estimate
        completion = await self.runner.caller.ask(prompt, lambda: self.view.estimate(prompt), question)
        self.spent.append(completion.usage)
        calls = "\n".join(f"{one.name}({json.dumps(one.arguments, default=str)})" for one in completion.tool_calls)
        output = "\n".join(filter(None, (completion.text, calls)))
        self.record(Step(kind="model", name=purpose, input=prompt.last_part, output=output, usage=completion.usage))
        return completion

    def record(self, step: Step) -> None:
        texts = {"input": _shorten(step.input), "output": _shorten(step.output)}
        self.steps.append(step.model_copy(update=texts | {"error": step.error and _shorten(step.error)}))

    async def once(self, name: str, work: Callable[[], Awaitable[str]]) -> str:
        return await self.runner.once(self.view.context.id, name, work)

    def artifact(self, name: str, make: Callable[[Path], None], scope: Scope = "context") -> Path:
        return self.runner.journal.artifact(self.view.context.id if scope == "context" else "", name, make)

    def complete(self, response: Response) -> Response:
        """The response with the usage of its calls and its trace; a single call needs no trace."""
        steps = self.steps
        if len(steps) > MOST_STEPS:
            omitted = Step(kind="tool", name="omitted", output=f"{len(steps) - MOST_STEPS + 1:,} further steps")
            steps = [*steps[: MOST_STEPS - 1], omitted]
        update: dict[str, object] = {"trace": tuple(steps)} if len(steps) > 1 else {}
        if self.spent:
            update["usage"] = total(self.spent)
        return response.model_copy(update=update)


def _shorten(text: str) -> str:
    text = without_secrets(text)
    return text if len(text) <= LONGEST_STEP else f"{text[:LONGEST_STEP]} ... ({len(text):,} characters)"


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
        session = _Session(self, view, lambda: self._system.estimate(job.question, view))
        try:
            response = await self._system.answer(job.question, session)
        except NotBegunError:
            return None
        except BudgetReached as reached:
            self.caller.stop_for_budget(reached)
            return None
        except (FatalError, FathomError) as error:
            # A full disk or a damaged corpus affects every question, so further calls would be wasted.
            self.caller.give_up(error)
            return None
        except Exception as error:
            usage = Usage(seconds=round(time.monotonic() - start, 3), price=0.0)
            response = Response(question_id=job.question.id, outcome="error", error=error_text(error), usage=usage)
        response = session.complete(response).model_copy(update={"sample": job.sample})
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
            noted = self.journal.noted(context, name)
            if noted is None:
                noted = await work()
                self.journal.note(context, name, noted)
            return noted
