"""How work is spread over processes: an ordered map whose results do not hang on how many there are."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from typing import Generic, TypeVar

from fathom.records.errors import FathomError

T = TypeVar("T")
R = TypeVar("R")

DEATHS_ALLOWED = 3
"""How many workers in a row may die before the work is given up: one may be killed for memory, not every one."""

AHEAD = 4
"""Tasks handed out for each process: enough to keep it busy, few enough to keep memory flat."""


def run_ordered(task: Callable[[T], R], items: Iterable[T], processes: int) -> Iterator[R]:
    """`task(item)` for each item, in order; with one process it runs right here.

    A task must be a module-level function (or a partial of one) that hangs on nothing but its item, so that what a
    killed worker lost can simply be done again.
    """
    if processes <= 1:
        yield from map(task, items)
        return
    yield from _Pool(task, iter(items), processes).results()


def cores() -> int:
    """How many processes this one may use at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Pool(Generic[T, R]):
    def __init__(self, task: Callable[[T], R], items: Iterator[T], processes: int) -> None:
        self._task = task
        self._items = items
        self._processes = processes
        self._waiting: deque[tuple[T, Future[R]]] = deque()

    def results(self) -> Iterator[R]:
        deaths = 0
        pool = self._open()
        try:
            self._fill(pool)
            while self._waiting:
                _, future = self._waiting[0]
                try:
                    result = future.result()
                except BrokenProcessPool as error:
                    deaths += 1
                    if deaths >= DEATHS_ALLOWED:
                        raise FathomError(
                            f"Worker processes died {deaths} times in a row at the same task, perhaps for lack of "
                            "memory. Run it again with --processes 1, or free some memory."
                        ) from error
                    pool.shutdown(wait=False, cancel_futures=True)
                    pool = self._open()
                    self._resubmit(pool)
                    continue
                deaths = 0
                self._waiting.popleft()
                self._fill(pool)
                yield result
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _open(self) -> ProcessPoolExecutor:
        # Spawned, not forked: a fork copies locks held by threads, and only spawning works everywhere.
        return ProcessPoolExecutor(self._processes, mp_context=multiprocessing.get_context("spawn"))

    def _fill(self, pool: ProcessPoolExecutor) -> None:
        room = self._processes * AHEAD - len(self._waiting)
        for item in islice(self._items, room):
            self._waiting.append((item, self._submit(pool, item)))

    def _resubmit(self, pool: ProcessPoolExecutor) -> None:
        """Hand out again whatever had no result when the workers died."""
        kept: deque[tuple[T, Future[R]]] = deque()
        for item, future in self._waiting:
            finished = future.done() and not future.cancelled() and future.exception() is None
            kept.append((item, future if finished else self._submit(pool, item)))
        self._waiting = kept

    def _submit(self, pool: ProcessPoolExecutor, item: T) -> Future[R]:
        try:
            return pool.submit(self._task, item)
        except BrokenProcessPool as error:
            # The pool broke between two results: the next look at this task's future starts it afresh.
            failed: Future[R] = Future()
            failed.set_exception(error)
            return failed
