"""Calls a model through a gate and within a budget, until the run is stopped. All model calls go through here."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any, Protocol

import anyio

from fathom.models.model_info import ModelInfo
from fathom.models.prompts import Completion, Prompt
from fathom.records.errors import FathomError
from fathom.records.questions import Usage
from fathom.runs.folder import INTERRUPTED
from fathom.runs.outages import OutageError
from fathom.runs.redaction import without_secrets
from fathom.runs.request_limits import Budget, BudgetReached, Gate, Pace
from fathom.runs.sent_calls import CallMark, unrecorded
from fathom.systems.protocol import CallError, CallEstimate, count_tokens

FRAMING_TOKENS = 64
"""Input tokens that a provider may count for a call in addition to its texts: roles, separators, and a default system
message. A generous guess, not a measurement: a higher price than the estimated maximum would break a budget."""

CHECKED_CALLS = 20
"""The number of first calls of a run whose usage is checked against their text: a server that miscounts does so from
the start."""

PLAUSIBLE_FACTOR = 4
"""By how much a server's count of tokens may differ from the estimate. Tokenizers differ by a factor of two at most on
prose, and more on text in other scripts."""

MakeEstimate = Callable[[], CallEstimate]
"""Computes an estimate; called only if there is a budget, since counting tokens takes time."""
Notify = Callable[[str], None]
"""Called with notices for the user during a run, such as that an endpoint does not respond."""


def ignore_notice(text: str) -> None:
    """Ignore a notice."""


Sending = Callable[[Usage], AbstractContextManager[CallMark]]
"""A context manager around one call, given the maximum usage of the call. The mark is set when the call is sent. If the
process ends after that and before the end of the block, the call counts as lost."""


class Attempts:
    """The attempts of one call. One that broke off may have been paid: it counts at the highest price of the call."""

    def __init__(self, mark: CallMark, budget: Budget, price: float | None, begins_question: bool = False) -> None:
        self.begins_question = begins_question
        """Whether it is the first call of its question."""
        self._mark = mark
        self._budget = budget
        self._price = price
        self._lost = False

    def begin(self) -> None:
        """An attempt is about to be sent; raises BudgetReached if lost ones have left too little."""
        if self._lost:
            self._budget.check()
        self._mark.begin()

    def end(self) -> None:
        """The attempt has failed and was not paid."""
        self._mark.end()

    def lose(self) -> None:
        """The attempt broke off after it was sent."""
        self._lost = True
        self._budget.lose(self._price or 0.0)
        self._mark.lose()


class Model(Protocol):
    """A model that completes prompts."""

    async def complete(self, prompt: Prompt, opened: Callable[[], None], attempts: Attempts) -> Completion:
        """The completion; calls `opened` when its first token arrives, and tells when an attempt is sent and fails."""
        ...

    def halt(self) -> None:
        """Send no further request."""
        ...

    def stop_waiting(self, reason: str) -> None:
        """Give up requests that wait for an endpoint that is down, or for another attempt."""
        ...


class NoModel:
    """Stands in for the model of a system that needs none."""

    async def complete(self, prompt: Prompt, opened: Callable[[], None], attempts: Attempts) -> Completion:
        raise FathomError("The system asks a model although it has `needs_model = False`. Remove that, or the call.")

    def halt(self) -> None:
        """Nothing to do."""

    def stop_waiting(self, reason: str) -> None:
        """Nothing to do."""


class NotStartedError(Exception):
    """The run was stopped while the question waited for its turn, or for another attempt."""


class FatalError(Exception):
    """An error that every further request would repeat, such as a wrong API key or an unknown model."""


class ModelCaller:
    """Sends prompts to a model; knows whether and why the run must stop."""

    def __init__(
        self,
        model: Model,
        info: ModelInfo,
        max_tokens: int,
        budget: Budget,
        gate: Gate,
        pay: Callable[[Usage], None],
        sending: Sending = unrecorded,
        pace: Pace | None = None,
        notify: Notify = ignore_notice,
    ) -> None:
        self._model = model
        self._info = info
        self._max_tokens = max_tokens
        self._budget = budget
        self._gate = gate
        self._pay = pay
        self._sending = sending
        self._pace = pace or Pace(None)
        self._notify = notify
        self._unchecked_calls = CHECKED_CALLS
        self.implausible: str | None = None
        """The problem with the usage that the server reports; None if it is plausible."""
        self.stopped: str | None = None
        """Why no further question is begun."""
        self._stop = anyio.Event()
        """Set when the run is to stop, unless the budget is the reason."""
        self._skipped: str | None = None
        """Why a question was left out, if the budget did not suffice for it."""
        self.fatal: str | None = None
        """The error that ended the run."""

    def stop(self, reason: str) -> None:
        """Begin no further question. Requests in flight are finished."""
        self.stopped = self.stopped or reason
        self._stop.set()
        self._model.stop_waiting(reason)

    def skip(self, reached: BudgetReached) -> None:
        """Skip a question that may cost more than is left; stop the run if the budget is nearly spent."""
        self._skipped = f"the budget is reached: {reached}"
        if self._budget.is_nearly_spent:
            # Requests that were admitted are within the budget: they may wait for a connection or another attempt.
            self.stopped = self.stopped or self._skipped

    def ends_with(self, error: Exception) -> bool:
        """Stop the run if no further question can be asked after this error; False if the error is one question's own.

        A question that did not start, or for which the budget does not suffice, is left for the next time.
        """
        match error:
            case NotStartedError():
                pass
            case BudgetReached():
                self.skip(error)
            case OutageError():
                self.stop(str(error))
            case FatalError() | FathomError():
                # A full disk or a damaged corpus affects every question, so further calls would be wasted.
                self.give_up(error)
            case _:
                return False
        return True

    @property
    def ended_early(self) -> str | None:
        """Why some questions were not asked; None if all were."""
        return self.stopped or self._skipped

    def give_up(self, error: Exception) -> None:
        """End the run: send nothing more."""
        self.fatal = self.fatal or without_secrets(str(error))
        self._model.halt()
        self.stop(self.fatal)

    async def ask(self, prompt: Prompt, call: MakeEstimate, question: MakeEstimate | None = None) -> Completion:
        """One completion, paid from the budget.

        `call` gives the estimate of this call. `question` gives that of the question that this call begins; it is not
        begun once the run is stopped, or if its calls could exceed the budget; computed only if there is one.
        """
        async with self._gate.through(prompt.prefix) as opened:
            if self.fatal is not None:
                raise FatalError(self.fatal)
            if self.stopped is not None and question is not None:
                raise NotStartedError
            begun = None if question is None else self._highest_price(question)
            # Also without a budget: a later one counts calls that broke off.
            highest = self.highest_usage(call())
            reserved = await self._budget.reserve(highest.price, begun)
            paid: float | None = None
            try:
                await self._take_turn(begins=question is not None)
                with self._sending(highest) as mark:
                    attempts = Attempts(mark, self._budget, highest.price, begins_question=question is not None)
                    completion = await self._model.complete(prompt, opened, attempts)
                    used = completion.usage if completion.usage.input_tokens else self._estimated(call, completion)
                    self._check_usage(used, call, completion)
                    if completion.usage.input_tokens:
                        self._budget.observe(used.input_tokens, highest.input_tokens)
                    was_sent = completion.stop != "overflow" or used.input_tokens > 0
                    paid = self._info.price(used) if was_sent else 0.0
                    usage = used.model_copy(update={"price": paid})
                    # Recorded at once: a call costs money even if its question gets no response.
                    self._pay(usage)
            finally:
                self._budget.settle(reserved, paid)
        return replace(completion, usage=usage)

    async def call(
        self, send: Callable[[], Awaitable[Completion]], highest_price: float | None, begins: bool
    ) -> Completion:
        """The result of a call to another service, paid from the budget; not begun once the run is stopped.

        If the price of the call is unknown, `highest_price` counts as its price.
        """
        if self.fatal is not None:
            raise FatalError(self.fatal)
        if self.stopped is not None and begins:
            raise NotStartedError
        reserved = await self._budget.reserve(highest_price)
        paid: float | None = None
        try:
            await self._take_turn(begins)
            with self._sending(Usage(price=highest_price)) as mark:
                mark.begin()
                completion = await send()
                paid = highest_price if completion.usage.price is None else completion.usage.price
                self._pay(completion.usage.model_copy(update={"price": paid}))
        except CallError as error:
            if error.maybe_paid and highest_price is not None:
                paid = highest_price
                self._pay(Usage(price=paid))
            raise
        finally:
            self._budget.settle(reserved, paid)
        return replace(completion, text=without_secrets(completion.text))

    async def _take_turn(self, begins: bool) -> None:
        """Wait for the turn of a request; one that begins a question is given up if the run is to stop."""
        await self._pace.wait(self._stop if begins else None)
        if begins and self._stop.is_set():
            raise NotStartedError

    def _check_usage(self, used: Usage, call: MakeEstimate, completion: Completion) -> None:
        """Warn if the reported usage does not fit the text: prices and the budget depend on it."""
        if not self._unchecked_calls or completion.stop == "overflow":
            return
        self._unchecked_calls -= 1
        sent = self._info.tokens(call().input_tokens)
        received = self._info.tokens(count_tokens(completion.text))
        counts = (("input", used.input_tokens, sent), ("output", used.output_tokens, received))
        for name, reported, estimated in counts:
            # Hidden thinking counts as output, so a high count of output tokens is plausible, a low one is not.
            is_low = (reported + FRAMING_TOKENS) * PLAUSIBLE_FACTOR < estimated
            is_high = name == "input" and reported > (estimated + FRAMING_TOKENS) * PLAUSIBLE_FACTOR
            if is_low or is_high:
                self._unchecked_calls = 0
                self.implausible = (
                    f"the server's count of {name} tokens is {reported:,}, where about {estimated:,} are expected; "
                    "tokens, prices and the budget are based on the server's counts and may be wrong"
                )
                self._notify(self.implausible)
                return

    def _estimated(self, call: MakeEstimate, completion: Completion) -> Usage:
        """The usage of a call whose provider reports none; an overflow was not sent and used nothing."""
        if completion.stop == "overflow":
            return completion.usage
        output = self._info.tokens(count_tokens(completion.text))
        update = {"input_tokens": self._info.tokens(call().input_tokens), "output_tokens": output}
        return completion.usage.model_copy(update=update)

    def _highest_price(self, bound: MakeEstimate) -> float | None:
        """The price without any cache hit and with every response at its maximum length; None without a budget."""
        if not self._budget.is_capped:
            return None
        return self.highest_usage(bound()).price

    def highest_usage(self, estimate: CallEstimate) -> Usage:
        """The maximum usage of these calls."""
        return highest_usage(estimate, self._info, self._max_tokens)


@contextmanager
def stop_on_interrupt(caller: ModelCaller, notify: Notify = ignore_notice) -> Iterator[None]:
    """On the first Ctrl-C, finish the requests in flight; on the second, stop at once.

    SIGTERM and SIGHUP, which job schedulers and closed terminals send, have the same effect, except that SIGHUP never
    counts as the second: both the terminal and the shell send it.
    """
    stopping = False

    def interrupted(number: int, frame: Any) -> None:
        nonlocal stopping
        if stopping or caller.stopped is not None:
            if number == signal.SIGHUP:
                return
            raise KeyboardInterrupt
        stopping = True
        name = "Ctrl-C" if number == signal.SIGINT else signal.Signals(number).name
        _in_event_loop(lambda: stop(f"{INTERRUPTED} by {name}"))

    def stop(reason: str) -> None:
        caller.stop(reason)
        notify("stopping: requests in flight are finished; interrupt again to stop at once")

    signals = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as `nohup` sets it
        signals.append(signal.SIGHUP)
    before: dict[signal.Signals, Any] = {}
    try:
        for number in signals:
            before[number] = signal.signal(number, interrupted)
    except ValueError:  # not in the main thread: the caller handles interrupts there
        yield
        return
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_event_loop(work: Callable[[], None]) -> None:
    """Do this work in the running event loop: a signal handler may interrupt it anywhere, and does not wake it up."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        work()
    else:
        loop.call_soon_threadsafe(work)


def highest_usage(estimate: CallEstimate, info: ModelInfo, max_tokens: int) -> Usage:
    """The bound in the model's tokens, with its price, without calls that are made once per context."""
    output = estimate.output_tokens
    longest = estimate.calls * max_tokens if output is None else min(info.tokens(output), estimate.calls * max_tokens)
    framing = FRAMING_TOKENS * (estimate.calls + estimate.spare_calls)
    usage = Usage(
        input_tokens=info.tokens(estimate.input_tokens) + info.tokens(estimate.spare_tokens) + framing,
        output_tokens=longest + estimate.spare_calls * max_tokens,
    )
    price = info.price(usage)
    if price is not None and estimate.price is not None:
        price = min(price, estimate.price)
    return usage.model_copy(update={"price": price})
