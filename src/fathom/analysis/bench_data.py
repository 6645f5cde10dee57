"""The data of a bench and all of its runs, collected in one pass: each question is examined once for all runs."""

from __future__ import annotations

from array import array
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from sys import intern

import numpy as np

from fathom.analysis.attribution import AttributionResult, CauseEstimator, CauseMatch
from fathom.analysis.cost import UsageTotals
from fathom.analysis.diagnosis import DiagnosisTask, IncorrectAnswer, QuestionDiagnosis, diagnose_all, diagnosers
from fathom.analysis.failure_stages import StageCounter, all_shown
from fathom.analysis.findings import RESPONSE_OUTCOMES, ResponseOutcome
from fathom.analysis.intervals import BoolArray, FloatArray, IntArray
from fathom.analysis.loading import BenchRuns, LoadedRun, ScoredResponse
from fathom.analysis.patterns import pattern
from fathom.analysis.properties import Groupings, QuestionProperties, describe
from fathom.analysis.reasoning_steps import StepCounter, find_steps, reasoning_of
from fathom.analysis.retrieval import RetrievalCounter
from fathom.analysis.run_items import ResponseColumns, RunItems
from fathom.corpus.store import Corpus, DocumentEntry
from fathom.records.contexts import Context
from fathom.records.questions import QuestionId
from fathom.records.record import digest
from fathom.tasks.catalog import family
from fathom.tasks.family import Diagnosis, Fault, Item

NO_DIAGNOSIS = Diagnosis()
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


ExtraMeasures = Callable[[Item, ScoredResponse], Mapping[str, float]]
"""Measures of a response that its verdict does not have."""


@dataclass
class RunData:
    """The collected data of one run."""

    run: LoadedRun
    causes: CauseEstimator
    stages: StageCounter
    questions: list[QuestionId] = field(default_factory=list)
    """The questions that the run asks."""
    rows: array[int] = field(default_factory=lambda: array("q"))
    """Their row numbers."""
    contexts: array[int] = field(default_factory=lambda: array("q"))
    columns: ResponseColumns = field(default_factory=ResponseColumns)
    """What is kept of each response, question by question and sample by sample."""
    steps: StepCounter = field(default_factory=StepCounter)
    retrieval: RetrievalCounter = field(default_factory=RetrievalCounter)
    usage: UsageTotals = field(default_factory=UsageTotals)
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
        columns, samples = self.columns, self.run.samples
        codes = columns.outcome_codes().reshape(len(self.rows), samples)
        outcomes = np.stack([(codes == code).sum(axis=1) for code in range(len(RESPONSE_OUTCOMES))], axis=1)
        return RunArrays(
            np.array(self.rows, dtype=np.int64),
            np.array(self.contexts, dtype=np.int64),
            outcomes[:, RESPONSE_OUTCOMES.index("correct")] / samples,
            _sample_means(np.array(columns.scores), samples),
            outcomes,
            {name: _sample_means(columns.measure(name), samples) for name in columns.measures},
        )

    def items(self) -> RunItems:
        """The findings about each response, with its likely cause and stage; use it after the pass."""
        return self.explained(self.causes.estimate(), self.stages.stages())

    def explained(self, causes: AttributionResult, stages: Mapping[tuple[QuestionId, int], str]) -> RunItems:
        """The findings about each response, with these causes and stages."""
        return RunItems(self.name, self.run.samples, self.questions, self.columns, causes, stages)

    def accuracy_at(self, rows: IntArray) -> FloatArray:
        """Accuracy on these questions, all of which the run asks."""
        return self.arrays.accuracy[np.searchsorted(self.arrays.rows, rows)]

    def count_outcomes(self, rows: IntArray, outcomes: Sequence[ResponseOutcome]) -> IntArray:
        """For each of these questions, how many samples have one of the outcomes."""
        positions = np.searchsorted(self.arrays.rows, rows)
        columns = [RESPONSE_OUTCOMES.index(outcome) for outcome in outcomes]
        counts: IntArray = self.arrays.outcomes[positions][:, columns].sum(axis=1)
        return counts

    def answered(self, rows: IntArray) -> BoolArray:
        """Which of these questions have an answer for every sample, correct or not."""
        return np.asarray(self.count_outcomes(rows, ("error", "unanswered", "overflow")) == 0)

    def correct_by_sample(self) -> FloatArray:
        """A row per question and a column per sample: 1 if correct."""
        correct = self.columns.outcome_codes() == RESPONSE_OUTCOMES.index("correct")
        return np.asarray(correct.astype(float).reshape(len(self.rows), self.run.samples))


