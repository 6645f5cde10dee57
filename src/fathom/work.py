"""How work is spread over processes: an ordered map whose results do not hang on how many there are.

Each worker has a pipe of its own. A pool that shares one queue can hang for ever when a worker is killed while it
holds the queue's lock; here a killed worker is a closed pipe and nothing more. A worker whose parent is gone reads the
end of its pipe and ends too.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from fathom.records.errors import FathomError

T = TypeVar("T")
R = TypeVar("R")

DEATHS_ALLOWED = 3
"""How many workers may die over one task before the work is given up: one may be killed for memory, not every one."""

AHEAD = 4
"""Tasks under way or done but not yet wanted, for each process: enough to stay busy, few enough to keep memory flat."""


def run_ordered(task: Callable[[T], R], items: Iterable[T], processes: int) -> Iterator[R]:
    """`task(item)` for each item, in order; with one process it runs right here.

    A task must be a module-level function (or a partial of one) that hangs on nothing but its item, so that what a
    killed worker lost can simply be done again.
    """
    if processes <= 1:
        yield from map(task, items)
        return
    team = _Team(task, processes)
    try:
        yield from team.results(iter(items))
    finally:
        team.dismiss()


def cores() -> int:
    """How many processes this one may use at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass
class _Job(Generic[T]):
    number: int
    item: T
    deaths: int = 0


@dataclass
class _Worker(Generic[T]):
    process: BaseProcess
    pipe: Connection
    job: _Job[T] | None = None


class _Team(Generic[T, R]):
    def __init__(self, task: Callable[[T], R], processes: int) -> None:
        self._task = task
        self._room = processes * AHEAD
        # Spawned, not forked: a fork copies locks held by threads, and only spawning works everywhere.
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker[T]] = [self._hire() for _ in range(processes)]
        self._again: deque[_Job[T]] = deque()
        self._done: dict[int, R] = {}

    def results(self, items: Iterator[T]) -> Iterator[R]:
        wanted = taken = 0
        more = True
        while True:
            while wanted in self._done:
                yield self._done.pop(wanted)
                wanted += 1
            for worker in self._workers:
                if worker.job is not None:
                    continue
                if self._again:
                    self._give(worker, self._again.popleft())
                elif more and taken - wanted < self._room:
                    try:
                        self._give(worker, _Job(taken, next(items)))
                        taken += 1
                    except StopIteration:
                        more = False
            if not any(worker.job for worker in self._workers):
                return
            self._listen()

    def _give(self, worker: _Worker[T], job: _Job[T]) -> None:
        worker.job = job
        try:
            worker.pipe.send(job.item)
        except OSError:
            self._bury(worker)

    def _listen(self) -> None:
        """Take what has come back; a worker that died is replaced and its task done again."""
        busy = {worker.pipe: worker for worker in self._workers if worker.job is not None}
        for pipe in wait(list(busy)):
            worker = busy[pipe]  # type: ignore[index]
            try:
                outcome = worker.pipe.recv()
            except (EOFError, OSError):
                self._bury(worker)
                continue
            assert worker.job is not None
            if isinstance(outcome, _Failed):
                raise outcome.error
            self._done[worker.job.number] = outcome
            worker.job = None

    def _bury(self, worker: _Worker[T]) -> None:
        job = worker.job
        assert job is not None
        job.deaths += 1
        if job.deaths >= DEATHS_ALLOWED:
            raise FathomError(
                f"Worker processes died {job.deaths} times in a row at the same task, perhaps for lack of memory. "
                "Run it again with --processes 1, or free some memory."
            )
        _end(worker)
        self._workers[self._workers.index(worker)] = self._hire()
        self._again.append(job)

    def _hire(self) -> _Worker[T]:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(self._task, theirs), daemon=True)
        with _deaf_to_interrupts():
            process.start()
        theirs.close()
        return _Worker(process, ours)

    def dismiss(self) -> None:
        for worker in self._workers:
            _end(worker)


@dataclass(frozen=True)
class _Failed:
    error: Exception


def _serve(task: Callable[[Any], Any], pipe: Connection) -> None:
    """A worker's life: items in, results out, until the pipe ends."""
    while True:
        try:
            item = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            outcome = task(item)
        except Exception as error:
            outcome = _Failed(error)
        try:
            pipe.send(outcome)
        except OSError:
            return


def _end(worker: _Worker[Any]) -> None:
    worker.pipe.close()
    worker.process.kill()
    worker.process.join()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Children inherit it: Ctrl-C is for the parent, which ends them; their tracebacks help nobody."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
