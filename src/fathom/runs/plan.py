"""What a run will take, before a cent is spent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from fathom.models.model_info import ModelInfo
from fathom.records.contexts import Context
from fathom.records.documents import Count
from fathom.records.questions import Question, QuestionId, Usage
from fathom.records.record import Record
from fathom.runs.bench_view import BenchView
from fathom.runs.folder import ResponseIndex, RunSettings
from fathom.systems.protocol import Expected, System

SMALLEST_CACHED = 1_024
"""Tokens below which providers keep no prefix."""

BOUNDLESS = 100_000_000
"""Tokens of a window that nothing fills: answerers that read no prompt have it."""

EXPECTED_RESPONSE = {"direct": 80, "cot": 800}
"""Tokens of a usual response, by prompting; what is reserved is `max_tokens`."""


@dataclass(frozen=True)
class Job:
    """One response that is to be had."""

    context: Context
    question: Question
    sample: int

    @property
    def id(self) -> str:
        return f"{self.question.id}.{self.sample}"


class Plan(Record):
    """How many requests, how many tokens, what price, how long."""

    questions: Count
    responses: Count
    """Questions times samples."""
    done: Count
    """Responses that are there already."""
    overflow: tuple[QuestionId, ...]
    """Questions that do not fit the model's window and are refused before anything is sent."""
    requests: Count
    input_tokens: Count
    cached_tokens: Count
    """Of the input tokens, those that a prefix cache will serve."""
    output_tokens: Count
    """A usual number, not the most."""
    price: float | None
    """In US dollars; None where the model's prices are not known."""
    price_at_most: float | None
    """If no cache served anything and every response were as long as allowed."""
    seconds: float
    """A rough guess."""


def jobs(exam: BenchView, settings: RunSettings) -> Iterator[list[Job]]:
    """What is to be asked, a context at a time; the samples of a question stand side by side."""
    left = settings.limit
    for context, questions in exam.groups():
        fitting = [question for question in questions if settings.split in (None, question.split)]
        taken = list(islice(fitting, left))
        if left is not None:
            left -= len(taken)
        if taken:
            yield [Job(context, question, sample) for question in taken for sample in range(settings.samples)]
        if left == 0:
            return


class Fitting:
    """Whether questions fit the model's window, with room for the response."""

    def __init__(self, exam: BenchView, system: System, model: ModelInfo, settings: RunSettings) -> None:
        self._exam = exam
        self._system = system
        self._model = model
        self._room = settings.max_tokens
        self._window = settings.window or model.window

    @property
    def is_bound(self) -> bool:
        """Whether there is a window that a prompt could miss."""
        return self._window is not None and self._window < BOUNDLESS

    def expected(self, job: Job) -> list[Expected]:
        """The requests that the job will make."""
        return self._system.expects(job.question, self._exam.view(job.context, job.question))

    def fits(self, requests: list[Expected]) -> bool:
        """Whether every one of them leaves room for a response."""
        return self._window is None or all(
            self._model.tokens(one.prefix_tokens + one.own_tokens) + self._room <= self._window for one in requests
        )


def plan(
    exam: BenchView, system: System, model: ModelInfo, settings: RunSettings, responses: ResponseIndex, connections: int
) -> Plan:
    """Add up what is still to be asked."""
    fitting = Fitting(exam, system, model, settings)
    sums = _Sums(model, EXPECTED_RESPONSE[getattr(system, "prompting", "direct")], settings)
    for group in jobs(exam, settings):
        sums.begin_context()
        for job in group:
            sums.responses += 1
            sums.questions += job.sample == 0
            if responses.is_done(job.question.id, job.sample):
                sums.done += 1
                continue
            requests = fitting.expected(job)
            if fitting.fits(requests):
                for one in requests:
                    sums.add(one)
            elif job.sample == 0:
                sums.overflow.append(job.question.id)
    return sums.plan(connections)


class _Sums:
    def __init__(self, model: ModelInfo, usual: int, settings: RunSettings) -> None:
        self._model = model
        self._usual = min(usual, settings.max_tokens)
        self._most = settings.max_tokens
        self.questions = self.responses = self.done = self.requests = 0
        self._input = self._cached = 0
        self.overflow: list[QuestionId] = []
        self._warm: set[str] = set()
        self._once: set[str] = set()

    def begin_context(self) -> None:
        # Prefixes without a context, such as a schema, stay warm; the others are not met again.
        self._warm = {prefix for prefix in self._warm if "⟦" not in prefix}
        self._once.clear()

    def add(self, one: Expected) -> None:
        if one.once:
            if one.prefix in self._once:
                return
            self._once.add(one.prefix)
        self.requests += 1
        prefix = self._model.tokens(one.prefix_tokens)
        self._input += prefix + self._model.tokens(one.own_tokens)
        if one.prefix in self._warm and prefix >= SMALLEST_CACHED:
            self._cached += prefix
        self._warm.add(one.prefix)

    def plan(self, connections: int) -> Plan:
        usage = Usage(input_tokens=self._input, cached_tokens=self._cached, output_tokens=self.requests * self._usual)
        at_most = Usage(input_tokens=self._input, output_tokens=self.requests * self._most)
        return Plan(
            questions=self.questions,
            responses=self.responses,
            done=self.done,
            overflow=tuple(self.overflow),
            requests=self.requests,
            input_tokens=usage.input_tokens,
            cached_tokens=usage.cached_tokens,
            output_tokens=usage.output_tokens,
            price=self._model.price(usage),
            price_at_most=self._model.price(at_most),
            seconds=self._model.seconds(usage) / connections,
        )
