"""The plan of a run: requests, tokens, price and time, computed before anything is sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fathom.models.model_info import ModelInfo
from fathom.models.prompts import names_a_context
from fathom.records.contexts import Context
from fathom.records.documents import NonNegativeInt
from fathom.records.errors import FathomError
from fathom.records.questions import Question, QuestionId, Usage
from fathom.records.record import Record
from fathom.runs.bench_view import BenchView
from fathom.runs.folder import ResponseIndex, RunSettings, selected_questions
from fathom.runs.model_caller import highest_usage
from fathom.runs.redaction import explain
from fathom.systems.protocol import CallEstimate, System, needs_model

MIN_CACHED_TOKENS = 1_024
"""Tokens below which providers do not cache a prefix."""

UNLIMITED = 100_000_000
"""The window of simulated models, which read no prompt."""

TYPICAL_RESPONSE = {"direct": 80, "cot": 800}
"""Tokens of a typical response, by prompting. The highest price uses `max_tokens`."""
TYPICAL_REASONING = 1_000
"""Tokens that a model that reasons is assumed to think in a typical response: a guess, not a measurement."""


def typical_output(prompting: str, model: ModelInfo, settings: RunSettings) -> int:
    """Output tokens of a typical response, its hidden reasoning included."""
    effort = settings.reasoning_effort
    asked = settings.reasoning_tokens is not None or effort is not None
    reasons = effort not in ("none", "minimal") if asked else model.reasons_by_default
    return min(TYPICAL_RESPONSE[prompting] + TYPICAL_REASONING * reasons, settings.max_tokens)


@dataclass(frozen=True)
class Job:
    """One response to obtain."""

    context: Context
    question: Question
    sample: int

    @property
    def id(self) -> str:
        return f"{self.question.id}.{self.sample}"

    @property
    def group(self) -> str:
        return self.context.id

    @property
    def label(self) -> str:
        return self.question.text

    @property
    def metadata(self) -> Mapping[str, str]:
        return {"context": self.context.id, **self.question.tags}


class Plan(Record):
    """The requests, tokens, price and time of a run."""

    questions: NonNegativeInt
    responses: NonNegativeInt
    """Questions times samples."""
    done: NonNegativeInt
    """Responses that the run already has."""
    overflow: tuple[QuestionId, ...]
    """Questions that do not fit the model's window. They are not sent."""
    requests: NonNegativeInt
    input_tokens: NonNegativeInt
    cached_tokens: NonNegativeInt
    """Input tokens that a prefix cache will serve."""
    output_tokens: NonNegativeInt
    """Output tokens, for responses of typical length."""
    price: float | None
    """In US dollars; None if the prices of the model are unknown, or those of a system that needs no model."""
    batch_price: float | None = None
    """The price through the provider's batch API, without a cache; None if it is unknown. Runs do not use it."""
    price_at_most: float | None
    """If no cache serves anything, every response has the longest length, and every spare call is made."""
    seconds: float | None
    """A rough estimate of the duration; None for a system that needs no model."""


def jobs(bench: BenchView, settings: RunSettings) -> Iterator[list[Job]]:
    """The jobs of a run, one context at a time, with the samples of a question side by side."""
    chosen = _chosen(bench, settings)
    for context, questions in bench.groups():
        selected = [question for question in questions if settings.split in (None, question.split)]
        if chosen is not None:
            selected = [one for one in selected if one.id in chosen]
        if selected:
            yield [Job(context, question, sample) for question in selected for sample in range(settings.samples)]


def _chosen(bench: BenchView, settings: RunSettings) -> frozenset[QuestionId] | None:
    """The questions that a limit leaves; None without a limit."""
    if settings.limit is None:
        return None
    questions = (question for _, group in bench.groups() for question in group)
    return frozenset(question.id for question in selected_questions(questions, settings))


def estimate_of(system: System, job: Job, bench: BenchView) -> CallEstimate:
    """The system's estimate for the job; raises FathomError where the code of a system of the user's own fails."""
    view = bench.view(job.context, job.question)
    try:
        estimate: object = system.estimate(job.question, view)
    except FathomError:
        raise
    except Exception as error:
        raise FathomError(
            f"The estimate of the system '{system.name}' for the question '{job.question.id}' failed: "
            f"{explain(error, system)}"
        ) from error
    if not isinstance(estimate, CallEstimate):
        raise FathomError(
            f"The method `estimate` of the system '{system.name}' returned an object of the type "
            f"'{type(estimate).__name__}' in place of a CallEstimate. Return `view.estimate(prompt, ...)`."
        )
    return estimate


