"""The data of a bench and all of its runs, collected in one pass: each question is examined once for all runs."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from fathom.analysis.attribution import NO_DIAGNOSER, AttributionResult, CauseEstimator, CauseMatch
from fathom.analysis.cost import UsageTotals
from fathom.analysis.diagnosis import DiagnosisTask, IncorrectAnswer, QuestionDiagnosis, diagnose_all, diagnosers
from fathom.analysis.failure_stages import StageCounter, all_shown
from fathom.analysis.findings import OUTCOMES, ItemFinding, ResponseOutcome, StepResult
from fathom.analysis.intervals import BoolArray, FloatArray, IntArray
from fathom.analysis.loading import BenchRuns, LoadedRun, ScoredResponse
from fathom.analysis.patterns import pattern
from fathom.analysis.properties import Groupings, QuestionProperties, describe
from fathom.analysis.reasoning_steps import StepCounter, find_steps, reasoning_of
from fathom.analysis.retrieval import RetrievalCounter
from fathom.corpus.store import Corpus, DocumentEntry
from fathom.records.contexts import Context
from fathom.records.questions import Usage
from fathom.scoring.recall import TOO_FEW
from fathom.tasks.catalog import family
from fathom.tasks.family import Diagnosis, Fault, Item

NO_DIAGNOSIS = Diagnosis()
NONE: Mapping[str, Any] = {}
"""Shared by the responses without measures, to save memory."""
_ITEM_FIELDS = set(ItemFinding.model_fields)
"""Shared by all findings: a set of the fields that were given takes more memory than the rest of a finding."""
MAX_GROUPS = 60
"""A tag with more values than this is not used as a grouping."""


@dataclass(frozen=True)
class RunArrays:
    """Scores of one run's questions as arrays."""

    rows: IntArray
    """Row numbers of the questions in the bench's data, ascending."""
    contexts: IntArray
    accuracy: FloatArray
    """Share of samples that are correct."""
    partial_credit: FloatArray
    outcomes: IntArray
    """Questions by outcomes: how many samples have each outcome."""
    measures: dict[str, FloatArray] = field(default_factory=dict)
    """For each named measure, its mean over the samples of each question; NaN if none has it."""


class ResponseUsage(NamedTuple):
    """The usage of one response, in a fraction of the memory of a record."""

    input_tokens: int
    cached_tokens: int
    output_tokens: int
    seconds: float
    price: float | None

    @classmethod
    def of(cls, usage: Usage) -> Self:
        return cls(usage.input_tokens, usage.cached_tokens, usage.output_tokens, usage.seconds, usage.price)


class ResponseDetails(NamedTuple):
    """The cost and the measures of one response."""

    usage: ResponseUsage
    measures: Mapping[str, float]
    values: Mapping[str, tuple[float, ...]]


ExtraMeasures = Callable[[Item, ScoredResponse], Mapping[str, float]]
"""Measures of a response that its verdict does not have."""


