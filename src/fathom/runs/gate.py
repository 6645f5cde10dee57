"""The prefix gate: the first request with a prefix goes alone, so that a cache can serve the prefix to the others."""

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
        self._prefixes_in_flight = prefixes_in_flight
        """Limited, since more prefixes at once would evict one another from a small cache."""
        self._freed = anyio.Event()

    @asynccontextmanager
    async def through(self, prefix: str) -> AsyncIterator[Callable[[], None]]:
        """Wait for admission; gives a function to call when the first token arrives."""
        await self._enter(prefix)
        try:
            while not self._is_warm(prefix):
                leader = self._leading.get(prefix)
                if leader is None:
                    async with self._lead(prefix) as opened:
                        yield opened
                    return
                await leader.wait()
            self._touch(prefix)
            yield lambda: None
            self._touch(prefix)
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
