"""The journal of responses that are not part of a run on disk."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from fathom.models.prompts import Completion, Prompt
from fathom.records.contexts import ContextId
from fathom.records.questions import QuestionId, Response, Usage
from fathom.records.record import digest
from fathom.runs.folder import make_artifact


class MemoryJournal:
    """Keeps notes in memory, and artifacts in a temporary folder."""

    def __init__(self) -> None:
        self._results: dict[tuple[ContextId, str], str] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def close(self) -> None:
        """Remove the artifacts."""
        if self._folder is not None:
            self._folder.cleanup()

    def append(self, response: Response) -> None:
        """Nothing to do: the caller gets the response."""

    def stored_result(self, context: ContextId, name: str) -> str | None:
        return self._results.get((context, name))

    def store_result(self, context: ContextId, name: str, text: str) -> None:
        self._results[context, name] = text

    def pay(self, usage: Usage) -> None:
        """Nothing to do: the response has its usage."""

    def find_call(self, question: QuestionId, sample: int, prompt: Prompt) -> Completion | None:
        """None: every process asks again."""
        return None

    def add_call(self, question: QuestionId, sample: int, prompt: Prompt, completion: Completion) -> None:
        """Nothing to do, for the same reason."""

    def artifact(self, scope: str, name: str, make: Callable[[Path], None]) -> Path:
        self._folder = self._folder or tempfile.TemporaryDirectory(prefix="fathom-")
        return make_artifact(Path(self._folder.name), digest(scope, name).hex()[:32], make)
