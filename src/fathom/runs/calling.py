"""Calls a model through a gate and within a budget, until the run is stopped. All model calls go through here."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
import traceback
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import anyio

from fathom.models.model_info import ModelInfo
from fathom.models.prompts import Completion, Prompt
from fathom.records.errors import FathomError
from fathom.records.questions import Usage
from fathom.runs.folder import INTERRUPTED
from fathom.runs.sent_calls import CallMark, unrecorded
from fathom.systems.protocol import CallError, CallEstimate, System, count_tokens

_NAMES = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)S?$", re.IGNORECASE)
MIN_SECRET_LENGTH = 8
"""The minimum length of a value that is replaced. Replacing shorter ones would damage ordinary words."""


def secrets() -> dict[str, str]:
    """The values of key-like environment variables, by name."""
    return {
        name: value for name, value in os.environ.items() if len(value) >= MIN_SECRET_LENGTH and _NAMES.search(name)
    }


def without_secrets(text: str, known: Mapping[str, str] | None = None) -> str:
    """The text with secrets replaced by their names; `known` are those of the environment, read before."""
    for name, value in (secrets() if known is None else known).items():
        text = text.replace(value, f"[{name}]")
    return text


class Gate:
    """Admits one request with a cold prefix, and the others with that prefix once its first token has arrived.

    A prefix is assumed to be cached ("warm") for a limited time, and only a limited number of them at once, since the
    provider's cache evicts entries. After that, one request goes alone again.
    """

    def __init__(self, prefixes_in_flight: int = 4, warm_prefixes: int = 32, seconds: float = 240.0) -> None:
        self._warm_prefixes = warm_prefixes
        self._seconds = seconds
        self._warm: OrderedDict[str, float] = OrderedDict()
        self._leading: dict[str, anyio.Event] = {}
        self._users: Counter[str] = Counter()
        self._failed_leaders: Counter[str] = Counter()
        """Leaders that failed one after another."""
        self._prefixes_in_flight = prefixes_in_flight
        """Limited, since more prefixes at once would evict one another from a small cache."""
        self._freed = anyio.Event()

    @asynccontextmanager
    async def through(self, prefix: str) -> AsyncIterator[Callable[[], None]]:
        """Wait for admission; gives a function to call when the first token arrives."""
        await self._enter(prefix)
        try:
            # After two leaders that failed, the rest must not wait for one another: each may take minutes to fail.
            while not self._is_warm(prefix) and self._failed_leaders[prefix] < 2:
                leader = self._leading.get(prefix)
                if leader is None:
                    async with self._lead(prefix) as opened:
                        yield opened
                    return
                await leader.wait()
            if self._is_warm(prefix):
                self._touch(prefix)
            yield lambda: None
            self._touch(prefix)
            del self._failed_leaders[prefix]
        finally:
            self._leave(prefix)

    @asynccontextmanager
    async def _lead(self, prefix: str) -> AsyncIterator[Callable[[], None]]:
        event = self._leading[prefix] = anyio.Event()

        def opened() -> None:
            self._touch(prefix)
            event.set()

        try:
            yield opened
            opened()
            del self._failed_leaders[prefix]
        except BaseException:
            self._failed_leaders[prefix] += 1
            raise
        finally:
            # After a leader that failed, the prefix is still cold: the next request in line leads.
            self._leading.pop(prefix, None)
            event.set()

    async def _enter(self, prefix: str) -> None:
        while prefix not in self._users and len(self._users) >= self._prefixes_in_flight:
            await self._freed.wait()
        self._users[prefix] += 1

    def _leave(self, prefix: str) -> None:
        self._users[prefix] -= 1
        if not self._users[prefix]:
            del self._users[prefix]
            self._freed.set()
            self._freed = anyio.Event()

    def _touch(self, prefix: str) -> None:
        self._warm[prefix] = time.monotonic()
        self._warm.move_to_end(prefix)
        while len(self._warm) > self._warm_prefixes:
            self._warm.popitem(last=False)

    def _is_warm(self, prefix: str) -> bool:
        touched = self._warm.get(prefix)
        return touched is not None and time.monotonic() - touched < self._seconds


class BudgetReached(Exception):  # noqa: N818 - not an error: the run stops as requested
    """The next request could cost more than is left."""


class Budget:
    """The dollars that may still be spent, with requests in flight counted at their highest price.

    The highest price is far above the usual one. So a request that does not fit beside those in flight waits for them
    to settle, and only one that does not fit even then is not sent.
    """

    def __init__(self, cap: float | None, spent: float = 0.0) -> None:
        self._cap = cap
        self.spent = spent
        self._reserved: list[float] = []
        self._settled: anyio.Event | None = None

    @property
    def is_capped(self) -> bool:
        return self._cap is not None

    @property
    def is_nearly_spent(self) -> bool:
        """Whether less than a tenth is left."""
        return self._cap is not None and self.spent > 0.9 * self._cap

    async def reserve(self, request: float | None, question: float | None = None) -> float:
        """Reserve and return the highest price of a request, as soon as it fits.

        `question` is the highest price of all calls of the question that the request begins, which must fit too.
        Raises BudgetReached if that is more than is left once no request is in flight.
        """
        highest = request or 0.0
        while not self._fits(max(highest, question or 0.0)):
            if not self._reserved:
                raise BudgetReached(
                    f"${self.spent:.4f} of ${self._cap:.2f} is spent, and the next request may cost more"
                )
            settled = self._settled = self._settled or anyio.Event()
            await settled.wait()
        self._reserved.append(highest)
        return highest

    def _fits(self, price: float) -> bool:
        return self._cap is None or self.spent + sum(self._reserved) + price <= self._cap

    def settle(self, reserved: float, paid: float | None) -> None:
        """Replace the reservation of a request by its actual price."""
        self._reserved.remove(reserved)
        self.spent += paid or 0.0
        if self._settled is not None:
            self._settled.set()
            self._settled = None


class Pace:
    """Spreads requests evenly, so that no more than a given number are sent in a minute."""

    def __init__(self, per_minute: float | None) -> None:
        self._seconds = 60 / per_minute if per_minute else 0.0
        self._next = 0.0
        """When the next request may be sent."""

    async def wait(self) -> None:
        """Wait for the turn of a request."""
        now = time.monotonic()
        turn = max(now, self._next)
        self._next = turn + self._seconds
        if turn > now:
            await anyio.sleep(turn - now)


class SharedLimits:
    """What the cells of a matrix share: the budget, and a gate for each model."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._gates: dict[str, Gate] = {}

    def gate(self, model: str, contexts_at_once: int) -> Gate:
        """The gate of a model, which knows the prefixes that earlier cells left in the provider's cache."""
        return self._gates.setdefault(model, Gate(contexts_at_once))


