"""Notices that an endpoint has stopped answering, pauses all requests, and tries one at a time until it answers."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from math import inf

import anyio

FAILURES = 3
"""Consecutive failures after which the endpoint counts as down."""
MAX_PAUSE = 15.0
"""Seconds between two attempts while it is down."""


class OutageError(Exception):
    """The endpoint did not answer for as long as the run waits. The run stops, and can be resumed."""


class Outages:
    """The state of an endpoint, shared by all requests to it.

    Each request asks for admission before every attempt and reports how the attempt ended. While the endpoint is down,
    one request at a time is admitted, as a probe.
    """

    def __init__(
        self,
        max_seconds: float,
        backoff: float,
        notify: Callable[[str], None],
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._max_seconds = max_seconds
        self._backoff = backoff
        self._notify = notify
        self._clock = clock or time.monotonic
        self._failed: set[Hashable] = set()
        self._since: float | None = None
        """When the first attempt of the present series of failures began."""
        self._probes = 0
        self._probe_done: anyio.Event | None = None
        self._probe_sent = inf
        """When the present probe was sent: attempts that began before it say nothing about it."""
        self._stop: anyio.Event | None = None
        """Ends the pause before a probe."""
        self._stopping: str | None = None
        """Why the run is to stop; requests in flight are finished only while the endpoint answers."""
        self.ended: str | None = None
        """Why no request is sent any more."""

    @property
    def is_down(self) -> bool:
        return len(self._failed) >= FAILURES

    async def admit(self) -> None:
        """Wait until a request may be sent; raises OutageError if the endpoint did not answer for too long."""
        while self.is_down and self.ended is None:
            if self._probe_done is None:
                self._probe_done = anyio.Event()
                self._probes += 1
                self._stop = self._stop or anyio.Event()
                with anyio.move_on_after(min(self._backoff * 2 ** (self._probes - 1), MAX_PAUSE)):
                    await self._stop.wait()
                self._probe_sent = self._clock()
                break
            await self._probe_done.wait()
        if self.ended is not None:
            raise OutageError(self.ended)

    def answered(self) -> None:
        """The endpoint has answered a request, be it with an error."""
        if self.is_down and self.ended is None:
            self._notify(f"the endpoint answers again after {self._seconds():.0f} s; the run goes on")
        self._failed.clear()
        self._since = None
        self._probes = 0
        self._release()

    def withdrawn(self) -> None:
        """A request that was admitted has not been sent: another one may be the probe."""
        self._release()

    def failed(self, attempt: Hashable, begun: float, reason: str) -> None:
        """An attempt that began at this time got no answer. Attempts that are equal count once."""
        was_down = self.is_down
        self._since = begun if self._since is None else min(begun, self._since)
        self._failed.add(attempt)
        if self.is_down and self._seconds() >= self._max_seconds:
            self.ended = f"the endpoint has not answered for {self._seconds():.0f} s ({reason})"
        elif self.is_down and self._stopping is not None:
            self._end(self._stopping)
        elif self.is_down and not was_down:
            self._notify(
                f"the endpoint is not responding ({reason}); the run waits up to {self._max_seconds:.0f} s for it"
            )
        # Many requests may have been in flight when the endpoint died: their failures must not begin more probes.
        if self.ended is not None or begun >= self._probe_sent:
            self._release()

    def stop_waiting(self, reason: str) -> None:
        """Send nothing more while the endpoint is down, now or later: the run is to stop."""
        self._stopping = self._stopping or reason
        if self.is_down:
            self._end(reason)

    def _end(self, reason: str) -> None:
        """Send nothing more."""
        self.ended = self.ended or reason
        if self._stop is not None:
            self._stop.set()
        self._release()

    def _seconds(self) -> float:
        return self._clock() - (self._since if self._since is not None else self._clock())

    def _release(self) -> None:
        """Let the requests that wait look again."""
        self._probe_sent = inf
        if self._probe_done is not None:
            self._probe_done.set()
            self._probe_done = None
