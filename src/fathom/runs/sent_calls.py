"""The calls that are in flight, and those that broke off: they may have been paid for, although nobody saw an answer.

Each attempt is written down when it is sent, and again once it has ended. Those without an end are lost if no process
works on the run: it was killed, or their connection broke. A call that waits for a connection has not been sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import count
from pathlib import Path
from typing import Annotated

from pydantic import Field

from fathom.records.documents import NonNegativeInt
from fathom.records.errors import file_errors
from fathom.records.files import Journal, write_records
from fathom.records.questions import Usage
from fathom.records.record import Record


class SentCall(Record):
    """A call that is about to be sent, or that has ended."""

    number: NonNegativeInt
    price: Annotated[float, Field(ge=0)] | None = None
    """Its maximum price in US dollars; None if prices are unknown."""
    input_tokens: NonNegativeInt = 0
    output_tokens: NonNegativeInt = 0
    """At most so many tokens."""
    ended: bool = False

    @property
    def highest(self) -> Usage:
        """Its maximum usage."""
        return Usage(input_tokens=self.input_tokens, output_tokens=self.output_tokens, price=self.price)


class CallMark:
    """Marks a call as sent, once for each attempt, and as ended."""

    def __init__(self, write: Callable[[SentCall], None], numbers: Iterator[int], highest: Usage) -> None:
        self._write = write
        self._numbers = numbers
        self._highest = highest
        self._number: int | None = None

    def begin(self) -> None:
        """The call is about to be sent."""
        if self._number is None:
            self._number = next(self._numbers)
            highest = self._highest
            self._write(
                SentCall(
                    number=self._number,
                    price=highest.price,
                    input_tokens=highest.input_tokens,
                    output_tokens=highest.output_tokens,
                )
            )

    def end(self) -> None:
        """The call has ended, or its last attempt was not paid."""
        if self._number is not None:
            self._write(SentCall(number=self._number, ended=True))
            self._number = None

    def lose(self) -> None:
        """The attempt broke off and may have been paid; the next one is another call."""
        self._number = None


def unrecorded(highest: Usage) -> AbstractContextManager[CallMark]:
    """A mark that is written nowhere."""
    return nullcontext(CallMark(lambda call: None, count(1), highest))


class SentCalls:
    """The calls of one run that have not ended."""

    def __init__(self, path: Path) -> None:
        self._journal: Journal[SentCall] = Journal(path, SentCall)
        self._numbers = count(1)

    def open(self) -> None:
        """Keep the calls that earlier processes lost, and prepare to write down others."""
        lost = self._compact()
        self._numbers = count(1 + max((one.number for one in lost), default=0))
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
    def sending(self, highest: Usage) -> Iterator[CallMark]:
        """A mark for the call of this block, which ends with it, with the maximum usage of the call.

        A call that is abandoned because the process stops has no end.
        """
        mark = CallMark(self._journal.append, self._numbers, highest)
        try:
            yield mark
        except Exception:
            mark.end()
            raise
        mark.end()


def read_lost_calls(path: Path) -> list[SentCall]:
    """The calls without an end."""
    waiting: dict[int, SentCall] = {}
    for call in Journal(path, SentCall).read():
        if call.ended:
            waiting.pop(call.number, None)
        else:
            waiting[call.number] = call
    return list(waiting.values())
