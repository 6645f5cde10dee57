"""Prefix first: the first question over a context goes alone, so that the others find it in the provider's cache."""

from __future__ import annotations

import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio


class Gate:
    """Lets one request with a cold prefix through at a time, and all others once its first token has come.

    Warmth is believed only for so many prefixes and so long: a provider's cache forgets, and then one leads again.
    """

    def __init__(self, at_once: int = 4, kept: int = 32, seconds: float = 240.0) -> None:
        self._kept = kept
        self._seconds = seconds
        self._warm: OrderedDict[str, float] = OrderedDict()
        self._leading: dict[str, anyio.Event] = {}
        self._users: Counter[str] = Counter()
        self._at_once = at_once
        """How many prefixes are in flight: more would push one another out of a small cache."""
        self._freed = anyio.Event()

    @asynccontextmanager
    async def through(self, prefix: str) -> AsyncIterator[Callable[[], None]]:
        """Wait for one's turn; gives a function to call when the first token has come."""
        await self._take_place(prefix)
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
            self._leave_place(prefix)

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
            # A leader that failed leaves the prefix cold: of those who wait, the next one leads.
            self._leading.pop(prefix, None)
            event.set()

    async def _take_place(self, prefix: str) -> None:
        while prefix not in self._users and len(self._users) >= self._at_once:
            await self._freed.wait()
        self._users[prefix] += 1

    def _leave_place(self, prefix: str) -> None:
        self._users[prefix] -= 1
        if not self._users[prefix]:
            del self._users[prefix]
            self._freed.set()
            self._freed = anyio.Event()

    def _touch(self, prefix: str) -> None:
        self._warm[prefix] = time.monotonic()
        self._warm.move_to_end(prefix)
        while len(self._warm) > self._kept:
            self._warm.popitem(last=False)

    def _is_warm(self, prefix: str) -> bool:
        touched = self._warm.get(prefix)
        return touched is not None and time.monotonic() - touched < self._seconds
