"""Worker processes: an ordered map whose results do not depend on the number of processes.

Each worker has its own pipe. A pool with one shared queue can hang forever when a worker is killed while it has the
queue's lock; here a killed worker is only a closed pipe. A worker whose parent is gone reads the end of its pipe and
exits too.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain, islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from queue import SimpleQueue
from types import ModuleType
from typing import Any, Generic, TypeVar

from fathom.records.errors import FathomError

T = TypeVar("T")
R = TypeVar("R")

MAX_DEATHS = 3
"""How many workers may die on one item before the map fails: one may be killed for lack of memory, not every one."""

PREFETCH = 2
"""Items sent to a worker at a time: the next is ready when it finishes the first."""

MAX_AHEAD, MAX_AHEAD_GROUPED = 4, 64
"""Items in progress, or done but not yet consumed, per process: enough to stay busy, few enough to keep memory flat.
Where items are grouped, a worker finds the next of its group farther ahead."""

Group = Callable[[T], Hashable]
"""From an item: what it has in common with others, such as the documents that they read; None for nothing."""


def map_ordered(
    task: Callable[[T], R], items: Iterable[T], processes: int, group: Group[T] | None = None
) -> Iterator[R]:
    """`task(item)` for each item, in order; with `processes=1` it runs in the calling process.

    Items of one group go to one worker, which may reuse what it has read, unless another has nothing to do.
    """
    with WorkerPool(processes) as pool:
        yield from pool.map_ordered(task, items, group)


def cores() -> int:
    """The number of cores that this process may use; the variable PYTHON_CPU_COUNT sets it, as for Python 3.13."""
    if (given := os.environ.get("PYTHON_CPU_COUNT", "")).isdecimal() and int(given) > 0:
        return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


RARE_COLLECTIONS = (200_000, 20, 50)
"""Thresholds of the garbage collector for code that creates many records."""


@contextmanager
def infrequent_gc() -> Iterator[None]:
    """Collect garbage rarely: records have no cycles, and searching for them adds a sixth to the time to create them.

    Not for code that waits on a network, where a cycle may keep a prompt of a million tokens alive.
    """
    before = gc.get_threshold()
    gc.set_threshold(*RARE_COLLECTIONS)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class WorkerPool:
    """Worker processes that are reused: starting one takes as long as reading a dozen documents."""

    def __init__(self, processes: int) -> None:
        self._size = processes if processes > 1 else 0
        # Spawned, not forked: a fork copies locks held by threads, and only spawning works everywhere.
        self._context = multiprocessing.get_context("spawn")
        self._workers: list[_Worker] = []
        self._start_missing()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *error: object) -> None:
        for worker in self._workers:
            _stop(worker)

    def map_ordered(
        self, task: Callable[[T], R], items: Iterable[T], group: Group[T] | None = None
    ) -> Generator[R, None, None]:
        """`task(item)` for each item, in order; a pool of one process runs it in the calling process.

        A task must be a module-level function (or a partial of one) that depends only on its item, so that items of a
        killed worker can be retried. Bound arguments are sent to each worker once.
        """
        if not self._size:
            yield from map(task, items)
            return
        self._start_missing()
        try:
            yield from _OrderedMap[T, R](task, self, group).results(iter(items))
        finally:
            # After an early exit, pending results would be mistaken for those of the next call.
            for worker in [worker for worker in self._workers if worker.jobs]:
                self.remove(worker)

    @property
    def workers(self) -> Sequence[_Worker]:
        return self._workers

    def replace(self, worker: _Worker) -> None:
        """Start a new worker in place of one that died."""
        self.remove(worker)
        self._start_missing()

    def remove(self, worker: _Worker) -> None:
        """Stop a worker."""
        self._workers.remove(worker)
        _stop(worker)

    def _start_missing(self) -> None:
        while len(self._workers) < self._size:
            self._workers.append(self._start_worker())

    def _start_worker(self) -> _Worker:
        parent_end, child_end = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(child_end,), daemon=True)
        with _interrupts_ignored(), _without_main_module():
            process.start()
        child_end.close()
        return _Worker(process, parent_end)


@dataclass(eq=False)
class _Worker:
    process: BaseProcess
    pipe: Connection
    task: object = None
    """The pickled task that was last sent to it."""
    jobs: deque[_Job] = field(default_factory=deque)
    """The job in progress, and the next."""


@dataclass(eq=False)
class _Job:
    number: int
    item: Any
    group: Hashable
    deaths: int = 0


class _OrderedMap(Generic[T, R]):
    """One call of `map_ordered` on a pool."""

    def __init__(self, task: Callable[[T], R], pool: WorkerPool, group: Group[T] | None) -> None:
        self._pool = pool
        self._group = group
        self._owners: dict[Hashable, _Worker] = {}
        """The worker of each group."""
        self._max_ahead = len(pool.workers) * (MAX_AHEAD_GROUPED if group else MAX_AHEAD)
        # Pickled once for all workers: an index of titles may be bound to it.
        self._task = bytes(ForkingPickler.dumps(_Task(task)))
        self._waiting: deque[_Job] = deque()
        """Jobs that were not sent yet, or were lost with a worker that died."""
        self._done: dict[int, R] = {}
        self._started = self._consumed = 0

    def results(self, items: Iterator[T]) -> Iterator[R]:
        group = self._group or (lambda item: None)
        jobs = (_Job(number, item, group(item)) for number, item in enumerate(items))
        while True:
            # Before a result is yielded, so that workers stay busy while the caller uses it.
            self._send_jobs(jobs)
            if self._consumed in self._done:
                self._consumed += 1
                yield self._done.pop(self._consumed - 1)
            elif any(worker.jobs for worker in self._pool.workers):
                self._receive()
            elif not self._waiting:
                return

    def _send_jobs(self, jobs: Iterator[_Job]) -> None:
        while True:
            free = [worker for worker in self._pool.workers if len(worker.jobs) < PREFETCH]
            free.sort(key=lambda worker: len(worker.jobs))
            sendable = ((worker, job) for worker in free if (job := self._next(jobs, worker)) is not None)
            chosen = next(sendable, None)
            if chosen is None:
                return
            self._send(*chosen)

    def _next(self, jobs: Iterator[_Job], worker: _Worker) -> _Job | None:
        """The next job for a worker; None if there is none, or if too many results wait to be consumed."""
        wanted = self._max_ahead if self._group else 1
        free = self._max_ahead - (self._started - self._consumed)
        more = list(islice(jobs, max(0, min(free, wanted - len(self._waiting)))))
        self._started += len(more)
        self._waiting += more
        job = self._choose(worker)
        if job is not None:
            self._waiting.remove(job)
            if job.group is not None:
                self._owners.setdefault(job.group, worker)
        return job

    def _choose(self, worker: _Worker) -> _Job | None:
        """The first job of the worker's groups, or of a group without a worker; any if it has nothing else to do."""
        own = (job for job in self._waiting if job.group is not None and self._owners.get(job.group) is worker)
        new = (job for job in self._waiting if job.group is None or job.group not in self._owners)
        others = () if worker.jobs else self._waiting
        return next(chain(own, new, others), None)

    def _send(self, worker: _Worker, job: _Job) -> None:
        worker.jobs.append(job)
        try:
            if worker.task is not self._task:
                worker.task = self._task
                worker.pipe.send_bytes(self._task)
            worker.pipe.send(job.item)
        except OSError:
            self._handle_death(worker)

    def _receive(self) -> None:
        """Receive finished results; a worker that died is replaced and its jobs are retried."""
        busy = {worker.pipe: worker for worker in self._pool.workers if worker.jobs}
        for pipe in wait(list(busy)):
            worker = busy[pipe]  # type: ignore[index]
            try:
                result = worker.pipe.recv()
            except (EOFError, OSError):
                self._handle_death(worker)
                continue
            if isinstance(result, _Failure):
                raise result.error
            self._done[worker.jobs.popleft().number] = result

    def _handle_death(self, worker: _Worker) -> None:
        job = worker.jobs[0]
        job.deaths += 1
        if job.deaths >= MAX_DEATHS:
            raise FathomError(
                f"Worker processes died {job.deaths} times in a row on the same item, possibly because memory ran out. "
                "Run the command again with --processes 1, or free some memory."
            )
        self._pool.replace(worker)
        self._owners = {group: owner for group, owner in self._owners.items() if owner is not worker}
        self._waiting.extendleft(reversed(worker.jobs))