FRAMING_TOKENS = 64
"""Input tokens that a provider may count for a call in addition to its texts: roles, separators, and a default system
message. A generous guess, not a measurement: a higher price than the estimated maximum would break a budget."""
CHECKED_CALLS = 20
"""The first calls of a run whose usage is compared with their text: a server that miscounts does so at once."""
PLAUSIBLE_FACTOR = 4
"""By how much a server's count of tokens may differ from the estimate. Tokenizers differ by a factor of two at most on
prose, and more on text in other scripts."""
MAX_ERROR_LENGTH = 500
"""Characters of an error that are recorded: a provider's message may contain what it was sent."""

MakeEstimate = Callable[[], CallEstimate]
Notify = Callable[[str], None]
"""Called with what the user should know while the run goes on, such as an endpoint that does not answer."""


def ignore_notice(text: str) -> None:
    """Say nothing."""


Sending = Callable[[float | None], AbstractContextManager[CallMark]]
"""A block in which a call is sent that costs at most so much; its mark is set when it is sent. A call is lost if its
process ends within the block after that."""


class Model(Protocol):
    """A model that completes prompts."""

    async def complete(self, prompt: Prompt, opened: Callable[[], None], mark: CallMark) -> Completion:
        """The completion; calls `opened` when its first token arrives, and marks when a request is sent."""
        ...

    def halt(self) -> None:
        """Send no further request."""
        ...

    def stop_waiting(self, reason: str) -> None:
        """Give up requests that wait for an endpoint that is down."""
        ...


class NoModel:
    """In place of the model of a system that needs none."""

    async def complete(self, prompt: Prompt, opened: Callable[[], None], mark: CallMark) -> Completion:
        raise FathomError("The system asks a model although it has `needs_model = False`. Remove that, or the call.")

    def halt(self) -> None:
        """Nothing to do."""

    def stop_waiting(self, reason: str) -> None:
        """Nothing to do."""


