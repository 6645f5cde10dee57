"""The model calls of unfinished questions: a run that is resumed after a kill does not pay for them again.

A call counts as made if the same question, in the same sample, asks the same prompt.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from fathom.models.prompts import Completion, Message, Prompt, Stop, ToolCall
from fathom.records.documents import NonNegativeInt
from fathom.records.errors import file_errors
from fathom.records.files import Journal, write_records
from fathom.records.questions import QuestionId, Response, Usage
from fathom.records.record import Record, digest

Attempts = Counter[tuple[QuestionId, int]]
"""Responses by question and sample, errors included."""


class CompletedCall(Record):
    """A call and its completion."""

    question_id: QuestionId
    sample: NonNegativeInt
    attempt: NonNegativeInt
    """The number of responses before it: after an error, a question is asked again."""
    prompt: str
    """The hash of the prompt."""
    text: str
    stop: Stop
    thinking: str
    usage: Usage
    tool_calls: str
    """The id, the tool, the arguments, and why they could not be parsed, of each call as JSON in ASCII: models write
    lone surrogates, which a record cannot have."""
    native: str | None
    """The engine's own message, in the same form."""


class UnfinishedCalls:
    """The calls of the questions of one run that have no response yet."""

    def __init__(self, path: Path) -> None:
        self._journal: Journal[CompletedCall] = Journal(path, CompletedCall)
        self._made: dict[tuple[QuestionId, int], list[CompletedCall]] = defaultdict(list)
        self._attempts: Attempts = Counter()

    def open(self, attempts: Attempts) -> None:
        """Read the calls of earlier processes; `attempts` are the responses so far, which the caller counts."""
        self._attempts = attempts
        for call in self._compact():
            self._made[call.question_id, call.sample].append(call)
        self._journal.__enter__()

    def close(self) -> None:
        """Drop the calls of questions with a response."""
        self._journal.__exit__(None, None, None)
        if not self._compact():
            with file_errors("write", self._journal.path):
                self._journal.path.unlink(missing_ok=True)

    def _compact(self) -> list[CompletedCall]:
        found = list(self._journal.read())
        kept = [call for call in found if self._attempts[call.question_id, call.sample] == call.attempt]
        if len(kept) < len(found):
            write_records(self._journal.path, kept, checksums=True)
        return kept

    def end(self, response: Response) -> None:
        """The question has a response: its calls are no longer needed."""
        self._made.pop((response.question_id, response.sample), None)

    def find(self, question: QuestionId, sample: int, prompt: Prompt) -> Completion | None:
        """The completion of the call, if it was made before. A prompt that is repeated gets the next one."""
        waiting = self._made.get((question, sample))
        if not waiting:
            return None
        hashed = _hash(prompt)
        made = next((call for call in waiting if call.prompt == hashed), None)
        if made is None:
            return None
        waiting.remove(made)
        calls = tuple(ToolCall(*fields) for fields in json.loads(made.tool_calls))
        native = None if made.native is None else json.loads(made.native)
        return Completion(made.text, made.stop, made.thinking, made.usage, calls, native)

    def add(self, question: QuestionId, sample: int, prompt: Prompt, completion: Completion) -> None:
        """Store a call. Once this returns, a kill does not lose it."""
        calls = [[call.id, call.name, dict(call.arguments), call.error] for call in completion.tool_calls]
        native = completion.native
        self._journal.append(
            CompletedCall(
                question_id=question,
                sample=sample,
                attempt=self._attempts[question, sample],
                prompt=_hash(prompt),
                text=completion.text,
                stop=completion.stop,
                thinking=completion.thinking,
                usage=completion.usage,
                tool_calls=json.dumps(calls, default=str),
                native=json.dumps(native.model_dump(), default=str) if isinstance(native, BaseModel) else None,
            )
        )


def _hash(prompt: Prompt) -> str:
    return digest(canonical(prompt)).hex()[:32]


def canonical(prompt: Prompt) -> str:
    """The messages and the tools of a prompt as a text that is equal for equal prompts."""
    tools = [[tool.name, tool.description, dict(tool.parameters)] for tool in prompt.tools]
    messages = [_plain(message) for message in prompt.messages]
    return json.dumps([messages, tools, prompt.may_call], sort_keys=True, default=str)


def _plain(message: Message) -> list[Any]:
    calls = [[call.id, call.name, dict(call.arguments)] for call in message.tool_calls]
    answers = message.answers.id if message.answers else None
    return [message.role, [str(part) for part in message.parts], calls, answers]