@dataclass(frozen=True)
class _Task:
    """The function that a worker applies to all items that follow."""

    call: Callable[[Any], Any]


@dataclass(frozen=True)
class _Failure:
    """An exception that a task raised."""

    error: Exception


def _serve(pipe: Connection) -> None:
    """The main loop of a worker: tasks and items in, results out, until the pipe ends."""
    received: SimpleQueue[Any] = SimpleQueue()
    # Received in a thread: while a result is sent, the next item arrives, and neither side waits for the other.
    threading.Thread(target=_receive_all, args=(pipe, received), daemon=True).start()
    task: Callable[[Any], Any] | None = None
    with infrequent_gc():
        while True:
            item = received.get()
            if item is _END:
                return
            if isinstance(item, _Task):
                task = item.call
                continue
            assert task is not None
            try:
                result = task(item)
            except Exception as error:
                result = _Failure(error)
            try:
                pipe.send(result)
            except OSError:
                return


_END = object()


def _receive_all(pipe: Connection, received: SimpleQueue[Any]) -> None:
    """Queue everything received. When this ends, for any reason, the worker exits and its parent notices."""
    try:
        while True:
            received.put(pipe.recv())
    except (EOFError, OSError):
        return
    finally:
        received.put(_END)


def _stop(worker: _Worker) -> None:
    worker.pipe.close()
    worker.process.kill()
    worker.process.join()


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Ignore Ctrl-C in processes started inside: the parent handles it and stops them without tracebacks."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


_MAIN_LOCK = threading.Lock()


@contextmanager
def _without_main_module() -> Iterator[None]:
    """A spawned process imports the caller's main module: a script without a main guard would run again in each worker.

    Tasks are functions of modules, so no worker needs it.
    """
    with _MAIN_LOCK:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main
