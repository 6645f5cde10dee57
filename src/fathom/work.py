"""How work is spread over processes: an ordered map whose results do not hang on how many there are.

Each worker has a pipe of its own. A pool that shares one queue can hang for ever when a worker is killed while it
holds the queue's lock; here a killed worker is a closed pipe and nothing more. A worker whose parent is gone reads the
end of its pipe and ends too.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from fathom.records.errors import FathomError

T = TypeVar("T")
R = TypeVar("R")

DEATHS_ALLOWED = 3
"""How many workers may die over one task before the work is given up: one may be killed for memory, not every one."""

AT_HAND = 2
"""Tasks that a worker has: the next one is there when it is done with one."""

AHEAD = 4
"""Tasks under way or done but not yet wanted, for each process: enough to stay busy, few enough to keep memory flat."""


def run_ordered(task: Callable[[T], R], items: Iterable[T], processes: int) -> Iterator[R]:
    """`task(item)` for each item, in order; with one process it runs right here."""
    with Team(processes) as team:
        yield from team.ordered(task, items)


def cores() -> int:
    """How many processes this one may use at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look for cycles of garbage rarely: records have none, and looking takes a sixth of the time of making them.

    Not for what waits on a network, where a cycle may hold a prompt of a million tokens.
    """
    before = gc.get_threshold()
    gc.set_threshold(2_000_000, 20, 50)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class Team:
    """Processes that stay for one work after the other: to start one takes as long as to read a dozen papers."""

    def __init__(self, processes: int) -> None:
        self._size = processes if processes > 1 else 0
        # Spawned, not forked: a fork copies locks held by threads, and only spawning works everywhere.
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []
        self._full()

    def __enter__(self) -> Team:
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._workers:
            _end(worker)

    def ordered(self, task: Callable[[T], R], items: Iterable[T]) -> Generator[R, None, None]:
        """`task(item)` for each item, in order; a team of one does it right here.

        A task must be a module-level function (or a partial of one) that hangs on nothing but its item, so that what a
        killed worker lost can simply be done again. What is bound to it goes to each worker once.
        """
        if not self._size:
            yield from map(task, items)
            return
        self._full()
        try:
            yield from _Shift[T, R](task, self).results(iter(items))
        finally:
            # Where the caller had enough, what comes back now would be taken for the next work's.
            for worker in [worker for worker in self._workers if worker.jobs]:
                self.dismiss(worker)

    @property
    def workers(self) -> Sequence[_Worker]:
        return self._workers

    def replace(self, worker: _Worker) -> None:
        """Somebody new for one who died."""
        self.dismiss(worker)
        self._full()

    def dismiss(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        _end(worker)

    def _full(self) -> None:
        while len(self._workers) < self._size:
            self._workers.append(self._hired())

    def _hired(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        with _deaf_to_interrupts():
            process.start()
        theirs.close()
        return _Worker(process, ours)


@dataclass(eq=False)
class _Worker:
    process: BaseProcess
    pipe: Connection
    task: object = None
    """What it was told to do."""
    jobs: deque[_Job] = field(default_factory=deque)
    """The one under way, and the next."""


@dataclass
class _Job:
    number: int
    item: Any
    deaths: int = 0


class _Shift(Generic[T, R]):
    """One piece of work of a team."""

    def __init__(self, task: Callable[[T], R], team: Team) -> None:
        self._team = team
        self._room = len(team.workers) * AHEAD
        # Packed once for all: an index of titles may be bound to it.
        self._task = bytes(ForkingPickler.dumps(_Task(task)))
        self._again: deque[_Job] = deque()
        self._done: dict[int, R] = {}
        self._taken = self._wanted = 0

    def results(self, items: Iterator[T]) -> Iterator[R]:
        jobs = (_Job(number, item) for number, item in enumerate(items))
        while True:
            # Before anything is handed over: what the caller does with it need not keep workers waiting.
            self._give_out(jobs)
            if self._wanted in self._done:
                self._wanted += 1
                yield self._done.pop(self._wanted - 1)
            elif any(worker.jobs for worker in self._team.workers):
                self._listen()
            elif not self._again:
                return

    def _give_out(self, jobs: Iterator[_Job]) -> None:
        while True:
            worker = min(self._team.workers, key=lambda one: len(one.jobs))
            if len(worker.jobs) == AT_HAND:
                return
            job = self._again.popleft() if self._again else self._next(jobs)
            if job is None:
                return
            self._give(worker, job)

    def _next(self, jobs: Iterator[_Job]) -> _Job | None:
        """The next job where there is one, and room for what comes of it."""
        if self._taken - self._wanted >= self._room:
            return None
        job = next(jobs, None)
        self._taken += job is not None
        return job

    def _give(self, worker: _Worker, job: _Job) -> None:
        worker.jobs.append(job)
        try:
            if worker.task is not self._task:
                worker.task = self._task
                worker.pipe.send_bytes(self._task)
            worker.pipe.send(job.item)
        except OSError:
            self._bury(worker)

    def _listen(self) -> None:
        """Take what has come back; a worker that died is replaced and its task done again."""
        busy = {worker.pipe: worker for worker in self._team.workers if worker.jobs}
        for pipe in wait(list(busy)):
            worker = busy[pipe]  # type: ignore[index]
            try:
                outcome = worker.pipe.recv()
            except (EOFError, OSError):
                self._bury(worker)
                continue
            if isinstance(outcome, _Failed):
                raise outcome.error
            self._done[worker.jobs.popleft().number] = outcome

    def _bury(self, worker: _Worker) -> None:
        job = worker.jobs[0]
        job.deaths += 1
        if job.deaths >= DEATHS_ALLOWED:
            raise FathomError(
                f"Worker processes died {job.deaths} times in a row at the same task, perhaps for lack of memory. "
                "Run it again with --processes 1, or free some memory."
            )
        self._team.replace(worker)
        self._again.extend(worker.jobs)


@dataclass(frozen=True)
class _Task:
    """What a worker is to do with all that comes after."""

    call: Callable[[Any], Any]


@dataclass(frozen=True)
class _Failed:
    error: Exception


def _serve(pipe: Connection) -> None:
    """A worker's life: tasks and items in, results out, until the pipe ends."""
    at_hand: SimpleQueue[Any] = SimpleQueue()
    # Read beside the work: while a result goes out, the next item comes in, and neither side waits for the other.
    threading.Thread(target=_take_in, args=(pipe, at_hand), daemon=True).start()
    task: Callable[[Any], Any] | None = None
    while True:
        item = at_hand.get()
        if item is _END:
            return
        if isinstance(item, _Task):
            task = item.call
            continue
        assert task is not None
        try:
            outcome = task(item)
        except Exception as error:
            outcome = _Failed(error)
        try:
            pipe.send(outcome)
        except OSError:
            return


_END = object()


def _take_in(pipe: Connection, at_hand: SimpleQueue[Any]) -> None:
    """Whatever ends it, the worker ends too, and its parent sees that."""
    try:
        while True:
            at_hand.put(pipe.recv())
    except (EOFError, OSError):
        return
    finally:
        at_hand.put(_END)


def _end(worker: _Worker) -> None:
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
