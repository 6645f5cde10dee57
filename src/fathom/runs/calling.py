"""Calls a model: through the gate, within the budget, until the run is stopped. All model calls go through here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from fathom.models.model_info import ModelInfo
from fathom.models.prompts import Completion, Prompt
from fathom.records.questions import Usage
from fathom.runs.budget import Budget, BudgetReached
from fathom.runs.gate import Gate
from fathom.runs.secrets import without_secrets
from fathom.systems.protocol import Estimate, count_tokens

LONGEST_ERROR = 500
"""Characters of an error that are recorded: a provider's message may contain what it was sent."""

INTERRUPTED = "interrupted by Ctrl-C"


Bound = Callable[[], Estimate]


class Model(Protocol):
    """A model that completes prompts."""

    async def complete(self, prompt: Prompt, opened: Callable[[], None]) -> Completion:
        """The completion; calls `opened` when its first token arrives."""
        ...

    def halt(self) -> None:
        """Send no further request."""
        ...


class NotBegunError(Exception):
    """The run was stopped while the question waited for its turn."""


class FatalError(Exception):
    """An error that every further request would repeat, such as a wrong API key or an unknown model."""


class ModelCaller:
    """Sends prompts to a model; knows whether and why the run must stop."""

    def __init__(
        self, model: Model, info: ModelInfo, max_tokens: int, budget: Budget, gate: Gate, pay: Callable[[Usage], None]
    ) -> None:
        self._model = model
        self._info = info
        self._max_tokens = max_tokens
        self._budget = budget
        self._gate = gate
        self._pay = pay
        self.stopped: str | None = None
        """Why no further question is begun."""
        self.fatal: str | None = None
        """The error that ended the run."""

    def stop(self, reason: str) -> None:
        """Begin no further question. Requests in flight are finished."""
        self.stopped = self.stopped or reason

    def stop_for_budget(self, reached: BudgetReached) -> None:
        self.stop(f"the budget is reached: {reached}")

    def give_up(self, error: Exception) -> None:
        """End the run: send nothing more."""
        self.fatal = self.fatal or without_secrets(str(error))
        self._model.halt()
        self.stop(self.fatal)

    async def ask(self, prompt: Prompt, call: Bound, question: Bound | None = None) -> Completion:
        """One completion, paid from the budget.

        `call` gives the estimate of this call. `question` gives that of the question that this call begins; it is not
        begun once the run is stopped, or if its calls could exceed the budget. Both are computed only when needed.
        """
        async with self._gate.through(prompt.prefix) as opened:
            if self.fatal is not None:
                raise FatalError(self.fatal)
            if self.stopped is not None and question is not None:
                raise NotBegunError
            if question is not None:
                self._budget.require(self._highest_price(question))
            reserved = self._budget.reserve(self._highest_price(call))
            paid: float | None = None
            try:
                completion = await self._model.complete(prompt, opened)
                used = completion.usage if completion.usage.input_tokens else self._estimated(call, completion)
                paid = self._info.price(used)
            finally:
                self._budget.settle(reserved, paid)
        usage = used.model_copy(update={"price": paid})
        # Recorded at once: a call costs money even if its question gets no response.
        self._pay(usage)
        return replace(completion, usage=usage)

    def _estimated(self, call: Bound, completion: Completion) -> Usage:
        """The usage of a call whose provider reports none; an overflow was not sent and used nothing."""
        if completion.stop == "overflow":
            return completion.usage
        output = self._info.tokens(count_tokens(completion.text))
        update = {"input_tokens": self._info.tokens(call().input_tokens), "output_tokens": output}
        return completion.usage.model_copy(update=update)

    def _highest_price(self, bound: Bound) -> float | None:
        """The price if no cache serves anything and every response has the longest length; None without a budget."""
        if not self._budget.is_capped:
            return None
        return self._info.price(highest_usage(bound(), self._info, self._max_tokens))


def highest_usage(estimate: Estimate, info: ModelInfo, max_tokens: int) -> Usage:
    """The bound in the model's tokens, without calls that are made once per context."""
    output = estimate.output_tokens
    longest = estimate.calls * max_tokens if output is None else min(info.tokens(output), estimate.calls * max_tokens)
    return Usage(
        input_tokens=info.tokens(estimate.input_tokens) + info.tokens(estimate.spare_tokens),
        output_tokens=longest + estimate.spare_calls * max_tokens,
    )


def error_text(error: Exception) -> str:
    """An error's message without secrets, shortened."""
    text = without_secrets(str(error) or type(error).__name__)
    return text if len(text) <= LONGEST_ERROR else f"{text[:LONGEST_ERROR]} ... ({len(text):,} characters)"