class WindowCheck:
    """Checks that questions fit the model's window, with room for the response."""

    def __init__(self, bench: BenchView, system: System, model: ModelInfo, settings: RunSettings) -> None:
        self._bench = bench
        self._system = system
        self._model = model
        self._room = settings.max_tokens
        self._window = settings.window or model.window

    @property
    def is_needed(self) -> bool:
        """Whether there is a window that a prompt could exceed."""
        return self._window is not None and self._window < UNLIMITED

    def estimate(self, job: Job) -> CallEstimate:
        """The system's estimate for the job."""
        return estimate_of(self._system, job, self._bench)

    def fits(self, estimate: CallEstimate) -> bool:
        """Whether the largest call leaves room for a response."""
        return self._window is None or self._model.tokens(estimate.largest_call) + self._room <= self._window


def plan(
    bench: BenchView,
    system: System,
    model: ModelInfo,
    settings: RunSettings,
    responses: ResponseIndex,
    connections: int,
) -> Plan:
    """The plan of all jobs that have no response yet."""
    window = WindowCheck(bench, system, model, settings)
    typical = typical_output(getattr(system, "prompting", "direct"), model, settings)
    sums = _Sums(model, typical, settings.max_tokens)
    for group in jobs(bench, settings):
        sums.begin_context()
        for job in group:
            sums.responses += 1
            sums.questions += job.sample == 0
            if responses.is_done(job.question.id, job.sample):
                sums.done += 1
                continue
            estimate = window.estimate(job)
            if window.fits(estimate):
                sums.add(job.question.family, estimate)
            elif job.sample == 0:
                sums.overflow.append(job.question.id)
    return sums.plan(connections) if needs_model(system) else sums.plan_without_model()


class _Sums:
    def __init__(self, model: ModelInfo, typical: int, max_tokens: int) -> None:
        self._model = model
        self._typical = typical
        self._max_tokens = max_tokens
        self.questions = self.responses = self.done = 0
        self.overflow: list[QuestionId] = []
        self._requests = 0
        self._usage, self._highest = Usage(), Usage(price=model.price(Usage()))
        self._stated: float | None = 0.0
        """The highest price that a system states for itself."""
        self._warm: set[str] = set()
        self._families: set[str] = set()
        """Families whose calls per context are counted for this context."""

    def begin_context(self) -> None:
        # Prefixes without a context, such as a schema, stay warm. The others do not recur.
        self._warm = {prefix for prefix in self._warm if not names_a_context(prefix)}
        self._families.clear()

    def add(self, family: str, estimate: CallEstimate) -> None:
        if estimate.per_context is not None and family not in self._families:
            self._families.add(family)
            self._add_calls(estimate.per_context)
        self._add_calls(estimate)

    def _add_calls(self, estimate: CallEstimate) -> None:
        self._requests += estimate.calls
        prefix = self._model.tokens(estimate.prefix_tokens)
        served = estimate.prefix_calls - (estimate.prefix not in self._warm)
        usage = Usage(
            input_tokens=self._model.tokens(estimate.input_tokens),
            cached_tokens=prefix * max(0, served) if prefix >= MIN_CACHED_TOKENS else 0,
            output_tokens=estimate.calls * self._typical,
        )
        if estimate.prefix:
            self._warm.add(estimate.prefix)
        self._usage = self._usage.plus(usage)
        self._highest = self._highest.plus(highest_usage(estimate, self._model, self._max_tokens))
        known = self._stated is not None and estimate.price is not None
        self._stated = (self._stated or 0.0) + (estimate.price or 0.0) if known else None

    def plan(self, connections: int) -> Plan:
        return Plan(
            questions=self.questions,
            responses=self.responses,
            done=self.done,
            overflow=tuple(self.overflow),
            requests=self._requests,
            input_tokens=self._usage.input_tokens,
            cached_tokens=self._usage.cached_tokens,
            output_tokens=self._usage.output_tokens,
            price=self._model.price(self._usage),
            batch_price=self._model.batch_price(self._usage),
            price_at_most=self._highest.price,
            seconds=self._model.seconds(self._usage) / connections,
        )

    def plan_without_model(self) -> Plan:
        """The plan of a system that needs no model: it alone knows what it reads and writes."""
        unknown = {
            "input_tokens": 0,
            "cached_tokens": 0,
            "output_tokens": 0,
            "price": None,
            "batch_price": None,
            "seconds": None,
        }
        return self.plan(1).model_copy(update={**unknown, "price_at_most": self._stated})