@dataclass
class BenchData:
    """A bench's questions, and the data of each run."""

    bench_runs: BenchRuns
    questions: list[QuestionProperties] = field(default_factory=list)
    unanswerable: list[float] = field(default_factory=list)
    """1 if the key says that the question is not answerable."""
    keys: list[tuple[str, bytes]] = field(default_factory=list)
    """Family and answer type, and a hash of the answer: the input of the majority baseline."""
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
        return np.array([question.context for question in self.questions], dtype=np.int64)

    @cached_property
    def sizes(self) -> dict[str, FloatArray]:
        """Every numeric property of every question; NaN if a question does not have it."""
        names = dict.fromkeys(name for question in self.questions for name in question.sizes)
        return {name: np.array([question.sizes.get(name, np.nan) for question in self.questions]) for name in names}

    @cached_property
    def groups(self) -> dict[str, dict[str, BoolArray]]:
        """For each grouping, its groups and a mask of the questions in each."""
        indices: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for index, question in enumerate(self.questions):
            for by, names in question.groups.items():
                for name in names:
                    indices[by][name].append(index)
        return {
            by: {
                name: _mask(indices[by][name], len(self.questions)) for name in self.groupings.ordered(by, indices[by])
            }
            for by in sorted(indices, key=self.groupings.order)
            if len(indices[by]) <= MAX_GROUPS
        }


def _sample_means(values: FloatArray, samples: int) -> FloatArray:
    """The mean over the samples of each question that have a value; NaN if none has."""
    by_question = values.reshape(-1, samples)
    counts = (~np.isnan(by_question)).sum(axis=1)
    totals = np.zeros(len(by_question))
    for sample in range(samples):
        totals += np.nan_to_num(by_question[:, sample])
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(counts > 0, totals / counts, np.nan))


def _mask(indices: list[int], size: int) -> BoolArray:
    mask = np.zeros(size, dtype=bool)
    mask[indices] = True
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
    entries = {entry.id: entry for entry in corpus.entries()} if corpus is not None else {}
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
    pending_diagnosers = diagnosers(bench_runs.bench.manifest.families, corpus)
    entries = {entry.id: entry for entry in corpus.entries()}
    names: set[str] = set()
    for context, items in bench_runs.by_context():
        diagnosable = [item for item in items if item.question.family in pending_diagnosers]
        for item in diagnosable:
            diagnosis = pending_diagnosers[item.question.family].diagnose(context, item)
            diagnosed = describe(context, 0, item, diagnosis, entries)
            undiagnosed = describe(context, 0, item, NO_DIAGNOSIS, {})
            names |= {*diagnosed.groups, *diagnosed.sizes} - {*undiagnosed.groups, *undiagnosed.sizes}
        for item in diagnosable:
            pending_diagnosers.pop(item.question.family, None)
        if not pending_diagnosers:
            break
    return names


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
            [
                (item, list(_incorrect(run_responses)) if attribute else [])
                for item, run_responses in zip(items, responses, strict=True)
            ],
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
    kind = intern(f"{item.question.family} {answer.type}")
    data.keys.append((kind, digest(answer.model_dump_json())[:16]))
    matches = iter(diagnosed.matches if diagnosed is not None else ())
    for run, samples in zip(data.runs, responses, strict=True):
        if samples:
            run.questions.append(data.questions[row].id)
            run.rows.append(row)
            run.contexts.append(number)
            for sample, response in enumerate(samples):
                _add_response(run, item, sample, response, diagnosis, extra)
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
    if match is not None:
        run.columns.matches[-1] = len(run.causes.incorrect)
    for estimator in (run.causes, run.stages.causes) if in_steps else (run.causes,):
        estimator.add_exposure(diagnosed.exposure, context)
        if match is not None:
            estimator.add_incorrect(match, context)


def _add_response(
    run: RunData, item: Item, sample: int, response: ScoredResponse, diagnosis: Diagnosis, extra: ExtraMeasures
) -> None:
    index = len(run.rows) - 1
    if response.outcome not in ("unanswered", "overflow"):
        run.usage.add(response.usage)
    run.thinks = run.thinks or bool(response.thinking)
    run.retrieval.add(index, item.key, response.trace)
    run.stages.add(index, item, sample, response, diagnosis.steps, run.run.retrieves)
    measures = {**response.measures, **extra(item, response)}
    run.columns.add(response, pattern(item.key.answer, response), measures)
    _add_steps(run, response, diagnosis)


def _add_steps(run: RunData, response: ScoredResponse, diagnosis: Diagnosis) -> None:
    has_reasoning = diagnosis.steps and response.outcome in ("correct", "incorrect", "unparseable")
    trace = reasoning_of(response) if has_reasoning else ""
    if trace:
        positions = find_steps(trace, diagnosis.steps)
        run.steps.add(positions, response.outcome == "correct")
        run.columns.add_steps(diagnosis.steps, positions)
