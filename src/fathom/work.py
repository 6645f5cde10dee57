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
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
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

MAX_AHEAD = 4
"""Items in progress, or done but not yet consumed, per process: enough to stay busy, few enough to keep memory flat."""


def map_ordered(task: Callable[[T], R], items: Iterable[T], processes: int) -> Iterator[R]:
    """`task(item)` for each item, in order; with `processes=1` it runs in the calling process."""
    with WorkerPool(processes) as pool:
        yield from pool.map_ordered(task, items)


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

    def map_ordered(self, task: Callable[[T], R], items: Iterable[T]) -> Generator[R, None, None]:
        """`task(item)` for each item, in order; a pool of one process runs it in the calling process.

        A task must be a module-level function (or a partial of one) that depends only on its item, so that items of a
        killed worker can be retried. Bound arguments are sent to each worker once.
        """
        if not self._size:
            yield from map(task, items)
            return
        self._start_missing()
        try:
            yield from _OrderedMap[T, R](task, self).results(iter(items))
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
        ours, theirs = self._context.Pipe()
        process = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        with _interrupts_ignored(), _without_main_module():
            process.start()
        theirs.close()
        return _Worker(process, ours)


@dataclass(eq=False)
class _Worker:
    process: BaseProcess
    pipe: Connection
    task: object = None
    """The pickled task that was last sent to it."""
    jobs: deque[_Job] = field(default_factory=deque)
    """The job in progress, and the next."""


@dataclass
class _Job:
    number: int
    item: Any
    deaths: int = 0


class _OrderedMap(Generic[T, R]):
    """One call of `map_ordered` on a pool."""

    def __init__(self, task: Callable[[T], R], pool: WorkerPool) -> None:
        self._pool = pool
        self._max_ahead = len(pool.workers) * MAX_AHEAD
        # Pickled once for all workers: an index of titles may be bound to it.
        self._task = bytes(ForkingPickler.dumps(_Task(task)))
        self._retries: deque[_Job] = deque()
        self._done: dict[int, R] = {}
        self._started = self._consumed = 0

    def results(self, items: Iterator[T]) -> Iterator[R]:
        jobs = (_Job(number, item) for number, item in enumerate(items))
        while True:
            # Before a result is yielded, so that workers stay busy while the caller uses it.
            self._send_jobs(jobs)
            if self._consumed in self._done:
                self._consumed += 1
                yield self._done.pop(self._consumed - 1)
            elif any(worker.jobs for worker in self._pool.workers):
                self._receive()
            elif not self._retries:
                return

    def _send_jobs(self, jobs: Iterator[_Job]) -> None:
        while True:
            worker = min(self._pool.workers, key=lambda one: len(one.jobs))
            if len(worker.jobs) == PREFETCH:
                return
            job = self._retries.popleft() if self._retries else self._next(jobs)
            if job is None:
                return
            self._send(worker, job)

    def _next(self, jobs: Iterator[_Job]) -> _Job | None:
        """The next job; None at the end, or if too many results wait to be consumed."""
        if self._started - self._consumed >= self._max_ahead:
            return None
        job = next(jobs, None)
        self._started += job is not None
        return job

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
        self._retries.extend(worker.jobs)


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