@dataclass
class RunData:
    """The collected data of one run."""

    run: LoadedRun
    causes: CauseEstimator
    stages: StageCounter
    rows: list[int] = field(default_factory=list)
    """Row numbers of the questions that the run asks."""
    contexts: list[int] = field(default_factory=list)
    accuracy: list[float] = field(default_factory=list)
    partial_credit: list[float] = field(default_factory=list)
    outcomes: list[list[int]] = field(default_factory=list)
    measures: dict[str, list[tuple[int, float]]] = field(default_factory=lambda: defaultdict(list))
    """For each named measure, the index of a question in `rows` and its mean over the samples that have it."""
    patterns: list[tuple[int, str]] = field(default_factory=list)
    """The index of a question in `rows`, and the error pattern of one of its responses."""
    steps: StepCounter = field(default_factory=StepCounter)
    retrieval: RetrievalCounter = field(default_factory=RetrievalCounter)
    usage: UsageTotals = field(default_factory=UsageTotals)
    items: list[ItemFinding] = field(default_factory=list)
    details: list[ResponseDetails] = field(default_factory=list)
    """Data of each response that tables need in addition to its finding, in the order of `items`."""
    thinks: bool = False
    """Whether a response has a separate reasoning text."""
    undiagnosed: int = 0
    """Incorrect answers of families without a diagnoser."""

    @property
    def name(self) -> str:
        return self.run.name

    @cached_property
    def arrays(self) -> RunArrays:
        """The scores as arrays; use it after the pass."""
        return RunArrays(
            np.array(self.rows, dtype=np.int64),
            np.array(self.contexts, dtype=np.int64),
            np.array(self.accuracy),
            np.array(self.partial_credit),
            np.array(self.outcomes, dtype=np.int64).reshape(len(self.rows), len(OUTCOMES)),
            {name: _filled(found, len(self.rows)) for name, found in self.measures.items()},
        )

    def accuracy_at(self, rows: IntArray) -> FloatArray:
        """Accuracy on these questions, all of which the run asks."""
        return self.arrays.accuracy[np.searchsorted(self.arrays.rows, rows)]

    def count_outcomes(self, rows: IntArray, outcomes: Sequence[ResponseOutcome]) -> IntArray:
        """For each of these questions, how many samples have one of the outcomes."""
        places = np.searchsorted(self.arrays.rows, rows)
        columns = [OUTCOMES.index(outcome) for outcome in outcomes]
        counts: IntArray = self.arrays.outcomes[places][:, columns].sum(axis=1)
        return counts

    def answered(self, rows: IntArray) -> BoolArray:
        """Which of these questions have an answer for every sample, correct or not."""
        return np.asarray(self.count_outcomes(rows, ("error", "unanswered", "overflow")) == 0)

    def correct_by_sample(self) -> FloatArray:
        """A row per question and a column per sample: 1 if correct."""
        flat = [float(item.outcome == "correct") for item in self.items]
        return np.array(flat).reshape(len(self.rows), self.run.samples)


@dataclass
class BenchData:
    """A bench's questions, and the data of each run."""

    bench_runs: BenchRuns
    questions: list[QuestionProperties] = field(default_factory=list)
    unanswerable: list[float] = field(default_factory=list)
    """1 if the key says that the question is not answerable."""
    keys: list[tuple[str, str]] = field(default_factory=list)
    """Family and answer type, and the answer: the input of the majority baseline."""
    documents: list[IntArray] = field(default_factory=list)
    """The documents of each context, by number."""
    runs: list[RunData] = field(default_factory=list)
    has_corpus: bool = False

    @cached_property
    def groupings(self) -> Groupings:
        return Groupings.of(self.bench_runs.bench.manifest.families)

    @cached_property
    def contexts(self) -> IntArray:
        """The context number of each question; use it after the pass."""
        return np.array([one.context for one in self.questions], dtype=np.int64)

    @cached_property
    def sizes(self) -> dict[str, FloatArray]:
        """Every numeric property of every question; NaN if a question does not have it."""
        names = dict.fromkeys(name for one in self.questions for name in one.sizes)
        return {name: np.array([one.sizes.get(name, np.nan) for one in self.questions]) for name in names}

    @cached_property
    def groups(self) -> dict[str, dict[str, BoolArray]]:
        """For each grouping, its groups and a mask of the questions in each."""
        places: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for place, one in enumerate(self.questions):
            for by, names in one.groups.items():
                for name in names:
                    places[by][name].append(place)
        return {
            by: {name: _mask(places[by][name], len(self.questions)) for name in self.groupings.ordered(by, places[by])}
            for by in sorted(places, key=self.groupings.order)
            if len(places[by]) <= MAX_GROUPS
        }


def _filled(found: list[tuple[int, float]], size: int) -> FloatArray:
    """The values at their places, NaN elsewhere."""
    values = np.full(size, np.nan)
    for place, value in found:
        values[place] = value
    return values


def _mask(places: list[int], size: int) -> BoolArray:
    mask = np.zeros(size, dtype=bool)
    mask[places] = True
    return mask


