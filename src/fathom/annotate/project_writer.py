"""Writes the changes of many people to a project, several in one transaction.

A commit takes some milliseconds, since it waits for the disk. With one commit per change, 20 people would wait for each
other. So all changes that arrive during one commit share the next one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Self, TypeVar

from fathom.annotate.project import Project

MAX_TOGETHER = 200
"""Changes in one transaction."""

T = TypeVar("T")


@dataclass
class _QueuedChange:
    act: Callable[[Project], Any]
    done: Future[Any]
    result: Any = None
    error: BaseException | None = None

    def resolve(self) -> None:
        if self.error is not None:
            self.done.set_exception(self.error)
        else:
            self.done.set_result(self.result)


class ProjectWriter:
    """Makes changes in a thread with a connection of its own. A change is on disk when `write` returns."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._queue: SimpleQueue[_QueuedChange | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="project writer", daemon=True)
        self._opened: Future[None] = Future()

    def __enter__(self) -> Self:
        self._thread.start()
        self._opened.result()
        return self

    def __exit__(self, *error: object) -> None:
        self._queue.put(None)
        self._thread.join()

    async def write(self, act: Callable[[Project], T]) -> T:
        """The result of a method of the project, or its error, after the commit."""
        change = _QueuedChange(act, Future())
        self._queue.put(change)
        result: T = await asyncio.wrap_future(change.done)
        return result

    def _run(self) -> None:
        try:
            project = Project(self._folder)
        except BaseException as error:
            self._opened.set_exception(error)
            return
        self._opened.set_result(None)
        with project:
            while (first := self._queue.get()) is not None:
                changes, is_last = self._waiting(first)
                self._commit(project, changes)
                if is_last:
                    return

    def _waiting(self, first: _QueuedChange) -> tuple[list[_QueuedChange], bool]:
        """The changes that wait for a commit, and whether the end was asked for after them."""
        changes = [first]
        try:
            while len(changes) < MAX_TOGETHER:
                queued = self._queue.get_nowait()
                if queued is None:
                    return changes, True
                changes.append(queued)
        except Empty:
            pass
        return changes, False

    def _commit(self, project: Project, changes: list[_QueuedChange]) -> None:
        running = [change for change in changes if change.done.set_running_or_notify_cancel()]
        try:
            with project.transaction():
                for change in running:
                    try:
                        change.result = change.act(project)
                    except Exception as error:
                        change.error = error
        except BaseException as error:
            for change in running:
                change.error = error
        for change in running:
            change.resolve()
