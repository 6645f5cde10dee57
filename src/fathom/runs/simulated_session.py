"""The session of a simulated model. Like a real model, it knows only its prompt, and no earlier calls."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, Protocol

from fathom.models.prompts import Completion, Prompt, Stop, TextReference, ToolCall
from fathom.records.errors import FathomError
from fathom.records.layouts import shown_label
from fathom.records.questions import Response, Step, Usage
from fathom.records.spans import Span, join_spans
from fathom.runs.bench_view import BenchView
from fathom.runs.folder import RunFolder
from fathom.runs.plan import Job
from fathom.runs.redaction import explain
from fathom.runs.simulated_policy import act, as_text, is_agent, new_results
from fathom.runs.system_runner import answer_of
from fathom.runs.trace import Trace
from fathom.systems.protocol import DOCUMENTS, ArtifactScope, CallEstimate, ContextView, System
from fathom.systems.quotations import AFTER_READING, NOTE_TAKING, NOTHING, note_line, quoted_spans


class ShownParts(NamedTuple):
    """What a prompt shows of a context."""

    documents: tuple[Span, ...]
    """Parts of the documents, which the model has to read."""
    notes: tuple[Span, ...]
    """What notes in the prompt quote; it was read before."""
    states_question: bool


class SimulatedResponder(Protocol):
    """A simulated model as a run calls it."""

    def answer(self, job: Job, attempt: int, shown: ShownParts | None) -> Response:
        """The response to the question of a job; `attempt` counts earlier ones. `shown` is None if all is shown."""
        ...

    def take_notes(self, job: Job, attempt: int, shown: ShownParts, write: Callable[[Sequence[Span]], str]) -> Response:
        """The notes on what the prompt shows; `write` puts them into words."""
        ...


_STOPS: dict[str, Stop] = {"answered": "stop", "truncated": "length", "refused": "refused", "overflow": "overflow"}


def answer_in_session(
    system: System, job: Job, bench: BenchView, folder: RunFolder, model: SimulatedResponder, attempt: int
) -> Response:
    """The response of a system whose model is simulated."""
    session = _SimulatedSession(bench.view(job.context, job.question), folder, model, job, attempt)
    try:
        response = _finish(answer_of(system, job, session))
    except FathomError:
        raise
    except Exception as error:
        response = Response(
            question_id=job.question.id, outcome="error", error=explain(error, system), usage=Usage(price=0.0)
        )
    return session.trace.complete(response).model_copy(update={"sample": job.sample})


def _finish(answering: Coroutine[object, None, Response]) -> Response:
    """The result of a coroutine that never waits; without an event loop, since a notebook already runs one."""
    try:
        answering.send(None)
    except StopIteration as finished:
        response: Response = finished.value
        return response
    raise RuntimeError("a simulated model's session never waits")


class _SimulatedError(Exception):
    """A call that fails because a parameter says so."""


@dataclass
class _SimulatedSession:
    """A session in which every prompt is answered by the simulated model."""

    view: ContextView
    folder: RunFolder
    model: SimulatedResponder
    job: Job
    attempt: int
    trace: Trace = field(default_factory=Trace)
    texts: dict[Span, str] = field(default_factory=dict)
    """The text of spans that were quoted: a memory quotes the same ones again and again."""

    async def ask(self, prompt: Prompt, purpose: str = "") -> Completion:
        response, calls = self._act(prompt) if is_agent(prompt) else (self._respond(self._shown(prompt), purpose), ())
        usage = response.usage.model_copy(update={"input_tokens": self.view.estimate(prompt).input_tokens})
        completion = Completion(response.text, _STOPS[response.outcome], usage=usage)
        if calls and prompt.tools:
            completion = replace(completion, tool_calls=calls)
        elif calls:
            completion = replace(completion, text=f"{completion.text}\n{as_text(calls)}")
        self.trace.add_call(prompt, purpose, completion)
        return completion

    def _act(self, prompt: Prompt) -> tuple[Response, tuple[ToolCall, ...]]:
        """Notes on the results of the last calls with further calls, or the answer.

        Notes are part of the conversation, so the model keeps them when results are removed.
        """
        notes = self._shown(prompt).notes
        read = self._shown(new_results(prompt)).documents
        taken = self._respond(ShownParts(read, (), states_question=True), "notes")
        calls = act(prompt, self.job.question, taken.text) if taken.outcome == "answered" else ()
        if calls or taken.outcome != "answered":
            return taken, calls
        new = self._quoted(iter((taken.text,)))
        # Without any notes, the model has nothing to base an answer on.
        return self._respond(ShownParts((), tuple(dict.fromkeys((*notes, *new))), states_question=True), "answer"), ()

    def _respond(self, shown: ShownParts, purpose: str) -> Response:
        if purpose in NOTE_TAKING:
            response = self.model.take_notes(self.job, self.attempt, shown, self._write)
        else:
            response = self.model.answer(self.job, self.attempt, None if purpose in AFTER_READING else shown)
        if response.error is not None:
            raise _SimulatedError(response.error)
        return response

    def _shown(self, prompt: Prompt) -> ShownParts:
        parts = [(message.role, part) for message in prompt.messages for part in message.parts]
        references = [part for _, part in parts if isinstance(part, TextReference) and part.form == DOCUMENTS]
        read = [Span(reference.start, reference.end or self.view.length) for reference in references]
        # A tool's result shows the documents themselves; any other text with places is a note.
        read += self._quoted(part for role, part in parts if role == "tool" and isinstance(part, str))
        notes = self._quoted(part for role, part in parts if role != "tool" and isinstance(part, str))
        states_question = any(self.job.question.text in part for _, part in parts if isinstance(part, str))
        return ShownParts(tuple(join_spans(read)), tuple(notes), states_question)

    def _quoted(self, texts: Iterator[str]) -> list[Span]:
        return [span for text in texts for span in quoted_spans(text, self._source, self.view.length)]

    def _source(self, span: Span) -> str:
        if span not in self.texts:
            self.texts[span] = self.view.text(DOCUMENTS, span.start, span.end)
        return self.texts[span]

    def _write(self, spans: Sequence[Span]) -> str:
        return "\n".join(note_line(self._label(span), span, self._source(span)) for span in spans) or NOTHING

    def _label(self, span: Span) -> str:
        """How the prompt names the document in which a span begins."""
        places = self.view.context.places
        number = bisect_right(places, span.start, key=lambda place: place.span.end)
        return shown_label(min(number + 1, len(places)), self.view.context.layout)

    def highest_usage(self, estimate: CallEstimate) -> Usage:
        output = (estimate.calls + estimate.spare_calls) * self.folder.manifest.settings.max_tokens
        return Usage(input_tokens=estimate.input_tokens + estimate.spare_tokens, output_tokens=output, price=0.0)

    def record(self, step: Step) -> None:
        self.trace.record(step)

    async def once(self, name: str, work: Callable[[], Awaitable[str]]) -> str:
        stored = self.folder.stored_result(self.view.context.id, name)
        if stored is None:
            stored = await work()
            self.folder.store_result(self.view.context.id, name, stored)
        return stored

    def artifact(self, name: str, make: Callable[[Path], None], scope: ArtifactScope = "context") -> Path:
        return self.folder.artifact(self.view.context.id if scope == "context" else "", name, make)