def collect(
    bench_runs: BenchRuns,
    corpus: Corpus | None,
    processes: int = 1,
    progress: Callable[[int], None] = lambda done: None,
    attribute: bool = True,
    extra: ExtraMeasures = lambda item, response: {},
) -> BenchData:
    """Examine every question once. Without the corpus no question is diagnosed.

    With `attribute=False` questions are diagnosed, but incorrect answers are not attributed to causes.
    """
    families = bench_runs.bench.manifest.families
    causes: dict[str, Fault] = {}
    for name in families if corpus is not None else ():
        causes |= family(name).causes
    data = BenchData(bench_runs, has_corpus=corpus is not None)
    data.runs = [RunData(run, CauseEstimator(causes), StageCounter(CauseEstimator(causes))) for run in bench_runs.runs]
    entries = {one.id: one for one in corpus.entries()} if corpus is not None else {}
    numbers: dict[str, int] = {}
    pending: deque[_PendingContext] = deque()
    diagnoses = diagnose_all(families, corpus, _tasks(bench_runs, pending, attribute), processes)
    for number, of_context in enumerate(diagnoses):
        group = pending.popleft()
        data.documents.append(
            np.array([numbers.setdefault(id, len(numbers)) for id in group.context.documents], dtype=np.int64)
        )
        for item, responses, diagnosis in zip(group.items, group.responses, of_context, strict=True):
            _add_question(data, number, group.context, item, responses, diagnosis, entries, attribute, extra)
        progress(number + 1)
    return data


def diagnosed_names(bench_runs: BenchRuns, corpus: Corpus) -> set[str]:
    """The groups and numbers of questions that only a diagnosis gives, by the first context with each family."""
    known = diagnosers(bench_runs.bench.manifest.families, corpus)
    entries = {one.id: one for one in corpus.entries()}
    found: set[str] = set()
    for context, items in bench_runs.by_context():
        mine = [item for item in items if item.question.family in known]
        for item in mine:
            diagnosis = known[item.question.family].diagnose(context, item)
            with_it = describe(context, 0, item, diagnosis, entries)
            without = describe(context, 0, item, NO_DIAGNOSIS, {})
            found |= {*with_it.groups, *with_it.sizes} - {*without.groups, *without.sizes}
        for item in mine:
            known.pop(item.question.family, None)
        if not known:
            break
    return found


@dataclass(frozen=True)
class _PendingContext:
    """A context whose questions are being diagnosed."""

    context: Context
    items: list[Item]
    responses: list[list[list[ScoredResponse]]]
    """For each question and each run, its samples; empty if the run does not ask it."""


def _tasks(bench_runs: BenchRuns, pending: deque[_PendingContext], attribute: bool) -> Iterator[DiagnosisTask]:
    """The diagnosis task of each context; its responses wait in `pending`."""
    for context, items in bench_runs.by_context():
        responses = [
            [run.take(item) if item.question.id in run.questions else [] for run in bench_runs.runs] for item in items
        ]
        pending.append(_PendingContext(context, items, responses))
        yield (
            context,
            [(item, list(_incorrect(some)) if attribute else []) for item, some in zip(items, responses, strict=True)],
        )


def _incorrect(responses: list[list[ScoredResponse]]) -> Iterator[IncorrectAnswer]:
    for run, samples in enumerate(responses):
        for sample, response in enumerate(samples):
            if response.outcome == "incorrect":
                yield IncorrectAnswer(run, sample, response.parsed, response.text)


