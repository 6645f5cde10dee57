"""One question at a time: through the gate, within the budget, into the journal, whatever happens."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import anyio

from fathom.models.model_info import ModelInfo
from fathom.models.prompts import Completion, Prompt
from fathom.records.contexts import ContextId
from fathom.records.errors import FathomError
from fathom.records.questions import Response, Usage
from fathom.runs.bench_view import BenchView
from fathom.runs.budget import Budget, BudgetReached
from fathom.runs.folder import RunSettings
from fathom.runs.gate import Gate
from fathom.runs.plan import Job
from fathom.runs.secrets import without_secrets
from fathom.systems.protocol import ContextView, System, expected, total

LONGEST_ERROR = 500
"""Characters of an error that are kept: what a provider says may hold what it was sent."""


class Model(Protocol):
    """Something that completes prompts."""

    async def complete(self, prompt: Prompt, opened: Callable[[], None]) -> Completion:
        """What it says; calls `opened` when its first token comes."""
        ...

    def halt(self) -> None:
        """Send nothing more."""
        ...


class RunJournal(Protocol):
    """Where responses and notes go."""

    def append(self, response: Response) -> None: ...

    def noted(self, context: ContextId, name: str) -> str | None: ...

    def note(self, context: ContextId, name: str, text: str) -> None: ...

    def pay(self, usage: Usage) -> None: ...


class NotBegunError(Exception):
    """The run was stopped while the question waited for its turn."""


class FatalError(Exception):
    """What no further question can mend: a wrong key, an unknown model."""


@dataclass(frozen=True)
class _Session:
    """What a system is given for one job."""

    answering: Answering
    view: ContextView
    spent: list[Usage] = field(default_factory=list)
    """The usage of the calls for this job so far."""

    async def ask(self, prompt: Prompt) -> Completion:
        completion = await self.answering.ask(prompt, self.view, begun=bool(self.spent))
        self.spent.append(completion.usage)
        return completion

    async def once(self, name: str, work: Callable[[], Awaitable[str]]) -> str:
        return await self.answering.once(self.view.context.id, name, work)


class Answering:
    """Puts jobs to a system and keeps every response."""

    def __init__(
        self,
        exam: BenchView,
        system: System,
        model: Model,
        known: ModelInfo,
        settings: RunSettings,
        folder: RunJournal,
        purse: Budget,
        gate: Gate,
        watch: Callable[[Response], None] = lambda response: None,
    ) -> None:
        self._exam = exam
        self._system = system
        self._model = model
        self._known = known
        self._settings = settings
        self._folder = folder
        self._purse = purse
        self._gate = gate
        self._watch = watch
        self._locks: dict[tuple[str, str], anyio.Lock] = {}
        self.stopped: str | None = None
        """Why no further question is begun."""
        self.fatal: str | None = None

    def stop(self, why: str) -> None:
        """Begin no further question; what is in flight is finished."""
        self.stopped = self.stopped or why

    async def one(self, job: Job) -> Response | None:
        """The response to one job, kept; None where it was not begun or the budget ended it."""
        if self.stopped is not None:
            return None
        start = time.monotonic()
        session = _Session(self, self._exam.view(job.context, job.question))
        try:
            response = await self._system.answer(job.question, session)
        except NotBegunError:
            return None
        except BudgetReached as reached:
            self.stop(f"the budget is reached: {reached}")
            return None
        except (FatalError, FathomError) as error:
            # A full disk and a damaged corpus are no fault of the question: going on would pay for nothing.
            self._give_up(error)
            return None
        except Exception as error:
            response = _failed(job, error, session.spent, time.monotonic() - start)
        response = response.model_copy(update={"sample": job.sample})
        try:
            self._folder.append(response)
        except FathomError as error:
            self._give_up(error)
            return None
        self._watch(response)
        return response

    def _give_up(self, error: Exception) -> None:
        self.fatal = self.fatal or without_secrets(str(error))
        self._model.halt()
        self.stop(self.fatal)

    async def ask(self, prompt: Prompt, view: ContextView, begun: bool = False) -> Completion:
        """One completion, paid from the purse; the first one of a question is not begun once the run is stopped."""
        async with self._gate.through(prompt.prefix) as opened:
            if self.fatal is not None:
                raise FatalError(self.fatal)
            if self.stopped is not None and not begun:
                raise NotBegunError
            reserved = self._purse.reserve(self._most(prompt, view))
            paid: float | None = None
            try:
                completion = await self._model.complete(prompt, opened)
                used = completion.usage if completion.usage.input_tokens else self._estimated(prompt, view, completion)
                paid = self._known.price(used)
            finally:
                self._purse.settle(reserved, paid)
        usage = used.model_copy(update={"price": paid})
        # Kept at once: what a call cost is spent, whatever becomes of the question.
        self._folder.pay(usage)
        return replace(completion, usage=usage)

    def _estimated(self, prompt: Prompt, view: ContextView, completion: Completion) -> Usage:
        """What a provider that counts nothing must have used; a request that was not sent used nothing."""
        if completion.stop == "overflow":
            return completion.usage
        one = expected(view, prompt)
        tokens = self._known.tokens(one.prefix_tokens + one.own_tokens)
        said = self._known.tokens(view.count(completion.text))
        return completion.usage.model_copy(update={"input_tokens": tokens, "output_tokens": said})

    def _most(self, prompt: Prompt, view: ContextView) -> float | None:
        """What the request costs if nothing is cached and the response is as long as allowed."""
        if not self._purse.is_capped:
            return None
        one = expected(view, prompt)
        tokens = self._known.tokens(one.prefix_tokens + one.own_tokens)
        return self._known.price(Usage(input_tokens=tokens, output_tokens=self._settings.max_tokens))

    async def once(self, context: str, name: str, work: Callable[[], Awaitable[str]]) -> str:
        """What was noted under that name, or what `work` gives; two questions never do the same work."""
        async with self._locks.setdefault((context, name), anyio.Lock()):
            known = self._folder.noted(context, name)
            if known is None:
                known = await work()
                self._folder.note(context, name, known)
            return known


def _failed(job: Job, error: Exception, spent: Sequence[Usage], seconds: float) -> Response:
    said = without_secrets(str(error) or type(error).__name__)
    if len(said) > LONGEST_ERROR:
        said = f"{said[:LONGEST_ERROR]} ... ({len(said):,} characters)"
    return Response(
        question_id=job.question.id,
        sample=job.sample,
        outcome="error",
        error=said,
        usage=total(spent) if spent else Usage(seconds=round(seconds, 3), price=0.0),
    )
