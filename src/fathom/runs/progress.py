"""The progress of a run, reported with every response and every notice."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from fathom.records.questions import Response, Usage
from fathom.runs.folder import ResponseIndex


@dataclass
class RunProgress:
    """How far a run is."""

    total: int
    """Responses of the complete run."""
    done: int = 0
    """Responses so far, those of earlier processes included; errors do not count."""
    errors: int = 0
    """Errors in this process."""
    retries: int = 0
    """Requests that were sent again in this process."""
    usage: Usage = field(default_factory=lambda: Usage(price=0.0))
    """The usage of this process."""
    begun: float = field(default_factory=time.monotonic)
    answered: int = 0
    """Responses in this process, errors included."""
    first_response: float = 0.0
    """When the first of them arrived."""
    notice: str = ""
    """A notice for the user, such as that an endpoint does not respond; empty if a response has arrived."""

    @property
    def seconds(self) -> float:
        """Since this process began."""
        return time.monotonic() - self.begun

    @property
    def seconds_left(self) -> float | None:
        """At the speed since the first response, since a start can take long; None before the second one."""
        if self.answered < 2:
            return None
        each = (time.monotonic() - self.first_response) / (self.answered - 1)
        return each * max(0, self.total - self.done)


TRUNCATED = 5
"""Responses that were cut off after which the user is told, if they are most of the responses so far."""

ShowProgress = Callable[[RunProgress], None]


def show_nothing(progress: RunProgress) -> None:
    """Ignore the progress."""


class ProgressReporter:
    """Counts what happens in a run and shows it."""

    def __init__(
        self, total: int = 0, existing: ResponseIndex | None = None, show: ShowProgress = show_nothing
    ) -> None:
        self._progress = RunProgress(total, min(total, existing.done if existing else 0))
        self._truncated = 0
        self._show = show

    def responded(self, response: Response) -> None:
        """Count a response."""
        progress = self._progress
        progress.answered += 1
        progress.first_response = progress.first_response or time.monotonic()
        progress.errors += response.outcome == "error"
        progress.done += response.outcome != "error"
        progress.usage = progress.usage.plus(response.usage)
        self._show(progress)
        if response.outcome == "truncated":
            self._truncated += 1
            if self._truncated == TRUNCATED and 2 * self._truncated > progress.answered:
                self.notify(
                    f"{self._truncated} of the first {progress.answered} responses were cut off at --max-tokens, which "
                    "includes the reasoning of models that reason; you may want to interrupt the run"
                )

    def retried(self) -> None:
        """Count a request that is sent again; shown with the next response."""
        self._progress.retries += 1

    def notify(self, text: str) -> None:
        """Show what the user should know."""
        self._progress.notice = text
        try:
            self._show(self._progress)
        finally:
            self._progress.notice = ""