def _add_question(
    data: BenchData,
    number: int,
    context: Context,
    item: Item,
    responses: list[list[ScoredResponse]],
    diagnosed: QuestionDiagnosis | None,
    entries: Mapping[str, DocumentEntry],
    attribute: bool,
    extra: ExtraMeasures,
) -> None:
    diagnosis = diagnosed.diagnosis if diagnosed is not None else NO_DIAGNOSIS
    row = len(data.questions)
    answer = item.key.answer
    data.questions.append(describe(context, number, item, diagnosis, entries, data.groupings.ungrouped))
    data.unanswerable.append(float(answer.type == "none"))
    data.keys.append((f"{item.question.family} {answer.type}", answer.model_dump_json()))
    matches = iter(diagnosed.matches if diagnosed is not None else ())
    for run, samples in zip(data.runs, responses, strict=True):
        if samples:
            _add_responses(run, row, number, item, samples, diagnosis)
            for response in samples:
                measures = {**response.measures, **extra(item, response)}
                run.details.append(
                    ResponseDetails(ResponseUsage.of(response.usage), measures or NONE, response.values or NONE)
                )
                if attribute:
                    _add_causes(run, number, item, response, diagnosed, matches)


def _add_causes(
    run: RunData,
    context: int,
    item: Item,
    response: ScoredResponse,
    diagnosed: QuestionDiagnosis | None,
    matches: Iterator[CauseMatch],
) -> None:
    if response.outcome not in ("correct", "incorrect"):
        return
    if diagnosed is None:
        run.undiagnosed += response.outcome == "incorrect"
        return
    in_steps = bool(response.trace) and all_shown(item, response, run.run.retrieves)
    match = next(matches) if response.outcome == "incorrect" else None
    for estimator in (run.causes, run.stages.causes) if in_steps else (run.causes,):
        estimator.add_exposure(diagnosed.exposure, context)
        if match is not None:
            estimator.add_incorrect(match, context)


def _add_responses(
    run: RunData, row: int, context: int, item: Item, responses: list[ScoredResponse], diagnosis: Diagnosis
) -> None:
    outcomes = Counter(response.outcome for response in responses)
    place = len(run.rows)
    run.rows.append(row)
    run.contexts.append(context)
    run.accuracy.append(outcomes["correct"] / len(responses))
    run.partial_credit.append(sum(response.score for response in responses) / len(responses))
    run.outcomes.append([outcomes[outcome] for outcome in OUTCOMES])
    for name in dict.fromkeys(name for response in responses for name in response.measures):
        values = [response.measures[name] for response in responses if name in response.measures]
        run.measures[name].append((place, sum(values) / len(values)))
    for sample, response in enumerate(responses):
        if response.outcome not in ("unanswered", "overflow"):
            run.usage.add(response.usage)
        run.thinks = run.thinks or bool(response.thinking)
        run.retrieval.add(place, item.key, response.trace)
        run.stages.add(place, item, sample, response, diagnosis.steps, run.run.retrieves)
        error_pattern = pattern(item.key.answer, response)
        if error_pattern is not None:
            run.patterns.append((place, error_pattern))
        run.items.append(
            # Not validated: there is one per response, and all values were validated when they were read.
            ItemFinding.model_construct(
                _ITEM_FIELDS,
                question_id=item.question.id,
                run=run.name,
                sample=sample,
                outcome=response.outcome,
                score=response.score,
                patterns=(error_pattern,) if error_pattern else (),
                candidates=(),
                unclear=NO_DIAGNOSER if response.outcome == "incorrect" else "",
                stage="",
                too_few_chunks=response.measures.get(TOO_FEW, 0.0) > 0,
                steps=_steps(run, response, diagnosis),
            )
        )


def _steps(run: RunData, response: ScoredResponse, diagnosis: Diagnosis) -> tuple[StepResult, ...]:
    has_reasoning = diagnosis.steps and response.outcome in ("correct", "incorrect", "unparseable")
    trace = reasoning_of(response) if has_reasoning else ""
    if not trace:
        return ()
    found = find_steps(trace, diagnosis.steps)
    run.steps.add(found, response.outcome == "correct")
    return found


def with_causes(items: list[ItemFinding], result: AttributionResult) -> list[ItemFinding]:
    """The items, each incorrect one with its candidate causes."""
    known = {(one.match.question, one.match.sample): one for one in result.answers}
    return [
        item
        if (one := known.get((item.question_id, item.sample))) is None
        else item.model_copy(update={"candidates": one.candidates, "unclear": one.unclear})
        for item in items
    ]
