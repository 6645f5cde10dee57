"""Limits on the requests of a run: a gate for prompt prefixes, a budget in dollars, and a rate."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio


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


UNCERTAINTY = 1.25
"""By how much a server's counts of tokens are assumed to exceed the estimates at most, until it has given one."""


class Budget:
    """The dollars that may still be spent, with requests in flight counted at their highest price.

    The highest price is far above the usual one. So a request that does not fit beside those in flight waits for them
    to settle, and only one that does not fit even then is not sent. Where the server counts more tokens than estimated,
    the prices of all later requests and of those in flight count as much more.
    """

    def __init__(self, cap: float | None, spent: float = 0.0) -> None:
        self._cap = cap
        self.spent = spent
        self._reserved: list[float] = []
        self._excess: float | None = None
        """By how much a server's counts exceeded the estimates at most, at least 1; None before the first response."""
        self._settled: anyio.Event | None = None

    @property
    def is_capped(self) -> bool:
        return self._cap is not None

    @property
    def is_nearly_spent(self) -> bool:
        """Whether less than a tenth is left."""
        return self._cap is not None and self.spent > 0.9 * self._cap

    def check(self) -> None:
        """Raise BudgetReached if the requests in flight could cost more than is left, since lost ones were counted."""
        if not self._fits(0.0):
            raise self._reached("the requests in flight may cost more than is left")

    def lose(self, price: float) -> None:
        """Count an attempt of a request in flight that may have been paid without an answer."""
        self.spent += price

    async def reserve(self, request: float | None, question: float | None = None) -> float:
        """Reserve and return the highest price of a request, as soon as it fits.

        `question` is the highest price of all calls of the question that the request begins, which must fit too.
        Raises BudgetReached if that is more than is left once no request is in flight.
        """
        highest = request or 0.0
        needed = max(highest, question or 0.0)
        while not self._fits(needed):
            if not self._reserved:
                raise self._reached(f"the next question may cost up to ${needed:.4f}")
            settled = self._settled = self._settled or anyio.Event()
            await settled.wait()
        self._reserved.append(highest)
        return highest

    def _fits(self, price: float) -> bool:
        if self._cap is None:
            return True
        excess = (UNCERTAINTY if self._reserved else 1.0) if self._excess is None else self._excess
        return self.spent + excess * (sum(self._reserved) + price) <= self._cap

    def observe(self, used: int, estimated: int) -> None:
        """Compare the input tokens that a server has counted with the estimate."""
        self._excess = max(self._excess or 1.0, used / max(estimated, 1))

    def _reached(self, reason: str) -> BudgetReached:
        return BudgetReached(f"${self.spent:.4f} of ${self._cap:.2f} is spent, and {reason}")

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

    async def wait(self, stop: anyio.Event | None = None) -> None:
        """Wait for the turn of a request, or until `stop` is set."""
        now = time.monotonic()
        turn = max(now, self._next)
        self._next = turn + self._seconds
        if turn > now:
            with anyio.move_on_after(turn - now):
                await (stop.wait() if stop is not None else anyio.sleep_forever())


class SharedLimits:
    """The limits that the cells of a matrix share: the budget, and a gate for each model."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._gates: dict[str, Gate] = {}

    def gate(self, model: str, contexts_at_once: int) -> Gate:
        """The gate of a model, which knows the prefixes that earlier cells left in the provider's cache."""
        return self._gates.setdefault(model, Gate(contexts_at_once))