class NotBegunError(Exception):
    """The run was stopped while the question waited for its turn."""


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
        """What is wrong with the usage that the server reports, if something is."""
        self.stopped: str | None = None
        """Why no further question is begun."""
        self._skipped: str | None = None
        """Why a question was left out, if the budget did not suffice for it."""
        self.fatal: str | None = None
        """The error that ended the run."""

    def stop(self, reason: str) -> None:
        """Begin no further question. Requests in flight are finished."""
        self.stopped = self.stopped or reason
        self._model.stop_waiting(reason)

    def skip(self, reached: BudgetReached) -> None:
        """A question may cost more than is left. Cheaper ones are asked until the budget is nearly spent."""
        self._skipped = f"the budget is reached: {reached}"
        if self._budget.is_nearly_spent:
            self.stop(self._skipped)

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
        begun once the run is stopped, or if its calls could exceed the budget. Both are computed only when needed.
        """
        async with self._gate.through(prompt.prefix) as opened:
            if self.fatal is not None:
                raise FatalError(self.fatal)
            if self.stopped is not None and question is not None:
                raise NotBegunError
            begun = None if question is None else self._highest_price(question)
            highest = self._highest_price(call)
            reserved = await self._budget.reserve(highest, begun)
            paid: float | None = None
            try:
                await self._pace.wait()
                with self._sending(highest) as mark:
                    completion = await self._model.complete(prompt, opened, mark)
                    used = completion.usage if completion.usage.input_tokens else self._estimated(call, completion)
                    self._check_usage(used, call, completion)
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

        A price that nobody knows counts as the highest one.
        """
        if self.fatal is not None:
            raise FatalError(self.fatal)
        if self.stopped is not None and begins:
            raise NotBegunError
        reserved = await self._budget.reserve(highest_price)
        paid: float | None = None
        try:
            await self._pace.wait()
            with self._sending(highest_price) as mark:
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

    def _check_usage(self, used: Usage, call: MakeEstimate, completion: Completion) -> None:
        """Notice a usage that does not fit the text: the prices and the budget follow it."""
        if not self._unchecked_calls or completion.stop == "overflow":
            return
        self._unchecked_calls -= 1
        sent = self._info.tokens(call().input_tokens)
        received = self._info.tokens(count_tokens(completion.text))
        counts = (("input", used.input_tokens, sent), ("output", used.output_tokens, received))
        for name, reported, estimated in counts:
            # Thinking that is not shown is output, too, so that only too little of it is implausible.
            is_low = (reported + FRAMING_TOKENS) * PLAUSIBLE_FACTOR < estimated
            is_high = name == "input" and reported > (estimated + FRAMING_TOKENS) * PLAUSIBLE_FACTOR
            if is_low or is_high:
                self._unchecked_calls = 0
                self.implausible = (
                    f"the server's count of {name} tokens is {reported:,}, where about {estimated:,} are expected; "
                    "tokens, prices and the budget follow the server and may be wrong"
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
        """The price if no cache serves anything and every response has the longest length; None without a budget."""
        if not self._budget.is_capped:
            return None
        return self.highest_usage(bound()).price

    def highest_usage(self, estimate: CallEstimate) -> Usage:
        """The most that these calls can use."""
        return highest_usage(estimate, self._info, self._max_tokens)


@contextmanager
def stop_on_interrupt(caller: ModelCaller, notify: Notify = ignore_notice) -> Iterator[None]:
    """The first Ctrl-C lets requests in flight finish; the second stops.

    So do SIGTERM and SIGHUP, which job schedulers and closed terminals send.
    """

    def interrupted(number: int, frame: Any) -> None:
        if caller.stopped is not None:
            raise KeyboardInterrupt
        caller.stop(f"{INTERRUPTED} by {'Ctrl-C' if number == signal.SIGINT else signal.Signals(number).name}")
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


def error_text(error: Exception) -> str:
    """An error's message without secrets, shortened."""
    text = without_secrets(str(error) or type(error).__name__)
    return text if len(text) <= MAX_ERROR_LENGTH else f"{text[:MAX_ERROR_LENGTH]} ... ({len(text):,} characters)"


def explain(error: Exception, system: System) -> str:
    """The message of an error; where the code of a system fails, with its type and the line."""
    text = error_text(error)
    if isinstance(error, CallError):
        return text
    file = getattr(sys.modules.get(type(system).__module__), "__file__", None)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    place = f" ({Path(str(file)).name}, line {lines[-1]})" if lines else ""
    return f"{type(error).__name__}{place}: {text}"
