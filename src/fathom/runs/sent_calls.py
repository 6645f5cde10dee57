"""The calls that are in flight: a process that is killed may have paid for calls whose answers it never saw.

Each call is written down before it is sent, and again once it has ended. Calls without an end are lost if no process
works on the run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from pydantic import Field

from fathom.records.documents import Count
from fathom.records.errors import file_errors
from fathom.records.files import Journal, write_records
from fathom.records.record import Record


class SentCall(Record):
    """A call that is about to be sent, or that has ended."""

    number: Count
    price: Annotated[float, Field(ge=0)] | None = None
    """The most that it can cost, in US dollars; None if the run has no budget."""
    ended: bool = False


class SentCalls:
    """The calls of one run that have not ended."""

    def __init__(self, path: Path) -> None:
        self._journal: Journal[SentCall] = Journal(path, SentCall)
        self._number = 0

    def open(self) -> None:
        """Keep the calls that earlier processes lost, and prepare to write down others."""
        lost = self._compact()
        self._number = max((one.number for one in lost), default=0)
        self._journal.__enter__()

    def close(self) -> None:
        """Drop the calls that have ended."""
        self._journal.__exit__(None, None, None)
        if not self._compact():
            with file_errors("write", self._journal.path):
                self._journal.path.unlink(missing_ok=True)

    def _compact(self) -> list[SentCall]:
        path = self._journal.path
        lost = read_lost_calls(path)
        if path.exists():
            write_records(path, lost, checksums=True)
        return lost

    @contextmanager
    def sending(self, price: float | None) -> Iterator[None]:
        """Write a call down before it is sent in this block, and that it has ended after it.

        A call that is abandoned because the process stops has no end.
        """
        self._number += 1
        sent = SentCall(number=self._number, price=price)
        self._journal.append(sent)
        try:
            yield
        except Exception:
            self._end(sent)
            raise
        self._end(sent)

    def _end(self, sent: SentCall) -> None:
        self._journal.append(SentCall(number=sent.number, ended=True))


def read_lost_calls(path: Path) -> list[SentCall]:
    """The calls without an end."""
    waiting: dict[int, SentCall] = {}
    for call in Journal(path, SentCall).read():
        if call.ended:
            waiting.pop(call.number, None)
        else:
            waiting[call.number] = call
    return list(waiting.values())
